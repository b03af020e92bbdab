"""What answers `/roe rules`: the book as the campaign plays it, house rules included."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe.fights.looking import BOOK
from bot.cogs.roe.reference.index import Topic, for_players, found, suggested, topics
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import require_part, viewer_of
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion
from bot.ui.colours import COLOURS
from bot.ui.paging import fit, pages
from bot.ui.reply import person, say
from bot.ui.text import DOT, plain
from rules.ruleset import RuleSet


class TopicCompleter(Completed):
    """Something that the book lists, as the campaign plays it."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the labels of what there is."""
        book = await at.desk.database.read(_open_book, at.desk.resolver.library, person(at.interaction), at.campaign)
        return [(label, label) for label in suggested(topics(book), current)]


async def look_up(interaction: Interaction, typed: str) -> None:
    """Answer with what the book says under a name, and where it is printed."""
    desk, who = desk_of(interaction), person(interaction)
    campaign = await desk.campaign(interaction)
    book = await desk.database.read(_open_book, desk.resolver.library, who, campaign)
    meant = found(topics(book), typed)
    for page in pages(embed for topic in meant for embed in _told(topic, book, campaign.name)):
        await say(interaction, embeds=page)


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
