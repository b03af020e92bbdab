"""What is to be done in a campaign that has just begun."""

from __future__ import annotations

from msgspec import Struct


class NextStep(Struct, frozen=True):
    """One thing to do: the button that does it (label and custom id), what it is good for, and whether it is done."""

    label: str
    custom_id: str
    why: str
    done: bool
