"""Back up the whole database to a checked file while the bot runs, and keep the newest files."""

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import audit, copying, migrate
from bot.core.audit import Audit
from bot.core.database import Database
from bot.core.errors import StartError
from bot.core.ledger import EntryKinds
from bot.core.schema import metadata

SQLITE, POSTGRESQL = ".db", ".dump"
PREFIX = "adjutant-"
_NAME = re.compile(rf"{PREFIX}\d{{8}}T\d{{12}}Z\.(?:db|dump)")


def name_backup(at: datetime, suffix: str) -> str:
    """Return the file name for this UTC time."""
    return f"{PREFIX}{at:%Y%m%dT%H%M%S%f}Z{suffix}"


def list_backups(folder: Path) -> list[Path]:
    """Return the backups in a folder, newest first."""
    found = (file for file in folder.glob(f"{PREFIX}*") if _NAME.fullmatch(file.name))
    return sorted(found, reverse=True, key=attrgetter("stem"))


def was_made_on(folder: Path, day: datetime) -> bool:
    """Return whether this UTC day has a backup."""
    return any(file.name.startswith(f"{PREFIX}{day:%Y%m%d}") for file in list_backups(folder))


_PART = ".part"
_OWNER_ONLY = 0o600
DAY = 86400
_INSTALL = "Install PostgreSQL's client programs, such as Debian's package postgresql-client-{}, on this machine."


class Backup(Struct, frozen=True):
    """A file, its ledgers' check, and files deleted after it."""

    file: Path
    audits: Sequence[Audit]
    deleted: Sequence[Path]


async def make_backup(database: Database, kinds: EntryKinds, folder: Path, keep: int, at: datetime) -> Backup:
    """Write a checked backup; if sound, delete all but the newest `keep`."""
    sqlite = database.engine.dialect.name == "sqlite"
    file = folder / name_backup(at, SQLITE if sqlite else POSTGRESQL)
    part = file.with_name(file.name + _PART)
    try:
        await asyncio.to_thread(_begin, part)
        audits = await (_copy_checked(database, kinds, part) if sqlite else database.read(_dump, kinds, part))
        await asyncio.to_thread(part.rename, file)
    except (OSError, sa.exc.DatabaseError, sqlite3.Error) as error:
        do = f"Check that {folder} is a writable folder with enough space."
        raise StartError(f"No backup was made: {error}. {do}") from error
    finally:
        await asyncio.to_thread(_clear, part)
    sound = not any(item.faults for item in audits)
    return Backup(file, audits, await asyncio.to_thread(_prune, folder, keep) if sound else ())


async def restore_backup(file: Path, target: Database, kinds: EntryKinds) -> Sequence[Audit]:
    """Restore a backup into an empty database and check its ledgers."""
    if file.suffix not in {SQLITE, POSTGRESQL} or not await asyncio.to_thread(file.is_file):
        raise StartError(f"{file} isn't a backup. Name a file made by `adjutant backup`.")
    if file.suffix == SQLITE:
        source = Database(f"sqlite:///{file}")
        try:
            return (await copying.copy_database(source, target, kinds)).audits
        finally:
            await source.close()
    if target.engine.dialect.name == "sqlite":
        raise StartError("Restore a dump into PostgreSQL. To move it to SQLite afterwards, use `adjutant db copy`.")
    await copying.require_empty(target)
    if await migrate.require_usable(target.read(migrate.find_revision)) is not None:
        raise StartError("The target already has tables. Name a new database. Nothing was changed.")
    await asyncio.to_thread(_load, file, target.engine.url)
    await migrate.upgrade(target)
    return await audit.check_ledgers(target, kinds)


def _load(file: Path, address: sa.URL) -> None:
    told = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password")
    _run([_program("pg_restore", 0), *told, f"--dbname={_plain(address)}", str(file)], address)


def _plain(address: sa.URL) -> str:
    return address._replace(drivername="postgresql", password=None).render_as_string()


def _begin(part: Path) -> None:
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for rest in part.parent.glob(f"{PREFIX}*{_PART}*"):  # of one that was killed
        if time.time() - rest.stat().st_mtime > DAY:
            rest.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))


def _clear(part: Path) -> None:
    for rest in part.parent.glob(f"{part.name}*"):
        rest.unlink(missing_ok=True)


def _prune(folder: Path, keep: int) -> Sequence[Path]:
    old = list_backups(folder)[keep:]
    for file in old:
        file.unlink()
    return old


async def _copy_checked(database: Database, kinds: EntryKinds, part: Path) -> list[Audit]:
    await database.read(_copy, part)
    copy = Database(f"sqlite:///{part}")
    try:
        return await audit.check_ledgers(copy, kinds)
    finally:
        await copy.close()


def _copy(tx: Connection, part: Path) -> None:
    source: Any = tx.connection.driver_connection
    with closing(sqlite3.connect(part)) as target:
        source.backup(target)


def _dump(tx: Connection, kinds: EntryKinds, part: Path) -> list[Audit]:
    address = tx.engine.url
    server = int(tx.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000
    program, reader = _program("pg_dump", server), _program("pg_restore", server)
    snapshot = tx.scalar(sa.select(sa.func.pg_export_snapshot()))
    told = (f"--dbname={_plain(address)}", f"--snapshot={snapshot}", f"--file={part}")
    _run([program, "--format=custom", "--no-owner", "--no-privileges", "--no-password", *told], address)
    listed = _run([reader, "--list", str(part)], address)
    missing = [table for table in metadata.tables if f" TABLE DATA public {table} " not in listed]
    if missing:
        raise StartError(f"No backup was made: the dump lacks the tables {', '.join(missing)}.")
    return audit.check_within(tx, kinds)


def _program(called: str, server: int) -> str:
    found = shutil.which(called)
    if found is None:
        raise StartError(f"The program {called} is missing. {_INSTALL.format(server)}")
    version = re.search(r"\) (\d+)", _run([found, "--version"], None))
    if version is None or int(version[1]) < server:
        had = version[1] if version else "unknown"
        raise StartError(f"The program {called} has version {had}, the server {server}. {_INSTALL.format(server)}")
    return found


def _run(words: Sequence[str], address: sa.URL | None) -> str:
    secret = {"PGPASSWORD": str(address.password)} if address is not None and address.password else {}
    done = subprocess.run(words, env={**os.environ, **secret}, capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    if done.returncode:
        raise StartError(f"{Path(words[0]).name} failed: {done.stderr.strip()}")
    return done.stdout
