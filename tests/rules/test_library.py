from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from rules import library
from rules.books import procedures_of
from rules.loader import load_books


def test_books_that_are_kept_are_those_that_are_loaded(tmp_path: Path) -> None:
    """Cached books equal checked ones; read-only folders work."""
    kept = tmp_path / "kept" / "books.pickle"
    first, second = library.load_shipped_books(kept), library.load_shipped_books(kept)

    assert kept.exists()
    assert first == second == load_books()
    assert all(len(book.procedures) >= len(procedures_of(name)) for name, book in second.items())
    assert second["campaign"].procedures
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert library.load_shipped_books(blocked / "books.pickle") == load_books()


def test_a_book_is_unpacked_when_it_is_first_asked_for(tmp_path: Path) -> None:
    """Ids are known before; later it's the same object."""
    library.load_shipped_books(tmp_path / "books.pickle")
    every = library.load_shipped_books(tmp_path / "books.pickle")
    some = every.only({"campaign", "nobody's"})

    assert ([*some], len(some), some.get("roe")) == (["campaign"], 1, None)
    assert some["campaign"] is some["campaign"]
    assert some["campaign"] == every["campaign"]


def test_what_is_kept_counts_only_for_these_files(tmp_path: Path) -> None:
    """Stale or partial caches aren't read."""
    kept = tmp_path / "books.pickle"
    whole = library.load_shipped_books(kept)
    good = kept.read_bytes()
    for stale in (b"", good[:20], good[: len(good) // 2], b"\0" * 32 + pickle.dumps({}), b"\0" + good):
        kept.write_bytes(stale)
        assert library.load_shipped_books(kept) == whole
        assert kept.read_bytes() == good


def test_files_are_known_by_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content counts for tables, time for modules."""
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    (tmp_path / "book").mkdir()
    table, module = tmp_path / "book" / "table.toml", tmp_path / "book" / "rolls.py"
    table.write_text("max = 17")
    module.write_text("DIE = 20")
    os.utime(module, (1000, 1000))
    key, age = library._key(), table.stat().st_mtime_ns
    assert library._key() == key

    table.write_text("max = 18")
    os.utime(table, ns=(age, age))
    assert library._key() != key
    table.write_text("max = 17")
    assert library._key() == key
    os.utime(module, (1002, 1002))
    assert library._key() != key
