"""The bodies of entries about orders, apart from their changes and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class OrderBody(TypedDict):
    """An order that was given or withdrawn: what its kind and phase are called, who does it to whom, who besides; `before` is the entry of one that it changes."""

    deed: Literal["give", "withdraw"]
    label: str
    phase: str
    who: str
    to: str | None
    beside: Sequence[str]
    before: int | None


class LapseBody(TypedDict):
    """Nothing came of an order (the entry `before`), or of the `rest` of it, and why."""

    deed: Literal["lapse", "rest"]
    label: str
    phase: str
    who: str
    to: str | None
    beside: Sequence[str]
    before: int
    why: str


class PassBody(TypedDict):
    """Somebody does nothing more in this update."""

    deed: Literal["pass"]
    who: str


class LockBody(TypedDict):
    """Players' orders of an update (its name) were locked or unlocked."""

    deed: Literal["lock", "unlock"]
    update: str


class ArrangeBody(TypedDict):
    """An order (its entry) of a kind (its label) was arranged: the priority that it has then, and whether it is held."""

    label: str
    who: str
    order: int
    rank: int
    held: bool
