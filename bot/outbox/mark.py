"""The mark of a post in its message: characters that no one sees, by which the message is recognised whatever its words become.

Discord doesn't return the nonce of a message that is read later, so the message itself has to say which post it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

import discord

from bot.ui.text import MAX_DESCRIPTION, MAX_TITLE, shorten

_UNSEEN = "\u2061\u2062\u2063\u2064"
"""Unicode's invisible operators: drawn by no font, and they neither join letters nor break lines."""

_BYTES = 6
LENGTH = _BYTES * 4
"""The characters of a mark."""

_MARK = re.compile(f"[{_UNSEEN}]{{{LENGTH}}}")


def mark_of(nonce: str) -> str:
    """Return the mark of the post with this nonce."""
    drawn = int.from_bytes(sha256(nonce.encode()).digest()[:_BYTES])
    return "".join(_UNSEEN[drawn >> shift & 3] for shift in range(0, LENGTH * 2, 2))


def add_mark(embeds: list[discord.Embed], mark: str) -> list[discord.Embed]:
    """Append a mark to the last text of the last embed, where `find_mark` looks for it."""
    *_, last = embeds
    if last.footer.text:
        last.set_footer(text=last.footer.text + mark, icon_url=last.footer.icon_url)
    elif last.description and len(last.description) + LENGTH <= MAX_DESCRIPTION:
        last.description += mark
    else:
        last.title = shorten(last.title or "", MAX_TITLE - LENGTH) + mark
    return embeds


def find_mark(embeds: Sequence[discord.Embed]) -> str | None:
    """Return the last mark in embeds: text before it may have been copied from another message."""
    texts = (text for embed in embeds for text in (embed.title, embed.description, embed.footer.text))
    found = _MARK.findall("".join(text or "" for text in texts))
    return found[-1] if found else None


def without_mark(text: str) -> str:
    """Return a text of a message as it was written."""
    return _MARK.sub("", text)
