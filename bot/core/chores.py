"""Chores run one by one, so one failure doesn't stop the others."""

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

log = logging.getLogger(__name__)


class Clock(Protocol):
    """Anything that knows the time, such as a ledger."""

    def now(self) -> datetime: ...  # noqa: D102


class Storage(Protocol):
    """The running bot's database and clock."""

    database: Database

    @property
    def ledger(self) -> Clock: ...  # noqa: D102


async def forget_old(
    made: sa.Column[datetime], client: Storage, only: Iterable[sa.ColumnElement[bool]] = ()
) -> tuple[()]:
    """Delete rows older than a day by `made`, if `only` matches."""
    old = sa.and_(made < client.ledger.now() - KEPT_FOR, *only)
    if await client.database.read(Connection.scalar, sa.select(sa.exists().where(old))):
        await client.database.write(Connection.execute, sa.delete(made.table).where(old))
    return ()


async def do_each(work: Iterable[Awaitable[Sequence[T]]], fault: str) -> list[T]:
    """Run all at once; return their results in one list, and log failures as `fault`."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for error in done:
        if isinstance(error, BaseException):
            log_fault(fault, error)
    return [each for item in done if not isinstance(item, BaseException) for each in item]


def log_fault(fault: str, error: BaseException, **fields: object) -> None:
    """Log why a chore failed: bugs with a traceback, outages in one line."""
    outage = describe_outage(error)
    if outage is None:
        log.error(fault, extra=fields, exc_info=error)
    else:
        log.warning(
            "chore.outage", extra={**fields, "fault": outage[0]}
        )  # in one line: it comes again with every round
