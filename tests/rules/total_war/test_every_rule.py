"""Every rule of Total War, every reading of it and every side of every switch is shown by a golden line or claimed by a test."""

from __future__ import annotations

import json
import re

from rules.books.total_war.catalog import Setting, Switch
from tests.rules.total_war.asking import BOOK, GOLDEN, HERE

COUNTS = {
    "S": 5,
    "H": 3,
    "M": 7,
    "T": 7,
    "C": 5,
    "Q": 5,
    "U": 5,
    "E": 6,
    "B": 13,
    "K": 6,
    "R": 12,
    "V": 3,
    "G": 5,
    "N": 5,
    "F": 8,
    "D": 6,
    "L": 4,
    "W": 9,
    "X": 6,
    "P": 8,
}
"""How many rules each letter has."""
READINGS = 81
"""How many readings of what the page leaves open there are."""
TOLD = {
    "AMB-72": "pictures that the page has lost: nothing follows from them",
    "AMB-81": "in which order sealed orders come is settled where they are collected; here each is held against the war as it stands",
}
"""Readings that are told only, and why no answer shows them."""
RULE = re.compile(r"\b([A-Z][0-9]+|AMB-[0-9]{2})\b")


def shown() -> set[str]:
    """The rules that golden lines stand under, and those that docstrings of tests name."""
    heads = [line for file in GOLDEN for line in file.read_text("utf-8").splitlines() if line.startswith("# ")]
    texts = [head.split(":")[0] for head in heads]
    tests = (file.read_text("utf-8") for file in HERE.glob("test_*.py") if file.name != "test_every_rule.py")
    texts += [text for test in tests for text in re.findall(r'"""(.*?)"""', test, flags=re.DOTALL)]
    return {name for text in texts for name in RULE.findall(text)}


def test_every_rule_is_shown() -> None:
    """Each of the 128 rules, S1 to P8, has a golden line or a test under its name."""
    rules = {f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)}
    assert len(rules) == 128
    assert rules - shown() == set()


def test_every_reading_is_shown_or_told() -> None:
    """Each reading of what the page leaves open is shown too, but for those listed with the reason."""
    readings = {f"AMB-{number:02}" for number in range(1, READINGS + 1)}
    assert readings - shown() == TOLD.keys()


def sides(switch: Switch) -> set[str]:
    """The settings of a switch that make a difference, but for its default: every option, or both ends of a range."""
    if isinstance(switch.default, tuple):
        return set()
    if isinstance(switch.default, bool):
        every: set[Setting] = {False, True}
    else:
        every = {*switch.options} or {end for end in (switch.least, switch.most) if end is not None}
    return {json.dumps(side) for side in every - {switch.default}}


def test_each_side_of_each_switch_is_shown() -> None:
    """A golden line sets every switch to whatever it is not by default; what it is by default, the other lines show."""
    lines = [line for file in GOLDEN for line in file.read_text("utf-8").splitlines() if line.startswith("{")]
    given = [json.loads(line.split(" -> ", 1)[0]).get("switches") or {} for line in lines]
    for name, switch in BOOK.listed(Switch).items():
        found = {json.dumps(switches[name]) for switches in given if name in switches}
        assert found, name
        assert sides(switch) <= found, name
