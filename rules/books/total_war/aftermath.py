"""What the end of a battle means on the map: captures, retreats, rogues, basic units, gold (lines 25, 64 to 97, 226 to 273)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import battles
from rules.books.total_war.battles import (
    battle_on,
    count_replacements,
    require_may_act,
    retreating_forces,
    side_name,
)
from rules.books.total_war.board_orders import OrderResult, play_order
from rules.books.total_war.capture import (
    dissolve_rogues,
    found_faction,
    founds_on,
    remove_superweapons,
    require_place,
    take_panels,
)
from rules.books.total_war.catalog import Piece
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.economy import battle_gold, reward_victory
from rules.books.total_war.fight import Order, Withdraw
from rules.books.total_war.land import Victory, captured_panels, find_free_beside, list_panels, require_retreat
from rules.books.total_war.ranks import require_no_rogue, require_own
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Battle, Force, Rules, Unit, War, WarAction, is_lone, land_of, supply
from rules.geometry import Hex
from rules.phrases import counted, starting


def conclude_battle(rules: Rules, war: War, at: Hex) -> War:
    """Return the war after a battle that is over, once all the losers have said where they go."""
    battle = war.battles[at]
    war = replace(war, battles={place: item for place, item in war.battles.items() if place != at})
    losses = {name: _count_losses(battle, war.force(name)) for name in battle.forces}
    war = _keep_garrison(war, battle)
    war, winner = conquer(rules, war, battle)
    war = war.with_forces(*(_remaining_force(battle, war.force(name)) for name in battle.forces))
    war = _resupply(rules, dissolve_rogues(rules, war), battle, losses)
    war = war.without_forces(name for name in battle.forces if not war.force(name).units)
    if winner is None or winner not in war.factions:
        return war
    return reward_victory(rules, war, winner, battle.fight.turn)


def _count_losses(battle: Battle, force: Force) -> int:
    return sum(unit.id not in battle.fight.units for unit in force.units)


def _keep_garrison(war: War, battle: Battle) -> War:
    """Return the war with what is left of the garrison, and the kills that it has made; a beaten one has nowhere to go, and who has filled it up goes home."""
    owner = war.panels[battle.at].owner
    units = tuple(unit for unit in war.panels[battle.at].garrison if unit.id not in battle.filled)
    if battle.winner not in {None, battle.attacker if owner == battle.attacker else battle.defender}:
        units = tuple(unit for unit in units if unit.id not in battle.garrison)
    left = tuple(
        _add_kills(battle, unit) for unit in units if unit.id in battle.fight.units or unit.id not in battle.garrison
    )
    return war.with_panel(battle.at, garrison=left)


def _add_kills(battle: Battle, unit: Unit) -> Unit:
    return replace(unit, kills=battles.kills_of([unit.kills, battle.fight.kills.get(unit.id, 0)]))


def conquer(rules: Rules, war: War, battle: Battle) -> tuple[War, str | None]:
    """Return the war after the winner has taken the panel and what lies around it, and who that is: a founder's new faction."""
    side = battle.winner
    if side is None:
        return war, None
    winner, loser = (
        _current_side(war, side),
        _current_side(war, battle.defender if side == battle.attacker else battle.attacker),
    )
    founding = is_lone(war, winner) and _founds_faction(rules, war, battle, side)
    if founding:
        war, winner = found_faction(rules, war, winner)
    elif is_lone(war, winner):
        return remove_superweapons(take_panels(rules, war, [battle.at], winner), [battle.at], winner), winner
    fleet = any(_is_fleet(rules, war, name) for name, fights in battle.forces.items() if fights == side)
    won = Victory(battle.at, winner, loser, fleet, founding)
    beaten = [name for name, fights in battle.forces.items() if fights != side]
    guarded = _guarded_panels(rules, war, winner, beaten)
    gained = captured_panels(rules.terms, won, war.owners, guarded, war.battles)
    return take_panels(rules, war, gained, winner), winner


def _current_side(war: War, side: str) -> str:
    """Return what a side of a battle is by now: of a lone rogue the faction that another victory has founded meanwhile."""
    player = war.players.get(side) if is_lone(war, side) else None
    return side if player is None or player.faction is None else player.faction


def _founds_faction(rules: Rules, war: War, battle: Battle, rogue: str) -> bool:
    """Return whether a lone rogue founds a faction: by an attack on a stronghold with a squadron; a fleet is none (line 91)."""
    own = (war.force(name).kind for name, side in battle.forces.items() if side == rogue)
    squadron = any(rules.terms.of(Piece, kind).follows for kind in own)
    return squadron and rogue == battle.attacker and founds_on(rules.terms, war.panels[battle.at].kind)


def _is_fleet(rules: Rules, war: War, name: str) -> bool:
    return rules.terms.of(Piece, war.force(name).kind).takes_passing


def _guarded_panels(rules: Rules, war: War, winner: str, beaten: Iterable[str]) -> set[Hex]:
    """Return the panels that need a fight of their own: an enemy's force or garrison, and capitols (AMB-17)."""
    gone = {*beaten}
    others = (item for item in war.forces.values() if item.faction != winner and item.units and item.name not in gone)
    foreign = {at: panel for at, panel in war.panels.items() if panel.owner != winner}
    held = {at for at, panel in foreign.items() if panel.garrison or rules.kind(panel).seat}
    return {item.at for item in others} | held


def _remaining_force(battle: Battle, force: Force) -> Force:
    """Return what is left of a force, where it stands now, with one battle more; no order is spent by being attacked (AMB-05)."""
    units = tuple(_add_kills(battle, unit) for unit in force.units if unit.id in battle.fight.units)
    won = force.won + (battle.result(force.name) == "won")
    at = battle.retreats.get(force.name, battle.at)
    forced = force.forced or (force.tagged and at != battle.at)  # where a beaten force goes it takes nothing (AMB-11)
    return replace(force, units=units, at=at, fought=force.fought + 1, won=won, forced=forced)


def _resupply(rules: Rules, war: War, battle: Battle, losses: Mapping[str, int]) -> War:
    """Return the war with the basic units that forces get for their losses, where they stand now (lines 226, 237, 238, AMB-67)."""
    for force in [war.force(name) for name in battle.forces]:
        own = war.panels[force.at].owner == force.faction
        fed = force.at in supply(rules, war, force.faction)
        try:
            require_resupply(ResupplyCase(own=own, supplied=fed, lone_rogue=is_lone(war, force.faction)))
        except Refused:
            continue
        count = battles.count_grunts(rules.terms, battle.result(force.name), losses[force.name])
        war, units = war.new_units([war.factions[force.faction].grunt] * count)
        war = war.with_forces(replace(force, units=(*force.units, *units)))
    return war


def play_act(rules: Rules, war: War, at: Hex, order: Order, throw: Thrower) -> tuple[War, OrderResult]:
    """Return the war after an order on the board of a battle, which stays as it is then even if that has ended it."""
    battle = battle_on(war, at)
    fight, happened = play_order(rules.terms, battle.fight, order, throw)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)}), happened


def close_battle(rules: Rules, war: War, at: Hex) -> War:
    """Return the war after a battle that is over and for which no retreat is awaited; else the war as it is."""
    over = battle_on(war, at).fight.ended.over
    return conclude_battle(rules, war, at) if over and not retreating_forces(rules, war, at) else war


def list_retreats(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """Return where a beaten force can go: beside the battle, no force there, no enemy's stronghold, capitol or installation (AMB-10)."""
    battle = battle_on(war, at)
    war, _ = conquer(rules, war, battle)  # what lies around is the winner's before the loser goes (AMB-11)
    land = land_of(rules, war, force.faction)
    closed = {item.at for item in war.forces.values()} | war.reserved | land.enemies
    closed |= {panel for panel in land.installed if land.is_foreign(panel)}
    return find_free_beside(at, war.panels, closed)


def list_shelters(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """Return where a game master may send a beaten force to which no panel beside the battle is free: wherever it could be put (AMB-10)."""
    if list_retreats(rules, war, at, force):
        return ()
    battle = battle_on(war, at)
    then, _ = conquer(rules, war, battle)
    return tuple(panel for panel in war.panels if _is_shelter(rules, then, force, panel))


def _is_shelter(rules: Rules, then: War, force: Force, panel: Hex) -> bool:
    """Return whether a beaten force could be put on a panel, wherever that is, once the winner has taken what is around the battle."""
    try:
        require_place(rules, then, panel, force.faction)
    except Refused:
        return False
    return True


class FightAction(WarAction, frozen=True, tag="fight"):
    """An order on the board of the battle on a panel."""

    at: Hex
    order: Order

    def apply(self, rules: Rules, war: War, throw: Thrower = no_die) -> War:
        """Return the war after the order, and after the battle where that ends it."""
        require_may_act(war, self.at, self.order, self.actor)
        return close_battle(rules, play_act(rules, war, self.at, self.order, throw)[0], self.at)


class Retreat(WarAction, frozen=True):
    """A beaten force goes to a panel; None gives it up, where none is free."""

    who: str
    to: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war after the force has said where it goes; where no panel is free, a game master may send it elsewhere (AMB-10)."""
        name, to = self.who, self.to
        force = war.force(name)
        require_own(self.actor, force.commander, war.commanded_by(force))
        at = next((place for place in war.battles if force in retreating_forces(rules, war, place)), None)
        if at is None:
            raise Refused("E_NO_TARGET", f"{name} doesn't have to retreat from a battle.")
        battle, free = war.battles[at], list_retreats(rules, war, at, force)
        if to is None and free:
            raise Refused("E_OCCUPIED", f"{name} can still retreat. Pick a panel: {list_panels(free, 'or')}.")
        if to is None:
            forces = {other: side for other, side in battle.forces.items() if other != name}
            war, battle = war.without_forces([name]), replace(battle, forces=forces)
        elif not free:
            self._require_shelter(rules, war, at)
            battle = replace(battle, retreats={**battle.retreats, name: to})
        else:
            require_retreat(at, to, war.panels, set(war.panels) - {*free})
            battle = replace(battle, retreats={**battle.retreats, name: to})
        war = replace(war, battles={**war.battles, at: battle})
        return war if retreating_forces(rules, war, at) else conclude_battle(rules, war, at)

    def _require_shelter(self, rules: Rules, war: War, at: Hex) -> None:
        """Refuse where a beaten force is sent to which no panel is free, unless a game master does that and it could be put there."""
        if self.actor is not None:
            raise Refused(
                "E_OCCUPIED", f"No panel next to {at} is free. A game master places {self.who}, or it is lost."
            )
        if self.to not in list_shelters(rules, war, at, war.force(self.who)):
            raise Refused(
                "E_OCCUPIED", f"{self.who} can't be placed on {self.to}: pick an empty panel without a battle."
            )


def describe_withdrawal(rules: Rules, war: War, at: Hex, side: str) -> Iterator[str]:
    """Yield who wins the battle on a panel where a side withdraws, with which gold and panels, and how many basic units each of its forces gets."""
    battle = battle_on(war, at)
    battle = replace(battle, fight=play_order(rules.terms, battle.fight, Withdraw(side), no_die)[0])
    then, winner = conquer(rules, war, battle)
    if winner is not None:
        gains = " and ".join([*_gold_gain(rules, then, winner, battle.fight.turn), *_land_gain(war, then, winner)])
        yield f"{starting(side_name(then, winner))} wins the battle{f' and gets {gains}' if gains else ''}."
    for name, fights in battle.forces.items():
        if fights == side and not is_lone(war, war.force(name).faction):
            basic = count_replacements(rules, war, battle, war.force(name))
            yield (
                f"{name} gets {counted(basic, 'basic units')} for its losses."
                if basic
                else f"{name} gets no basic units."
            )


def _gold_gain(rules: Rules, then: War, winner: str, turn: int) -> Iterator[str]:
    paid = battle_gold(rules.terms, "won", turn) if winner in then.factions else 0
    if paid:
        yield f"{paid} gold"


def _land_gain(war: War, then: War, winner: str) -> Iterator[str]:
    taken = [at for at, panel in then.panels.items() if panel.owner == winner != war.panels[at].owner]
    if taken:
        yield f"the panel{'s' if len(taken) > 1 else ''} {list_panels(taken)}"


class ResupplyCase(Struct, frozen=True):
    """A force after a battle: whether its panel is its own faction's and supplied, and whether it is a lone rogue's."""

    own: bool = True
    supplied: bool = True
    lone_rogue: bool = False


def require_resupply(force: ResupplyCase) -> None:
    """Refuse basic units where there are none (lines 82, 89, AMB-67)."""
    require_no_rogue("free resupply", lone_rogue=force.lone_rogue)
    if force.own and not force.supplied:
        raise Refused("E_CUT_OFF", "That panel is cut off from the capitol, so it gets no basic units.")
