"""Entries of catalogs as written: held to what their book says that an entry of each kind holds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import ValidationError, convert

from rules.catalog import Entry, Kinds
from rules.draft import BookDraft
from rules.errors import Fault
from rules.phrases import suggestion


def read_catalog(draft: BookDraft, kinds: Kinds, faults: list[Fault]) -> dict[str, dict[str, Entry]]:
    """Return the entries that a book lists; what is wrong with one is added to `faults`."""
    catalog: dict[str, dict[str, Entry]] = {kind: {} for kind in kinds}
    for kind, entry, fault in _entries(draft, kinds):
        if fault is not None:
            faults.append(fault)
        if entry is not None:
            catalog[kind][entry.id] = entry
    return {kind: entries for kind, entries in catalog.items() if entries}


def _entries(draft: BookDraft, kinds: Kinds) -> Iterator[tuple[str, Entry | None, Fault | None]]:
    known: set[tuple[str, str]] = set()
    for kind, place, raw in draft.entries:
        if kind not in kinds:
            yield kind, None, place.fault(f"catalog {kind}: unknown kind{suggestion(kind, kinds)}")
            continue
        try:
            entry = convert(raw, kinds[kind])
        except ValidationError as error:
            name = raw.get("id", "?") if isinstance(raw, dict) else "?"
            yield kind, None, place.fault(f"{kind} {name}: {error}")
            continue
        twice = (kind, entry.id) in known
        known.add((kind, entry.id))
        yield kind, entry, place.fault(f"{kind} {entry.id}: this id is used twice") if twice else None
