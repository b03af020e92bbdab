"""Attacks on vehicles: exact odds against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import replace

from rules.dice import ScriptedDice
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part
from tests.rules.roe.asking import ROE

METHOD = ROE.procedures["roe.engage"].method
SAVED = Origin("saved", "as written")
RIFLE, AMR, AXE, LAUNCHER = "M_s_Rifle", "L_s_AMR", "H_s_Axe", "H_s_Launcher"


def attack(vehicle: str, token: str, metres: float, *traits: str) -> Part:
    """Make an attack on a vehicle."""
    true = {"hp": 30, "vehicle": 1, f"vehicle.{vehicle}": 1, **dict.fromkeys(traits, 1)}
    facts = {f"resister.{trait}": KnownFact(count, SAVED) for trait, count in true.items()}
    return Part("Hulk", {"actor": "Kai", "resister": "Hulk"}, facts, inputs={"tokens": [token], "range_m": metres})


def falls(part: Part, dice: Sequence[int], damage: int) -> dict[str, Fraction]:
    """Return each number of hits' chance, by playing all falls."""
    counted: Counter[str] = Counter()
    for faces in product(*(range(1, sides + 1) for sides in dice)):
        thrown = ScriptedDice([*zip(dice, faces, strict=True), (damage, 1)])
        counted[METHOD.play(part, ROE, thrown).conclusion.outcome] += 1
    return {outcome: Fraction(count, counted.total()) for outcome, count in counted.items()}


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("part", "dice", "damage"),
    [
        (attack("tank", RIFLE, 10), (100,), 20),
        (attack("car", RIFLE, 10), (100,), 20),
        (attack("car", RIFLE, 50, "driven"), (10, 100), 20),
        pytest.param(attack("tank", AMR, 50, "driven"), (60, 100), 50, marks=pytest.mark.slow),
        pytest.param(attack("dropship", RIFLE, 30, "driven"), (20, 100), 20, marks=pytest.mark.slow),
        (attack("tank", LAUNCHER, 30), (20,), 70),
        (attack("apc", AXE, 1), (100,), 100),
    ],
)
def test_odds_on_vehicles_are_those_of_all_falls(part: Part, dice: Sequence[int], damage: int) -> None:
    """They are exact with and without a driver."""
    odds = {item.conclusion.outcome: item.chance for item in METHOD.odds(part, ROE)}

    assert odds == falls(part, dice, damage)
    assert sum(odds.values()) == 1


def test_a_die_that_has_no_100_hurts_no_tank() -> None:
    """At 30 m a rifle rolls a d20."""
    (only,) = METHOD.odds(attack("tank", RIFLE, 30), ROE)

    assert only.conclusion.outcome == "0-hits"


def test_an_attack_on_a_vehicle_may_go_astray() -> None:
    """The odds include line 57 and sum to 1."""
    part = attack("car", RIFLE, 10)
    facts = {**part.facts, "actor.option.old-mind": KnownFact(1, SAVED)}
    old = replace(part, facts=facts, inputs={**part.inputs, "strays": [[3, "Char"]]})
    odds = {item.conclusion.outcome: item.chance for item in METHOD.odds(old, ROE)}

    assert odds["astray"] == Fraction(1, 10)
    assert sum(odds.values()) == 1


def test_of_two_weapons_that_counts_which_is_used_on_the_vehicle() -> None:
    """Line 531: a pistol does nothing to a tank."""
    part = attack("tank", RIFLE, 10)
    inputs = {**part.inputs, "tokens": [LAUNCHER, "S_s_Pistol"], "only": 1, "range_m": 30}
    (only,) = METHOD.odds(replace(part, inputs=inputs), ROE)

    assert only.conclusion.outcome == "0-hits"


def test_no_saving_roll_is_foreseen_for_a_pet() -> None:
    """Line 174: neither for attacks nor for explosions."""
    facts = {f"resister.{trait}": KnownFact(1, SAVED) for trait in ("hp", "pet-level")}
    part = replace(attack("car", RIFLE, 10), facts=facts)
    blast = replace(part, inputs={"charge": {"item": "Frag", "dice": "2d10"}})

    assert "Saving roll due: 0%" in METHOD.lines(part, ROE)
    assert "Saving roll due: 0%" in ROE.procedure("roe.explosion").method.lines(blast, ROE)
