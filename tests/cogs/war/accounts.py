"""The accounts of a war from its entries: units, gold, and the fate of orders."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection

from bot.app import KINDS
from bot.core import audit
from bot.core.campaigns import open_campaign
from bot.orders import standing
from bot.orders.standing import StandingOrder
from rules.books.total_war import storage
from rules.books.total_war.war import War
from tests.cogs.war.front import Front
from tests.rules.total_war.sums import find_unit_ids
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import RULES
from tests.support.world import BOOKS, World, rows

FREE = {"set", "rule"}
"""Game masters' families, which may change anything."""
GAINS = {
    "allot",
    "build",
    "garrison",
    "advance",
    "move",
    "retreat",
    "withdraw",
    "shoot",
    "melee",
    "broadside",
    "condition",
}
"""Families that bring units."""
SPENDS = {"build", "buy", "garrison", "research"}


class Accounts:
    """What a war's entries add up to."""

    def __init__(self, world: World, watch: Callable[[War], object] | None = None) -> None:
        """Keep the accounts of a world's war; `watch` is shown the war as each entry leaves it."""
        self.world, self.watch = world, watch
        self.read = 0
        self.values: dict[str, Any] = {}
        self.units: set[str] = set()
        self.dead: set[str] = set()
        self.gained = self.lost = self.start = 0
        self.gold: Counter[str] = Counter()

    def newest(self) -> int:
        """Return the newest entry's number."""
        return int(rows(self.world, "select max(number) from entry")[0][0])

    def open(self, war: War) -> None:
        """Begin with the present war."""
        self.follow()
        self.dead, self.gained, self.lost = set(), 0, 0
        self.units, self.start = units_of(war), len(units_of(war))
        self.gold = Counter({name: side.gold for name, side in war.factions.items()})

    def close(self) -> None:
        """Stop counting."""
        self.follow()
        self.start = 0

    def require_balanced(self, now: War) -> None:
        """Check that the new entries explain the war: no unit returns, no gold from nowhere."""
        self.follow()
        assert units_of(now) == self.units == find_unit_ids(now)
        assert self.start + self.gained - self.lost == len(self.units)
        assert not self.dead & self.units
        assert {name: side.gold for name, side in now.factions.items()} == {
            name: self.gold[name] for name in now.factions
        }
        assert self._war() == now

    def require_each_once(self) -> None:
        """Check that each order has one fate per phase."""
        made = [json.loads(body) for (body,) in rows(self.world, "select body from entry order by number")]
        rolled = Counter((number, body["phase"]) for body in made for number in body.get("orders", ()))
        lapsed = Counter(body["before"] for body in made if body.get("deed") in {"lapse", "rest"})
        assert rolled
        assert max(rolled.values()) == 1
        assert max(lapsed.values(), default=1) == 1
        gone = {(body["before"], body["phase"]) for body in made if body.get("deed") == "lapse"}
        assert not gone & rolled.keys()

    def _war(self) -> War:
        return storage.read(BOOKS["total_war"], self.values)[1]

    def follow(self) -> None:
        """Read the new entries one by one."""
        for number, body in rows(
            self.world, "select number, body from entry where number > ? order by number", self.read
        ):
            self.read = number
            made = json.loads(body)
            mine = [item for item in made["changes"] if item["subject"].startswith("war:")]
            before = self._war() if storage.WAR in self.values else None
            for item in mine:
                self.values[item["name"]] = item["after"]
            self.values = {name: value for name, value in self.values.items() if value is not None}
            if mine and self.watch is not None and storage.WAR in self.values:
                self.watch(self._war())
            if mine and before is not None and self.start:
                self._count(made.get("family", ""), before, self._war())

    def _count(self, family: str, before: War, after: War) -> None:
        had, have = units_of(before), units_of(after)
        assert not (have - had) & self.dead, f"{family} brings the dead back"
        assert have <= had or family in GAINS | FREE, f"{family} brings units"
        self.gained, self.lost = self.gained + len(have - had), self.lost + len(had - have)
        self.dead |= had - have
        self.units = have
        for name in {*before.factions, *after.factions}:
            was, now = (war.factions[name].gold if name in war.factions else 0 for war in (before, after))
            assert now >= 0, f"{family} overdraws {name}"
            assert now >= was or family in SPENDS | FREE or name not in after.factions, f"{family} costs {name} gold"
            self.gold[name] += now - was


def units_of(war: War) -> set[str]:
    """Return the ids of all units."""
    forces = {unit.id for force in war.forces.values() for unit in force.units}
    return forces | {unit.id for panel in war.panels.values() for unit in panel.garrison}


async def require_sound(front: Front, accounts: Accounts) -> None:
    """Check war, accounts, orders, ledger and rebuild."""
    war = await front.stands()
    sound(war)
    assert not war.battles or war.winner is not None
    assert {name for name, side in war.factions.items() if side.rogue} <= {
        panel.owner for panel in war.panels.values() if RULES.kind(panel).stronghold
    }
    accounts.require_balanced(war)
    database = front.world.bots[-1].database
    orders: list[StandingOrder] = await database.read(_every)
    assert [item for item in orders if item.is_unresolved] == []
    for look in (audit.check_ledgers, audit.rebuild_states):
        assert [item.faults for item in await look(database, KINDS)] == [()]


def _every(tx: Connection) -> list[StandingOrder]:
    return standing.all_orders(tx, open_campaign(tx, 1, lock=False))
