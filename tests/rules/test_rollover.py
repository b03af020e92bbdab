"""A season of weather rolled by the book alone: each week follows from the last, and what is told of it is true of it."""

from __future__ import annotations

from rules.books.campaign.accounts import places
from rules.books.campaign.rollover import rollover
from rules.books.campaign.weather import Week, WeekRange, carried_facts, due_watches, subjects
from rules.dice import ScriptedDice
from rules.engine import resolve
from rules.loader import load_book
from rules.procedure import Part, Request

BOOK = load_book("campaign")
WEEKS = 60


def test_a_season_needs_nobody_but_the_book() -> None:
    """Weeks, which of them are known, and their accounts come of resolutions alone, without a database or a clock."""
    past, known = list[Week](), None
    for number in range(1, WEEKS + 1):
        facts = carried_facts(past[0], BOOK) if past else {}
        named = subjects(BOOK, due_watches(BOOK, past))
        parts = tuple(Part(str(place), names, facts) for place, names in enumerate(named))
        dice = ScriptedDice.of([(number * 7 + place * 3) % 20 + 1 for place in range(len(parts))])
        before = past[0] if past else None
        made = rollover(resolve(Request("weather", parts), BOOK, dice), BOOK, number, before, known)
        assert made.account.get("last") == (number - 1 or None)
        for _, told in places(made.account):
            assert tuple(told["conditions"]) == made.week.conditions(told["id"])
            assert told["had"] == ([] if before is None else list(before.conditions(told["id"])))
        past, known = [made.week, *past], made.known
    assert known == WeekRange(1, WEEKS, WEEKS)


def test_weeks_set_by_hand_are_known_and_not_rolled() -> None:
    """A game under way begins with one; another before the first makes the range longer, and what was rolled stays so."""
    known = WeekRange.with_set(None, 7)
    assert known == WeekRange(7, 7, 0)
    assert known.rolled_after(7) is None
    rolled = WeekRange.with_rolled(WeekRange.with_rolled(known, 8), 9)
    assert WeekRange.with_set(rolled, 6) == WeekRange(6, 9, 2)
    assert rolled.rolled_after(7) == [8, 9]
    assert rolled.rolled_after(8) == [9, 9]
