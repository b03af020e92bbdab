"""A picture of an embed: its bytes, its file name, and the same facts in words."""

from __future__ import annotations

from io import BytesIO

import discord
from msgspec import Struct

ATTACHED = "attachment://"


class Picture(Struct, frozen=True):
    """A PNG; `alt` has at most 1,024 characters, Discord's limit for a description."""

    name: str
    data: bytes
    alt: str

    def file(self) -> discord.File:
        """Return the picture as an attachment, a new one for each attempt to send it."""
        return discord.File(BytesIO(self.data), filename=self.name, description=self.alt)


def attached(embed: discord.Embed) -> str | None:
    """Return the file name of the attachment that an embed shows, None when it shows none."""
    url = embed.image.url or ""
    return url.removeprefix(ATTACHED) if url.startswith(ATTACHED) else None


def fitting(embeds: list[discord.Embed], picture: Picture | None) -> list[discord.Embed]:
    """Return the embeds, without the image of any attachment that is not sent along."""
    name = None if picture is None else picture.name
    for embed in embeds:
        if attached(embed) not in {None, name}:
            embed.set_image(url=None)
    return embeds
