"""Look back: a campaign's state as it was before one of its entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from bot.core import entries, reads, state
from bot.core.records import VOID, Change, Entry
from bot.core.state import State
from rules.subjects import NAME, PROFILE


@contextmanager
def holding(tx: Connection, campaign_id: int, then: State) -> Iterator[None]:
    """Let the state be what `before` gave, for as long as the context lasts, in a write transaction.

    Nothing that is written meanwhile stays.
    """
    look = tx.begin_nested()
    try:
        state.apply(tx, campaign_id, [Change(*key, None, value) for key, value in then.items()])
        yield
    finally:
        look.rollback()
        reads.forget(tx)


def before(tx: Connection, campaign_id: int, number: int) -> State:
    """Return every value that has changed since an entry was made, as it was before; None where it was not set.

    What stood there then and was taken back or amended since counts as it stands now. Names are those of now, and whoever
    is secret now was so then. All entries since are read for it, so a transaction asks once.
    """
    then: State = {}
    first: dict[int, int] = {}
    for item in entries.walk(tx, campaign_id, after=number - 1):
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
    saved = state.named(tx, campaign_id, {subject for subject, _ in then}, {PROFILE})
    for key, now in saved.items():
        if now["secret"] and then.get(key):
            then[key] = {**then[key], "secret": True}
    return then


def _first(item: Entry, body: Mapping[str, Any], first: dict[int, int]) -> int:
    """Return the entry that one corrects, where the chain of amendments began; itself where it corrects none.

    `first` has the same of the entries before it, as far as they were read.
    """
    if item.kind == VOID:
        number: int = body["entry"]
        return first.get(number, number)
    return int(body["since"]) if "amends" in body else item.number
