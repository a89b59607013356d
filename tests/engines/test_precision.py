"""The choice of arithmetic. Products in bfloat16 run in processes of their own: some machines die of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from pointree.engines import precision
from pointree.engines.precision import bf16_is_fast, resolve_precision
from pointree.errors import UsageError

from ..helpers import ewt_sentences, trained_parser

CPU = torch.device("cpu")
SOURCES = Path(precision.__file__).resolve().parents[2]


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What was found out about this machine is forgotten before and after a test that pretends another."""
    caches = (precision.bf16_is_fast, precision._make_bf16_safe)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def pretend(monkeypatch: pytest.MonkeyPatch, *, amx: bool, survives: list[bool]) -> None:
    """Stand in for the machine: whether it announces matrix units, and how each try of a product ends."""
    tries = iter(survives)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    monkeypatch.setattr(precision, "_survives_bf16", lambda: next(tries))


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^precision must be one of auto, fp32, bf16, found fp16$"):
        resolve_precision("fp16", CPU)


def test_fp32_asks_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch, forgetful: None) -> None:
    pretend(monkeypatch, amx=True, survives=[])
    assert resolve_precision("fp32", CPU) is torch.float32


@pytest.mark.parametrize(
    ("amx", "survives", "expected"),
    [(True, [True], torch.bfloat16), (True, [False], torch.float32), (False, [], torch.float32)],
    ids=["working matrix units", "broken ones", "none"],
)
def test_auto_is_bfloat16_where_it_is_safe_and_fast(
    monkeypatch: pytest.MonkeyPatch, forgetful: None, amx: bool, survives: list[bool], expected: torch.dtype
) -> None:
    pretend(monkeypatch, amx=amx, survives=survives)
    assert resolve_precision("auto", CPU) is expected
    assert resolve_precision("auto", CPU) is expected, "the machine is asked once"


def test_broken_matrix_units_are_left_alone(monkeypatch: pytest.MonkeyPatch, forgetful: None) -> None:
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    pretend(monkeypatch, amx=True, survives=[False, True])
    assert resolve_precision("bf16", CPU) is torch.bfloat16
    assert os.environ.pop("ONEDNN_MAX_CPU_ISA") == "AVX512_CORE_BF16"


def test_bfloat16_that_cannot_be_saved_is_refused_with_a_way_out(
    monkeypatch: pytest.MonkeyPatch, forgetful: None
) -> None:
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "ALL")
    pretend(monkeypatch, amx=True, survives=[False, False])
    with pytest.raises(UsageError) as caught:
        resolve_precision("bf16", CPU)
    assert str(caught.value) == (
        "precision bf16: bfloat16 products fail in this process; use fp32, or start again with "
        "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment"
    )


def test_a_device_without_bfloat16_is_named() -> None:
    with pytest.raises(UsageError, match=r"^precision bf16: the device mps has no bfloat16 arithmetic; use fp32$"):
        resolve_precision("bf16", torch.device("mps"))
    assert resolve_precision("auto", torch.device("mps")) is torch.float32


def test_the_machine_is_asked_without_harm() -> None:
    assert bf16_is_fast() in (True, False)


SCRIPT = """
import faulthandler, json, sys
import torch
from pointree.parser import load
from pointree.treebank.conllu import read_conllu

faulthandler.enable()
torch.set_num_threads(1)
folder, treebank = sys.argv[1:]
sentences = list(read_conllu(treebank))
found = {}
for precision in ("bf16", "fp32"):
    parser = load(folder, precision=precision)
    found["dtype " + precision] = str(parser.network.decoder.recurrent_weight.dtype)
    for beam in (1, 4):
        parsed = parser.parse(sentences, beam=beam)
        found[f"{precision} {beam}"] = [[s.heads, s.deprels] for s in parsed]
        (again,) = parser.parse(sentences[:1], beam=beam, probabilities=True)
        found[f"misc {precision}"] = again.words[0].misc
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def parsed_in_both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process of its own made of the fixture's sentences in bfloat16, and then in 32 bits."""
    folder = tmp_path_factory.mktemp("model")
    trained_parser().save(folder)
    treebank = Path(__file__).resolve().parents[1] / "fixtures" / "ewt.conllu"
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(treebank)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode and "bfloat16 products fail" in done.stderr:
        pytest.skip("this machine cannot multiply in bfloat16")
    assert done.returncode == 0, done.stderr
    assert "Fatal Python error" not in done.stderr, "trying bfloat16 makes no noise"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_bfloat16_parses_nearly_as_32_bits_do(parsed_in_both: dict[str, Any]) -> None:
    assert parsed_in_both["dtype bf16"] == "torch.bfloat16"
    assert parsed_in_both["dtype fp32"] == "torch.float32"
    known = {tuple(sentence.forms) for sentence in sorted(ewt_sentences(), key=len)[:20]}
    for beam in (1, 4):
        same = words = 0
        for sentence, coarse, fine in zip(
            ewt_sentences(), parsed_in_both[f"bf16 {beam}"], parsed_in_both[f"fp32 {beam}"], strict=True
        ):
            if tuple(sentence.forms) in known:
                assert coarse == fine, "what was learned by heart is certain"
            words += len(sentence)
            same += sum(one == other for one, other in zip(coarse[0], fine[0], strict=True))
        assert same / words > 0.95
    assert "HeadProb=" in parsed_in_both["misc bf16"]


@pytest.mark.slow
def test_32_bits_in_another_process_are_those_of_this_one(parsed_in_both: dict[str, Any]) -> None:
    parsed = trained_parser().parse(ewt_sentences())
    assert [[sentence.heads, sentence.deprels] for sentence in parsed] == parsed_in_both["fp32 1"]
