"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = Path(__file__).resolve().parent / "fixtures"


@pytest.fixture(scope="session")
def ewt() -> Path:
    """Sixty sentences of English-EWT."""
    return FIXTURES / "ewt.conllu"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of treebanks and vectors beside the repository; tests that need it skip without it."""
    data = ROOT.parent / "shared" / "data"
    if not data.is_dir():
        pytest.skip("the treebanks of ../shared/data are not here")
    return data
