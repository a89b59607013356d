"""What reads raw text in a training run, and treebanks with the tags that a tagger predicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pointree.config import Config
from pointree.errors import UsageError
from pointree.files import atomic_write, make_folder
from pointree.models.layout import SEGMENTER_CHECKPOINT, TEXT_MODEL
from pointree.nn.segmenter import SegmenterNetwork
from pointree.text.udpipe import TextModel
from pointree.training import jackknife, text_model
from pointree.training.initial_model import InitialModel
from pointree.training.observer import TrainingObserver
from pointree.training.segmenter import SegmenterStage
from pointree.treebank.conllu import read_conllu, write_conllu
from pointree.treebank.sentence import Sentence

__all__ = ["RunTextModel"]

Treebanks = tuple[list[Sentence], list[Sentence]]


class RunTextModel:
    """The segmenter and the tagger that a run trains for itself or takes from the model from which it starts.

    They are trained if that is ``wanted``, or if nothing is said, the run starts from no model that reads raw text, and
    sentences of the treebank say what their text is. A network that predicts tags needs no tagger.

    Attributes:
        is_trained: Whether the run trains a tagger.
        has_segmenter: Whether it trains a segmenter.
        exists: Whether the model will have a tagger.
    """

    def __init__(
        self,
        output: Path,
        init: InitialModel | None,
        observer: TrainingObserver,
        *,
        wanted: bool | None,
        train: Sequence[Sentence],
        config: Config,
        resumed: bool = False,
    ) -> None:
        self.config = config
        self.output = output
        self.start = init
        self.observer = observer
        without = next((number for number, sentence in enumerate(train, 1) if sentence.meta("text") is None), None)
        if wanted and without is not None:
            raise UsageError(
                f"text model: expected a `# text` comment in every sentence, found none in sentence {without}"
            )
        has_one = init is not None and init.text_model is not None
        has_segmenter = init is not None and init.network.segmenter is not None
        some = any(sentence.meta("text") for sentence in train)
        if wanted is None and not has_one and not has_segmenter and not some:
            observer.notice("the training data has no `# text` comments, so the model will not read raw text")
        trained = (some and not has_one and not has_segmenter) if wanted is None else wanted
        # A run that was begun before there were segmenters ends as it would have.
        is_old = resumed and not (output / SEGMENTER_CHECKPOINT).exists()
        self.has_segmenter = trained and not is_old
        self.is_trained = trained and (is_old or not config.predicted_columns)
        self.exists = self.is_trained or has_one

    def segmenter(self, train: Sequence[Sentence], dev: Sequence[Sentence]) -> SegmenterNetwork | None:
        """Train the segmenter, or take that of the model from which the run starts; None if there is none."""
        if not self.has_segmenter:
            return None if self.start is None else self.start.network.segmenter
        seed = self.config.training.seed
        stage = SegmenterStage(self.config.segmenter, train, dev, self.output, seed=seed, observer=self.observer)
        if stage.left_out:
            found = f"{stage.left_out:,} sentences without a `# text` that has their tokens"
            self.observer.notice(f"the segmenter is trained without {found}")
        return stage.run()

    @property
    def path(self) -> Path:
        """The file of the text model in the output folder."""
        return self.output / TEXT_MODEL

    def predicted_tags(self, train: Sequence[Sentence], dev: Sequence[Sentence]) -> Treebanks:
        """The treebanks with tags such as raw text will have, which are also kept for a run that is resumed.

        A tagger that was trained on these sentences knows too much of them: others tag them, each a part that it has
        not seen. The tagger of another model has seen none.
        """
        if (before := self._tagged_before(train, dev)) is not None:
            return before
        if self.is_trained:
            self._train(train, dev)
            tagged = jackknife.jackknife_tags(
                train,
                dev,
                tagger=text_model.TaggerOptions(lemmas=False),
                progress=self.observer.text_model_progressed,
            )
        else:
            self.copy()
            tagged = list(TextModel.load(self.path).tag(train))
        found = list(tagged), list(TextModel.load(self.path).tag(dev))
        for place, sentences in zip(self._tagged_files, found, strict=True):
            with atomic_write(place) as stream:
                write_conllu(sentences, stream)
        return found

    def copy(self) -> None:
        """Take over what there is of the model from which the run starts; a run that can be resumed has done so."""
        if self.start is not None:
            self.start.copy_files(self.output, text_model=not self.is_trained)

    def finish(self, train: Sequence[Sentence], dev: Sequence[Sentence]) -> None:
        """Train the text model, unless that was done before."""
        if self.is_trained and not self.path.exists():
            self._train(train, dev)

    def _train(self, train: Sequence[Sentence], dev: Sequence[Sentence]) -> None:
        make_folder(self.output)
        tokenizer = None if self.has_segmenter else text_model.DEFAULT_TOKENIZER
        text_model.train_text_model(
            train, dev, self.path, tokenizer=tokenizer, progress=self.observer.text_model_progressed
        )

    @property
    def _tagged_files(self) -> tuple[Path, Path]:
        return self.output / "train-tagged.conllu", self.output / "dev-tagged.conllu"

    def _tagged_before(self, train: Sequence[Sentence], dev: Sequence[Sentence]) -> Treebanks | None:
        """The treebanks that this run tagged before it was stopped, if it did; those of another run are an error."""
        if not all(place.exists() for place in (self.path, *self._tagged_files)):
            return None
        found = list(read_conllu(self._tagged_files[0])), list(read_conllu(self._tagged_files[1]))
        for place, before, now in zip(self._tagged_files, found, (train, dev), strict=True):
            if [_gold(sentence) for sentence in before] != [_gold(sentence) for sentence in now]:
                raise UsageError(f"{place}: was made from another treebank; choose another folder")
        return found


def _gold(sentence: Sentence) -> tuple[Any, ...]:
    """What tagging leaves as it is."""
    return tuple((word.form, word.head, word.deprel) for word in sentence.words)
