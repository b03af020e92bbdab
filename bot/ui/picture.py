"""A picture of an embed: its bytes, its file name, and the same facts in words."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import discord
from msgspec import Struct

ATTACHED = "attachment://"
MAX_ALT = 1000
"""Characters of a picture's alt text, a little under what Discord takes."""

_CUT = " And {count} more lines."


class Picture(Struct, frozen=True):
    """A PNG; `alt` has at most 1,024 characters, Discord's limit for a description."""

    name: str
    data: bytes
    alt: str

    def file(self) -> discord.File:
        """Return the picture as an attachment, a new one for each attempt to send it."""
        return discord.File(BytesIO(self.data), filename=self.name, description=self.alt)


def alt_of(lines: Sequence[str]) -> str:
    """Return sentences as one alt text, as far as it has room, then how many lines are left out; a first that is too long is cut."""
    text = ""
    for place, line in enumerate(lines):
        if len(text) + len(line) + 1 + len(_CUT) > MAX_ALT:
            text = text or line[: MAX_ALT - len(_CUT) - 1]
            return f"{text}{_CUT.format(count=len(lines) - place)}"
        text = f"{text} {line}".strip()
    return text


def attachment_name(embed: discord.Embed) -> str | None:
    """Return the file name of the attachment that an embed shows, None when it shows none."""
    url = embed.image.url or ""
    return url.removeprefix(ATTACHED) if url.startswith(ATTACHED) else None


def drop_missing_images(embeds: list[discord.Embed], picture: Picture | None) -> list[discord.Embed]:
    """Return the embeds, without the image of any attachment that is not sent along."""
    name = None if picture is None else picture.name
    for embed in embeds:
        if attachment_name(embed) not in {None, name}:
            embed.set_image(url=None)
    return embeds
