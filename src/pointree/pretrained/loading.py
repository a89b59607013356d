"""Pretrained models on disk and on the Hugging Face Hub; whatever cannot be used is an error of one line.

`transformers` opens them, except for a BERT that was fine-tuned with a parser, which is read without it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pointree.config import PretrainedConfig
from pointree.errors import MissingExtraError, ModelError
from pointree.files import writing
from pointree.pretrained.bert import Bert
from pointree.pretrained.bert_folder import copy_bert, read_bert
from pointree.pretrained.identity import PretrainedIdentity, checksum
from pointree.pretrained.model import PretrainedModel
from pointree.pretrained.subwords import SubwordTokenizer

__all__ = [
    "PRETRAINED_VARIABLE",
    "bundle_pretrained",
    "find_pretrained",
    "input_table",
    "load_pretrained",
    "new_pretrained",
    "save_architecture",
    "writing_pretrained",
]

PRETRAINED_VARIABLE = "POINTREE_PRETRAINED"
"""The environment variable with a list of folders, separated as in PATH, whose subfolders are pretrained models."""
_OLD_VARIABLE = "POINTREE_ENCODERS"
"""Its name in version 0.1, which is read if the new one is not set."""

_SAFE = {"trust_remote_code": False}
"""Code that comes with a pretrained model is never run, and the user is not asked to allow it."""


def find_pretrained(name: str) -> str:
    """The folder of this name, the one with its last part in $POINTREE_PRETRAINED, or the name itself, a Hub id."""
    if os.path.isdir(name):
        return name
    roots = os.environ.get(PRETRAINED_VARIABLE) or os.environ.get(_OLD_VARIABLE, "")
    for root in roots.split(os.pathsep):
        if root and (folder := Path(root).expanduser() / Path(name).name).is_dir():
            return str(folder)
    return name


def load_pretrained(
    config: PretrainedConfig, *, place: str | os.PathLike[str] | None = None, expected: PretrainedIdentity | None = None
) -> PretrainedModel:
    """Load the pretrained model that a configuration names, or the one in the folder ``place`` instead.

    With ``expected``, a model with other weights or another tokeniser is a `ModelError`.
    """
    name = config.model
    source = find_pretrained(name) if place is None else os.fspath(place)
    model, tokenizer = _open(source, name)
    n_layers, width = _size(model, name)
    identity = PretrainedIdentity(name, checksum(_arrays(model), tokenizer), width, n_layers)
    if expected is not None and identity.sha256 != expected.sha256:
        raise ModelError(
            f"pretrained model {source}: expected the one that the parser was trained with "
            f"(sha256 {expected.sha256[:12]}…), found another (sha256 {identity.sha256[:12]}…)"
        )
    pretrained = PretrainedModel(model, tokenizer, identity, config, source)
    _check_context(pretrained)
    if not config.fine_tune:
        _drop_unused_layers(pretrained)
    elif not config.fine_tune_table:
        input_table(model).requires_grad_(False)
    return pretrained


def new_pretrained(folder: Path, config: PretrainedConfig, identity: PretrainedIdentity) -> PretrainedModel:
    """A pretrained model with the shape and tokeniser of a folder; its weights are loaded later.

    A BERT is our own `Bert`, which does not need `transformers` and cannot be trained.
    """
    if (plain := read_bert(folder)) is not None:
        settings, pieces = plain
        with torch.device("meta"):  # the weights are about to be replaced
            bert = Bert(settings).eval()
        return PretrainedModel(bert, SubwordTokenizer(pieces, str(folder)), identity, config, os.path.abspath(folder))
    transformers = _transformers(identity.name)
    with _one_line(str(folder)), _quiet(transformers):
        settings = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, **_SAFE)
        model = _bare(transformers.AutoModel.from_config(settings, **_SAFE))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, **_SAFE)
    return PretrainedModel(model.float(), SubwordTokenizer(tokenizer, str(folder)), identity, config, str(folder))


def bundle_pretrained(pretrained: PretrainedModel, folder: Path) -> None:
    """Write a pretrained model and its tokeniser to a folder.

    It is read from its source again, because layers that the parser does not use were dropped.
    """
    transformers = _transformers(pretrained.identity.name)
    with _one_line(pretrained.source), _quiet(transformers):
        model, _, tokenizer = _read(transformers, pretrained.source, offline=True)
    with writing_pretrained(folder):
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def save_architecture(pretrained: PretrainedModel, folder: Path) -> None:
    """Write what `new_pretrained` reads."""
    if isinstance(pretrained.model, Bert):
        copy_bert(Path(pretrained.source), folder)
        return
    with writing_pretrained(folder):
        pretrained.model.config.save_pretrained(folder)  # type: ignore[union-attr, operator]
        pretrained.tokenizer.tokenizer.save_pretrained(folder)


def input_table(model: Any) -> nn.Parameter:
    """The vectors of the sub-words."""
    table: nn.Parameter = model.get_input_embeddings().weight
    return table


@contextmanager
def writing_pretrained(folder: Path) -> Iterator[None]:
    """Make a folder for a pretrained model; what goes wrong while it is written is an error of one line."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with _quiet(_transformers(str(folder))):
            yield


def _arrays(model: nn.Module) -> dict[str, NDArray[np.float32]]:
    return {name: tensor.detach().cpu().float().numpy() for name, tensor in model.state_dict().items()}


def _transformers(name: str) -> Any:
    try:
        import transformers
    except ImportError:
        raise MissingExtraError(f"the pretrained model {name}", "bert") from None
    return transformers


def _open(source: str, name: str) -> tuple[nn.Module, SubwordTokenizer]:
    transformers = _transformers(name)
    if not os.path.isdir(source) and (os.path.isabs(source) or source.startswith((".", "~")) or source.count("/") > 1):
        raise ModelError(
            f"pretrained model {source}: no such folder; put one of its name into a folder of ${PRETRAINED_VARIABLE}"
        )
    with _one_line(source), _quiet(transformers):
        try:
            model, loading, tokenizer = _read(transformers, source, offline=True)
        except OSError:
            if os.path.isdir(source):
                raise
            model, loading, tokenizer = _read(transformers, source, offline=False)
        model = _bare(model)
    if missing := sorted(set(loading["missing_keys"]) & set(model.state_dict())):
        raise ModelError(f"pretrained model {source}: the weights lack {missing[0]} and {len(missing) - 1} more")
    known = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > known:
        raise ModelError(
            f"pretrained model {source}: expected a tokeniser of up to {known:,} sub-words, "
            f"found one of {len(tokenizer):,}"
        )
    return model.eval(), SubwordTokenizer(tokenizer, name)


def _read(transformers: Any, source: str, *, offline: bool) -> tuple[Any, Any, Any]:
    """Model, what was amiss with its weights, and tokeniser; what cannot be had offline is then an `OSError`."""
    place = {"pretrained_model_name_or_path": source, "local_files_only": offline, **_SAFE}
    transformers.AutoConfig.from_pretrained(**place)  # its message is the clearest if nothing is there
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
    except Exception as error:  # of many kinds, depending on the tokeniser that is not there
        if offline and not os.path.isdir(source):
            raise OSError(_first_line(error)) from error
        raise ModelError(
            f"pretrained model {source}: expected a tokeniser, found none ({_first_line(error)})"
        ) from error
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):  # made up where a folder has none
        raise ModelError(f"pretrained model {source}: expected a tokeniser, found none (special tokens only)")
    model, loading = transformers.AutoModel.from_pretrained(**place, output_loading_info=True, dtype=torch.float32)
    return model, loading, tokenizer


def _bare(model: Any) -> Any:
    """The part of a model that reads: without a decoder, and without a pooler, which is not used."""
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
    return model


def _size(model: Any, name: str) -> tuple[int, int]:
    n_layers, width = (getattr(model.config, key, None) for key in ("num_hidden_layers", "hidden_size"))
    if not isinstance(n_layers, int) or not isinstance(width, int):
        raise ModelError(f"pretrained model {name}: expected a transformer with layers, found {type(model).__name__}")
    return n_layers, width


@torch.no_grad()
def _check_context(pretrained: PretrainedModel) -> None:
    """Refuse a model that does not look ahead: what follows a word must change its vector."""
    first, second, third = (pretrained.tokenizer([text])[0] for text in ("a", "b", "c"))
    states = [_hidden_states(pretrained, [*first, *end])[-1][0, 0] for end in (second, third)]
    if second != third and torch.equal(*states):
        raise ModelError(
            f"pretrained model {pretrained.identity.name}: expected one that reads a text in both directions, found "
            f"a decoder ({type(pretrained.model).__name__}), which sees only what came before"
        )


@torch.no_grad()
def _drop_unused_layers(pretrained: PretrainedModel) -> None:
    """Remove the layers above the highest one that is used, if the states below are the same without them."""
    top, n_layers = max(pretrained.layers), pretrained.identity.n_layers
    stacks = [each for each in pretrained.model.modules() if isinstance(each, nn.ModuleList) and len(each) == n_layers]
    if len(stacks) != 1 or not 0 < top < n_layers:
        return
    [stack], tokens = stacks, pretrained.tokenizer(["a"])[0]
    before, unused = _hidden_states(pretrained, tokens), list(stack[top:])
    del stack[top:]
    try:
        after = _hidden_states(pretrained, tokens)
        same = all(torch.equal(before[layer], after[layer]) for layer in range(top + 1))
    except (IndexError, RuntimeError, TypeError, ValueError):
        same = False
    if not same:
        stack.extend(unused)


def _hidden_states(pretrained: PretrainedModel, tokens: Sequence[int]) -> Sequence[Tensor]:
    numbers = torch.tensor([list(tokens)])
    output = pretrained.model(input_ids=numbers, attention_mask=torch.ones_like(numbers), output_hidden_states=True)
    states: Sequence[Tensor] = output.hidden_states
    return states


@contextmanager
def _one_line(source: str) -> Iterator[None]:
    """Turn whatever `transformers` and the Hub raise into an error of one line; they name no base class."""
    try:
        yield
    except (ModelError, MissingExtraError):
        raise
    except Exception as error:
        raise ModelError(f"pretrained model {source}: cannot be loaded: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Keep `transformers` from bars and advice while it loads, and leave its settings as they were."""
    logging = transformers.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
