"""What is found of one thing, and the channels that a campaign needs."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Finding(Struct, frozen=True):
    """What is found of something: whether it is in order, how it is, and what is to be done about it."""

    about: str
    fine: bool
    said: str
    do: str = ""


class Place(Struct, frozen=True):
    """A campaign, its server, and the channels there (ids) to which it posts or which are linked to it."""

    campaign: str
    guild: int
    channels: Sequence[int]
