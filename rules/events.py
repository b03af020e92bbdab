"""The words of random events: tags, letters, scopes, how long a thing lasts. What a row brings is in `rules.tables`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Literal

from rules.kinds import Line, RuleItem

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


class Letter(RuleItem, frozen=True):
    """A letter behind an event, and what it asks of a unit: a tag or, behind `!`, the lack of it."""

    noun = "letter"
    linked = frozenset({"id"})
    examples: ClassVar[Mapping[str, str]] = {"id": 'id = "M"', "tag": 'tag = "missile" or tag = "!missile"'}

    id: LetterId
    tag: TagTest
    line: Line

    def fits(self, tags: Collection[str]) -> bool:
        """Return whether a unit with these tags can be struck."""
        return (self.tag.removeprefix("!") in tags) != self.tag.startswith("!")
