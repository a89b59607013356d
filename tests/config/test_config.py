"""The configuration: defaults, sources, round trips, and every kind of fault."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointree.config import FUSIONS, PRESETS, Config, DecoderConfig, PretrainedConfig, defaults, describe, load_config
from pointree.errors import ConfigError, InputError
from pointree.transitions import ORDERS


def faults_of(*overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load_config(None, overrides)
    return [fault.removeprefix("settings: ") for fault in caught.value.faults]


def test_defaults_are_the_papers() -> None:
    config = Config()
    assert (config.encoder.size, config.encoder.layers, config.decoder.size) == (512, 3, 512)
    assert (config.scorers.arc_size, config.scorers.label_size) == (512, 128)
    assert (config.embeddings.char_filters, config.embeddings.char_window) == (50, 3)
    training = config.training
    assert (training.learning_rate, training.beta1, training.beta2, training.epsilon) == (
        1e-3,
        0.9,
        0.9,
        1e-4,
    )
    assert (training.decay, training.patience, training.clip, training.schedule) == (0.75, 20, 5.0, "plateau")
    exactly = {"training.batching=sentences", "selection.metric=las_subtypes"}
    assert load_config(None, preset="paper") == load_config(None, sorted(exactly))
    assert config.decoder.fuse_cell, "the authors' reading; hidden states only is the other one"


def test_fusions_are_those_of_the_orders() -> None:
    assert {name: tuple(order.fusions) for name, order in ORDERS.items()} == FUSIONS


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_valid(preset: str) -> None:
    assert load_config(None, preset=preset) == Config.from_dict(PRESETS[preset])


def test_overrides_win_over_the_file_and_the_file_over_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('[decoder]\norder = "outside-in"\nfusion = "full"\n[encoder]\nsize = 64\n')
    config = load_config(path, ["decoder.order=right-to-left", "decoder.fusion=none", "training.epochs = 3"])
    assert config.decoder == DecoderConfig(order="right-to-left", fusion="none")
    assert (config.encoder.size, config.training.epochs) == (64, 3)


@pytest.mark.parametrize("text", ["training.precision=bf16", 'training.precision="bf16"', "training.precision = bf16"])
def test_names_in_overrides_need_no_quotes(text: str) -> None:
    assert load_config(None, [text]).training.precision == "bf16"


def test_a_whole_number_is_a_number() -> None:
    clip = load_config(None, ["training.clip=5"]).training.clip
    assert isinstance(clip, float)
    assert clip == 5.0


def options() -> st.SearchStrategy[dict[str, dict[str, object]]]:
    numbers = st.integers(1, 2000)
    shares = st.floats(0, 1, exclude_max=True)
    positive = st.floats(0, 1e3, exclude_min=True, allow_subnormal=True)
    decoder = st.sampled_from([(order, fusion) for order, fusions in FUSIONS.items() for fusion in fusions])
    return st.fixed_dictionaries(
        {
            "embeddings": st.fixed_dictionaries({"word_size": numbers, "dropout": shares}),
            "encoder": st.fixed_dictionaries({"size": numbers, "layers": numbers}),
            "decoder": decoder.map(lambda pair: {"order": pair[0], "fusion": pair[1]}),
            "training": st.fixed_dictionaries({"learning_rate": positive, "epsilon": positive, "beta2": shares}),
        }
    )


@settings(max_examples=30)
@given(options())
def test_round_trip_through_toml_and_dict(values: dict[str, dict[str, object]]) -> None:
    config = Config.from_dict(values)
    assert Config.from_dict(tomllib.loads(config.to_toml())) == config
    assert Config.from_dict(config.to_dict()) == config


def test_every_option_is_described() -> None:
    assert list(defaults()) == [setting.name for setting in describe()]
    pretrained = {f"embeddings.pretrained.{key}": value for key, value in asdict(PretrainedConfig()).items()}
    pretrained["embeddings.pretrained.layers"] = list(PretrainedConfig().layers)
    assert defaults() == pretrained | {
        f"{section}.{key}": value for section, values in Config().to_dict().items() for key, value in values.items()
    }
    assert all(setting.help.endswith(".") and setting.expectation for setting in describe())


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text('[encoder]\nsize = "big"\n[trainning]\nepochs = 1\n')
    with pytest.raises(ConfigError) as caught:
        load_config(path, ["decoder.ordr=up", "decoder.fusion=full", "nonsense"], preset="papr")
    assert caught.value.faults == (
        "preset papr is unknown; did you mean paper?",
        'settings: an override must be section.field=value, found "nonsense"',
        f'{path}: encoder.size must be a whole number >= 1, found "big"',
        f"{path}: section trainning is unknown; did you mean training?",
        "settings: decoder.ordr is unknown; did you mean decoder.order?",
        'settings: decoder.fusion must be one of none, simple, adapted for the order left-to-right, found "full"',
    )
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("override", "fault"),
    [
        (
            "decoder.order=up",
            'decoder.order must be one of left-to-right, right-to-left, outside-in, top-down, combined, found "up"',
        ),
        ("decoder.gate=gate3", 'decoder.gate must be one of gate1, gate2, found "gate3"'),
        (
            "decoder.fusion=fuller",
            'decoder.fusion must be one of none, simple, adapted, full, parent, parent-sibling, found "fuller"',
        ),
        ("encoder.size=true", "encoder.size must be a whole number >= 1, found true"),
        ("encoder.size=1.0", "encoder.size must be a whole number >= 1, found 1.0"),
        ("encoder.size=0", "encoder.size must be a whole number >= 1, found 0"),
        ("embeddings.word_size=-1", "embeddings.word_size must be a whole number >= 0, found -1"),
        ("embeddings.char_window=4", "embeddings.char_window must be an odd whole number >= 1, found 4"),
        ("embeddings.dropout=1", "embeddings.dropout must be a number >= 0 and < 1, found 1"),
        ("training.rest=0.5", "training.rest was removed in 0.2, found 0.5"),
        ("training.restarts=[36]", "training.restarts was removed in 0.2, found [36]"),
        ("embeddings.tag=3", "embeddings.tag must be one of upos, xpos, none, found 3"),
        ("training.learning_rate=nan", "training.learning_rate must be a number > 0, found nan"),
        ("training.learning_rate=inf", "training.learning_rate must be a number > 0, found inf"),
        ("training.clip=" + "9" * 400, "training.clip must be a number >= 0, found " + "9" * 400),
        ("training.seed=", 'training.seed must be a whole number >= 0 and < 4294967296, found ""'),
        (
            "embeddings.pretrained.layers=12",
            "embeddings.pretrained.layers must be a list of whole numbers, found 12",
        ),
        (
            'embeddings.pretrained.layers=[1, "2"]',
            'embeddings.pretrained.layers must be a list of whole numbers, found [1, "2"]',
        ),
        ("embeddings.pretrained.layers=[]", "embeddings.pretrained.layers must be a list of whole numbers, found []"),
        ("embeddings.pretrained.model=3", "embeddings.pretrained.model must be a text, found 3"),
        ("embeddings.pretrained.fine_tune=1", "embeddings.pretrained.fine_tune must be true or false, found 1"),
        (
            "embeddings.pretrained.subwords=all",
            'embeddings.pretrained.subwords must be one of mean, first, last, found "all"',
        ),
        (
            "embeddings.pretrained.modle=x",
            "embeddings.pretrained.modle is unknown; did you mean embeddings.pretrained.model?",
        ),
        ("embeddings.pretrained=x", 'embeddings.pretrained must be a section of fields, found "x"'),
        ("pretrained.model=x", "section pretrained is unknown; did you mean embeddings.pretrained?"),
        ("encoder.order=x", "encoder.order is unknown; did you mean decoder.order?"),
        ("scorers.bogus=x", "scorers.bogus is unknown; known are arc_size, label_size, dropout"),
        ("scorers.epochs=1", "scorers.epochs is unknown; did you mean segmenter.epochs or training.epochs?"),
        (
            "zzz.x=1",
            "section zzz is unknown; known are embeddings, encoder, decoder, scorers, heads, segmenter, training, "
            "selection",
        ),
    ],
)
def test_faults_name_the_field_the_expectation_and_the_value(override: str, fault: str) -> None:
    assert faults_of(override) == [fault]


def test_a_text_that_smuggles_in_a_second_key_is_a_bare_text() -> None:
    assert faults_of('decoder.gate="gate1"\nx = 2') == [
        'decoder.gate must be one of gate1, gate2, found "\\"gate1\\"\\nx = 2"'
    ]


def test_a_faulty_order_does_not_also_blame_the_fusion() -> None:
    assert len(faults_of("decoder.order=outside", "decoder.fusion=full")) == 1


def test_something_must_be_embedded() -> None:
    off = ["embeddings.word_size=0", "embeddings.char_filters=0", "embeddings.tag=none"]
    [fault] = faults_of(*off)
    assert fault.startswith("embeddings must have at least one of words, characters and tags")
    for kept in range(3):
        load_config(None, off[:kept] + off[kept + 1 :])


@pytest.mark.parametrize("rise", ["dropout_rise", "embedding_dropout_rise"])
def test_dropout_has_risen_before_the_last_epoch(rise: str) -> None:
    assert faults_of("training.epochs=3", f"training.{rise}=3") == [
        f"training.{rise} must be less than training.epochs = 3, found 3"
    ]
    assert getattr(load_config(None, ["training.epochs=3", f"training.{rise}=2"]).training, rise) == 2
    assert getattr(load_config(None, ["training.epochs=1"]).training, rise) == 0


CONTEXTUAL = ["embeddings.pretrained.model=encoders/bert", "embeddings.pretrained.layers=[17, 18]"]


def test_contextual_embeddings_are_a_section_within_another(tmp_path: Path) -> None:
    config = load_config(None, [*CONTEXTUAL, "embeddings.pretrained.fine_tune=true", "embeddings.word_size=7"])
    assert config.embeddings.word_size == 7
    assert config.embeddings.pretrained == PretrainedConfig(model="encoders/bert", layers=(17, 18), fine_tune=True)
    (tmp_path / "run.toml").write_text(config.to_toml())
    assert load_config(tmp_path / "run.toml") == config
    assert Config.from_dict(config.to_dict()) == config
    assert "[embeddings.pretrained]\n" in config.to_toml()


def test_contextual_embeddings_that_are_off_are_not_written() -> None:
    """Neither files nor checkpoints differ from those of the versions before."""
    assert "pretrained" not in Config().to_toml()
    assert "pretrained" not in Config().to_dict()["embeddings"]


def test_contextual_embeddings_may_be_the_only_ones() -> None:
    off = ["embeddings.word_size=0", "embeddings.char_filters=0", "embeddings.tag=none"]
    assert load_config(None, [*off, *CONTEXTUAL]).embeddings.pretrained.model == "encoders/bert"
    assert faults_of(*off, "embeddings.pretrained.model=[1]") == [
        "embeddings.pretrained.model must be a text, found [1]"
    ]


def test_a_section_must_be_a_table() -> None:
    with pytest.raises(ConfigError, match=r"^decoder must be a section of fields, found 3$"):
        Config.from_dict({"decoder": 3})


def test_sections_are_checked_however_they_are_made() -> None:
    with pytest.raises(ConfigError, match=r"decoder\.fusion must be one of none, simple, full for the order"):
        dataclasses.replace(DecoderConfig(order="outside-in"), fusion="adapted")
    with pytest.raises(ConfigError, match=r"decoder\.size must be"):
        DecoderConfig(size=0)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"[decoder]\norder left\n", ":2: malformed TOML: "),
        (b"[decoder]\nsize = 1\nsize = 2\n", ":3: malformed TOML: "),
        (b'[decoder]\n\norder = """left', ":3: malformed TOML: "),
        (b'[decoder]\norder = "\xff"\n', ":2: expected UTF-8, found byte 0xff"),
    ],
)
def test_malformed_toml_names_file_and_line(tmp_path: Path, content: bytes, place: str) -> None:
    path = tmp_path / "run.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value).startswith(f"{path}{place}")


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: no such file"):
        load_config(tmp_path / "none.toml")
    with pytest.raises(InputError, match=r"cannot be read: Is a directory"):
        load_config(tmp_path)


def test_settings_may_be_a_mapping() -> None:
    expected = load_config(None, ["training.epochs=3", "embeddings.pretrained.model=x", "decoder.size=8"])
    mapping = {"training.epochs": 3, "embeddings.pretrained": {"model": "x"}, "decoder": {"size": 8}}
    assert load_config(None, mapping) == expected
    with pytest.raises(ConfigError, match=r"^settings: decoder.sise is unknown; did you mean decoder.size\?$"):
        load_config(None, {"decoder.sise": 3})


def test_a_whole_configuration_may_be_the_start() -> None:
    start = load_config(None, ["training.epochs=3", "decoder.size=8"])
    assert load_config(start, ["training.epochs=4"]) == load_config(None, ["training.epochs=4", "decoder.size=8"])
    assert load_config(None, ["training.epochs=4"], base=start) == load_config(start, ["training.epochs=4"])


def test_settings_have_the_values_of_a_configuration() -> None:
    values = {setting.name: setting for setting in describe(load_config(None, [*CONTEXTUAL], preset="quick"))}
    assert (values["encoder.size"].value, values["encoder.size"].default) == (256, 512)
    assert values["embeddings.pretrained.layers"].value == (17, 18)
    assert values["decoder.gate"].value == values["decoder.gate"].default == "gate1"


@pytest.mark.parametrize(
    ("order", "fusion", "possible"),
    [
        ("top-down", "simple", "none, parent, parent-sibling"),
        ("top-down", "full", "none, parent, parent-sibling"),
        ("left-to-right", "parent", "none, simple, adapted"),
        ("combined", "parent-sibling", "none, simple"),
    ],
)
def test_top_down_and_bottom_up_fusions_do_not_mix(order: str, fusion: str, possible: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.from_dict({"decoder": {"order": order, "fusion": fusion}})
    expected = f'decoder.fusion must be one of {possible} for the order {order}, found "{fusion}"'
    assert expected in str(caught.value)
