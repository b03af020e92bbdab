"""Chores: things that are due and done one by one, so that one that goes wrong keeps no other from being done; and what is forgotten after a day."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.database import Database, describe_outage

T = TypeVar("T")

KEPT_FOR = timedelta(days=1)
"""How long what was sent or asked for waits for its buttons."""

log = logging.getLogger(__name__)


class Clock(Protocol):
    """What knows the time: a ledger."""

    def now(self) -> datetime: ...  # noqa: D102


class Storage(Protocol):
    """What is kept, and the clock: of the running bot."""

    database: Database

    @property
    def ledger(self) -> Clock: ...  # noqa: D102


async def forget_old(
    made: sa.Column[datetime], client: Storage, only: Iterable[sa.ColumnElement[bool]] = ()
) -> tuple[()]:
    """Delete rows a day after they were `made`, of those `only` that fit; nothing is posted about it."""
    old = sa.and_(made < client.ledger.now() - KEPT_FOR, *only)
    if await client.database.read(Connection.scalar, sa.select(sa.exists().where(old))):
        await client.database.write(Connection.execute, sa.delete(made.table).where(old))
    return ()


async def do_each(work: Iterable[Awaitable[Sequence[T]]], fault: str) -> list[T]:
    """Do all; return what came of those that went well, together. The others are logged under the name of a fault, and are due again."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for error in done:
        if isinstance(error, BaseException):
            log_fault(fault, error)
    return [each for item in done if not isinstance(item, BaseException) for each in item]


def log_fault(fault: str, error: BaseException, **fields: object) -> None:
    """Log what went wrong with something that is due again: a bug under its name with where it was, an outage of the database in a line."""
    told = describe_outage(error)
    if told is None:
        log.error(fault, extra=fields, exc_info=error)
    else:
        log.warning("chore.outage", extra={**fields, "fault": told[0]})  # in one line: it comes again with every round
