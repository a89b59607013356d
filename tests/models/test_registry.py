"""Finding models by name: what is looked at first, what is refused, and what the messages say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pointree
from pointree.errors import ModelError
from pointree.models import registry as models
from pointree.models.registry import available_models, resolve_model

from ..helpers import tiny_parser

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(pointree.__file__).parents[1])}


def make_model(folder: Path) -> Path:
    """A folder that looks like a model to everything but `load`."""
    folder.mkdir(parents=True)
    (folder / "pointree.json").write_text('{"format": 1}')
    return folder


def install(site: Path, name: str, package: str) -> Path:
    """What pip leaves of a wheel with a model, in a folder of packages."""
    info = site / f"{package}-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[pointree.models]\n{name} = {package}\n")
    folder = make_model(site / package)
    (folder / "__init__.py").write_text("raise RuntimeError('imported')\n")
    return folder


@pytest.fixture(autouse=True)
def nothing_but_what_the_test_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither models of this machine nor those of the package are seen, and the working folder is empty."""
    monkeypatch.delenv(models.MODELS_VARIABLE, raising=False)
    monkeypatch.setattr(models, "_BUNDLED", tmp_path / "bundled")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of installed packages."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return tmp_path / "site"


def test_folder_then_variable_then_bundled_then_installed(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = install(site, "en", "some_model")
    assert resolve_model("en") == installed
    bundled = make_model(tmp_path / "bundled" / "en")
    assert resolve_model("en") == bundled
    second, first = make_model(tmp_path / "b" / "en"), make_model(tmp_path / "a" / "en")
    monkeypatch.setenv("POINTREE_MODELS", f"{second.parent}")
    assert resolve_model("en") == second
    monkeypatch.setenv("POINTREE_MODELS", os.pathsep.join([str(first.parent), "", str(second.parent)]))
    assert resolve_model("en") == first
    make_model(Path("en"))
    assert resolve_model("en") == Path("en")
    found = [(model.name, model.origin, model.folder) for model in available_models()]
    assert found == [
        ("en", "folder", first),
        ("en", "folder", second),
        ("en", "bundled", bundled),
        ("en", "installed", installed),
    ]


def test_an_installed_model_is_found_without_importing_it(site: Path) -> None:
    install(site, "legal", "pointree_model_legal")
    [model] = available_models()
    assert (model.name, model.source) == ("legal", "pointree_model_legal 2.0")
    assert "pointree_model_legal" not in sys.modules


def test_an_entry_point_that_leads_nowhere_is_passed_over(site: Path) -> None:
    folder = install(site, "broken", "broken_model")
    (folder / "pointree.json").unlink()
    install(site, "gone", "gone_model")
    (site / "gone_model-2.0.dist-info" / "entry_points.txt").write_text(
        "[pointree.models]\ngone = no_such.package\nodd = .x\n"
    )
    assert list(available_models()) == []


def test_two_packages_with_one_model_are_told(site: Path, tmp_path: Path) -> None:
    install(site, "sv", "one_model")
    install(site, "sv", "other_model")
    with pytest.raises(
        ModelError, match=r"^model sv: expected one package .*, found one_model 2.0 and other_model 2.0;"
    ):
        resolve_model("sv")
    bundled = make_model(tmp_path / "bundled" / "sv")
    assert resolve_model("sv") == bundled


def test_a_folder_of_the_same_name_that_is_no_model_hides_none(tmp_path: Path) -> None:
    Path("en").mkdir()
    bundled = make_model(tmp_path / "bundled" / "en")
    assert resolve_model("en") == bundled
    # A path is a path; loading it says what it lacks.
    assert [resolve_model(path) for path in ("./en", ".", "..")] == [Path("en"), Path(), Path("..")]
    Path("de").mkdir()
    with pytest.raises(ModelError, match=r"^de: not a model folder, pointree\.json is missing, and no model has"):
        resolve_model("de")


def test_a_path_object_is_always_a_folder(tmp_path: Path) -> None:
    make_model(tmp_path / "bundled" / "en")
    for path in (Path("en"), Path("org/name")):
        with pytest.raises(ModelError, match=f"^{path}: no such model folder$"):
            resolve_model(path)


@pytest.mark.parametrize(
    "text",
    ["../en", "/en", "en/", "a/b/c", "../../etc", "~x", "-a/b", "a/..", "a--b/c", "a/b.", "a/b@../c", "a/b\0"],
)
def test_paths_never_reach_names_or_the_hub(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(*args: object) -> None:
        raise AssertionError(f"asked for {args}")

    monkeypatch.setattr(models, "download_model", download)
    make_model(tmp_path / "bundled" / "en")
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path / "bundled"))
    with pytest.raises(ModelError, match=r": no such model folder$"):
        resolve_model(text)


@pytest.mark.parametrize("text", ["x" * 5000, "en@1", "e n", "\0", "C:\\en"])
def test_odd_names_are_one_clear_line(text: str) -> None:
    with pytest.raises(ModelError, match="is unknown"):
        resolve_model(text)


def test_an_unknown_name_lists_what_there_is(tmp_path: Path, site: Path) -> None:
    with pytest.raises(ModelError, match=r"^model ne is unknown; available: none; ") as caught:
        resolve_model("ne")
    for way in ("pointree train", "Hugging Face Hub id such as org/name", "pip install", "$POINTREE_MODELS"):
        assert way in str(caught.value)
    make_model(tmp_path / "bundled" / "en")
    install(site, "legal", "pointree_model_legal")
    with pytest.raises(ModelError, match=r"^model ne is unknown; available: en, legal; "):
        resolve_model("ne")
    with pytest.raises(ModelError, match="found an empty string"):
        resolve_model("")


def test_folders_in_the_variable_that_are_not_there_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POINTREE_MODELS", f"/nowhere{os.pathsep}{__file__}")
    assert list(available_models()) == []


def test_load_takes_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_parser().save(tmp_path / "team" / "tiny")
    monkeypatch.setenv("POINTREE_MODELS", str(tmp_path / "team"))
    parser = pointree.load("tiny", precision="fp32")
    assert parser.name == "tiny"
    assert len(parser.parse([["ta", "tok"]])[0]) == 2
    with pytest.raises(ModelError, match="model tinny is unknown"):
        pointree.load("tinny")


def test_finding_models_needs_no_torch() -> None:
    code = (
        "import sys, pointree.models.registry as m\n"
        "list(m.available_models())\nprint({'torch', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_auto_is_no_model_and_the_message_says_where_it_is_one() -> None:
    with pytest.raises(
        ModelError, match=r"^model auto: only `pointree parse` and `parse_files` choose .* one of: none$"
    ):
        resolve_model("auto")
