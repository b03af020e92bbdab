"""Split long texts: every message stays within Discord's limits and nothing is dropped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import discord

from bot.ui.text import shorten

MAX_MESSAGE = 5870
"""Under Discord's 6,000, since the messages of an entry that is void say so, and each post has a mark."""

MAX_EMBEDS = 10
MAX_DESCRIPTION = 4096
MAX_TITLE = 256
_CONTINUED = " (continued)"


def fit(title: str, lines: Iterable[str], *, colour: int, footer: str) -> list[discord.Embed]:
    """Return as many embeds as the lines need; each has title and footer, and at most 4,096 characters of text.

    A title that is too long is shortened there and repeated in full as the first line.
    """
    text = [f"**{title}**", *lines] if len(title) > MAX_TITLE else lines
    embeds = []
    for number, chunk in enumerate(list(chunks(text, MAX_DESCRIPTION)) or [""]):
        heading = shorten(title, MAX_TITLE if number == 0 else MAX_TITLE - len(_CONTINUED))
        heading += _CONTINUED if number else ""
        embed = discord.Embed(title=heading, description=chunk or None, colour=colour)
        embeds.append(embed.set_footer(text=footer))
    return embeds


def pages(embeds: Iterable[discord.Embed]) -> list[list[discord.Embed]]:
    """Return the embeds spread over messages in order: at most 10 and 6,000 characters in each."""
    messages: list[list[discord.Embed]] = []
    room = 0
    for embed in embeds:
        if not messages or len(messages[-1]) == MAX_EMBEDS or len(embed) > room:
            messages.append([])
            room = MAX_MESSAGE
        messages[-1].append(embed)
        room -= len(embed)
    return messages


def chunks(lines: Iterable[str], limit: int) -> Iterator[str]:
    """Yield the lines, joined to as few texts as possible; a line that is too long for one goes on in the next.

    A block of several lines in one string stays together where it fits into one text at all.
    """
    chunk = ""
    for line in lines:
        for piece in _pieces(line, limit):
            joined = f"{chunk}\n{piece}" if chunk else piece
            if len(joined) > limit:
                yield chunk
                chunk = piece
            else:
                chunk = joined
    if chunk:
        yield chunk


def _pieces(line: str, limit: int) -> Iterator[str]:
    if len(line) > limit and "\n" in line:
        yield from chunks(line.split("\n"), limit)
        return
    for start in range(0, max(len(line), 1), limit):
        yield line[start : start + limit]
