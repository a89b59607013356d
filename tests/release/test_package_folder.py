"""The pyproject.toml of a model folder."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pointree.models.folder import write_card
from pointree.models.registry import resolve_model
from pointree.release.package_folder import PROJECT, packaged_size, write_project

from ..helpers import tiny_parser


def test_the_project_lists_the_files_of_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "sv"
    tiny_parser().save(folder)
    (folder / "LICENSE").write_text("all of it")
    (folder / "checkpoint.safetensors").write_text("not of the model")
    write_card(folder, "LAS 80.00 on test.\n")
    write_project(folder, name="sv", version="1.2.0", language="Swedish", licence="CC BY-SA 4.0")
    project = tomllib.loads((folder / PROJECT).read_text())
    assert project["project"]["name"] == "pointree-model-sv"
    assert project["project"]["license"] == "CC-BY-SA-4.0"
    assert project["project"]["license-files"] == ["LICENSE"]
    assert project["project"]["entry-points"] == {"pointree.models": {"sv": "pointree_model_sv"}}
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["sources"] == {"": "pointree_model_sv"}
    assert {"LICENSE", "README.md", "config.toml", "weights.safetensors"} <= set(wheel["only-include"])
    assert not {PROJECT, "checkpoint.safetensors"} & set(wheel["only-include"])
    assert packaged_size(folder) == sum((folder / file).stat().st_size for file in wheel["only-include"])
    assert resolve_model(str(folder)) == folder
