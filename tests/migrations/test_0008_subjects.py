"""The migration that puts numbers in the place of names, value by value."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

migration = import_module("migrations.versions.0008_subjects")

NUMBERS = {"kilo two": 1, "kai": 2, "zeon": 3, "fort st. mark": 4, "ogres": 5}
MUD = {"battle": "Ford", "side": "Zeon", "entry": 7, "place": 0, "parts": []}
SCOUTED = {"entry": 5, "update": 1}

State = dict[tuple[str, str], Any]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            {("unit:kai", "profile"): {"name": "Kai", "kind": "pc", "squad": "KILO two", "traits": {"ace": 1}}},
            {("subject:2", "profile"): {"kind": "pc", "squad": 1, "traits": {"ace": 1}}},
        ),
        (
            {("unit:kai", "captive"): {"name": "Kai", "by": "Zeon", "at": "Fort  St. Mark", "entry": 3}},
            {("subject:2", "captive"): {"by": 3, "at": 4, "entry": 3}},
        ),
        (
            {("unit:kai", "fate"): {"name": "Kai", "fate": "killed", "entry": 3}},
            {("subject:2", "fate"): {"fate": "killed", "entry": 3}},
        ),
        (
            {("unit:zeon", "effect.password-known"): {"name": "Zeon", "entry": 4, "count": None}},
            {("subject:3", "effect.password-known"): {"entry": 4, "count": None}},
        ),
        ({("unit:kai", "rolled.scouting.fort st. mark"): SCOUTED}, {("subject:2", "rolled.scouting.4"): SCOUTED}),
        (
            {("unit:ogres", "effect.event-7.0"): {"name": "Ogres", **MUD}},
            {("subject:5", "effect.event-7.0"): {"id": 5, **MUD}},
        ),
        (
            {("battle:ford", "unit.ogres"): {"name": "Ogres", "side": "Zeon", "tags": [], "spells": None, "place": 1}},
            {("battle:ford", "unit.5"): {"id": 5, "side": "Zeon", "tags": [], "spells": None, "place": 1}},
        ),
        (
            {("battle:ford", "loss.7.0.0"): {"name": "Ogres", "label": "A figure", "entry": 7}},
            {("battle:ford", "loss.7.0.0"): {"id": 5, "label": "A figure", "entry": 7}},
        ),
        (
            {("battle:ford", "token.7.1"): {"kind": "chosen", "side": "Zeon"}},
            {("battle:ford", "token.7.1"): {"kind": "chosen", "side": "Zeon"}},
        ),
    ],
)
def test_a_value_refers_to_subjects_by_their_numbers(before: State, after: State) -> None:
    """Its holder's name is gone from it, others stand by their numbers, and all else is as it was."""
    assert dict(migration._numbered(before, lambda name: NUMBERS[migration._key(name)])) == after


def test_everybody_is_called_as_last_spelled() -> None:
    """A saved name goes before one in a roll; who is only remembered as a roller is spelled as in the roll."""
    state: State = {
        ("unit:kai", "profile"): {"name": "Kai", "squad": None},
        ("unit:fort st. mark", "rolled.scouting.kilo two"): SCOUTED,
    }
    bodies = [{"parts": [{"subjects": {"scouter": "KILO Two, kai", "base": "Fort St. Mark"}}]}, {"deed": "add"}]
    assert migration._names(state, bodies) == {"kai": "Kai", "kilo two": "KILO Two", "fort st. mark": "Fort St. Mark"}
