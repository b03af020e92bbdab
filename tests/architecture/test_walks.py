"""How many files one act enters, modules that load on the way included."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.architecture.source import ROOT

MOST = {
    "/patrol opens its card": 45,
    "Roll pressed, until posted": 57,
    "ledger check": 21,
    "Undo sent": 41,
    "/roe attack roll:now": 81,
    "an order of a war given": 75,
    "Resolve pressed": 79,
    "/battle act, a move": 74,
}


SAME_ORDER = {**os.environ, "PYTHONHASHSEED": "0"}
"""Sets are walked in one order: in another, an act may enter one file more."""


@pytest.mark.slow  # eight acts in a process of their own, since modules load once
def test_an_act_enters_few_files() -> None:
    """Eight acts, from a press until the answer, each enter no more files than are allowed."""
    command = [sys.executable, "-m", "tests.walks"]

    done = subprocess.run(command, cwd=ROOT, env=SAME_ORDER, capture_output=True, text=True, check=True)  # noqa: S603 - our own words

    files = {name: int(count) for name, count in re.findall(r"^(.+?)\s+\d+\s+(\d+)$", done.stdout, re.MULTILINE)}
    assert files.keys() == MOST.keys()
    assert {name: count for name, count in files.items() if count > MOST[name]} == {}
