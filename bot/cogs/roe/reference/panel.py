"""What answers `/roe rules`: the book as the campaign plays it, house rules included."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.reference.index import Several, Topic, for_players, found, suggested, topics
from bot.core.campaigns import Campaign, on_server
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import require_part, viewer_of
from bot.rolls.desk import desk_of
from bot.rolls.options import Completion, Completions
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component, picked
from bot.ui.paging import fit, pages
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker, receipt
from bot.ui.reply import person, say
from bot.ui.text import DOT, plain, shorten
from rules.ruleset import RuleSet

LINE = IdTemplate("roe-rules:{campaign:int}")
"""The id of the select of what is called alike."""


async def complete_topic(at: Completion, current: str) -> Completions:
    """Offer what the book lists, as the campaign plays it."""
    book = await at.desk.database.read(_open_book, at.desk.resolver.library, at.person, at.campaign)
    return [(label, label) for label in suggested(topics(book), current)]


async def look_up(interaction: Interaction, typed: str) -> None:
    """Answer with what the book says under a name, and where it is printed."""
    await _answer(interaction, await desk_of(interaction).campaign(interaction), typed)


@component(LINE)
async def look_up_picked(interaction: Interaction, *, campaign: int) -> None:
    """Answer with what the book says under what was picked of several."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await _answer(interaction, here, next(iter(picked(interaction)), ""))


COMPONENTS: tuple[Component, ...] = (look_up_picked,)


async def _answer(interaction: Interaction, campaign: Campaign, typed: str) -> None:
    desk = desk_of(interaction)
    book = await desk.database.read(_open_book, desk.resolver.library, person(interaction), campaign)
    try:
        meant = found(topics(book), typed)
    except Several as several:
        await say(interaction, view=_choice(campaign, typed, several.labels))
        return
    for page in pages(embed for topic in meant for embed in _told(topic, book, campaign.name)):
        await say(interaction, embeds=page)


def _choice(campaign: Campaign, typed: str, labels: Sequence[str]) -> ui.LayoutView:
    """Return the question which of several things is meant."""
    more = len(labels) - MAX_CHOICES
    lines = [f"{plain(shorten(typed, 60))} matches {len(labels)} names in the book. Which one do you mean?"]
    lines += [f"-# {more} more don't fit in the list. Add another word of the name."] if more > 0 else []
    shown = [(label, label, "") for label in labels[:MAX_CHOICES]]
    select = picker(LINE.fill(campaign=campaign.id), "Pick one \N{HORIZONTAL ELLIPSIS}", shown)
    return receipt("Several matches", lines, COLOURS["neutral"], selects=select)


def _open_book(tx: Connection, library: Library, who: Person, campaign: Campaign) -> RuleSet:
    """Return the book for somebody who takes part: all of it to game masters."""
    require_part(viewer_of(tx, who, campaign))
    book = library.book(tx, campaign, BOOK)
    return book if who.leads(campaign) else for_players(book)


def _told(topic: Topic, book: RuleSet, campaign: str) -> Sequence[discord.Embed]:
    line = [] if topic.line is None else [f"line {topic.line}"]
    house = [f"House rules: {', '.join(book.versions)}"] if book.versions else []
    source = DOT.join([f"{book.title}{', ' if line else ''}{''.join(line)}", campaign, *house])
    lines = (f"-# {topic.what}", *map(plain, topic.tell()))
    return fit(plain(topic.name), lines, colour=COLOURS["neutral"], footer=source)
