"""Outages of the database: what its errors mean that are nobody's mistake, and pass."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

BUSY: Final = "The database is busy."
FULL: Final = "The database's disk is full."
GONE: Final = "The database doesn't answer."
UNWRITTEN: Final = "Nothing was rolled or saved. Try again in a minute. If that doesn't help, ask the bot's host."
IN_DOUBT: Final = "It may have been saved anyway: check /ledger list before you try again."

_SQLITE: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: GONE,
    sqlite3.SQLITE_CANTOPEN: GONE,
    sqlite3.SQLITE_READONLY: GONE,
}
_PRIMARY = 0xFF
"""Which part of SQLite's codes says what it is; the rest says where it happened."""

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
"""What PostgreSQL's codes of errors, or their beginnings, mean."""


def outage(error: BaseException) -> tuple[str, str] | None:
    """Return what an error says of the database and what a person can do about it; None when it is no outage."""
    wrapped = error if isinstance(error, sa.exc.DBAPIError) else None
    told = _told(error if wrapped is None else wrapped.orig)
    if told is None:
        return None
    cut_off = wrapped is not None and wrapped.connection_invalidated and wrapped.statement is None  # within the commit
    return told, IN_DOUBT if cut_off else UNWRITTEN


def _told(error: BaseException | None) -> str | None:
    if isinstance(error, sqlite3.Error):
        return _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & _PRIMARY)
    if not type(error).__module__.startswith("psycopg"):
        return None
    code = getattr(error, "sqlstate", None)
    if code is None:
        return GONE if type(error).__name__ == "OperationalError" else None
    return next((told for start, told in _POSTGRES.items() if code.startswith(start)), None)
