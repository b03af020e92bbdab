"""The sides of a battle: which of them defends a base, and whose passwords the enemy knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection

from bot.core import permissions, profiles, state, subjects
from bot.core.profiles import Profile
from bot.core.subjects import Subject
from bot.errors import BadInput, unknown_name
from bot.rolls.request import PartRequest
from bot.rolls.situation import RollContext
from bot.ui import parsing
from rules.books.campaign.captivity import PASSWORD_KNOWN, list_knowers
from rules.books.campaign.rolls import DEFENDS
from rules.effects import EFFECT
from rules.ends import holds
from rules.modifiers import Known, Origin
from rules.subjects import name_key, number_of, strip_unseen

SIDE = "side"
EVERYBODY = 0
"""No number of a subject: every enemy."""

FACT = f"{SIDE}.{PASSWORD_KNOWN.removeprefix(EFFECT)}"


def passwords(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return the fact that the enemy of a side knows a password of it: of its own, or of the side that a unit belongs to.

    What captives have given away only those know who held them, and whoever is on their side; what is entered by hand
    every enemy knows.
    """
    sides = [part.get(SIDE, (None,))[0] for part in context.cast]
    named = [part.get(SIDE, "") for part in context.subjects]
    known = state.find_values_of_name(tx, context.campaign.id, PASSWORD_KNOWN) if any(named) else {}
    current = {number_of(key): value for key, value in known.items() if holds(value, context.moment)}
    if not current:
        return [{} for _ in named]
    book = _Passwords(tx, context, current)
    loyal = [book.loyalties(name, item) for name, item in zip(named, sides, strict=True)]
    return [
        dict(book.facts(own, [*loyal[:place], *loyal[place + 1 :]]) if name else ())
        for place, (name, own) in enumerate(zip(named, loyal, strict=True))
    ]


class _Passwords:
    """The passwords that are known in a campaign, by the numbers of those whose they are."""

    def __init__(self, tx: Connection, context: RollContext, current: Mapping[int, Mapping[str, object]]) -> None:
        knowing = {number for value in current.values() for number in list_knowers(value) or ()}
        self._current = current
        self._saved = profiles.read_profiles(tx, context.campaign.id, {*knowing, *_numbers(context)})
        self._names = subjects.name_subjects(tx, context.campaign.id, {*current, *knowing})
        self._groups = permissions.list_groups(tx, context.campaign.id)

    def loyalties(self, name: str, item: Subject | None) -> set[str]:
        """Return the keys of the names that mean a side of a battle: its own, and that of the side that it belongs to."""
        return {name_key(name), *self._side(self._saved.get(item.id) if item else None)}

    def facts(self, own: set[str], others: list[set[str]]) -> Iterator[tuple[str, Known]]:
        """Yield the fact for a side, by its loyalties, against those of the other sides; any enemy where none is named."""
        enemies = set().union(*others)
        for value in self._revealed(own):
            known = list_knowers(value)
            for by in (EVERYBODY,) if known is None else known:
                if by == EVERYBODY or not enemies or not self._loyal(by) or enemies & self._loyal(by):
                    who = f"{self._names[by]} knows it, " if by in self._names else ""
                    yield FACT, Known(1, Origin("effect", f"{who}since entry {value['entry']}"), secret=True)

    def _revealed(self, own: set[str]) -> Iterator[Mapping[str, object]]:
        """Yield what is known of a side; what captives have given away is kept of their side too, until it is cleared of it."""
        yield from (value for number, value in self._current.items() if name_key(self._names[number]) in own)

    def _loyal(self, number: int) -> set[str]:
        """Return whom a captor means, None known where it is saved without a side."""
        saved = self._saved.get(number)
        side = self._side(saved)
        return {name_key(self._names[number]), *side} if saved is None or side else set()

    def _side(self, saved: Profile | None) -> set[str]:
        """Return the sides on which somebody is: the one that is saved, and the groups of which it is a member."""
        if saved is None:
            return set()
        joined = (group.name for group in self._groups if saved.id in group.members)
        return {name_key(side) for side in (saved.side, *joined) if side}


def _numbers(context: RollContext) -> set[int]:
    return {item.id for part in context.cast for item in part.get(SIDE, ()) if item is not None}


MAX_SIDES = 10


def sides_of(battle: str, sides: str, defender: str | None, base: str | None) -> list[PartRequest]:
    """One part for each side of a battle, as typed; the side that defends the base has it in its part."""
    (where,) = parsing.names(battle, "battle", 1)
    named = parsing.names(sides, "side", MAX_SIDES)
    parts = [PartRequest(subjects={"side": side, "battle": where}) for side in named]
    if not strip_unseen(defender or "") and not strip_unseen(base or ""):
        return parts
    if not strip_unseen(base or ""):
        raise BadInput(f"Which base does {defender} defend?", "Name it as base; its damage then counts for that side.")
    (held,) = parsing.names(base or "", "base", 1)
    if not strip_unseen(defender or ""):
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
