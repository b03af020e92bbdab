"""What every unit or character of a kind rolls or gains, update by update."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from rules import kinds

_KINDS = ("squad", "ship", "fleet", "outpost", "base", "place", "thing", "pc", "npc")


class UpkeepRule(kinds.RuleItem, frozen=True, kw_only=True):
    """What those `of` some kinds roll, or what is added to a field or taken from it: `times`, for each of `by`.

    At `close` it belongs to the update that closes, at `week` to the one that begins.
    """

    noun = "upkeep"
    linked = frozenset({"id"})
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "income"',
        "title": 'title = "Income"',
        "of": 'of = ["ship", "fleet"]',
        "at": 'at = "close" or at = "week"',
        "rolls": 'rolls = "events"',
        "adds": 'adds = "treasury"',
        "takes": 'takes = "supplies"',
        "by": 'by = "cities"',
        "times": "times = 24",
    }

    id: kinds.Name
    title: kinds.Text
    of: Annotated[frozenset[Annotated[str, kinds.word_of(*_KINDS)]], Meta(min_length=1)]
    line: kinds.Line
    at: Literal["close", "week"] = "close"
    rolls: kinds.Name | None = None
    adds: kinds.Name | None = None
    takes: kinds.Name | None = None
    by: kinds.Name | None = None
    times: kinds.Count = 1

    @property
    def family(self) -> str:
        """The roll that carries it out."""
        return self.rolls or self.id
