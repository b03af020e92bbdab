"""Text that people typed, made safe to show, and numbers made readable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


def bare(text: str) -> str:
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


def tells(text: str, line: str) -> bool:
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


def within(room: int, lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines that fit into `room` characters, and how many do not."""
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"*and {len(lines) - place} lines more*"
            return
        yield line
