"""The end of a battle on the map: captures, retreats, rogues, basic units, gold (lines 25, 64 to 97, 226 to 273)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from msgspec.structs import replace

from rules.books.total_war import battles, course, economy, movement, order_kinds
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.combat import OrderResult, Thrower, no_die, play_order
from rules.books.total_war.fight import Order, Withdraw
from rules.books.total_war.war import Force, Rules, Unit, War, WarAction, WarBattle, supply
from rules.geometry import Hex
from rules.phrases import format_count, upper_first


def _conclude_battle(rules: Rules, war: War, at: Hex) -> War:
    battle = war.battles[at]
    war = replace(war, battles={place: item for place, item in war.battles.items() if place != at})
    left = battle.fight.units
    losses = {name: sum(unit.id not in left for unit in war.force(name).units) for name in battle.forces}
    war = _keep_garrison(war, battle)
    war, winner = _conquer(rules, war, battle)
    war = war.with_forces(*(_update_force(battle, war.force(name)) for name in battle.forces))
    war = _resupply(rules, course.dissolve_rogues(rules, war), battle, losses)
    war = war.without_forces(name for name in battle.forces if not war.force(name).units)
    if winner is None or winner not in war.factions:
        return war
    paid = economy.battle_gold(rules.terms, "won", battle.fight.turn) or 0
    return war.with_side(winner, gold=war.factions[winner].gold + paid)


def _keep_garrison(war: War, battle: WarBattle) -> War:
    # Keep surviving guards with their kills; a beaten garrison is lost, and extra defenders leave.
    owner = war.panels[battle.at].owner
    units = tuple(unit for unit in war.panels[battle.at].garrison if unit.id not in battle.filled)
    if battle.winner not in {None, battle.attacker if owner == battle.attacker else battle.defender}:
        units = tuple(unit for unit in units if unit.id not in battle.garrison)
    lost = battle.garrison - battle.fight.units.keys()
    left = tuple(_add_kills(battle, unit) for unit in units if unit.id not in lost)
    return war.with_panel(battle.at, garrison=left)


def _add_kills(battle: WarBattle, unit: Unit) -> Unit:
    return replace(unit, kills=battles.kills_of([unit.kills, battle.fight.kills.get(unit.id, 0)]))


def _conquer(rules: Rules, war: War, battle: WarBattle) -> tuple[War, str | None]:
    side, at = battle.winner, battle.at
    if side is None:
        return war, None
    winner = _current_side(war, side)
    loser = _current_side(war, battle.defender if side == battle.attacker else battle.attacker)
    own = [name for name, fights in battle.forces.items() if fights == side]
    pieces = [rules.terms.of(Piece, war.force(name).kind) for name in own]
    founding = False
    if war.is_lone(winner):  # founds by an attack on a stronghold with a squadron; a fleet doesn't (line 91)
        attacks = side == battle.attacker and course.founds_on(rules.terms, war.panels[at].kind)
        founding = attacks and any(piece.follows for piece in pieces)
        if not founding:
            return course.remove_superweapons(course.take_panels(rules, war, [at], winner), [at], winner), winner
        war, winner = course.create_rogue_faction(rules, war, winner)
    won = movement.Victory(at, winner, loser, any(piece.takes_passing for piece in pieces), founding)
    beaten = battle.forces.keys() - own
    others = (item for item in war.forces.values() if item.faction != winner and item.name not in beaten)
    guarded = {item.at for item in others if item.units}
    foreign = {place: panel for place, panel in war.panels.items() if panel.owner != winner}
    guarded |= {place for place, panel in foreign.items() if panel.garrison or rules.kind(panel).seat}  # AMB-17
    gained = movement.find_captured(rules.terms, won, war.owners, guarded, war.battles)
    return course.take_panels(rules, war, gained, winner), winner


def _current_side(war: War, side: str) -> str:
    player = war.players.get(side) if war.is_lone(side) else None
    return side if player is None or player.faction is None else player.faction


def _update_force(battle: WarBattle, force: Force) -> Force:
    # Return a force after its battle; being attacked uses up no order (AMB-05).
    units = tuple(_add_kills(battle, unit) for unit in force.units if unit.id in battle.fight.units)
    won = force.won + (battle.result(force.name) == "won")
    at = battle.retreats.get(force.name, battle.at)
    forced = force.forced or (force.tagged and at != battle.at)  # a beaten force takes nothing (AMB-11)
    return replace(force, units=units, at=at, fought=force.fought + 1, won=won, forced=forced)


def _resupply(rules: Rules, war: War, battle: WarBattle, losses: Mapping[str, int]) -> War:
    for force in [war.force(name) for name in battle.forces]:
        own = war.panels[force.at].owner == force.faction
        fed = force.at in supply(rules, war, force.faction)
        try:
            require_resupply(own=own, supplied=fed, lone_rogue=war.is_lone(force.faction))
        except Refused:
            continue
        count = battles.count_grunts(rules.terms, battle.result(force.name), losses[force.name])
        war, units = war.new_units([war.factions[force.faction].grunt] * count)
        war = war.with_forces(replace(force, units=(*force.units, *units)))
    return war


def play_act(rules: Rules, war: War, at: Hex, order: Order, throw: Thrower) -> tuple[War, OrderResult]:
    """Return the war after a board order, and its result; the battle stays open even if it is over."""
    battle = battles.battle_on(war, at)
    fight, result = play_order(rules.terms, battle.fight, order, throw)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)}), result


def close_battle(rules: Rules, war: War, at: Hex) -> War:
    """Close a battle if it is over and no retreat is missing; else return the war unchanged."""
    over = battles.battle_on(war, at).fight.outcome.over
    return _conclude_battle(rules, war, at) if over and not battles.list_retreating(rules, war, at) else war


def list_retreats(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """List free panels next to the battle where a beaten force can go (AMB-10)."""
    battle = battles.battle_on(war, at)
    war, _ = _conquer(rules, war, battle)  # the winner takes these panels first (AMB-11)
    land = movement.land_of(rules, war, force.faction)
    closed = {item.at for item in war.forces.values()} | war.retreat_panels | land.enemies
    closed |= {panel for panel in land.installed if land.is_foreign(panel)}
    return movement.find_free_beside(at, war.panels, closed)


def list_shelters(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """List where a game master can send a beaten force; empty if it can retreat (AMB-10)."""
    found: list[Hex] = []
    if not list_retreats(rules, war, at, force):
        then, _ = _conquer(rules, war, battles.battle_on(war, at))
        for panel in war.panels:
            with suppress(Refused):
                course.require_place(rules, then, panel, force.faction)
                found.append(panel)
    return tuple(found)


class FightAction(WarAction, frozen=True, tag="fight"):
    """An order on a battle's board, as the war's log stores it."""

    at: Hex
    order: Order

    def apply(self, rules: Rules, war: War, throw: Thrower = no_die) -> War:
        """Apply the order, and close the battle if it ends."""
        battles.require_may_act(war, self.at, self.order, self.actor)
        return close_battle(rules, play_act(rules, war, self.at, self.order, throw)[0], self.at)


class Retreat(WarAction, frozen=True):
    """A beaten force goes to a panel; None gives it up if no panel is free."""

    who: str
    to: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Record the retreat, and close the battle after the last; game masters may choose further panels (AMB-10)."""
        name, to = self.who, self.to
        force = war.force(name)
        order_kinds.require_own(self.actor, force.commander, war.describe_commander(force))
        at = next((place for place in war.battles if force in battles.list_retreating(rules, war, place)), None)
        if at is None:
            raise Refused("E_NO_TARGET", f"{name} doesn't have to retreat from a battle.")
        battle, free = war.battles[at], list_retreats(rules, war, at, force)
        if to is None and free:
            raise Refused("E_OCCUPIED", f"{name} can still retreat. Pick a panel: {movement.list_panels(free, 'or')}.")
        if to is None:
            forces = {other: side for other, side in battle.forces.items() if other != name}
            war, battle = war.without_forces([name]), replace(battle, forces=forces)
        elif not free:
            if self.actor is not None:
                what = f"No panel next to {at} is free. A game master places {name}, or it is lost."
                raise Refused("E_OCCUPIED", what)
            if to not in list_shelters(rules, war, at, force):
                raise Refused("E_OCCUPIED", f"{name} can't be placed on {to}: pick an empty panel without a battle.")
            battle = replace(battle, retreats={**battle.retreats, name: to})
        else:
            movement.require_retreat(at, to, war.panels, set(war.panels) - {*free})
            battle = replace(battle, retreats={**battle.retreats, name: to})
        war = replace(war, battles={**war.battles, at: battle})
        return war if battles.list_retreating(rules, war, at) else _conclude_battle(rules, war, at)


def describe_withdrawal(rules: Rules, war: War, at: Hex, side: str) -> Iterator[str]:
    """Describe what a side's withdrawal gives: gold and panels to the winner, basic units to its own forces."""
    battle = battles.battle_on(war, at)
    battle = replace(battle, fight=play_order(rules.terms, battle.fight, Withdraw(side), no_die)[0])
    then, winner = _conquer(rules, war, battle)
    if winner is not None:
        paid = economy.battle_gold(rules.terms, "won", battle.fight.turn) if winner in then.factions else 0
        taken = [place for place, panel in then.panels.items() if panel.owner == winner != war.panels[place].owner]
        gains = [f"{paid} gold"] if paid else []
        gains += [f"the panel{'s' if len(taken) > 1 else ''} {movement.list_panels(taken)}"] if taken else []
        gets = f" and gets {' and '.join(gains)}" if gains else ""
        yield f"{upper_first(battles.side_name(then, winner))} wins the battle{gets}."
    for name, fights in battle.forces.items():
        if fights == side and not war.is_lone(war.force(name).faction):
            basic = battles.count_replacements(rules, war, battle, war.force(name))
            gets = f"{format_count(basic, 'basic units')} for its losses" if basic else "no basic units"
            yield f"{name} gets {gets}."


def require_resupply(*, own: bool, supplied: bool, lone_rogue: bool) -> None:
    """Refuse basic units to lone rogues and on land that is cut off (lines 82, 89, AMB-67)."""
    order_kinds.require_no_rogue("free resupply", lone_rogue=lone_rogue)
    if own and not supplied:
        raise Refused("E_CUT_OFF", "That panel is cut off from the capitol, so it gets no basic units.")
