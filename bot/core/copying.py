"""Copy a whole database into an empty one, and prove the copy."""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import audit, migrate, search_index, transactions
from bot.core.audit import Audit
from bot.core.database import Database
from bot.core.errors import StartError
from bot.core.ledger import EntryKinds
from bot.core.schema import PackedText, metadata
from bot.core.transactions import Row

BATCH = 200
EMPTY = "The target is empty again."

_VERSION = "alembic_version"
_SUMS = 2**256

Progress = Callable[[int, int], object]


class CopyResult(Struct, frozen=True):
    """Rows copied by table, and the ledgers' check."""

    rows: Mapping[str, int]
    audits: Sequence[Audit]


class _Content(Struct, frozen=True):
    """Rows, and the sum of their hashes in any order."""

    rows: int = 0
    sum: int = 0


async def copy_database(
    source: Database, target: Database, kinds: EntryKinds, progress: Progress | None = None
) -> CopyResult:
    """Copy all rows into an empty `target`, which stays empty on failure."""
    await require_newest(source, "SOURCE")
    await require_empty(target)
    await migrate.upgrade(target)
    try:
        return await source.read(_from_source, _Way(target, kinds, _Teller(progress)))
    except sa.exc.DatabaseError as error:
        said = " ".join(str(error.orig).split()).rstrip(".")
        raise StartError(f"The copy failed: {said}. {EMPTY}") from error


async def require_newest(source: Database, named: str = "DATABASE_URL") -> None:
    """Refuse a source at another revision; `named` is its setting."""
    revision = await migrate.require_database(source, named)
    if revision not in migrate.list_revisions():
        raise StartError(
            f"The source is at revision {revision}, newer than this Adjutant ({migrate.newest_revision()}). "
            "Install the newer version and copy with it."
        )
    if revision != migrate.newest_revision():
        raise StartError(
            f"The source is at revision {revision}, not {migrate.newest_revision()}. Upgrade it first: "
            "set DATABASE_URL to its address and run `adjutant db upgrade`."
        )


async def require_empty(target: Database) -> None:
    """Refuse a database with rows or foreign tables."""
    found = await migrate.require_usable(target.read(_describe_content))
    if found is not None:
        raise StartError(f"The target isn't empty: it has {found}. Name a new database. Nothing was changed.")


class _Teller:
    """Reports progress; stops the copy when its caller is cancelled."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._loop, self._waiting = asyncio.get_running_loop(), asyncio.current_task()

    def tell(self, done: int, of: int) -> None:
        self.go_on()
        if self._progress is not None:
            self._progress(done, of)

    def go_on(self, *_progress: int) -> None:
        if self._waiting is not None and self._waiting.cancelling():
            raise StartError(f"The copy was stopped. {EMPTY}")

    def run(self, database: Database, function: Callable[..., CopyResult], *args: object) -> CopyResult:
        return asyncio.run_coroutine_threadsafe(database.write(function, *args), self._loop).result()


class _Way(Struct, frozen=True):
    target: Database
    kinds: EntryKinds
    teller: _Teller


def _from_source(source: Connection, way: _Way) -> CopyResult:
    return way.teller.run(way.target, _into_target, source, way)


def _into_target(target: Connection, source: Connection, way: _Way) -> CopyResult:
    _hold(target)
    rows = {table.name: _count(source, table) for table in metadata.sorted_tables}
    done, contents = 0, {}
    for table in metadata.sorted_tables:
        content = _Content()
        with closing(read_batches(source, sa.select(*plain_table(table).columns))) as found:
            for batch in found:
                transactions.write(target, plain_table(table).insert(), [row._asdict() for row in batch])
                content = _add_batch(content, batch)
                done += len(batch)
                way.teller.tell(done, sum(rows.values()))
        contents[table.name] = content
        _count_on(target, table)
    search_index.rebuild_index(target)
    _prove(target, contents, way.teller)
    return CopyResult(rows, _check_both(source, target, way))


def _prove(target: Connection, contents: Mapping[str, _Content], teller: _Teller) -> None:
    for table in metadata.sorted_tables:
        content = _Content()
        with closing(read_batches(target, sa.select(*plain_table(table).columns))) as found:
            for batch in found:
                content = _add_batch(content, batch)
                teller.go_on()
        due = contents[table.name]
        if content != due:
            what = f"the table {table.name} has {due.rows} rows, and {content.rows} arrived or have other values"
            raise StartError(f"The copy differs: {what}. {EMPTY}")


def _check_both(source: Connection, target: Connection, way: _Way) -> Sequence[Audit]:
    there, here = (audit.check_within(side, way.kinds, way.teller.go_on) for side in (source, target))
    if there != here:
        raise StartError(f"The copy differs: its ledger check has another result. {EMPTY}")
    return here


def _hold(target: Connection) -> None:
    if target.dialect.name == "postgresql":
        target.execute(sa.text("LOCK TABLE campaign IN EXCLUSIVE MODE"))
    if (found := _describe_content(target)) is not None:
        raise StartError(f"The target is no longer empty: it has {found}. Nothing was copied.")


def _describe_content(tx: Connection) -> str | None:
    there = set(sa.inspect(tx).get_table_names())
    ours = [table for table in metadata.sorted_tables if table.name in there]
    if _VERSION not in there and there:
        return "tables, and does not say that they are an Adjutant's"
    for table in ours:
        if tx.scalar(sa.select(sa.literal(1)).select_from(table).limit(1)) is not None:
            return f"rows in its table {table.name}"
    return None


def plain_table(table: sa.Table) -> sa.TableClause:
    """Return a table with packed texts as raw bytes."""
    kinds = ((item.name, sa.LargeBinary() if isinstance(item.type, PackedText) else item.type) for item in table.c)
    return sa.table(table.name, *(sa.column(name, kind) for name, kind in kinds))


def _count(tx: Connection, table: sa.Table) -> int:
    return tx.scalar(sa.select(sa.func.count()).select_from(table)) or 0


def read_batches(tx: Connection, query: sa.Select[Any]) -> Generator[Sequence[Row], None, None]:
    """Yield rows in batches; close it to free the cursor."""
    with tx.execute(query, execution_options={"yield_per": BATCH}) as result:
        yield from result.partitions()


def _add_batch(content: _Content, rows: Sequence[Row]) -> _Content:
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
