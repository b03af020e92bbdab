"""`/table` and `/gm rules`: house rules as files or typed tables."""

import io
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands, ui
from msgspec.structs import replace

from bot.actions import act, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.house_rules import editor, embed, sent_files, service
from bot.cogs.house_rules.service import ROOM, ShownFile, Upload
from bot.core import errors, permissions
from bot.core.campaigns import Campaign
from bot.core.library import HouseFile
from bot.rolls import answers, desk, options, request
from bot.ui import parsing, reply
from bot.ui.commands import GM
from bot.ui.files import MAX_TOML, read_file
from bot.ui.parsing import GAME_MASTERS, describe, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import ask, own_name, person, read_submitted, redraw, refuse, say
from bot.ui.text import COLOURS, Controls, Layout, chunks, plain, shorten
from rules import stages
from rules.procedure import Procedure
from rules.subjects import name_key

CHANGED = "Something changed since you looked. Check it, then press again."


async def _prepare(interaction: Interaction, campaign: Campaign, name: str, file: discord.Attachment) -> None:
    data = await read_file(file, MAX_TOML)
    upload = Upload(name, file.filename, data, interaction.client.ledger.now())
    seen = await service.prepare(interaction.client.kernel, person(interaction), campaign, upload)
    await say(interaction, view=editor.draw_file(seen))


async def _switch_on(interaction: Interaction, shown: ShownFile) -> None:
    client = interaction.client
    planned = await service.plan_switch_on(client.kernel, person(interaction), shown)
    if isinstance(planned, sent_files.RulesPreview):
        warning, old = CHANGED, planned.old
        if old is not None:
            state = "on now" if old.on else "off now"
            instead = ": this would replace it" if old.on else ""
            warning = f"{plain(old.label)} is {state} (entry #{old.entry}){instead}. Check it, then press again."
        await redraw(interaction, editor.draw_file(planned, warning=warning))
    else:
        await act(interaction, planned, shown.campaign_id, replaces=True)


async def _press(
    what: str, interaction: Interaction, *, campaign: int, fingerprint: str, version: int, page: int, name: str
) -> None:
    client, who, shown = interaction.client, person(interaction), ShownFile(campaign, fingerprint, version, name)
    if what == "switch on":
        await _switch_on(interaction, shown)
    elif what == "discard":
        await client.database.write(service.drop, client.ledger, who, shown)
        await redraw(interaction, receipt("Discarded. Nothing was changed.", [], COLOURS["neutral"]))
    else:
        preview = await service.read_preview(client.kernel, who, shown)
        await redraw(interaction, editor.draw_file(preview, page))


@reply.component(sent_files.REMOVE)
async def _remove(interaction: Interaction, *, campaign: int, version: int, name: str) -> None:
    client, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    planned = await service.plan_switch_off(client.kernel, person(interaction), here, name, version)
    await act(interaction, planned, campaign, replaces=True)


@reply.component(sent_files.EXPORT)
async def _ask_version(interaction: Interaction, *, campaign: int, name: str) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    file, text = await interaction.client.database.read(service.export, person(interaction), here, name, None)
    if file.version == 1:
        await _send(interaction, file, text, 1)
        return
    form = ui.Modal(
        title=shorten(f"Export {file.name}", 45), custom_id=sent_files.EXPORT.fill(campaign=campaign, name=name)
    )
    label, newest = f"Version, 1 to {file.version}", str(file.version)
    await ask(interaction, form.add_item(reply.text_field(VERSION, label, value=newest, limit=len("9999"))))


@reply.modal(sent_files.EXPORT)
async def export_version(interaction: Interaction, *, campaign: int, name: str) -> None:
    """Send a version of a file."""
    here = await find_pressed_campaign(interaction, campaign)
    version = parsing.parse_whole(read_submitted(interaction).get(VERSION), "version", 1, MAX_VERSION)
    file, text = await interaction.client.database.read(service.export, person(interaction), here, name, version)
    await _send(interaction, file, text, version)


async def _send(interaction: Interaction, file: HouseFile, text: str, version: int) -> None:
    stem = re.sub(r"[^\w-]+", "-", file.name).strip("-") or "rules"
    attachment = discord.File(io.BytesIO(text.encode()), f"{stem}-v{version}.toml")
    how = "as it was sent"
    if file.file.casefold().endswith(sent_files.EDITABLE):
        how = "as it was typed in Discord" if file.file == sent_files.TYPED else f"made of {plain(file.file)}"
    content = f"{plain(file.name)} v{version}, {how}. Change it and send it with `/gm rules`."
    await say(interaction, content=content, file=attachment)


@reply.component(sent_files.BEGIN)
async def _begin(interaction: Interaction, *, campaign: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    permissions.require_game_master(person(interaction), here, sent_files.ACTION)
    lines = [
        "Send a file: `/gm rules name:my-game file:`. You see what it brings before it counts.",
        "Type a table of results: `/gm rules name:events`. You need no file.",
        f"Whole games to begin with, and how files are written: [the page on house rules]({sent_files.PAGE})",
    ]
    await say(interaction, view=receipt(f"The rules of {plain(here.name)}", lines, COLOURS["neutral"]))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    reply.component(sent_files.SWITCH_ON)(partial(_press, "switch on")),
    reply.component(sent_files.DROP)(partial(_press, "discard")),
    reply.component(sent_files.LOOK)(partial(_press, "turn the page")),
    _remove,
    _ask_version,
    _begin,
    *editor.COMPONENTS,
    export_version,
)


def _page(text: str) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(ui.TextDisplay(text), accent_colour=COLOURS["neutral"])
    return Layout(container)


def _complete(*, files: bool = False, tables: bool = False) -> options.Completed:
    return options.Completed(partial(_complete_name, files=files, tables=tables), re.compile(r"\)$"))


async def _complete_name(at: options.Completion, current: str, *, files: bool, tables: bool) -> options.Completions:
    known, rollable = await at.read(service.list_files, at.interaction.client.library)
    named = {file.name: f"file {file.name}" if tables else file.name for file in known} if files else {}
    named |= rollable if tables else {}
    wanted = name_key(current)
    return [(f"{title} ({name})", name) for name, title in named.items() if wanted in name_key(f"{name} {title}")]


async def _find_modifiers(at: options.Completion) -> Mapping[str, stages.Tickable]:
    return await options.find_modifiers(
        *await at.read(service.find_table, at.interaction.client.library, at.read_option("name")), at
    )


FileName = Annotated[str, _complete(files=True)]
TableName = Annotated[str, _complete(tables=True)]
FileOrTable = Annotated[str, _complete(files=True, tables=True)]
TableModifiers = Annotated[str, options.AnyModifiersCompleter(_find_modifiers)]
VERSION, MAX_VERSION = "version", 9999


class TableRollForm(options.PlacedRollForm):
    """Options of `/table roll`."""

    name: TableName = option("The table")
    who: options.Name | None = option("Who rolls. Default: you", default=None)
    about: options.Name | None = option("The target, if the roll has one", default=None)
    modifiers: TableModifiers | None = None


class TableCog(app_commands.Group, name="table", description="Your own tables and house rules"):
    """House rules."""

    @app_commands.command()
    @describe(name="The file or table. Default: all")
    async def show(self, interaction: Interaction, name: FileOrTable | None = None) -> None:
        """Show your tables and house rules, or one with its odds."""
        campaign = await desk.desk_of(interaction).campaign(interaction)
        await (_list_files(interaction, campaign) if name is None else _show_named(interaction, campaign, name))

    @app_commands.command()
    @fill_form
    async def roll(self, interaction: Interaction, form: TableRollForm) -> None:
        """Roll on a house table."""
        client = interaction.client
        campaign = await desk.desk_of(interaction).campaign(interaction)
        find, who = service.find_table, person(interaction)
        family = await client.database.read(find, who, campaign, client.library, form.name)
        _, procedure = await desk.desk_of(interaction).procedure(campaign, *family)
        part = _make_part(procedure, form.who, own_name(interaction), form.about)
        shared = (form.region, form.week, form.modifiers, form.note, form.to)
        command = request.RollCommand(desk.channels(interaction), family, [part], *shared)
        await answers.begin(interaction, command, at_once=form.roll == "now")


async def _list_files(interaction: Interaction, campaign: Campaign) -> None:
    client = interaction.client
    files, tables = await client.database.read(service.list_files, person(interaction), campaign, client.library)
    for page in embed.list_pages(campaign.name, files, tables):
        await say(interaction, embeds=page)


async def _show_named(interaction: Interaction, campaign: Campaign, name: str) -> None:
    who = person(interaction)
    shown = await service.show(interaction.client.kernel, who, campaign, name)
    if isinstance(shown, sent_files.RulesPreview):
        await say(interaction, view=editor.draw_file(shown))
    elif isinstance(shown, Sequence):
        lines = embed.detail_lines if who.leads(campaign) else embed.table_lines
        told = [line for table in shown for line in lines(table)] or [
            "It's done without a roll: `/table roll` does it."
        ]
        for page in chunks(told, ROOM):
            await say(interaction, view=_page(page))
    elif shown.error is not None:
        await refuse(interaction, shown.error, Controls(*editor.file_buttons(campaign, shown.file)))
    else:
        line = "Its versions are kept. Send one with `/gm rules` to turn it on again."
        title, buttons = f"{plain(shown.file.label)} is off", [*editor.file_buttons(campaign, shown.file)]
        await say(interaction, view=receipt(title, [line], COLOURS["neutral"], buttons))


@GM.command(extras=GAME_MASTERS)
@describe(
    name="Its name. One of that name is replaced",
    file="A TOML file of rules, or a table as CSV or TSV. Leave empty to type a table",
)
async def rules(interaction: Interaction, name: FileName, file: discord.Attachment | None = None) -> None:
    """Add or replace house rules: type a table or send a file."""
    campaign = await desk.desk_of(interaction).campaign(interaction)
    permissions.require_game_master(person(interaction), campaign, sent_files.ACTION)  # before the file is fetched
    if file is not None:
        await _prepare(interaction, campaign, name, file)
    else:
        title = sent_files.check_file_name(name)
        await ask(interaction, editor.window(campaign, title, editor.TypedTable()))


def _make_part(procedure: Procedure, who: str | None, own_name: str, about: str | None) -> request.PartRequest:
    actor, subject = procedure.actor, procedure.subject
    label = parsing.names(who, actor, 1)[0] if who else None
    if label is None and procedure.policy.needs:
        raise errors.BadInput(f"{procedure.title} is for saved characters.", "Say who does it with who.")
    part = request.label_part(actor, label, own_name)
    if about is None and f"{{{subject}}}" in procedure.headline_alone:
        raise errors.BadInput(f"{procedure.title} needs a target.", "Say who or what it is with about.")
    if about is None:
        return part
    (target,) = parsing.names(about, "name", 1)
    parsing.refuse_both((label or own_name,), (target,))
    return replace(part, subjects={**part.subjects, subject: target})
