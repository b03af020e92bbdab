"""Back up the whole database to a checked file while the bot runs, keep the newest files, and copy a database into an empty one."""

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import audit, capsules, ledger, migrate, schema, search_index, transactions
from bot.core.database import Database
from bot.core.errors import StartError

EMPTY = "The target is empty again."

_SUMS = 2**256


class CopyResult(Struct, frozen=True):
    """Rows copied by table, and the ledgers' check."""

    rows: Mapping[str, int]
    audits: Sequence[audit.Audit]


class _Content(Struct, frozen=True):
    """Rows, and the sum of their hashes in any order."""

    rows: int = 0
    sum: int = 0


async def copy_database(
    source: Database, target: Database, kinds: ledger.EntryKinds, progress: audit.Progress | None = None
) -> CopyResult:
    """Copy all rows into an empty `target`, which stays empty on failure."""
    await require_newest(source, "SOURCE")
    await require_empty(target)
    await migrate.upgrade(target)
    try:
        return await source.read(_Copying(target, kinds, progress).run)
    except sa.exc.DatabaseError as error:
        said = " ".join(str(error.orig).split()).rstrip(".")
        raise StartError(f"The copy failed: {said}. {EMPTY}") from error


async def require_newest(source: Database, named: str = "DATABASE_URL") -> None:
    """Refuse a source at another revision; `named` is its setting."""
    revision, newest = await migrate.require_database(source, named), migrate.newest_revision()
    what = "The source" if named == "SOURCE" else "The database"
    if revision not in migrate.list_revisions():
        raise StartError(
            f"{what} is at revision {revision}, newer than this Adjutant ({newest}). Install the newer version."
        )
    if revision != newest:
        raise StartError(
            f"{what} is at revision {revision}, not {newest}. Upgrade it first: "
            "set DATABASE_URL to its address and run `adjutant db upgrade`."
        )


async def require_empty(target: Database) -> None:
    """Refuse a database with rows or foreign tables."""
    found = await migrate.require_usable(target.read(_describe_content))
    if found is not None:
        raise StartError(f"The target isn't empty: it has {found}. Name a new database. Nothing was changed.")


class _Copying:
    """Where to copy; reports progress, and stops when its caller is cancelled."""

    def __init__(self, target: Database, kinds: ledger.EntryKinds, progress: audit.Progress | None) -> None:
        self.target, self.kinds, self._progress = target, kinds, progress
        self._loop, self._waiting = asyncio.get_running_loop(), asyncio.current_task()

    def tell(self, done: int, of: int) -> None:
        self.go_on()
        if self._progress is not None:
            self._progress(done, of)

    def go_on(self, *_progress: int) -> None:
        if self._waiting is not None and self._waiting.cancelling():
            raise StartError(f"The copy was stopped. {EMPTY}")

    def run(self, source: Connection) -> CopyResult:
        work = self.target.write(_into_target, source, self)
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _into_target(target: Connection, source: Connection, way: _Copying) -> CopyResult:
    if target.dialect.name == "postgresql":
        target.execute(sa.text("LOCK TABLE campaign IN EXCLUSIVE MODE"))
    if (held := _describe_content(target)) is not None:
        raise StartError(f"The target is no longer empty: it has {held}. Nothing was copied.")
    counts = {table.name: sa.select(sa.func.count()).select_from(table) for table in schema.metadata.sorted_tables}
    rows = {name: source.scalar(count) or 0 for name, count in counts.items()}
    done, contents = 0, {}
    for table in schema.metadata.sorted_tables:
        content = _Content()
        with closing(capsules.read_batches(source, sa.select(*capsules.plain_table(table).columns))) as found:
            for batch in found:
                transactions.write(target, capsules.plain_table(table).insert(), [row._asdict() for row in batch])
                content = _add_batch(content, batch)
                done += len(batch)
                way.tell(done, sum(rows.values()))
        contents[table.name] = content
        _count_on(target, table)
    search_index.rebuild_index(target)
    _prove(target, contents, way)
    there, here = (audit.check_within(side, way.kinds, way.go_on) for side in (source, target))
    if there != here:
        raise StartError(f"The copy differs: its ledger check has another result. {EMPTY}")
    return CopyResult(rows, here)


def _prove(target: Connection, contents: Mapping[str, _Content], way: _Copying) -> None:
    for table in schema.metadata.sorted_tables:
        content = _Content()
        with closing(capsules.read_batches(target, sa.select(*capsules.plain_table(table).columns))) as found:
            for batch in found:
                content = _add_batch(content, batch)
                way.go_on()
        due = contents[table.name]
        if content != due:
            what = f"the table {table.name} has {due.rows} rows, and {content.rows} arrived or have other values"
            raise StartError(f"The copy differs: {what}. {EMPTY}")


def _describe_content(tx: Connection) -> str | None:
    there = set(sa.inspect(tx).get_table_names())
    ours = [table for table in schema.metadata.sorted_tables if table.name in there]
    if migrate.VERSION_TABLE not in there and there:
        return "tables, and does not say that they are an Adjutant's"
    for table in ours:
        if tx.scalar(sa.select(sa.literal(1)).select_from(table).limit(1)) is not None:
            return f"rows in its table {table.name}"
    return None


def _add_batch(content: _Content, rows: Sequence[transactions.Row]) -> _Content:
    hashes = (sha256(repr(tuple(row)).encode()).digest() for row in rows)
    total = content.sum + sum(int.from_bytes(item) for item in hashes)
    return _Content(content.rows + len(rows), total % _SUMS)


def _count_on(target: Connection, table: sa.Table) -> None:
    """Continue PostgreSQL's key sequence after the copied rows."""
    column = table.autoincrement_column
    if target.dialect.name == "postgresql" and column is not None:
        newest = target.scalar(sa.select(sa.func.max(column)))
        sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
        target.execute(sa.select(sa.func.setval(sequence, newest or 1, newest is not None)))


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
    audits: Sequence[audit.Audit]
    deleted: Sequence[Path]


async def make_backup(database: Database, kinds: ledger.EntryKinds, folder: Path, keep: int, at: datetime) -> Backup:
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


async def restore_backup(file: Path, target: Database, kinds: ledger.EntryKinds) -> Sequence[audit.Audit]:
    """Restore a backup into an empty database and check its ledgers."""
    if file.suffix not in {SQLITE, POSTGRESQL} or not await asyncio.to_thread(file.is_file):
        raise StartError(f"{file} isn't a backup. Name a file made by `adjutant backup`.")
    if file.suffix == SQLITE:
        source = Database(f"sqlite:///{file}")
        try:
            return (await copy_database(source, target, kinds)).audits
        finally:
            await source.close()
    if target.engine.dialect.name == "sqlite":
        raise StartError("Restore a dump into PostgreSQL. To move it to SQLite afterwards, use `adjutant db copy`.")
    await require_empty(target)
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


async def _copy_checked(database: Database, kinds: ledger.EntryKinds, part: Path) -> list[audit.Audit]:
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


def _dump(tx: Connection, kinds: ledger.EntryKinds, part: Path) -> list[audit.Audit]:
    address = tx.engine.url
    server = int(tx.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10_000
    program, reader = _program("pg_dump", server), _program("pg_restore", server)
    snapshot = tx.scalar(sa.select(sa.func.pg_export_snapshot()))
    told = (f"--dbname={_plain(address)}", f"--snapshot={snapshot}", f"--file={part}")
    _run([program, "--format=custom", "--no-owner", "--no-privileges", "--no-password", *told], address)
    listed = _run([reader, "--list", str(part)], address)
    missing = [table for table in schema.metadata.tables if f" TABLE DATA public {table} " not in listed]
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
