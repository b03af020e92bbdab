"""Pools of dice: how they are read, thrown again, and their exact odds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.dice import MAX_DICE, PoolTerm, Push, Roll, ScriptedDice, TablePool, throw
from rules.errors import BookError
from rules.house import read_house_file
from rules.loader import load_with_house_rules
from rules.modifiers import Adjustment
from rules.odds import table_odds
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve
from rules.tables import RollTable

GAME = """
[game]
title = "Pools"
facts = [{{ trait = "hurt", label = "hurt", roles = ["roller"] }}]
fields = [{{ id = "stress", label = "stress", on = ["character"], takes = "number", min = 0, max = 9 }}]
deeds = [{{ id = "strain", text = "{{to}} takes {{amount}} stress", adds = "stress", amount = "ones" }}]

[[table]]
id = "search"
title = "Search"
die = 6
pool = {{ {pool} }}
rows = [
  {{ max = 0, text = "Nothing", then = [{{ do = "strain", to = "roller" }}] }},
  {{ min = 1, text = "Something", then = [{{ do = "strain", to = "roller" }}] }},
]
modifiers = [{{ id = "roller.hurt", value = -1, label = "Hurt", group = "dice" }}]
"""
COUNTED = 'reads = "count", dice = 2, target = 6'
PUSHED = f"{COUNTED}, push = {{ below = 1, keep = [1, 6] }}"


def game(pool: str = COUNTED) -> RuleSet:
    """Load a game with one pool."""
    return load_with_house_rules("house", [read_house_file("pools", GAME.format(pool=pool).encode())], others={})


def terms() -> st.SearchStrategy[PoolTerm]:
    """Return small pools of every kind."""
    faces = st.integers(1, 4)
    return st.builds(
        PoolTerm,
        count=st.integers(1, 3),
        sides=st.integers(2, 4),
        reads=st.sampled_from(["highest", "lowest", "count"]),
        target=faces,
        twice=st.integers(2, 5),
        ones=st.integers(-1, 1),
        pair=st.integers(0, 1),
        below=st.none() | st.integers(-1, 4),
        keep=st.lists(faces, unique=True, max_size=2).map(tuple),
    )


def count_all(term: PoolTerm) -> dict[int, Fraction]:
    """Return the chance of each total by throwing every way there is."""
    found: Counter[int] = Counter()
    most = term.sides ** (2 * term.count)
    for faces in product(range(1, term.sides + 1), repeat=2 * term.count):
        first, more = faces[: term.count], iter(faces[term.count :])
        plain = replace(term, below=None)
        if term.below is not None and plain.total(first) < term.below:
            first = tuple(face if face in term.keep else next(more) for face in first)
        found[plain.total(first)] += 1
    return {total: Fraction(ways, most) for total, ways in found.items()}


@settings(max_examples=60, deadline=None)
@given(terms())
def test_odds_are_those_of_all_throws(term: PoolTerm) -> None:
    """Also of pools that are thrown again."""
    assert {total: Fraction(ways, term.cases) for total, ways in term.ways().items() if ways} == count_all(term)


@settings(max_examples=60, deadline=None)
@given(terms(), st.lists(st.integers(1, 2), min_size=6, max_size=6))
def test_a_throw_reads_as_it_was_thrown(term: PoolTerm, faces: list[int]) -> None:
    """The faces of both throws give the total again, and only what isn't kept is thrown twice."""
    roll = throw(ScriptedDice.of(faces, term.sides), term)
    assert isinstance(roll.term, PoolTerm)
    assert roll.total == roll.term.total(roll.faces)
    assert roll.term.count == len(roll.faces)
    again = len(roll.faces) - term.count
    assert again == 0 or again == sum(face not in term.keep for face in roll.faces[: term.count])


@pytest.mark.parametrize(
    ("pool", "added", "thrown"),
    [
        (TablePool("count", 1, target=6), -2, "0d6 count"),
        (TablePool("highest", 1), 0, "1d6 highest"),
        (TablePool("highest", 1, zero=2), 0, "2d6 lowest"),
        (TablePool("lowest", 1, zero=3), -1, "3d6 highest"),
        (TablePool("highest", 1, dice=2), 3, "5d6 highest"),
        (TablePool("count", 1, target=6), 99, f"{MAX_DICE}d6 count"),
        (TablePool("count", 1, target=6, push=Push(1)), 99, f"{MAX_DICE // 2}d6 count"),
    ],
)
def test_modifiers_are_dice(pool: TablePool, added: int, thrown: str) -> None:
    """Without a die a pool is read at its other end, or counts nothing."""
    term = pool.term(6, added)
    assert f"{term} {term.reads}" == thrown


def test_special_faces_count() -> None:
    """Faces that count twice, ones that take away, and a second highest."""
    assert PoolTerm(4, 10, reads="count", target=8, twice=10, ones=-1).total([10, 8, 1, 7]) == 2
    assert PoolTerm(3, 6, reads="highest", pair=1).total([6, 2, 6]) == 7
    assert PoolTerm(3, 6, reads="highest", pair=1).total([6, 2, 5]) == 6
    assert PoolTerm(2, 6, reads="lowest").total([6, 2]) == 2


def rolled(pool: str, faces: list[int], **more: Any) -> tuple[Roll, list[int | None]]:  # noqa: ANN401 - parts of a part
    """Return the dice of one roll, and what followed."""
    book = game(pool)
    part = Part("Mara", {"roller": "Mara"}, **more)
    result = resolve(Request("search", (part,)), book, ScriptedDice.of(faces, 6)).parts[0]
    assert result.conclusion is not None
    return result.on_tables[0].roll, [item.amount for item in result.conclusion.consequences]


def test_a_pushed_roll_is_thrown_once_more_and_its_ones_hurt() -> None:
    """Only if it's pushed and came up too low; without ones nothing follows."""
    push = {"choices": {"push": "push once"}}
    assert rolled(PUSHED, [1, 3])[0].faces == (1, 3)
    assert rolled(PUSHED, [1, 3])[1] == []
    roll, amounts = rolled(PUSHED, [1, 3, 1], **push)
    assert (roll.faces, roll.total, amounts) == ((1, 3, 1), 0, [2])
    roll, amounts = rolled(PUSHED, [2, 3, 6, 5], **push)
    assert (roll.faces, roll.total, amounts) == ((2, 3, 6, 5), 1, [])
    roll, amounts = rolled(PUSHED, [6, 1], **push)
    assert (roll.faces, roll.total, amounts) == ((6, 1), 1, [])


def test_ticks_and_adjustments_add_dice() -> None:
    """A modifier of -1 takes a die away."""
    assert len(rolled(COUNTED, [1], marks={"roller.hurt": 1})[0].faces) == 1
    assert len(rolled(COUNTED, [1, 2, 3, 4], adjustments=(Adjustment(2, "luck"),))[0].faces) == 4


SKILL = """
[[table]]
id = "skill"
title = "Skill"
die = {die}
against = {{ reads = "under", value = 50 }}
doubles = {{ success = "critical", {failure} = "fumble" }}
rows = [
  {{ max = -100, outcome = "fumble", text = "A fumble" }},
  {{ min = -99, max = -1, outcome = "failure", text = "A failure" }},
  {{ min = 0, max = 99, outcome = "success", text = "A success" }},
  {{ min = 100, outcome = "critical", text = "A critical success" }},
]
"""


def skill(die: str = "100", failure: str = "failure") -> RollTable:
    """Load a table of a d100 whose doubles count."""
    text = SKILL.format(die=die, failure=failure).encode()
    return load_with_house_rules("house", [read_house_file("skill", text)], others={}).tables["skill"]


@settings(max_examples=40, deadline=None)
@given(st.integers(-60, 60))
def test_doubles_of_a_d100_have_exact_odds(modifier: int) -> None:
    """Each face gives its row, or the row of its double."""
    table, found = skill(), Counter[str]()
    for face in range(1, 101):
        _, score = table.score(face, modifier, None)
        found[table.read(face, score)[0].outcome] += 1
    odds = {outcome: chance for outcome, chance in table_odds(table, modifier).items() if chance}
    assert odds == {outcome: Fraction(ways, 100) for outcome, ways in found.items()}
    if modifier == 0:
        assert found == {"critical": 4, "success": 46, "failure": 44, "fumble": 6}


@pytest.mark.parametrize(
    ("die", "failure", "told"),
    [("20", "failure", "only a d100 has doubles"), ("100", "failed", "doubles: unknown outcome failed")],
)
def test_doubles_that_cannot_be_are_told(die: str, failure: str, told: str) -> None:
    """Only of a d100, and only of rows that there are."""
    with pytest.raises(BookError) as refusal:
        skill(die, failure)
    assert any(told in fault.what for fault in refusal.value.faults), refusal.value.faults


@pytest.mark.parametrize(
    ("pool", "told"),
    [
        ('reads = "count"', "a pool that counts needs a target: write for example target = 6"),
        ('reads = "count", target = 7', "1d6 doesn't show 7: write a face from 1 to 6"),
        ('reads = "highest", target = 6', "target is for pools that read another way"),
        ('reads = "count", target = 6, zero = 2', "zero is for pools that read another way"),
        ('reads = "lowest", pair = 1', "pair is for pools that read another way"),
        ('reads = "most"', "unknown reads most"),
        ('reads = "highest", dice = 21', "write 20 or less"),
        ('reads = "highest", push = { keep = [1] }', "missing below"),
    ],
)
def test_what_no_pool_can_be_is_told(pool: str, told: str) -> None:
    """The linter says what to write."""
    with pytest.raises(BookError) as refusal:
        game(pool)
    assert any(told in fault.what for fault in refusal.value.faults), refusal.value.faults


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('die = "2d6"', "a pool throws one die several times"),
        ("die = 100", "or another up to 20"),
        ('die = 6\nagainst = { reads = "under", value = 3 }', "a pool is read alone"),
        ('die = 6\nnaturals = [{ face = 6, outcome = "nothing" }]', "leave naturals out"),
    ],
)
def test_what_no_table_of_a_pool_can_have_is_told(more: str, told: str) -> None:
    """One die, read alone or against a number to reach."""
    text = GAME.format(pool=COUNTED).replace("die = 6", more)
    with pytest.raises(BookError) as refusal:
        load_with_house_rules("house", [read_house_file("pools", text.encode())], others={})
    assert any(told in fault.what for fault in refusal.value.faults), refusal.value.faults
