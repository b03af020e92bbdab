"""Capsules: one campaign as a file, loaded into a separate database and proven there.

A capsule is a zip. Its manifest lists each part with length and hash, and no more than that is read.
State, names and search words are rebuilt from the entries, so a file can't lie about them. Channels, posts and buttons stay on
their server; so do keys, and secrets still in use.
"""

import asyncio
import re
import shutil
import time
import zipfile
import zlib
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Annotated, Any, BinaryIO, Self

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct, field
from sqlalchemy import Connection

from bot.core import audit, campaigns, entries, ledger, migrate, schema, search_index, state, tally, transactions
from bot.core.database import Database
from bot.core.errors import StartError
from bot.core.outages import describe_outage
from bot.core.records import Json, Link, pack

_NAMED = "campaign entry entry_text epoch actor book_version document job recent card pending"
TAKEN = tuple(schema.metadata.tables[name] for name in _NAMED.split())
"""Tables in a capsule. The others are rebuilt, or about messages, channels, commands and erased people."""

IN = 1
_FAULTS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
UNFIT = (*_FAULTS, msgspec.MsgspecError, sa.exc.SQLAlchemyError)
_BLANK: Mapping[str, Mapping[str, Json]] = {
    "campaign": {
        **dict.fromkeys(("guild_id", "results_channel_id", "staff_channel_id", "game_master_role_id"), 0),
        **dict.fromkeys(("outside_key", "away_since", "site")),
        **dict.fromkeys(("site_on", "site_indexed"), False),
    },
    "entry": {"interaction": None, "step": None},
}
"""What replaces columns that belong to a server, by table."""

_WHICH: Mapping[sa.Table, sa.ColumnElement[bool]] = {
    schema.epoch: schema.epoch.c.closed_at.is_not(None),
    schema.card: schema.card.c.state == "open",
    schema.pending: schema.pending.c.state == "open",
}
"""Rows kept: closed dice sets, and what is open."""

BATCH = 200


def plain_table(table: sa.Table) -> sa.TableClause:
    """Return a table with packed texts as raw bytes."""
    kinds = (
        (item.name, sa.LargeBinary() if isinstance(item.type, schema.PackedText) else item.type) for item in table.c
    )
    return sa.table(table.name, *(sa.column(name, kind) for name, kind in kinds))


def read_batches(tx: Connection, query: sa.Select[Any]) -> Generator[Sequence[transactions.Row], None, None]:
    """Yield rows in batches; close it to free the cursor."""
    with tx.execute(query, execution_options={"yield_per": BATCH}) as result:
        yield from result.partitions()


def read_lines(tx: Connection, table: sa.Table, campaign_id: int, upto: int) -> Iterator[bytes]:
    """Yield rows as JSON lines, up to an entry's number."""
    owner = schema.campaign.c.id if table is schema.campaign else table.c.campaign_id
    numbered = [column for column in (*tally.entry_columns(), schema.entry.c.number) if column.table is table]
    which = [owner == campaign_id, *(column.is_(None) | (column <= upto) for column in numbered)]
    which += [_WHICH[table]] if table in _WHICH else []
    query = sa.select(*(column for column in table.c if column is not owner)).where(*which)
    with closing(read_batches(tx, query.order_by(*table.primary_key))) as found:
        for row in (row for some in found for row in some):
            yield msgspec.json.encode(strip_row(table.name, row._asdict())) + b"\n"


def strip_row(table: str, row: dict[str, Json]) -> dict[str, Json]:
    """Return a row without what belongs to its server."""
    row |= _BLANK.get(table, {})
    if row.get("player_role_id") is not None:
        row["player_role_id"] = 0
    if "request" in row:
        row["request"] = _strip_request(row["request"])
    return row


def _strip_request(value: Json) -> Json:
    if isinstance(value, dict):
        left = {"here": None} if {"family", "here"} <= value.keys() else {}
        return {name: _strip_request(item) for name, item in value.items()} | left
    return [_strip_request(item) for item in value] if isinstance(value, list) else value


def put_rows(tx: Connection, name: str, written: Iterator[bytes]) -> None:
    """Insert a capsule's rows into a table. They are JSON lines at the database's own revision."""
    number = 0
    try:
        table = sa.Table(name, sa.MetaData(), autoload_with=tx, resolve_fks=False)
        owner = {"id": IN} if name == schema.campaign.name else {"campaign_id": IN}
        columns = [column for column in table.c if column.name not in owner]
        names = {column.name for column in columns}  # those of older versions lack some of what is blank
        while batch := list(islice(written, BATCH)):
            rows = []
            for line in batch:
                number += 1
                row = msgspec.json.decode(line)
                if not isinstance(row, dict) or row.keys() != names:
                    raise ValueError("the columns are others")
                row = strip_row(name, {column.name: _value(column.type, row[column.name]) for column in columns})
                rows.append({key: row[key] for key in names & row.keys()} | owner)
            tx.execute(table.insert(), rows)
    except UNFIT as error:
        if describe_outage(error):
            raise
        why = str(getattr(error, "orig", None) or error).partition("\n")[0].rstrip(".")
        raise StartError(f"Its table {name} isn't readable: at row {number}, {why}.") from error


def _value(kind: sa.types.TypeEngine[object], value: Json) -> Json:
    if value is None:
        return sa.null() if isinstance(kind, sa.JSON) else None
    if isinstance(kind, sa.DateTime):
        return datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None)
    return pack(value) if isinstance(kind, sa.LargeBinary) else value


FORMAT = "adjutant capsule 1"
CHRONICLE = "chronicle.html"
NOTHING = "Nothing was written."

_MANIFEST = "capsule.json"
_ROWS = "rows/{}.jsonl"
_NAMES = {CHRONICLE, *(_ROWS.format(table.name) for table in TAKEN)}
"""Allowed names of parts. None can be a path, and parts are never unpacked under their names."""

_MOST_OF_MANIFEST, _LONGEST_LINE, _CHUNK = 2**16, 2**26, 2**20
_ROOM, _RATIO = 2**24, 100
"""A file may unpack to this many bytes plus a hundred per byte; ledgers need ten to twenty."""

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 1
_UNFIT = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)


class TooLarge(Exception):
    """The capsule is larger than allowed."""


class CapsulePart(Struct, frozen=True):
    """One part of a capsule: bytes and SHA-256 (hex)."""

    bytes: Annotated[int, Meta(ge=0)]
    sha256: str


class Manifest(Struct, frozen=True):
    """A capsule's contents: campaign, newest entry, database revision, parts."""

    format: str
    revision: str
    campaign: str
    name: str
    entries: int
    head: str
    at: datetime
    parts: dict[str, CapsulePart] = field(default_factory=dict)


class CapsuleWriter:
    """A capsule while it's written, limited in bytes."""

    def __init__(self, file: BinaryIO, most: int | None) -> None:
        self._file, self._most = file, most
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._parts: dict[str, CapsulePart] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._zip.close()

    def add(self, name: str, written: Iterable[bytes]) -> None:
        """Write a part."""
        size, digest = 0, sha256()
        with self._zip.open(name, "w", force_zip64=True) as part:
            for chunk in written:
                part.write(chunk)
                digest.update(chunk)
                size += len(chunk)
                self._require_room()
        self._parts[name] = CapsulePart(size, digest.hexdigest())

    def rows(self, table: str, written: Iterable[bytes]) -> None:
        """Write a table's rows as a part."""
        self.add(_ROWS.format(table), written)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and close the file."""
        whole = msgspec.structs.replace(manifest, parts=self._parts)
        self._zip.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(whole)))
        self._zip.close()
        self._require_room()

    def _require_room(self) -> None:
        if self._most is not None and self._file.tell() > self._most:
            raise TooLarge


class Capsule:
    """An opened file whose parts match its manifest."""

    def __init__(self, file: zipfile.ZipFile, manifest: Manifest) -> None:
        self._file = file
        self.manifest = manifest

    def tables(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield tables by name with their lines."""
        for table in TAKEN:
            if (name := _ROWS.format(table.name)) in self.manifest.parts:
                yield table.name, self._lines(name)

    def _lines(self, name: str) -> Iterator[bytes]:
        with self._file.open(name) as part:
            while line := part.readline(_LONGEST_LINE):
                yield line


@contextmanager
def open_capsule(path: Path) -> Iterator[Capsule]:
    """Verify and open a file, unpacking nothing to disk."""
    with ExitStack() as stack:
        try:
            capsule = _check(stack.enter_context(zipfile.ZipFile(path)), path.stat().st_size)
        except _UNFIT as error:
            raise StartError(f"{path} isn't a complete capsule: {error}. {NOTHING}") from error
        yield capsule


def _check(file: zipfile.ZipFile, size: int) -> Capsule:
    listed = file.infolist()
    names = [item.filename for item in listed]
    if _MANIFEST not in names:
        raise ValueError(f"it has no {_MANIFEST}")
    if len(names) > len({*names}):
        raise ValueError("it has two parts with the same name")
    for item in listed:
        if item.flag_bits & _ENCRYPTED or item.compress_type not in _METHODS:
            raise ValueError(f"its part {item.filename!r} isn't stored as expected")
    manifest = _manifest(file)
    if odd := {*names} ^ {_MANIFEST, *manifest.parts} or {*names} - {_MANIFEST, *_NAMES}:
        raise ValueError(f"its part {min(odd)!r} is missing or unexpected")
    if sum(part.bytes for part in manifest.parts.values()) > _ROOM + _RATIO * size:
        raise ValueError("it would unpack to more than the limit")
    for name, part in manifest.parts.items():
        _require_same(file, name, part)
    return Capsule(file, manifest)


def _manifest(file: zipfile.ZipFile) -> Manifest:
    with file.open(_MANIFEST) as part:
        said = part.read(_MOST_OF_MANIFEST + 1)
    try:
        manifest = msgspec.json.decode(said, type=Manifest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"its {_MANIFEST} can't be read") from error
    if manifest.format != FORMAT or manifest.revision not in migrate.list_revisions():
        raise StartError(
            f"The capsule is from a newer version: {manifest.format!r} at revision {manifest.revision!r}. This one reads "
            f"{FORMAT!r} up to {migrate.newest_revision()}. Install the newer version and import with it. {NOTHING}"
        )
    return manifest


def _require_same(file: zipfile.ZipFile, name: str, due: CapsulePart) -> None:
    size, digest = 0, sha256()
    with file.open(name) as part:
        while size <= due.bytes and (chunk := part.read(_CHUNK)):
            size += len(chunk)
            digest.update(chunk)
    if (size, digest.hexdigest()) != (due.bytes, due.sha256):
        raise ValueError(f"its part {name!r} isn't the one that was exported")


_OPEN = sa.or_(*(schema.epoch.c[name].is_(None) for name in ("first", "last", "closed_at")))
_HIGHEST = 10**9
_PREFIX = "adjutant-import-"
DAY = 86400
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@asynccontextmanager
async def load_capsule(capsule: Capsule, kinds: ledger.EntryKinds) -> AsyncIterator[Database]:
    """Yield a new database with a capsule's campaign, state rebuilt."""
    await asyncio.to_thread(_remove_abandoned)
    with TemporaryDirectory(prefix=_PREFIX) as folder:
        database = Database(f"sqlite:///{Path(folder) / 'capsule.db'}")
        try:
            try:
                await _fill(database, capsule)
                await _prove(database, kinds, capsule.manifest)
            except UNFIT as error:
                said = f"The capsule isn't valid: its entries can't be read: {error!r}."
                if (stopped := describe_outage(error)) is not None:
                    do = "Make room, or set TMPDIR to another folder."
                    said = f"I can't unpack the capsule in {folder}: {stopped[0]} {do}"
                raise StartError(f"{said} {NOTHING}") from error
            yield database
        finally:
            await database.close()


def _remove_abandoned() -> None:
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another import has removed it
            if time.time() - left.stat().st_mtime > DAY:
                shutil.rmtree(left)


async def _fill(database: Database, capsule: Capsule) -> None:
    revision = capsule.manifest.revision
    if revision == migrate.newest_revision():
        await database.alter_schema(schema.metadata.create_all)
    else:
        await migrate.upgrade(database, revision)
    try:
        await database.write(_put, capsule)
        if revision != migrate.newest_revision():
            await migrate.upgrade(database)
    except (StartError, sa.exc.SQLAlchemyError) as error:
        if describe_outage(error):
            raise
        raise StartError(f"The capsule has no campaign: {error} {NOTHING}") from error


def _put(tx: Connection, capsule: Capsule) -> None:
    for name, lines in capsule.tables():
        put_rows(tx, name, lines)


async def _prove(database: Database, kinds: ledger.EntryKinds, manifest: Manifest) -> None:
    faults = [item.fault for item in await database.read(tally.find_damage)]
    audits = [] if faults else await audit.rebuild_states(database, kinds)
    faults += [fault for item in audits if not item.whole for fault in item.faults]
    if not faults:
        faults += await database.read(_faults, manifest) or await database.read(_too_large, kinds)
    if faults:
        raise StartError(f"The capsule isn't valid: {faults[0]} {NOTHING}")
    await database.write(_read_in, kinds, manifest.entries)


def _faults(tx: Connection, manifest: Manifest) -> list[str]:
    found = campaigns.get_campaign(tx, IN)
    if found is None or found.uuid != manifest.campaign:
        return ["Its campaign is another one than it says."]
    if entries.find_link(tx, IN, found.uuid) != Link(found.uuid, manifest.entries, manifest.head):
        return ["Its newest entry is another one than it says."]
    if tx.scalar(sa.select(sa.literal(1)).select_from(schema.epoch).where(_OPEN)) is not None:
        return ["It has the secret of an open dice set, so its dice could be predicted."]
    last, highest = tx.execute(sa.select(sa.func.max(schema.epoch.c.last), sa.func.max(schema.epoch.c.number))).one()
    if last != manifest.entries or highest > _HIGHEST:
        return ["Its last dice set does not end with its newest entry."]
    return [*_odd_values(tx, manifest.entries)]


def _too_large(tx: Connection, kinds: ledger.EntryKinds) -> list[str]:
    found = ((kind, item) for kind in kinds.with_limits for item in entries.walk_back(tx, IN, kind.name))
    faults = (
        f"Entry {item.number}: {fault}."
        for kind, item in found
        if kind.too_large is not None and kind.matches(item.content())
        for fault in kind.too_large(item.content())
    )
    return [*islice(faults, 1)]


def _odd_values(tx: Connection, newest: int) -> Iterator[str]:
    for (key, name), value in state.each_value(tx, IN):
        kind, _, number = key.partition(":")
        if kind in {"entry", "subject"} and not _NUMBER.fullmatch(number):
            yield f"It has a value for {key!r}, which doesn't exist."
        elif name == state.VOIDED and value is not None and not int(number) < value["by"] <= newest:
            yield f"Entry {number} was undone by {value['by']!r}, which isn't a later entry."


def _read_in(tx: Connection, kinds: ledger.EntryKinds, newest: int) -> None:
    search_index.set_backlog(tx, IN, newest)
    while search_index.SearchIndex(kinds).fill(tx, IN):
        pass
