"""Look back: a campaign's state as it was before one of its entries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.voiding import VOID
from rules.subjects import NAME, PROFILE


@contextmanager
def before(tx: Connection, campaign_id: int, number: int) -> Iterator[None]:
    """Let the state be as it was before an entry, for as long as the context lasts, in a write transaction.

    What stood there then and was taken back or amended since counts as it stands now. Names are those of now, and whoever
    is secret now was so then. Nothing that is written meanwhile stays.
    """
    then = _values(tx, campaign_id, number)
    saved = state.named(tx, campaign_id, {subject for subject, _ in then}, {PROFILE})
    for key, now in saved.items():
        if now["secret"] and then.get(key):
            then[key] = {**then[key], "secret": True}
    look = tx.begin_nested()
    try:
        state.apply(tx, campaign_id, [Change(*key, None, value) for key, value in then.items()])
        yield
    finally:
        look.rollback()


def _values(tx: Connection, campaign_id: int, number: int) -> State:
    """Return every value that has changed since, as it was; None where it was not set."""
    then: State = {}
    for item in entries.walk(tx, campaign_id, after=number - 1):
        body = item.content()
        corrected = _corrected(item, body)
        for change in body["changes"]:
            key = (change["subject"], change["name"])
            if change["name"] == NAME:
                continue
            if corrected is not None and corrected < number:
                then[key] = change["after"]
            else:
                then.setdefault(key, change["before"])
    return then


def _corrected(item: Entry, body: dict[str, Any]) -> int | None:
    """Return which entry one takes back or amends, None where it does neither."""
    number: int | None = body["entry"] if item.kind == VOID else body.get("amends")
    return number
