"""Settings of earlier versions: renamed ones are understood, removed ones told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointree.config import Config, describe, load_config
from pointree.config.old_settings import REMOVED_SETTINGS, RENAMED_SECTIONS, upgrade
from pointree.errors import ConfigError

OLD = """[embeddings.contextual]
model = "bert"
[training]
epochs = 7
rest = 0.0
restarts = []
embedding_dropout_stage = 1
"""
NOTICES = [
    "training.embedding_dropout_stage is gone and was at its default; ignored",
    "training.rest is gone and was at its default; ignored",
    "training.restarts is gone and was at its default; ignored",
    "embeddings.contextual is now called embeddings.pretrained",
]


def test_what_is_old_is_not_known_any_more() -> None:
    names = {setting.name for setting in describe()}
    assert names.isdisjoint(REMOVED_SETTINGS)
    assert not [name for name in names for old in RENAMED_SECTIONS if name.startswith(old)]


def test_a_file_of_0_1_is_read_with_a_notice_for_each_old_setting(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(OLD)
    notices: list[str] = []
    config = load_config(path, on_notice=notices.append)
    assert (config.embeddings.pretrained.model, config.training.epochs) == ("bert", 7)
    assert notices == [f"{path}: {notice}" for notice in NOTICES]


def test_several_roots_are_now_no_single_root() -> None:
    notices: list[str] = []
    assert not load_config(None, ["selection.multi_root=true"], on_notice=notices.append).selection.single_root
    assert notices == ["settings: selection.multi_root = true is now selection.single_root = false"]
    assert load_config(None, ["selection.multi_root=false"]).selection.single_root


@pytest.mark.parametrize("setting", ["training.rest=0", "training.restarts=[]", "embeddings.contextual.layers=[1]"])
def test_an_old_setting_of_the_command_line_has_one_notice(setting: str) -> None:
    notices: list[str] = []
    load_config(None, [setting], on_notice=notices.append)
    assert len(notices) == 1
    assert notices[0].startswith("settings: ")


@pytest.mark.parametrize("value", ["rest = 0.5", "restarts = [36]", "embedding_dropout_stage = 9", "rest = false"])
def test_a_removed_setting_with_another_value_is_a_fault_but_in_a_model(tmp_path: Path, value: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[training]\nepochs = 40\n{value}\n")
    name, _, found = value.partition(" = ")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == f"{path}: training.{name} was removed in 0.2, found {found}"
    assert load_config(path, allow_removed=True).training.epochs == 40


def test_what_is_of_today_stays_as_it_is() -> None:
    settings = Config().to_dict()
    upgraded = upgrade(settings)
    assert (upgraded.settings, upgraded.removed, upgraded.notices, upgraded.faults) == (settings, {}, [], [])
    assert upgrade({"training": 3}).settings == {"training": 3}


def test_the_joint_tagger_is_now_a_head() -> None:
    notices: list[str] = []
    config = load_config(None, ["embeddings.tag=joint"], on_notice=notices.append)
    assert config.embeddings.tag == "none"
    assert config.predicted_columns == ("upos",)
    assert notices == ['settings: embeddings.tag = "joint" is now embeddings.tag = "none" and heads.upos = true']
