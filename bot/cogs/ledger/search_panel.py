"""What was found in a ledger, with buttons to newer and older pages; and an update on one page."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import searching
from bot.cogs.ledger.panel import listed
from bot.cogs.ledger.searching import FileFormat, Found, Wanted, began, search_for
from bot.cogs.ledger.service import EntryDetails, details_of
from bot.core import entries
from bot.core.campaigns import Campaign, current_update
from bot.core.entry_kinds import EntryKinds
from bot.core.permissions import Person
from bot.core.records import read_body
from bot.core.search_index import Span
from bot.errors import BadInput
from bot.orders.digest import DIGEST
from bot.rolls.doubts import find_slip
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component
from bot.ui.receipt import page_buttons, receipt
from bot.ui.reply import person, redraw, refuse_slip, say
from bot.ui.text import DOT, fit_lines, listing, plain

OLDER = IdTemplate("found:{campaign:int}:{search:hex}:older:{number:int}")
NEWER = IdTemplate("found:{campaign:int}:{search:hex}:newer:{number:int}")
"""The ids of the buttons under what was found: the search, and the entry from which its page goes on."""

NEWEST = 999_999_999
"""A number above all entries: the page newer than that is the newest one."""

KEY_BYTES = 8


async def show_found(interaction: Interaction, campaign: Campaign, wanted: Wanted) -> None:
    """Answer with the newest entries that fit; a search with further pages, or one that was probably meant, is kept for its buttons."""
    bot, who, key = interaction.client, person(interaction), ""
    await searching.catch_up(bot.database, bot.kinds, campaign)
    found = await bot.database.read(searching.find, who, campaign, wanted, Span())
    sought = wanted.unit if wanted.unit and not found.entries else None
    meant = await bot.database.read(find_slip, who, campaign, sought) if sought else None
    if found.older is not None or meant:
        key = bot.ledger.random_id(KEY_BYTES)
        await bot.database.write(searching.keep, campaign, who, key, replace(wanted, unit=meant or wanted.unit))
    if sought and meant:
        await refuse_slip(interaction, sought, meant, NEWER.fill(campaign=campaign.id, search=key, number=NEWEST))
        return
    await say(interaction, view=_view(interaction, campaign, wanted, found, key))


async def export_found(interaction: Interaction, campaign: Campaign, wanted: Wanted, form: FileFormat) -> None:
    """Answer privately with a file of the entries that fit, all where nothing is searched for."""
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await searching.export(bot.database, bot.kinds, person(interaction), campaign, wanted, form)
    if not made.count:
        raise BadInput("No entry that you can see matches.", "Leave an option out, or see /ledger list.")
    said = f"{made.count} {'entry' if made.count == 1 else 'entries'}, newest first."
    lines = [said, *_waiting(made.upto)]
    await say(interaction, content="\n".join(lines), file=discord.File(io.BytesIO(made.data), f"ledger.{form}"))


@component(OLDER)
async def show_older(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found further back."""
    await _turn(interaction, campaign, search, Span(below=number))


@component(NEWER)
async def show_newer(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found nearer to now."""
    await _turn(interaction, campaign, search, Span(above=number, oldest=True))


async def _turn(interaction: Interaction, campaign: int, key: str, span: Span) -> None:
    read, who = interaction.client.database.read, person(interaction)
    here = await pressed_campaign(interaction, campaign)
    wanted = await read(searching.asked, here, who, key)
    found = await read(searching.find, who, here, wanted, span)
    await redraw(interaction, _view(interaction, here, wanted, found, key))


def _view(interaction: Interaction, campaign: Campaign, wanted: Wanted, found: Found, key: str) -> ui.LayoutView:
    ids = {"campaign": campaign.id, "search": key}
    pages = (
        ("Newer", None if found.newer is None else NEWER.fill(**ids, number=found.newer)),
        ("Older", None if found.older is None else OLDER.fill(**ids, number=found.older)),
    )
    title = f"Search in the ledger of {plain(campaign.name)}"
    return listed(interaction, campaign, title, found.entries, *pages, more=[*_below(wanted, found)])


def _below(wanted: Wanted, found: Found) -> Iterator[str]:
    if not found.entries:
        yield "No entry that you can see matches."
    yield f"-# Searched for: {wanted.told()}"
    yield from _waiting(found.upto)


def _waiting(upto: int) -> Iterator[str]:
    if upto:
        yield f"-# Still indexing entries up to #{upto}. Search again later."


MOST = 300
"""How many entries of an update are told of, the newest; of more, that there are."""


class Summary(Struct, frozen=True):
    """An update (number, name, since) and whether it lasts; how many of what were entered, what came of rolls, newest first, and its digests (entries).

    `more` says that there are older entries of it that are not counted.
    """

    update: Mapping[str, Any]
    lasts: bool
    counts: Sequence[tuple[str, int]]
    results: Sequence[str]
    digests: Sequence[int]
    more: bool


def sum_up(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, number: int | None) -> Summary:
    """Return what an update came to, the current one unless numbered."""
    now = current_update(tx, campaign.id)
    number = number or now["number"]
    search = search_for(tx, person, campaign, Wanted(update=number))
    numbers = search.numbers(tx, campaign, Span(), MOST + 1)
    found = entries.get_entries(tx, campaign.id, numbers[:MOST])
    listed = details_of(tx, person, campaign, [found[item] for item in numbers[:MOST]])
    lasts = number == now["number"]
    update = now if lasts else _closed(tx, campaign, number)
    counts = Counter(_what(item) for item in listed)
    digests = [item.shown.entry.number for item in listed if item.shown.entry.kind == DIGEST]
    results = list(_results(kinds, listed))
    return Summary(update, lasts, counts.most_common(), results, digests, more=len(numbers) > MOST)


def _closed(tx: Connection, campaign: Campaign, number: int) -> Mapping[str, Any]:
    """Return an update as its closing tells of it."""
    closing = entries.get_entry(tx, campaign.id, began(tx, campaign, number + 1))
    told_of: Mapping[str, Any] = {} if closing is None else closing.content()["closed"]
    return told_of


def _what(item: EntryDetails) -> str:
    """Return in words what an entry is counted as."""
    entry = item.shown.entry
    if item.shown.voided is not None:
        return "undone or amended"
    return plain(str(entry.content()["title"])) if entry.kind == "roll" else entry.kind


def _results(kinds: EntryKinds, listed: Sequence[EntryDetails]) -> Iterator[str]:
    """Yield what came of the rolls that stand."""
    for item in listed:
        entry = item.shown.entry
        if entry.kind == "roll" and item.shown.voided is None:
            yield from (f"**#{entry.number}** {line}" for line in kinds.results(entry, read_body(entry), item.view))


SUMMED = IdTemplate("summed:{campaign:int}:{number:int}")
"""The ids of the buttons to other updates: the campaign and the number of the update."""

ROOM = 3300
"""Characters of what rolls came to: with all else they fit into the 4,000 of a message."""


async def show_update(interaction: Interaction, campaign: Campaign, number: int | None) -> None:
    """Answer with an update on one page."""
    await say(interaction, view=await _draw_summary(interaction, campaign, number))


@component(SUMMED)
async def turn_update(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show another update."""
    here = await pressed_campaign(interaction, campaign)
    await redraw(interaction, await _draw_summary(interaction, here, number))


async def _draw_summary(interaction: Interaction, campaign: Campaign, number: int | None) -> ui.LayoutView:
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await bot.database.read(sum_up, bot.kinds, person(interaction), campaign, number)
    this = made.update["number"]
    pages = (
        ("Earlier", None if this == 1 else SUMMED.fill(campaign=campaign.id, number=this - 1)),
        ("Later", None if made.lasts else SUMMED.fill(campaign=campaign.id, number=this + 1)),
    )
    title = f"{plain(made.update['name'])}{DOT}{plain(campaign.name)}"
    return receipt(title, list(_summary_lines(made)), COLOURS["neutral"], page_buttons(*pages))


def _summary_lines(made: Summary) -> Iterator[str]:
    since = discord.utils.format_dt(datetime.fromisoformat(made.update["since"]), "f")
    yield f"Update {made.update['number']}, since {since}{', still open' if made.lasts else ''}."
    counted = listing([f"{count} {what}" for what, count in made.counts])
    yield f"**Entries you can see:** {counted or 'none'}."
    if made.more:
        yield f"-# Only the newest {MOST} are counted. See `/ledger search update:{made.update['number']}` for all."
    if made.digests:
        yield f"**Results of orders:** {listing([f'#{number}' for number in made.digests])}. See `/ledger show`."
    if made.results:
        yield "**Rolls, newest first:**"
        yield from fit_lines(ROOM, made.results)


COMPONENTS: tuple[Component, ...] = (show_older, show_newer, turn_update)
