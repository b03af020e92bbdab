"""Import and export of units and characters in words: what an import would do, what is wrong with a file, what was done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.core.profiles import Profile
from bot.ui.text import plain, within

ROOM = 3300
"""Characters for a list, so that what stands around it has room within the 4,000 of a message or an embed."""

MAX_NAMES = 1200


def preview_lines(
    new: Sequence[Profile], changed: Sequence[tuple[Profile, Sequence[str]]], unchanged: int
) -> list[str]:
    """What an import would do: who is new, by kind; who is changed, and in which columns; how many stay as they are."""
    lines = [f"**New: {len(new)}**"] if new else []
    kinds: dict[str, list[str]] = {}
    for item in new:
        kinds.setdefault(item.kind, []).append(item.name)
    lines += [
        f"\N{BULLET} {kind} ({len(names)}): {_some(names, MAX_NAMES // len(kinds))}" for kind, names in kinds.items()
    ]
    lines += [f"**Changed: {len(changed)}**"] if changed else []
    lines += [f"\N{BULLET} {plain(item.name)}: {', '.join(columns)}" for item, columns in changed]
    head = [f"**As they are already: {unchanged}**"] if unchanged else []
    return [*head, *within(ROOM - sum(map(len, head)), lines)]


def imported_lines(body: Mapping[str, Any]) -> list[str]:
    """What an import has done, as the ledger tells it."""
    made = [change["after"]["name"] for change in body["changes"] if change["before"] is None]
    remade = [change["after"]["name"] for change in body["changes"] if change["before"] is not None]
    told = [f"Units and characters imported: {body['new']} new, {body['changed']} changed"]
    return told + [
        f"{label}: {_some(names, MAX_NAMES)}" for label, names in (("New", made), ("Changed", remade)) if names
    ]


def exported_line(count: int, *, too_many: bool) -> str:
    """What an exported file has in it, and whether an import takes it in one piece."""
    told = f"{count} {'unit or character' if count == 1 else 'units and characters'}. Secret ones and owners are in it: keep it among game masters."
    return f"{told}\nIt is longer than one import takes: split it first." if too_many else told


def _some(names: Sequence[str], room: int) -> str:
    """Names in a row, and how many more there are."""
    shown = list(_fitting(names, room))
    more = [f"and {len(names) - len(shown)} more"] if len(shown) < len(names) else []
    return ", ".join([*shown, *more])


def _fitting(names: Sequence[str], room: int) -> Iterator[str]:
    for name in map(plain, names):
        room -= len(name) + 2
        if room < 0:
            return
        yield name
