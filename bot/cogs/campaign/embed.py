"""Campaigns as embeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import discord

from bot.cogs.campaign.service import Archiving, CampaignView
from bot.cogs.campaign.settings import PINGED, with_time
from bot.core.campaigns import CHARACTERS, LEVELS, ORDERS, OTHERS, PLACES, Campaign
from bot.core.permissions import Person
from bot.outbox.message import missing_permissions
from bot.ui.colours import COLOURS
from bot.ui.text import fit_lines, plain

MAX_LINES = 40
ROOM = 1800
"""Characters for one list, so that two of them fit into an embed's 4,096."""


def campaign_embed(view: CampaignView, reader: Person, now: datetime) -> discord.Embed:
    """Return a campaign's settings, its books by their titles, and what waits for a book that is off; to those who may change them, how."""
    campaign, linked = view.campaign, view.linked
    edits_it = reader.leads(campaign) or reader.manages_server  # others don't learn of private channels
    role = campaign.player_role_id
    player = "everybody" if role is None else _named("@&", role)
    orders = [word for word in campaign.players_may if word.partition(".")[0] == ORDERS]
    rolls = [word for word in campaign.players_may if word not in {*OTHERS, *orders}]
    edits = " and edit their own characters" if CHARACTERS in campaign.players_may else ""
    kinds = "all kinds" if ORDERS in orders else ", ".join(word.removeprefix(f"{ORDERS}.") for word in orders)
    new = f"New ones are {'hidden' if campaign.new_are_secret else 'visible'}."
    seen = [what for what in (PLACES, LEVELS) if what in campaign.players_may]
    channels = ", ".join(f"<#{channel}>" for channel in linked[:MAX_LINES]) or "none"
    more = f" and {len(linked) - MAX_LINES} more" if len(linked) > MAX_LINES else ""
    lines = [
        *book_lines(campaign, view.titles, view.unfinished),
        zone_line(campaign, now),
        f"**Results:** {_named('#', campaign.results_channel_id)}",
        *([f"**Staff channel:** {_named('#', campaign.staff_channel_id)}"] if edits_it else []),
        f"**Game masters:** {_named('@&', campaign.game_master_role_id)}",
        f"**Players:** {player}; may roll {', '.join(rolls) or 'nothing'}{edits}",
        *([f"**Orders from players:** {kinds}"] if kinds else []),
        f"**Other players' units and characters:** players see {' and '.join(seen) or 'only levels rolled in public'}. {new}",
        f"**Write-ups:** {'a thread under each result that needs one' if campaign.writeup_threads else 'no threads'}",
        f"**Pings:** {PINGED[campaign.pings]}",
        *(["**Attacks in fights:** the target's player dodges first"] if campaign.dodges_wait else []),
        *(["**Dice:** numbers from random.org are mixed in"] if campaign.asks_outside else []),
        *([f"**Linked channels:** {channels}{more}"] if edits_it else []),
    ]
    title = f"{plain(campaign.name)}{' (archived)' if campaign.archived_at else ''}"
    embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
    if reader.manages_server:
        return embed.set_footer(text="Change it: /campaign edit · Link channels: /campaign link")
    return embed.set_footer(text="Change it: /campaign edit") if reader.leads(campaign) else embed


def _named(sign: str, number: int) -> str:
    """Return a channel or role as Discord shows it; of a campaign that was brought here, that it is not set."""
    return f"<{sign}{number}>" if number else "not set"


def zone_line(campaign: Campaign, now: datetime) -> str:
    """Return the time zone of a campaign, with the time there now."""
    return f"**Time zone:** {plain(with_time(campaign.timezone, now))}"


def book_lines(campaign: Campaign, titles: Mapping[str, str], unfinished: Sequence[str]) -> list[str]:
    """Return the books that a campaign plays by, by their titles, and below them what waits until one is on again."""
    return [f"**Books:** {', '.join(titles.get(book, book) for book in campaign.books)}", *fit_lines(ROOM, unfinished)]


def campaigns_embed(every: Sequence[Campaign]) -> discord.Embed:
    """Return all campaigns of a server."""
    names = [f"\N{BULLET} {plain(item.name)}{' (archived)' if item.archived_at else ''}" for item in every]
    lines = list(fit_lines(ROOM, names))
    text = "\n".join(lines) or "No campaigns yet. Start one with /campaign create."
    embed = discord.Embed(title="Campaigns on this server", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text="Open one: /campaign show campaign:name")


def archived_lines(stops: Archiving) -> list[str]:
    """Return what ends when a campaign is archived, and what stays."""
    counts = ((stops.cards, "open card", "waits"), (stops.schedules, "schedule", "rests"))
    lines = [
        f"{count} {what}{'' if count == 1 else 's'} {does if count == 1 else does[:-1]}."
        for count, what, does in counts
        if count
    ]
    return [
        "No rolls or orders until you restore it.",
        *lines,
        "Its ledger stays readable. Restore it to go on where you left off.",
    ]


def unlinked_lines(campaign: Campaign, channel_id: int) -> list[str]:
    """Return what follows when a channel that the campaign posts to is unlinked."""
    posted = {campaign.results_channel_id: ("Results", "results"), campaign.staff_channel_id: ("Staff posts", "staff")}
    if channel_id not in posted:
        return []
    what, option = posted[channel_id]
    return [
        f"{what} still go to <#{channel_id}>. Pick another channel: `/campaign edit {option}:`.",
        f"Commands there no longer act on {plain(campaign.name)}. To undo: `/campaign link`.",
    ]


def changed_embed(
    campaign: Campaign, what: str, lacking: Sequence[str] = (), more: Sequence[str] = ()
) -> discord.Embed:
    """Tell that a campaign was changed, more about that, what the bot still lacks, and what to do next."""
    lines = [f"{plain(campaign.name)} is {what}."]
    lines += [*more, *(f"\N{WARNING SIGN} {line}" for line in lacking)]
    return discord.Embed(
        title="Campaign", description="\n".join(lines), colour=COLOURS["danger" if lacking else "success"]
    )


def missing(guild: discord.Guild | None, results: int | None, staff: int | None) -> Iterator[str]:
    """Yield what is wrong with channels (ids; None for what is not asked about) that the bot posts to, a line each."""
    for channel_id in filter(None, (results, staff)):
        channel = guild and guild.get_channel(channel_id)
        if not isinstance(channel, discord.TextChannel):
            yield f"I can't see <#{channel_id}>."
            continue
        if channel_id == staff and channel.permissions_for(channel.guild.default_role).view_channel:
            yield f"Everyone can see <#{channel_id}>, and private results go there."
        if lacking := missing_permissions(channel):
            yield f"I can't post in <#{channel_id}>. Missing permissions: {', '.join(lacking)}."
