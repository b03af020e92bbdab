"""Updates as text: what they are called, what ends with them, and what is told of a closing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord

from bot.cogs.update.views import ClosedUpdate, Lasting, UpdateView
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain, within
from rules.phrases import inside

BULLET = "\N{BULLET}"
ROOM, ROOM_FOR_ROLLS = 1300, 900
"""Characters for each of two lists, and for what was rolled: all of them fit into an embed's 4,096, or a receipt's 4,000."""

NEWEST = 3
"""How much of what was rolled the desk has; the closing lists more."""

ROLLED = "Rolls in play"


def title(view: UpdateView) -> str:
    """Return the name of an update, and which week it is, in one breath."""
    return DOT.join([plain(view.update["name"]), *view.counts])


def beginning(view: UpdateView) -> str:
    """Return since when an update lasts, and its number where its name does not tell it."""
    since = discord.utils.format_dt(datetime.fromisoformat(view.update["since"]), "f")
    number = _number(view.update, "Number {}, ")
    return f"{number}since {since}." if number else f"Since {since}."


def _number(update: Mapping[str, Any], words: str) -> str:
    """Return the number of an update in these words; nothing where it has the name that tells it."""
    return "" if update["name"] == f"Update {update['number']}" else words.format(update["number"])


def update_lines(view: UpdateView, undone: Sequence[str] = ()) -> list[str]:
    """Return number and beginning of the current update, what ends with it, what is still to be done and what lasts beyond it."""
    lines = [beginning(view), *_listed("Ends with this update", view.ending)]
    if undone:
        lines += ["**Stays open:**", *(f"{BULLET} {line}" for line in undone)]
    return [*lines, *_listed("Continues", view.lasting)]


def begun_embed(closed: ClosedUpdate) -> discord.Embed:
    """Tell everybody that an update has begun, which week it is, and what was rolled in the one before where people play."""
    name = plain(closed.after["name"])
    lines = [f"{plain(closed.before['name'])} is closed{_number(closed.after, ' (this is number {})')}."]
    return _closing(closed, DOT.join([f"{name} begins", *closed.counts]), [*lines, *_rolled(closed.rolled)])


def closed_embed(closed: ClosedUpdate) -> discord.Embed:
    """Tell game masters that an update was closed, and what ended with it."""
    return _closing(closed, f"{plain(closed.before['name'])} is closed", closed_lines(closed))


def closed_lines(closed: ClosedUpdate) -> list[str]:
    """Return which update has begun, and what ended with the one before."""
    begun = f"{plain(closed.after['name'])} has begun{_number(closed.after, ' (number {})')}"
    lines = [f"{DOT.join([begun, *closed.counts])}.", *_listed("Ended", closed.ended), *_held(closed)]
    return [*lines, *_rolled(closed.rolled)]


def _held(closed: ClosedUpdate) -> Iterator[str]:
    if closed.held:
        held = f"{closed.held} open order{'s' * (closed.held > 1)}"
        yield f"{held} moved to {plain(closed.after['name'])}: see `/order list`."


def newest_rolled(lines: Sequence[str]) -> list[str]:
    """Return the newest of what was rolled where people play, given newest first, the oldest first: three at most, as far as there is room."""
    newest = [f"{BULLET} {line}" for line in reversed(lines[:NEWEST])]
    while sum(map(len, newest)) > ROOM_FOR_ROLLS:
        newest.pop(0)
    return newest


def _rolled(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{ROLLED}:**"
        yield from within(ROOM_FOR_ROLLS, [f"{BULLET} {line}" for line in lines])


def _closing(closed: ClosedUpdate, heading: str, lines: Sequence[str]) -> discord.Embed:
    embed = discord.Embed(title=heading, description="\n".join(lines), colour=COLOURS["success"])
    return embed.set_footer(text=f"#{closed.entry}")


def _listed(label: str, effects: Sequence[Lasting]) -> Iterator[str]:
    if effects:
        yield f"**{label}:**"
        yield from effects_lines(effects)


def effects_lines(effects: Sequence[Lasting]) -> Iterator[str]:
    """Yield what lasts on whom, as far as there is room."""
    return within(ROOM, [f"{BULLET} {plain(bearer)}: {plain(inside(effect))}" for bearer, effect in effects])
