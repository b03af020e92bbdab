"""What Discord takes in one message: texts are cut to that, the longest lines first, and commands become mentions where there is room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from bot.ui.text import MAX_DESCRIPTION, MAX_EMBEDS, MAX_TITLE, shorten

MAX_CONTENT, MAX_EMBED_TEXT, MAX_VIEW_TEXT = 2000, 6000, 4000
LEAST = 60
"""The characters that every line keeps; where there is no room for that, lines are left out and counted."""

_LEFT_OUT = "*and {} more lines*"


def cut_message(message: dict[str, Any]) -> dict[str, Any]:
    """Return what is sent as a message, with its texts cut to what Discord takes; views and embeds are changed in place."""
    view = message.get("view")
    if isinstance(view, ui.LayoutView):
        texts = [item for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
        for item, text in zip(texts, cut_texts([item.content for item in texts], MAX_VIEW_TEXT), strict=True):
            item.content = text
    embeds = [*message.get("embeds", ()), *([message["embed"]] if message.get("embed") else [])]
    cut_embeds(embeds)
    if "embeds" in message:
        message = {**message, "embeds": message["embeds"][:MAX_EMBEDS]}
    if message.get("content"):
        message = {**message, "content": cut_text(message["content"], MAX_CONTENT)}
    return message


def cut_texts(texts: Sequence[str], room: int) -> list[str]:
    """Return texts that fit into so many characters together: the longest ones are cut."""
    excess = sum(map(len, texts)) - room
    if excess <= 0:
        return list(texts)
    longest = max(range(len(texts)), key=[*map(len, texts)].__getitem__)
    kept = max(len(texts[longest]) - excess, room // len(texts))
    return cut_texts([cut_text(text, kept) if place == longest else text for place, text in enumerate(texts)], room)


def cut_text(text: str, room: int) -> str:
    """Return a text that fits into so many characters, with as many of its lines as possible."""
    return "\n".join(cut_lines(text.split("\n"), room)) if len(text) > room else text


def cut_lines(lines: Sequence[str], room: int) -> list[str]:
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


def cut_embeds(embeds: Iterable[discord.Embed], room: int = MAX_EMBED_TEXT) -> None:
    """Cut the embeds of one message to so many characters together, as Discord takes them unless `room` is less."""
    every = list(embeds)
    for embed in every:
        embed.title = embed.title and shorten(embed.title, MAX_TITLE)
        embed.description = embed.description and cut_text(embed.description, MAX_DESCRIPTION)
    beside = sum(len(embed) - len(embed.description or "") for embed in every)
    texts = cut_texts([embed.description or "" for embed in every], room - beside)
    for embed, text in zip(every, texts, strict=True):
        embed.description = text or None


def _length(lines: Sequence[str]) -> int:
    return sum(map(len, lines)) + len(lines) - 1


MAX_FIELD = 1024
_LEFT = r"\\.|```.*?```|\[[^\[\]\n]*\]\([^)\n]*\)|https?://\S+"
"""What stays as it is: escaped characters, blocks of code, links."""


class CommandMentions:
    """Writes known commands as mentions. Until their ids are known, and where a limit would be passed, their names stay."""

    def __init__(self) -> None:
        self._ids: Mapping[str, int] = {}
        self._named: re.Pattern[str] | None = None

    def learn(self, names: Iterable[str], ids: Mapping[str, int]) -> None:
        """Remember the full names of all commands, and the ids by the first words of these."""
        self._ids = ids
        known = sorted((name for name in names if name.split()[0] in ids), key=len, reverse=True)
        command = f"/(?:{'|'.join(map(re.escape, known))})(?![\\w/-])"
        code = rf"(?<!`)(?P<tick>`++)(?P<pad> ?)(?P<typed>{command})(?P<rest>[^`\n]*?)(?P=pad)(?P=tick)(?!`)"
        text = rf"{_LEFT}|{code}|(?<!`)(?P<code>`++).*?(?<!`)(?P=code)(?!`)|(?<![\w/<.-])(?P<named>{command})"
        self._named = re.compile(text, re.DOTALL) if known else None

    def write(self, text: str, most: int) -> str:
        """Return a text of at most so many characters with its commands as mentions; a command's options stay code where it was code."""
        written = text if self._named is None else self._named.sub(self._mention, text)
        return written if len(written) <= most else text

    def write_embeds(self, embeds: list[discord.Embed]) -> list[discord.Embed]:
        """Return the embeds of one message, changed in place."""
        room = _Room(self, MAX_EMBED_TEXT - sum(map(len, embeds)))
        for embed in embeds:
            embed.description = embed.description and room.write(embed.description, MAX_DESCRIPTION)
            for place, field in enumerate(embed.fields):
                value = room.write(field.value or "", MAX_FIELD)
                embed.set_field_at(place, name=field.name, value=value, inline=field.inline)
        return embeds

    def write_message(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return what is sent as a message; its view and embeds are changed in place."""
        view = message.get("view")
        if isinstance(view, ui.LayoutView):
            texts = [item for item in view.walk_children() if isinstance(item, ui.TextDisplay)]
            room = _Room(self, MAX_VIEW_TEXT - sum(len(item.content) for item in texts))
            for item in texts:
                item.content = room.write(item.content, MAX_VIEW_TEXT)
        self.write_embeds([*message.get("embeds", ()), *([message["embed"]] if message.get("embed") else [])])
        if message.get("content"):
            message = {**message, "content": self.write(message["content"], MAX_CONTENT)}
        return message

    def _mention(self, found: re.Match[str]) -> str:
        name = (found["typed"] or found["named"] or "").removeprefix("/")
        if not name:
            return found[0]
        mention, rest = f"</{name}:{self._ids[name.split()[0]]}>", (found["rest"] or "").strip()
        code = f"{found['tick']}{found['pad']}"
        return f"{mention} {code}{rest}{code[::-1]}" if rest else mention


class _Room:
    """The characters by which the texts of one message can still grow."""

    def __init__(self, mentions: CommandMentions, left: int) -> None:
        self._mentions, self._left = mentions, left

    def write(self, text: str, most: int) -> str:
        written = self._mentions.write(text, min(most, len(text) + self._left))
        self._left -= len(written) - len(text)
        return written
