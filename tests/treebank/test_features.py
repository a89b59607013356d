"""Features by name: reading, changing and removing them, and what the column has afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointree.errors import UsageError
from pointree.treebank.features import read_attributes
from pointree.treebank.sentence import Token

NAMES = st.text("abAB[]", min_size=1, max_size=4)


def test_features_are_read_by_name() -> None:
    token = Token("1", "gatas", feats="Gender=Fem,Masc|Number=Plur")
    assert token.features["Number"] == "Plur"
    assert token.features.get("Case") is None
    assert token.features.all_values("Gender") == ("Fem", "Masc")
    assert token.features.all_values("Case") == ()
    assert dict(token.features) == {"Gender": "Fem,Masc", "Number": "Plur"}
    assert len(Token("1", "x").features) == 0
    with pytest.raises(KeyError, match="Case"):
        token.features["Case"]


def test_a_change_reaches_the_column_in_the_order_of_ud() -> None:
    token = Token("1", "x")
    token.features["VerbForm"] = "Fin"
    token.features["aspect"] = "Imp"
    token.features["Mood"] = "Ind"
    assert token.feats == "aspect=Imp|Mood=Ind|VerbForm=Fin"
    del token.features["Mood"]
    del token.features["aspect"]
    assert token.feats == "VerbForm=Fin"
    token.features.clear()
    assert token.feats == "_"


@pytest.mark.parametrize(("name", "value"), [("", "x"), ("Case", ""), ("Case", "A|B"), ("A=B", "C"), ("Case", "a\tb")])
def test_what_the_column_cannot_hold_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError, match="expected text without white space"):
        Token("1", "x").features[name] = value


@given(st.dictionaries(NAMES, NAMES))
def test_what_is_written_is_read(features: dict[str, str]) -> None:
    token = Token("1", "x")
    token.features.update(features)
    assert dict(token.features) == features


def test_odd_columns() -> None:
    assert read_attributes("Bare|A=1|A=2|B=") == {"Bare": None, "A": "1,2", "B": ""}
    assert Token("1", "x", feats="Bare").features["Bare"] == ""
