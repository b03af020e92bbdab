"""The shipped books as they were built last, kept beside Python's own byte code: checking them anew is slow, and needless.

The tests and `adjutant rules lint` check them. What is kept counts only as long as every file of this package is byte for
byte as it was; otherwise the books are read and checked as ever.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from rules.acts import with_procedures
from rules.books import procedures
from rules.ruleset import RuleSet

FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__" / "books.pickle"


def shipped_books(kept: Path = KEPT) -> dict[str, RuleSet]:
    """Return every shipped rule book by its id, from the file `kept` where that is still true; it is written where not.

    Raises:
        BookError: a book has faults.

    """
    key = _key()
    plain = _read(kept, key)
    if plain is None:
        from rules.loader import load_books  # noqa: PLC0415 - pydantic loads only with books that are to be checked

        plain = {book: replace(rules, procedures={}) for book, rules in load_books().items()}
        if key == _key():  # nobody has installed another version meanwhile
            data = pickle.dumps(plain)
            _write(kept, key + hashlib.sha256(data).digest() + data)
    return {book: with_procedures(rules, procedures(book)) for book, rules in plain.items()}


def _key() -> bytes:
    """Return what all files of this package are at once, and what reads them."""
    known = hashlib.sha256(f"{sys.version}\0{FOLDER}".encode())
    for path in sorted(FOLDER.rglob("*.toml")) + sorted(FOLDER.rglob("*.py")):
        known.update(f"\0{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return known.digest()


def _read(kept: Path, key: bytes) -> Mapping[str, RuleSet] | None:
    with contextlib.suppress(OSError):
        kept_bytes = kept.read_bytes()
        head, data = kept_bytes[: 2 * len(key)], kept_bytes[2 * len(key) :]
        if head == key + hashlib.sha256(data).digest():  # a crash may have left half of it
            books: Mapping[str, RuleSet] = pickle.loads(data)  # noqa: S301 - as much our own as byte code is
            return books
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
