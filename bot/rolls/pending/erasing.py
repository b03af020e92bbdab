"""Rolls that wait, without a person who has what is kept of them erased."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.people import UNKNOWN
from bot.outbox.store import Post
from bot.rolls.pending import service, store
from bot.rolls.pending.service import PendingRoll
from bot.rolls.pending.settling import NOBODY
from bot.rolls.pending.store import Pending, Seat
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS


def of_person(tx: Connection, campaign_id: int, user_id: int) -> list[Pending]:
    """Return all rolls that wait, or have, in which a person stands: who has asked, is asked or has answered."""
    return [item for item in store.every(tx, campaign_id) if _concerns(item, user_id)]


def forget(
    tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int, entries: Collection[int]
) -> Iterator[Post]:
    """Take a person out of what waits: what they have asked is withdrawn, what they are asked is the game masters' to answer.

    What they have answered stands as nobody's answer. Rolls that are over are deleted, those too whose `entries` (numbers)
    name the person. Yield the posts of their messages, the caller's to send.
    """
    for item in store.every(tx, campaign.id):
        mine = _concerns(item, user_id)
        found = service.posted(tx, campaign, item)
        if item.state == "open" and mine and item.asker_id != user_id:
            kept = service.keep(tx, resolver, replace(found, pending=_without(item, user_id)))
            yield from kept.told()
        elif mine or item.entry_number in entries:
            store.drop(tx, item)
            yield from _blanked(tx, resolver, found)


def _concerns(item: Pending, user_id: int) -> bool:
    return item.asker_id == user_id or any(user_id == seat.by or user_id in seat.users for seat in item.seats)


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


def _blanked(tx: Connection, resolver: Resolver, found: PendingRoll) -> Iterator[Post]:
    """Let the message of what waited say no more than that it is over; yield its post."""
    if found.post is not None:
        what = f"This {found.pending.words.noun} is over. Who had made it has had their data erased."
        embed = discord.Embed(description=what, colour=COLOURS["neutral"]).set_footer(text=found.campaign.name)
        yield resolver.outbox.revise(tx, found.post, [embed])
