"""Compare a file with what is saved. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bot.cogs.roster.validation import KINDS, flaws, list_named_units, quote, tidy
from bot.core.errors import FileFault
from bot.core.profiles import UNIT_KINDS, Profile, find_squad, list_differences
from bot.core.subjects import group_by_name
from bot.ui.text import join_words
from rules import book, errors
from rules.subjects import KEPT, BadValue, Fields, name_key

REQUIRED = ("name", "kind")
OTHER_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("type", "class"), "kind"),
    **dict.fromkeys(("faction", "team", "nation", "allegiance"), "side"),
    **dict.fromkeys(("player", "played by", "member", "user"), "owner"),
    **dict.fromkeys(("location", "area", "sector"), "region"),
    **dict.fromkeys(("hidden",), "secret"),
}
ALWAYS = frozenset({"callsign", "newtype"})
"""Columns of older files; they may stay empty where no book has them."""
MAX_ROWS = 10_000
MAX_COMPARED = 200_000  # names; that takes a second or two
_OWNER = re.compile(r"<@!?([0-9]{15,19})>|([0-9]{15,19})")
_NAME = re.compile(r"(?!<@)(?=.*[^0-9.,eE+]).{1,64}")
_ROUNDED = re.compile(r"[0-9][eE]\+?[0-9]")
_TRAIT = re.compile(r"(?P<id>[^*\u00d7,]+?)\s*(?:[*\u00d7]\s*(?P<count>[0-9]{1,6}))?")
_NO, _YES = ("", "no", "n", "false", "0", "0.0"), ("yes", "y", "true", "1", "1.0", "x")
_SECRET = {**dict.fromkeys(_NO, False), **dict.fromkeys(_YES, True)}


Owners = Mapping[str, Sequence[int]]
"""User ids of members by the name in the file."""

NOBODY: Owners = {}


class Row(Struct, frozen=True):
    """A row of a file: text by column, and each column's line number."""

    cells: Mapping[str, str]
    line: Callable[[str], int]

    def fault(self, column: str, what: str, do: str = "") -> FileFault:
        """Return a fault in a column."""
        return FileFault(self.line(column), f"{what} {do}".strip())


class ParsedFile(Struct, frozen=True):
    """Rows of a file, and its faults so far."""

    rows: list[Row] = field(default_factory=list)
    faults: list[FileFault] = field(default_factory=list)


class LimitedNearest:
    """Finds similar names; compares only a limited number of names in all."""

    def __init__(self) -> None:
        self._left = MAX_COMPARED

    def __call__(self, name: str, known: Iterable[str]) -> str | None:
        """Return the known name closest to `name`; None at the limit."""
        looked_at = list(islice(known, self._left))
        self._left -= len(looked_at)
        return errors.nearest(name, looked_at) if looked_at else None


def profile_of(row: Row, fields: Fields, owners: Owners = NOBODY) -> tuple[Profile, list[FileFault]]:
    """Read a row; return its profile and the faults of its cells."""
    values: dict[str, Any] = {}
    faults: list[FileFault] = []
    for column, cell in row.cells.items():
        try:
            if column == "owner":
                values[column] = _read_owner(cell, owners)
            else:
                values[column] = fields[column].read(tidy(cell)) if column in fields else _READ.get(column, tidy)(cell)
        except BadValue as bad:
            faults += [row.fault(column, what) for what in bad.args]
    kept = {name: value for name in fields if (value := values.pop(name, None)) is not None}
    kind = (values.pop("kind", None) or "").casefold()
    return Profile(**{**values, "name": values.get("name") or "", "kind": kind, "fields": kept}), faults


def cells_of(item: Profile, fields: Fields) -> dict[str, str]:
    """Return a profile as text by column, for a row of a file."""
    cells = {column: item.get(column) or "" for column in KEPT}
    kept = {name: of.format(item.fields[name]) if name in item.fields else "" for name, of in fields.items()}
    return {
        **cells,
        **kept,
        "owner": f"<@{item.owner}>" if item.owner else "",  # spreadsheet programs round long numbers
        "secret": "yes" if item.secret else "",
        "traits": "; ".join(name if count == 1 else f"{name}*{count}" for name, count in item.traits.items()),
    }


def owner_names(file: ParsedFile) -> set[str]:
    """Return owners that are names instead of user ids."""
    owners = (tidy(row.cells.get("owner", "")) for row in file.rows)
    return {owner for owner in owners if owner and _NAME.fullmatch(owner)}


def _read_owner(cell: str, owners: Owners) -> str | None:
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
        raise BadValue(f"{len(called)} members are called {quote(owner)}: write a user id, or <@id>.")
    rounded = " A spreadsheet program has rounded it: <@id> stays whole." if _ROUNDED.search(cell) else ""
    raise BadValue(f"There's no member {quote(owner)} on this server: write a name, a user id, or <@id>.{rounded}")


def _read_secret(cell: str) -> bool:
    word = (tidy(cell) or "").casefold()
    if word not in _SECRET:
        raise BadValue(f"Is it secret? Write yes or no, not {quote(cell)}.")
    return _SECRET[word]


def _read_traits(cell: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    faults = []
    for word in filter(None, map(tidy, cell.split(";"))):
        match = _TRAIT.fullmatch(word)
        name = match["id"].casefold() if match else ""
        if match is None:
            faults.append(
                f"I can't read {quote(word)}. Write trait ids separated by semicolons, with id*2 for a count."
            )
        elif name in counts:
            faults.append(f"The trait {quote(name)} is there twice. Write it once, with id*2 for a count.")
        else:
            counts[name] = int(match["count"] or 1)
    if faults:
        raise BadValue(*faults)
    return counts


_READ: Mapping[str, Callable[[str], Any]] = {"secret": _read_secret, "traits": _read_traits}


MAX_GUESSES = 10  # unknown regions with near ones


class SavedRoster(Struct, frozen=True, dict=True):
    """Saved profiles (owners are user ids as text), and the books' traits, regions and fields."""

    profiles: Sequence[Profile]
    traits: Mapping[str, book.Trait]
    regions: Mapping[str, str]
    new_are_secret: bool = False
    fields: Fields = field(default_factory=dict)

    def spell(self, item: Profile) -> Profile:
        """Return a profile with names as saved, and saved values of fields the file lacks."""
        if item.region is not None:
            item = replace(item, region=self.regions.get(name_key(item.region), item.region))
        before = self.alike(item.name)[:1]
        if not before:
            return item
        squad = before[0].squad
        alike = item.squad and squad and name_key(item.squad) == name_key(squad)
        fields = before[0].with_fields({name: item.fields.get(name) for name in self.fields}).fields
        return replace(item, name=before[0].name, squad=squad if alike else item.squad, fields=fields)

    def alike(self, name: str) -> list[Profile]:
        """Return saved profiles with a name; several only if all are secret."""
        return self._by_name.get(name_key(name), [])

    @cached_property
    def _by_name(self) -> dict[str, list[Profile]]:
        return group_by_name(self.profiles)


class ImportPlan(Struct):
    """New profiles, changed ones (before, after), and how many are unchanged."""

    new: list[Profile] = field(default_factory=list)
    changed: list[tuple[Profile, Profile]] = field(default_factory=list)
    unchanged: int = 0

    @property
    def digest(self) -> str:
        """A short hash of new and changed profiles, to notice whether the plan changed."""
        return sha256(repr((self.new, self.changed)).encode()).hexdigest()[:8]

    def unknown_regions(self, regions: Mapping[str, str]) -> list[str]:
        """Return names of unknown regions, the first ones with a guess."""
        changed = (after for before, after in self.changed if after.region != before.region)
        named = dict.fromkeys(item.region for item in (*self.new, *changed) if item.region)
        unknown = [region for region in named if regions and name_key(region) not in regions]
        guesses = [errors.nearest(region, regions.values()) for region in unknown[:MAX_GUESSES]]
        guessed = [
            f"{region} (did you mean {close}?)" if close else region
            for region, close in zip(unknown, guesses, strict=False)
        ]
        return [*guessed, *unknown[MAX_GUESSES:]]

    def note(self, before: Profile | None, after: Profile) -> None:
        """Note a new or changed one."""
        if before is None:
            self.new.append(after)
        else:
            self.changed.append((before, after))


def keep_squad(item: Profile, before: Profile | None, squads: Mapping[str, Sequence[Profile]]) -> Profile:
    """Return a profile with its saved squad, or the one that is meant."""
    if before is not None and name_key(before.squad or "") == name_key(item.squad or ""):
        return replace(item, squad=before.squad, squad_id=before.squad_id)
    return find_squad(item, squads.get(name_key(item.squad or ""), ()))


class PlannedImport(Struct):
    """A plan, the file's faults, and rows by owner."""

    plan: ImportPlan = field(default_factory=ImportPlan)
    faults: list[FileFault] = field(default_factory=list)
    owners: dict[int, list[Row]] = field(default_factory=dict)


def plan_import(file: ParsedFile, saved: SavedRoster, owners: Owners = NOBODY, *, may_replace: bool) -> PlannedImport:
    """Compare a file with saved ones; without `may_replace`, differences are faults."""
    planned = PlannedImport(faults=list(file.faults))
    items: list[tuple[Row, Profile]] = []
    for row in file.rows:
        item, unusable = profile_of(row, saved.fields, owners)
        planned.faults += unusable
        item = saved.spell(item)
        unsaid = saved.new_are_secret and not row.cells.get("secret", "").strip() and not saved.alike(item.name)
        items.append((row, replace(item, secret=True) if unsaid else item))
    kinds = {name_key(item.name): item for item in [*saved.profiles, *(item for _, item in items)]}
    units = {key: item.name for key, item in kinds.items() if not item.is_character}
    first: dict[str, Row] = {}
    near = LimitedNearest()
    for row, item in items:
        alike, key = saved.alike(item.name), name_key(item.name)
        before = next(iter(alike), None)
        if item.owner is not None:
            planned.owners.setdefault(int(item.owner), []).append(row)
        if any(not list_differences(known, item) for known in alike):
            planned.plan.unchanged += 1
        elif len(alike) > 1:
            what = f"{len(alike)} are called {quote(item.name)}."
            planned.faults.append(row.fault("name", what, "Change them one by one, with /roster edit."))
        elif item.name and key in first:
            what = f"{quote(item.name)} is already on line {first[key].line('name')}."
            planned.faults.append(row.fault("name", what, "Each name can be there once."))
        else:
            there = units | list_named_units(before, saved.fields) if before else units  # as an edit has it
            found = flaws(item, saved.traits, there, saved.fields, near)
            unsound = (row.fault(flaw.field, flaw.what, flaw.do) for flaw in found)
            planned.faults += [*unsound, *_conflict(row, item, before, may_replace=may_replace)]
            planned.faults += _ambiguous_squad(row, item, before, saved)
            planned.plan.note(before, item)
        first.setdefault(key, row)
    return planned


def _ambiguous_squad(row: Row, item: Profile, before: Profile | None, saved: SavedRoster) -> Iterator[FileFault]:
    several = sum(unit.kind in UNIT_KINDS for unit in saved.alike(item.squad or ""))
    if several > 1 and (before is None or name_key(before.squad or "") != name_key(item.squad or "")):
        what = f"{several} units are called {quote(item.squad or '')}."
        yield row.fault("squad", what, "Leave the squad out here, and set it with /roster edit.")


def _conflict(row: Row, item: Profile, before: Profile | None, *, may_replace: bool) -> Iterator[FileFault]:
    if before is None or item.kind not in KINDS:
        return
    if item.is_character != before.is_character:
        what = f"{quote(item.name)} is a {before.kind}, which can't become a {item.kind}."
        yield row.fault("kind", what, "Use another name, or remove that one first.")
    elif not may_replace:
        what = f"{quote(item.name)} is already saved with a different {join_words(list_differences(before, item))}."
        yield row.fault("name", what, "Import with replace:True to change it.")
