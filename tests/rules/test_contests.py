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
from rules.modifiers import Adjustment, KnownFact, Origin
from rules.odds import table_odds
from rules.procedure import Part, PartResult, Procedure, Request, Stage, Step
from rules.ruleset import RuleSet, prepare_part, resolve
from rules.stages import TableMethod, conclude_by_row, family_tickables
from tests.rules.toybook import BARRAGE, CLIMB, DUELS, NERVE, TOY, VOLLEYS

TOLD = Origin("typed", "told")


def make_part(*facts: str, key: str = "one", plus: int = 0, **inputs: object) -> Part:
    """Make a part with facts, a game master's plus and inputs."""
    known = {fact: KnownFact(1, TOLD) for fact in facts}
    adjustments = (Adjustment(plus, "why not"),) if plus else ()
    return Part(key, {"actor": "Ann", "resister": key}, known, adjustments=adjustments, inputs=inputs)


def _roll_part(procedure: Procedure, of: Part, *dice: tuple[int, int]) -> PartResult:
    script = ScriptedDice(dice)
    (result,) = resolve(Request(procedure.family, (of,)), TOY, script).parts
    script.finish()
    return result


def _roll_outcome(result: PartResult) -> str:
    assert result.conclusion is not None
    return result.conclusion.outcome


def _find_last_table(result: PartResult) -> Step:
    return result.on_tables[-1]


@pytest.mark.parametrize(
    ("face", "came"), [(49, "failure"), (50, "success"), (69, "success"), (70, "ease"), (1, "failure"), (100, "ease")]
)
def test_a_check_is_read_by_how_far_it_is_above_its_value(face: int, came: str) -> None:
    """At the value it succeeds; naturals decide."""
    result = _roll_part(CLIMB, make_part(), (100, face))
    assert (_roll_outcome(result), _find_last_table(result).value, _find_last_table(result).total) == (came, 50, face)


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
    """Sums are capped, groups first, and there's no lower cap."""
    step = _find_last_table(_roll_part(CLIMB, make_part(*facts, plus=plus), (100, 20)))
    assert (step.sum, step.total) == (held, 20 + held)
    assert step.uncapped == sum(item.amount for item in step.modifiers) + plus


def test_a_check_under_a_value_moves_the_value() -> None:
    """Modifiers change the value; without one, nothing is rolled."""
    tired = make_part("actor.tired", values={"toy.nerve": 12})
    assert [_roll_outcome(_roll_part(NERVE, tired, (20, face))) for face in (9, 10)] == ["success", "failure"]
    step = _find_last_table(_roll_part(NERVE, tired, (20, 9)))
    assert (step.total, step.value, step.sum) == (9, 12, -3)
    with pytest.raises(RollError, match="a number to read it against is missing"):
        _roll_part(NERVE, make_part())
    with pytest.raises(RollError, match="a number to read it against is missing"):
        NERVE.method.odds(prepare_part(make_part(), NERVE, TOY), TOY)


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
    """Ties are the resister's; slips and perfect parries come first."""
    result = _roll_part(DUELS, make_part(), (100, actor), (100, resister))
    assert _roll_outcome(result) == came
    assert _find_last_table(result).value == actor


def test_each_side_has_its_own_modifiers() -> None:
    """The actor's don't help the resister; one card has both."""
    result = _roll_part(DUELS, make_part("actor.scope", "resister.cover"), (100, 50), (100, 47))
    assert [step.sum for step in result.on_tables] == [12, 15]
    assert (_roll_outcome(result), _find_last_table(result).value) == ("parried", 62)
    prepared = prepare_part(make_part(), DUELS, TOY)
    assert [item.stage.table.title for item in DUELS.method.stages(prepared, TOY)] == ["Thrust", "Parry"]
    assert {"actor.scope", "actor.tired", "resister.cover", "resister.hidden"} <= family_tickables(DUELS, TOY).keys()


def test_one_die_of_the_actor_stands_against_each_of_many() -> None:
    """The actor throws once, each resister separately."""
    parts = (make_part(key="Bob"), make_part("resister.cover", key="Cid"), make_part(key="Dan"))
    dice = ScriptedDice([(100, 60), (100, 59), (100, 50), (100, 61)])
    results = resolve(Request("duel", parts), TOY, dice).parts
    dice.finish()
    assert [_roll_outcome(result) for result in results] == ["struck", "parried", "parried"]
    assert [result.on_tables[0].roll for result in results[1:]] == [
        Roll(TOY.table("toy.thrust").die, (60,), SHARED)
    ] * 2


def test_strikes_end_with_the_hit_that_is_enough() -> None:
    """Misses throw no damage, and the last needed hit ends it."""
    fire = make_part(tries=5, values={"toy.damage": 4})
    result = _roll_part(VOLLEYS, fire, (100, 41), (100, 40), (6, 4), (100, 1), (6, 5), (100, 40), (6, 6))
    assert (_roll_outcome(result), result.record) == ("sunk", {"hits": 2})
    assert (_find_last_table(result).value, _find_last_table(result).roll.faces) == (2, ())
    result = _roll_part(BARRAGE, make_part())
    assert (_roll_outcome(result), len(result.steps)) == ("sunk", 1)


@pytest.mark.parametrize("tries", [0, MAX_TRIES + 1, None])
def test_so_many_tries_there_are_not(tries: int | None) -> None:
    """None or too many are refused before any die."""
    with pytest.raises(RollError, match="tries"):
        _roll_part(VOLLEYS, make_part(values={"toy.damage": 4}, tries=tries))


def list_falls(procedure: Procedure, *parts: Part, book: RuleSet = TOY) -> dict[tuple[str, ...], Fraction]:
    """Return all results with chances, by trying every sequence of dice."""
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
            came = tuple(map(_roll_outcome, results))
            found[came] = found.get(came, Fraction(0)) + Fraction(1, prod(sides for sides, _ in script))
    return found


def _try_all(procedure: Procedure, of: Part) -> dict[str, Fraction]:
    return {came: chance for (came,), chance in list_falls(procedure, of).items()}


def _list_odds(procedure: Procedure, of: Part) -> dict[str, Fraction]:
    chances = procedure.method.odds(prepare_part(of, procedure, TOY), TOY)
    return {item.conclusion.outcome: item.chance for item in chances}


FACTS = st.sets(st.sampled_from(sorted(TOY.facts)))


@given(facts=FACTS, plus=st.integers(-40, 40), value=st.integers(-5, 25))
@settings(max_examples=25, deadline=None)
def test_the_odds_of_checks_are_what_every_face_comes_to(facts: set[str], plus: int, value: int) -> None:
    """Over and under a value; they add up to 1."""
    for procedure, of in (
        (CLIMB, make_part(*facts, plus=plus)),
        (NERVE, make_part(*facts, plus=plus, values={"toy.nerve": value})),
    ):
        odds = _list_odds(procedure, of)
        assert odds == _try_all(procedure, of)
        assert sum(odds.values()) == 1


@pytest.mark.slow
@pytest.mark.no_cover
@given(facts=FACTS, plus=st.integers(-20, 20))
@settings(max_examples=3, deadline=None)
def test_the_odds_of_a_contest_are_what_every_pair_comes_to(facts: set[str], plus: int) -> None:
    """Ten thousand pairs give exactly those odds."""
    of = make_part(*facts, plus=plus)
    assert _list_odds(DUELS, of) == _try_all(DUELS, of)


@given(facts=FACTS, tries=st.integers(1, 3), defence=st.integers(0, 6))
@settings(max_examples=10, deadline=None)
def test_the_odds_of_strikes_are_those_of_every_number_of_hits(facts: set[str], tries: int, defence: int) -> None:
    """Tries are independent; chances add up to 1."""
    of = make_part(*facts, tries=tries, values={"toy.damage": defence})
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
    assert _list_odds(VOLLEYS, of) == {came: chance for came, chance in found.items() if chance}


def test_what_a_game_master_adds_counts_on_the_first_throw_alone_in_the_odds_too() -> None:
    """A table thrown twice has different odds the second time."""
    table = TOY.table("toy.climb")
    again = TableMethod(
        ("toy.climb",), conclude_by_row("results"), lambda _part, _book: Stage(table, then={"failure": Stage(table)})
    )
    of = make_part(plus=5)
    first, second = (table_odds(table, plus, value=50) for plus in (5, 0))
    odds = {item.conclusion.outcome: item.chance for item in again.odds(of, TOY)}
    assert odds["ease"] == first["ease"] + first["failure"] * second["ease"]


def test_a_reading_that_is_plain_lets_no_face_decide() -> None:
    """Naturals are read by total, other readings keep them."""
    table = TOY.table("toy.parry")
    plain, other = table.readings["against-fumble"], table.readings["against-critical"]
    assert table.read(1, -98, plain) == (table.row("parried"), False)
    assert table.read(100, 99, other) == (table.row("parried"), True)
    assert table_odds(table, 0, plain, 1) == {"struck": Fraction(0), "parried": Fraction(1)}
    assert replace(plain, plain=False).plain is other.plain
