"""Windows for a typed table, and the message they change."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import discord
from discord import ui
from msgspec import Struct

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.house_rules import embed, sent_files, service
from bot.core import campaigns, errors, library, permissions
from bot.ui import reply
from bot.ui.files import run_apart
from bot.ui.parsing import MAX_CHOICE, MAX_CHOICES
from bot.ui.receipt import draw_preview, pickers
from bot.ui.text import DOT, Controls, chunks, fit_lines, plain, shorten
from rules import documents, editable_table, modifiers, phrases, ruleset, sheet_table, typed_table
from rules.errors import BookError

LINES = reply.IdTemplate("table:{campaign:int}:lines:{name:rest}")
TEXT = reply.IdTemplate("table:{campaign:int}:{fingerprint:hex}:text:{name:rest}")
EDIT = reply.IdTemplate("table:{campaign:int}:{fingerprint:hex}:edit:{name:rest}")
CHANGE = reply.IdTemplate("table:{campaign:int}:{fingerprint:hex}:change:{_place:int}:{name:rest}")
ROW = reply.IdTemplate("table:{campaign:int}:{fingerprint:hex}:row:{place:int}:{name:rest}")
MODIFY = reply.IdTemplate("table:{campaign:int}:{fingerprint:hex}:modify:{place:int}:{name:rest}")
"""A table by its text, and the place of one of its rows or modifiers; 0 adds one."""

DIE, ROWS = "die", "lines"
NUMBERS, RESULT, TONE, THEN = "numbers", "result", "tone", "then"
LABEL, VALUE, FACTS, WHEN, TIMES = "label", "value", "facts", "when", "times"
ROW_PICK, MODIFIER_PICK = "row", "modifier"
EXAMPLE = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"
HELP = f"[How tables are written]({sent_files.PAGE}#your-first-table-2-minutes)"
AGAIN = f"Nothing was changed. Press the button to fix it. I keep what you typed for a day. {HELP}"
MAX_DIE, MAX_NUMBERS, MAX_LINES, MAX_LABEL, MAX_CELL = 10, 20, 4000, 80, 200
TONES = {"success": "Success", "failure": "Failure", "danger": "Danger"}
GONE = ("This message is out of date.", "Open the table again with /table show.")


class TypedTable(Struct, frozen=True):
    """A window's text: die (empty: fitting) and lines."""

    die: str = ""
    lines: str = ""

    def file(self, name: str, known: Mapping[str, modifiers.Fact]) -> str:
        """Return TOML with a table of this name; `known` facts are declared elsewhere."""
        try:
            if sheet_table.is_sheet(self.lines):
                return sheet_table.sheet_file(name, typed_table.TYPED_NAME, self.lines, self.die, known)
            return typed_table.table_file(name, self.die, sheet_table.plain_lines(self.lines))
        except BookError as error:
            raise errors.FaultyFile(typed_table.TYPED_NAME, error.faults, AGAIN) from error


class _Table(Struct, frozen=True):
    """The table that a button names."""

    campaign: campaigns.Campaign
    fingerprint: str
    name: str
    draft: editable_table.EditableTable

    def fill(self, template: reply.IdTemplate, place: int) -> str:
        return template.fill(campaign=self.campaign.id, fingerprint=self.fingerprint, place=place, name=self.name)


def window(campaign: campaigns.Campaign, name: str, typed: TypedTable) -> ui.Modal:
    """Return a filled-in window for a table."""
    form = ui.Modal(title=shorten(name, 45), custom_id=LINES.fill(campaign=campaign.id, name=name))
    label = "Die; leave it empty to use the highest number"
    form.add_item(
        reply.text_field(DIE, label, placeholder="20, or 2d6", value=typed.die or None, limit=MAX_DIE, needed=False)
    )
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=ROWS,
        style=discord.TextStyle.paragraph,
        placeholder=EXAMPLE,
        default=typed.lines or None,
        max_length=MAX_LINES,
        required=False,
    )
    about = "Leave it empty to add results one by one."
    return form.add_item(ui.Label(text="Results, one per line", description=about, component=box))


@reply.modal(LINES)
async def _take_lines(interaction: Interaction, campaign: int, name: str) -> None:
    fields = reply.read_submitted(interaction)
    table = TypedTable(fields.get(DIE) or "", fields.get(ROWS) or "")
    await _show_typed(interaction, await find_pressed_campaign(interaction, campaign), name, table)


async def _show_typed(
    interaction: Interaction,
    game: campaigns.Campaign,
    name: str,
    table: TypedTable,
    again: Callable[..., str] | None = None,
) -> None:
    client, who = interaction.client, reply.person(interaction)
    permissions.require_game_master(who, game, sent_files.ACTION)
    draft = await run_apart(sheet_table.read_draft, table.die, table.lines)
    typed = (client.ledger, who, game.id, sent_files.TYPED, f"{table.die}\n{table.lines}")
    if draft is not None and not draft.is_whole:
        kept = await client.database.write(sent_files.keep, *typed)
        await reply.redraw(interaction, _draw_draft(_Table(game, kept, sent_files.check_file_name(name), draft)))
        return
    text = ""
    try:
        rules = await _read_own_rules(interaction, game, name)
        text = await run_apart(table.file, name, rules.facts)
        upload = service.Upload(name, sent_files.TYPED, text.encode(), client.ledger.now())
        await reply.redraw(interaction, draw_file(await service.prepare(client.kernel, who, game, upload)))
    except errors.UserError as error:
        if isinstance(error, errors.NotAsItIs):
            raise
        kept = await client.database.write(sent_files.keep, *typed)
        label, key = "Edit as text", TEXT.fill(campaign=game.id, fingerprint=kept, name=name)
        if isinstance(error, errors.FaultyFile):
            error.do, error.file = AGAIN, typed_table.TYPED_NAME
            find = partial(sheet_table.find_sheet_line, text)
            error.faults = sorted((find(line), what) for line, what in error.faults) if text else error.faults
        if again is not None:
            label, key = "Change it", again(fingerprint=kept)
        await reply.refuse(interaction, error, Controls(ui.Button(label=label, custom_id=key)))


async def _read_own_rules(interaction: Interaction, game: campaigns.Campaign, without: str = "") -> ruleset.RuleSet:
    kept = await interaction.client.database.read(sent_files.read_files, game)
    return await run_apart(sent_files.combine_others, interaction.client.library, kept, without)


@reply.component(TEXT)
async def _edit_text(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    game, text = await _read_text(interaction, campaign, fingerprint)
    die, _, lines = text.partition("\n")
    await _ask_text(interaction, game, name, TypedTable(die[:MAX_DIE], lines))


@reply.component(EDIT)
async def _edit_table(interaction: Interaction, *, campaign: int, fingerprint: str, name: str) -> None:
    table = await _read_table(interaction, campaign, fingerprint, name)
    await _ask_text(interaction, table.campaign, name, TypedTable(*sheet_table.type_again(table.draft)))


async def _ask_text(interaction: Interaction, game: campaigns.Campaign, name: str, typed: TypedTable) -> None:
    if len(typed.lines) > MAX_LINES:
        what = f"{name} has {len(typed.lines)} characters, too many for the window."
        raise errors.BadInput(what, "Change a line with the list, or export it and send it as a file.")
    await reply.ask(interaction, window(game, name, typed))


@reply.component(CHANGE)
async def _pick_line(interaction: Interaction, *, campaign: int, fingerprint: str, _place: int, name: str) -> None:
    table = await _read_table(interaction, campaign, fingerprint, name)
    kind, _, place = next(iter(reply.read_picked(interaction)), "").partition(":")
    await _ask_line(interaction, table, MODIFY if kind == MODIFIER_PICK else ROW, reply.number(place))


@reply.component(ROW)
async def _ask_row(interaction: Interaction, *, campaign: int, fingerprint: str, place: int, name: str) -> None:
    await _ask_line(interaction, await _read_table(interaction, campaign, fingerprint, name), ROW, place)


@reply.component(MODIFY)
async def _ask_modifier(interaction: Interaction, *, campaign: int, fingerprint: str, place: int, name: str) -> None:
    await _ask_line(interaction, await _read_table(interaction, campaign, fingerprint, name), MODIFY, place)


async def _ask_line(interaction: Interaction, table: _Table, template: reply.IdTemplate, place: int) -> None:
    if template is ROW:
        await reply.ask(interaction, _row_window(table, place))
    else:
        rules = await _read_own_rules(interaction, table.campaign)
        facts = {fact.id: fact.label for fact in rules.facts.values()}
        facts |= {f"weather.{trait}": item.label for trait, item in rules.conditions.items()}
        await reply.ask(interaction, _modifier_window(table, place, facts))


def _row_window(table: _Table, place: int) -> ui.Modal:
    row = _item_at(table.draft.rows, place)
    gap = next(table.draft.list_gaps(), None)
    numbers = phrases.span(row.low, row.high) if row else phrases.span(*gap) if gap else None
    title = f"Change a result of {table.name}" if row else f"Add a result to {table.name}"
    form = ui.Modal(title=shorten(title, 45), custom_id=table.fill(ROW, place))
    form.add_item(reply.text_field(NUMBERS, "Numbers of the die", placeholder="6-19", value=numbers, limit=MAX_NUMBERS))
    label = "Result; clear it to remove the line" if row else "Result"
    text, limit = row.text if row else None, documents.LONGEST_TEXT
    form.add_item(reply.text_field(RESULT, label, placeholder="It blows up", value=text, limit=limit, needed=not row))
    tones = [
        discord.SelectOption(label=said, value=tone, default=bool(row and row.tone == tone))
        for tone, said in TONES.items()
    ]
    select: ui.Select[ui.Modal] = ui.Select(custom_id=TONE, required=False, min_values=0, options=tones)
    form.add_item(
        ui.Label(text="Good or bad", description="Colours the result. You can leave it out.", component=select)
    )
    then = row.then if row else ""
    return form.add_item(_cell_field(THEN, "Effect, if any", "reveal target; injure roller 1", then))


def _cell_field(key: str, label: str, placeholder: str, value: str) -> ui.Label[ui.Modal]:
    limit = max(MAX_CELL, len(value))
    return reply.text_field(key, label, placeholder=placeholder, value=value or None, limit=limit, needed=False)


@reply.modal(ROW)
async def _take_row(interaction: Interaction, *, campaign: int, fingerprint: str, place: int, name: str) -> None:
    table = await _read_table(interaction, campaign, fingerprint, name)
    fields, row = reply.read_submitted(interaction), _item_at(table.draft.rows, place)
    text, new = " ".join((fields.get(RESULT) or "").split()), None
    if text or row is None:
        beyond = bool(table.draft.modifiers)
        found = typed_table.read_numbers(fields.get(NUMBERS) or "", table.draft.die, beyond=beyond)
        if found is None or not text:
            typed = f" You typed: {text}" if text else ""
            gives = f"{table.draft.die} gives {table.draft.die.low} to {table.draft.die.high}"
            raise errors.BadInput("A result needs its numbers and a text.", f"Write numbers like 6-19; {gives}.{typed}")
        tone = next(iter(fields.get(TONE) or []), "")
        then = " ".join((fields.get(THEN) or "").split())
        new = editable_table.EditableRow(*found, text, tone if tone in TONES else "", then)
    changed = table.draft.put_row(place - 1 if row else None, new)
    at = changed.rows.index(new) + 1 if new else 0
    await _show_changed(interaction, table, changed, ROW, at)


def _modifier_window(table: _Table, place: int, known: Mapping[str, str]) -> ui.Modal:
    cells = _item_at(table.draft.modifiers, place) or {}
    title = f"Change a modifier of {table.name}" if cells else f"Add a modifier to {table.name}"
    form = ui.Modal(title=shorten(title, 45), custom_id=table.fill(MODIFY, place))
    label = "What it is; clear it to remove the modifier" if cells else "What it is"
    named, value = cells.get("modifier"), cells.get("value")
    form.add_item(
        reply.text_field(LABEL, label, placeholder="Has a temple", value=named, limit=MAX_LABEL, needed=not cells)
    )
    form.add_item(
        reply.text_field(VALUE, "What it adds", placeholder="+2", value=value, limit=MAX_DIE, needed=not cells)
    )
    shown = dict(list(known.items())[:MAX_CHOICES])
    picked, typed = sheet_table.split_condition(cells.get("when", ""), shown)
    if shown:
        options = [
            discord.SelectOption(label=shorten(said, MAX_CHOICE), value=fact, description=fact, default=fact in picked)
            for fact, said in shown.items()
        ]
        select: ui.Select[ui.Modal] = ui.Select(
            custom_id=FACTS, required=False, min_values=0, max_values=len(options), options=options
        )
        about = "Counts when all are true. Pick none to tick it yourself."
        form.add_item(ui.Label(text="When", description=about, component=select))
    when = "Other conditions" if shown else "When; leave it empty to tick it by hand"
    form.add_item(_cell_field(WHEN, when, "weather.storms and not target.airborne", typed))
    return form.add_item(_cell_field(TIMES, "Times a saved number", "guns", cells.get("times", "")))


@reply.modal(MODIFY)
async def _take_modifier(interaction: Interaction, *, campaign: int, fingerprint: str, place: int, name: str) -> None:
    table = await _read_table(interaction, campaign, fingerprint, name)
    fields, old = reply.read_submitted(interaction), _item_at(table.draft.modifiers, place)
    label, value, times, when = (" ".join((fields.get(key) or "").split()) for key in (LABEL, VALUE, TIMES, WHEN))
    when = sheet_table.join_condition(fields.get(FACTS) or [], when)
    value = f"+{value}" if value.isdecimal() else value
    cells = {"modifier": label, "value": value, "when": when, "times": times} if label or old is None else None
    changed = table.draft.put_modifier(place - 1 if old else None, cells)
    await _show_changed(interaction, table, changed, MODIFY, (place if old else len(changed.modifiers)) if cells else 0)


async def _show_changed(
    interaction: Interaction, table: _Table, draft: editable_table.EditableTable, template: reply.IdTemplate, at: int
) -> None:
    about = {"campaign": table.campaign.id, "name": table.name, "place": at}
    again = partial(template.fill, **about) if at else None
    await _show_typed(interaction, table.campaign, table.name, TypedTable(draft.die_text, draft.write_sheet()), again)


def _item_at(items: Sequence[editable_table.ItemT], place: int) -> editable_table.ItemT | None:
    if place > len(items):
        raise errors.NotOpen(*GONE)
    return items[place - 1] if place else None


async def _read_table(interaction: Interaction, campaign: int, fingerprint: str, name: str) -> _Table:
    game, text = await _read_text(interaction, campaign, fingerprint)
    draft = await run_apart(sheet_table.open_draft, text)
    if draft is None:
        what = f"I can't edit {name} here: it's more than one table."
        raise errors.BadInput(what, "Export it, and send it again as a file.")
    return _Table(game, fingerprint, name, draft)


async def _read_text(interaction: Interaction, campaign: int, fingerprint: str) -> tuple[campaigns.Campaign, str]:
    client = interaction.client
    known = (client.ledger, reply.person(interaction), campaign, fingerprint)
    return await client.database.read(sent_files.read_again, *known)


def _draw_draft(table: _Table) -> ui.LayoutView:
    about = DOT.join([plain(table.campaign.name), "not finished", str(table.draft.die)])
    lines = "\n".join(fit_lines(service.ROOM, [*embed.draft_lines(table.draft)]))
    which = (table.campaign, table.fingerprint, table.name)
    buttons, selects = [*_edit_buttons(*which)], _line_pickers(*which, table.draft)
    return draw_preview(plain(table.name), about, [lines], buttons, selects=selects)


def draw_file(seen: sent_files.RulesPreview, page: int = 0, warning: str | None = None) -> ui.LayoutView:
    """Draw a file that waits or is on: what it brings, and its buttons."""
    need = "1 open order needs" if seen.lost == 1 else f"{seen.lost} open orders need"
    lost = f"\N{WARNING SIGN} {need} rules that this version leaves out. Resolve or cancel them first: `/order list`."
    lines = [*([lost, ""] if seen.lost else []), *embed.preview_lines(seen.file, seen.before, seen.after)]
    pages = list(chunks(lines, service.ROOM))
    page = min(page, len(pages) - 1)
    state = "nothing is switched on yet" if seen.waits else f"on since entry #{seen.file.entry}"
    about = [plain(seen.campaign.name), state]
    about += [f"against {plain(seen.old.label)}"] if seen.old and seen.follows else []
    about += [f"page {page + 1} of {len(pages)}"] if len(pages) > 1 else []
    buttons, selects = [*_list_buttons(seen, page, len(pages))], []
    if seen.table is not None:
        which = (seen.campaign, seen.file.fingerprint[: sent_files.SHORT], seen.file.name)
        selects = [*_line_pickers(*which, seen.table)]
    return draw_preview(plain(seen.file.label), DOT.join(about), [pages[page]], buttons, warning, selects)


def _line_pickers(
    campaign: campaigns.Campaign, fingerprint: str, name: str, table: editable_table.EditableTable
) -> Iterator[ui.Select[ui.LayoutView]]:
    rows = [f"{phrases.span(row.low, row.high)}: {row.text}" for row in table.rows]
    lines = [f"{item['value']} {item['modifier']}" for item in table.modifiers]
    shown = [(f"{ROW_PICK}:{place}", said, "Result") for place, said in enumerate(rows, 1)]
    shown += [(f"{MODIFIER_PICK}:{place}", said, "Modifier") for place, said in enumerate(lines, 1)]
    fill = partial(CHANGE.fill, campaign=campaign.id, fingerprint=fingerprint, name=name)
    yield from pickers(fill, "Change or remove a line", shown)


def _list_buttons(seen: sent_files.RulesPreview, page: int, pages: int) -> Iterator[ui.Button[ui.LayoutView]]:
    file = seen.file
    shown = {"campaign": seen.campaign.id, "fingerprint": file.fingerprint[: sent_files.SHORT], "version": file.version}
    buttons = [("Switch on", sent_files.SWITCH_ON, page), ("Discard", sent_files.DROP, page)] if seen.waits else []
    buttons += [("Back", sent_files.LOOK, page - 1)] if page > 0 else []
    buttons += [("More", sent_files.LOOK, page + 1)] if page + 1 < pages else []
    for label, template, to in buttons:
        style = discord.ButtonStyle.success if template is sent_files.SWITCH_ON else discord.ButtonStyle.secondary
        yield ui.Button(label=label, style=style, custom_id=template.fill(**shown, page=to, name=file.name))
    if seen.table is not None:
        yield from _edit_buttons(seen.campaign, file.fingerprint[: sent_files.SHORT], file.name)
    if not seen.waits:
        yield from file_buttons(seen.campaign, file)


def _edit_buttons(campaign: campaigns.Campaign, fingerprint: str, name: str) -> Iterator[ui.Button[ui.LayoutView]]:
    about = {"campaign": campaign.id, "fingerprint": fingerprint, "name": name}
    yield ui.Button(label="Add a result", custom_id=ROW.fill(**about, place=0))
    yield ui.Button(label="Add a modifier", custom_id=MODIFY.fill(**about, place=0))
    yield ui.Button(label="Edit as text", custom_id=EDIT.fill(**about))


def file_buttons(campaign: campaigns.Campaign, file: library.HouseFile) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons of a file that is on or off."""
    about = {"campaign": campaign.id, "name": file.name}
    if not file.on and file.file.casefold().endswith(sent_files.EDITABLE) and campaign.archived_at is None:
        key = EDIT.fill(**about, fingerprint=file.fingerprint[: sent_files.SHORT])
        yield ui.Button(label="Edit as text", custom_id=key)
    yield ui.Button(label="Export", custom_id=sent_files.EXPORT.fill(**about))
    if file.on and campaign.archived_at is None:
        key = sent_files.REMOVE.fill(**about, version=file.version)
        yield ui.Button(label="Remove", style=discord.ButtonStyle.danger, custom_id=key)


COMPONENTS = (_take_lines, _edit_text, _edit_table, _pick_line, _ask_row, _take_row, _ask_modifier, _take_modifier)
