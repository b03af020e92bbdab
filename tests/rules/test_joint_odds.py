from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.dice import DiceTerm
from rules.odds import MAX_COMBINATIONS, JointOdds, count_ways, joint_odds
from rules.procedure import Chance, Part
from rules.ruleset import RuleSet, prepare_part
from tests.rules.test_contests import list_falls, make_part
from tests.rules.toybook import DUEL, DUELS, TOY

DICE = st.sampled_from([DiceTerm(1, 2), DiceTerm(1, 3), DiceTerm(1, 4), DiceTerm(2, 2)])
FACTS = ("actor.tired", "actor.scope", "resister.cover", "resister.hidden")
PARTS = st.lists(st.tuples(st.sets(st.sampled_from(FACTS)), st.integers(-16, 16)), min_size=2, max_size=3)


def _make_duel(each: str, *dice: DiceTerm) -> RuleSet:
    tables = {**TOY.tables}
    for name, die in zip(DUEL, dice, strict=True):
        table = TOY.table(name)
        ends = zip(table.naturals, (die.low, die.high), strict=True)
        naturals = tuple(replace(item, face=face) for item, face in ends if die.sides > 3 or die.count > 1)
        tables[name] = replace(table, die=die, naturals=naturals)
    return replace(TOY, tables=tables, contests={"toy.duel": replace(TOY.contests["toy.duel"], each=each)})


def _list_odds(book: RuleSet, of: Part) -> tuple[Chance, ...]:
    return DUELS.method.odds(prepare_part(of, DUELS, book), book)


def _list_joint_odds(book: RuleSet, parts: list[Part]) -> JointOdds:
    shared = DUELS.method.find_shared_die(book)
    assert shared is not None
    unders = [{one.conclusion.outcome: one.under for one in _list_odds(book, item)} for item in parts]
    return joint_odds(book.table(shared[0]).die, unders)


@pytest.mark.slow
@given(each=st.sampled_from(["actor", "resister"]), dice=st.tuples(DICE, DICE), known=PARTS)
@settings(max_examples=60, deadline=None)
def test_what_parts_come_to_together_is_what_every_fall_comes_to(
    each: str, dice: tuple[DiceTerm, DiceTerm], known: list[tuple[set[str], int]]
) -> None:
    """Every combination and number agrees with trying."""
    book = _make_duel(each, *dice)
    parts = [make_part(*facts, key=f"R{number}", plus=plus) for number, (facts, plus) in enumerate(known)]
    if each == "resister":  # many against one
        parts = [replace(item, subjects={"actor": item.key, "resister": "Bob"}) for item in parts]
    fallen = list_falls(DUELS, *parts, book=book)
    joint = _list_joint_odds(book, parts)
    assert {outcomes: chance for outcomes, chance in joint.each.items() if chance} == fallen
    for outcome, counts in joint.counts.items():
        for number, chance in enumerate(counts):
            assert chance == sum(one for outcomes, one in fallen.items() if outcomes.count(outcome) == number)
        assert sum(counts) == 1
        for place, item in enumerate(parts):
            (told,) = [one.chance for one in _list_odds(book, item) if one.conclusion.outcome == outcome] or [
                Fraction(0)
            ]
            assert told == sum(one for outcomes, one in fallen.items() if outcomes[place] == outcome)


def test_parts_that_share_a_die_are_not_odds_multiplied() -> None:
    """All-struck is likelier; 25 parts stay exact."""
    parts = [make_part(key=key) for key in ("Bob", "Cid", "Dan")]
    joint = _list_joint_odds(TOY, parts)
    (struck,) = [item.chance for item in _list_odds(TOY, parts[0]) if item.conclusion.outcome == "struck"]
    assert joint.counts["struck"][3] > 2 * struck**3
    assert sum(number * chance for number, chance in enumerate(joint.counts["struck"])) == 3 * struck
    assert joint.each["struck", "struck", "struck"] == joint.counts["struck"][3] == joint.counts["parried"][0]
    joint = _list_joint_odds(TOY, [make_part(key=f"R{number}") for number in range(25)])
    assert (len(joint.counts["struck"]), joint.each) == (26, {})
    assert sum(joint.counts["struck"]) == 1
    assert MAX_COMBINATIONS < 2**25


@given(st.lists(st.integers(0, 4), max_size=5))
def test_ways_are_those_of_every_choice(ways: list[int]) -> None:
    """Counts match all choices."""
    found = [0] * (len(ways) + 1)
    for chosen in product((True, False), repeat=len(ways)):
        found[sum(chosen)] += prod(way if true else 4 - way for way, true in zip(ways, chosen, strict=True))
    assert count_ways(ways, 4) == tuple(found)
    assert count_ways([1] * 4, 2) == tuple(comb(4, number) for number in range(5))
