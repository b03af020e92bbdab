"""How the card of a saved unit or character looks: what is saved of it, and a select for each group of traits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import discord
from discord import ui

from bot.cogs.captives.embed import status_lines
from bot.cogs.effects.embed import line
from bot.cogs.roster.embed import sheet_lines
from bot.cogs.roster.service import Sheet
from bot.cogs.roster.status import Standing
from bot.cogs.roster.traits import Pick, carried, counted, picks
from bot.core.profiles import bearer
from bot.ui.colours import COLOURS
from bot.ui.text import plain, shorten, within
from rules.book import Trait

MAX_SELECTS = 15
"""Selects on one page: with its row each is two of the 40 components that Discord takes."""

MAX_FIELDS = 5
MAX_TITLE = 45
MAX_LABEL = 100
ROOM = 3600
NONE = "-"
"""The value of the option that means none of the alternatives; no trait has such an id."""

TRAITS = "traits"


def component_id(sheet: Sheet, page: int, do: str, *words: object) -> str:
    """The custom id of a component: which campaign, about whom, on which page, and what it does."""
    return ":".join(map(str, (TRAITS, sheet.campaign.id, sheet.tag, page, do, *words)))


def draw(sheet: Sheet, page: int = 0) -> ui.LayoutView:
    """The card; with selects for whoever may change it."""
    item = sheet.profile
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    groups = list(carried(sheet.traits, item.traits))
    told, *rest = sheet_lines(item, sheet.owner_id, sheet.members, groups)
    lines = [f"## {plain(item.name)}", *within(ROOM, [told, *_standing(sheet.standing), *rest])]
    lines += [plain(sheet.hint)] if sheet.hint is not None else []
    lines += [f"-# Entry #{sheet.entry}"] if sheet.entry is not None else []
    container.add_item(ui.TextDisplay("\n".join(lines)))
    if sheet.editable:
        for row in _rows(sheet, page):
            container.add_item(row)
    return ui.LayoutView(timeout=None).add_item(container)


def _standing(found: Standing) -> Iterator[str]:
    if found.status is not None:
        yield "\n".join(["**Captivity:**", *status_lines(found.status)])
    if found.lasting:
        yield "\n".join(["**What lasts:**", *map(line, found.lasting)])


def numbers(sheet: Sheet, chunk: int) -> Sequence[Trait]:
    """The traits with a number that one window asks for; none when there is no such window."""
    return counted(sheet.traits, bearer(sheet.profile.kind))[chunk * MAX_FIELDS : (chunk + 1) * MAX_FIELDS]


def window(sheet: Sheet, page: int, chunk: int) -> ui.Modal:
    """The window that asks for the numbers of traits; its id tells which numbers it showed."""
    asked = numbers(sheet, chunk)
    shown = [sheet.profile.traits.get(item.id, 0) for item in asked]
    key = component_id(sheet, page, "counted", chunk, ",".join(map(str, shown)))
    made = ui.Modal(title=shorten(sheet.profile.name, MAX_TITLE), custom_id=key)
    for item, count in zip(asked, shown, strict=True):
        box: ui.TextInput[ui.Modal] = ui.TextInput(custom_id=item.id, default=str(count), max_length=6, required=False)
        made.add_item(ui.Label(text=shorten(item.label, MAX_TITLE), component=box))
    return made


def _rows(sheet: Sheet, page: int) -> Iterator[ui.ActionRow[ui.LayoutView]]:
    every = picks(sheet.traits, sheet.profile.kind, sheet.profile.traits)
    pages = max(1, -(-len(every) // MAX_SELECTS))
    page = min(page, pages - 1)
    for place, pick in enumerate(every[page * MAX_SELECTS : (page + 1) * MAX_SELECTS]):
        select = _select(sheet, page, pick)
        select.id = (sheet.revision % 100_000 * pages + page + 1) * 100 + place  # so that no client shows old picks
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        yield row.add_item(select)
    buttons: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label=_asking(sheet, chunk), custom_id=component_id(sheet, page, "counts", chunk))
        for chunk in range(4)
        if numbers(sheet, chunk)
    ]
    if pages > 1:
        turned = (page + 1) % pages
        buttons.append(ui.Button(label="More traits", custom_id=component_id(sheet, turned, "page")))
    if buttons:
        last: ui.ActionRow[ui.LayoutView] = ui.ActionRow(*buttons)
        yield last


def _select(sheet: Sheet, page: int, pick: Pick) -> ui.Select[ui.LayoutView]:
    held, title = sheet.profile.traits, pick.title.replace("-", " ").capitalize()
    options = [
        discord.SelectOption(label=shorten(item.label, MAX_LABEL), value=item.id, default=item.id in held)
        for item in pick.members
    ]
    if pick.single:
        nothing = not any(item.id in held for item in pick.members)
        label = shorten(f"{title}: none of these", MAX_LABEL)
        options.insert(0, discord.SelectOption(label=label, value=NONE, default=nothing))
    return ui.Select(
        custom_id=component_id(sheet, page, "pick", pick.key),
        placeholder=shorten(f"{title}: {'one of these' if pick.single else 'tick what applies'}", MAX_LABEL),
        min_values=int(pick.single),
        max_values=1 if pick.single else len(options),
        options=options,
    )


def _asking(sheet: Sheet, chunk: int) -> str:
    asked = ", ".join(item.label for item in numbers(sheet, chunk))
    return shorten(f"How many: {asked}", 80)
