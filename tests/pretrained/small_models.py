"""Tiny pretrained models with random weights and tokenisers of every kind, saved as people save theirs."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from pointree.config import PretrainedConfig
from pointree.pretrained.loading import load_pretrained
from pointree.pretrained.model import PretrainedModel
from pointree.treebank.conllu import read_conllu

os.environ.setdefault("HF_HUB_OFFLINE", "1")
transformers = pytest.importorskip("transformers", reason="pretrained embeddings need transformers")
tokenizers = pytest.importorskip("tokenizers", reason="pretrained embeddings need tokenizers")

EWT = Path(__file__).resolve().parents[1] / "fixtures" / "ewt.conllu"

SIZES: dict[str, Any] = {
    "hidden_size": 12,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 40,
    "hidden_dropout_prob": 0.1,
    "initializer_range": 0.5,  # large, so that words differ
}
LAYERS = SIZES["num_hidden_layers"]


@cache
def sentences() -> list[list[str]]:
    """Words of the fixture."""
    return [sentence.forms for sentence in read_conllu(EWT)]


def word_pieces() -> dict[str, int]:
    """Special tokens, all characters at both places of a word, and a few endings."""
    characters = sorted({character for forms in sentences() for form in forms for character in form.lower()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, "the", "of", "to"]
    pieces += [f"##{piece}" for piece in (*characters, "ing", "ed", "er", "ion")]
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def word_piece_tokenizer(folder: Path) -> Any:
    """Word pieces as in BERT, in Rust."""
    return transformers.BertTokenizer(vocab=word_pieces(), model_max_length=512)


def slow_word_piece_tokenizer(folder: Path) -> Any:
    """Word pieces as in BERT, in Python."""
    from transformers.models.bert.tokenization_bert_legacy import BertTokenizerLegacy

    (folder / "vocab.txt").write_text("\n".join(word_pieces()), encoding="utf-8")
    return BertTokenizerLegacy(str(folder / "vocab.txt"))


def train_sentence_pieces(folder: Path) -> Path:
    """A sentence-piece model of the fixture."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="sentence pieces need sentencepiece")
    (folder / "text.txt").write_text("\n".join(" ".join(forms) for forms in sentences()), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "text.txt"),
        model_prefix=str(folder / "spiece"),
        vocab_size=150,
        character_coverage=1.0,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
    )
    return folder / "spiece.model"


def slow_sentence_piece_tokenizer(folder: Path) -> Any:
    """Sentence pieces by the original library, without special tokens around a text."""
    return transformers.BertGenerationTokenizer(str(train_sentence_pieces(folder)))


def sentence_piece_tokenizer(folder: Path) -> Any:
    """Sentence pieces as in XLM-R, in Rust."""
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(train_sentence_pieces(folder)))
    pieces = [(model.id_to_piece(number), model.get_score(number)) for number in range(3, model.get_piece_size())]
    special = [(token, 0.0) for token in ("<s>", "<pad>", "</s>", "<unk>")]
    return transformers.XLMRobertaTokenizer(vocab=[*special, *pieces, ("<mask>", 0.0)], model_max_length=512)


def byte_tokenizer(folder: Path) -> Any:
    """Pairs of bytes as in RoBERTa, for which a word with and without a space before it are two things."""
    trainer = tokenizers.ByteLevelBPETokenizer()
    text = [" ".join(forms) for forms in sentences()]
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer.train_from_iterator(text, vocab_size=400, special_tokens=special, show_progress=False)
    trainer.save_model(str(folder))
    merges = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()[1:]
    return transformers.RobertaTokenizer(
        vocab=trainer.get_vocab(), merges=[tuple(merge.split(" ")) for merge in merges], model_max_length=512
    )


KINDS: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "word pieces": (word_piece_tokenizer, "BertConfig", "BertModel"),
    "slow word pieces": (slow_word_piece_tokenizer, "BertConfig", "BertModel"),
    "sentence pieces": (sentence_piece_tokenizer, "XLMRobertaConfig", "XLMRobertaModel"),
    "slow sentence pieces": (slow_sentence_piece_tokenizer, "BertGenerationConfig", "BertGenerationEncoder"),
    "bytes": (byte_tokenizer, "RobertaConfig", "RobertaModel"),
}


def make_pretrained(folder: Path, kind: str = "word pieces", *, seed: int = 0, **sizes: Any) -> Path:
    """A folder with a pretrained model and its tokeniser."""
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer, config_class, model_class = KINDS[kind]
    tokenizer = make_tokenizer(folder)
    config = getattr(transformers, config_class)(
        **{**SIZES, **sizes}, vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id
    )
    torch.manual_seed(seed)
    model = getattr(transformers, model_class)(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # biases start as zeros, which would hide much
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def open_pretrained(folder: Path, **choices: Any) -> PretrainedModel:
    """The model of a folder, all of its layers averaged if nothing else is said."""
    choices = {"layers": (1, 2, 3), **choices}
    return load_pretrained(PretrainedConfig(model=str(folder), **choices)).eval()
