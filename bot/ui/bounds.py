"""What Discord takes in one message: whatever an answer holds is cut to that, in the longest lines first, and says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ui

from bot.ui.paging import MAX_DESCRIPTION, MAX_EMBEDS, MAX_TITLE
from bot.ui.text import shorten

MAX_CONTENT, MAX_EMBED_TEXT, MAX_VIEW_TEXT = 2000, 6000, 4000
LEAST = 60
"""The characters that every line keeps; where there is no room for that, lines are left out and counted."""

_LEFT_OUT = "*and {} more lines*"


def bounded(message: dict[str, Any]) -> dict[str, Any]:
    """Return what is sent as a message, with its texts cut to what Discord takes; views and embeds are changed in place."""
    view = message.get("view")
    if isinstance(view, ui.LayoutView):
        texts = [item for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
        for item, text in zip(texts, fitted([item.content for item in texts], MAX_VIEW_TEXT), strict=True):
            item.content = text
    embeds = [*message.get("embeds", ()), *([message["embed"]] if message.get("embed") else [])]
    bound_embeds(embeds)
    if "embeds" in message:
        message = {**message, "embeds": message["embeds"][:MAX_EMBEDS]}
    if message.get("content"):
        message = {**message, "content": bounded_text(message["content"], MAX_CONTENT)}
    return message


def fitted(texts: Sequence[str], room: int) -> list[str]:
    """Return texts that fit into so many characters together: the longest ones are cut."""
    excess = sum(map(len, texts)) - room
    if excess <= 0:
        return list(texts)
    longest = max(range(len(texts)), key=[*map(len, texts)].__getitem__)
    kept = max(len(texts[longest]) - excess, room // len(texts))
    return fitted([bounded_text(text, kept) if place == longest else text for place, text in enumerate(texts)], room)


def bounded_text(text: str, room: int) -> str:
    """Return a text that fits into so many characters, with as many of its lines as possible."""
    return "\n".join(bounded_lines(text.split("\n"), room)) if len(text) > room else text


def bounded_lines(lines: Sequence[str], room: int) -> list[str]:
    """Return lines that fit into so many characters: the longest are cut, and where that isn't enough the last ones are counted instead."""
    if _length(lines) <= room:
        return list(lines)
    shown, note = list(lines), ""
    while len(shown) > 1 and _length([line[:LEAST] for line in shown] + [note]) > room:
        shown.pop()
        note = _LEFT_OUT.format(len(lines) - len(shown))
    free = room - (len(note) + 1 if note else 0)
    most = max(most for most in range(max(map(len, shown)) + 1) if _length([line[:most] for line in shown]) <= free)
    return [shorten(line, most) for line in shown] + ([note] if note else [])


def bound_embeds(embeds: Iterable[discord.Embed], room: int = MAX_EMBED_TEXT) -> None:
    """Cut the embeds of one message to so many characters together, as Discord takes them unless `room` is less."""
    every = list(embeds)
    for embed in every:
        embed.title = embed.title and shorten(embed.title, MAX_TITLE)
        embed.description = embed.description and bounded_text(embed.description, MAX_DESCRIPTION)
    beside = sum(len(embed) - len(embed.description or "") for embed in every)
    texts = fitted([embed.description or "" for embed in every], room - beside)
    for embed, text in zip(every, texts, strict=True):
        embed.description = text or None


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines) - 1
