"""Import and export of units and characters in words: what an import would do, what is wrong with a file, what was done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.cogs.roster.bodies import RosterImported
from bot.core.profiles import Profile
from bot.ui.text import plain, within
from rules.subjects import PROFILE, subject_number

ROOM = 3300
"""Characters for a list, so that what stands around it has room within the 4,000 of a message or an embed."""

MAX_NAMES = 1200
MAX_REGIONS = 300


def preview_lines(
    new: Sequence[Profile], changed: Sequence[tuple[Profile, Sequence[str]]], unchanged: int
) -> list[str]:
    """Return what an import would do: who is new, by kind; who is changed, and in which columns; how many stay as they are."""
    lines = [f"**New: {len(new)}**"] if new else []
    kinds: dict[str, list[str]] = {}
    for item in new:
        kinds.setdefault(item.kind, []).append(item.name)
    lines += [
        f"\N{BULLET} {kind} ({len(names)}): {_some(names, MAX_NAMES // len(kinds))}" for kind, names in kinds.items()
    ]
    lines += [f"**Changed: {len(changed)}**"] if changed else []
    lines += [f"\N{BULLET} {plain(item.name)}: {', '.join(columns)}" for item, columns in changed]
    head = [f"**Unchanged: {unchanged}**"] if unchanged else []
    return [*head, *within(ROOM - sum(map(len, head)), lines)]


def unknown_region_lines(regions: Sequence[str]) -> list[str]:
    """Return that the weather doesn't know these regions, if there are any."""
    return [f"Regions without weather: {_some(regions, MAX_REGIONS)}."] if regions else []


def imported_lines(body: RosterImported) -> list[str]:
    """Return what an import has done, as the ledger tells it."""
    names: dict[str, list[str]] = {"New": [], "Changed": []}
    for change in body["changes"]:
        if change["name"] == PROFILE:
            number = str(subject_number(change["subject"]))
            name = change["after"].get("name") or body["names"][number]  # of format 1, a profile has its name in it
            names["New" if change["before"] is None else "Changed"].append(str(name))
    head = f"Units and characters imported: {body['new']} new, {body['changed']} changed"
    return [head, *(f"{label}: {_some(some, MAX_NAMES)}" for label, some in names.items() if some)]


def exported_line(count: int, *, too_many: bool) -> str:
    """Return what an exported file has in it, and whether an import takes it in one piece."""
    line = f"{count} {'unit or character' if count == 1 else 'units and characters'}. It lists hidden ones and owners. Share it with game masters only."
    return f"{line}\nIt's too long for one import. Split it first." if too_many else line


def _some(names: Sequence[str], room: int) -> str:
    """Return names in a row, and how many more there are."""
    shown = list(_fitting(names, room))
    more = [f"and {len(names) - len(shown)} more"] if len(shown) < len(names) else []
    return ", ".join([*shown, *more])


def _fitting(names: Sequence[str], room: int) -> Iterator[str]:
    for name in map(plain, names):
        room -= len(name) + 2
        if room < 0:
            return
        yield name
