"""Updates as embeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import discord

from bot.cogs.update.service import ClosedUpdate, Lasting, UpdateView
from bot.ui.colours import COLOURS
from bot.ui.entries import hash_digits
from bot.ui.text import DOT, plain, within

BULLET = "\N{BULLET}"
ROOM, ROOM_FOR_ROLLS = 1300, 900
"""Characters for each of two lists, and for what was rolled: all of them fit into an embed's 4,096, or a receipt's 4,000."""


def update_embed(view: UpdateView) -> discord.Embed:
    """Return the current update: number, name, since when, what ends with it and what lasts beyond it."""
    text = "\n".join(update_lines(view))
    return discord.Embed(title=plain(view.update["name"]), description=text, colour=COLOURS["neutral"])


def update_lines(view: UpdateView) -> list[str]:
    """Return number and beginning of the current update, what ends with it and what lasts beyond it."""
    since = discord.utils.format_dt(datetime.fromisoformat(view.update["since"]), "f")
    lines = [f"Number {view.update['number']}, since {since}.", *_listed("Ends with it", view.ending)]
    return [*lines, *_listed("Lasts beyond it", view.lasting), *_rolled(view.rolled)]


def closed_embed(closed: ClosedUpdate, ended: Sequence[Lasting]) -> discord.Embed:
    """Tell that an update was closed, and what ended with it as far as the readers may know."""
    title = f"{plain(closed.before['name'])} is closed"
    embed = discord.Embed(title=title, description="\n".join(closed_lines(closed, ended)), colour=COLOURS["success"])
    return embed.set_footer(text=DOT.join([f"Entry #{closed.entry}", hash_digits(closed.hash)]))


def closed_lines(closed: ClosedUpdate, ended: Sequence[Lasting]) -> list[str]:
    """Return which update has begun, and what ended with the one before."""
    begun = f"{plain(closed.after['name'])} has begun; it is number {closed.after['number']}."
    return [begun, *_listed("Ended", ended), *_rolled(closed.rolled)]


def _rolled(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "**Rolled where people play:**"
        yield from within(ROOM_FOR_ROLLS, [f"{BULLET} {line}" for line in lines])


def _listed(label: str, effects: Sequence[Lasting]) -> Iterator[str]:
    if effects:
        yield f"**{label}:**"
        yield from within(ROOM, [f"{BULLET} {plain(bearer)}: {plain(effect)}" for bearer, effect in effects])
