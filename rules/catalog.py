"""Catalogs: what a book lists besides tables, such as its weapons or vehicles: kinds of entries with values of their own.

A book's module `book` says in `CATALOG` which kinds there are and what an entry of each holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct


class Entry(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """One printed line of a list: `label` is what people read, `line` where it is printed, `kind` what the list is called."""

    kind: ClassVar[str]
    id: str
    label: str
    line: int


class Amount(Entry, frozen=True):
    """A number that the page prints for no table."""

    kind = "number"
    value: int


Kinds = Mapping[str, type[Entry]]
"""What entries hold, by their kinds."""
Catalog = Mapping[str, Mapping[str, Entry]]
"""Entries by kind and id, in the order of the page."""
