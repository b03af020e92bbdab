"""A database as the newest migration leaves an empty one, made once per process instead of once per test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from bot.core.database import Database, driven
from bot.core.migrate import upgrade
from bot.core.schema import metadata
from tests.support.backend import fresh_url

_EMPTY = f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY"
_OTHERS = "datname = current_database() AND pid <> pg_backend_pid()"
_END_OTHERS = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {_OTHERS}"  # noqa: S608 - all written here

_kept = ExitStack()
_idle: list[str] = []


@contextmanager
def migrated_url(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty database that is migrated.

    On SQLite it is a copied file. On PostgreSQL, where a copy takes some hundred files, it is what the test before has
    used, emptied: only its sequences of numbers and its rows can have changed.
    """
    if kind == "sqlite":
        copy_to(folder / "adjutant.db")
        with fresh_url(kind, folder) as url:
            yield url
        return
    url = _idle.pop() if _idle else _on_a_server(kind)
    try:
        yield url
    finally:
        _empty(url)
        _idle.append(url)


def copy_to(file: Path) -> None:
    """Make a SQLite file as the newest migration leaves an empty database; a file that is there stays as it is."""
    if not file.exists():
        file.write_bytes(_migrated())


def drop_all() -> None:
    """Drop the databases that are kept on a server."""
    _kept.close()


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder, fresh_url("sqlite", Path(folder)) as url:
        _migrate(url)
        return (Path(folder) / "adjutant.db").read_bytes()


def _on_a_server(kind: str) -> str:
    url = _kept.enter_context(fresh_url(kind, Path()))
    _migrate(url)
    return url


def _migrate(url: str) -> None:
    async def migrate() -> None:
        database = Database(url)
        await upgrade(database)
        await database.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, migrate()).result()  # a thread, as the test has an event loop that runs


def _empty(url: str) -> None:
    engine = sa.create_engine(driven(url), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text(_END_OTHERS))  # what a killed process has left would be waited for
        connection.execute(sa.text(_EMPTY))
