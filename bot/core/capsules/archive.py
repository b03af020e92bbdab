"""The file of a capsule: a zip with a manifest that names each of its parts by length and hash; never more is read of it than that."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, BinaryIO, Self

import msgspec
from msgspec import Meta, Struct, field

from bot.core import migrate
from bot.core.capsules.contents import TAKEN
from bot.errors import StartError

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


class Part(Struct, frozen=True):
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
    parts: dict[str, Part] = field(default_factory=dict)


class Writing:
    """A capsule that is being written to a file of at most so many bytes."""

    def __init__(self, file: BinaryIO, most: int | None) -> None:
        self._file, self._most = file, most
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._parts: dict[str, Part] = {}

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
        self._parts[name] = Part(size, digest.hexdigest())

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
def opened(path: Path) -> Iterator[Capsule]:
    """Open a file as a capsule; nothing of it is kept outside.

    Raises:
        StartError: it is none, was cut or changed, is larger than it says, or is of a newer version.

    """
    with ExitStack() as stack:
        try:
            capsule = _checked(stack.enter_context(zipfile.ZipFile(path)), path.stat().st_size)
        except _UNFIT as error:
            raise StartError(f"{path} isn't a complete capsule: {error}. {NOTHING}") from error
        yield capsule


def _checked(file: zipfile.ZipFile, size: int) -> Capsule:
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
    if manifest.format != FORMAT or manifest.revision not in migrate.revisions():
        raise StartError(
            f"The capsule is from a newer version: {manifest.format!r} at revision {manifest.revision!r}. This one reads "
            f"{FORMAT!r} up to {migrate.head()}. Install the newer version and import with it. {NOTHING}"
        )
    return manifest


def _require_same(file: zipfile.ZipFile, name: str, due: Part) -> None:
    """Refuse a part that is not as the manifest says; not more of it is unpacked than that, and nothing kept."""
    size, digest = 0, sha256()
    with file.open(name) as part:
        while size <= due.bytes and (chunk := part.read(_CHUNK)):
            size += len(chunk)
            digest.update(chunk)
    if (size, digest.hexdigest()) != (due.bytes, due.sha256):
        raise ValueError(f"its part {name!r} isn't the one that was exported")
