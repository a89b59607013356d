"""Lemma rules: how a lemma is made from a form, as a script that other forms can share.

A script is one line of text. It sets the case of the form, then replaces letters at its start or at places that are
counted from its end:

============================  ===============================================================
``lower``                     in lower case: `The` to `the`
``keep``                      as it is written: `BBC` to `BBC`
``lower r4:4:0:``             without the last four letters: `Running` to `run`
``lower r3:3:1:y``            with `y` for the last three letters: `Stories` to `story`
``lower l0:2:0: r1:1:2:en``   with both ends changed: `gesagt` to `sagen`
``=be``                       this lemma, whatever the form is: `was` to `be`
============================  ===============================================================

A replacement has a place (``l0`` is the start of the word, ``r3`` its last three letters), how many letters are cut
there, how many are put in, and these. A script is a whole lemma where form and lemma have too little in common.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher

__all__ = ["apply_script", "derive_script"]

_WHOLE = "="

_CASES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "keep": str,
    "capital": lambda form: form[:1].upper() + form[1:].lower(),
    "upper": str.upper,
}
"""What can be done to the case of a form, the likeliest first."""

_LONGEST = 256
"""Letters of a form or lemma that are compared; longer ones are not worth the time."""

_PLACE = re.compile(r" ([lr])(\d{1,9}):(\d{1,9}):(\d{1,9}):")


def derive_script(form: str, lemma: str) -> str:
    """The script that makes this lemma of this form; of several, the one that replaces fewest letters."""
    if max(len(form), len(lemma)) > _LONGEST:
        return next((case for case, change in _CASES.items() if change(form) == lemma), _WHOLE + lemma)
    scripts = [found for case in _CASES if (found := _derive(case, form, lemma)) is not None]
    return min(scripts, key=lambda found: found[0])[1] if scripts else _WHOLE + lemma  # the first of equals


def apply_script(script: str, form: str) -> str:
    """The lemma that a script makes of a form; a form that is too short for it only has its case changed."""
    if script.startswith(_WHOLE):
        return script[len(_WHOLE) :]
    case, _, _ = script.partition(" ")
    base, done = _CASES.get(case, str)(form), 0
    parts: list[str] = []
    for start, cut, letters in _replacements(script, len(base)):
        if start < done or start + cut > len(base):
            return base
        parts += (base[done:start], letters)
        done = start + cut
    return "".join((*parts, base[done:])) or base


def _derive(case: str, form: str, lemma: str) -> tuple[int, str] | None:
    """A script that starts from the form in one case, and the letters that it replaces; None if it keeps too few."""
    base = _CASES[case](form)
    script, kept = case, 0
    for action, start, end, first, last in SequenceMatcher(None, base, lemma, autojunk=False).get_opcodes():
        if action == "equal":
            kept += end - start
            continue
        place = f"l{start}" if start == 0 else f"r{len(base) - start}"
        script += f" {place}:{end - start}:{last - first}:{lemma[first:last]}"
    if 2 * kept < min(len(base), len(lemma)):
        return None
    return len(base) + len(lemma) - 2 * kept, script


def _replacements(script: str, length: int) -> Iterator[tuple[int, int, str]]:
    """The replacements of a script for a word of some length: where they start, what they cut, what they put in."""
    position = script.find(" ")
    while position >= 0 and (found := _PLACE.match(script, position)):
        side, distance, cut, size = found[1], int(found[2]), int(found[3]), int(found[4])
        position = found.end() + size
        yield distance if side == "l" else length - distance, cut, script[found.end() : position]
