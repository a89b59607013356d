"""A folder of texts in several languages, parsed by `--model auto` with models that pip has installed beside `en`.

`.ci/run` installs two of the packages in the folder `models` into an environment without torch; elsewhere nothing is
installed, and these tests are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

WANTED = {"sv", "zh"}
TEXTS = {
    "letter.txt": ("en", "The weather in the north will be cold and windy. Nobody knows how long it will last."),
    "brev.txt": ("sv", "Vädret i norr blir kallt och blåsigt. Ingen vet hur länge det kommer att hålla i sig."),
    "信.txt": ("zh", "他昨天和朋友一起看了一部電影。這個城市離海很近，所以夏天有很多遊客。"),
}

pytestmark = pytest.mark.skipif(
    not {entry.name for entry in entry_points(group="pointree.models")} >= WANTED,
    reason="the models sv and zh are not installed: pip install -c constraints.txt ./models/sv ./models/zh",
)


def pointree(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pointree", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=folder, check=False)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    for name, (_language, text) in TEXTS.items():
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    return tmp_path


def test_each_file_has_the_model_of_its_language(mixed: Path) -> None:
    ran = pointree("parse", "*.txt", "--model", "auto", folder=mixed)
    assert ran.returncode == 0, ran.stderr
    for name, (language, text) in TEXTS.items():
        assert f"{name}: parsed with the model {language}\n" in ran.stderr
        document = ran.stdout.split(f"# newdoc id = {name}\n")[1].split("# newdoc")[0]
        rows = [line.split("\t") for line in document.splitlines() if line[:1].isdecimal()]
        assert "".join(row[1] for row in rows if "." not in row[0]) == "".join(text.split())
        assert sum(row[6] == "0" for row in rows) == 2, "a tree for each of the two sentences"


def test_a_text_of_two_languages_has_one_model_and_a_warning(mixed: Path) -> None:
    both = mixed / "both.txt"
    both.write_text("\n\n".join(TEXTS[name][1] * 3 for name in ("letter.txt", "brev.txt", "brev.txt")) + "\n", "utf-8")
    ran = pointree("parse", "both.txt", "--model", "auto", folder=mixed)
    assert ran.returncode == 0, ran.stderr
    assert "both.txt: parsed with the model sv\n" in ran.stderr
    assert "warning" in ran.stderr
    assert "en" in ran.stderr.split("warning")[1]


def test_a_language_that_nobody_has_is_one_line(mixed: Path) -> None:
    greek = mixed / "greek.txt"
    greek.write_text("Ο καιρός στο βόρειο τμήμα της χώρας θα είναι κρύος και θυελλώδης. " * 4, encoding="utf-8")
    ran = pointree("parse", "greek.txt", "--model", "auto", folder=mixed)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr.count("\n") == 1
    assert all(language in ran.stderr for language in ("en", "sv", "zh"))


def test_the_list_of_models_has_them(mixed: Path) -> None:
    ran = pointree("models", folder=mixed)
    assert ran.returncode == 0
    installed = ran.stdout.split("Not installed")[0]
    assert "Swedish" in installed
    assert "Chinese" in installed
