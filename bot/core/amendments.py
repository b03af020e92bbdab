"""Which entries replace others, and what a campaign's state was before one of its entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries, state, transactions
from bot.core.encoding import Json
from bot.core.records import VOID, Change, Entry
from bot.core.schema import entry
from bot.core.schema import state as state_table
from bot.core.state import AMENDED, VOIDED, State, get_values_named
from rules.subjects import NAME, PROFILE

MAX_STEPS = 100
"""How many amendments in a row are followed: the marks of a campaign from elsewhere may lead in a circle."""

_OF_ENTRY = (
    state_table.c.campaign_id == entry.c.campaign_id,
    state_table.c.subject == sa.literal("entry:") + sa.cast(entry.c.number, sa.String),
    state_table.c.name == sa.bindparam("voided"),
)
_VOID_OF = (
    sa.select(state_table.c.value)
    .join_from(entry, state_table, sa.and_(*_OF_ENTRY))
    .where(
        entry.c.campaign_id == sa.bindparam("campaign"),
        entry.c.audience == "maker",
        entry.c.actor == sa.bindparam("actor"),
    )
)


def find_amending(tx: Connection, campaign_id: int, pseudonym: str | None) -> frozenset[int]:
    """Return the entries (numbers) that amend what the person with a pseudonym made for themself and the staff, or what amends that."""
    key = {"campaign": campaign_id, "actor": pseudonym or "", "voided": VOIDED}
    marks = [row.value for row in transactions.read_rows(tx, _VOID_OF, key)]
    found: set[int] = set()
    while newest := {mark["by"] for mark in marks if mark.get(AMENDED)} - found:
        found |= newest
        marks = [*get_values_named(tx, campaign_id, [f"entry:{number}" for number in newest], {VOIDED}).values()]
    return frozenset(found)


def find_replacements(tx: Connection, campaign_id: int, numbers: Iterable[int]) -> dict[int, int]:
    """Return which entry stands for each of these: itself, the last that amends it, or the one that it amended and that holds again; what was taken back is left out."""
    found = {number: number for number in numbers}
    for _ in range(MAX_STEPS):
        marks = get_values_named(tx, campaign_id, {f"entry:{number}" for number in found.values()}, {VOIDED})
        if not marks:
            break
        after = _after(tx, campaign_id, {int(key.removeprefix("entry:")): mark for (key, _), mark in marks.items()})
        moved = {number: after.get(now, now) for number, now in found.items()}
        found = {number: now for number, now in moved.items() if now is not None}
    return found


def _after(tx: Connection, campaign_id: int, marks: Mapping[int, Mapping[str, Json]]) -> dict[int, int | None]:
    """Return which entry follows each that is marked as void: the one that amends it, or that which it amended itself, if any."""
    gone = entries.get_entries_bare(
        tx, campaign_id, [number for number, mark in marks.items() if not mark.get(AMENDED)]
    )
    return {
        number: gone[number].content().get("amends") if number in gone else mark["by"] for number, mark in marks.items()
    }


@contextmanager
def hold_past(tx: Connection, campaign_id: int, then: State) -> Iterator[None]:
    """Let the state be what `before` gave, for as long as the context lasts, in a write transaction.

    Nothing that is written meanwhile stays.
    """
    look = tx.begin_nested()
    try:
        state.apply_changes(tx, campaign_id, [Change(*key, None, value) for key, value in then.items()])
        yield
    finally:
        look.rollback()
        transactions.forget_reads(tx)


def find_state_before(tx: Connection, campaign_id: int, number: int) -> State:
    """Return every value that has changed since an entry was made, as it was before; None where it was not set.

    What stood there then and was taken back or amended since counts as it stands now. Names are those of now, and whoever
    is secret now was so then. All entries since are read for it, so a transaction asks once.
    """
    then: State = {}
    first: dict[int, int] = {}
    for item in entries.walk_entries(tx, campaign_id, after=number - 1):
        body = item.content()
        first[item.number] = _first(item, body, first)
        for change in body["changes"]:
            key = (change["subject"], change["name"])
            if change["name"] == NAME:
                continue
            if first[item.number] < number:
                then[key] = change["after"]
            else:
                then.setdefault(key, change["before"])
    saved = state.get_values_named(tx, campaign_id, {subject for subject, _ in then}, {PROFILE})
    for key, now in saved.items():
        if now["secret"] and then.get(key):
            then[key] = {**then[key], "secret": True}
    return then


def _first(item: Entry, body: Mapping[str, Json], first: dict[int, int]) -> int:
    """Return the entry that one corrects, where the chain of amendments began; itself where it corrects none.

    `first` has the same of the entries before it, as far as they were read.
    """
    if item.kind == VOID:
        number: int = body["entry"]
        return first.get(number, number)
    return int(body["since"]) if "amends" in body else item.number
