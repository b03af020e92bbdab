"""The bodies of entries about effects, apart from their changes and texts."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class InSceneBody(TypedDict, total=False):
    """An effect ends with a scene (its name); by so many `turns` of `whose` (a name) there, where these are said.

    `turn` is the one in which it was set, where turns are everybody's; it is not counted.
    """

    scene: str
    turns: int
    whose: str
    turn: int


class EffectSetBody(InSceneBody):
    """An effect is set on somebody: until the end of an update (its name), a time (ISO) or until it is cleared, and what it ends there."""

    deed: Literal["set"]
    who: str
    label: str
    until: str | None
    at: NotRequired[str | None]
    ended: list[str]


class EffectClearedBody(TypedDict):
    """An effect on somebody is cleared."""

    deed: Literal["clear"]
    who: str
    label: str


EffectBody = EffectSetBody | EffectClearedBody
