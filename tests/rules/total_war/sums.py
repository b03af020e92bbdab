"""Independent sums of a war: units, kills, pools and gold."""

from __future__ import annotations

import re

from rules.books.total_war.aftermath import FightAction, Retreat
from rules.books.total_war.course import Advance
from rules.books.total_war.orders.command import Allot
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.war import Rules, War, sources
from rules.geometry import hex_distance
from tests.answers.random_play import OrderAction

BATTLES = (MoveForce, FightAction, Retreat)
"""Orders that begin or end battles."""
WON = (FightAction, Retreat)
"""Orders that may pay for a victory."""
_ID = re.compile(r"'(u[0-9]+)'")


class Sums:
    """Running sums of a war from its start."""

    def __init__(self, rules: Rules, war: War) -> None:
        self._rules, self._before = rules, war
        self.units, self.dead = kills_of(war), set[str]()
        self.start, self.gained, self.lost = len(self.units), 0, 0
        self.paid = {name: side.gold for name, side in war.factions.items()}

    def add(self, action: OrderAction, war: War) -> None:
        """Count an order's results, and check that its kind may have them."""
        self._count_units(action, kills_of(war))
        self._count_gold(action, war)
        self._count_pools(action, war)
        self._before = war

    def require(self, war: War) -> None:
        """Check the sums, and that no dead unit is mentioned anywhere."""
        assert self.start + self.gained - self.lost == len(kills_of(war))
        assert war.units == self.start + self.gained
        assert find_unit_ids(war) == kills_of(war).keys() == self.units.keys()
        assert sum(self.units.values()) <= self.pilots + self.lost
        assert {name: side.gold for name, side in war.factions.items()} == self.paid

    @property
    def pilots(self) -> int:
        """The kills of pilots at the start."""
        return sum(pilot.kills for pilot in self._rules.scenario.pilots)

    def _count_units(self, action: OrderAction, now: dict[str, int]) -> None:
        new, gone = now.keys() - self.units.keys(), self.units.keys() - now.keys()
        assert not new & self.dead, "the dead come back"
        match action:
            case Allot(number=number):
                assert (len(new), len(gone)) == (number, 0)
            case Build() | Advance():
                assert not gone
            case _:
                assert isinstance(action, BATTLES) or not new | gone
        assert not any(now[name] for name in new), "a new unit has kills"
        assert all(now[name] >= kills for name, kills in self.units.items() if name in now), "kills are lost"
        self.gained, self.lost = self.gained + len(new), self.lost + len(gone)
        self.units, self.dead = now, self.dead | gone

    def _count_gold(self, action: OrderAction, war: War) -> None:
        for name, side in war.factions.items():
            more = side.gold - self.paid.setdefault(name, 0)
            if isinstance(action, Advance):
                assert more == income(self._rules, self._before, name)
            elif isinstance(action, WON):
                assert more >= 0
            else:
                assert more == -(price(self._rules, action) if getattr(action, "faction", None) == name else 0)
            assert side.gold >= 0
            self.paid[name] += more
        gone = self.paid.keys() - war.factions.keys()
        assert isinstance(action, BATTLES) or not gone
        self.paid = {name: gold for name, gold in self.paid.items() if name not in gone}

    def _count_pools(self, action: OrderAction, war: War) -> None:
        for name, side in war.factions.items():
            had = sum(self._before.factions[name].pool.values()) if name in self._before.factions else 0
            match action:
                case Buy(faction=faction, number=number) if faction == name:
                    more = number
                case Allot(who=who, number=number) if war.forces[who].faction == name:
                    more = -number
                case _:
                    more = 0
            assert sum(side.pool.values()) == had + more
            assert min(side.pool.values(), default=0) >= 0


def price(rules: Rules, action: OrderAction) -> int:
    """Return an order's price."""
    found: int | None = 0
    match action:
        case Build(item=item, model=None, number=number):
            found = (rules.scenario.items[item].cost or 0) * number
        case Buy(model=model, number=number):
            found = (rules.scenario.units[model].cost or 0) * number
        case Research(model=model):
            found = rules.scenario.items[model].cost
    return found or 0


def income(rules: Rules, war: War, faction: str) -> int:
    """Return a faction's income, counted panel by panel."""
    own = {at: panel for at, panel in war.panels.items() if panel.owner == faction}
    fed, new = set(), {*sources(rules, war, faction)} & own.keys()
    while new:
        fed |= new
        new = {at for at in own if at not in fed and any(hex_distance(at, other) == 1 for other in new)}
    stations = [rules.scenario.items[str(own[at].facility)].income for at in fed if own[at].facility is not None]
    return len(fed) * rules.terms.number("panel-gold") + sum(own[at].bonus for at in fed) + sum(stations)


def find_unit_ids(war: War) -> set[str]:
    """Return all unit ids mentioned in a war."""
    return {*_ID.findall(repr(war))}


def kills_of(war: War) -> dict[str, int]:
    """Return kills by unit id."""
    return {unit.id: unit.kills for unit in war.every_unit()}
