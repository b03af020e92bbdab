"""The bodies of entries about effects, apart from their changes and texts."""

from __future__ import annotations

from typing import Literal, TypedDict


class EffectSetBody(TypedDict):
    """An effect is set on somebody: until the end of an update (its name) or until it is cleared, and what it ends there."""

    deed: Literal["set"]
    who: str
    label: str
    until: str | None
    ended: list[str]


class EffectClearedBody(TypedDict):
    """An effect on somebody is cleared."""

    deed: Literal["clear"]
    who: str
    label: str


EffectBody = EffectSetBody | EffectClearedBody
