"""Which entries replace others, and the state before an entry."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries, state, transactions
from bot.core.records import VOID, Change, Entry, Json
from bot.core.schema import entry
from bot.core.schema import state as state_table
from bot.core.state import AMENDED, VOIDED, State, get_values_named
from rules.subjects import NAME, PROFILE

MAX_STEPS = 100
"""Amendments followed in a row; the marks of an imported campaign may form a circle."""

_VOID_OF = sa.select(state_table.c.value).where(
    state_table.c.campaign_id == entry.c.campaign_id,
    state_table.c.subject == sa.literal("entry:") + sa.cast(entry.c.number, sa.String),
    state_table.c.name == sa.bindparam("voided"),
    entry.c.campaign_id == sa.bindparam("campaign"),
    entry.c.audience == "maker",
    entry.c.actor == sa.bindparam("actor"),
)


def find_amending(tx: Connection, campaign_id: int, pseudonym: str | None) -> frozenset[int]:
    """Return numbers of entries that amend this person's `maker` entries, directly or through other amendments."""
    key = {"campaign": campaign_id, "actor": pseudonym or "", "voided": VOIDED}
    marks = [row.value for row in transactions.read_rows(tx, _VOID_OF, key)]
    found: set[int] = set()
    while newest := {mark["by"] for mark in marks if mark.get(AMENDED)} - found:
        found |= newest
        marks = [*get_values_named(tx, campaign_id, [f"entry:{number}" for number in newest], {VOIDED}).values()]
    return frozenset(found)


def find_replacements(tx: Connection, campaign_id: int, numbers: Iterable[int]) -> dict[int, int]:
    """Return the valid entry for each number; undone ones are left out."""
    found = {number: number for number in numbers}
    for _ in range(MAX_STEPS):
        marks = get_values_named(tx, campaign_id, {f"entry:{number}" for number in found.values()}, {VOIDED})
        if not marks:
            break
        voided = {int(key.removeprefix("entry:")): mark for (key, _), mark in marks.items()}
        after = _follow_marks(tx, campaign_id, voided)
        moved = {number: after.get(now, now) for number, now in found.items()}
        found = {number: now for number, now in moved.items() if now is not None}
    return found


def _follow_marks(tx: Connection, campaign_id: int, marks: Mapping[int, Mapping[str, Json]]) -> dict[int, int | None]:
    undone = [number for number, mark in marks.items() if not mark.get(AMENDED)]
    after = {number: mark["by"] for number, mark in marks.items()}
    bare = entries.get_entries_bare(tx, campaign_id, undone)
    return after | {number: entry.content().get("amends") for number, entry in bare.items()}


@contextmanager
def hold_past(tx: Connection, campaign_id: int, then: State) -> Iterator[None]:
    """Apply the values of `find_state_before` within the `with` block, then roll them back."""
    look = tx.begin_nested()
    try:
        state.apply_changes(tx, campaign_id, [Change(*key, None, value) for key, value in then.items()])
        yield
    finally:
        look.rollback()
        transactions.forget_reads(tx)


def find_state_before(tx: Connection, campaign_id: int, number: int) -> State:
    """Return all values changed since an entry, as they were before (None: not set).

    Later undos and amendments count, and so does secrecy of today. Reads all entries since.
    """
    then: State = {}
    first: dict[int, int] = {}
    for item in entries.walk_entries(tx, campaign_id, after=number - 1):
        body = item.content()
        first[item.number] = _find_first(item, body, first)
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


def _find_first(item: Entry, body: Mapping[str, Json], first: dict[int, int]) -> int:
    if item.kind == VOID:
        number: int = body["entry"]
        return first.get(number, number)
    return int(body["since"]) if "amends" in body else item.number
