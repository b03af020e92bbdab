"""What the RoE book lists is named in its data alone."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from rules.books.roe.catalog import Option, Race, Size, Vehicle, WeaponClass, WeaponToken
from rules.kinds import CatalogEntry
from rules.loader import BOOKS, load_book
from tests.architecture.source import ROOT

LISTED: tuple[type[CatalogEntry], ...] = (Option, Race, Size, WeaponToken, Vehicle, WeaponClass)
FILES = [*sorted((BOOKS / "roe").glob("*.py")), *sorted((ROOT / "tests/answers").glob("roe*.py"))]


@cache
def _words(file: Path) -> list[tuple[int, str]]:
    """Return the strings of a module with their lines, without docstrings."""
    tree = ast.parse(file.read_text("utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in told)
    return [(node.lineno, node.value) for node in strings if isinstance(node.value, str)]


@pytest.mark.parametrize("kind", LISTED, ids=[kind.kind for kind in LISTED])
def test_no_entry_of_the_catalog_is_named_in_python(kind: type[CatalogEntry]) -> None:
    """Python speaks of properties: no id and no label of an option, size, token, class or vehicle is a string in it."""
    entries = load_book("roe").listed(kind).values()
    names = {name.casefold() for entry in entries for name in (entry.id, entry.label)}
    named = [f"{file.name}:{line}: {word}" for file in FILES for line, word in _words(file) if word.casefold() in names]
    assert names
    assert named == []
