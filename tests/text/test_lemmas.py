"""Lemma scripts: what they look like, and that they give back the lemma that they were made from."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pointree.text.lemmas import apply_script, derive_script

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=12)


@given(form=WORDS, lemma=WORDS)
@example(form="İstanbul'da", lemma="İstanbul")
@example(form="ẞ", lemma="ß")
@example(form="l0:1", lemma=" r1:1:1:x")
@example(form="=be", lemma="=")
@example(form="x" * 1000, lemma="X" * 1000)
@example(form="x" * 1000, lemma="y" * 1000)
def test_a_script_makes_the_lemma_of_its_form(form: str, lemma: str) -> None:
    assert apply_script(derive_script(form, lemma), form) == lemma


@given(script_form=WORDS, lemma=WORDS, form=WORDS)
def test_a_script_makes_something_of_any_form(script_form: str, lemma: str, form: str) -> None:
    assert apply_script(derive_script(script_form, lemma), form)


@given(script=st.text(min_size=1), form=WORDS)
@example(script="lower r9999999999999:1:1:x", form="a")
@example(script="upside l0:0:0:", form="a")
def test_a_damaged_script_does_no_harm(script: str, form: str) -> None:
    assert isinstance(apply_script(script, form), str)


@pytest.mark.parametrize(
    ("form", "lemma", "script"),
    [
        ("the", "the", "lower"),
        ("The", "the", "lower"),
        ("BBC", "BBC", "keep"),
        ("iPhone", "iPhone", "keep"),
        ("Running", "run", "lower r4:4:0:"),
        ("running", "run", "lower r4:4:0:"),
        ("Stories", "story", "lower r3:3:1:y"),
        ("gesagt", "sagen", "lower l0:2:0: r1:1:2:en"),
        ("MICROSOFT", "Microsoft", "capital"),
        ("usa", "USA", "upper"),
        ("was", "be", "=be"),
        ("went", "go", "=go"),
        ("학교에서는", "학교+에서+는", "lower r3:0:1:+ r1:0:1:+"),
    ],
)
def test_forms_share_scripts(form: str, lemma: str, script: str) -> None:
    assert derive_script(form, lemma) == script


def test_a_form_that_is_too_short_only_changes_its_case() -> None:
    assert apply_script("lower r4:4:0:", "Ox") == "ox"
