"""Checks, contests and strikes of a toy book: how dice are read, who wins, and that odds are what every fall comes to."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.book import MAX_TRIES
from rules.dice import SHARED, Roll, ScriptedDice
from rules.errors import RollError, WrongDice
from rules.modifiers import Adjustment, Known, Origin
from rules.odds import table_odds
from rules.procedure import Part, PartResult, Procedure, Request, Stage, Step
from rules.ruleset import RuleSet, prepare_part, resolve
from rules.stages import TableMethod, conclude_by_row, family_tickables
from tests.rules.toybook import BARRAGE, CLIMB, DUELS, NERVE, TOY, VOLLEYS

TOLD = Origin("typed", "told")


def part(*facts: str, key: str = "one", plus: int = 0, **inputs: object) -> Part:
    """A part of which these facts are known, with a game master's plus and further inputs."""
    known = {fact: Known(1, TOLD) for fact in facts}
    adjustments = (Adjustment(plus, "why not"),) if plus else ()
    return Part(key, {"actor": "Ann", "resister": key}, known, adjustments=adjustments, inputs=inputs)


def rolled(procedure: Procedure, of: Part, *dice: tuple[int, int]) -> PartResult:
    """The part rolled with these dice, all of them and no others."""
    script = ScriptedDice(dice)
    (result,) = resolve(Request(procedure.family, (of,)), TOY, script).parts
    script.finish()
    return result


def outcome(result: PartResult) -> str:
    """What a part came to."""
    assert result.conclusion is not None
    return result.conclusion.outcome


def last(result: PartResult) -> Step:
    """The table on which a part was decided."""
    return result.on_tables[-1]


@pytest.mark.parametrize(
    ("face", "came"), [(49, "failure"), (50, "success"), (69, "success"), (70, "ease"), (1, "failure"), (100, "ease")]
)
def test_a_check_is_read_by_how_far_it_is_above_its_value(face: int, came: str) -> None:
    """At the value it succeeds, with degrees above; naturals decide by themselves."""
    result = rolled(CLIMB, part(), (100, face))
    assert (outcome(result), last(result).value, last(result).total) == (came, 50, face)


@pytest.mark.parametrize(
    ("facts", "plus", "held"),
    [
        (("actor.rope", "actor.ladder"), 0, 30),
        (("actor.rope", "actor.ladder", "actor.tired"), 0, 25),
        (("actor.rope",), 20, 20),
        (("actor.tired",), -20, -20),
        (("actor.rope", "actor.ladder"), 20, 30),
    ],
)
def test_all_is_added_up_before_it_is_held(facts: tuple[str, ...], plus: int, held: int) -> None:
    """+40 and -15 are +25, not +15; a group is held to its own cap first, and below there is none."""
    step = last(rolled(CLIMB, part(*facts, plus=plus), (100, 20)))
    assert (step.sum, step.total) == (held, 20 + held)
    assert step.uncapped == sum(item.amount for item in step.modifiers) + plus


def test_a_check_under_a_value_moves_the_value() -> None:
    """The die is read as it fell, and what counts is added to the value, on which a die still succeeds; without it no die is thrown, in odds as in rolls."""
    tired = part("actor.tired", values={"toy.nerve": 12})
    assert [outcome(rolled(NERVE, tired, (20, face))) for face in (9, 10)] == ["success", "failure"]
    step = last(rolled(NERVE, tired, (20, 9)))
    assert (step.total, step.value, step.sum) == (9, 12, -3)
    with pytest.raises(RollError, match="a number to read it against is missing"):
        rolled(NERVE, part())
    with pytest.raises(RollError, match="a number to read it against is missing"):
        NERVE.method.odds(prepare_part(part(), NERVE, TOY), TOY)


@pytest.mark.parametrize(
    ("actor", "resister", "came"),
    [
        (60, 59, "struck"),
        (60, 60, "parried"),
        (60, 61, "parried"),
        (1, 1, "parried"),
        (1, 2, "parried"),
        (100, 99, "struck"),
        (100, 100, "parried"),
        (100, 1, "struck"),
        (99, 100, "parried"),
        (2, 1, "struck"),
    ],
)
def test_who_wins_a_contest(actor: int, resister: int, came: str) -> None:
    """The higher total wins and a tie is the resister's; a slip loses first, a perfect parry saves, then the rest."""
    result = rolled(DUELS, part(), (100, actor), (100, resister))
    assert outcome(result) == came
    assert last(result).value == actor


def test_each_side_has_its_own_modifiers() -> None:
    """What the actor has does not help the resister, and both can be ticked on one card."""
    result = rolled(DUELS, part("actor.scope", "resister.cover"), (100, 50), (100, 47))
    assert [step.sum for step in result.on_tables] == [12, 15]
    assert (outcome(result), last(result).value) == ("parried", 62)
    prepared = prepare_part(part(), DUELS, TOY)
    assert [item.stage.table.title for item in DUELS.method.stages(prepared, TOY)] == ["Thrust", "Parry"]
    assert {"actor.scope", "actor.tired", "resister.cover", "resister.hidden"} <= family_tickables(DUELS, TOY).keys()


def test_one_die_of_the_actor_stands_against_each_of_many() -> None:
    """The actor throws once; every resister throws, and what the resister has counts for it alone."""
    parts = (part(key="Bob"), part("resister.cover", key="Cid"), part(key="Dan"))
    dice = ScriptedDice([(100, 60), (100, 59), (100, 50), (100, 61)])
    results = resolve(Request("duel", parts), TOY, dice).parts
    dice.finish()
    assert [outcome(result) for result in results] == ["struck", "parried", "parried"]
    assert [result.on_tables[0].roll for result in results[1:]] == [
        Roll(TOY.table("toy.thrust").die, (60,), SHARED)
    ] * 2


def test_strikes_end_with_the_hit_that_is_enough() -> None:
    """A try that misses throws no damage, damage on the defence does not go through, and the second hit is the last try; hits that need no die are counted."""
    fire = part(tries=5, values={"toy.damage": 4})
    result = rolled(VOLLEYS, fire, (100, 41), (100, 40), (6, 4), (100, 1), (6, 5), (100, 40), (6, 6))
    assert (outcome(result), result.record) == ("sunk", {"hits": 2})
    assert (last(result).value, last(result).roll.faces) == (2, ())
    result = rolled(BARRAGE, part())
    assert (outcome(result), len(result.steps)) == ("sunk", 1)


@pytest.mark.parametrize("tries", [0, MAX_TRIES + 1, None])
def test_so_many_tries_there_are_not(tries: int | None) -> None:
    """None and too many are refused before any die."""
    with pytest.raises(RollError, match="tries"):
        rolled(VOLLEYS, part(values={"toy.damage": 4}, tries=tries))


def every_fall(procedure: Procedure, *parts: Part, book: RuleSet = TOY) -> dict[tuple[str, ...], Fraction]:
    """The chance of what all parts come to, found by rolling every sequence of dice that can fall, each die with its own sides."""
    found: dict[tuple[str, ...], Fraction] = {}
    waiting: list[tuple[tuple[int, int], ...]] = [()]
    while waiting:
        script = waiting.pop()
        try:
            results = resolve(Request(procedure.family, parts), book, ScriptedDice(script)).parts
        except WrongDice as error:
            sides = int(str(error).partition("a d")[2].split()[0])
            waiting += [(*script, (sides, face)) for face in range(1, sides + 1)]
        else:
            came = tuple(map(outcome, results))
            found[came] = found.get(came, Fraction(0)) + Fraction(1, prod(sides for sides, _ in script))
    return found


def by_brute_force(procedure: Procedure, of: Part) -> dict[str, Fraction]:
    """The chance of each outcome of one part, whatever falls."""
    return {came: chance for (came,), chance in every_fall(procedure, of).items()}


def told(procedure: Procedure, of: Part) -> dict[str, Fraction]:
    """The chance of each outcome, as the card tells it."""
    chances = procedure.method.odds(prepare_part(of, procedure, TOY), TOY)
    return {item.conclusion.outcome: item.chance for item in chances}


FACTS = st.sets(st.sampled_from(sorted(TOY.facts)))


@given(facts=FACTS, plus=st.integers(-40, 40), value=st.integers(-5, 25))
@settings(max_examples=25, deadline=None)
def test_the_odds_of_checks_are_what_every_face_comes_to(facts: set[str], plus: int, value: int) -> None:
    """Whatever is known and added, over a value and under one; they add up to 1."""
    for procedure, of in (
        (CLIMB, part(*facts, plus=plus)),
        (NERVE, part(*facts, plus=plus, values={"toy.nerve": value})),
    ):
        odds = told(procedure, of)
        assert odds == by_brute_force(procedure, of)
        assert sum(odds.values()) == 1


@pytest.mark.slow
@pytest.mark.no_cover
@given(facts=FACTS, plus=st.integers(-20, 20))
@settings(max_examples=3, deadline=None)
def test_the_odds_of_a_contest_are_what_every_pair_comes_to(facts: set[str], plus: int) -> None:
    """As above with one die, with two: ten thousand pairs of faces, criticals and ties among them, come to just the odds that are told."""
    of = part(*facts, plus=plus)
    assert told(DUELS, of) == by_brute_force(DUELS, of)


@given(facts=FACTS, tries=st.integers(1, 3), defence=st.integers(0, 6))
@settings(max_examples=10, deadline=None)
def test_the_odds_of_strikes_are_those_of_every_number_of_hits(facts: set[str], tries: int, defence: int) -> None:
    """Each try hits or not by itself; the chances of the numbers are worked out one by one, and add up to 1."""
    of = part(*facts, tries=tries, values={"toy.damage": defence})
    prepared = prepare_part(of, VOLLEYS, TOY)
    aim, damage = VOLLEYS.method.stages(prepared, TOY)
    hit = table_odds(aim.stage.table, aim.sum, value=40)["on-target"]
    hit *= table_odds(damage.stage.table, damage.sum, value=defence)["through"]
    found: dict[str, Fraction] = {}
    for tried in product((True, False), repeat=tries):
        chance = Fraction(1)
        for one in tried:
            chance *= hit if one else 1 - hit
        came = ("nothing", "damaged", "sunk", "sunk")[sum(tried)]
        found[came] = found.get(came, Fraction(0)) + chance
    assert told(VOLLEYS, of) == {came: chance for came, chance in found.items() if chance}


def test_what_a_game_master_adds_counts_on_the_first_throw_alone_in_the_odds_too() -> None:
    """Where one table is thrown on twice, as for a second try, its own odds are not those of the first throw."""
    table = TOY.table("toy.climb")
    again = TableMethod(
        ("toy.climb",), conclude_by_row("results"), lambda _part, _book: Stage(table, then={"failure": Stage(table)})
    )
    of = part(plus=5)
    first, second = (table_odds(table, plus, value=50) for plus in (5, 0))
    odds = {item.conclusion.outcome: item.chance for item in again.odds(of, TOY)}
    assert odds["ease"] == first["ease"] + first["failure"] * second["ease"]


def test_a_reading_that_is_plain_lets_no_face_decide() -> None:
    """Under it a natural face is read by its total like any other; under the others it decides."""
    table = TOY.table("toy.parry")
    plain, other = table.readings["against-fumble"], table.readings["against-critical"]
    assert table.read(1, -98, plain) == (table.row("parried"), False)
    assert table.read(100, 99, other) == (table.row("parried"), True)
    assert table_odds(table, 0, plain, 1) == {"struck": Fraction(0), "parried": Fraction(1)}
    assert replace(plain, plain=False).plain is other.plain
