"""Import and export units and characters. An import is previewed, then carried out as one entry.

The sent file waits in the database for the button under its preview. The press reads it again against what is saved by then, and
imports only what the preview showed.
"""

import io
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Literal

import discord
import sqlalchemy as sa
from discord import ui
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot import actions
from bot.client import Interaction
from bot.cogs.roster import embed, import_files, import_plan, sheet_links, validation
from bot.core import database, entries, profiles, records, subjects
from bot.core.campaigns import Campaign, open_campaign, require_open
from bot.core.errors import BadInput, FaultyFile, FileFault, NotOpen
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.schema import import_draft
from bot.kernel import Kernel
from bot.rolls.entries import take_back_button
from bot.ui import answering, files, parsing, reply
from bot.ui.receipt import draw_preview, receipt
from bot.ui.reply import ask, person, redraw, say
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten
from rules.subjects import PROFILE

MAX_NEWCOMERS = 100  # Discord is asked about each
ADVICE = "Nothing was imported. Fix it and send it again."
TO_IMPORT = "import units and characters"

Part = Literal["both", "units", "characters"]
_OF = (import_draft.c.campaign_id == sa.bindparam("campaign"), import_draft.c.user_id == sa.bindparam("user"))
forget_old_drafts = partial(database.forget_old, import_draft.c.sent_at)


class Members(Struct, frozen=True):
    """Two look-ups on a server: which user ids aren't members, and members' ids by name."""

    absent: Callable[[Collection[int]], Awaitable[Collection[int]]]
    called: Callable[[Collection[str]], Awaitable[import_plan.Owners]]


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
    plan: import_plan.ImportPlan
    unknown_regions: Sequence[str]


class ImportRoster(actions.Action):
    """Import a previewed file, if `saved` is unchanged."""

    draft: str
    saved: import_plan.SavedRoster
    plan: import_plan.ImportPlan

    kind, verb, may = "unit", "import", TO_IMPORT

    def apply(self, work: actions.Work) -> actions.Outcome:
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
        squads = subjects.group_by_name({item.id: item for item in [*saved.values(), *every]}.values())
        owned = [replace(item, owner=actors.get(item.owner or "")) for item in every]
        after = [import_plan.keep_squad(item, saved.get(item.id), squads) for item in owned]
        spelled = [
            change for who, item in zip(free, plan.new, strict=True) for change in subjects.respell(who, item.name)
        ]
        before = {number: item.value() for number, item in saved.items()}
        changes = [records.Change(item.key, PROFILE, before.get(item.id), item.value()) for item in after]
        _forget(tx, campaign.id, work.person.user_id)
        counts = {"new": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
        return actions.Outcome(counts, [*spelled, *changes], embed.with_squads(after))

    def answer(self, work: actions.Work, entry: records.Entry, _outcome: actions.Outcome) -> actions.Answer:
        """Return counts, with Undo."""
        plan, undo = self.plan, take_back_button(work.campaign.id, entry.number)
        lines = [f"New: {len(plan.new)}", f"Changed: {len(plan.changed)}", f"Unchanged: {plan.unchanged}"]
        return actions.Answer(view=receipt(f"Imported: entry #{entry.number}", lines, buttons=[undo]))


async def prepare(
    kernel: Kernel, person: Person, campaign: Campaign, upload: RosterUpload, members: Members
) -> PendingImport:
    """Preview a file and keep it instead of an earlier one."""
    require_game_master(person, campaign, TO_IMPORT)
    require_open(campaign)
    key, now = kernel.ledger.random_id(6), kernel.ledger.now()
    try:
        text = await files.run_apart(import_files.decode, upload.data)
    except import_files.Unreadable as unreadable:
        raise FaultyFile(upload.file, [unreadable.fault], ADVICE) from unreadable
    draft = ImportDraft(campaign.id, person.user_id, key, upload.file, text, upload.replace, now)
    saved = await kernel.database.read(_read_roster, kernel.library, campaign)
    heard_of = {user_id for user_id, _, _ in await kernel.database.read(entries.list_actors, campaign.id)}
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
    asked = (kernel.library, kernel.ledger, person, campaign_id, draft_id)
    campaign, draft, saved = await kernel.database.read(_reopen, *asked)
    planned, _ = await _plan(draft, saved, members)
    if planned.faults:
        raise FaultyFile(draft.file, planned.faults, ADVICE)
    if planned.plan.digest != seen:
        return PendingImport(campaign, draft, planned.plan, planned.plan.unknown_regions(saved.regions))
    return ImportRoster(draft=draft.id, saved=saved, plan=planned.plan)


def drop(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, draft_id: str) -> None:
    """Discard a previewed file."""
    _find_draft(tx, ledger, person, campaign_id, draft_id)
    _forget(tx, campaign_id, person.user_id)


def export(
    tx: Connection, library: Library, person: Person, campaign: Campaign, to: import_files.Format, part: Part
) -> tuple[bytes, int]:
    """Return saved profiles as a file, units first, and how many these are."""
    require_game_master(person, campaign, "export units and characters")
    wanted = {"both": (False, True), "units": (False,), "characters": (True,)}[part]
    saved = _read_roster(tx, library, campaign)
    exported = [item for of_characters in wanted for item in saved.profiles if item.is_character is of_characters]
    if not exported:
        raise BadInput("There's nothing to export.", "Save units and characters with /roster add.")
    return import_files.write(exported, to, saved.fields), len(exported)


def _reopen(
    tx: Connection, library: Library, ledger: Ledger, person: Person, campaign_id: int, draft_id: str
) -> tuple[Campaign, ImportDraft, import_plan.SavedRoster]:
    campaign, draft = _find_draft(tx, ledger, person, campaign_id, draft_id, lock=False)
    return campaign, draft, _read_roster(tx, library, campaign)


async def _plan(
    draft: ImportDraft, saved: import_plan.SavedRoster, members: Members
) -> tuple[import_plan.PlannedImport, set[int]]:
    file = await files.run_apart(import_files.read, draft.file, draft.text, saved.fields)
    names = import_plan.owner_names(file)
    owners = await members.called(names) if names else {}
    planned = await files.run_apart(import_plan.plan_import, file, saved, owners, may_replace=draft.replace)
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
    if draft is None or draft.id != draft_id or draft.sent_at + database.KEPT_FOR < ledger.now():
        raise NotOpen(
            "That file is gone.", "It was imported, cancelled or replaced, or is older than a day. Send it again."
        )
    return campaign, draft


def _read_roster(tx: Connection, library: Library, campaign: Campaign) -> import_plan.SavedRoster:
    owners = {name: str(user_id) for user_id, _, name in entries.list_actors(tx, campaign.id)}
    saved = profiles.list_profiles(tx, campaign.id)
    books = [library.book(tx, campaign, book) for book in campaign.books]
    return import_plan.SavedRoster(
        [replace(item, owner=owners.get(item.owner or "")) for item in saved],
        validation.list_traits(tx, library, campaign),
        {name: place.label for book in books for name, (_, place) in book.places.items()},
        campaign.new_are_secret,
        library.fields(tx, campaign),
    )


async def _strangers(planned: import_plan.PlannedImport, newcomers: Sequence[int], members: Members) -> list[FileFault]:
    if len(newcomers) > MAX_NEWCOMERS:
        row = planned.owners[newcomers[MAX_NEWCOMERS]][0]
        what = f"The file has {len(newcomers)} owners who are new to the campaign. The limit is {MAX_NEWCOMERS}."
        return [row.fault("owner", what, "Split the file.")]
    strangers = await members.absent(newcomers) if newcomers else ()
    what, do = "The owner {} isn't a member of this server.", "Copy the id again, or leave the owner out."
    rows = ((user_id, row) for user_id in strangers for row in planned.owners[user_id])
    return [row.fault("owner", what.format(user_id), do) for user_id, row in rows]


GO = reply.IdTemplate("import:{campaign:int}:{draft:id}:go:{seen:id}")
CANCEL = reply.IdTemplate("import:{campaign:int}:{draft:id}:cancel")
SEND = reply.IdTemplate("import:{campaign:int}:send")
SENT = reply.IdTemplate("import:{campaign:int}:sent:{replace:word}")
FILE, PASTED, REPLACE = "file", "paste", "yes"
FORMAT = """A list with a line for each, such as
```
kind,name,side,region
ship,Grey Ghost,Zeon,Madagascar
npc,Colonel Haas,Zeon,
```
You see every change before it happens."""
ROOM, MAX_REGIONS = 3300, 300  # characters; a message has 4,000


async def receive(
    interaction: Interaction, campaign: Campaign, file: discord.Attachment | str, *, may_replace: bool
) -> None:
    """Preview a file, pasted text or linked sheet, or list faults."""
    bot, who = interaction.client, person(interaction)
    require_game_master(who, campaign, TO_IMPORT)
    if isinstance(file, str):
        name, data = await sheet_links.read_pasted(file, allowed=bot.settings.sheet_links == "on")
    else:
        name, data = file.filename, await files.read_file(file, files.most_bytes(file.filename))
    pending = await prepare(bot.kernel, who, campaign, RosterUpload(name, data, may_replace), _members(interaction))
    await say(interaction, view=_preview(pending))


async def send_export(interaction: Interaction, campaign: Campaign, to: import_files.Format, part: Part) -> None:
    """Send saved units and characters as a file."""
    bot = interaction.client
    data, count = await bot.database.read(export, bot.library, person(interaction), campaign, to, part)
    name, what = f"roster.{to}", "unit or character" if count == 1 else "units and characters"
    line = f"{count} {what}. It lists hidden ones and owners. Share it with game masters only."
    if count > import_plan.MAX_ROWS or len(data) > files.most_bytes(name):
        line += "\nIt's too long for one import. Split it first."
    await say(interaction, content=line, file=discord.File(io.BytesIO(data), name))


@reply.component(SEND)
async def ask_file(interaction: Interaction, *, campaign: int) -> None:
    """Open the window of a press."""
    await ask_roster(interaction, await actions.find_pressed_campaign(interaction, campaign))


async def ask_roster(interaction: Interaction, campaign: Campaign, *, may_replace: bool = False) -> None:
    """Open the window that takes a file or a pasted text."""
    require_game_master(person(interaction), campaign, TO_IMPORT)
    key = SENT.fill(campaign=campaign.id, replace=REPLACE if may_replace else "no")
    form = ui.Modal(title="Import a roster", custom_id=key).add_item(ui.TextDisplay(FORMAT))
    form.add_item(files.file_field(FILE, "Units and characters", "A CSV file, or TOML", needed=False))
    pasted: ui.TextInput[ui.Modal] = ui.TextInput(custom_id=PASTED, style=discord.TextStyle.long, required=False)
    await ask(interaction, form.add_item(ui.Label(text="Or paste them, or a Google sheet's link", component=pasted)))


@reply.modal(SENT)
async def take_file(interaction: Interaction, *, campaign: int, replace: str) -> None:
    """Preview what a window sent."""
    file = files.find_sent_file(interaction, FILE) or str(reply.read_submitted(interaction).get(PASTED) or "")
    if not file:
        raise BadInput("You sent nothing.", "Pick a file, or paste its lines.")
    here = await actions.find_pressed_campaign(interaction, campaign)
    await receive(interaction, here, file, may_replace=replace == REPLACE)


@reply.component(GO)
async def carry_out(interaction: Interaction, *, campaign: int, draft: str, seen: str) -> None:
    """Import a file, unless something changed."""
    kernel, members = interaction.client.kernel, _members(interaction)
    planned = await plan_press(kernel, person(interaction), campaign, draft, seen, members)
    if isinstance(planned, PendingImport):
        await redraw(interaction, _preview(planned, "Something changed since you looked. Check it, then press again."))
    else:
        await actions.act(interaction, planned, campaign, replaces=True)


@reply.component(CANCEL)
async def cancel(interaction: Interaction, *, campaign: int, draft: str) -> None:
    """Discard a file."""
    bot = interaction.client
    await bot.database.write(drop, bot.ledger, person(interaction), campaign, draft)
    await redraw(interaction, receipt("Nothing was imported", [], COLOURS["neutral"]))


COMPONENTS: tuple[reply.Component, ...] = (carry_out, cancel, ask_file)


def _members(interaction: Interaction) -> Members:
    return Members(partial(_find_absent, interaction), partial(_find_called, interaction))


async def _find_called(interaction: Interaction, names: Collection[str]) -> dict[str, list[int]]:
    if interaction.guild is None:
        return {}
    if len(names) > MAX_NEWCOMERS:
        what = f"The file has {len(names)} owners by name. The limit is {MAX_NEWCOMERS}."
        raise BadInput(what, "Write user ids, or split the file.")
    try:
        return {name: [member.id for member in await parsing.find_members(interaction.guild, name)] for name in names}
    except (discord.HTTPException, TimeoutError, *answering.CUT_OFF) as problem:
        raise BadInput("I couldn't ask Discord about the owners.", "Try again, or write user ids.") from problem


async def _find_absent(interaction: Interaction, user_ids: Collection[int]) -> list[int]:
    if interaction.guild is None:
        return list(user_ids)
    absent = []
    for user_id in user_ids:
        try:
            await interaction.guild.fetch_member(user_id)
        except discord.NotFound:
            absent.append(user_id)
        except (discord.HTTPException, *answering.CUT_OFF) as problem:
            what = f"I couldn't ask Discord about the owner {user_id}."
            raise BadInput(what, "Try it again, or leave owners out who are new to the campaign.") from problem
    return absent


def _preview(pending: PendingImport, warning: str | None = None) -> ui.LayoutView:
    campaign, draft, plan = pending.campaign, pending.draft, pending.plan
    about = f"{plain(shorten(draft.file, 100))}{DOT}{plain(campaign.name)}{DOT}not imported yet"
    unknown = pending.unknown_regions
    lines = [f"\N{WARNING SIGN} Regions without weather: {embed.some_names(unknown, MAX_REGIONS)}."] if unknown else []
    changed = [(after, profiles.list_differences(before, after)) for before, after in plan.changed]
    lines += preview_lines(plan.new, changed, plan.unchanged)
    key = {"campaign": campaign.id, "draft": draft.id}
    buttons: list[ui.Button[ui.LayoutView]] = [ui.Button(label="Cancel", custom_id=CANCEL.fill(**key))]
    if plan.new or plan.changed:
        label = f"Import {len(plan.new)} new, {len(plan.changed)} changed"
        go = GO.fill(**key, seen=plan.digest)
        buttons.insert(0, ui.Button(label=label, style=discord.ButtonStyle.success, custom_id=go))
    return draw_preview("Import", about, lines, buttons, warning)


def preview_lines(
    new: Sequence[profiles.Profile], changed: Sequence[tuple[profiles.Profile, Sequence[str]]], unchanged: int
) -> list[str]:
    """List new and changed ones, count the rest."""
    lines = [f"**New: {len(new)}**"] if new else []
    kinds: dict[str, list[str]] = {}
    for item in new:
        kinds.setdefault(item.kind, []).append(item.name)
    lines += [
        f"\N{BULLET} {kind} ({len(names)}): {embed.some_names(names, embed.MAX_NAMES // len(kinds))}"
        for kind, names in kinds.items()
    ]
    lines += [f"**Changed: {len(changed)}**"] if changed else []
    lines += [f"\N{BULLET} {plain(item.name)}: {', '.join(columns)}" for item, columns in changed]
    head = [f"**Unchanged: {unchanged}**"] if unchanged else []
    return [*head, *fit_lines(ROOM - sum(map(len, head)), lines)]
