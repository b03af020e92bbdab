"""What consequences leave on those they befall, as pure changes: what was kept goes in, what is kept afterwards comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from rules.tables import Consequence

EFFECT = "effect."
"""How the names begin under which lasting effects are kept; the trait follows."""

ROLLED = "rolled."
"""How the names begin under which a subject keeps who rolled for it; family and actor follow."""

Change = tuple[str, str, Any]
"""Whom it is about, the name of a value, and its new value (None: not kept any more)."""


class Moment(Struct, frozen=True):
    """When something happens: the number of the entry, and that of the update it falls in."""

    entry: int
    update: int


Look = Callable[[str, str], Any]
"""Return what is kept of somebody (a name) under the name of a value; None where nothing is."""


def nothing_kept(_who: str, _name: str) -> None:
    """Return that nothing is kept of anybody."""


class AppliedConsequence(Struct, frozen=True):
    """A consequence that befalls somebody: what it is, whom, when, and what was kept of that one before, by name.

    `look` tells what is kept of others, and what is not among `kept`.
    """

    consequence: Consequence
    name: str
    moment: Moment
    kept: Mapping[str, Any]
    look: Look = nothing_kept

    def effect(self, *, this_update: bool = False, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
        """Return the value of an effect that begins now; one of `this_update` ends with the update."""
        until = {"update": self.moment.update} if this_update else {}
        return {"entry": self.moment.entry, **until, **more}


ConsequenceRule = Callable[[AppliedConsequence], Iterator[Change]]
"""Tell what a consequence changes."""


def lasting_effect(trait: str, *, this_update: bool) -> ConsequenceRule:
    """Return the rule of a consequence that lasts as a trait, until the update ends or until it is cleared."""

    def apply(applied: AppliedConsequence) -> Iterator[Change]:
        yield applied.name, EFFECT + trait, applied.effect(this_update=this_update)

    return apply


def roller_of(name: str) -> int | None:
    """Return the number of the subject who rolled, from the name of a value that keeps it; None from any other name."""
    return int(name.rpartition(".")[2]) if name.startswith(ROLLED) else None


def is_current(value: Mapping[str, Any], update: int) -> bool:
    """Tell whether an effect still holds in the update of this number: one that is bound to an update ends with it."""
    return bool(value.get("update", update) == update)
