"""Flights and calls in play, without a bot: what counts on each die, and how likely each is to end how."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.books.roe.flights import STOPPED, STRIKE
from rules.dice import ScriptedDice
from rules.errors import RollError
from rules.modifiers import Known, Origin
from rules.procedure import MethodResult, Part, Step
from rules.scenes import MEMBER
from tests.rules.roe.asking import ROE

METHOD = ROE.procedure("roe.com").method
FLIGHT = ROE.procedure("roe.flight").method


def interrupted(metres: int = 10, weapon: str = "M_s_Rifle", **counts: int) -> Part:
    """A part in which Bob interrupts Ann with a weapon; `counts` are facts, with `__` for the dot."""
    facts = {
        name.replace("__", ".").replace("_", "-"): Known(count, Origin("typed", "")) for name, count in counts.items()
    }
    marks = {"actions": 1, "movements": 1, "first-turn": 1}
    kept: dict[str, dict[str, Any]] = {
        who: {MEMBER: {"id": place, "marks": marks}} for place, who in enumerate(("Ann", "Bob"))
    }
    strike = {"tokens": [weapon], "names": ["Gun"], "mods": [[["accuracy", "Scope", 5]]], "range_m": metres}
    return Part("one", {"actor": "Ann", "resister": "Bob"}, facts, inputs={STRIKE: strike}, kept=kept)


def sides(part: Part) -> int:
    """The sides of the attack's die."""
    return METHOD.stages(part, ROE)[1].stage.table.die.sides


def played(part: Part, dodge: int, attack: int) -> MethodResult:
    """The call, with the faces of both dice."""
    return METHOD.play(part, ROE, ScriptedDice([(100, dodge), (sides(part), attack)]))


def sums(part: Part) -> list[int]:
    """What counts on the dice of both."""
    return [step.sum for step in played(part, 50, 50).steps if isinstance(step, Step)]


def test_one_with_the_weapon_has_all_that_counts_and_a_holder_one_number() -> None:
    """Accuracy, that of shots and what is attached, up to the cap; the dodge of whoever calls; of a holder +30 (line 426), regardless of accuracy."""
    assert sums(interrupted(actor__dodge=7, resister__accuracy=4, resister__ranged_accuracy=6)) == [7, 15]
    assert sums(interrupted(resister__accuracy=20, resister__ranged_accuracy=20)) == [0, 30]
    assert sums(interrupted(resister__holding__other=1, resister__accuracy=-20)) == [0, 30]
    assert sums(interrupted(resister__holding__other=1, resister__accuracy=20)) == [0, 30]


@pytest.mark.parametrize("metres", [10, 60], ids=["d100", "another-die"])
def test_odds_are_those_of_all_faces(metres: int) -> None:
    """Under each face of whoever calls as many of the attack's hit as when all of them are thrown."""
    part = interrupted(metres, actor__dodge=3, resister__accuracy=9)
    stopped = next(item for item in METHOD.odds(part, ROE) if item.conclusion.outcome == "resister")
    for face in (1, 2, 40, 99, 100):
        hits = sum(played(part, face, other).record[STOPPED] for other in range(1, sides(part) + 1))
        assert stopped.under[face - 1] == Fraction(hits, sides(part))
    assert sum(item.chance for item in METHOD.odds(part, ROE)) == 1


def test_naturals_decide() -> None:
    """A48: a natural 100 escapes all, a natural 1 is hit by all but a natural 1; a tie is the caller's."""
    part = interrupted(resister__accuracy=30)
    outcomes = {
        faces: played(part, *faces).record[STOPPED] for faces in ((100, 99), (1, 2), (1, 1), (80, 50), (79, 50))
    }
    assert outcomes == {(100, 99): False, (1, 2): True, (1, 1): False, (80, 50): False, (79, 50): True}


def test_what_cannot_be_is_refused_before_any_die() -> None:
    """A weapon out of reach; nothing is left of the turn; nobody has said the HP of whoever flees."""
    with pytest.raises(RollError, match="reaches"):
        METHOD.check(interrupted(40, "L_b_Club"), ROE)
    with pytest.raises(RollError, match="Ann's HP isn't set"):
        FLIGHT.check(interrupted(), ROE)
    part = interrupted(actor__hp=20)
    spent = {**part.kept, "Ann": {MEMBER: {"id": 0, "marks": {"actions": 1}}}}
    with pytest.raises(RollError, match="takes the whole turn"):
        FLIGHT.check(Part(part.key, part.subjects, part.facts, inputs=part.inputs, kept=spent), ROE)
    with pytest.raises(RollError, match="Ann isn't in a fight"):
        FLIGHT.check(Part(part.key, part.subjects, part.facts), ROE)


def befallen(result: MethodResult) -> set[tuple[str, str | None]]:
    """What follows of it: each deed, and on whom."""
    return {(item.do, item.to) for item in result.conclusion.consequences}


def test_a_critical_failure_costs_whoever_calls_or_flees_an_action() -> None:
    """Line 88: a natural 1 of the one die costs its Action where nobody is hurt, too, by the racial option the turn (line 37)."""
    assert ("lose-action", "actor") in befallen(played(interrupted(), 1, 50))
    assert ("lose-action", "actor") not in befallen(played(interrupted(), 2, 50))
    assert ("lose-turn", "actor") in befallen(played(interrupted(actor__option__advanced_prosthetics=1), 1, 50))
    fled = FLIGHT.play(interrupted(actor__hp=30), ROE, ScriptedDice([(100, 1), (100, 1)]))
    assert ("lose-action", "actor") in befallen(fled)


@pytest.mark.parametrize("attack", [40, 60], ids=["misses", "hits"])
def test_whoever_interrupts_has_attacked(attack: int) -> None:
    """Lines 346, 353: aim and hiding are over by an interrupt, whether it hits or not."""
    done = befallen(played(interrupted(resister__hidden=1, resister__aimed=1), 50, attack))
    assert {("spend-aim", "resister"), ("be-seen", "resister")} <= done
