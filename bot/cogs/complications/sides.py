"""The sides of a battle, and which of them defends a base."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.errors import BadInput, unknown_name
from bot.rolls.request import PartRequest
from bot.rolls.situation import RollContext
from bot.ui import parsing
from rules.books.campaign.complications import DEFENDS
from rules.facts import Known, Origin
from rules.names import visible
from rules.subjects import name_key

MAX_SIDES = 10


def sides_of(battle: str, sides: str, defender: str | None, base: str | None) -> list[PartRequest]:
    """One part for each side of a battle, as typed; the side that defends the base has it in its part."""
    (where,) = parsing.names(battle, "battle", 1)
    named = parsing.names(sides, "side", MAX_SIDES)
    parts = [PartRequest(subjects={"side": side, "battle": where}) for side in named]
    if not visible(defender or "") and not visible(base or ""):
        return parts
    if not visible(base or ""):
        raise BadInput(f"Which base does {defender} defend?", "Name it as base; its damage then counts for that side.")
    (held,) = parsing.names(base or "", "base", 1)
    if not visible(defender or ""):
        raise BadInput(f"Which side defends {held}?", f"Name it as defender: {', '.join(named)}.")
    return [_defending(part, held) if _is(part, defender or "") else part for part in _checked(parts, defender or "")]


def defence(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """The fact that a side defends a base, where one stands in its part: line 274 is for the others (UC-2)."""
    return [
        {DEFENDS: Known(1, Origin("choice", f"defends {part['base']}"))} if "side" in part and "base" in part else {}
        for part in context.subjects
    ]


def _checked(parts: list[PartRequest], defender: str) -> list[PartRequest]:
    """The parts, if the defender is the side of one of them."""
    if not any(_is(part, defender) for part in parts):
        named = [part.subjects["side"] for part in parts]
        what = f"{defender[: parsing.MAX_NAME]!r} isn't a side of this battle."
        raise unknown_name(what, defender, named, f"The sides are: {', '.join(named)}.")
    return parts


def _is(part: PartRequest, side: str) -> bool:
    return name_key(part.subjects["side"]) == name_key(side)


def _defending(part: PartRequest, base: str) -> PartRequest:
    return part.model_copy(update={"subjects": {**part.subjects, "base": base}})
