"""Challenges on the desk of the week."""

from __future__ import annotations

from collections.abc import Iterator

import discord
from sqlalchemy import Connection

from bot.cogs.infinity.challenge_embed import challenger
from bot.cogs.infinity.challenges import PostedChallenge, waiting
from bot.cogs.infinity.panel import selects
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.ui.text import plain
from bot.ui.todo import Todo, few, tally


def open_challenges(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the challenges by and against the viewer, or all for game masters, to be answered or withdrawn."""
    found = waiting(tx, viewer.person, viewer.campaign)
    if found:
        lines = few(map(_line, found), len(found), "/infinity challenges")
        undone = tally(len(found), "open challenge{s}", (challenger(item.challenge) for item in found))
        yield Todo("Open challenges", lines, [[select] for select in selects(found, viewer.person)], undone=undone)


def _line(item: PostedChallenge) -> str:
    who, until = plain(challenger(item.challenge)), discord.utils.format_dt(item.challenge.expires_at, "R")
    return f"\N{BULLET} **{who}** to <@{item.challenge.opponent_id}>, runs out {until}"
