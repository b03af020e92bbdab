"""Text made safe to show, numbers made readable, and long texts split so that every message stays within Discord's limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

import discord

BAR_CELLS = 6
_EIGHTHS = " \N{LEFT ONE EIGHTH BLOCK}\N{LEFT ONE QUARTER BLOCK}\N{LEFT THREE EIGHTHS BLOCK}\N{LEFT HALF BLOCK}\N{LEFT FIVE EIGHTHS BLOCK}\N{LEFT THREE QUARTERS BLOCK}\N{LEFT SEVEN EIGHTHS BLOCK}"
DOT = " \N{MIDDLE DOT} "
"""The separator between the facts of one line."""

_DIRECTIONS = dict.fromkeys(map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
"""The unseen characters that turn around how the text after them reads, for `str.translate`."""

DIRECTED = re.compile(f"[{''.join(map(chr, _DIRECTIONS))}]")
"""The same for long texts beyond ASCII, of which `str.translate` looks up each letter."""

_MARKS = str.maketrans(_DIRECTIONS | {"\n": " "} | {mark: f"\\{mark}" for mark in "\\*_~|`<[]"})
_MARKS_IN_PLACE = re.compile(r"^[#>+-]|(?<=\d)\.(?=\s)|:(?=//)|(?<=discord)\.(?=gg/)", re.IGNORECASE)
"""What is markdown only where it stands: a heading, quote or list at the beginning, a numbered list, an address, an invitation."""
_MARK = re.compile(r"\\(.)|[*_~|`]", re.DOTALL)


def plain(text: str) -> str:
    """Return typed text, escaped so that markdown, mentions, links and timestamps take no effect."""
    escaped = _MARKS_IN_PLACE.sub(r"\\\g<0>", text.translate(_MARKS))
    return discord.utils.escape_mentions(escaped)


def code(text: str) -> str:
    """Return typed text as code, such as a command to copy; a backtick in it doesn't end the code."""
    one_line = text.translate(_DIRECTIONS | {ord("\n"): " "})
    if "``" in one_line:
        one_line = one_line.replace("`", "'")
    shown = discord.utils.escape_mentions(one_line)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def strip_marks(text: str) -> str:
    """Return markdown as it reads, for where Discord shows text as it is: without its marks, and without what escapes others."""
    return _MARK.sub(r"\1", text).replace("@\u200b", "@")


def plus(value: int) -> str:
    """Return a value as it is added to a die: + 3, or a true minus and 3."""
    return f"\N{MINUS SIGN} {-value}" if value < 0 else f"+ {value}"


def bar(chance: Fraction) -> str:
    """Return a chance as a bar in eighths of a cell; any possible outcome shows, only certainty fills all."""
    eighths = round(chance * BAR_CELLS * 8)
    if chance not in {0, 1}:
        eighths = min(max(eighths, 1), BAR_CELLS * 8 - 1)
    full, rest = divmod(eighths, 8)
    filled = "\N{FULL BLOCK}" * full + _EIGHTHS[rest] * bool(rest)
    return filled + "\N{LIGHT SHADE}" * (BAR_CELLS - len(filled))


def local(moment: datetime, zone: str) -> str:
    """Return a moment as clocks in a time zone show it, for where Discord shows no timestamps."""
    return f"{moment.astimezone(ZoneInfo(zone)):%d %b %H:%M %Z}"


def shorten(text: str, limit: int) -> str:
    """Return a label cut to a limit with an ellipsis; only for labels whose full text stands elsewhere."""
    return text if len(text) <= limit else text[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def listing(words: list[str]) -> str:
    """Return words joined as in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def has_words(text: str, line: str) -> bool:
    """Tell whether a text has all words of a line, in their order; marks and stops at their ends do not count."""
    said = iter(_words(text))
    return all(word in said for word in _words(line))


def _words(text: str) -> list[str]:
    return [stripped for word in text.casefold().split() if (stripped := word.strip("*.,:;\\"))]


def message_link(guild_id: int, channel_id: int, message_id: int) -> str:
    """Return the address of a message."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}/{message_id}"


def channel_link(guild_id: int, channel_id: int) -> str:
    """Return the address of a channel or thread."""
    return f"https://discord.com/channels/{guild_id}/{channel_id}"


def fit_lines(room: int, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines that fit into `room` characters, and how many do not."""
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"*and {len(lines) - place} lines more*"
            return
        yield line


MAX_MESSAGE = 5870
"""Under Discord's 6,000, since the messages of an entry that is void say so, and each post has a mark."""

MAX_EMBEDS = 10
MAX_DESCRIPTION = 4096
MAX_TITLE = 256
_CONTINUED = " (continued)"


def fit_embeds(title: str, lines: Iterable[str], *, colour: int, footer: str) -> list[discord.Embed]:
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


def paginate(embeds: Iterable[discord.Embed]) -> list[list[discord.Embed]]:
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
