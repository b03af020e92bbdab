"""What entries about battles say: one form of body for each thing that is done to a battle (`deed`)."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from rules.books.battlesystem.state import EventLine, How


class UnitBody(TypedDict):
    """A unit of a roster."""

    name: str
    side: str
    tags: list[str]
    spells: int | None


class StartBody(TypedDict):
    """A battle begins."""

    deed: Literal["start"]
    battle: str
    sides: list[str]


class EndBody(TypedDict):
    """A battle is over: in which turn, what has ended with it, and what stays lost."""

    deed: Literal["end"]
    battle: str
    turn: int
    ended: list[EventLine]
    lost: list[EventLine]


class TurnBody(TypedDict):
    """A turn has ended: what ended with it, what stays in force, and which sides did not check their events."""

    deed: Literal["turn"]
    battle: str
    turn: int
    ended: list[EventLine]
    stays: NotRequired[list[EventLine]]
    unchecked: list[str]


class EndedBody(TypedDict):
    """An event has ended before its time; `side` has spent a token on it."""

    deed: How
    battle: str
    turn: int
    ended: list[EventLine]
    side: NotRequired[str]


class RosterBody(TypedDict):
    """Units join a battle or leave it, with what ends on others by that."""

    deed: Literal["add", "remove"]
    battle: str
    units: list[UnitBody]
    ended: NotRequired[list[EventLine]]


class EditBody(TypedDict):
    """A unit is changed; `foe` is the enemy that it has a grudge against."""

    deed: Literal["edit"]
    battle: str
    before: UnitBody
    after: UnitBody
    foe: NotRequired[str]
