"""What features add to the messages about orders: lines and buttons with an order, a picture with the digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discord import ui
from msgspec import Struct


class OrderAddition(Struct, frozen=True):
    """What stands in the answer to an order: lines of markdown and buttons; `knows_all` where nothing is hidden from whoever gave it."""

    lines: Sequence[str] = ()
    buttons: Sequence[ui.Button[ui.LayoutView]] = ()
    knows_all: bool = False


class Illustration(Struct, frozen=True):
    """A picture that everybody may see, by the name of its file, with a title and the same facts in lines of markdown.

    `drawn_from` is what the digest's entry keeps beside, from which the feature that it comes from draws the picture. One that is
    shown `again` stands below further digests of an update too: what it shows may be another by then.
    """

    title: str
    lines: Sequence[str]
    picture: str
    drawn_from: Mapping[str, Any]
    again: bool = False
