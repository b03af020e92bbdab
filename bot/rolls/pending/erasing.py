"""Rolls that wait, without a person who has what is kept of them erased."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.people import UNKNOWN
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.pending import store
from bot.rolls.pending.embed import open_embed, post_buttons
from bot.rolls.pending.store import KIND, NOBODY, Pending, Seat
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS


def forget(
    tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int, entries: Collection[int]
) -> Iterator[Post]:
    """Take a person out of what waits: what they have asked is withdrawn, what they are asked is the game masters' to answer.

    What they have answered stands as nobody's answer. Rolls that are over are deleted, those too whose `entries` (numbers)
    name the person. Yield the posts of their messages, the caller's to send.
    """
    for item in store.every(tx, campaign.id):
        mine, post = item.concerns(user_id), posts.about(tx, campaign.id, KIND, item.id)
        how = resolver.extension.answering(item.request)
        if item.state == "open" and mine and item.asker_id != user_id:
            left = _without(item, user_id)
            store.save(tx, left)
            if post is not None and how is not None:
                buttons = post_buttons(how, left)
                yield resolver.outbox.revise(tx, post, [open_embed(left, campaign.name)], buttons=buttons)
        elif mine or item.entry_number in entries:
            store.drop(tx, item)
            if post is not None:
                yield resolver.outbox.revise(tx, post, [_over(item, campaign)])


def _without(item: Pending, user_id: int) -> Pending:
    """Return what waits without a person who is asked or has answered; the name under which they did goes too."""
    answered = {seat.role for seat in item.seats if seat.by == user_id}
    parts = tuple(
        part.model_copy(
            update={"people": {role: UNKNOWN if role in answered else name for role, name in part.people.items()}}
        )
        for part in item.request.parts
    )
    request = item.request.model_copy(update={"parts": parts})
    return replace(item, request=request, seats=tuple(_vacated(seat, user_id) for seat in item.seats))


def _vacated(seat: Seat, user_id: int) -> Seat:
    users = tuple(number for number in seat.users if number != user_id)
    by, draft = (NOBODY, None) if seat.by == user_id else (seat.by, seat.draft)
    return replace(seat, users=users, by=by, draft=None if users != seat.users else draft)


def _over(item: Pending, campaign: Campaign) -> discord.Embed:
    """Return all that is still told of what waited."""
    what = f"This {item.words.noun} is closed: a member in it had their data erased."
    return discord.Embed(description=what, colour=COLOURS["neutral"]).set_footer(text=campaign.name)
