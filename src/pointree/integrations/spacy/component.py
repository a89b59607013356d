"""The component: parses docs and sets heads, relations, sentences, tags, features and lemmas of their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import srsly
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.pipeline.dep_parser import parser_score
from spacy.pipeline.morphologizer import morphologizer_score
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from pointree.errors import ModelError
from pointree.integrations.spacy.alignment import Passage, find_surfaces, plan_passages
from pointree.integrations.spacy.annotation import annotate
from pointree.integrations.spacy.doc_parse import find_words, register_extensions
from pointree.integrations.spacy.requirement import require_spacy, with_types
from pointree.integrations.spacy.stored_model import StoredModel
from pointree.integrations.spacy.tokenizer import PointreeTokenizer
from pointree.options import ParseOptions
from pointree.text.reading import segment_text
from pointree.treebank.sentence import Sentence

__all__ = ["PointreeComponent", "make_component"]

_ASSIGNS = ("dep", "head", "is_sent_start", "lemma", "morph", "pos", "tag")
_SCORES = ("dep_uas", "dep_las", "sents_f", "pos_acc", "tag_acc", "morph_acc", "lemma_acc")
_MODEL = "model"
"""The folder of the weights in a saved pipeline."""

_PARSING = [item for item in fields(ParseOptions) if item.name not in ("sentences", "probabilities")]
"""The options of parsing that are settings of the component: a doc has no lines, and ``details`` has probabilities."""

Factory = TypeVar("Factory", bound=Callable[..., Pipe])


class PointreeComponent(Pipe):  # type: ignore[misc]
    """A pointree parser as a component of spaCy; make it with ``nlp.add_pipe("pointree")``.

    The settings are those of `make_component`.
    """

    def __init__(
        self,
        model: StoredModel,
        *,
        name: str = "pointree",
        options: ParseOptions | None = None,
        details: bool = True,
        split_tokens: bool = False,
        stores_model: bool = True,
    ) -> None:
        self.name = name
        self.model = model
        self.options = options or ParseOptions(probabilities=details)
        self.details = details
        self.split_tokens = split_tokens
        self.stores_model = stores_model
        register_extensions()

    def __call__(self, doc: Doc) -> Doc:
        """Parse one doc in place."""
        try:
            self._parse([doc])
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse docs in place, many sentences at a time; a doc that fails goes to the error handler."""
        for batch in minibatch(stream, batch_size):
            docs = list(batch)
            try:
                self._parse(docs)
            except Exception as problem:
                yield from self._one_by_one(docs, problem)
            else:
                yield from docs

    def _one_by_one(self, docs: Sequence[Doc], problem: Exception) -> Iterator[Doc]:
        """The docs of a batch that failed, without those at fault."""
        handle = self.get_error_handler()
        for doc in docs:
            try:
                if len(docs) == 1:
                    raise problem
                self._parse([doc])
            except Exception as error:
                handle(self.name, self, [doc], error)
            else:
                yield doc

    def _parse(self, docs: Sequence[Doc]) -> None:
        docs = [doc for doc in docs if len(doc)]
        plans = [self._plan(doc) for doc in docs]
        sentences = [passage.sentence for plan in plans for passage in plan if passage.owners]
        parsed = iter(_by_sentence(self.model.parser.stream(sentences, self.options, copy=False)))
        for doc, plan in zip(docs, plans, strict=True):
            annotate(doc, [(passage, next(parsed) if passage.owners else []) for passage in plan], self.details)

    def _plan(self, doc: Doc) -> list[Passage]:
        """The sentences of a doc: those that it has, or else those of the model."""
        parser = self.model.parser
        tokens = [(token.idx, token.idx + len(token)) for token in doc]
        starts = [bool(token.is_sent_start) for token in doc] if doc.has_annotation("SENT_START") else None
        surfaces = find_words(doc)
        if surfaces is None and parser.reads_text:
            surfaces = list(find_surfaces(segment_text(doc.text, parser.require_segmenter(), name="<doc>")))
        elif surfaces is None and starts is None:
            hint = 'nlp.add_pipe("sentencizer", before="pointree")'
            raise ModelError(f"{self.model.name}: this model cannot find sentences; add a component that does: {hint}")
        return plan_passages(doc.text, tokens, surfaces or [], starts, split=self.split_tokens)

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]] | None = None, *, nlp: Language | None = None
    ) -> None:
        """Load the model; there is nothing to train here."""
        _ = self.model.parser

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score trees, sentences, tags, features and lemmas, as spaCy's own components do."""
        examples = list(examples)
        scores: dict[str, Any] = parser_score(examples, **kwargs) | morphologizer_score(examples, **kwargs)
        for attribute in ("tag", "lemma"):
            scores |= Scorer.score_token_attr(examples, attribute, **kwargs)
        return scores

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The component with its weights."""
        files = self.model.read_files() if self.stores_model and _MODEL not in exclude else {}
        data: bytes = srsly.msgpack_dumps(files)
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> PointreeComponent:
        """Take the weights that `to_bytes` wrote."""
        files = srsly.msgpack_loads(data)
        if files and _MODEL not in exclude:
            self.model.take_files(files)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the component with its weights into a folder."""
        Path(path).mkdir(parents=True, exist_ok=True)
        if self.stores_model and _MODEL not in exclude:
            self.model.copy_to(Path(path) / _MODEL)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> PointreeComponent:
        """Take the weights that `to_disk` wrote."""
        if self.stores_model and _MODEL not in exclude:
            self.model.copy_from(Path(path) / _MODEL)
        return self


def _with_parse_options(function: Factory) -> Factory:
    """Give a factory the options of parsing as settings, in place of its last argument; spaCy reads the signature."""
    types = get_type_hints(ParseOptions)
    parameters = [each for each in signature(function).parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    for item in _PARSING:
        kind = types[item.name] if types[item.name] in (int, float, bool) else str | None
        parameters.append(Parameter(item.name, Parameter.KEYWORD_ONLY, annotation=kind))
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return function


@Language.factory(  # type: ignore[untyped-decorator]
    "pointree",
    assigns=["doc.sents", *(f"token.{name}" for name in _ASSIGNS)],
    default_config={
        "model": "en",
        **{item.name: item.default for item in _PARSING},
        "split_tokens": False,
        "details": True,
        "device": "cpu",
        "engine": "auto",
        "check_language": True,
    },
    default_score_weights=dict.fromkeys(_SCORES, 0.0),
)
@_with_parse_options
@with_types
def make_component(
    nlp: Language,
    name: str,
    model: str | None,
    split_tokens: bool,
    details: bool,
    device: str,
    engine: str,
    check_language: bool,
    **parsing: Any,
) -> PointreeComponent:
    """Make the component.

    Args:
        nlp: The pipeline.
        name: The name of the component in it.
        model: The name, folder or Hub id of a model; None is that of pointree's tokeniser in the same pipeline.
        split_tokens: Parse the words inside of tokens, for docs that are split at white space only.
        details: Keep the trees of the words and all probabilities with the doc.
        device: Where to compute.
        engine: What computes: onnx, torch, or auto.
        check_language: Refuse a model that was trained for another language than the pipeline's.
        parsing: Fields of `ParseOptions`; the trees of ``n_best`` are in ``doc._.pointree.n_best``.
    """
    require_spacy()
    if model is not None:
        stored = StoredModel(model, device=device, precision=parsing["precision"], engine=engine)
    elif isinstance(nlp.tokenizer, PointreeTokenizer):
        stored = nlp.tokenizer.model
    else:
        raise ModelError(f"{name}: expected a model, or pointree's tokeniser that has one; found neither")
    if check_language:
        stored.check_language(nlp.lang)
    return PointreeComponent(
        stored,
        name=name,
        options=ParseOptions(**parsing, probabilities=details),
        details=details,
        split_tokens=split_tokens,
        stores_model=model is not None,
    )


def _by_sentence(trees: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """The trees of each sentence, best first."""
    found: list[Sentence] = []
    for tree in trees:
        if found and tree.meta("tree_rank") in (None, "1"):
            yield found
            found = []
        found.append(tree)
    if found:
        yield found
