"""Import and export units and characters. An import is previewed, then carried out as one entry.

The sent file waits in the database for the button under its preview, as Discord's link ends within a day. The press reads
it again against what is saved by then, and imports only what the preview showed.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Literal

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Outcome, Work
from bot.cogs.roster.embed import with_squads
from bot.cogs.roster.import_files import Format, Unreadable, decode, read, write
from bot.cogs.roster.import_plan import ImportPlan, Owners, PlannedImport, SavedRoster, owner_names, plan_import
from bot.cogs.roster.validation import list_traits
from bot.core import entries, profiles
from bot.core.campaigns import Campaign, open_campaign, require_open
from bot.core.database import KEPT_FOR, forget_old
from bot.core.errors import BadInput, FaultyFile, FileFault, NotOpen
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import Profile, find_squad
from bot.core.records import Change, Entry
from bot.core.schema import import_draft
from bot.core.subjects import group_by_name, respell
from bot.kernel import Kernel
from bot.rolls.entries import take_back_button
from bot.ui.files import run_apart
from bot.ui.receipt import receipt
from rules.subjects import PROFILE, name_key

MAX_NEWCOMERS = 100  # Discord is asked about each
ADVICE = "Nothing was imported. Fix the file and send it again."
TO_IMPORT = "import units and characters"

Part = Literal["both", "units", "characters"]


_OF = (import_draft.c.campaign_id == sa.bindparam("campaign"), import_draft.c.user_id == sa.bindparam("user"))
forget_old_drafts = partial(forget_old, import_draft.c.sent_at)


class Members(Struct, frozen=True):
    """Two look-ups on a server: which user ids aren't members, and members' ids by name."""

    absent: Callable[[Collection[int]], Awaitable[Collection[int]]]
    called: Callable[[Collection[str]], Awaitable[Owners]]


class RosterUpload(Struct, frozen=True):
    """A file as sent; `replace` lets it change saved profiles."""

    file: str
    data: bytes
    replace: bool


class ImportDraft(Struct, frozen=True):
    """A file that waits for its button; `replace` lets it change saved profiles."""

    campaign_id: int
    user_id: int
    id: str
    file: str
    text: str
    replace: bool
    sent_at: datetime


class PendingImport(Struct, frozen=True):
    """An import that waits for its button."""

    campaign: Campaign
    draft: ImportDraft
    plan: ImportPlan
    unknown_regions: Sequence[str]


class ExportFile(Struct, frozen=True):
    """A file, and how many profiles it has."""

    file: str
    data: bytes
    count: int


class ImportRoster(Action):
    """Import a previewed file, if `saved` is unchanged."""

    draft: str
    saved: SavedRoster
    plan: ImportPlan

    kind, verb, may = "unit", "import", TO_IMPORT

    def apply(self, work: Work) -> Outcome:
        """Refuse if something else is saved now."""
        tx, campaign, plan = work.tx, work.campaign, self.plan
        _find_draft(tx, work.ledger, work.person, campaign.id, self.draft)
        if _read_roster(tx, work.library, campaign) != self.saved:
            raise NotOpen("Units or characters changed at the same moment.", "Press again.")
        saved = {item.id: item for item in profiles.list_profiles(tx, campaign.id)}
        free = work.subjects.pick_unsaved([item.name for item in plan.new])
        new = [replace(item, id=who.id) for who, item in zip(free, plan.new, strict=True)]
        every = [*new, *(replace(after, id=before.id) for before, after in plan.changed)]
        owners = {item.owner for item in every if item.owner is not None}
        actors = {owner: work.ledger.actor(tx, campaign, int(owner)) for owner in sorted(owners)}
        squads = group_by_name({item.id: item for item in [*saved.values(), *every]}.values())
        owned = [replace(item, owner=actors.get(item.owner or "")) for item in every]
        after = [_with_squad(item, saved.get(item.id), squads) for item in owned]
        spelled = [change for who, item in zip(free, plan.new, strict=True) for change in respell(who, item.name)]
        before = {number: item.value() for number, item in saved.items()}
        changes = [Change(item.key, PROFILE, before.get(item.id), item.value()) for item in after]
        _forget(tx, campaign.id, work.person.user_id)
        counts = {"new": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
        return Outcome(counts, [*spelled, *changes], with_squads(after))

    def answer(self, work: Work, entry: Entry, _outcome: Outcome) -> Answer:
        """Return counts, with Undo."""
        plan, undo = self.plan, take_back_button(work.campaign.id, entry.number)
        lines = [f"New: {len(plan.new)}", f"Changed: {len(plan.changed)}", f"Unchanged: {plan.unchanged}"]
        return Answer(view=receipt(f"Imported: entry #{entry.number}", lines, buttons=[undo]))


async def prepare(
    kernel: Kernel, person: Person, campaign: Campaign, upload: RosterUpload, members: Members
) -> PendingImport:
    """Preview a file and keep it instead of an earlier one."""
    require_game_master(person, campaign, TO_IMPORT)
    require_open(campaign)
    key, now = kernel.ledger.random_id(6), kernel.ledger.now()
    text = await run_apart(_text, upload)
    draft = ImportDraft(campaign.id, person.user_id, key, upload.file, text, upload.replace, now)
    saved, heard_of = await kernel.database.read(_read_roster_and_users, kernel.library, campaign)
    planned, found = await _plan(draft, saved, members)
    newcomers = [user_id for user_id in planned.owners if user_id not in heard_of | found]
    faults = [*planned.faults, *await _strangers(planned, newcomers, members)]
    if faults:
        raise FaultyFile(upload.file, faults, ADVICE)
    if not planned.plan.new and not planned.plan.changed:
        raise BadInput("There's nothing to import.", f"All {planned.plan.unchanged} are already saved like this.")
    await kernel.database.write(_keep, draft)
    return PendingImport(campaign, draft, planned.plan, planned.plan.unknown_regions(saved.regions))


async def plan_press(
    kernel: Kernel, person: Person, campaign_id: int, draft_id: str, seen: str, members: Members
) -> ImportRoster | PendingImport:
    """Return the import, or a new preview if it changed."""
    whose = (kernel.ledger, person, campaign_id, draft_id)
    campaign, draft, saved = await kernel.database.read(_reopen, kernel.library, *whose)
    planned, _ = await _plan(draft, saved, members)
    if planned.faults:
        raise FaultyFile(draft.file, planned.faults, ADVICE)
    if planned.plan.digest != seen:
        return PendingImport(campaign, draft, planned.plan, planned.plan.unknown_regions(saved.regions))
    return ImportRoster(draft=draft.id, saved=saved, plan=planned.plan)


def drop(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, draft_id: str) -> None:
    """Discard a previewed file."""
    campaign, _ = _find_draft(tx, ledger, person, campaign_id, draft_id)
    _forget(tx, campaign.id, person.user_id)


def export(tx: Connection, library: Library, person: Person, campaign: Campaign, to: Format, part: Part) -> ExportFile:
    """Return saved profiles as a file, units first."""
    require_game_master(person, campaign, "export units and characters")
    wanted = {"both": (False, True), "units": (False,), "characters": (True,)}[part]
    saved = _read_roster(tx, library, campaign)
    exported = [item for of_characters in wanted for item in saved.profiles if item.is_character is of_characters]
    if not exported:
        raise BadInput("There's nothing to export.", "Save units and characters with /unit add and /character add.")
    return ExportFile(f"roster.{to}", write(exported, to, saved.fields), len(exported))


def _read_roster_and_users(tx: Connection, library: Library, campaign: Campaign) -> tuple[SavedRoster, set[int]]:
    return _read_roster(tx, library, campaign), {user_id for user_id, _, _ in entries.list_actors(tx, campaign.id)}


def _reopen(
    tx: Connection, library: Library, ledger: Ledger, person: Person, campaign_id: int, draft_id: str
) -> tuple[Campaign, ImportDraft, SavedRoster]:
    campaign, draft = _find_draft(tx, ledger, person, campaign_id, draft_id, lock=False)
    return campaign, draft, _read_roster(tx, library, campaign)


def _text(upload: RosterUpload) -> str:
    try:
        return decode(upload.data)
    except Unreadable as unreadable:
        raise FaultyFile(upload.file, [unreadable.fault], ADVICE) from unreadable


async def _plan(draft: ImportDraft, saved: SavedRoster, members: Members) -> tuple[PlannedImport, set[int]]:
    """Also return user ids of named members."""
    file = await run_apart(read, draft.file, draft.text, saved.fields)
    names = owner_names(file)
    owners = await members.called(names) if names else {}
    planned = await run_apart(plan_import, file, saved, owners, may_replace=draft.replace)
    return planned, {user_id for called in owners.values() for user_id in called}


def _keep(tx: Connection, draft: ImportDraft) -> None:
    open_campaign(tx, draft.campaign_id)
    _forget(tx, draft.campaign_id, draft.user_id)
    tx.execute(import_draft.insert(), asdict(draft))


def _forget(tx: Connection, campaign_id: int, user_id: int) -> None:
    tx.execute(import_draft.delete().where(*_OF), {"campaign": campaign_id, "user": user_id})


def _find_draft(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, draft_id: str, *, lock: bool = True
) -> tuple[Campaign, ImportDraft]:
    campaign = open_campaign(tx, campaign_id, lock=lock)
    require_game_master(person, campaign, TO_IMPORT)
    row = tx.execute(sa.select(import_draft).where(*_OF), {"campaign": campaign.id, "user": person.user_id}).first()
    draft = ImportDraft(**row._mapping) if row else None  # noqa: SLF001 - SQLAlchemy's public name for it
    if draft is None or draft.id != draft_id or draft.sent_at + KEPT_FOR < ledger.now():
        raise NotOpen(
            "That file is gone.", "It was imported, cancelled or replaced, or is older than a day. Send it again."
        )
    return campaign, draft


def _read_roster(tx: Connection, library: Library, campaign: Campaign) -> SavedRoster:
    owners = {name: str(user_id) for user_id, _, name in entries.list_actors(tx, campaign.id)}
    saved = profiles.list_profiles(tx, campaign.id)
    books = [library.book(tx, campaign, book) for book in campaign.books]
    return SavedRoster(
        [replace(item, owner=owners.get(item.owner or "")) for item in saved],
        list_traits(tx, library, campaign),
        {name: place.label for book in books for name, (_, place) in book.places.items()},
        campaign.new_are_secret,
        library.fields(tx, campaign),
    )


def _with_squad(item: Profile, before: Profile | None, squads: Mapping[str, Sequence[Profile]]) -> Profile:
    if before is not None and name_key(before.squad or "") == name_key(item.squad or ""):
        return replace(item, squad=before.squad, squad_id=before.squad_id)
    return find_squad(item, squads.get(name_key(item.squad or ""), ()))


async def _strangers(planned: PlannedImport, newcomers: Sequence[int], members: Members) -> list[FileFault]:
    """Only new owners must be members: others may have left."""
    if len(newcomers) > MAX_NEWCOMERS:
        row = planned.owners[newcomers[MAX_NEWCOMERS]][0]
        what = f"The file has {len(newcomers)} owners who are new to the campaign. The limit is {MAX_NEWCOMERS}."
        return [row.fault("owner", what, "Split the file.")]
    strangers = await members.absent(newcomers) if newcomers else ()
    what, do = "isn't a member of this server.", "Copy the id again, or leave the owner out."
    return [
        row.fault("owner", f"The owner {user_id} {what}", do)
        for user_id in strangers
        for row in planned.owners[user_id]
    ]
