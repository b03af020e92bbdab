"""What somebody may know of what a campaign keeps: what the ledger has told them, and what is true of their own.

`visibility` says of whom a player knows, this module what. Each value names the entry that set it, and who may read that entry
knows the value. Where it is private, the player knows the value as it was before. So the entries that changed a value are read
backwards until one is for the player: what was rolled in private changes nothing that others see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, subjects
from bot.core import profiles as saved_profiles
from bot.core.campaigns import LEVELS, PLACES
from bot.core.encoding import Json
from bot.core.permissions import audience_filter
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, list_played
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import EFFECT, ROLLED
from rules.fields import FROM, Fields
from rules.subjects import PROFILE, name_key, names_of, number_of, subject_number

MAX_PRIVATE = 8
"""How many private entries in a row are read to find what somebody was told before them: further back, nobody was told."""


def see_saved(tx: Connection, viewer: Viewer, items: Iterable[Profile], fields: Fields) -> list[Profile]:
    """Return those of these units and characters that the person may know of, with as much of each as they may know.

    A squad of which they may not know is left out, and so is a field that was rolled in private. Of others they see where
    those are, and closed ones of the books' `fields` that were not rolled, where the campaign opens that to players.
    """
    if viewer.person.leads(viewer.campaign):
        return list(items)
    known = [item for item in items if viewer.knows(item)]
    squads = saved_profiles.read_profiles(
        tx, viewer.campaign.id, {item.squad_id for item in known if item.squad_id is not None}
    )
    secret = {number for number, squad in squads.items() if not viewer.knows(squad)}
    closed = {item.id for item in known if not viewer.owns(item)}
    private = find_private_fields(tx, viewer, known)
    levels = () if LEVELS in viewer.campaign.players_may else [name for name, item in fields.items() if item.closed]
    for item in (item for item in known if item.id in closed):
        private[item.id] |= {name for name in levels if name + FROM not in item.fields}
    if PLACES not in viewer.campaign.players_may:
        known = [replace(item, region=None) if item.id in closed else item for item in known]
    known = [replace(item, squad=None, squad_id=None) if item.squad_id in secret else item for item in known]
    return [item.having(dict.fromkeys(private[item.id])) if private[item.id] else item for item in known]


def find_private_fields(tx: Connection, viewer: Viewer, items: Collection[Profile]) -> dict[int, set[str]]:
    """Return for each of these, by number, the fields that were rolled in an entry that is not for the person."""
    rolled = {item.id: {name.removesuffix(FROM) for name in item.fields if name.endswith(FROM)} for item in items}
    told = _ReadEntries(tx, viewer, {}) if any(rolled.values()) else None
    by = {item.id: item.fields for item in items}
    return {of: {name for name in some if told and not told.shows(by[of][name + FROM])} for of, some in rolled.items()}


def see_values(tx: Connection, viewer: Viewer, kept: State) -> State:
    """Return those of these values of subjects and scenes that the person may know of. Each names the entry that set it.

    Game masters know all. Players know what is true of their own, whom they hold captive, and of others who are not secret what
    entries have told them and what they have rolled themselves; where an entry was not for them, what it has changed stands for them as it
    was before, unless many such entries follow upon each other.
    """
    if not kept or viewer.person.leads(viewer.campaign):
        return kept
    numbers = {number for subject, _ in kept if (number := subject_number(subject)) is not None}
    bearers = subjects.get_subjects(tx, viewer.campaign.id, numbers)
    told = _ReadEntries(tx, viewer, {number: bearer.name for number, bearer in bearers.items()})
    holder = Captor(tx, viewer)
    known: State = {}
    others: State = {}
    for (subject, name), value in kept.items():
        bearer = bearers.get(subject_number(subject) or 0)
        if bearer is None or viewer.knows(bearer):
            own = bearer is not None and viewer.owns(bearer) and not name.startswith(ROLLED)
            (known if own or (name == CAPTIVE and holder.holds(value)) else others)[subject, name] = value
    told.read(value["entry"] for value in others.values())
    seen = {(subject, name): told.value(subject, name, value) for (subject, name), value in others.items()}
    known |= {key: value for key, value in seen.items() if value is not None}
    return {key: known[key] for key in kept if key in known}


class Captor:
    """A player as a captor: who plays the captor or the place, or whose character is of the side or group that is the captor."""

    def __init__(self, tx: Connection, viewer: Viewer) -> None:
        self._tx, self._viewer = tx, viewer

    def holds(self, captivity: Mapping[str, Json]) -> bool:
        """Return whether the player holds a captive, who is kept with captor and place (numbers `by` and `at`)."""
        numbers, sides = self._own
        if not numbers.isdisjoint({captivity["by"], captivity["at"]}):
            return True
        captor = subjects.get_subjects(self._tx, self._viewer.campaign.id, [captivity["by"]]).get(captivity["by"])
        return captor is not None and name_key(captor.name) in sides

    @cached_property
    def _own(self) -> tuple[frozenset[int], frozenset[str]]:
        """Whom the player plays, with groups (numbers), and the sides of those (keys)."""
        viewer = self._viewer
        played = list_played(self._tx, viewer) if viewer.person.plays(viewer.campaign) else []
        sides = frozenset(name_key(item.side) for item in played if item.side and viewer.owns(item))
        return viewer.groups.union(item.id for item in played), sides


def see_state(tx: Connection, viewer: Viewer, kept: State, fields: Fields) -> State:
    """Return as much of these values as a player may know: what is saved as by `see_saved`, all else as by `see_values`; what names no entry is the staff's."""
    set_by = {key: value for key, value in kept.items() if isinstance(value, dict) and "entry" in value}
    numbers = [number_of(subject) for subject, name in kept if name == PROFILE]
    seen = see_saved(tx, viewer, saved_profiles.read_profiles(tx, viewer.campaign.id, numbers).values(), fields)
    return see_values(tx, viewer, set_by) | {(item.key, PROFILE): item.value() for item in seen}


def tells_of(tx: Connection, viewer: Viewer, entry: Entry, who: Subject, name: str) -> bool:
    """Return whether an entry tells the person of a value of somebody."""
    return _ReadEntries(tx, viewer, {who.id: who.name}).tells(entry, who.id, name)


class _ReadEntries:
    """What entries have told somebody; each entry is read once. `names` are those of the subjects as they are now."""

    def __init__(self, tx: Connection, viewer: Viewer, names: Mapping[int, str]) -> None:
        self._tx, self._campaign, self._mine, self._names = tx, viewer.campaign, viewer.mine, names
        self._allowed = audience_filter(tx, viewer.person, viewer.campaign, viewer.mine)
        self._read: dict[int, Entry | None] = {}

    def read(self, numbers: Iterable[int]) -> None:
        """Read these entries at once."""
        wanted = {number for number in numbers if number not in self._read}
        self._read |= dict.fromkeys(wanted) | entries.get_entries_bare(self._tx, self._campaign.id, wanted)

    def value(self, subject: str, name: str, value: Json) -> Json:
        """Return a value as it was when the person was last told of it, None when that never was."""
        for _ in range(MAX_PRIVATE):
            entry = None if value is None else self._entry(value["entry"])
            if entry is None:
                return None
            if self.tells(entry, subject_number(subject), name):
                return value
            changes = (
                item for item in entry.content()["changes"] if (item["subject"], item["name"]) == (subject, name)
            )
            value = next((item["before"] for item in changes), None)
        return None

    def shows(self, number: int) -> bool:
        """Return whether an entry is for the person, with what it has rolled."""
        entry = self._entry(number)
        return entry is not None and self._allowed.shows(entry) and not _has_secret(entry)

    def _entry(self, number: int) -> Entry | None:
        self.read([number])
        return self._read[number]

    def tells(self, entry: Entry, subject: int | None, name: str) -> bool:
        """Return whether an entry tells of a value of somebody: where parts of it are private, only a public part does.

        Of a scene (no `subject`) it does not say which part has set a value.
        """
        if entry.kind == "effect" or (name.startswith(ROLLED) and entry.actor == self._mine):
            return True
        if not name.startswith((EFFECT, ROLLED)) and _has_secret(entry):
            return False
        if entry.audience != "mixed":
            return entry.audience in self._allowed.audiences
        if subject is None:
            return False
        called = name_key(entry.names().get(subject, self._names[subject]))
        parts = [part for part in entry.content()["parts"] if part["audience"] == "results"]
        if name.startswith(EFFECT):
            return any(item["to"] and name_key(item["to"]) == called for part in parts for item in part["consequences"])
        there = (other for part in parts for some in part["subjects"].values() for other in names_of(some))
        return any(name_key(other) == called for other in there)


def _has_secret(entry: Entry) -> bool:
    """Tell whether something that is kept in secret stands behind what a roll has changed: everybody reads its outcome alone."""
    return entry.kind == "roll" and any("hides" in part for part in entry.content()["parts"])
