"""What game masters are told once players have changed factions: who reads a group's channel, and who has its role, is theirs to set on Discord."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import discord
from sqlalchemy import Connection

from bot.core import entries, groups, subjects, voiding
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.groups import Group
from bot.core.records import Change, Entry
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import plain
from rules.books.total_war import keeping
from rules.books.total_war.order_kinds import SEEN
from rules.subjects import GROUP, number_of

GIVE = "has no channel for its results. Set one: `/campaign group edit`"


def tell_staff(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue for the staff what is left to do on Discord where an entry of a war has moved people between groups, or made one in fog; return the post."""
    lines = [*_lines(tx, campaign, entry)]
    if not lines:
        return ()
    embed = discord.Embed(title="Groups of factions", description="\n".join(lines), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    message = OutgoingMessage("notice", campaign.staff_channel_id, [embed])
    return resolver.outbox.queue(tx, campaign.id, None, [message])


def tell_staff_again(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue the same where an entry is void by now: for the one that has taken it back; return the post."""
    mark = voiding.voided_by(tx, campaign.id, entry.number)
    void = entries.get(tx, campaign.id, mark.by) if mark else None
    return tell_staff(tx, resolver, campaign, void) if void else ()


def _lines(tx: Connection, campaign: Campaign, entry: Entry) -> Iterator[str]:
    body = entry.content()
    changes = [Change(**item) for item in body["changes"]]
    moved = [item for item in changes if item.name == GROUP]
    if not moved or not any(item.subject.startswith(f"{keeping.WAR}:") for item in changes):
        return
    fog = any(SEEN in part["record"] for part in body.get("parts", ()))
    known = {group.id: group for group in groups.current(tx, campaign.id)}
    for item in moved:
        group = known.get(number_of(item.subject))
        if group is not None:
            yield from _of_group(tx, campaign, group, item)
            if item.before is None and fog:
                yield f"The new group {plain(group.name)} {GIVE}."


def _of_group(tx: Connection, campaign: Campaign, group: Group, change: Change) -> Iterator[str]:
    """Yield who of a group has to be let into its channel, and who is to be kept out of that and loses its role."""
    before, after = ((value or {"members": ()})["members"] for value in (change.before, change.after))
    names = subjects.names(tx, campaign.id, {*before, *after})
    gone, new = (
        ", ".join(plain(names[number]) for number in one if number not in other)
        for one, other in ((before, after), (after, before))
    )
    channel, role = (f"<#{group.channel}>" if group.channel else "", f"<@&{group.role}>" if group.role else "")
    if gone and (channel or role):
        yield f"{gone} left {plain(group.name)}. Remove the player from {' and '.join(filter(None, (channel, role)))}."
    if new and channel:
        yield f"{new} joined {plain(group.name)}. Give the player access to {channel}."
