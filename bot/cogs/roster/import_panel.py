"""Import and export in Discord."""

import io
from collections.abc import Collection, Iterable, Sequence
from functools import partial

import discord
from discord import ui
from sqlalchemy import Connection

from bot.actions import act, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.roster import import_export
from bot.cogs.roster.embed import MAX_NAMES, some_names
from bot.cogs.roster.import_export import MAX_NEWCOMERS, Members, Part, PendingImport, RosterUpload
from bot.cogs.roster.import_files import Format
from bot.cogs.roster.import_plan import MAX_ROWS
from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.permissions import require_game_master
from bot.core.profiles import Profile, list_differences
from bot.rolls.desk import desk_of
from bot.ui.answering import CUT_OFF
from bot.ui.files import file_field, find_sent_file, most_bytes, read_file
from bot.ui.parsing import find_members
from bot.ui.receipt import NextStep, draw_preview, receipt
from bot.ui.reply import Component, IdTemplate, ask, component, modal, person, redraw, say
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten

GO = IdTemplate("import:{campaign:int}:{draft:id}:go:{seen:id}")
CANCEL = IdTemplate("import:{campaign:int}:{draft:id}:cancel")
SEND = IdTemplate("import:{campaign:int}:send")
FILE = "file"
FORMAT = """A list with a line for each, such as
```
kind,name,side,region
ship,Grey Ghost,Zeon,Madagascar
npc,Colonel Haas,Zeon,
```
You see every change before it happens."""
ROOM = 3300  # characters; a message has 4,000
MAX_REGIONS = 300
CHANGED = "Something changed since you looked. Check it, then press again."


def next_steps(tx: Connection, _library: Library, campaign: Campaign) -> Iterable[NextStep]:
    """Yield the step that imports units and characters."""
    saved = len(profiles.list_profiles(tx, campaign.id))
    why = "from a file, or add them one by one with /unit add and /character add"
    yield NextStep("Import a roster", SEND.fill(campaign=campaign.id), f"{saved} saved" if saved else why, saved > 0)


async def prepare(interaction: Interaction, campaign: Campaign, file: discord.Attachment, *, may_replace: bool) -> None:
    """Preview a file, or list its faults."""
    bot, who = interaction.client, person(interaction)
    require_game_master(who, campaign, import_export.TO_IMPORT)
    upload = RosterUpload(file.filename, await read_file(file, most_bytes(file.filename)), may_replace)
    pending = await import_export.prepare(bot.kernel, who, campaign, upload, _members(interaction))
    await say(interaction, view=_preview(pending))


async def export(interaction: Interaction, to: Format, part: Part) -> None:
    """Send saved units and characters as a file."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    made = await bot.database.read(import_export.export, bot.library, person(interaction), campaign, to, part)
    too_many = made.count > MAX_ROWS or len(made.data) > most_bytes(made.file)
    what = "unit or character" if made.count == 1 else "units and characters"
    line = f"{made.count} {what}. It lists hidden ones and owners. Share it with game masters only."
    line += "\nIt's too long for one import. Split it first." if too_many else ""
    await say(interaction, content=line, file=discord.File(io.BytesIO(made.data), made.file))


@component(SEND)
async def ask_file(interaction: Interaction, *, campaign: int) -> None:
    """Open the window that takes a file."""
    game = await find_pressed_campaign(interaction, campaign)
    require_game_master(person(interaction), game, import_export.TO_IMPORT)
    form = ui.Modal(title="Import a roster", custom_id=SEND.fill(campaign=campaign))
    form.add_item(ui.TextDisplay(FORMAT))
    await ask(interaction, form.add_item(file_field(FILE, "Units and characters", "A CSV file, or TOML")))


@modal(SEND)
async def take_file(interaction: Interaction, *, campaign: int) -> None:
    """Preview the sent file."""
    file = find_sent_file(interaction, FILE)
    if file is None:
        raise BadInput("You didn't send a file.", "Pick one, or use /roster import.")
    await prepare(interaction, await find_pressed_campaign(interaction, campaign), file, may_replace=False)


@component(GO)
async def carry_out(interaction: Interaction, *, campaign: int, draft: str, seen: str) -> None:
    """Import a file, unless something changed."""
    bot, who = interaction.client, person(interaction)
    planned = await import_export.plan_press(bot.kernel, who, campaign, draft, seen, _members(interaction))
    if isinstance(planned, PendingImport):
        await redraw(interaction, _preview(planned, CHANGED))
    else:
        await act(interaction, planned, campaign, replaces=True)


@component(CANCEL)
async def cancel(interaction: Interaction, *, campaign: int, draft: str) -> None:
    """Discard a file."""
    bot = interaction.client
    await bot.database.write(import_export.drop, bot.ledger, person(interaction), campaign, draft)
    await redraw(interaction, receipt("Nothing was imported", [], COLOURS["neutral"]))


COMPONENTS: tuple[Component, ...] = (carry_out, cancel, ask_file)


def _members(interaction: Interaction) -> Members:
    return Members(partial(_find_absent, interaction), partial(_find_called, interaction))


async def _find_called(interaction: Interaction, names: Collection[str]) -> dict[str, list[int]]:
    if interaction.guild is None:
        return {}
    if len(names) > MAX_NEWCOMERS:
        what = f"The file has {len(names)} owners by name. The limit is {MAX_NEWCOMERS}."
        raise BadInput(what, "Write user ids, or split the file.")
    try:
        return {name: [member.id for member in await find_members(interaction.guild, name)] for name in names}
    except (discord.HTTPException, TimeoutError, *CUT_OFF) as problem:
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
        except (discord.HTTPException, *CUT_OFF) as problem:
            what = f"I couldn't ask Discord about the owner {user_id}."
            raise BadInput(what, "Try it again, or leave owners out who are new to the campaign.") from problem
    return absent


def _preview(pending: PendingImport, warning: str | None = None) -> ui.LayoutView:
    campaign, draft, plan = pending.campaign, pending.draft, pending.plan
    about = f"{plain(shorten(draft.file, 100))}{DOT}{plain(campaign.name)}{DOT}not imported yet"
    unknown = pending.unknown_regions
    lines = [f"\N{WARNING SIGN} Regions without weather: {some_names(unknown, MAX_REGIONS)}."] if unknown else []
    changed = [(after, list_differences(before, after)) for before, after in plan.changed]
    lines += preview_lines(plan.new, changed, plan.unchanged)
    key = {"campaign": campaign.id, "draft": draft.id}
    buttons: list[ui.Button[ui.LayoutView]] = [ui.Button(label="Cancel", custom_id=CANCEL.fill(**key))]
    if plan.new or plan.changed:
        label = f"Import {len(plan.new)} new, {len(plan.changed)} changed"
        go = GO.fill(**key, seen=plan.digest)
        buttons.insert(0, ui.Button(label=label, style=discord.ButtonStyle.success, custom_id=go))
    return draw_preview("Import", about, lines, buttons, warning)


def preview_lines(
    new: Sequence[Profile], changed: Sequence[tuple[Profile, Sequence[str]]], unchanged: int
) -> list[str]:
    """List new and changed ones, count the rest."""
    lines = [f"**New: {len(new)}**"] if new else []
    kinds: dict[str, list[str]] = {}
    for item in new:
        kinds.setdefault(item.kind, []).append(item.name)
    lines += [
        f"\N{BULLET} {kind} ({len(names)}): {some_names(names, MAX_NAMES // len(kinds))}"
        for kind, names in kinds.items()
    ]
    lines += [f"**Changed: {len(changed)}**"] if changed else []
    lines += [f"\N{BULLET} {plain(item.name)}: {', '.join(columns)}" for item, columns in changed]
    head = [f"**Unchanged: {unchanged}**"] if unchanged else []
    return [*head, *fit_lines(ROOM - sum(map(len, head)), lines)]
