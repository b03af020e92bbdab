"""The campaign's state: one named value per subject, the sum of the ledger's changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.store.records import Change
from bot.store.schema import state

State = dict[tuple[str, str], Any]


def get(tx: Connection, campaign_id: int, subject: str, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """One value, None when it is not set."""
    query = sa.select(state.c.value).where(*_key(campaign_id, subject, name))
    return tx.scalar(query)


def of_subjects(tx: Connection, campaign_id: int, subjects: Collection[str]) -> State:
    """Every value of these subjects."""
    query = sa.select(state).where(state.c.campaign_id == campaign_id, state.c.subject.in_(subjects))
    return {(row.subject, row.name): row.value for row in tx.execute(query)}


def everything(tx: Connection, campaign_id: int) -> State:
    """The whole state of a campaign."""
    query = sa.select(state).where(state.c.campaign_id == campaign_id)
    return {(row.subject, row.name): row.value for row in tx.execute(query)}


def apply(tx: Connection, campaign_id: int, changes: Iterable[Change]) -> None:
    """Carry changes out."""
    for change in changes:
        key = _key(campaign_id, change.subject, change.name)
        if change.after is None:
            tx.execute(state.delete().where(*key))
        elif not (tx.execute(state.update().where(*key).values(value=change.after))).rowcount:
            values = {"subject": change.subject, "name": change.name, "value": change.after}
            tx.execute(state.insert().values(campaign_id=campaign_id, **values))


def replace(tx: Connection, campaign_id: int, whole: State) -> None:
    """Put another state in place of the whole."""
    tx.execute(state.delete().where(state.c.campaign_id == campaign_id))
    rows = [
        {"campaign_id": campaign_id, "subject": subject, "name": name, "value": value}
        for (subject, name), value in whole.items()
    ]
    if rows:
        tx.execute(state.insert(), rows)


def _key(campaign_id: int, subject: str, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (state.c.campaign_id == campaign_id, state.c.subject == subject, state.c.name == name)
