"""Of parts that share a die, how likely it is that all, none or some come to the same is what every fall of the dice comes to."""

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
from tests.rules.test_contests import every_fall, part
from tests.rules.toybook import DUEL, DUELS, TOY

DICE = st.sampled_from([DiceTerm(1, 2), DiceTerm(1, 3), DiceTerm(1, 4), DiceTerm(2, 2)])
FACTS = ("actor.tired", "actor.scope", "resister.cover", "resister.hidden")
PARTS = st.lists(st.tuples(st.sets(st.sampled_from(FACTS)), st.integers(-16, 16)), min_size=2, max_size=3)


def small(each: str, *dice: DiceTerm) -> RuleSet:
    """The toy book with a duel on these dice, of which that side's is thrown once; the ends of a die decide by themselves."""
    tables = {**TOY.tables}
    for name, die in zip(DUEL, dice, strict=True):
        table = TOY.table(name)
        ends = zip(table.naturals, (die.low, die.high), strict=True)
        naturals = tuple(replace(item, face=face) for item, face in ends if die.sides > 3 or die.count > 1)
        tables[name] = replace(table, die=die, naturals=naturals)
    return replace(TOY, tables=tables, contests={"toy.duel": replace(TOY.contests["toy.duel"], each=each)})


def odds_of(book: RuleSet, of: Part) -> tuple[Chance, ...]:
    """What one part of a duel comes to, as it is told."""
    return DUELS.method.odds(prepare_part(of, DUELS, book), book)


def together(book: RuleSet, parts: list[Part]) -> JointOdds:
    """What the parts of a duel come to together, as it is told."""
    shared = DUELS.method.shared(book)
    assert shared is not None
    unders = [{one.conclusion.outcome: one.under for one in odds_of(book, item)} for item in parts]
    return joint_odds(book.table(shared[0]).die, unders)


@pytest.mark.slow
@given(each=st.sampled_from(["actor", "resister"]), dice=st.tuples(DICE, DICE), known=PARTS)
@settings(max_examples=60, deadline=None)
def test_what_parts_come_to_together_is_what_every_fall_comes_to(
    each: str, dice: tuple[DiceTerm, DiceTerm], known: list[tuple[set[str], int]]
) -> None:
    """Every combination and every number of parts: one against many or many against one, with naturals, each part by its own facts."""
    book = small(each, *dice)
    parts = [part(*facts, key=f"R{number}", plus=plus) for number, (facts, plus) in enumerate(known)]
    if each == "resister":  # many against one
        parts = [replace(item, subjects={"actor": item.key, "resister": "Bob"}) for item in parts]
    fallen = every_fall(DUELS, *parts, book=book)
    joint = together(book, parts)
    assert {outcomes: chance for outcomes, chance in joint.each.items() if chance} == fallen
    for outcome, counts in joint.counts.items():
        for number, chance in enumerate(counts):
            assert chance == sum(one for outcomes, one in fallen.items() if outcomes.count(outcome) == number)
        assert sum(counts) == 1
        for place, item in enumerate(parts):
            (told,) = [one.chance for one in odds_of(book, item) if one.conclusion.outcome == outcome] or [Fraction(0)]
            assert told == sum(one for outcomes, one in fallen.items() if outcomes[place] == outcome)


def test_parts_that_share_a_die_are_not_odds_multiplied() -> None:
    """Of three alike, all are struck far more often than if each fell by itself; twenty-five have too many combinations to list, and how many are struck is exact all the same."""
    parts = [part(key=key) for key in ("Bob", "Cid", "Dan")]
    joint = together(TOY, parts)
    (struck,) = [item.chance for item in odds_of(TOY, parts[0]) if item.conclusion.outcome == "struck"]
    assert joint.counts["struck"][3] > 2 * struck**3
    assert sum(number * chance for number, chance in enumerate(joint.counts["struck"])) == 3 * struck
    assert joint.each["struck", "struck", "struck"] == joint.counts["struck"][3] == joint.counts["parried"][0]
    joint = together(TOY, [part(key=f"R{number}") for number in range(25)])
    assert (len(joint.counts["struck"]), joint.each) == (26, {})
    assert sum(joint.counts["struck"]) == 1
    assert MAX_COMBINATIONS < 2**25


@given(st.lists(st.integers(0, 4), max_size=5))
def test_ways_are_those_of_every_choice(ways: list[int]) -> None:
    """Each comes true in so many of four ways; all choices together make up the counts."""
    found = [0] * (len(ways) + 1)
    for chosen in product((True, False), repeat=len(ways)):
        found[sum(chosen)] += prod(way if true else 4 - way for way, true in zip(ways, chosen, strict=True))
    assert count_ways(ways, 4) == tuple(found)
    assert count_ways([1] * 4, 2) == tuple(comb(4, number) for number in range(5))
