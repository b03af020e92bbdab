"""RoE rolls: odds against brute force, and rules for any roll."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.roe.aftermath import KEPT, SIZE, TRIES
from rules.books.roe.contests import DICE
from rules.books.roe.damage import LOSSES, find_losses, find_worst, with_die
from rules.dice import DiceTerm, ScriptedDice
from rules.errors import WrongDice
from rules.modifiers import Adjustment
from rules.odds import joint_odds
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve
from rules.tables import RollTable
from tests.rules.roe.asking import ROE, ask

FACES = st.integers(1, 100)
MODS = st.lists(st.integers(-60, 60), max_size=5)
Side = tuple[int, list[int]]
SIDES = st.tuples(FACES, MODS)
CONTESTS = st.sampled_from(["skill", "attack", "witness", "grapple", "loot", "sneak", "break_hold", "inject", "frisk"])


def small_die(table: str, value: int, sides: int = 5) -> RollTable:
    """Return a row's table with a small die."""
    printed = ROE.table(table)
    assert printed.against is not None
    naturals = tuple(item for item in printed.naturals if item.face == 1)
    against = replace(printed.against, value=value)
    return replace(printed, die=DiceTerm(1, sides), naturals=naturals, against=against)


SMALL = replace(ROE, tables={**ROE.tables, **{key: small_die(key, 4) for key in ("roe.surgery.die", "roe.escape.die")}})


def chances(book: RuleSet, family: str, part: Part) -> dict[str, Fraction]:
    """Return a family's odds by outcome."""
    return {item.conclusion.outcome: item.chance for item in book.procedure(family).method.odds(part, book)}


def outcome(book: RuleSet, family: str, part: Part, *dice: tuple[int, int]) -> str:
    """Return a part's result with these dice."""
    concluded = resolve(Request(family, (part,)), book, ScriptedDice(dice)).parts[0].conclusion
    assert concluded is not None
    return concluded.outcome


@pytest.mark.parametrize(
    ("sides", "can_crit", "plus", "minus"), [(10, False, 30, 5), (20, True, 0, 0), (6, True, -3, -99)]
)
def test_odds_of_a_contest_are_those_of_all_its_falls(sides: int, can_crit: bool, plus: int, minus: int) -> None:  # noqa: FBT001 - a parameter
    """Compare with brute force."""
    declared = ROE.contests["roe.strike"]
    adjustments = (Adjustment(plus, "a", declared.actor), Adjustment(minus, "b", declared.resister))
    inputs = {DICE: {declared.actor: {"sides": sides, "can_crit": can_crit}}}
    part = Part("typed", {}, adjustments=adjustments, inputs=inputs)
    falls = product(range(1, sides + 1), range(1, 101))
    won = Counter(outcome(ROE, "roe.strike", part, (sides, a), (100, b)) for a, b in falls)
    reply = ask(op="odds", of="contest", sides=sides, can_crit=can_crit, actor_mods=[plus], resister_mods=[minus])
    assert reply == {"wins": won["actor"], "of": sides * 100}
    assert sum(chances(ROE, "roe.strike", part).values()) == 1


@pytest.mark.parametrize(("family", "kept"), [("surgery", 0), ("escape", 0), ("escape", 1), ("escape", 2)])
def test_odds_of_a_row_of_dice_are_those_of_all_its_falls(family: str, kept: int) -> None:
    """Three d5, from any number of hits."""
    part = Part("typed", {}, inputs={KEPT: kept})
    falls = product(range(1, 6), repeat=3)
    seen = Counter(outcome(SMALL, f"roe.{family}", part, *((5, face) for face in faces)) for faces in falls)
    assert chances(SMALL, f"roe.{family}", part) == {name: Fraction(count, 125) for name, count in seen.items()}


def test_a_surgery_on_the_willing_goes_on_until_it_ends() -> None:
    """At the third success or the first natural 1."""
    assert chances(SMALL, "roe.install", Part("typed", {})) == {"success": Fraction(8, 27), "broken": Fraction(19, 27)}
    four = Part("typed", {}, inputs={TRIES: 4})
    ended: Counter[str] = Counter()
    for faces in product(range(1, 6), repeat=4):
        ended[outcome(SMALL, "roe.install", four, *((5, face) for face in faces))] += 1
    assert chances(SMALL, "roe.install", four) == {name: Fraction(count, 625) for name, count in ended.items()}
    assert outcome(ROE, "roe.install", Part("typed", {}), *[(100, face) for face in (70, 20, 90, 30, 99)]) == "success"
    assert outcome(ROE, "roe.install", Part("typed", {}), *[(100, face) for face in (70, 20, 1)]) == "broken"
    with pytest.raises(WrongDice, match="no more faces"):
        outcome(ROE, "roe.install", Part("typed", {}), (100, 70), (100, 20))


def test_odds_of_a_flight_are_those_of_one_roll_against_all() -> None:
    """Two interrupters share one d6."""
    contest, die = ROE.contests["roe.flee"], DiceTerm(1, 6)
    both = {name: with_die(ROE.table(name), die.sides) for name in (contest.actor, contest.resister)}
    small = replace(ROE, tables={**ROE.tables, **both})
    mods = (Adjustment(1, "dodge", contest.actor),)
    parts = [
        Part("a", {}, adjustments=mods),
        Part("b", {}, adjustments=(*mods, Adjustment(2, "aim", contest.resister))),
    ]
    away = 0
    for faces in product(range(1, 7), repeat=3):
        played = resolve(Request("roe.flee", tuple(parts)), small, ScriptedDice.of(faces, 6)).parts
        away += all(result.on_tables[-1].row.outcome == "actor" for result in played)
    method = small.procedure("roe.flee").method
    odds = [{item.conclusion.outcome: item.under for item in method.odds(part, small)} for part in parts]
    assert joint_odds(die, odds).counts["actor"][-1] == Fraction(away, 216)


@pytest.mark.parametrize("size", [1, 5, 500])
def test_the_mean_of_what_is_taken_is_that_of_all_faces(size: int) -> None:
    """Beyond the largest die it stays."""
    part, faces = Part("loot", {"actor": "A", "resister": "B"}, inputs={SIZE: size}), range(1, min(size, 100) + 1)
    reply = f"If won, from a stack of {size}: d{len(faces)}, {fmean(faces):g} on average."
    assert reply in ROE.procedures["roe.rob"].method.lines(part, ROE)


@given(st.sampled_from(["surgery", "install", "escape"]), st.integers(0, 2), st.integers(-90, 60))
def test_odds_of_a_row_add_up(family: str, kept: int, mod: int) -> None:
    """They sum to 1."""
    die = ROE.strikes[f"roe.{family}"].rolls[0]
    part = Part("typed", {}, adjustments=(Adjustment(mod, "typed", die),), inputs={KEPT: kept})
    assert sum(chances(ROE, f"roe.{family}", part).values()) == 1


@pytest.mark.slow
@given(CONTESTS, SIDES, SIDES, st.randoms())
def test_the_order_of_modifiers_is_no_matter(contest: str, actor: Side, resister: Side, order: Random) -> None:
    """Sums stay within the cap."""

    def fall(*sides: Side) -> dict[str, Any]:
        (die, mods), (other, theirs) = sides
        return ask(
            op="contest", contest=contest, actor={"die": die, "mods": mods}, resister={"die": other, "mods": theirs}
        )

    reply = fall(actor, resister)
    mixed = [(die, order.sample(mods, len(mods))) for die, mods in (actor, resister)]
    assert fall(*mixed) == reply
    totals = [die + min(30, sum(mods)) for die, mods in (actor, resister)]
    assert [reply["actor_total"], reply["resister_total"]] == totals


@given(CONTESTS, FACES, FACES, MODS, MODS)
def test_naturals_decide_in_their_order_before_totals(
    contest: str, actor: int, resister: int, ours: list[int], theirs: list[int]
) -> None:
    """The tie resists (A7)."""
    reply = ask(
        op="contest", contest=contest, actor={"die": actor, "mods": ours}, resister={"die": resister, "mods": theirs}
    )
    higher = reply["actor_total"] > reply["resister_total"]
    ordered = [(actor == 1, False), (resister == 100, False), (actor == 100, True), (resister == 1, True)]
    won = next((who for is_so, who in ordered if is_so), higher)
    assert reply["winner"] == ("actor" if won else "resister")
    assert abs(reply["margin"]) == abs(reply["actor_total"] - reply["resister_total"])
    assert (reply["actor_loses"] != "nothing", reply["resister_loses"] != "nothing") == (actor == 1, resister == 1)


@pytest.mark.slow
@given(FACES, st.lists(SIDES, max_size=5))
def test_each_of_several_is_met_as_alone(actor: int, others: list[Side]) -> None:
    """One die counts against each."""
    sides = [{"die": die, "mods": mods} for die, mods in others]
    reply = ask(op="contest", contest="hide", actor={"die": actor}, resisters=sides)["wins"]
    assert reply == [
        ask(op="contest", contest="witness", actor={"die": actor}, resister=side)["winner"] == "actor" for side in sides
    ]
    caught = ask(op="explosion", roll=actor, targets=[{**side, "name": str(n)} for n, side in enumerate(sides)])
    assert caught["hit"] == [str(place) for place, won in enumerate(reply) if won]
    flown = ask(op="flee", dodge={"die": actor}, interrupts=sides)
    assert flown["hits"] == [
        ask(op="contest", contest="attack", actor=side, resister={"die": actor})["winner"] == "actor" for side in sides
    ]
    assert flown["away"] is not any(flown["hits"])


@given(st.lists(st.lists(FACES, min_size=1, max_size=3), max_size=6))
def test_successes_of_an_escape_only_grow(attempts: list[list[int]]) -> None:
    """The third frees."""
    kept = 0
    for count in range(len(attempts) + 1):
        reply = ask(op="escape", attempts=attempts[:count])
        if "error" in reply:
            assert kept == 3
            break
        assert kept <= reply["successes"] <= 3
        assert reply["free"] is (reply["successes"] == 3)
        kept = reply["successes"]


@pytest.mark.parametrize("cost", LOSSES)
def test_a_critical_never_costs_less_for_whom_it_costs_more(cost: Any) -> None:  # noqa: ANN401 - a word
    """Own failures and critical hits cost it."""
    assert find_losses("none", "failure", cost) == ("nothing", find_worst("action", cost))
    assert find_losses("success", "none", cost, hit=True) == ("nothing", cost)
    assert find_losses("success", "none", cost) == ("nothing", "nothing")
    assert find_losses("none", "none", cost, hit=True) == ("nothing", "nothing")
    assert find_losses("failure", "none", cost) == ("action", "nothing")


@given(st.floats(0, 500), st.none() | FACES)
def test_no_fall_heals(metres: float, die: int | None) -> None:
    """Deeper falls cost at least as much."""
    reply = ask(op="check", check="fall", metres=metres, die=die)
    assert 0 <= reply["damage"] <= ask(op="check", check="fall", metres=metres + 1)["damage"]
