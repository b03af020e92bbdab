"""Amend a roll: it is made otherwise with the dice that fell, what it did moves to the new outcome, and its channels are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, scenes, subjects, voiding
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.entry_kinds import EntryView, View
from bot.core.groups import is_group
from bot.core.people import told
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.errors import NotAsItIs, NotOpen, UserError
from bot.outbox import store as posts
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import SHOWS, Post
from bot.rolls import void
from bot.rolls.amended import can_be_amended, request_of, since
from bot.rolls.card import service
from bot.rolls.card.view import CardKey, CardView
from bot.rolls.difference import UNCHANGED, differences
from bot.rolls.request import Amends
from bot.rolls.resolver import Resolver, Rolled
from bot.rolls.restyle import restyled
from bot.rolls.void import VoidOrder, VoidPlan
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import listing, plain, within
from rules.errors import RulesError
from rules.subjects import subject_number

MAX_NOTICE = 3500
"""Characters of a notice, under the 4,096 that an embed takes."""

OTHERWISE = "Undo it with /void, then use its command again."


def plan(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int) -> VoidPlan:
    """Return what would be taken back for an entry to be amended, that entry last, before a person agrees to it.

    Raises:
        NotOpen: it is void, no card asks for such a roll, something that stays is on top of it, or the campaign is archived.

    """
    entry = voiding.find(tx, person, campaign, number, "amend rolls")
    if entry.kind != "roll":
        raise NotOpen(f"Entry #{number} isn't a roll, so you can't amend it.", OTHERWISE)
    body = entry.content()
    if not can_be_amended(resolver.library.book(tx, campaign, body["book"]).procedure(body["family"])):
        raise NotOpen(f"Entry #{number} can't be amended: {body['title']} has no modifiers.", OTHERWISE)
    return void.plan_of(tx, resolver, person, campaign, entry, amended=True)


def is_amendable(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> bool:
    """Tell whether an entry is a roll that a card can be opened for again."""
    with suppress(UserError, RulesError):
        body = entry.content()
        return entry.kind == "roll" and can_be_amended(
            resolver.library.book(tx, campaign, body["book"]).procedure(body["family"])
        )
    return False


def open_again(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, order: VoidOrder) -> CardView:
    """Open the card of a roll again, to amend it."""
    on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    planned = plan(tx, resolver, person, campaign, order.number)
    why = void.require_agreed(planned, order, "Press Amend again.")
    entry = planned.chain[-1]
    first = since(entry.number, entry.content())
    amends = Amends(number=order.number, since=first, why=why, upto=order.upto)
    return service.open_card(tx, resolver, person, campaign, request_of(entry, amends))


def roll(tx: Connection, resolver: Resolver, person: Person, key: CardKey, *, unchanged: bool = True) -> object:
    """Roll a card; where it amends a roll, undo what is on top of that, and say so. One that leaves all `unchanged` can be refused.

    Raises:
        UserError, RollError, Changed: it can't be rolled or amended; nothing was drawn or written.

    """
    amends = service.asked(tx, person, key).amends
    if amends is None:
        return service.roll(tx, resolver, person, key)
    planned = plan(tx, resolver, person, open_campaign(tx, key.campaign_id), amends.number)
    wanted = VoidOrder(amends.number, amends.why, amends.upto)
    why = void.require_agreed(planned, wanted, "Nothing was amended. Run /amend again.")
    *later, entry = planned.chain
    undone = void.void_all(tx, resolver, person, replace(planned, chain=tuple(later)), why)
    rolled = service.roll(tx, resolver, person, key)
    if not isinstance(rolled, Rolled):
        return rolled
    notices = list(_notices(tx, rolled, entry, person.user_id))
    queued = resolver.outbox.queue(tx, rolled.campaign.id, rolled.entry.number, notices, rolled.posts)
    changed = (*differences(entry, rolled.entry, "staff"), *_overtaken(tx, rolled))
    alike = entry.audience == rolled.entry.audience and request_of(entry) == request_of(rolled.entry)
    if not unchanged and alike and not later and changed and changed[0].startswith(UNCHANGED):
        raise NotAsItIs("Nothing would change.", "Change something on the card first, or press Cancel.")
    struck = restyled(tx, resolver.outbox, resolver.kinds, rolled.campaign, entry)
    return replace(rolled, posts=(*rolled.posts, *undone.posts, *queued, *struck), told=changed)


def link(tx: Connection, resolver: Resolver, rolled: Rolled) -> tuple[Post, ...]:
    """Let the messages of the roll that was amended lead to where the new one stands, once that is posted: public ones to public ones."""
    number = rolled.entry.content()["amends"]
    entry = entries.get(tx, rolled.campaign.id, number)
    if entry is None:
        return ()
    links: dict[View, str] = {}
    for post in posts.of_entry(tx, rolled.campaign.id, rolled.entry.number):
        where, told = post.link(rolled.campaign.guild_id), post.kind != "group" or is_group(entry.audience)
        if where is not None and told and post.kind in SHOWS:
            links.setdefault(SHOWS[post.kind], where)
    if "public" in links:
        links.setdefault("staff", links["public"])
    return tuple(restyled(tx, resolver.outbox, resolver.kinds, rolled.campaign, entry, links))


def _notices(tx: Connection, rolled: Rolled, old: Entry, user_id: int) -> Iterator[OutgoingMessage]:
    """Yield what people are told of an amended roll: everybody who knew of it, and the staff all of it."""
    campaign, new = rolled.campaign, rolled.entry
    if old.audience == "person":
        return
    if old.audience in void.PUBLIC:
        embed = _notice(tx, rolled, old, user_id, "public")
        yield OutgoingMessage("results", campaign.results_channel_id, [embed])
    hidden = any(part["secret"] for item in (old, new) for part in item.content()["parts"])
    if hidden or old.audience != "results" or new.audience != "results":
        embed = _notice(tx, rolled, old, user_id, "staff")
        yield OutgoingMessage("notice", campaign.staff_channel_id, [embed])


def _notice(tx: Connection, rolled: Rolled, old: Entry, user_id: int, view: View) -> discord.Embed:
    new = rolled.entry
    lines = list(differences(old, new, view))
    if view == "staff":
        lines += _overtaken(tx, rolled)
    elif any(part["audience"] != "results" for part in new.content()["parts"]):
        lines.append(f"The {'rest of the ' if lines else ''}result is for game masters only.")
    again = new.text("reason") if view == "staff" else None
    lines += [f"**Rolled again because:** {plain(again)}"] if again and again != old.text("reason") else []
    lines += [f"**Why:** {plain(new.text('amended') or 'erased')}", f"Amended by <@{user_id}>."]
    title = f"Entry #{old.number} was amended by #{new.number}"
    text = "\n".join(within(MAX_NOTICE, lines))
    embed = discord.Embed(title=title, description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(EntryView(new, rolled.campaign.name)))


def _overtaken(tx: Connection, rolled: Rolled) -> Iterator[str]:
    """Yield of whom, and of which scene, something was changed since, so that it was left as it is."""
    keys, campaign = told(rolled.entry)["overtaken"], rolled.campaign.id
    numbers = {number for key in keys if (number := subject_number(key)) is not None}
    played = (header.name for key in keys if (header := scenes.header(tx, campaign, key)))
    named = [plain(name) for name in (*subjects.names(tx, campaign, numbers).values(), *played)]
    if named:
        yield f"Left as it is, since later entries changed it: {listing(named)}."
