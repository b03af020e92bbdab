"""The bot's own messages that name somebody, shown anew without: after whatever else is to be sent, and over restarts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from itertools import count

import discord
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.records import VOID, Entry
from bot.outbox import store
from bot.outbox.delivery import Outbox
from bot.outbox.store import SHOWS, Post
from bot.rolls.resolver import Resolver
from bot.rolls.restyle import restyled
from bot.ui.colours import COLOURS

PACE = timedelta(seconds=2)
"""How long one message waits behind the other: new results go ahead of them, and Discord takes five edits in five seconds."""


class Unhurried(Struct):
    """What replaces the embeds of posts: of those that were sent one after another later, of others `at_once`, by the caller."""

    outbox: Outbox
    at_once: list[Post] = field(default_factory=list)
    later: int = 0

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool = False) -> Post:
        """Replace the embeds of a post."""
        if item.message_id is None:
            self.at_once.append(self.outbox.revise(tx, item, embeds, buttons=buttons))
        else:
            self.later += 1
            self.outbox.revise_later(tx, item, embeds, wait=PACE * self.later, buttons=buttons)
        return item


def show_anew(
    tx: Connection, resolver: Resolver, campaign: Campaign, numbers: Collection[int], queued: Unhurried, unnamed: str
) -> None:
    """Queue the messages of these entries anew as they are told now, without naming whose pseudonym is `unnamed`; what cannot be, says that it was erased."""
    for entry in entries.some(tx, campaign.id, numbers).values():
        for each in (entry, *_told_with(tx, campaign, entry)):
            anew = restyled(tx, queued, resolver.kinds, campaign, each, unnamed=unnamed)
            _blank_others(tx, campaign, each, queued, {post.id for post in anew})


def _blank_others(tx: Connection, campaign: Campaign, entry: Entry, queued: Unhurried, shown: Collection[int]) -> None:
    """Queue those messages of an entry without their words that are not among those `shown` anew."""
    again = entry.kind == VOID or "amends" in entry.content()
    for post in store.of_entry(tx, campaign.id, entry.number):
        if post.id not in shown and (post.kind in SHOWS or (again and post.kind == "notice")):
            text = "This was erased because a member had their data erased."
            embed = discord.Embed(description=text, colour=COLOURS["neutral"])
            embed.set_footer(text=f"Entry #{entry.number} \N{MIDDLE DOT} {campaign.name}")
            queued.revise(tx, post, [embed])


def _told_with(tx: Connection, campaign: Campaign, entry: Entry) -> Iterator[Entry]:
    """Yield the entries that took others back right behind one that did, with which one message may tell of it."""
    for number in count(entry.number + 1) if entry.kind == VOID else ():
        other = entries.get(tx, campaign.id, number)
        if other is None or other.kind != VOID or other.actor != entry.actor:
            return
        yield other
