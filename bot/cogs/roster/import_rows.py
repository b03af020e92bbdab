"""What the columns of a file of units and characters say, whichever form it has. Pure: no database, no files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct, field

from bot.cogs.roster.validation import shown, tidy
from bot.core.profiles import Profile
from bot.errors import Fault
from rules.errors import nearest
from rules.fields import BadValue, Fields
from rules.subjects import KEPT

REQUIRED = ("name", "kind")
OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("type", "class"), "kind"),
    **dict.fromkeys(("faction", "team", "nation", "allegiance"), "side"),
    **dict.fromkeys(("player", "played by", "member", "user"), "owner"),
    **dict.fromkeys(("location", "area", "sector"), "region"),
    **dict.fromkeys(("hidden",), "secret"),
}
"""What else people call the columns that every file may have."""

ALWAYS = frozenset({"callsign", "newtype"})
"""Columns that every file had before books said what is kept: they may stand empty where no book has them."""
MAX_ROWS = 10_000
MAX_COMPARED = 200_000
"""How many names are looked at in search of near ones, all in all; that takes a second or two."""

_OWNER = re.compile(r"<@!?([0-9]{15,19})>|([0-9]{15,19})")
_NAME = re.compile(r"(?!<@)(?=.*[^0-9.,eE+]).{1,64}")
_ROUNDED = re.compile(r"[0-9][eE]\+?[0-9]")
_TRAIT = re.compile(r"(?P<id>[^*\u00d7,]+?)\s*(?:[*\u00d7]\s*(?P<count>[0-9]{1,6}))?")
_NO, _YES = ("", "no", "n", "false", "0", "0.0"), ("yes", "y", "true", "1", "1.0", "x")
_SECRET = {**dict.fromkeys(_NO, False), **dict.fromkeys(_YES, True)}


Owners = Mapping[str, Sequence[int]]
"""The members (user ids) who are called so, by name as a file has it."""

NOBODY: Owners = {}


class Row(Struct, frozen=True):
    """One unit or character as a file has it: text by column, and the line of each column."""

    cells: Mapping[str, str]
    line: Callable[[str], int]

    def fault(self, column: str, what: str, do: str = "") -> Fault:
        """Say what is wrong in a column."""
        return Fault(self.line(column), f"{what} {do}".strip())


class ParsedFile(Struct, frozen=True):
    """What a file says, and what is wrong with it so far."""

    rows: list[Row] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


class LimitedNearest:
    """Look for near names until so many are compared that more would take too long; then find none."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED

    def __call__(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name closest to `name`."""
        looked_at = list(islice(known, self._left))
        self._left -= len(looked_at)
        return nearest(name, looked_at) if looked_at else None


def profile_of(row: Row, fields: Fields, owners: Owners = NOBODY) -> tuple[Profile, list[Fault]]:
    """Return the profile that a row describes, and the cells that cannot be read. Its owner is a user id as text."""
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for column, cell in row.cells.items():
        try:
            if column == "owner":
                values[column] = _owner(cell, owners)
            else:
                values[column] = fields[column].read(tidy(cell)) if column in fields else _READ.get(column, tidy)(cell)
        except BadValue as bad:
            faults += [row.fault(column, what) for what in bad.args]
    kept = {name: value for name in fields if (value := values.pop(name, None)) is not None}
    kind = (values.pop("kind", None) or "").casefold()
    return Profile(**{**values, "name": values.get("name") or "", "kind": kind, "fields": kept}), faults


def cells_of(item: Profile, fields: Fields) -> dict[str, str]:
    """Return a profile as a row; its owner is a user id as text."""
    cells = {column: item.get(column) or "" for column in KEPT}
    kept = {name: of.typed(item.fields[name]) if name in item.fields else "" for name, of in fields.items()}
    return {
        **cells,
        **kept,
        "owner": f"<@{item.owner}>" if item.owner else "",  # spreadsheet programs round long numbers
        "secret": "yes" if item.secret else "",
        "traits": "; ".join(name if count == 1 else f"{name}*{count}" for name, count in item.traits.items()),
    }


def owner_names(file: ParsedFile) -> set[str]:
    """Return the owners of a file that are no user ids, as they are written: members are looked for under these names."""
    owners = (tidy(row.cells.get("owner", "")) for row in file.rows)
    return {owner for owner in owners if owner and _NAME.fullmatch(owner)}


def _owner(cell: str, owners: Owners) -> str | None:
    owner = tidy(cell)
    if owner is None:
        return None
    match = _OWNER.fullmatch(owner)
    user_id = int(match[1] or match[2]) if match else 2**63
    if user_id < 2**63:
        return str(user_id)
    called = owners.get(owner, ())
    if len(called) == 1:
        return str(called[0])
    if called:
        raise BadValue(f"{len(called)} members are called {shown(owner)}: write a user id, or <@id>.")
    rounded = " A spreadsheet program has rounded it: <@id> stays whole." if _ROUNDED.search(cell) else ""
    raise BadValue(f"There's no member {shown(owner)} on this server: write a name, a user id, or <@id>.{rounded}")


def _secret(cell: str) -> bool:
    word = (tidy(cell) or "").casefold()
    if word not in _SECRET:
        raise BadValue(f"Is it secret? Write yes or no, not {shown(cell)}.")
    return _SECRET[word]


def _traits(cell: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    faults = []
    for word in filter(None, map(tidy, cell.split(";"))):
        match = _TRAIT.fullmatch(word)
        name = match["id"].casefold() if match else ""
        if match is None:
            faults.append(
                f"I can't read {shown(word)}. Write trait ids separated by semicolons, with id*2 for a count."
            )
        elif name in counts:
            faults.append(f"The trait {shown(name)} is there twice. Write it once, with id*2 for a count.")
        else:
            counts[name] = int(match["count"] or 1)
    if faults:
        raise BadValue(*faults)
    return counts


_READ: Mapping[str, Callable[[str], Any]] = {
    "secret": _secret,
    "traits": _traits,
}
"""How the columns that are no plain text are read."""
