"""Orders about ranks, commands and new units: promote, assign, delegate, allot (lines 28, 47, 89, 244)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from rules.books.total_war.catalog import Piece
from rules.books.total_war.order_kinds import ALLOT, ASSIGN, DELEGATE, NOBODY, PROMOTE, strip_hint
from rules.books.total_war.order_text import PLAYER, OrderText, WarOrder, leader_of, read_counted_name, read_name
from rules.books.total_war.ranks import (
    FLEET,
    faction_of_player,
    player_of,
    rank_named,
    require_faction,
    require_holding,
    require_leader,
    require_no_rogue,
    require_promoter,
    role_of,
    set_delegate,
    unit_assigner,
)
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Rules, Side, War, WarAction, require_free
from rules.subjects import name_key


class Promote(WarAction, frozen=True):
    """A player gets another rank."""

    player: str
    rank: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the player at the rank (line 47)."""
        lone = player_of(war, self.player).faction is None
        require_no_rogue("promotion", lone_rogue=lone, who=f"{self.player} (a lone rogue)")
        faction = faction_of_player(war, self.player)
        side = war.factions[faction]
        require_leader(war, self.actor, faction, "can promote")
        captured = any(not other.rogue and _owns_seat(war, faction, other) for other in war.factions.values())
        require_promoter(role_of(war, self.actor, faction), rogue_faction=side.rogue, captured=captured)
        return war.with_player(self.player, rank=rank_named(rules.scenario, self.rank).name)


class Assign(WarAction, frozen=True):
    """A force gets another commander."""

    who: str
    player: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the force under the player, if the rank allows it (line 28)."""
        found, faction = war.force(self.who), faction_of_player(war, self.player)
        if found.faction != faction:
            sides = f"{self.who} belongs to {war.called(found.faction)}, {self.player} to {war.called(faction)}"
            raise Refused("E_NOT_ALLIED", f"{sides}.")
        require_leader(war, self.actor, faction, "can hand out forces")
        require_free(war, found)
        given = war.with_forces(replace(found, commander=self.player))
        require_holding(rules, given, self.player)
        return given


class Delegate(WarAction, frozen=True):
    """A faction hands the allotting of units to a fleet commander, or takes it back (None)."""

    faction: str
    player: str | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Return the war with the faction's delegate (line 244)."""
        require_faction(war, self.faction)
        require_leader(war, self.actor, self.faction, "can let others assign units")
        return set_delegate(war, self.faction, self.player)


class Allot(WarAction, frozen=True):
    """Units out of the faction's pool come into a force."""

    who: str
    model: str
    number: int = 1

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the units in the force, if its commander's rank allows it (lines 89, 244)."""
        found, model, number = war.force(self.who), self.model, self.number
        lone = found.faction not in war.factions
        require_no_rogue("new units", lone_rogue=lone, who=f"{self.who} (a lone rogue's)")
        require_free(war, found)
        if not rules.terms.of(Piece, found.kind).attacks:
            raise Refused("E_SQUADRON_FULL", f"{self.who} is a {found.kind} and has no units.")
        side = war.factions[found.faction]
        if role_of(war, self.actor, found.faction) != FLEET:
            require_leader(war, self.actor, found.faction, "or the fleet commander they chose can assign new units")
        left = side.pool.get(model, 0) - number
        if number < 1 or left < 0:
            raise Refused("E_NO_FUNDS", f"You can't assign {number} {model}: only {side.pool.get(model, 0)} left.")
        war, units = war.new_units([model] * number)
        war = war.with_side(found.faction, pool={**side.pool, model: left})
        war = war.with_forces(replace(found, units=(*found.units, *units)))
        if found.commander is not None and found.commander in war.players:
            require_holding(rules, war, found.commander)
        return war


def _owns_seat(war: War, faction: str, other: Side) -> bool:
    return other.seat is not None and other.seat in war.panels and war.panels[other.seat].owner == faction


def _read_promote(rules: Rules, war: War, text: OrderText) -> Promote:
    player = read_name(war.players, text.who, "a player")
    rank = read_name([item.name for item in rules.scenario.ranks], text.to, "a rank")
    return Promote(actor=text.actor, player=player, rank=rank)


def _read_assign(_rules: Rules, war: War, text: OrderText) -> Assign:
    return Assign(actor=text.actor, who=text.force(war), player=read_name(war.players, text.to, "a player"))


def _read_delegate(_rules: Rules, war: War, text: OrderText) -> Delegate:
    back = name_key(text.to or "") in {NOBODY, "nobody"}  # orders have stored both
    player = None if back else read_name(war.players, text.to, f"a player or {NOBODY}")
    return Delegate(actor=text.actor, faction=text.faction(war), player=player)


def _read_allot(rules: Rules, war: War, text: OrderText) -> Allot:
    """Read which units a force gets and how many, in any order."""
    given = " ".join(strip_hint(word) for word in (text.to, text.besides) if word)
    model, number = read_counted_name([*rules.scenario.units], given, "a model")
    return Allot(actor=text.actor, who=text.force(war), model=model, number=number)


def _ranks(rules: Rules, war: War, who: str) -> Iterator[str]:
    for rank in rules.scenario.ranks if who in war.players else ():
        if rank.name != war.players[who].rank and Promote(player=who, rank=rank.name).is_possible(rules, war):
            yield rank.name


def _commanders(rules: Rules, war: War, who: str) -> Iterator[str]:
    for name in war.players if who in war.forces else ():
        if name != war.forces[who].commander and Assign(who=who, player=name).is_possible(rules, war):
            yield name


def _delegates(rules: Rules, war: War, who: str) -> Iterator[str]:
    side = war.factions.get(who)
    if side is None:
        return
    others = (name for name in war.players if name not in {side.delegate, side.leader})
    yield from (name for name in others if Delegate(faction=who, player=name).is_possible(rules, war))
    if side.delegate is not None:
        yield NOBODY


def _waiting_models(rules: Rules, war: War, who: str) -> Iterator[str]:
    for model, count in _pool(war, who).items():
        if count and Allot(who=who, model=model).is_possible(rules, war):
            yield f"{model} ({count} wait)"


def _numbers(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    model = strip_hint(to)
    for number in range(1, _pool(war, who).get(model, 0) + 1):
        if Allot(who=who, model=model, number=number).is_possible(rules, war):
            yield str(number)


def _pool(war: War, who: str) -> Mapping[str, int]:
    """Return the units by their models that wait in the faction of a force; a lone rogue's has none."""
    side = war.factions.get(war.forces[who].faction) if who in war.forces else None
    return {} if side is None else side.pool


def _leader_of_player(war: War, who: str) -> tuple[str | None, ...]:
    """Return who promotes a player: the leader of the faction (K4)."""
    faction = war.players[who].faction
    return () if faction is None else leader_of(war, faction)


def _leader_of_force(war: War, who: str) -> tuple[str | None]:
    return leader_of(war, war.forces[who].faction)


def _assigners(war: War, who: str) -> tuple[str | None, ...]:
    faction = war.forces[who].faction
    return (*leader_of(war, faction), unit_assigner(war, faction))


ORDERS = (
    WarOrder(PROMOTE, "Promotion", PLAYER, "{player} becomes {to}", _read_promote, _leader_of_player, _ranks),
    WarOrder(ASSIGN, "Command", "force", "{force} is handed to {to}", _read_assign, _leader_of_force, _commanders),
    WarOrder(
        DELEGATE,
        "Delegation",
        "faction",
        "{faction} sets who assigns new units: {to}",
        _read_delegate,
        leader_of,
        _delegates,
    ),
    WarOrder(
        ALLOT, "New units", "force", "{force} gets {to} {with}", _read_allot, _assigners, _waiting_models, _numbers
    ),
)
