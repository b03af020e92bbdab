"""A war before and after an action as somebody sees it, and phrases that describe it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from rules.books.total_war.catalog import Item
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.war import Battle, Force, Rules, Unit, War, WarAction
from rules.geometry import Hex

_WOULD = {
    "is now": "would be",
    "is built": "would be built",
    "has": "would have",
    "can now": "could",
    "takes": "would take",
    "becomes": "would become",
    "become": "would become",
    "now leads": "would lead",
    "now commands": "would command",
    "now belongs": "would belong",
}
"""How a verb of a result reads in the preview of a sealed order."""


class WarDiff(Struct, frozen=True):
    """A war before and after an action. Where it is `masked`, both are as the `viewer` sees them, who does not see `hidden` panels at both times.

    `truth` is the war after it as it is, for what those who fought know of the end of their battle. Of what is `foreseen` alone nothing
    is told that hangs on what comes before it.
    """

    rules: Rules
    before: War
    action: WarAction
    after: War
    truth: War
    viewer: str | None = None
    masked: bool = False
    foreseen: bool = False
    hidden: frozenset[Hex] = frozenset()

    def is_others(self, force: Force) -> bool:
        """Return whether a force may come into sight and go out of it without anything else."""
        return self.masked and force.faction != self.viewer

    def was_there(self, battle: Battle) -> bool:
        """Return whether the viewer is told how a battle has ended: who took part, and who still sees the panel."""
        sides = {battle.attacker, battle.defender, *(self.before.forces[name].faction for name in battle.forces)}
        return not self.masked or self.viewer in sides or battle.at not in self.hidden

    def verb(self, now: str) -> str:
        """Return a verb of how things are now; of what is foreseen, how they would be."""
        return _WOULD[now] if self.foreseen else now

    def instead_of(self, old: str) -> str:
        """Return what was so before, or still is, in brackets behind what is so or would be."""
        return f"(now {old})" if self.foreseen else f"(before: {old})"

    def side(self, faction: str) -> str:
        """Return what a faction is called, as it is now if it is still there; a lone rogue goes by their own name."""
        found = self.after.factions.get(faction) or self.before.factions.get(faction)
        return "neutral" if faction == NEUTRAL else faction if found is None else found.name

    def item(self, name: str) -> str:
        """Return what something that is built is called."""
        found = self.rules.terms.book.listed(Item).get(name)
        return name if found is None else found.label


def in_words(names: Iterable[object]) -> str:
    """Return names in a row, such as `a, b and c`."""
    *most, last = [str(name) for name in names]
    return f"{', '.join(most)} and {last}" if most else last


def list_models(units: Sequence[Unit]) -> str:
    """Return how many units of each model there are, and who pilots them, such as `2 gm (Amuro Ray) and 1 saberfish`."""
    return in_words(_so_many(model, units) for model in dict.fromkeys(unit.model for unit in units))


def _so_many(model: str, units: Sequence[Unit]) -> str:
    mine = [unit for unit in units if unit.model == model]
    pilots = [unit.pilot for unit in mine if unit.pilot]
    return f"{len(mine)} {model}{f' ({in_words(pilots)})' if pilots else ''}"


def missing_units(units: Iterable[Unit], left: Iterable[Unit]) -> list[Unit]:
    """Return the units that are not among those that are left."""
    kept = {unit.id for unit in left}
    return [unit for unit in units if unit.id not in kept]


def places(panels: Iterable[Hex], joined: str = "and") -> str:
    """Return panels in a row, in order; several are each in brackets, since each has a comma inside."""
    *most, last = [str(panel) for panel in sorted(panels)]
    return f"{', '.join(f'({panel})' for panel in most)} {joined} ({last})" if most else last
