"""A database as the newest migration leaves an empty one, made once per process instead of once per test."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa

from bot.core.database import Database
from bot.core.engine import add_driver
from bot.core.migrate import upgrade
from bot.core.schema import metadata

KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
"""Both kinds of database, for the few tests that go from one to the other: those on a server run with `--database postgres`."""

_EMPTY = f"TRUNCATE {', '.join(metadata.tables)} RESTART IDENTITY"
_OTHERS = "datname = current_database() AND pid <> pg_backend_pid()"
_END_OTHERS = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {_OTHERS}"  # noqa: S608 - all written here

T = TypeVar("T")

_kept = ExitStack()
_idle: list[str] = []


@contextmanager
def fresh_url(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty database, gone again afterwards."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'adjutant.db'}"
        return
    server = os.environ["TEST_DATABASE_URL"]
    name = f"adjutant_{uuid.uuid4().hex}"
    admin = sa.create_engine(add_driver(server), isolation_level="AUTOCOMMIT")
    try:
        with admin.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        try:
            yield sa.make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            with admin.connect() as connection:
                connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        admin.dispose()


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


def find_empty(url: str) -> Path | None:
    """Return the SQLite file with this address if it is as the newest migration leaves an empty database."""
    address = sa.make_url(url)
    file = Path(address.database or "") if address.get_backend_name() == "sqlite" else None
    return file if file is not None and file.is_file() and file.read_bytes() == migrated() else None


def run_apart(function: Callable[[str], Coroutine[Any, Any, T]]) -> tuple[T, bytes]:
    """Run a function of an address in a thread, as a test has an event loop that runs; return its result and the SQLite file that is left."""
    with TemporaryDirectory() as folder, ThreadPoolExecutor(1) as thread:
        with migrated_url("sqlite", Path(folder)) as url:
            result = thread.submit(asyncio.run, function(url)).result()
        return result, Path(folder, "adjutant.db").read_bytes()


def copy_to(file: Path) -> None:
    """Make a SQLite file as the newest migration leaves an empty database; a file that is there stays as it is."""
    if not file.exists():
        file.write_bytes(migrated())


def drop_all() -> None:
    """Drop the databases that are kept on a server."""
    _kept.close()


@cache
def migrated() -> bytes:
    """Return the content of such a SQLite file."""
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
    engine = sa.create_engine(add_driver(url), poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text(_END_OTHERS))  # what a killed process has left would be waited for
        connection.execute(sa.text(_EMPTY))
