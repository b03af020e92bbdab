"""Flights and calls in play: modifiers and odds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.books.roe.hiding import STOPPED, STRIKE
from rules.dice import ScriptedDice
from rules.errors import RollError
from rules.modifiers import KnownFact, Origin
from rules.procedure import MethodResult, Part, Step
from rules.scenes import MEMBER
from tests.rules.roe.asking import ROE

METHOD = ROE.procedure("roe.com").method
FLIGHT = ROE.procedure("roe.flight").method


def make_part(metres: int = 10, weapon: str = "M_s_Rifle", **counts: int) -> Part:
    """Make a part in which Bob interrupts Ann; `__` in `counts` is a dot."""
    facts = {
        name.replace("__", ".").replace("_", "-"): KnownFact(count, Origin("typed", ""))
        for name, count in counts.items()
    }
    marks = {"actions": 1, "movements": 1, "first-turn": 1}
    kept: dict[str, dict[str, Any]] = {
        who: {MEMBER: {"id": place, "marks": marks}} for place, who in enumerate(("Ann", "Bob"))
    }
    strike = {"tokens": [weapon], "names": ["Gun"], "mods": [[["accuracy", "Scope", 5]]], "range_m": metres}
    return Part("one", {"actor": "Ann", "resister": "Bob"}, facts, inputs={STRIKE: strike}, kept=kept)


def sides(part: Part) -> int:
    """Return the attack die's sides."""
    return METHOD.stages(part, ROE)[1].stage.table.die.sides


def play_call(part: Part, dodge: int, attack: int) -> MethodResult:
    """Play the call with these faces."""
    return METHOD.play(part, ROE, ScriptedDice([(100, dodge), (sides(part), attack)]))


def sums(part: Part) -> list[int]:
    """Return both sides' modifiers."""
    return [step.sum for step in play_call(part, 50, 50).steps if isinstance(step, Step)]


def test_one_with_the_weapon_has_all_that_counts_and_a_holder_one_number() -> None:
    """A holder has +30 (line 426)."""
    assert sums(make_part(actor__dodge=7, resister__accuracy=4, resister__ranged_accuracy=6)) == [7, 15]
    assert sums(make_part(resister__accuracy=20, resister__ranged_accuracy=20)) == [0, 30]
    assert sums(make_part(resister__holding__other=1, resister__accuracy=-20)) == [0, 30]
    assert sums(make_part(resister__holding__other=1, resister__accuracy=20)) == [0, 30]


@pytest.mark.parametrize("metres", [10, 60], ids=["d100", "another-die"])
def test_odds_are_those_of_all_faces(metres: int) -> None:
    """Compare with brute force."""
    part = make_part(metres, actor__dodge=3, resister__accuracy=9)
    stopped = next(item for item in METHOD.odds(part, ROE) if item.conclusion.outcome == "resister")
    for face in (1, 2, 40, 99, 100):
        hits = sum(play_call(part, face, other).record[STOPPED] for other in range(1, sides(part) + 1))
        assert stopped.under[face - 1] == Fraction(hits, sides(part))
    assert sum(item.chance for item in METHOD.odds(part, ROE)) == 1


def test_naturals_decide() -> None:
    """A48: 1 and 100 decide, and the caller wins ties."""
    part = make_part(resister__accuracy=30)
    expected = {(100, 99): False, (1, 2): True, (1, 1): False, (80, 50): False, (79, 50): True}
    assert {faces: play_call(part, *faces).record[STOPPED] for faces in expected} == expected


def test_what_cannot_be_is_refused_before_any_die() -> None:
    """Range, turn and HP are checked."""
    with pytest.raises(RollError, match="reaches"):
        METHOD.check(make_part(40, "L_b_Club"), ROE)
    with pytest.raises(RollError, match="Ann's HP isn't set"):
        FLIGHT.check(make_part(), ROE)
    part = make_part(actor__hp=20)
    spent = {**part.kept, "Ann": {MEMBER: {"id": 0, "marks": {"actions": 1}}}}
    with pytest.raises(RollError, match="takes the whole turn"):
        FLIGHT.check(Part(part.key, part.subjects, part.facts, inputs=part.inputs, kept=spent), ROE)
    with pytest.raises(RollError, match="Ann isn't in a fight"):
        FLIGHT.check(Part(part.key, part.subjects, part.facts), ROE)


def list_consequences(result: MethodResult) -> set[tuple[str, str | None]]:
    """Return each consequence, and whom it hits."""
    return {(item.do, item.to) for item in result.conclusion.consequences}


def test_a_critical_failure_costs_whoever_calls_or_flees_an_action() -> None:
    """Line 88: by racial option a turn (line 37)."""
    assert ("lose-action", "actor") in list_consequences(play_call(make_part(), 1, 50))
    assert ("lose-action", "actor") not in list_consequences(play_call(make_part(), 2, 50))
    assert ("lose-turn", "actor") in list_consequences(
        play_call(make_part(actor__option__advanced_prosthetics=1), 1, 50)
    )
    fled = FLIGHT.play(make_part(actor__hp=30), ROE, ScriptedDice([(100, 1), (100, 1)]))
    assert ("lose-action", "actor") in list_consequences(fled)


@pytest.mark.parametrize("attack", [40, 60], ids=["misses", "hits"])
def test_whoever_interrupts_has_attacked(attack: int) -> None:
    """Lines 346, 353: aim and hiding end."""
    done = list_consequences(play_call(make_part(resister__hidden=1, resister__aimed=1), 50, attack))
    assert {("spend-aim", "resister"), ("be-seen", "resister")} <= done
