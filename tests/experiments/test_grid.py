"""Reading grids, and all their faults at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pointree.config import SelectionConfig
from pointree.errors import ConfigError, InputError
from pointree.experiments.cell import EnsembleCell, Search, TrainingRun, phases
from pointree.experiments.grid import Grid, load_grid
from pointree.experiments.identity import config_identity
from pointree.experiments.systems import SYSTEMS

from .conftest import GRID

_EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
SHIPPED = sorted(path for path in _EXPERIMENTS.glob("*.toml") if path.stem != "languages")  # a recipe of releases

WriteGrid = Callable[..., Grid]

NO_VECTORS = '[variants.no]\nbase = "l2r-sequential"\nvectors = false\n'


def test_cells_run_seed_by_seed(write_grid: WriteGrid) -> None:
    grid = write_grid()
    assert [cell.name for cell in grid.cells] == [
        "tr.l2r-sequential.seed1",
        "tr.oi-simple-gate1.seed1",
        "tr.l2r-sequential.seed2",
        "tr.oi-simple-gate1.seed2",
    ]
    first, second = grid.cells[:2]
    assert isinstance(first, TrainingRun)
    assert isinstance(second, TrainingRun)
    assert (first.config.decoder.fusion, first.config.training.epochs, first.config.training.seed) == ("none", 3, 1)
    assert (second.config.decoder.order, second.config.decoder.fusion) == ("outside-in", "simple")
    assert all(cell.tested for cell in grid.cells)


def test_settings_are_laid_over_each_other(write_grid: WriteGrid) -> None:
    text = """
preset = "quick"
systems = ["plain", "l2r-simple-gate1"]
tested = ["plain"]
[set.training]
epochs = 5
batch_size = 8
[treebanks.tr]
train = "${DATA}/train.conllu"
dev = "${DATA}/dev.conllu"
test = "${DATA}/test.conllu"
set.training.epochs = 6
[variants.plain]
base = "l2r-simple-gate1"
vectors = false
preset = "paper"
set.embeddings.tag = "xpos"
"""
    plain, usual = write_grid(text).cells
    assert isinstance(plain, TrainingRun)
    assert isinstance(usual, TrainingRun)
    assert (plain.config.training.epochs, plain.config.training.batch_size) == (6, 8)
    assert (plain.config.embeddings.tag, usual.config.embeddings.tag) == ("xpos", "upos")
    assert (plain.config.encoder.size, usual.config.encoder.size) == (512, 256)
    assert (plain.vectors, usual.vectors) == (False, True)
    assert (plain.tested, usual.tested) == (True, False)


def test_the_search_of_a_treebank_is_that_of_the_grid_but_for_what_it_sets(write_grid: WriteGrid) -> None:
    both = '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n'
    run, _other, ensemble = write_grid("beam = 4\nprojective = true\n" + GRID + "single_root = false\n" + both).cells[
        :3
    ]
    assert isinstance(run, TrainingRun)
    search = Search(beam=4, projective=True, single_root=False)
    assert run.search == ensemble.search == search
    assert run.config.selection == SelectionConfig(beam=4, projective=True, single_root=False), (
        "epochs are chosen alike"
    )
    [parse, *_others] = [phase for phase in phases(run) if phase.name == "parse test"]
    assert "--beam 4 --projective --multi-root" in str(parse)
    [parse, *_others] = [phase for phase in phases(ensemble) if phase.name == "parse test"]
    assert "--projective --multi-root" in str(parse)
    assert "--beam" not in str(parse)
    [own, *_others] = write_grid("beam = 4\n" + GRID + "[set.selection]\nbeam = 1\n").cells
    assert isinstance(own, TrainingRun)
    assert (own.search.beam, own.config.selection.beam) == (4, 1)


def test_vectors_may_have_any_width(write_grid: WriteGrid, tmp_path: Path) -> None:
    write_grid()
    (tmp_path / "data" / "v.vec").write_text("1 64\na " + " ".join(["0.5"] * 64) + "\n")
    text = GRID.replace('column = "tr"', 'column = "tr"\nvectors = "${DATA}/v.vec"')
    cells = write_grid(text).cells
    assert isinstance(cells[0], TrainingRun)
    assert cells[0].config.embeddings.word_size == 64
    assert "--set=embeddings.word_size=64" in str(next(iter(phases(cells[0]))))
    [report] = [load_grid(tmp_path / "grid.toml", {}, need_files=False)]
    recorded = config_identity(cells[0])
    assert config_identity(report.cells[0], recorded) == recorded, "a report needs no vectors"  # type: ignore[arg-type]
    plain = write_grid(text.replace("systems = [", 'systems = ["no", ') + NO_VECTORS).cells[0]
    assert isinstance(plain, TrainingRun)
    assert plain.config.embeddings.word_size == 100
    (tmp_path / "data" / "v.vec").write_text("")
    with pytest.raises(ConfigError, match=r"treebanks\.tr\.vectors: the file is empty"):
        write_grid(text)
    (tmp_path / "data" / "v.vec").write_text("\n")
    with pytest.raises(ConfigError, match=r"treebanks\.tr\.vectors: .*: expected word vectors, found a blank line"):
        write_grid(text)


def test_ensembles_follow_their_members(write_grid: WriteGrid) -> None:
    grid = write_grid(GRID + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n')
    both = grid.cells[2]
    assert isinstance(both, EnsembleCell)
    assert both.name == "tr.both.seed1"
    assert both.members == ("tr.l2r-sequential.seed1", "tr.oi-simple-gate1.seed1")


def test_all_faults_at_once(write_grid: WriteGrid) -> None:
    text = """
seeds = [1, 1]
systems = ["l2r-simpel-gate1", "oi-simple-gate1"]
preset = "fast"
papper = "ud"
[set.training]
epocs = 3
[treebanks.a]
train = "${DATA}/none.conllu"
dev = "${NOWHERE}/dev.conllu"
[treebanks.b]
dev = 3
[ensembles.e]
members = ["r2l-simple-gate1"]
"""
    with pytest.raises(ConfigError) as error:
        write_grid(text)
    faults = " | ".join(fault.partition("grid.toml: ")[2] for fault in error.value.faults)
    for expected in (
        "systems: system l2r-simpel-gate1 is unknown; did you mean l2r-simple-gate1?",
        "preset fast is unknown; known are paper, cpu, quick",
        "papper is unknown; did you mean paper?",
        "training.epocs is unknown; did you mean training.epochs?",
        "treebanks.a.train: no such file: ",
        "the environment variable NOWHERE is not set, treebanks.a.dev needs it",
        "treebanks.b.dev must be the name of a file, found 3",
        "treebanks.b: expected a train file, found none",
        "treebanks.a: expected a test file, since oi-simple-gate1 is tested",
        "ensembles.e.members: expected two systems at least, found 1",
        "2 cells have the name a.oi-simple-gate1.seed1",
    ):
        assert expected in faults
    assert len(error.value.faults) == len(set(error.value.faults))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one of systems, found none"),
        ("seeds = []", "expected at least one of seeds, found none"),
        ("metrics = []", "expected at least one of metrics, found none"),
        ('seeds = "1"', "seeds must be a list of whole numbers, found '1'"),
        ("systems = [1]", "systems must be a list of names, found [1]"),
        ('systems = ["l2r-sequential"]', "expected at least one treebank"),
        ("beam = 0", "beam must be at least 1, found 0"),
        ("projective = 1", "projective must be true or false, found 1"),
        (GRID + "single_root = 3\n", "treebanks.tr.single_root must be true or false, found 3"),
        (
            'systems = ["l2r-full-gate1"]',
            "systems: l2r-full-gate1: the fusions of left-to-right are none, simple, adapted, found full",
        ),
        (
            'systems = ["td-parent-gate1", "td-simple-gate1"]',
            "systems: td-simple-gate1: the fusions of top-down are none, parent, parent-sibling, found simple",
        ),
        (
            'systems = ["r2l-parent-sibling-gate2"]',
            "systems: r2l-parent-sibling-gate2: the fusions of right-to-left are none, simple, adapted, "
            "found parent-sibling",
        ),
        (
            '[variants.v]\nbase = "oi-adapted-gate2"',
            "variants.v.base: oi-adapted-gate2: the fusions of outside-in are none, simple, full, found adapted",
        ),
        ('paper = "ptb"', "paper: table ptb is unknown; known are ud, penn, penn-bert"),
        ('[treebanks."a/b"]', "treebanks: a name has letters, digits, _, + and -, found 'a/b'"),
        ("treebanks = 3", "treebanks must be a table, found 3"),
        ('[variants.oi-simple-gate1]\nbase="x"', "variants.oi-simple-gate1 has the name of a system of the paper"),
        ('[variants.v]\nbase="l2r"', "variants.v.base: system l2r is unknown"),
        ("set = 3", "set must be a table, found 3"),
        ('preset = ["cpu"]', "preset must be a text, found ['cpu']"),
        ("[ensembles.e]\ncombine = 3", "ensembles.e.combine is unknown"),
        (GRID.replace("epochs = 3", "epochs = 2020-01-01"), "training.epochs must be"),
        (
            GRID.replace('test = "${DATA}/test.conllu"', "").replace("paper", 'tested = ["both"]\npaper')
            + '[ensembles.both]\nmembers = ["l2r-sequential", "oi-simple-gate1"]\n',
            "treebanks.tr: expected a test file, since both is tested",
        ),
        (
            GRID + '[variants.v]\nbase = "l2r-simple-gate1"\nset.decoder.gate = "gate2"\n',
            "variants.v.set.decoder.gate cannot be set, it follows from the system",
        ),
        (GRID + "set.training.seed = 7\n", "treebanks.tr.set.training.seed cannot be set, it follows from seeds"),
        (GRID + "[set]\ndecoder = 5\n", "set.decoder must be a table, found 5"),
        (
            GRID + '[variants.v]\nbase = "l2r-simple-gate1"\nset.training.epocs = 2\n',
            "training.epocs is unknown; did you mean training.epochs?",
        ),
        (GRID.replace('column = "tr"', 'column = "turkish"'), "treebanks.tr.column: column turkish is unknown"),
        (
            GRID + '[ensembles.e]\nmembers = ["l2r-sequential", "l2r-sequential"]\n',
            "ensembles.e.members: l2r-sequential is there 2 times",
        ),
        (
            GRID.replace('"l2r-sequential"', '"l2r-sequential", "td-stack-pointer"', 1)
            + '[ensembles.e]\nmembers = ["l2r-sequential", "td-stack-pointer"]\n',
            "ensembles.e.members: expected bottom-up systems, found td-stack-pointer, which gives no probability of "
            "every arc",
        ),
        (
            GRID + '[set.embeddings.pretrained]\nmodel = "/nowhere/bert"\n',
            "embeddings.pretrained.model: no such folder: /nowhere/bert",
        ),
    ],
)
def test_single_faults(write_grid: WriteGrid, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        write_grid(text)
    assert message in str(error.value)


def test_an_empty_treebank_is_told_before_anything_trains(write_grid: WriteGrid, tmp_path: Path) -> None:
    write_grid()
    (tmp_path / "data" / "dev.conllu").write_text("")
    with pytest.raises(ConfigError, match=r"treebanks\.tr\.dev: the file is empty: .*dev\.conllu"):
        write_grid()


def test_files_that_are_no_grids(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("seeds = [")
    with pytest.raises(ConfigError, match=r"bad\.toml:1: malformed TOML"):
        load_grid(tmp_path / "bad.toml")
    with pytest.raises(InputError, match="no such file"):
        load_grid(tmp_path / "none.toml")


def test_lists_that_are_nested_deeply_are_told_and_do_not_end_in_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text(f"seeds = {'[' * 2_000}{']' * 2_000}")
    with pytest.raises(ConfigError, match=r"deep\.toml: malformed TOML: lists are nested too deeply"):
        load_grid(tmp_path / "deep.toml")


def test_the_thirteen_systems_of_the_paper_are_there() -> None:
    assert len(SYSTEMS) == 23, "also sequential ones of other orders, three of all orders combined, and five top-down"
    simple = SYSTEMS["r2l-simple-gate2"]
    assert (simple.transition, simple.fusion_name, simple.gate_name) == ("R2L", "r-simple", "GATE2")
    plain = SYSTEMS["l2r-sequential"]
    assert (plain.transition, plain.fusion_name, plain.gate_name) == ("L2R", "-", "-")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_grids_that_ship_have_no_faults(path: Path) -> None:
    grid = load_grid(path, {}, need_files=False)
    for cell in grid.cells:
        if isinstance(cell, TrainingRun) and cell.preset == "paper":
            reported = grid.metrics[-1] if "no_punct.las" in grid.metrics else "las_subtypes"
            selection, search = cell.config.selection, cell.search
            assert (selection.metric, selection.beam) == (reported, search.beam), "epochs are chosen as is reported"
            assert cell.config.training.batching == "sentences"


@pytest.mark.slow
def test_the_grid_of_the_papers_table() -> None:
    [path] = [path for path in SHIPPED if path.stem == "ud"]
    grid = load_grid(path, {}, need_files=False)
    assert (len(grid.treebanks), len(grid.systems), len(grid.seeds)) == (10, 13, 3)
    assert len({cell.system for cell in grid.cells if cell.tested}) == 4


def test_old_settings_of_a_grid_are_told_once_and_left_out(write_grid: WriteGrid, tmp_path: Path) -> None:
    text = GRID.replace("[set.training]", "[set.training]\nrest = 0.0\ntag_weight = 1.0")
    path = write_grid(text).path
    notices: list[str] = []
    grid = load_grid(path, {"DATA": str(tmp_path / "data")}, on_notice=notices.append)
    assert notices == [
        f"{path}: set: training.rest is gone and was at its default; ignored",
        f"{path}: set: training.tag_weight is gone and was at its default; ignored",
    ]
    assert not [phase for cell in grid.cells for phase in phases(cell) if "rest=" in str(phase)]
    with pytest.raises(ConfigError, match=r"grid\.toml: set: training\.rest was removed in 0\.2, found 0\.5$"):
        write_grid(text.replace("rest = 0.0", "rest = 0.5"))
