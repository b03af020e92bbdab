"""Commands that a text names, shown as mentions: tapping one types it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import discord
from discord import ui

from bot.ui.bounds import MAX_CONTENT, MAX_EMBED_TEXT, MAX_VIEW_TEXT
from bot.ui.paging import MAX_DESCRIPTION

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
