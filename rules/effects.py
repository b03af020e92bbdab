"""What consequences leave on those they befall, as pure changes: what was kept goes in, what is kept afterwards comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from rules.ends import End, Moment
from rules.modifiers import JsonObject
from rules.subjects import name_key
from rules.tables import Consequence, Deed

EFFECT = "effect."
"""How the names begin under which lasting effects are kept; the trait follows."""

ANSWER = "answer"
"""Under which key an effect keeps what a game master answers to end it, in a word for a button: such an effect is a question."""

ROLLED = "rolled."
"""How the names begin under which a subject keeps who rolled for it; family and actor follow."""

ORDERED = "order."
"""How the names begin under which orders are kept of whoever carries them out; the kind follows."""

SCENE = ","
"""Who stands in a change, and in what is kept, for the scene of a roll: no name, since those have no comma."""

Change = tuple[str, str, Any]
"""Whom it is about, the name of a value, and its new value (None: not kept any more)."""

Kept = Mapping[str, JsonObject]
"""What is kept of people and of their scene (`SCENE`): by the name of each, then by name of the value."""


def is_open(value: object) -> bool:
    """Tell whether everybody knows what is kept, whoever was told of the entry: it says so itself, as a shot that all have heard."""
    return isinstance(value, Mapping) and bool(value.get("open"))


def with_changes(kept: Kept, changes: Iterable[Change]) -> Kept:
    """Return what is kept once these changes are made, of the same people, however their names are written."""
    made = {who: dict(values) for who, values in kept.items()}
    keys = {who: name_key(who) for who in made}
    for changed, name, value in changes:
        for who in (who for who, key in keys.items() if key == name_key(changed)):
            made[who][name] = value
    return {who: {name: item for name, item in values.items() if item is not None} for who, values in made.items()}


Look = Callable[[str, str], Any]
"""Return what is kept of somebody (a name) under the name of a value; None where nothing is."""


def nothing_kept(_who: str, _name: str) -> None:
    """Return that nothing is kept of anybody."""


class AppliedConsequence(Struct, frozen=True):
    """A consequence that befalls somebody: what it is, whom, when, and what was kept of that one before, by name.

    `look` tells what is kept of others, and what is not among `kept`; `whose` is the number of whom turns are counted of,
    `other` that of the other one in the roll.
    """

    consequence: Consequence
    deed: Deed
    name: str
    moment: Moment
    kept: JsonObject
    look: Look = nothing_kept
    whose: int | None = None
    other: int | None = None

    def effect(self, **more: object) -> dict[str, object]:
        """Return the value of an effect that begins now, and ends as its row or its deed says."""
        end, turns = self.deed.end, self.consequence.turns
        end = end if turns is None else End("turns", turns, end.of)
        other = {"other": self.other} if self.deed.other else {}
        return {"entry": self.moment.entry, **end.begun(self.moment, self.whose), **other, **more}


ConsequenceRule = Callable[[AppliedConsequence], Iterator[Change]]
"""Tell what a consequence changes."""


def apply_as_declared(applied: AppliedConsequence) -> Iterator[Change]:
    """Tell what a deed changes by what its book declares of it: what it ends, and the effect that it lasts as."""
    deed, amount = applied.deed, applied.consequence.amount
    for trait in deed.ends:
        yield applied.name, EFFECT + trait, None
    if deed.effect is not None:
        yield applied.name, EFFECT + deed.effect, applied.effect(**({} if amount is None else {"amount": amount}))


def roller_of(name: str) -> int | None:
    """Return the number of the subject who rolled, from the name of a value that keeps it; None from any other name."""
    return int(name.rpartition(".")[2]) if name.startswith(ROLLED) else None
