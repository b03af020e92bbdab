"""The end of a battle on the map: captures, retreats, rogues, basic units, gold (lines 25, 64 to 97, 226 to 273)."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import battles, capture
from rules.books.total_war.battles import battle_on, count_replacements, list_retreating, require_may_act, side_name
from rules.books.total_war.board_orders import OrderResult, play_order
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.combat import Thrower, no_die
from rules.books.total_war.economy import battle_gold, reward_victory
from rules.books.total_war.fight import Order, Withdraw
from rules.books.total_war.land import Victory, find_captured, find_free_beside, list_panels, require_retreat
from rules.books.total_war.order_kinds import require_no_rogue, require_own
from rules.books.total_war.war import Force, Rules, Unit, War, WarAction, WarBattle, is_lone, land_of, supply
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
    war = _resupply(rules, capture.dissolve_rogues(rules, war), battle, losses)
    war = war.without_forces(name for name in battle.forces if not war.force(name).units)
    if winner is None or winner not in war.factions:
        return war
    return reward_victory(rules, war, winner, battle.fight.turn)


def _keep_garrison(war: War, battle: WarBattle) -> War:
    """Keep surviving guards with their kills; a beaten garrison is lost, and extra defenders leave."""
    owner = war.panels[battle.at].owner
    units = tuple(unit for unit in war.panels[battle.at].garrison if unit.id not in battle.filled)
    if battle.winner not in {None, battle.attacker if owner == battle.attacker else battle.defender}:
        units = tuple(unit for unit in units if unit.id not in battle.garrison)
    left = tuple(
        _add_kills(battle, unit) for unit in units if unit.id in battle.fight.units or unit.id not in battle.garrison
    )
    return war.with_panel(battle.at, garrison=left)


def _add_kills(battle: WarBattle, unit: Unit) -> Unit:
    return replace(unit, kills=battles.kills_of([unit.kills, battle.fight.kills.get(unit.id, 0)]))


def _conquer(rules: Rules, war: War, battle: WarBattle) -> tuple[War, str | None]:
    """Give the winner the panel and its surroundings; return the winner, maybe a new faction."""
    side, at = battle.winner, battle.at
    if side is None:
        return war, None
    winner = _current_side(war, side)
    loser = _current_side(war, battle.defender if side == battle.attacker else battle.attacker)
    own = [name for name, fights in battle.forces.items() if fights == side]
    pieces = [rules.terms.of(Piece, war.force(name).kind) for name in own]
    founding = False
    if is_lone(war, winner):  # founds by an attack on a stronghold with a squadron; a fleet doesn't (line 91)
        attacks = side == battle.attacker and capture.founds_on(rules.terms, war.panels[at].kind)
        founding = attacks and any(piece.follows for piece in pieces)
        if not founding:
            return capture.remove_superweapons(capture.take_panels(rules, war, [at], winner), [at], winner), winner
        war, winner = capture.create_rogue_faction(rules, war, winner)
    won = Victory(at, winner, loser, any(piece.takes_passing for piece in pieces), founding)
    beaten = battle.forces.keys() - own
    guarded = {
        item.at for item in war.forces.values() if item.faction != winner and item.units and item.name not in beaten
    }
    foreign = {place: panel for place, panel in war.panels.items() if panel.owner != winner}
    guarded |= {place for place, panel in foreign.items() if panel.garrison or rules.kind(panel).seat}  # AMB-17
    gained = find_captured(rules.terms, won, war.owners, guarded, war.battles)
    return capture.take_panels(rules, war, gained, winner), winner


def _current_side(war: War, side: str) -> str:
    """Return the faction that a lone rogue has founded meanwhile, else the side."""
    player = war.players.get(side) if is_lone(war, side) else None
    return side if player is None or player.faction is None else player.faction


def _update_force(battle: WarBattle, force: Force) -> Force:
    """Return a force after its battle; being attacked uses up no order (AMB-05)."""
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
            require_resupply(ResupplyCase(own=own, supplied=fed, lone_rogue=is_lone(war, force.faction)))
        except Refused:
            continue
        count = battles.count_grunts(rules.terms, battle.result(force.name), losses[force.name])
        war, units = war.new_units([war.factions[force.faction].grunt] * count)
        war = war.with_forces(replace(force, units=(*force.units, *units)))
    return war


def play_act(rules: Rules, war: War, at: Hex, order: Order, throw: Thrower) -> tuple[War, OrderResult]:
    """Return the war after a board order, and its result; the battle stays open even if it is over."""
    battle = battle_on(war, at)
    fight, result = play_order(rules.terms, battle.fight, order, throw)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)}), result


def close_battle(rules: Rules, war: War, at: Hex) -> War:
    """Close a battle if it is over and no retreat is missing; else return the war unchanged."""
    over = battle_on(war, at).fight.outcome.over
    return _conclude_battle(rules, war, at) if over and not list_retreating(rules, war, at) else war


def list_retreats(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """List free panels next to the battle where a beaten force can go (AMB-10)."""
    battle = battle_on(war, at)
    war, _ = _conquer(rules, war, battle)  # the winner takes these panels first (AMB-11)
    land = land_of(rules, war, force.faction)
    closed = {item.at for item in war.forces.values()} | war.retreat_panels | land.enemies
    closed |= {panel for panel in land.installed if land.is_foreign(panel)}
    return find_free_beside(at, war.panels, closed)


def list_shelters(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """List where a game master can send a beaten force; empty if it can retreat (AMB-10)."""
    found: list[Hex] = []
    if not list_retreats(rules, war, at, force):
        then, _ = _conquer(rules, war, battle_on(war, at))
        for panel in war.panels:
            with suppress(Refused):
                capture.require_place(rules, then, panel, force.faction)
                found.append(panel)
    return tuple(found)


class FightAction(WarAction, frozen=True, tag="fight"):
    """An order on a battle's board, as the war's log stores it."""

    at: Hex
    order: Order

    def apply(self, rules: Rules, war: War, throw: Thrower = no_die) -> War:
        """Apply the order, and close the battle if it ends."""
        require_may_act(war, self.at, self.order, self.actor)
        return close_battle(rules, play_act(rules, war, self.at, self.order, throw)[0], self.at)


class Retreat(WarAction, frozen=True):
    """A beaten force goes to a panel; None gives it up if no panel is free."""

    who: str
    to: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Record the retreat, and close the battle after the last; game masters may choose further panels (AMB-10)."""
        name, to = self.who, self.to
        force = war.force(name)
        require_own(self.actor, force.commander, war.describe_commander(force))
        at = next((place for place in war.battles if force in list_retreating(rules, war, place)), None)
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
        return war if list_retreating(rules, war, at) else _conclude_battle(rules, war, at)

    def _require_shelter(self, rules: Rules, war: War, at: Hex) -> None:
        if self.actor is not None:
            what = f"No panel next to {at} is free. A game master places {self.who}, or it is lost."
            raise Refused("E_OCCUPIED", what)
        if self.to not in list_shelters(rules, war, at, war.force(self.who)):
            what = f"{self.who} can't be placed on {self.to}: pick an empty panel without a battle."
            raise Refused("E_OCCUPIED", what)


def describe_withdrawal(rules: Rules, war: War, at: Hex, side: str) -> Iterator[str]:
    """Describe what a side's withdrawal gives: gold and panels to the winner, basic units to its own forces."""
    battle = battle_on(war, at)
    battle = replace(battle, fight=play_order(rules.terms, battle.fight, Withdraw(side), no_die)[0])
    then, winner = _conquer(rules, war, battle)
    if winner is not None:
        paid = battle_gold(rules.terms, "won", battle.fight.turn) if winner in then.factions else 0
        taken = [place for place, panel in then.panels.items() if panel.owner == winner != war.panels[place].owner]
        gains = [f"{paid} gold"] if paid else []
        gains += [f"the panel{'s' if len(taken) > 1 else ''} {list_panels(taken)}"] if taken else []
        gets = f" and gets {' and '.join(gains)}" if gains else ""
        yield f"{upper_first(side_name(then, winner))} wins the battle{gets}."
    for name, fights in battle.forces.items():
        if fights == side and not is_lone(war, war.force(name).faction):
            basic = count_replacements(rules, war, battle, war.force(name))
            gets = f"{format_count(basic, 'basic units')} for its losses" if basic else "no basic units"
            yield f"{name} gets {gets}."


class ResupplyCase(Struct, frozen=True):
    """What decides whether a force gets basic units after a battle."""

    own: bool = True
    supplied: bool = True
    lone_rogue: bool = False


def require_resupply(force: ResupplyCase) -> None:
    """Refuse basic units to lone rogues and on land that is cut off (lines 82, 89, AMB-67)."""
    require_no_rogue("free resupply", lone_rogue=force.lone_rogue)
    if force.own and not force.supplied:
        raise Refused("E_CUT_OFF", "That panel is cut off from the capitol, so it gets no basic units.")
