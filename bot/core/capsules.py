"""Capsules: one campaign as a file.

A capsule is a zip with a manifest that names each of its parts by length and hash; never more is read of it than that. It has rows as
lines of JSON. State, names and words to search by aren't in it: they are made anew from the entries, so that nothing has to be
believed of them. What belongs to a server, such as channels, posts and buttons, stays there, and so do keys, and secrets that dice
are still drawn from.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, Self

import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct, field
from sqlalchemy import Connection

from bot.core import migrate
from bot.core.copying import BATCH, read_batches
from bot.core.damage import entry_columns
from bot.core.database import describe_outage
from bot.core.encoding import Json, pack
from bot.core.schema import (
    actor,
    asked_search,
    binding,
    board,
    book_version,
    campaign,
    card,
    document,
    entry,
    entry_text,
    epoch,
    import_draft,
    job,
    pending,
    post,
    recent,
    registered,
    search,
    search_backlog,
    state,
    subject,
    tombstone,
)
from bot.errors import StartError

TAKEN = (campaign, entry, entry_text, epoch, actor, book_version, document, job, recent, card, pending)
"""The tables of which rows go into a capsule, in the order in which they are written and read."""

MADE_ANEW = (state, subject, search, search_backlog)
"""The tables whose rows follow from entries."""

LEFT = (binding, post, board, import_draft, asked_search, registered, tombstone)
"""The tables whose rows are about messages, channels and commands of servers, and about those who were erased there."""

IN = 1
"""The number of the one campaign in a database that a capsule was read into."""

UNFIT = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    msgspec.MsgspecError,
    sa.exc.SQLAlchemyError,
)
"""What comes of values that nobody has written by this program."""

_BLANK: Mapping[str, Mapping[str, Json]] = {
    "campaign": {
        **dict.fromkeys(("guild_id", "results_channel_id", "staff_channel_id", "game_master_role_id"), 0),
        **dict.fromkeys(("outside_key", "away_since")),
    },
    "entry": {"interaction": None, "step": None},
}
"""What stands in a capsule in place of what belongs to a server, by table."""

_WHICH: Mapping[sa.Table, sa.ColumnElement[bool]] = {
    epoch: epoch.c.closed_at.is_not(None),
    card: card.c.state == "open",
    pending: pending.c.state == "open",
}
"""Of which rows a capsule has none: secrets that are drawn from, and what is done with."""


def read_lines(tx: Connection, table: sa.Table, campaign_id: int, upto: int) -> Iterator[bytes]:
    """Yield the rows of a table as lines of JSON, of those about entries such as go up to a number."""
    owner = campaign.c.id if table is campaign else table.c.campaign_id
    numbered = [column for column in (*entry_columns(), entry.c.number) if column.table is table]
    which = [owner == campaign_id, *(column.is_(None) | (column <= upto) for column in numbered)]
    which += [_WHICH[table]] if table in _WHICH else []
    query = sa.select(*(column for column in table.c if column is not owner)).where(*which)
    with closing(read_batches(tx, query.order_by(*table.primary_key))) as found:
        for row in (row for some in found for row in some):
            yield msgspec.json.encode(strip_row(table.name, row._asdict())) + b"\n"


def strip_row(table: str, row: dict[str, Json]) -> dict[str, Json]:
    """Return a row of a table without what belongs to a server: as it leaves, and as it arrives, whoever has written it."""
    row |= _BLANK.get(table, {})
    if row.get("player_role_id") is not None:
        row["player_role_id"] = 0
    if "request" in row:
        row["request"] = _strip_request(row["request"])
    return row


def _strip_request(value: Json) -> Json:
    """Return requests for rolls without the channels in which their results were to be posted."""
    if isinstance(value, dict):
        left = {"here": None} if {"family", "here"} <= value.keys() else {}
        return {name: _strip_request(item) for name, item in value.items()} | left
    return [_strip_request(item) for item in value] if isinstance(value, list) else value


def put_rows(tx: Connection, name: str, written: Iterator[bytes]) -> None:
    """Write the lines of a table into the database of a capsule, which stands at the revision that they come from."""
    number = 0
    try:
        table = sa.Table(name, sa.MetaData(), autoload_with=tx, resolve_fks=False)
        owner = {"id": IN} if name == campaign.name else {"campaign_id": IN}
        columns = [column for column in table.c if column.name not in owner]
        names = {column.name for column in columns}  # those of older versions lack some of what is blank
        while batch := list(islice(written, BATCH)):
            rows = []
            for line in batch:
                number += 1
                row = strip_row(name, _row(columns, line))
                rows.append({key: row[key] for key in names & row.keys()} | owner)
            tx.execute(table.insert(), rows)
    except UNFIT as error:
        if describe_outage(error):
            raise
        why = str(getattr(error, "orig", None) or error).partition("\n")[0].rstrip(".")
        raise StartError(f"Its table {name} isn't readable: at row {number}, {why}.") from error


def _row(columns: Sequence[sa.Column[object]], line: bytes) -> dict[str, Json]:
    row = msgspec.json.decode(line)
    if not isinstance(row, dict) or row.keys() != {column.name for column in columns}:
        raise ValueError("the columns are others")
    return {column.name: _value(column.type, row[column.name]) for column in columns}


def _value(kind: sa.types.TypeEngine[object], value: Json) -> Json:
    """Return a value as a database takes it that knows no more of its columns than SQLite does."""
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
"""What a capsule may have beside its manifest: no path leads anywhere, as nothing is unpacked under its own name."""

_MOST_OF_MANIFEST, _LONGEST_LINE, _CHUNK = 2**16, 2**26, 2**20
_ROOM, _RATIO = 2**24, 100
"""How many bytes a file may unpack to: so many, and a hundred for each of its own. Ledgers come to ten or twenty."""

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 1
_UNFIT = (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What comes of a file that is none of ours."""


class TooLarge(Exception):
    """A capsule would be larger than its file may be."""


class CapsulePart(Struct, frozen=True):
    """One part of a capsule: how many bytes it has, and their SHA-256 (hex)."""

    bytes: Annotated[int, Meta(ge=0)]
    sha256: str


class Manifest(Struct, frozen=True):
    """What a capsule says of itself: whose it is, how far its ledger goes, at which revision its rows stand, and of which parts it is made."""

    format: str
    revision: str
    campaign: str
    name: str
    entries: int
    head: str
    at: datetime
    parts: dict[str, CapsulePart] = field(default_factory=dict)


class CapsuleWriter:
    """A capsule that is being written to a file of at most so many bytes."""

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
        """Write the rows of a table, as `add` does."""
        self.add(_ROWS.format(table), written)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest, and end the file."""
        whole = msgspec.structs.replace(manifest, parts=self._parts)
        self._zip.writestr(_MANIFEST, msgspec.json.format(msgspec.json.encode(whole)))
        self._zip.close()
        self._require_room()

    def _require_room(self) -> None:
        if self._most is not None and self._file.tell() > self._most:
            raise TooLarge


class Capsule:
    """A file that was opened, of which every part is as its manifest says."""

    def __init__(self, file: zipfile.ZipFile, manifest: Manifest) -> None:
        self._file = file
        self.manifest = manifest

    def tables(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield the names of its tables with their lines."""
        for table in TAKEN:
            if (name := _ROWS.format(table.name)) in self.manifest.parts:
                yield table.name, self._lines(name)

    def _lines(self, name: str) -> Iterator[bytes]:
        with self._file.open(name) as part:
            while line := part.readline(_LONGEST_LINE):
                yield line


@contextmanager
def open_capsule(path: Path) -> Iterator[Capsule]:
    """Open a file as a capsule; nothing of it is kept outside."""
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
    """Refuse a part that is not as the manifest says; not more of it is unpacked than that, and nothing kept."""
    size, digest = 0, sha256()
    with file.open(name) as part:
        while size <= due.bytes and (chunk := part.read(_CHUNK)):
            size += len(chunk)
            digest.update(chunk)
    if (size, digest.hexdigest()) != (due.bytes, due.sha256):
        raise ValueError(f"its part {name!r} isn't the one that was exported")
