"""Chores: things that are due and done one by one, so that one that goes wrong keeps no other from being done; and what is forgotten after a day."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.outages import outage

T = TypeVar("T")

KEPT_FOR = timedelta(days=1)
"""How long what was sent or asked for waits for its buttons."""

log = logging.getLogger(__name__)


class Keeper(Protocol):
    """What a chore needs of the bot."""

    database: Database
    ledger: Ledger


def forget_old(made: sa.Column[datetime], *which: sa.ColumnElement[bool]) -> Callable[[Keeper], Awaitable[tuple[()]]]:
    """Return the chore that deletes rows a day after they were `made`; nothing is posted about it."""

    def find(tx: Connection, before: datetime) -> bool:
        return bool(tx.scalar(sa.select(sa.exists().where(made < before, *which))))

    def delete(tx: Connection, before: datetime) -> None:
        tx.execute(sa.delete(made.table).where(made < before, *which))

    async def forget(client: Keeper) -> tuple[()]:
        before = client.ledger.now() - KEPT_FOR
        if await client.database.read(find, before):
            await client.database.write(delete, before)
        return ()

    return forget


async def each(work: Iterable[Awaitable[Sequence[T]]], fault: str) -> list[T]:
    """Do all; return what came of those that went well, together. The others are logged under the name of a fault, and are due again."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for error in done:
        if isinstance(error, BaseException):
            log_fault(fault, error)
    return [each for item in done if not isinstance(item, BaseException) for each in item]


def log_fault(fault: str, error: BaseException, **fields: object) -> None:
    """Log what went wrong with something that is due again: a bug under its name with where it was, an outage of the database in a line."""
    told = outage(error)
    if told is None:
        log.error(fault, extra=fields, exc_info=error)
    else:
        log.warning("chore.outage", extra={**fields, "fault": told[0]})  # in one line: it comes again with every round
