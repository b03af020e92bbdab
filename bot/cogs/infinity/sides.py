"""The sides of a contest as people type them."""

from __future__ import annotations

from msgspec import Struct

from bot.errors import BadInput
from bot.rolls.request import PartRequest, by_label
from bot.ui import parsing
from rules.books.infinity.skill import Side, Skill


class Contestant(Struct, frozen=True):
    """One side of a contest under its name; `own` says that this is the name of the person who rolls, and no label."""

    name: str
    side: Side
    own: bool = False

    def part(self, role: str) -> PartRequest:
        """Return the side as a part of a roll, in a role."""
        part = by_label(role, None if self.own else self.name, self.name)
        return part.model_copy(update={"inputs": {role: self.side.inputs()}})


class TypedSide(Struct, frozen=True):
    """The other side of a contest as it was typed."""

    attribute: int | None
    mods: str | None
    burst: int | None
    crits: str | None
    name: str | None = None

    def side(self) -> Side | None:
        """Return the same for the rules; None where nothing was typed."""
        if self.attribute is not None:
            return side_of(self.attribute, self.mods, self.burst or 1, self.crits or "on")
        if (self.mods, self.burst, self.crits, self.name) != (None,) * 4:
            raise BadInput(
                "The other side's attribute is missing.", "Type their_attribute, or leave out all their_ options."
            )
        return None


def side_of(attribute: int, mods: str | None, burst: int, crits: str) -> Side:
    """Return one side as it was typed."""
    return Side(Skill(attribute, parsing.signed_numbers(mods), crits != "off"), burst)
