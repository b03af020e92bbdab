"""Campaigns and updates as embeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import discord

from bot.core.campaigns import CHARACTERS, Campaign
from bot.ui.colours import COLOURS
from bot.ui.text import plain, within

MAX_LINES = 40
ROOM = 1800
"""Characters for one list, so that two of them fit into an embed's 4,096."""


def campaign_embed(
    campaign: Campaign, bound: Sequence[int], books: Mapping[str, str], waiting: Sequence[str]
) -> discord.Embed:
    """A campaign's settings, its books as they are named, and what waits for a book that is off."""
    player = f"<@&{campaign.player_role_id}>" if campaign.player_role_id else "everybody"
    rolls = ", ".join(family for family in campaign.players_may if family != CHARACTERS) or "nothing themselves"
    edits = " and edit their own characters" if CHARACTERS in campaign.players_may else ""
    channels = ", ".join(f"<#{channel}>" for channel in bound[:MAX_LINES]) or "none"
    more = f" and {len(bound) - MAX_LINES} more" if len(bound) > MAX_LINES else ""
    lines = [
        *book_lines(campaign, books, waiting),
        f"**Time zone:** {campaign.timezone}",
        f"**Results:** <#{campaign.results_channel_id}>",
        f"**Staff:** <#{campaign.staff_channel_id}>",
        f"**Game masters:** <@&{campaign.game_master_role_id}>",
        f"**Players:** {player}; they may roll {rolls}{edits}",
        f"**Write-ups:** {'a thread under each result that calls for one' if campaign.writeup_threads else 'no threads'}",
        f"**Bound channels:** {channels}{more}",
    ]
    title = f"{plain(campaign.name)}{' (archived)' if campaign.archived_at else ''}"
    embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text="Change it with /campaign edit, bind channels with /campaign bind")


def book_lines(campaign: Campaign, books: Mapping[str, str], waiting: Sequence[str]) -> list[str]:
    """The books that a campaign plays by, as they are named, and below them what waits until one is on again."""
    return [f"**Books:** {', '.join(books.get(book, book) for book in campaign.books)}", *within(ROOM, waiting)]


def campaigns_embed(found: Sequence[Campaign]) -> discord.Embed:
    """All campaigns of a server."""
    names = [f"{BULLET} {plain(item.name)}{' (archived)' if item.archived_at else ''}" for item in found]
    lines = list(within(ROOM, names))
    text = "\n".join(lines) or "There is none yet. Start one with /campaign create."
    embed = discord.Embed(title="Campaigns on this server", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text="This channel is bound to none of them. See one with /campaign show campaign:name")


def changed_embed(
    campaign: Campaign, what: str, lacking: Sequence[str] = (), told: Sequence[str] = ()
) -> discord.Embed:
    """That a campaign was changed, what else is told of that, what the bot still lacks, and what to do next."""
    lines = [f"{plain(campaign.name)} is {what}."]
    if what == "created":
        lines.append(
            f"Results go to <#{campaign.results_channel_id}>, what only the staff may see to <#{campaign.staff_channel_id}>. "
            "Both are bound to it; bind more channels or a category with /campaign bind, then roll with /patrol."
        )
    lines += [*told, *(f"\N{WARNING SIGN} {line}" for line in lacking)]
    return discord.Embed(
        title="Campaign", description="\n".join(lines), colour=COLOURS["danger" if lacking else "success"]
    )


def update_embed(
    update: dict[str, Any], ending: Sequence[tuple[str, str]], lasting: Sequence[tuple[str, str]]
) -> discord.Embed:
    """The current update: number, name, since when, what ends with it and what lasts beyond it."""
    since = discord.utils.format_dt(datetime.fromisoformat(update["since"]), "f")
    lines = [f"Number {update['number']}, since {since}.", *_ending("Ends with it", ending)]
    lines += _ending("Lasts beyond it", lasting)
    return discord.Embed(title=plain(update["name"]), description="\n".join(lines), colour=COLOURS["neutral"])


def closed_embed(
    before: dict[str, Any], after: dict[str, Any], ended: Sequence[tuple[str, str]], entry: int
) -> discord.Embed:
    """That an update was closed, and what ended with it."""
    lines = [f"{plain(after['name'])} has begun; it is number {after['number']}.", *_ending("Ended", ended)]
    title = f"{plain(before['name'])} is closed"
    embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["success"])
    return embed.set_footer(text=f"Entry #{entry}")


BULLET = "\N{BULLET}"


def _ending(label: str, ending: Sequence[tuple[str, str]]) -> list[str]:
    if not ending:
        return []
    told = [f"{BULLET} {plain(subject)}: {plain(effect)}" for subject, effect in ending]
    return [f"**{label}:**", *within(ROOM, told)]
