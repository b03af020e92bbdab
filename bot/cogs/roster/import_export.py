"""Import and export of units and characters. An import is looked at first, then carried out whole, as one entry.

What was sent is kept until the button under its preview is pressed: Discord's address of an attachment ends within a day,
and a private message cannot be read again after a restart. What is kept is the file, and not what was made of it: the press
reads it anew against what is saved by then, and imports only what the preview showed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from sqlalchemy import Connection

from bot.cogs.roster import import_store
from bot.cogs.roster.import_files import Format, Unreadable, decoded, read, write
from bot.cogs.roster.import_plan import Checked, Held, Plan, check
from bot.cogs.roster.import_store import Draft
from bot.cogs.roster.validation import known_traits
from bot.core import entries, profiles
from bot.core.campaigns import Campaign, open_campaign, require_open
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.errors import BadInput, NotOpen
from bot.ui.uploads import Fault, Faulty
from rules.effects import PROFILE

KEPT_FOR = timedelta(days=1)
MAX_BYTES = 1024 * 1024
MAX_NEWCOMERS = 100
"""How many owners of whom the campaign has not heard one import takes: Discord is asked about each."""

Part = Literal["both", "units", "characters"]
Absent = Callable[[Collection[int]], Awaitable[Collection[int]]]
"""Tells which of these user ids are no members of the server."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent."""

    file: str
    data: bytes
    replace: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """An import that waits for its button, and what it would do."""

    campaign: Campaign
    draft: Draft
    plan: Plan


@dataclass(frozen=True, slots=True)
class Imported:
    """An import that is done: the number of its entry, and what it has done."""

    entry: int
    plan: Plan


@dataclass(frozen=True, slots=True)
class Exported:
    """A file of units and characters, and how many are in it."""

    file: str
    data: bytes
    count: int


class Exchange:
    """Imports and exports."""

    def __init__(self, database: Database, library: Library, ledger: Ledger) -> None:
        self._database = database
        self._library = library
        self._ledger = ledger

    async def prepare(self, person: Person, campaign: Campaign, upload: Upload, absent: Absent) -> Waiting:
        """Look at a file and keep it for its import; it takes the place of an earlier one of the same person.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the campaign is archived.
            Faulty: the file has faults.
            BadInput: everything in it is saved just so.

        """
        require_game_master(person, campaign, "import units and characters")
        require_open(campaign)

        def look(tx: Connection) -> tuple[Draft, Checked, list[int]]:
            draft = self._draft(person, campaign, upload)
            known = {user_id for user_id, _, _ in entries.actors(tx, campaign.id)}
            checked = self._check(tx, campaign, draft)
            return draft, checked, [user_id for user_id in checked.owners if user_id not in known]

        draft, checked, newcomers = await self._database.read(look)
        faults = [*checked.faults, *await _strangers(checked, newcomers, absent)]
        if faults:
            raise Faulty(upload.file, faults)
        if not checked.plan.new and not checked.plan.changed:
            raise BadInput(
                "There is nothing to import.", f"All {checked.plan.unchanged} are saved just as the file has them."
            )
        await self._database.write(lambda tx: self._keep(tx, draft))
        return Waiting(campaign, draft, checked.plan)

    async def carry_out(self, person: Person, campaign_id: int, draft_id: str, seen: str) -> Imported | Waiting:
        """Import a file that was looked at; gives the preview anew when it would do something else by now.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the file is gone, or the campaign is archived.
            Faulty: by now the file has faults.

        """

        def work(tx: Connection) -> Imported | Waiting:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "import units and characters")
            draft = self._kept(tx, person, campaign, draft_id)
            checked = self._check(tx, campaign, draft)
            if checked.faults:
                raise Faulty(draft.file, checked.faults)
            if checked.plan.seen != seen:
                return Waiting(campaign, draft, checked.plan)
            entry = self._enter(tx, person, campaign, checked.plan)
            import_store.drop(tx, campaign.id, person.user_id)
            return Imported(entry, checked.plan)

        return await self._database.write(work)

    async def drop(self, person: Person, campaign_id: int, draft_id: str) -> None:
        """Forget a file that was looked at.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the file is gone, or the campaign is archived.

        """

        def work(tx: Connection) -> None:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "import units and characters")
            self._kept(tx, person, campaign, draft_id)
            import_store.drop(tx, campaign.id, person.user_id)

        await self._database.write(work)

    async def export(self, person: Person, campaign: Campaign, to: Format, part: Part) -> Exported:
        """Everybody saved, units first, each by name, as a file that an import takes.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: nobody is saved.

        """
        require_game_master(person, campaign, "export units and characters")
        wanted = {"both": (False, True), "units": (False,), "characters": (True,)}[part]

        def work(tx: Connection) -> Exported:
            saved = self._held(tx, campaign).saved.values()
            found = [item for of_characters in wanted for item in saved if item.is_character is of_characters]
            if not found:
                raise BadInput(
                    "There is nothing to export.", "Save units and characters with /unit add and /character add."
                )
            return Exported(f"roster.{to}", write(found, to), len(found))

        return await self._database.read(work)

    def _draft(self, person: Person, campaign: Campaign, upload: Upload) -> Draft:
        try:
            text = decoded(upload.data)
        except Unreadable as unreadable:
            raise Faulty(upload.file, [unreadable.fault]) from unreadable
        key = self._ledger.random_id(6)
        return Draft(campaign.id, person.user_id, key, upload.file, text, upload.replace, self._ledger.now())

    def _keep(self, tx: Connection, draft: Draft) -> None:
        open_campaign(tx, draft.campaign_id)
        import_store.expire(tx, draft.campaign_id, self._ledger.now() - KEPT_FOR)
        import_store.put(tx, draft)

    def _kept(self, tx: Connection, person: Person, campaign: Campaign, draft_id: str) -> Draft:
        draft = import_store.get(tx, campaign.id, person.user_id)
        if draft is None or draft.id != draft_id or draft.sent_at + KEPT_FOR < self._ledger.now():
            raise NotOpen(
                "That file is not there any more.",
                "It was imported, cancelled, followed by another one, or is older than a day. Send it again.",
            )
        return draft

    def _check(self, tx: Connection, campaign: Campaign, draft: Draft) -> Checked:
        return check(read(draft.file, draft.text), self._held(tx, campaign), may_replace=draft.replace)

    def _held(self, tx: Connection, campaign: Campaign) -> Held:
        """What the campaign has; an owner who was erased is none."""
        saved = profiles.everyone(tx, campaign.id)
        owners = {name: str(user_id) for user_id, _, name in entries.actors(tx, campaign.id)}
        named = {item.key: replace(item, owner=owners.get(item.owner or "")) for item in saved}
        books = [self._library.book(tx, campaign, book) for book in campaign.books]
        labels = {name: place.label for book in books for name, (_, place) in book.places.items()}
        return Held(
            named, known_traits(tx, self._library, campaign), lambda region: labels.get(region.casefold(), region)
        )

    def _enter(self, tx: Connection, person: Person, campaign: Campaign, plan: Plan) -> int:
        saved = {item.key: item for item in profiles.everyone(tx, campaign.id)}
        every = [*plan.new, *(after for _, after in plan.changed)]
        owners = {item.owner for item in every if item.owner is not None}
        actors = {owner: self._ledger.actor(tx, campaign, int(owner)) for owner in sorted(owners)}
        changes = [_change(saved.get(item.key), replace(item, owner=actors.get(item.owner or ""))) for item in every]
        body = {"deed": "import", "new": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
        draft = EntryDraft("unit", "staff", body, tuple(changes))
        return self._ledger.enter(tx, campaign, person.user_id, draft).number


def _change(before: Profile | None, after: Profile) -> Change:
    return Change(after.key, PROFILE, None if before is None else before.value(), after.value())


async def _strangers(checked: Checked, newcomers: Sequence[int], absent: Absent) -> list[Fault]:
    """The owners who are no members; those of whom the campaign has heard before may have left."""
    if len(newcomers) > MAX_NEWCOMERS:
        row = checked.owners[newcomers[MAX_NEWCOMERS]][0]
        what = f"The file has {len(newcomers)} owners who are new to the campaign; at most {MAX_NEWCOMERS} at once."
        return [row.fault("owner", what, "Split the file.")]
    gone = await absent(newcomers) if newcomers else ()
    what, do = "is no member of this server.", "Copy the id anew, or leave the owner out."
    return [
        row.fault("owner", f"The owner {user_id} {what}", do) for user_id in gone for row in checked.owners[user_id]
    ]
