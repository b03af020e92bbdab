"""Random events: what a row of an event table brings, whom it can befall, and for how long."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rules.dice import DiceTerm

Tag = Literal["missile", "flying", "caster"]
TagTest = Literal["missile", "!missile", "flying", "!flying", "caster", "!caster"]
LetterId = Literal["M", "I", "F"]
Lasts = Literal["turn", "battle", "instant", "permanent", "until_condition", "held_until_used"]
PartLasts = Literal[Lasts, "until_gone"]
Scope = Literal["unit", "player", "enemy", "two_friendly_units", "all_flying_both_sides"]
Need = Literal["caster"]
Pick = Literal["spell"]
Stat = Literal["ml", "ar", "ad"]
Token = Literal[
    "chosen",  # its holder ignores a later event of their choice
    "next",  # the next event that falls on units of its holder is ignored
]
CHOSEN: Token = "chosen"
NEXT: Token = "next"


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter behind an event, and what it asks of a unit: a tag or, behind `!`, the lack of it."""

    id: LetterId
    tag: TagTest
    line: int

    def fits(self, tags: Collection[str]) -> bool:
        """Return whether a unit with these tags can be struck."""
        return (self.tag.removeprefix("!") in tags) != self.tag.startswith("!")


@dataclass(frozen=True, slots=True)
class EventPart:
    """One thing that an event does, and for how long; `until_gone` is until the unit or its foe is off the field.

    `changes` tells by how much it moves the morale level, the armour rating and the attack dice, in steps.
    """

    text: str
    lasts: PartLasts
    changes: Mapping[Stat, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    """What a row brings besides its text. `letter` tells which units it can strike, `needs` what the struck one must have.

    `die` is rolled along with it and named in its text; of the unit's `pick` one is drawn and lost; `token` is what the side
    holds from then on; `removes` says that the unit is off the field for good. `parts` are what it does one by one.
    """

    cause: str
    parts: tuple[EventPart, ...]
    lasts: Lasts = "turn"
    scope: Scope = "unit"
    letter: LetterId | None = None
    needs: Need | None = None
    die: DiceTerm | None = None
    pick: Pick | None = None
    token: Token | None = None
    removes: bool = False
