"""What a feature tells beside an order that was given: lines and buttons of its own, and whether its giver knows all that there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discord import ui
from msgspec import Struct


class OrderAside(Struct, frozen=True):
    """What stands in the answer to an order: lines of markdown and buttons; `knows_all` where nothing is hidden from whoever gave it."""

    lines: Sequence[str] = ()
    buttons: Sequence[ui.Button[Any]] = ()
    knows_all: bool = False
