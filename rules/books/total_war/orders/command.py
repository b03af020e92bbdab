"""Orders about ranks, commands and new units (lines 28, 47, 89, 244)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from rules.books.total_war import order_kinds, ranks
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.order_kinds import OrderText, WarOrder, leader_of
from rules.books.total_war.war import Rules, War, WarAction, require_free
from rules.subjects import name_key


class Promote(WarAction, frozen=True):
    """A player gets another rank."""

    player: str
    rank: str

    def apply(self, rules: Rules, war: War) -> War:
        """Set the rank (line 47)."""
        lone = ranks.player_of(war, self.player).faction is None
        ranks.require_no_rogue("promotion", lone_rogue=lone, who=f"{self.player} (a lone rogue)")
        faction = ranks.faction_of_player(war, self.player)
        side = war.factions[faction]
        ranks.require_leader(war, self.actor, faction, "can promote")
        seats = {other.seat for other in war.factions.values() if not other.rogue}
        captured = any(at in seats and panel.owner == faction for at, panel in war.panels.items())
        ranks.require_promoter(ranks.role_of(war, self.actor, faction), rogue_faction=side.rogue, captured=captured)
        return war.with_player(self.player, rank=ranks.rank_named(rules.scenario, self.rank).name)


class Assign(WarAction, frozen=True):
    """A force gets another commander."""

    who: str
    player: str

    def apply(self, rules: Rules, war: War) -> War:
        """Give the force to the player if their rank allows it (line 28)."""
        found, faction = war.force(self.who), ranks.faction_of_player(war, self.player)
        if found.faction != faction:
            sides = f"{self.who} belongs to {war.name_side(found.faction)}, {self.player} to {war.name_side(faction)}"
            raise Refused("E_NOT_ALLIED", f"{sides}.")
        ranks.require_leader(war, self.actor, faction, "can hand out forces")
        require_free(war, found)
        after = war.with_forces(replace(found, commander=self.player))
        ranks.require_holding(rules, after, self.player)
        return after


class Delegate(WarAction, frozen=True):
    """A faction names who else assigns new units; None: only its leader."""

    faction: str
    player: str | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Set the delegate, who needs a fleet (line 244)."""
        ranks.require_faction(war, self.faction)
        ranks.require_leader(war, self.actor, self.faction, "can let others assign units")
        if self.player is not None and not ranks.has_fleet(war, self.player, self.faction):
            name = war.factions[self.faction].name
            raise Refused("E_RANK", f"{self.player} doesn't command a fleet of {name}.")
        return war.with_side(self.faction, delegate=self.player)


class Allot(WarAction, frozen=True):
    """Units leave the faction's pool for a force."""

    who: str
    model: str
    number: int = 1

    def apply(self, rules: Rules, war: War) -> War:
        """Add the units if the commander's rank allows it (lines 89, 244)."""
        found, model, number = war.force(self.who), self.model, self.number
        lone = found.faction not in war.factions
        ranks.require_no_rogue("new units", lone_rogue=lone, who=f"{self.who} (a lone rogue's)")
        require_free(war, found)
        if not rules.terms.of(Piece, found.kind).attacks:
            raise Refused("E_SQUADRON_FULL", f"{self.who} is a {found.kind} and has no units.")
        side = war.factions[found.faction]
        if ranks.role_of(war, self.actor, found.faction) != ranks.FLEET:
            ranks.require_leader(
                war, self.actor, found.faction, "or the fleet commander they chose can assign new units"
            )
        left = side.pool.get(model, 0) - number
        if number < 1 or left < 0:
            raise Refused("E_NO_FUNDS", f"You can't assign {number} {model}: only {side.pool.get(model, 0)} left.")
        war, units = war.new_units([model] * number)
        war = war.with_side(found.faction, pool={**side.pool, model: left})
        war = war.with_forces(replace(found, units=(*found.units, *units)))
        if found.commander is not None and found.commander in war.players:
            ranks.require_holding(rules, war, found.commander)
        return war


def _read_promote(rules: Rules, war: War, text: OrderText) -> Promote:
    player = order_kinds.read_name(war.players, text.who, "a player")
    rank = order_kinds.read_name([item.name for item in rules.scenario.ranks], text.to, "a rank")
    return Promote(actor=text.actor, player=player, rank=rank)


def _read_assign(_rules: Rules, war: War, text: OrderText) -> Assign:
    return Assign(actor=text.actor, who=text.force(war), player=order_kinds.read_name(war.players, text.to, "a player"))


def _read_delegate(_rules: Rules, war: War, text: OrderText) -> Delegate:
    back = name_key(text.to or "") in {order_kinds.NOBODY, "nobody"}  # both are stored in orders
    player = None if back else order_kinds.read_name(war.players, text.to, f"a player or {order_kinds.NOBODY}")
    return Delegate(actor=text.actor, faction=text.faction(war), player=player)


def _read_allot(rules: Rules, war: War, text: OrderText) -> Allot:
    typed = " ".join(order_kinds.strip_hint(word) for word in (text.to, text.besides) if word)
    model, number = order_kinds.read_counted_name([*rules.scenario.units], typed, "a model")
    return Allot(actor=text.actor, who=text.force(war), model=model, number=number)


def _list_ranks(rules: Rules, war: War, who: str) -> Iterator[str]:
    for rank in rules.scenario.ranks if who in war.players else ():
        if rank.name != war.players[who].rank and Promote(player=who, rank=rank.name).is_possible(rules, war):
            yield rank.name


def _list_commanders(rules: Rules, war: War, who: str) -> Iterator[str]:
    for name in war.players if who in war.forces else ():
        if name != war.forces[who].commander and Assign(who=who, player=name).is_possible(rules, war):
            yield name


def _list_delegates(rules: Rules, war: War, who: str) -> Iterator[str]:
    side = war.factions.get(who)
    if side is None:
        return
    others = (name for name in war.players if name not in {side.delegate, side.leader})
    yield from (name for name in others if Delegate(faction=who, player=name).is_possible(rules, war))
    if side.delegate is not None:
        yield order_kinds.NOBODY


def _list_waiting(rules: Rules, war: War, who: str) -> Iterator[str]:
    for model, count in _pool(war, who).items():
        if count and Allot(who=who, model=model).is_possible(rules, war):
            yield f"{model} ({count} wait)"


def _list_numbers(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    model = order_kinds.strip_hint(to)
    for number in range(1, _pool(war, who).get(model, 0) + 1):
        if Allot(who=who, model=model, number=number).is_possible(rules, war):
            yield str(number)


def _pool(war: War, who: str) -> Mapping[str, int]:
    side = war.factions.get(war.forces[who].faction) if who in war.forces else None
    return {} if side is None else side.pool


def _leader_of_player(war: War, who: str) -> tuple[str | None, ...]:
    faction = war.players[who].faction
    return () if faction is None else leader_of(war, faction)


def _leader_of_force(war: War, who: str) -> tuple[str | None]:
    return leader_of(war, war.forces[who].faction)


def _assigners(war: War, who: str) -> tuple[str | None, ...]:
    faction = war.forces[who].faction
    return (*leader_of(war, faction), ranks.unit_assigner(war, faction))


ORDERS = (
    WarOrder("promote", "Promotion", "player", "{player} becomes {to}", _read_promote, _leader_of_player, _list_ranks),
    WarOrder("assign", "Command", "force", "{force} is handed to {to}", _read_assign, _leader_of_force, _list_commanders),
    WarOrder("delegate", "Delegation", "faction", "{faction} sets who assigns new units: {to}", _read_delegate, leader_of, _list_delegates),
    WarOrder("allot", "New units", "force", "{force} gets {to} {with}", _read_allot, _assigners, _list_waiting, _list_numbers, hinted=True),
)  # fmt: skip
