"""Messages of entries that were posted, shown anew as the entries stand now: void, public, done with, or as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import discord
from sqlalchemy import Connection

from bot.core import entries, state, voiding
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryKinds, EntryView, Publication, View
from bot.core.records import Entry
from bot.core.state import PUBLISHED
from bot.outbox import store as posts
from bot.outbox.store import SHOWS, Post
from bot.rolls.entry_body import rollers
from bot.ui.colours import COLOURS
from bot.ui.entries import headed, struck


def _withdrawn(entry: Entry, campaign: Campaign) -> discord.Embed:
    """Return what is left in public of a result that is no longer public."""
    embed = discord.Embed(title=f"Entry #{entry.number} is no longer public", colour=COLOURS["neutral"])
    return embed.set_footer(text=campaign.name)


class Reviser(Protocol):
    """What replaces the embeds of a post and drops its buttons or not: the outbox."""

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool = False) -> Post:
        """Return the post as it is to be sent by the caller after the commit."""
        ...


def restyled(  # noqa: PLR0913, PLR0917 - whose posts, how they are shown and queued, and what is said of them
    tx: Connection,
    outbox: Reviser,
    kinds: EntryKinds,
    campaign: Campaign,
    entry: Entry,
    links: Mapping[View, str] | None = None,
    *,
    unnamed: str | None = None,
) -> Iterator[Post]:
    """Queue the messages of an entry anew as it stands now: as it was, or struck through with what took its place.

    `links` lead to the message of that, by the view of the message that is struck through. What the staff has of an entry
    that is public by now says so, and has no buttons any more. `unnamed` is the pseudonym of somebody who is not named any more.
    """
    value = state.get(tx, campaign.id, f"entry:{entry.number}", PUBLISHED)
    published = Publication.of(value) if value else Publication()
    done = f"Published by #{value['by']}" if value else None
    people = entries.people(tx, campaign.id, {entry.actor, *rollers(entry).values()} - {unnamed})
    mark = voiding.voided_by(tx, campaign.id, entry.number)
    for post in posts.of_entry(tx, campaign.id, entry.number):
        view = "staff" if post.kind == "notice" and post.topic else SHOWS.get(post.kind)
        if view is None:
            continue
        if post.kind == "published" and not value and entry.audience != "results":
            yield outbox.revise(tx, post, [_withdrawn(entry, campaign)])
            continue
        shown = EntryView(entry, campaign.name, published if post.kind == "published" else None, mark, people)
        said = done if mark is None and view == "staff" else None
        pages = headed(struck(kinds.pages(shown, view), mark, (links or {}).get(view)), said)
        if post.page <= len(pages):
            yield outbox.revise(tx, post, pages[post.page - 1], buttons=mark is None and said is None)
