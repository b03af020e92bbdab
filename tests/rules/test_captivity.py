from __future__ import annotations

from typing import Any

import pytest

from rules.books.battlesystem.state import event_ends
from rules.books.campaign import captivity
from rules.effects import Moment

NAMES = {"subject:1": "Amuro", "subject:2": "Kai", "subject:3": "Bright"}


def test_what_ends_a_captivity_and_what_begins_one() -> None:
    """Free and newly taken people haven't cracked."""
    taken = captivity.Captivity(by=2, at=3, since="2026-01-01T00:00:00+00:00", entry=7)
    begun = {name: value for _, name, value in captivity.begin_captivity("Kai", taken)}
    assert begun == {captivity.CAPTIVE: taken, captivity.FATE: None, captivity.CRACKED: None}
    ended = {name: value for _, name, value in captivity.end_captivity("Kai", "escaped", 9)}
    fate = {"fate": "escaped", "entry": 9}
    assert ended == {captivity.CAPTIVE: None, captivity.CRACKED: None, captivity.FATE: fate}


@pytest.mark.parametrize(
    ("declared", "tried", "waits"),
    [
        ({"entry": 5, "update": 2}, None, True),
        ({"entry": 5, "update": 2}, {"entry": 4, "update": 2}, True),
        ({"entry": 5, "update": 2}, {"entry": 6, "update": 2}, False),
        ({"entry": 5, "update": 1}, None, False),
    ],
)
def test_a_declared_escape_waits_until_it_is_rolled_or_the_update_ends(
    declared: dict[str, Any], tried: dict[str, Any] | None, *, waits: bool
) -> None:
    """Earlier rolls don't use it up."""
    assert captivity.has_declared_escape(declared, tried, Moment(2, str)) == waits


def test_those_under_one_sky_escape_together() -> None:
    """Captives keep their order; unknown places are separate."""
    assert captivity.group_by_place(["Kai", "Amuro", "Job"], ["Asia", None, "Asia"]) == {
        "Asia": ["Kai", "Job"],
        None: ["Amuro"],
    }


def test_who_has_tried_is_counted_by_the_update_and_known_to_all_by_one_public_try() -> None:
    """Earlier updates don't count (341); one public try reveals it."""
    attempts = {("subject:2", "rolled.escape.2"): {"update": 2}, ("subject:4", "rolled.escape.4"): {"update": 1}}
    assert captivity.list_tried(attempts, 2) == {"subject:2"}
    alone = {"subject:1": "Amuro"}
    assert captivity.find_joint_escape("subject:1", alone, {"subject:2"}, {"subject:1"})[captivity.JOINT_ESCAPE].secret
    assert not captivity.find_joint_escape("subject:1", alone, {"subject:2", "subject:3"}, {"subject:3"})[
        captivity.JOINT_ESCAPE
    ].secret


@pytest.mark.parametrize(
    ("together", "others", "label"),
    [
        (("subject:1",), (), None),
        (("subject:1",), ("subject:1",), None),
        (("subject:1",), ("subject:2",), "others try in this update"),
        (("subject:1", "subject:2"), (), "together with Kai"),
        (("subject:1", "subject:2", "subject:3"), ("subject:4",), "together with Kai and 1 more"),
    ],
)
def test_an_escape_is_joint_in_one_roll_or_one_update(
    together: tuple[str, ...], others: tuple[str, ...], label: str | None
) -> None:
    """Another captive tries in the roll or update (341)."""
    named = {subject: NAMES[subject] for subject in together}
    facts = captivity.find_joint_escape("subject:1", named, others, others)
    assert [known.origin.label for known in facts.values()] == ([] if label is None else [label])
    assert set(facts) <= {captivity.JOINT_ESCAPE}
    assert not any(known.secret for known in facts.values())


def test_an_event_says_when_it_ends_and_no_other_effect_does() -> None:
    """Each end is named once, in order."""
    parts = [{"lasts": "turn"}, {"lasts": "permanent"}, {"lasts": "turn"}]
    ends = event_ends({"parts": parts, "turn": 3, "battle": "the ford"})
    assert ends == "until the end of turn 3 of the ford, for good"
    assert event_ends({"entry": 3}) is None
