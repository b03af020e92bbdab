"""`/table` and `/gm rules`: house rules as files or typed tables."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands, ui
from msgspec.structs import replace

from bot.actions import act, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.house_rules import embed, sent_files, service
from bot.cogs.house_rules.service import ROOM, ShownFile, Upload
from bot.core import errors, permissions
from bot.core.campaigns import Campaign
from bot.core.library import HouseFile
from bot.rolls import answers, desk, options, request
from bot.ui import parsing, reply
from bot.ui.commands import GM
from bot.ui.files import MAX_TOML, read_file, run_apart
from bot.ui.parsing import GAME_MASTERS, describe, fill_form, option
from bot.ui.receipt import draw_preview, receipt
from bot.ui.reply import ask, own_name, person, read_submitted, redraw, refuse, say
from bot.ui.text import COLOURS, DOT, Controls, Layout, chunks, plain, shorten
from rules import sheet_table, stages
from rules.errors import BookError
from rules.procedure import Procedure
from rules.subjects import name_key

CHANGED = "Something changed since you looked. Check it, then press again."


async def _prepare(interaction: Interaction, campaign: Campaign, name: str, file: discord.Attachment) -> None:
    data = await read_file(file, MAX_TOML)
    upload = Upload(name, file.filename, data, interaction.client.ledger.now())
    seen = await service.prepare(interaction.client.kernel, person(interaction), campaign, upload)
    await say(interaction, view=_draw(seen))


@reply.modal(sent_files.LINES)
async def take_lines(interaction: Interaction, campaign: int, name: str) -> None:
    """Preview a typed table; keep refused text."""
    fields = read_submitted(interaction)
    table = sent_files.TypedTable(fields.get(sent_files.DIE) or "", fields.get(sent_files.ROWS) or "")
    await _preview_typed(interaction, await find_pressed_campaign(interaction, campaign), name, table)


async def _preview_typed(interaction: Interaction, game: Campaign, name: str, table: sent_files.TypedTable) -> None:
    client, who = interaction.client, person(interaction)
    permissions.require_game_master(who, game, sent_files.ACTION)
    try:
        text = await run_apart(table.file, name)
        upload = Upload(name, embed.TYPED, text.encode(), client.ledger.now())
        seen = await service.prepare(client.kernel, who, game, upload)
    except errors.UserError as error:
        typed = f"{table.die}\n{table.lines}"
        key = await client.database.write(sent_files.keep, client.ledger, who, game.id, embed.TYPED, typed)
        again = Controls(sent_files.edit_button(game, name, key))
        if isinstance(error, errors.FaultyFile):
            error.do = sent_files.AGAIN
        await refuse(interaction, error, again)
    else:
        await say(interaction, view=_draw(seen))


@reply.component(sent_files.TEXT)
async def edit_text(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    """Open the window again with the text typed before."""
    game, text = await _read_again(interaction, campaign, fingerprint)
    die, _, lines = text.partition("\n")
    typed = sent_files.TypedTable(die[: sent_files.MAX_DIE], lines[: sent_files.MAX_LINES])
    await ask(interaction, sent_files.window(game, name, typed))


@reply.component(sent_files.EDIT)
async def edit_table(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    """Open a table in its window."""
    game, _, table = await _read_typed_again(interaction, campaign, fingerprint, name, sheet_table.type_again)
    await ask(interaction, sent_files.window(game, name, table))


@reply.component(sent_files.MODIFY)
async def ask_modifier(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    """Ask for one modifier of a table."""
    game, *_ = await _read_typed_again(interaction, campaign, fingerprint, name, sheet_table.type_again)
    await ask(interaction, sent_files.modifier_window(game, name, fingerprint))


@reply.modal(sent_files.MODIFY)
async def take_modifier(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    """Preview a table with one more modifier."""
    fields = read_submitted(interaction)
    typed = [str(fields.get(key) or "") for key in (sent_files.LABEL, sent_files.VALUE, sent_files.WHEN)]
    add = partial(sheet_table.add_modifier, modifier=typed)
    await _preview_typed(interaction, *await _read_typed_again(interaction, campaign, fingerprint, name, add))


async def _read_typed_again(
    interaction: Interaction, campaign: int, fingerprint: str, name: str, read: Callable[[str], tuple[str, str]]
) -> tuple[Campaign, str, sent_files.TypedTable]:
    game, text = await _read_again(interaction, campaign, fingerprint)
    try:
        die, lines = await run_apart(read, text)
    except BookError as error:
        raise errors.BadInput(f"{name} isn't one table.", "Export it, and send it again as a file.") from error
    if len(lines) > sent_files.MAX_LINES:
        what = f"{name} has {len(lines)} characters, too many for the window."
        raise errors.BadInput(what, "Export it, and send it again as a file.")
    return game, name, sent_files.TypedTable(die, lines)


async def _read_again(interaction: Interaction, campaign: int, fingerprint: str) -> tuple[Campaign, str]:
    client = interaction.client
    known = (client.ledger, person(interaction), campaign, fingerprint)
    return await client.database.read(sent_files.read_again, *known)


async def _switch_on(interaction: Interaction, shown: ShownFile) -> None:
    client = interaction.client
    planned = await service.plan_switch_on(client.kernel, person(interaction), shown)
    if isinstance(planned, sent_files.RulesPreview):
        warning, old = CHANGED, planned.old
        if old is not None:
            state = "on now" if old.on else "off now"
            instead = ": this would replace it" if old.on else ""
            warning = f"{plain(old.label)} is {state} (entry #{old.entry}){instead}. Check it, then press again."
        await redraw(interaction, _draw(planned, warning=warning))
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
        await redraw(interaction, _draw(preview, page))


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
    if file.file.casefold().endswith(embed.EDITABLE):
        how = "as it was typed in Discord" if file.file == embed.TYPED else f"made of {plain(file.file)}"
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
    edit_text,
    edit_table,
    ask_modifier,
    take_modifier,
    _remove,
    _ask_version,
    _begin,
    take_lines,
    export_version,
)


def _draw(seen: sent_files.RulesPreview, page: int = 0, warning: str | None = None) -> ui.LayoutView:
    pages = list(chunks(embed.preview_lines(seen.file, seen.before, seen.after), ROOM))
    page = min(page, len(pages) - 1)
    state = "nothing is switched on yet" if seen.waits else f"on since entry #{seen.file.entry}"
    about = [plain(seen.campaign.name), state]
    about += [f"against {plain(seen.old.label)}"] if seen.old and seen.follows else []
    about += [f"page {page + 1} of {len(pages)}"] if len(pages) > 1 else []
    buttons = [*_list_buttons(seen, page, len(pages))]
    return draw_preview(plain(seen.file.label), DOT.join(about), [pages[page]], buttons, warning)


def _page(text: str) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(ui.TextDisplay(text), accent_colour=COLOURS["neutral"])
    return Layout(container)


def _list_buttons(seen: sent_files.RulesPreview, page: int, pages: int) -> Iterator[ui.Button[ui.LayoutView]]:
    file = seen.file
    shown = {"campaign": seen.campaign.id, "fingerprint": file.fingerprint[: sent_files.SHORT], "version": file.version}
    buttons = [("Switch on", sent_files.SWITCH_ON, page), ("Discard", sent_files.DROP, page)] if seen.waits else []
    buttons += [("Back", sent_files.LOOK, page - 1)] if page > 0 else []
    buttons += [("More", sent_files.LOOK, page + 1)] if page + 1 < pages else []
    for label, template, to in buttons:
        style = discord.ButtonStyle.success if template is sent_files.SWITCH_ON else discord.ButtonStyle.secondary
        yield ui.Button(label=label, style=style, custom_id=template.fill(**shown, page=to, name=file.name))
    yield from _edit_buttons(seen.campaign, file) if seen.waits else _file_buttons(seen.campaign, file)


def _edit_buttons(campaign: Campaign, file: HouseFile) -> Iterator[ui.Button[ui.LayoutView]]:
    if file.file.casefold().endswith(embed.EDITABLE) and campaign.archived_at is None:
        about = {"campaign": campaign.id, "fingerprint": file.fingerprint[: sent_files.SHORT], "name": file.name}
        yield ui.Button(label="Edit", custom_id=sent_files.EDIT.fill(**about))
        yield ui.Button(label="Add a modifier", custom_id=sent_files.MODIFY.fill(**about))


def _file_buttons(campaign: Campaign, file: HouseFile) -> Iterator[ui.Button[ui.LayoutView]]:
    about = {"campaign": campaign.id, "name": file.name}
    yield from _edit_buttons(campaign, file)
    yield ui.Button(label="Export", custom_id=sent_files.EXPORT.fill(**about))
    if file.on and campaign.archived_at is None:
        key = sent_files.REMOVE.fill(**about, version=file.version)
        yield ui.Button(label="Remove", style=discord.ButtonStyle.danger, custom_id=key)


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
        await say(interaction, view=_draw(shown))
    elif isinstance(shown, Sequence):
        lines = embed.detail_lines if who.leads(campaign) else embed.table_lines
        told = [line for table in shown for line in lines(table)] or [
            "It's done without a roll: `/table roll` does it."
        ]
        for page in chunks(told, ROOM):
            await say(interaction, view=_page(page))
    elif shown.error is not None:
        await refuse(interaction, shown.error, Controls(*_file_buttons(campaign, shown.file)))
    else:
        line = "Its versions are kept. Send one with `/gm rules` to turn it on again."
        title, buttons = f"{plain(shown.file.label)} is off", [*_file_buttons(campaign, shown.file)]
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
        await ask(interaction, sent_files.window(campaign, title, sent_files.TypedTable()))


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
