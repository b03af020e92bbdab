"""The shipped books as they were built last, and books made from them with a campaign's house rules or climate.

Checking a book anew is slow, and needless: the tests and `adjutant rules lint` do it. What is kept beside Python's own byte
code counts only as long as every printed line is byte for byte as it was, and every module by what Python knows its byte
code by; otherwise the books are read and checked as ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from rules.acts import with_procedures
from rules.books import procedures_of
from rules.climate import Climate
from rules.free import BOOK as FREE_DICE
from rules.ruleset import RuleSet, amend_climate, reserved_names, take_fingerprint

FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__" / "books.pickle"


class PackedBooks(Mapping[str, RuleSet]):
    """Books by id, packed; each is unpacked when it is first asked for, since few games play by all of them."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed = packed
        self._books: dict[str, RuleSet] = {}

    def __getitem__(self, book: str) -> RuleSet:
        if book not in self._books:
            plain: RuleSet = pickle.loads(zlib.decompress(self._packed[book]))  # noqa: S301 - as much our own as byte code is
            self._books.setdefault(book, with_procedures(plain, procedures_of(book)))  # threads may ask at once
        return self._books[book]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def only(self, books: Collection[str]) -> Self:
        """Return those of its books that are among these."""
        return type(self)({book: packed for book, packed in self._packed.items() if book in books})


def shipped_books(kept: Path = KEPT) -> PackedBooks:
    """Return every shipped rule book by its id, from the file `kept` where that is still true; it is written where not."""
    key = _key()
    packed = _read(kept, key)
    if packed is None:
        from rules.loader import load_books  # noqa: PLC0415 - loads only with books that are to be checked

        packed = {book: _pack(rules) for book, rules in load_books().items()}
        if key == _key():  # nobody has installed another version meanwhile
            data = pickle.dumps(packed)
            _write(kept, key + hashlib.sha256(data).digest() + data)
    return PackedBooks(packed)


def _pack(rules: RuleSet) -> bytes:
    return zlib.compress(pickle.dumps(replace(rules, procedures={})))


def _key() -> bytes:
    """Return what all files of this package are at once, and what reads them."""
    known = hashlib.sha256(f"{sys.version}\0{FOLDER}".encode())
    for folder, inner, names in os.walk(FOLDER):
        inner.sort()
        for path in (Path(folder, name) for name in sorted(names) if name.endswith((".toml", ".py"))):
            known.update(f"\0{path}\0".encode() + _file_mark(path))
    return known.digest()


def _file_mark(path: Path) -> bytes:
    """Return what a file is known by: all that it says, or of a module when it was written, in whole seconds, and its size."""
    if path.suffix == ".toml":
        return hashlib.sha256(path.read_bytes()).digest()
    stat = path.stat()
    return f"{int(stat.st_mtime)} {stat.st_size}".encode()


def _read(kept: Path, key: bytes) -> Mapping[str, bytes] | None:
    with contextlib.suppress(OSError):
        kept_bytes = kept.read_bytes()
        head, data = kept_bytes[: 2 * len(key)], kept_bytes[2 * len(key) :]
        if head == key + hashlib.sha256(data).digest():  # a crash may have left half of it
            packed: Mapping[str, bytes] = pickle.loads(data)  # noqa: S301 - as above
            return packed
    return None


def _write(kept: Path, data: bytes) -> None:
    """Keep books, whole or not at all; where nothing may be written they are built again next time."""
    new = kept.with_name(f"{kept.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        kept.parent.mkdir(exist_ok=True)
        try:
            new.write_bytes(data)
            new.replace(kept)
        finally:
            new.unlink(missing_ok=True)


class Composer:
    """Make books; `overlays` are the operator's own house rules, which the shipped books have already."""

    free_dice = FREE_DICE

    def __init__(self, overlays: Sequence[Path] = ()) -> None:
        self._overlays = tuple(overlays)

    def reserved_names(self, books: Iterable[RuleSet]) -> dict[str, str]:
        """Return the names that no table of a campaign's own can have, and who has them."""
        return reserved_names((*books, FREE_DICE))

    def with_house_rules(
        self, book_id: str, files: Sequence[tuple[str, str]], labels: Mapping[str, str], others: Mapping[str, str]
    ) -> RuleSet:
        """Return a book with house rules, given as (name, text), or the book of a campaign's own tables.

        `labels` are the names and versions of the files; `others` are names of tables that are taken, and by whom.
        """
        from rules import house  # noqa: PLC0415 - loads with the first house rules
        from rules.loader import load_with_house_rules  # noqa: PLC0415 - as above

        documents = [house.read_house_file(name, text.encode()) for name, text in files]
        rules = load_with_house_rules(book_id, documents, others=others, overlays=self._overlays)
        tables = {
            name: replace(table, files=tuple(labels[file] for file in table.files if file in labels))
            for name, table in rules.tables.items()
        }
        return replace(rules, tables=tables, versions=tuple(labels.values()))

    def with_climate(self, rules: RuleSet, climate: Climate) -> RuleSet:
        """Return a book with a campaign's own climate."""
        return amend_climate(rules, climate)

    def in_world(self, rules: RuleSet, others: Sequence[RuleSet]) -> RuleSet:
        """Return a book with the map and the fields of others, so that its rolls can name a region and know what is kept."""
        world = next((other for other in others if other.zones), rules)
        fields = {name: item for other in others for name, item in other.fields.items()}
        mapped = replace(rules, zones=world.zones, conditions=world.conditions, fields=fields)
        return replace(mapped, fingerprint=take_fingerprint(mapped))
