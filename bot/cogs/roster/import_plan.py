"""What a file of units and characters would change of those that are saved, and what keeps it from that. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256

from msgspec import Struct, field
from msgspec.structs import replace

from bot.cogs.roster.import_rows import NOBODY, LimitedNearest, Owners, ParsedFile, Row, profile_of
from bot.cogs.roster.validation import KINDS, flaws, named_units, shown
from bot.core.profiles import UNIT_KINDS, Profile, differing
from bot.core.subjects import by_name
from bot.errors import Fault
from bot.ui.text import listing
from rules.book import Trait
from rules.errors import nearest
from rules.fields import Fields
from rules.subjects import name_key

MAX_GUESSES = 10
"""Unknown regions of a file for which near ones are looked for."""


class SavedRoster(Struct, frozen=True, dict=True):
    """What a campaign has: everybody saved, and the traits, regions (labels by folded name) and fields of its books.

    Owners are user ids as text here and wherever a file is spoken of. `new_are_secret` holds for those of whom a file does
    not say whether they are.
    """

    profiles: Sequence[Profile]
    traits: Mapping[str, Trait]
    regions: Mapping[str, str]
    new_are_secret: bool = False
    fields: Fields = field(default_factory=dict)

    def spell(self, item: Profile) -> Profile:
        """Return a profile with its names spelled as they are saved, and what a file says nothing of as it is saved.

        Neither case nor white space makes a difference in names.
        """
        if item.region is not None:
            item = replace(item, region=self.regions.get(name_key(item.region), item.region))
        before = self.alike(item)[:1]
        if not before:
            return item
        squad = before[0].squad
        alike = item.squad and squad and name_key(item.squad) == name_key(squad)
        fields = before[0].having({name: item.fields.get(name) for name in self.fields}).fields
        return replace(item, name=before[0].name, squad=squad if alike else item.squad, fields=fields)

    def alike(self, item: Profile) -> list[Profile]:
        """Return those who are saved under a profile's name; several only where all of them are secret."""
        return self.named(name_key(item.name))

    def named(self, key: str) -> list[Profile]:
        """Return those who are saved under a name, by its key (`name_key`)."""
        return self._by_name.get(key, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Profile]]:
        return by_name(self.profiles)


class ImportPlan(Struct):
    """What an import would do: who is new, who is changed from what to what, and how many stay as they are."""

    new: list[Profile] = field(default_factory=list)
    changed: list[tuple[Profile, Profile]] = field(default_factory=list)
    unchanged: int = 0

    @property
    def seen(self) -> str:
        """A short word that changes with whatever the plan would do."""
        return sha256(repr((self.new, self.changed)).encode()).hexdigest()[:8]

    def unknown_regions(self, regions: Mapping[str, str]) -> list[str]:
        """Return the regions of those who are new or changed that aren't among these (labels by folded name), the first with guesses."""
        changed = (after for before, after in self.changed if after.region != before.region)
        named = dict.fromkeys(item.region for item in (*self.new, *changed) if item.region)
        unknown = [region for region in named if regions and name_key(region) not in regions]
        guesses = [nearest(region, regions.values()) for region in unknown[:MAX_GUESSES]]
        guessed = [
            f"{region} (did you mean {close}?)" if close else region
            for region, close in zip(unknown, guesses, strict=False)
        ]
        return [*guessed, *unknown[MAX_GUESSES:]]

    def note(self, before: Profile | None, after: Profile) -> None:
        """Note somebody who is new, or is changed."""
        if before is None:
            self.new.append(after)
        else:
            self.changed.append((before, after))


class PlannedImport(Struct):
    """A plan, all that is wrong with the file, and the rows of each owner."""

    plan: ImportPlan = field(default_factory=ImportPlan)
    faults: list[Fault] = field(default_factory=list)
    owners: dict[int, list[Row]] = field(default_factory=dict)


def plan_import(file: ParsedFile, saved: SavedRoster, owners: Owners = NOBODY, *, may_replace: bool) -> PlannedImport:
    """Compare a file with what is saved. Without `may_replace`, whoever is saved otherwise is a fault."""
    planned = PlannedImport(faults=list(file.faults))
    items: list[tuple[Row, Profile]] = []
    for row in file.rows:
        item, unusable = profile_of(row, saved.fields, owners)
        planned.faults += unusable
        item = saved.spell(item)
        unsaid = saved.new_are_secret and not row.cells.get("secret", "").strip() and not saved.alike(item)
        items.append((row, replace(item, secret=True) if unsaid else item))
    kinds = {name_key(item.name): item for item in [*saved.profiles, *(item for _, item in items)]}
    units = {key: item.name for key, item in kinds.items() if not item.is_character}
    first: dict[str, Row] = {}
    near = LimitedNearest()
    for row, item in items:
        alike, key = saved.alike(item), name_key(item.name)
        before = next(iter(alike), None)
        if item.owner is not None:
            planned.owners.setdefault(int(item.owner), []).append(row)
        if any(not differing(known, item) for known in alike):
            planned.plan.unchanged += 1
        elif len(alike) > 1:
            what = f"{len(alike)} are called {shown(item.name)}."
            planned.faults.append(
                row.fault("name", what, "Change them one by one, with /unit edit or /character edit.")
            )
        elif item.name and key in first:
            what = f"{shown(item.name)} is already on line {first[key].line('name')}."
            planned.faults.append(row.fault("name", what, "Each name can be there once."))
        else:
            there = units | named_units(before, saved.fields) if before else units  # as an edit has it
            found = flaws(item, saved.traits, there, saved.fields, near)
            unsound = (row.fault(flaw.field, flaw.what, flaw.do) for flaw in found)
            planned.faults += [*unsound, *_conflict(row, item, before, may_replace=may_replace)]
            planned.faults += _ambiguous_squad(row, item, before, saved)
            planned.plan.note(before, item)
        first.setdefault(key, row)
    return planned


def _ambiguous_squad(row: Row, item: Profile, before: Profile | None, saved: SavedRoster) -> Iterator[Fault]:
    """Yield that several units bear the name of a squad, where it is not the one that the character belongs to already."""
    key = name_key(item.squad or "")
    several = sum(unit.kind in UNIT_KINDS for unit in saved.named(key))
    if several > 1 and (before is None or name_key(before.squad or "") != key):
        what = f"{several} units are called {shown(item.squad or '')}."
        yield row.fault("squad", what, "Leave the squad out here, and set it with /character edit.")


def _conflict(row: Row, item: Profile, before: Profile | None, *, may_replace: bool) -> Iterator[Fault]:
    """Yield what keeps a profile from taking the place of the one that is saved."""
    if before is None or item.kind not in KINDS:
        return
    if item.is_character != before.is_character:
        what = f"{shown(item.name)} is a {before.kind}, which can't become a {item.kind}."
        yield row.fault("kind", what, "Use another name, or remove that one first.")
    elif not may_replace:
        what = f"{shown(item.name)} is already saved with a different {listing(differing(before, item))}."
        yield row.fault("name", what, "Import with replace:True to change it.")
