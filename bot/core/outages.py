"""What is wrong when a database doesn't answer, in words, and chores: one that fails doesn't stop the others."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

import sqlalchemy as sa

T = TypeVar("T")
BUSY: Final = "The database is busy."
FULL: Final = "The database's disk is full."
GONE: Final = "The database doesn't answer."
UNWRITTEN: Final = "Nothing was rolled or saved. Try again in a minute. If that doesn't help, ask the bot's host."
IN_DOUBT: Final = "It may have been saved anyway: check /ledger before you try again."

_SQLITE: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: GONE,
    sqlite3.SQLITE_CANTOPEN: GONE,
    sqlite3.SQLITE_READONLY: GONE,
}
_PRIMARY = 0xFF
_POSTGRES: Mapping[str, str] = {
    "53100": FULL,
    "55P03": BUSY,  # a lock that could not be had
    "40001": BUSY,  # two transactions that could not be put in an order
    "40P01": BUSY,  # a deadlock
    "25006": GONE,  # a server that only reads, such as a copy that has not taken over yet
    "53": GONE,  # no memory or connection left
    "57P": GONE,  # stopped, or just starting
    "58": GONE,  # trouble of its system
    "08": GONE,  # a connection that broke
}
"""Meaning of PostgreSQL's error codes, or their beginnings."""


def describe_outage(error: BaseException) -> tuple[str, str] | None:
    """Return problem and remedy in words, if it's an outage."""
    wrapped = error if isinstance(error, sa.exc.DBAPIError) else None
    problem = _describe_error(error if wrapped is None else wrapped.orig)
    if problem is None:
        return None
    cut_off = wrapped is not None and wrapped.connection_invalidated and wrapped.statement is None  # within the commit
    return problem, IN_DOUBT if cut_off else UNWRITTEN


def _describe_error(error: BaseException | None) -> str | None:
    if isinstance(error, sqlite3.Error):
        return _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & _PRIMARY)
    if not type(error).__module__.startswith("psycopg"):
        return None
    code = getattr(error, "sqlstate", None)
    if code is None:
        return GONE if type(error).__name__ == "OperationalError" else None
    return next((problem for start, problem in _POSTGRES.items() if code.startswith(start)), None)


log = logging.getLogger(__name__)


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
