"""Explosives: how they are written, fuses, and chances against brute force."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.books.roe.blasts import AVOIDED, CAUGHT, CRITICAL, count_chances, count_harm
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.explosives import Charge, Fuse, read_charge
from rules.books.roe.wounds import needs_saving_roll, strikes_down
from rules.dice import ScriptedDice
from rules.errors import RollError
from rules.modifiers import Adjustment, Facts, KnownFact, Origin
from rules.procedure import Part, PartResult
from tests.rules.roe.asking import ROE

METHOD = ROE.procedures["roe.explosion"].method
FACES = range(1, 101)
HP = 7
FALLS = {CRITICAL: (100, 99), CAUGHT: (50, 20), AVOIDED: (50, 70)}
"""A fall of both dice for each outcome, where nobody has modifiers."""


def part(does: str, mods: dict[str, int] | None = None, *, aimed: bool = False, facts: Facts | None = None) -> Part:
    """Make the part of somebody in the radius."""
    origin = Origin("typed", "typed")
    known = {f"{RESISTER}.hp": KnownFact(HP, origin), **(facts or {})}
    adjustments = tuple(Adjustment(value, "so", table) for table, value in (mods or {}).items())
    inputs = {"charge": read_charge(ROE, "Bomb", does).as_json, "aimed": aimed}
    return Part("blast", {ACTOR: "A", RESISTER: "B"}, known, adjustments=adjustments, inputs=inputs, kept={"B": {}})


@pytest.mark.slow
@pytest.mark.no_cover
@settings(max_examples=2, deadline=None)
@given(st.integers(-120, 60), st.integers(-120, 60), st.booleans())
def test_the_odds_of_an_explosion_are_those_of_all_falls(accuracy: int, dodge: int, aimed: bool) -> None:  # noqa: FBT001 - drawn
    """C22.2, C22.7: compare with all faces."""
    asked = part("stun", {"accuracy": accuracy, "dodge": dodge} if aimed else {"dodge": dodge}, aimed=aimed)
    fell: Counter[str] = Counter()
    for faces in product(FACES, FACES):
        dice = ScriptedDice((100, face) for face in faces)
        fell[METHOD.play(asked, ROE, dice).conclusion.outcome] += 1
    assert count_chances(asked, ROE) == {outcome: Fraction(fell[outcome], 10_000) for outcome in FALLS if fell[outcome]}
    assert sum(count_chances(asked, ROE).values()) == 1


@pytest.mark.parametrize("dr", [0, 4])
def test_the_mean_damage_and_who_goes_down_are_those_of_all_falls(dr: int) -> None:
    """C13: criticals double dice, DR counts once."""
    asked = part("2d4+3", {"dr": dr})
    seen = (Fraction(0),) * 3
    for outcome, chance in count_chances(asked, ROE).items():
        for faces in product(range(1, 5), repeat=2):
            caught = [(4, face) for face in faces] if outcome != AVOIDED else []
            dice = ScriptedDice([*((100, face) for face in FALLS[outcome]), *caught, (100, 50)])
            damage = METHOD.play(asked, ROE, dice).record["damage"]
            down, save, share = strikes_down(HP, damage), needs_saving_roll(ROE, HP, damage), chance / 16
            seen = (seen[0] + share * down, seen[1] + share * save, seen[2] + share * damage)
    assert count_harm(asked, ROE) == seen


def test_a_tie_avoids_and_naturals_decide() -> None:
    """A17: the tie is the target's."""
    expected = {(50, 50): AVOIDED, (50, 49): CAUGHT, (1, 1): AVOIDED, (2, 1): CAUGHT}
    expected |= {(100, 99): CRITICAL, (100, 100): AVOIDED}
    for faces, outcome in expected.items():
        dice = ScriptedDice((100, face) for face in faces)
        assert METHOD.play(part("stun"), ROE, dice).conclusion.outcome == outcome, faces


def test_an_aim_helps_a_direct_hit_alone() -> None:
    """C22.8: only the target's dice double."""
    aimed = {f"{ACTOR}.aimed.other": KnownFact(1, Origin("typed", "typed"))}
    damage = [
        METHOD.play(part("1d4", aimed=direct, facts=aimed), ROE, ScriptedDice([(100, 50), (100, 20), (4, 3)])).record
        for direct in (True, False)
    ]
    assert [item["damage"] for item in damage] == [6, 3]


@pytest.mark.parametrize(
    ("does", "charge"),
    [
        ("2d10+5", Charge("X", "2d10", 5)),
        ("d6", Charge("X", "1d6")),
        ("12 ballistic", Charge("X", None, 12, "ballistic")),
        ("1d20 - 2, stun, Chemical Burn", Charge("X", "1d20", -2, effects=("stun", "burn"))),
        ("in-gas, 3 turns", Charge("X", effects=("in-gas",), turns=3)),
        ("d10 1 turn", Charge("X", "1d10", turns=1)),
    ],
)
def test_what_an_explosive_does_is_read_as_it_is_written(does: str, charge: Charge) -> None:
    """Dice, types, effects and turns are read."""
    assert read_charge(ROE, "X", does) == charge


@pytest.mark.parametrize("does", ["", "bang", "2d10 bang", "21d6", "1d101", "3 turns", "0d6"])
def test_what_cannot_be_read_is_refused(does: str) -> None:
    """Each fault is named."""
    with pytest.raises(RollError):
        read_charge(ROE, "X", does)


def test_a_fuse_burns_to_the_end_of_its_users_turn() -> None:
    """C22.3: it explodes in another's turn if its user is gone."""
    fuse = Fuse(Charge("X", "1d6"), of=1, round=2)
    assert [fuse.due(turn, now, (1, 2)) for turn, now in ((1, 1), (2, 2), (2, 1), (3, 2))] == [False, False, True, True]
    assert fuse.due(2, 2, (2,))
    assert not fuse.due(1, 2, (2,))


def test_all_in_a_radius_share_the_dice() -> None:
    """C22.2: later parts reuse the first dice."""
    first = part("2d6")
    played = METHOD.play(first, ROE, ScriptedDice([(100, 90), (100, 10), (6, 2), (6, 5)]))
    later = ROE.procedures["roe.explosion"].carry(
        first, [PartResult(first, played.steps, played.conclusion, record=played.record)], ROE
    )
    assert METHOD.play(later, ROE, ScriptedDice([(100, 11)])).record["damage"] == 7
