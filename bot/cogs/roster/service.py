"""Saved units and characters: added, edited, shown, listed, removed, and offered while somebody types."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roster.embed import a_kind
from bot.cogs.roster.rename import gone, renamed, require_unneeded
from bot.cogs.roster.status import Standing, standing
from bot.cogs.roster.traits import numbered, picked, picks
from bot.cogs.roster.validation import known_traits, require_sound, tidy
from bot.core import entries, profiles, recent_names, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.name_warnings import strange_region
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import UNIT_KINDS, Profile, bearer
from bot.core.records import Change
from bot.core.subjects import subject_key, unit
from bot.core.visibility import Viewer, found_in, require_editor, require_part, tag, tagged, viewer_of
from bot.errors import BadInput, NotOpen
from rules.book import Book, Trait
from rules.effects import PROFILE

NOTHING = {"none", "nothing", "-"}
"""What is typed to empty a field."""

UNDETERMINED = -1
"""What is typed for a newtype level that is not determined."""


OWN = frozenset({"squad", "callsign"})
"""The fields that players may edit of their own characters, beside the traits."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A saved unit or character as somebody may see it.

    `traits` are those of the campaign's books, `members` the names of who belongs to it, `revision` the number of the
    ledger's newest entry, `entry` the one that has just changed it, `hint` what may be a slip.
    """

    campaign: Campaign
    profile: Profile
    traits: Mapping[str, Trait]
    owner_id: int | None
    members: tuple[str, ...]
    editable: bool
    revision: int
    entry: int | None = None
    standing: Standing = field(default_factory=Standing)
    hint: str | None = None

    @property
    def tag(self) -> str:
        """A short word for whom the sheet is about."""
        return tag(self.profile)


class Roster:
    """The use cases around saved units and characters; `who` is "unit" or "character" throughout."""

    def __init__(self, database: Database, library: Library, ledger: Ledger) -> None:
        self._database = database
        self._library = library
        self._ledger = ledger

    async def add(self, person: Person, campaign_id: int, name: str, kind: str, given: Mapping[str, Any]) -> Sheet:
        """Save a unit or character. `given` are fields as typed; an owner is a user id.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: it cannot be saved as typed, or there is one of this name.
            NotOpen: the campaign is archived.

        """

        def work(tx: Connection) -> Sheet:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, f"save {bearer(kind)}s")
            new = Profile(name=tidy(name) or "", kind=kind, **self._fields(tx, campaign, given))
            known = {item.key: item for item in profiles.everyone(tx, campaign.id)}
            require_sound(new, known_traits(tx, self._library, campaign), _units(known.values()))
            _require_free(known, new.name)
            body = {"deed": "add", "name": new.name, "kind": new.kind}
            viewer = viewer_of(tx, person, campaign)
            return self._save(tx, viewer, body, new, [Change(new.key, PROFILE, None, new.value())])

        return await self._database.write(work)

    async def edit(self, person: Person, campaign_id: int, who: str, name: str, given: Mapping[str, Any]) -> Sheet:
        """Change fields of a saved unit or character; under a new name everything kept under the old one goes along.

        Raises:
            NotAllowed: the person may not change it, or not these fields.
            BadInput: there is none of this name that the person knows of, or a field cannot be used.
            NotOpen: the campaign is archived.

        """

        def work(tx: Connection) -> Sheet:
            campaign = open_campaign(tx, campaign_id)
            viewer = viewer_of(tx, person, campaign)
            known = {item.key: item for item in profiles.everyone(tx, campaign.id) if viewer.know(item)}
            before = found_in(viewer, known, who, name)
            require_editor(viewer, before)
            if not set(given) <= OWN:
                require_game_master(person, campaign, "change more of a character than squad, callsign and traits")
            after = replace(before, **self._fields(tx, campaign, given))
            fields = [
                field for field in Profile.__dataclass_fields__ if getattr(before, field) != getattr(after, field)
            ]
            if not fields:
                raise BadInput(f"{before.name} is like that already.", "Name at least one thing to change.")
            if after.key != before.key:
                _require_free(known, after.name)
            units = {*_units(known.values()), *([unit(before.squad)] if before.squad else [])}
            require_sound(replace(after, traits={}), {}, units)  # of traits, only what is picked now is looked at
            body = {"deed": "edit", "name": before.name, "kind": after.kind, **_told(before, after, fields)}
            return self._save(tx, viewer, body, after, _edited(tx, campaign, before, after))

        return await self._database.write(work)

    async def remove(self, person: Person, campaign_id: int, who: str, name: str) -> tuple[Profile, int]:
        """Remove a saved unit or character with everything kept under its name; gives the entry's number too.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: there is none of this name.
            NotOpen: it is a captive, holds captives or has members, or the campaign is archived.

        """

        def work(tx: Connection) -> tuple[Profile, int]:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, f"remove {who}s")
            known = {item.key: item for item in profiles.everyone(tx, campaign.id)}
            viewer = viewer_of(tx, person, campaign)
            item = found_in(viewer, known, who, name)
            held = state.everything(tx, campaign.id)
            require_unneeded(held, item)
            body = {"deed": "remove", "name": item.name, "kind": item.kind}
            entry = self._enter(tx, viewer, body, gone(held, item.name))
            recent_names.forget(tx, campaign.id, item.key)
            return item, entry

        return await self._database.write(work)

    async def show(self, person: Person, campaign: Campaign, who: str, name: str) -> Sheet:
        """One saved unit or character.

        Raises:
            NotAllowed: the person takes no part in the campaign.
            BadInput: there is none of this name that the person knows of.

        """

        def work(tx: Connection) -> Sheet:
            viewer = viewer_of(tx, person, campaign)
            require_part(viewer)
            every = profiles.everyone(tx, campaign.id)
            known = {item.key: item for item in every if viewer.know(item)}
            return self._sheet(tx, viewer, found_in(viewer, known, who, name), every)

        return await self._database.read(work)

    async def listed(
        self, person: Person, campaign: Campaign, kinds: Collection[str], side: str | None
    ) -> list[tuple[Profile, int | None]]:
        """The saved units or characters of these kinds that the person knows of, by name, with their owners' user ids.

        Raises:
            NotAllowed: the person takes no part in the campaign.

        """

        def work(tx: Connection) -> list[tuple[Profile, int | None]]:
            viewer = viewer_of(tx, person, campaign)
            require_part(viewer)
            of_side = None if side is None else subject_key(side)
            known = [item for item in profiles.everyone(tx, campaign.id) if item.kind in kinds and viewer.know(item)]
            known = [item for item in known if of_side in {None, subject_key(item.side or "")}]
            owners = entries.people(tx, campaign.id, {item.owner for item in known if item.owner})
            return [(item, owners.get(item.owner or "")) for item in known]

        return await self._database.read(work)

    async def pick(self, person: Person, campaign_id: int, of: str, key: str, chosen: Collection[str]) -> Sheet:
        """Let a saved unit or character, by its tag, have these traits of a list and no others of that list.

        Raises:
            NotAllowed: the person may not change it.
            NotOpen: it or the list is gone, or the campaign is archived.

        """

        def work(item: Profile, traits: Mapping[str, Trait]) -> dict[str, int]:
            found = next((pick for pick in picks(traits, item.kind, {*item.traits, *chosen}) if pick.key == key), None)
            names = {member.id for member in found.members} if found else set()
            if found is None or not names.issuperset(chosen) or (found.single and len(chosen) > 1):
                raise NotOpen("The books have changed since that was opened.", "Open it again with its show command.")
            return picked(item.traits, traits, found, chosen)

        return await self._database.write(lambda tx: self._retrait(tx, person, campaign_id, of, work))

    async def count(self, person: Person, campaign_id: int, of: str, counts: Mapping[str, int]) -> Sheet:
        """Set the numbers of traits that a saved unit or character, by its tag, has a number of.

        Raises:
            NotAllowed, NotOpen: as `pick`.
            BadInput: a number cannot be.

        """

        def work(item: Profile, traits: Mapping[str, Trait]) -> dict[str, int]:
            held = numbered(item.traits, counts)
            require_sound(
                replace(item, squad=None, traits={key: held[key] for key in counts if key in held}), traits, ()
            )
            return held

        return await self._database.write(lambda tx: self._retrait(tx, person, campaign_id, of, work))

    async def look(self, person: Person, campaign_id: int, of: str) -> Sheet:
        """A saved unit or character by its tag, for whoever may change it.

        Raises:
            NotAllowed, NotOpen: as `pick`.

        """

        def work(tx: Connection) -> Sheet:
            campaign = open_campaign(tx, campaign_id)
            return self._sheet(tx, *tagged(tx, person, campaign, of))

        return await self._database.read(work)

    def _retrait(
        self,
        tx: Connection,
        person: Person,
        campaign_id: int,
        of: str,
        change: Callable[[Profile, Mapping[str, Trait]], dict[str, int]],
    ) -> Sheet:
        """Give somebody other traits, as one entry; none when nothing changes."""
        campaign = open_campaign(tx, campaign_id)
        viewer, before, every = tagged(tx, person, campaign, of)
        traits = known_traits(tx, self._library, campaign)
        after = replace(before, traits=change(before, traits))
        if after.traits == before.traits:
            return self._sheet(tx, viewer, before, every)
        body = {"deed": "traits", "name": before.name, "kind": before.kind, **_differing(before, after, traits)}
        changes = [Change(before.key, PROFILE, before.value(), after.value())]
        return self._save(tx, viewer, body, after, changes)

    def _save(
        self, tx: Connection, viewer: Viewer, body: Mapping[str, Any], item: Profile, changes: Sequence[Change]
    ) -> Sheet:
        entry = self._enter(tx, viewer, body, changes)
        recent_names.use(tx, viewer.campaign.id, [item.key], entry)
        sheet = self._sheet(tx, viewer, item, profiles.everyone(tx, viewer.campaign.id))
        return replace(sheet, entry=entry)

    def _enter(self, tx: Connection, viewer: Viewer, body: Mapping[str, Any], changes: Sequence[Change]) -> int:
        draft = EntryDraft("unit", "staff", body, tuple(changes))
        entry = self._ledger.enter(tx, viewer.campaign, viewer.person.user_id, draft)
        return entry.number

    def _sheet(self, tx: Connection, viewer: Viewer, item: Profile, every: Sequence[Profile]) -> Sheet:
        campaign = viewer.campaign
        owners = entries.people(tx, campaign.id, {item.owner} if item.owner else ())
        known = {other.key: other for other in every if viewer.know(other)}
        members = [other.name for other in known.values() if other.squad and unit(other.squad) == item.key]
        seen = item if item.squad is None or unit(item.squad) in known else replace(item, squad=None)
        newest = entries.newest(tx, campaign.id, campaign.uuid).number
        editable = viewer.may_edit(item) and campaign.archived_at is None
        return Sheet(
            campaign,
            seen,
            known_traits(tx, self._library, campaign),
            owners.get(item.owner or ""),
            tuple(members),
            editable,
            newest,
            standing=standing(tx, viewer, item, self._library.effects(tx, campaign)),
            hint=strange_region(self._books(tx, campaign), item.region) if editable else None,
        )

    def _fields(self, tx: Connection, campaign: Campaign, given: Mapping[str, Any]) -> dict[str, Any]:
        """Fields as a profile has them, from how they were typed."""
        found = {field: _typed(value) for field, value in given.items()}
        if "name" in found:
            found["name"] = tidy(given["name"]) or ""
        if found.get("newtype") == UNDETERMINED:
            found["newtype"] = None
        if "owner" in found:
            found["owner"] = self._ledger.actor(tx, campaign, given["owner"]) if given["owner"] else None
        if found.get("region"):
            places = (book.places.get(found["region"].casefold()) for book in self._books(tx, campaign))
            found["region"] = next((place[1].label for place in places if place), found["region"])
        return found

    def _books(self, tx: Connection, campaign: Campaign) -> list[Book]:
        return [self._library.book(tx, campaign, book) for book in campaign.books]


def _typed(value: Any) -> Any:  # noqa: ANN401 - any field of a profile
    """A field as it is saved: trimmed, and None for a word that means nothing."""
    if not isinstance(value, str):
        return value
    text = tidy(value)
    return None if text is None or text.casefold() in NOTHING else text


def _units(known: Collection[Profile]) -> set[str]:
    return {item.key for item in known if item.kind in UNIT_KINDS}


def _require_free(known: Mapping[str, Profile], name: str) -> None:
    taken = known.get(unit(name))
    if taken is not None:
        raise BadInput(f"There is {a_kind(taken.kind)} named {taken.name} already.", "Take another name.")


def _edited(tx: Connection, campaign: Campaign, before: Profile, after: Profile) -> list[Change]:
    """What an edit changes: the profile, and under a new name all that was kept under the old one or speaks of it."""
    if after.name == before.name:
        return [Change(before.key, PROFILE, before.value(), after.value())]
    held = state.everything(tx, campaign.id)
    changes = {(item.subject, item.name): item for item in renamed(held, before.name, after.name)}
    own = (after.key, PROFILE)
    changes[own] = Change(*own, held.get(own), after.value())
    if after.key != before.key:
        recent_names.forget(tx, campaign.id, before.key)
    return list(changes.values())


def _told(before: Profile, after: Profile, fields: Sequence[str]) -> dict[str, Any]:
    return {
        "before": {field: getattr(before, field) for field in fields},
        "after": {field: getattr(after, field) for field in fields},
    }


def _differing(before: Profile, after: Profile, traits: Mapping[str, Trait]) -> dict[str, Any]:
    """The numbers of the traits that differ, before and after, by label."""
    differ = [
        trait
        for trait in dict.fromkeys((*before.traits, *after.traits))
        if before.traits.get(trait) != after.traits.get(trait)
    ]
    labels = {trait: traits[trait].label if trait in traits else trait for trait in differ}
    return {
        "before": {labels[trait]: before.traits.get(trait, 0) for trait in differ},
        "after": {labels[trait]: after.traits.get(trait, 0) for trait in differ},
    }
