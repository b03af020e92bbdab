"""Attacks: damage, order, caps, and chances against brute force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.aim import AttackPlan, plan_attack
from rules.books.roe.attack_odds import count_odds
from rules.books.roe.attacks import PROCEDURE, list_damage_dice, settle_damage, throw_shots
from rules.books.roe.catalog import ACTOR, RESISTER, WeaponToken
from rules.books.roe.characters import racial_facts
from rules.books.roe.damage import DamageTotal, TypedDamage, sum_dominant, total_damage
from rules.dice import SHARED, DiceTerm, ScriptedDice
from rules.errors import RollError
from rules.kinds import PrintedNumber
from rules.modifiers import Adjustment, Facts
from rules.procedure import Part, Request, Step, Throw, WeighedStage
from rules.ruleset import resolve
from tests.rules.roe.asking import ROE, ask

FACES = st.integers(1, 100)
MODS = st.lists(st.integers(-60, 60), max_size=5)
SMALL_DODGE = DiceTerm(1, 6)
GUNS = [token.label for token in ROE.entries_of(WeaponToken).values() if token.fire == "auto"]


def part(facts: Facts | None = None, mods: Mapping[str, int] | None = None, **inputs: object) -> Part:
    """Make the part of an attack."""
    adjustments = tuple(Adjustment(value, "so", table) for table, value in (mods or {}).items())
    return Part("attack", {ACTOR: "A", RESISTER: "B"}, facts or {}, adjustments=adjustments, inputs=inputs)


def small(plan: AttackPlan, sides: int, die: int) -> AttackPlan:
    """Return the plan with dice small enough to count all falls."""

    def tiny(stage: WeighedStage) -> WeighedStage:
        table = stage.stage.table
        low, *high = [item for item in table.naturals if item.face in {1, table.die.high}]
        term = SMALL_DODGE if RESISTER in {row.outcome for row in table.rows} else DiceTerm(1, sides)
        naturals = (low, *(replace(item, face=term.high) for item in high))
        return replace(stage, stage=replace(stage.stage, table=replace(table, die=term, naturals=naturals)))

    aims = tuple(
        replace(
            aim,
            arm=replace(aim.arm, die=die),
            natural=min(aim.natural, sides - 1),
            accuracy=tiny(aim.accuracy),
            dodges={name: tiny(stage) for name, stage in aim.dodges.items()},
        )
        for aim in plan.aims
    )
    return replace(plan, aims=aims)


def all_falls(plan: AttackPlan, asked: Part, book: Book) -> Iterator[tuple[Fraction, Mapping[str, Any]]]:
    """Yield each fall's chance and record."""
    pairs = [
        [(plan.aims[place].accuracy.stage.table.die.sides, SMALL_DODGE.sides)]
        if not plan.inputs.one_dodge or number == 0
        else [(plan.aims[place].accuracy.stage.table.die.sides,)]
        for number, place in enumerate(plan.rolls)
    ]
    dice = [sides for pair in pairs for sides in pair[0]]
    for faces in product(*(range(1, sides + 1) for sides in dice)):
        shots = throw_shots(plan, ScriptedDice(zip(dice, faces, strict=True)))
        thrown = [term.sides for term in list_damage_dice(plan, shots)]
        for damage in product(*(range(1, sides + 1) for sides in thrown)):
            chance = Fraction(1)
            for sides in (*dice, *thrown):
                chance /= sides
            yield chance, settle_damage(plan, asked, book, shots, damage)[1]


CASES: list[tuple[tuple[str, ...], dict[str, Any], Facts, dict[str, int], int, int]] = [
    (("M_s_Rifle",), {"range_m": 10, "hp": 3}, {}, {}, 7, 5),
    (("M_s_Rifle",), {"range_m": 10, "hp": 3, "aimed": True}, {}, {"damage": 1, "accuracy": 2}, 7, 5),
    (("M_s_Rifle",), {"range_m": 10, "hp": 5, "sneak": True}, {}, {"dr": 2, "dodge": 1}, 7, 5),
    (("M_s_Rifle",), {"range_m": 30, "hp": 5}, {}, {"dr": 2}, 7, 5),
    (("M_p_Sword",), {"range_m": 1, "hp": 4}, {}, {"dr": 3}, 4, 3),
    (("M_p_Sword",), {"range_m": 1, "hp": 4, "one_dodge": True}, {}, {"dr": 3}, 5, 3),
    (("unarmed",), {"range_m": 1, "hp": 2, "rolls": 2}, {}, {}, 4, 3),
    (("L_s_Sword", "L_p_Shafted"), {"range_m": 1, "hp": 4}, {}, {"dr": 3, "accuracy": 26}, 5, 3),
    (("L_s_Sword", "S_s_HPistol"), {"range_m": 1, "hp": 4}, {}, {"dr": 3, "damage": 3, "accuracy": 25}, 5, 3),
    (("M_s_Shotgun",), {"range_m": 11, "hp": 4, "beside": True}, {}, {"dr": 1, "accuracy": 16}, 6, 5),
    (("M_s_Rifle",), {"range_m": 10, "hp": 5}, racial_facts(ROE, RESISTER, "Environmental Suit"), {}, 6, 4),
]


@pytest.mark.parametrize(
    ("tokens", "inputs", "facts", "mods", "sides", "die"),
    [*CASES[:7], *(pytest.param(*case, marks=pytest.mark.slow) for case in CASES[7:9]), *CASES[9:]],
)
def test_chances_are_those_of_counting_all_falls(  # noqa: PLR0913, PLR0917 - one column each
    tokens: tuple[str, ...], inputs: dict[str, Any], facts: Facts, mods: dict[str, int], sides: int, die: int
) -> None:
    """Compare with brute force on small dice."""
    asked = part(facts, mods, tokens=tokens, **inputs)
    plan = small(plan_attack(asked, ROE), sides, die)
    hits = [Fraction(0)] * (len(plan.rolls) + 1)
    down, saving, mean, triggered = (Fraction(0),) * 4
    for chance, record in all_falls(plan, asked, ROE):
        hits[sum(record["hits"])] += chance
        down += chance * record["wounded"]
        saving += chance * record["mortal_save"]
        mean += chance * record["damage"]
        triggered += chance * (record["trait"] is not None)
    reply = count_odds(plan, ROE)
    assert (reply.hits, reply.down, reply.saving, reply.mean) == (tuple(hits), down, saving, mean)
    if len(plan.aims) == 1:
        assert sum(reply.traits.values()) == triggered
    assert sum(reply.hits) == 1


@pytest.mark.parametrize("token", [token.label for token in ROE.entries_of(WeaponToken).values()])
def test_the_chances_of_every_token_add_up(token: str) -> None:
    """At one metre they sum to 1."""
    asked = part(tokens=(token,), range_m=1, hp=20)
    chances = PROCEDURE.method.odds(asked, ROE)
    assert sum(chance.chance for chance in chances) == 1
    reply = ask(op="odds", of="attack", tokens=[token], range_m=1)["hits"]
    assert [Fraction(chance) for chance in reply] == [*count_odds(plan_attack(asked, ROE), ROE).hits]
    assert PROCEDURE.method.lines(asked, ROE)[-1].startswith("Mean damage: ")


def test_chances_are_counted_by_sums_of_dice_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three d50 are counted by sums, not by falls."""
    counted: list[int] = []

    def counting(book: Book, dice: int, typed: Sequence[TypedDamage], untyped: int, *, ignores_dr: bool) -> DamageTotal:
        counted.append(dice)
        return total_damage(book, dice, typed, untyped, ignores_dr=ignores_dr)

    monkeypatch.setattr("rules.books.roe.attack_odds.total_damage", counting)
    count_odds(plan_attack(part(tokens=("L_a_MG",), mode="auto", range_m=10, hp=40), ROE), ROE)
    assert len(counted) < 2500


@st.composite
def attacks(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a burst of an automatic gun with its dice."""
    number = draw(st.sampled_from([1, 3]))
    return {
        "op": "attack",
        "tokens": [draw(st.sampled_from(GUNS))],
        "mode": "single" if number == 1 else draw(st.sampled_from(["auto", "suppress"])),
        "range_m": draw(st.integers(0, 8)),
        "hp": draw(st.integers(1, 100)),
        "attack_dice": draw(st.lists(FACES, min_size=number, max_size=number)),
        "dodge_dice": draw(st.lists(FACES, min_size=number, max_size=number)),
        "damage_dice": draw(st.lists(st.integers(1, 5), min_size=number, max_size=number)),
        "accuracy": draw(MODS),
        "dodge": draw(MODS),
        "damage": draw(MODS),
        "aimed": draw(st.booleans()),
        "sneak": draw(st.booleans()),
    }


@pytest.mark.slow
@settings(deadline=None)
@given(attacks(), st.integers(-10, 50), st.integers(0, 50))
def test_damage_is_never_below_nought_nor_more_for_more_reduction(question: dict[str, Any], dr: int, more: int) -> None:
    """HP, damage and sums stay within their bounds."""
    less, much = ask(**question, dr=dr), ask(**question, dr=dr + more)
    for reply in (less, much):
        assert 0 <= reply["damage"] == max(0, reply["before_dr"] - reply["dr"])
        assert reply["hp"] == max(0, question["hp"] - reply["damage"])
        assert reply["dr"] <= 30
        most = 3 * sum(question["damage_dice"]) + 30
        assert reply["before_dr"] <= most
        assert reply["wounded"] == (reply["hp"] == 0)
        assert reply["mortal_save"] == (reply["damage"] >= 2 * question["hp"])
        assert any(reply["hits"]) or reply["damage"] == 0
    assert much["damage"] <= less["damage"]
    assert less["hits"] == much["hits"]


@settings(deadline=None)
@given(attacks(), st.randoms())
def test_the_order_of_modifiers_is_no_matter(question: dict[str, Any], chance: Random) -> None:
    """Any order gives the same answer."""
    shuffled = {name: [*question[name]] for name in ("accuracy", "dodge", "damage")}
    for mods in shuffled.values():
        chance.shuffle(mods)
    assert ask(**question) == ask(**{**question, **shuffled})


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=4), st.randoms())
def test_the_largest_counts_whole_and_others_by_half(values: list[int], chance: Random) -> None:
    """In any order, and at most the sum of all."""
    shuffled = [*values]
    chance.shuffle(shuffled)
    assert sum_dominant(values) == sum_dominant(shuffled)
    positive = [abs(value) for value in values]
    assert max(positive) <= sum_dominant(positive) <= sum(positive)


def test_an_attack_is_played_step_by_step() -> None:
    """Each step shows its line of the page."""
    asked = part(
        racial_facts(ROE, ACTOR, "Violent Upbringing"), {"dr": 4}, tokens=("M_a_Rifle",), mode="auto", range_m=5, hp=30
    )
    dice = ScriptedDice([(100, 60), (100, 50), (100, 20), (100, 50), (100, 90), (100, 50), (20, 9), (20, 11)])
    played = resolve(Request(PROCEDURE.family, (asked,)), ROE, dice).parts[0]
    dice.finish()
    rolled = [step for step in played.steps if isinstance(step, Step)]
    assert [step.table.id for step in rolled] == ["roe.act.shot", "roe.resist.strike"] * 3
    reply = [step for step in played.steps if isinstance(step, Throw)]
    assert [(step.title, step.text, step.line) for step in reply] == [
        ("Damage", "20 +5 = 25, less 4 DR = 21 (Violent Upbringing +5)", 105),
        ("HP", "30 less 21 = 9", 106),
    ]
    assert played.conclusion is not None
    assert (played.conclusion.outcome, played.conclusion.text) == ("2-hits", "2 of 3 hit")
    assert played.record["hp"] == 9


def test_those_beside_the_target_share_its_dice() -> None:
    """They take half, dodge with +15 (C18.5, C18.7), and throw dice not thrown yet."""
    reply: dict[str, Any] = {"tokens": ("M_a_Rifle",), "mode": "auto", "range_m": 5, "hp": 30}
    target, beside = part({}, {"damage": 5}, **reply), part({}, {"damage": 5}, **reply, beside=True)
    accuracy, dodges = (60, 70, 80), ((50, 90, 50), (50, 54, 90), (1, 54, 50))
    faces = [(100, face) for pair in zip(accuracy, dodges[0], strict=True) for face in pair] + [(20, 7), (20, 9)]
    faces += [(100, face) for face in dodges[1]] + [(20, 12)] + [(100, face) for face in dodges[2]]
    dice = ScriptedDice(faces)
    first, second, third = resolve(Request(PROCEDURE.family, (target, beside, beside)), ROE, dice).parts
    dice.finish()
    assert (first.record["hits"], first.record["damage"]) == ([True, False, True], 7 + 9 + 5)
    assert (second.record["hits"], second.record["damage"]) == ([False, True, False], 12 // 2 + 5)
    assert (third.record["hits"], third.record["damage"]) == ([True, True, True], (7 + 12 + 9) // 2 + 5)
    assert [step.roll.source for step in third.on_tables][::2] == [SHARED] * 3


def test_a_single_shot_hits_nobody_beside_the_target() -> None:
    """Only automatic fire and far shotguns do (C18.5, C18.6)."""
    for token, range_m in (("M_a_Rifle", 5), ("M_s_Shotgun", 10)):
        with pytest.raises(RollError, match="Only automatic fire"):
            plan_attack(part(tokens=(token,), range_m=range_m, hp=9, beside=True), ROE)
    assert plan_attack(part(tokens=("M_s_Shotgun",), range_m=11, hp=9, beside=True), ROE).share == 2


def test_which_damage_table_is_that_of_melee_is_one_number() -> None:
    """Swapped, heavy guns have a d100 and heavy melee weapons a d70 (A2)."""
    number = replace(ROE.entries_of(PrintedNumber)["melee-damage-table"], value=2)
    swapped = replace(ROE, catalog={**ROE.catalog, "number": {**ROE.catalog["number"], number.id: number}})
    for token, die in (("H_s_Launcher", 100), ("H_b_Club", 70)):
        assert plan_attack(part(tokens=(token,), range_m=1, hp=1), swapped).aims[0].arm.die == die
