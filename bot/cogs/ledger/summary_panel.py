"""An update on one page, with buttons to the updates beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import searching
from bot.cogs.ledger.service import EntryDetails, details_of
from bot.cogs.ledger.wanted import Wanted, began, search_for
from bot.core import entries
from bot.core.campaigns import Campaign, current_update
from bot.core.entry_kinds import EntryKinds
from bot.core.people import told
from bot.core.permissions import Person
from bot.core.search_rows import Span
from bot.orders.digest import DIGEST
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component
from bot.ui.receipt import page_buttons, receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import DOT, listing, plain, within

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


def summed_up(tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, number: int | None) -> Summary:
    """Return what an update came to, the current one unless numbered."""
    now = current_update(tx, campaign.id)
    number = number or now["number"]
    search = search_for(tx, person, campaign, Wanted(update=number))
    numbers = search.numbers(tx, campaign, Span(), MOST + 1)
    found = entries.some(tx, campaign.id, numbers[:MOST])
    listed = details_of(tx, person, campaign, [found[item] for item in numbers[:MOST]])
    lasts = number == now["number"]
    update = now if lasts else _closed(tx, campaign, number)
    counts = Counter(_what(item) for item in listed)
    digests = [item.shown.entry.number for item in listed if item.shown.entry.kind == DIGEST]
    results = list(_results(kinds, listed))
    return Summary(update, lasts, counts.most_common(), results, digests, more=len(numbers) > MOST)


def _closed(tx: Connection, campaign: Campaign, number: int) -> Mapping[str, Any]:
    """Return an update as its closing tells of it."""
    closing = entries.get(tx, campaign.id, began(tx, campaign, number + 1))
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
            yield from (f"**#{entry.number}** {line}" for line in kinds.results(entry, told(entry), item.view))


SUMMED = IdTemplate("summed:{campaign:int}:{number:int}")
"""The ids of the buttons to other updates: the campaign and the number of the update."""

ROOM = 3300
"""Characters of what rolls came to: with all else they fit into the 4,000 of a message."""


async def show(interaction: Interaction, campaign: Campaign, number: int | None) -> None:
    """Answer with an update on one page."""
    await say(interaction, view=await _view(interaction, campaign, number))


@component(SUMMED)
async def turn(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show another update."""
    here = await pressed_campaign(interaction, campaign)
    await redraw(interaction, await _view(interaction, here, number))


async def _view(interaction: Interaction, campaign: Campaign, number: int | None) -> ui.LayoutView:
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await bot.database.read(summed_up, bot.kinds, person(interaction), campaign, number)
    this = made.update["number"]
    pages = (
        ("Earlier", None if this == 1 else SUMMED.fill(campaign=campaign.id, number=this - 1)),
        ("Later", None if made.lasts else SUMMED.fill(campaign=campaign.id, number=this + 1)),
    )
    title = f"{plain(made.update['name'])}{DOT}{plain(campaign.name)}"
    return receipt(title, list(_lines(made)), COLOURS["neutral"], page_buttons(*pages))


def _lines(made: Summary) -> Iterator[str]:
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
        yield from within(ROOM, made.results)


COMPONENTS: tuple[Component, ...] = (turn,)
