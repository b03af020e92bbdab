"""What consequences change, as pure functions of what was kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from rules.ends import End, Moment
from rules.modifiers import JsonObject
from rules.subjects import name_key
from rules.tables import Consequence, ConsequenceKind

EFFECT = "effect."
"""Prefix of the names of lasting effects; the trait follows."""
ANSWER = "answer"
"""The key of what a game master may answer to end an effect: such an effect is a question."""
ROLLED = "rolled."
"""Prefix of the names that say who rolled for a subject; family and actor follow."""
ORDERED = "order."
"""Prefix of the names of orders, kept of who carries them out; the kind follows."""
SCENE = ","
"""Means the scene of a roll among names of people, which have no comma."""
Change = tuple[str, str, Any]
"""Whose value, its name, and the new value (None: not kept any more)."""
Kept = Mapping[str, JsonObject]
"""What is kept of people and of their scene (`SCENE`): by person, then by name of the value."""


def is_open(value: object) -> bool:
    """Check whether everyone may know a kept value; only a mapping with `open` says so."""
    return isinstance(value, Mapping) and bool(value.get("open"))


def with_changes(kept: Kept, changes: Iterable[Change]) -> Kept:
    """Return kept values after changes (None removes one); names match in any spelling, unknown people are skipped."""
    made = {who: dict(values) for who, values in kept.items()}
    keys = {who: name_key(who) for who in made}
    for changed, name, value in changes:
        for who in (who for who, key in keys.items() if key == name_key(changed)):
            made[who][name] = value
    return {who: {name: item for name, item in values.items() if item is not None} for who, values in made.items()}


Lookup = Callable[[str, str], Any]


def _find_nothing(_who: str, _name: str) -> None:
    """Look up nothing."""


class AppliedConsequence(Struct, frozen=True):
    """A consequence for one person, with what was kept before.

    `look` finds others' values. `whose` turns are counted; `other` is the other one in the roll.
    """

    consequence: Consequence
    deed: ConsequenceKind
    name: str
    moment: Moment
    kept: JsonObject
    look: Lookup = _find_nothing
    whose: int | None = None
    other: int | None = None

    def effect(self, **more: object) -> dict[str, object]:
        """Return an effect's value from now on."""
        end, turns = self.deed.end, self.consequence.turns
        end = end if turns is None else End("turns", turns, end.of)
        other = {"other": self.other} if self.deed.other else {}
        return {"entry": self.moment.entry, **end.expiry_keys(self.moment, self.whose), **other, **more}


ConsequenceRule = Callable[[AppliedConsequence], Iterator[Change]]


def apply_as_declared(applied: AppliedConsequence) -> Iterator[Change]:
    """Yield the declared changes: ended effects, and a new one."""
    deed, amount = applied.deed, applied.consequence.amount
    for trait in deed.ends:
        yield applied.name, EFFECT + trait, None
    if deed.effect is not None:
        yield applied.name, EFFECT + deed.effect, applied.effect(**({} if amount is None else {"amount": amount}))


def roller_of(name: str) -> int | None:
    """Return the roller's number from a `ROLLED` name; None for other names."""
    return int(name.rpartition(".")[2]) if name.startswith(ROLLED) else None
