"""Whether what an entry tells of its dice is what they came to, as both verifiers check it: for a check of whole ledgers. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from bot.core import draws
from bot.core.records import Entry
from bot.rolls.fairness.document import ASKED, EntryRecord, Salted
from bot.rolls.fairness.draw import DRAWN
from bot.rolls.fairness.draw_checks import (
    CheckedRoll,
    RollPart,
    Tables,
    amends,
    body_faults,
    book_tables,
    reading_faults,
)
from bot.rolls.fairness.forms import DrawForm, PartForm, read, steps_of
from bot.rolls.fairness.outside import read_outside
from bot.rolls.fairness.totals import total_faults

Books = Mapping[str, str]
"""The kept tables of books, by fingerprint."""

_BOOKS = 64
"""How many books are kept as they were read, by their whole text."""


def entry_faults(entry: Entry, books: Books, before: Mapping[int, Entry]) -> Iterator[str]:
    """Yield what is wrong with the dice of an entry, by its record, its body and the tables of its book.

    `before` has entries by number, in which one that it amends is looked for.
    """
    if entry.draw is None:
        yield from _unrecorded(entry)
    elif draws.has_parts(entry.draw):
        roll = _roll(entry)
        yield from (
            ["the record of its dice can't be read"] if roll is None else _roll_faults(entry, roll, books, before)
        )


def _unrecorded(entry: Entry) -> Iterator[str]:
    """Yield a fault where a body tells of dice from a seed, and there is no record of them."""
    if f'"{DRAWN}' not in entry.body or f'"{ASKED}"' not in entry.body:  # so that other bodies are not parsed
        return
    try:
        steps = [step for part in entry.content()["parts"] for step in part["steps"]]
        sources = [rolled["drawn"] for step in steps for rolled in step.get("dice", [step])]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return  # the check of the state names it
    if any(DRAWN in str(source) for source in sources):
        yield "the record of its dice is missing"


def _roll_faults(entry: Entry, roll: CheckedRoll, books: Books, before: Mapping[int, Entry]) -> Iterator[str]:
    if roll.of_all["book"] != entry.book:
        yield "its dice were drawn for another book"
    amended = before.get(amends(roll) or 0) if '"amends":' in entry.body else None
    yield from body_faults(None if amended is None else _record(amended), roll)
    content = books.get(roll.of_all["book"])
    tables = None if content is None else _tables(content)
    for part in roll.parts:
        found = [*reading_faults(part)]
        if tables is not None:
            found += [fault for step in part.steps if "table" in step for fault in total_faults(step, tables)]
        yield from (f"at place {part.read['place']}, {fault}" for fault in found)


def _roll(entry: Entry) -> CheckedRoll | None:
    try:
        drawn = draws.read_record(entry.draw or "")
        of_all = read(drawn.of_all, DrawForm)
        parts = [read(part.text, PartForm) for part in drawn.parts]
        return CheckedRoll(
            _record(entry), of_all, [RollPart(None, part, steps_of(part)) for part in parts], read_outside(of_all), None
        )
    except ValueError:
        return None


def _record(entry: Entry) -> EntryRecord:
    return EntryRecord(entry.number, entry.hash, body=Salted(entry.salt, entry.body))


@lru_cache(maxsize=_BOOKS)
def _tables(content: str) -> Tables | None:
    return book_tables(content)
