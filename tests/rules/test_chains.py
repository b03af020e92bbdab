"""Rows that roll on another table."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.book import HOUSE
from rules.dice import ScriptedDice
from rules.procedure import Part, Request
from rules.ruleset import RuleSet, resolve
from tests.rules.test_house import make_book

TABLE = '[[table]]\nid = "{0}"\ntitle = "T {0}"\ndie = 4\nsource = {{ book = "b", section = "s" }}\nrows = [{1}]\n'
ENDS = {1: "max = 1", 2: "min = 2, max = 2", 3: "min = 3, max = 3", 4: "min = 4"}
ROW = '{{ {3}, outcome = "{1}-{0}", text = "{1} {0}"{2} }}'
Leads = dict[str, dict[int, str]]
"""By table, the faces of its die of 4 that roll on, and where."""


def _make(leads: Leads) -> RuleSet:
    rows = {
        name: ", ".join(
            ROW.format(face, name, f', rolls = "{led[face]}"' if face in led else "", ENDS[face])
            for face in range(1, 5)
        )
        for name, led in leads.items()
    }
    return make_book("".join(TABLE.format(name, some) for name, some in rows.items()), book=HOUSE)


def _walk(leads: Leads, table: str, chance: Fraction) -> list[tuple[str, Fraction]]:
    found = []
    for face in range(1, 5):
        here, share = f"{table} {face}", chance / 4
        led = leads[table].get(face)
        found += [(f"{here}: {text}", part) for text, part in _walk(leads, led, share)] if led else [(here, share)]
    return found


layouts = st.fixed_dictionaries(
    {
        name: st.dictionaries(st.integers(1, 4), st.sampled_from(later), max_size=2) if later else st.just({})
        for name, later in (("one", ["two", "three"]), ("two", ["three", "four"]), ("three", ["four"]), ("four", []))
    }
)


@given(leads=layouts)
@settings(max_examples=40, deadline=None)
def test_the_odds_of_a_chain_are_those_of_all_its_ways(leads: Leads) -> None:
    """As counted path by path."""
    book = _make(leads)
    odds = book.procedure("one").method.odds(Part("", {"roller": "Ann"}), book)
    assert {item.conclusion.text: item.chance for item in odds} == dict(_walk(leads, "one", Fraction(1)))


def test_ends_with_like_names_stay_apart() -> None:
    """A row `a.b` isn't the row `b` that a row `a` leads to."""
    first = '{ max = 1, outcome = "a.b", text = "One" }, { min = 2, outcome = "a", text = "Two", rolls = "on" }'
    second = '{ max = 2, outcome = "b", text = "Low" }, { min = 3, outcome = "c", text = "High" }'
    book = make_book(TABLE.format("first", first) + TABLE.format("on", second), book=HOUSE)
    odds = book.procedure("first").method.odds(Part("", {"roller": "Ann"}), book)
    assert {item.conclusion.text: item.chance for item in odds} == {
        "One": Fraction(1, 4),
        "Two: Low": Fraction(3, 8),
        "Two: High": Fraction(3, 8),
    }


@given(leads=layouts)
@settings(max_examples=20, deadline=None)
def test_a_chain_is_rolled_table_by_table(leads: Leads) -> None:
    """Each throw gives the course that its odds list, and no die is left."""
    book = _make(leads)
    known = {text for text, _ in _walk(leads, "one", Fraction(1))}
    for faces in product(range(1, 5), repeat=4):
        table: str | None = "one"
        needed = []
        for face in faces:
            needed.append(face)
            table = leads[table].get(face) if table else None
            if table is None:
                break
        dice = ScriptedDice.of(needed, 4)
        (result,) = resolve(Request("one", (Part("", {"roller": "Ann"}),)), book, dice).parts
        dice.finish()
        assert result.conclusion is not None
        assert result.conclusion.text in known
        assert [step.row.text for step in result.on_tables] == result.conclusion.text.split(": ")
