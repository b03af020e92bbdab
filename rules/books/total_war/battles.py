"""Battles of a war that are fought on a board, and lost with a retreat (lines 25, 226)."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.aftermath import concluded, conquered
from rules.books.total_war.deeds import Retreat
from rules.books.total_war.fighting import Happened, act
from rules.books.total_war.land import free_beside, require_retreat
from rules.books.total_war.leaving import battle_on, retreating
from rules.books.total_war.orders import Order
from rules.books.total_war.ranks import require_own
from rules.books.total_war.refusal import Refused
from rules.books.total_war.settings import require_place
from rules.books.total_war.tale import places
from rules.books.total_war.thrown import Throw
from rules.books.total_war.war import Force, Rules, War, land_of
from rules.geometry.hexes import Hex


def fought(rules: Rules, war: War, at: Hex, order: Order, throw: Throw) -> tuple[War, Happened]:
    """Return the war after an order on the board of a battle, and after the battle where that ends it."""
    war, happened = played(rules, war, at, order, throw)
    return closed(rules, war, at), happened


def played(rules: Rules, war: War, at: Hex, order: Order, throw: Throw) -> tuple[War, Happened]:
    """Return the war after an order on the board of a battle, which stays as it is then even if that has ended it."""
    battle = battle_on(war, at)
    fight, happened = act(rules.terms, battle.fight, order, throw)
    return replace(war, battles={**war.battles, at: replace(battle, fight=fight)}), happened


def closed(rules: Rules, war: War, at: Hex) -> War:
    """Return the war after a battle that is over and for which no retreat is awaited; else the war as it is."""
    over = battle_on(war, at).fight.ended.over
    return concluded(rules, war, at) if over and not retreating(rules, war, at) else war


def retreats(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """Return where a beaten force can go: beside the battle, no force there, no enemy's stronghold, capitol or installation (AMB-10)."""
    battle = battle_on(war, at)
    war, _ = conquered(rules, war, battle)  # what lies around is the winner's before the loser goes (AMB-11)
    land = land_of(rules, war, force.faction)
    closed = {item.at for item in war.forces.values()} | war.reserved | land.enemies
    closed |= {panel for panel in land.installed if land.is_foreign(panel)}
    return free_beside(at, war.panels, closed)


def shelters(rules: Rules, war: War, at: Hex, force: Force) -> tuple[Hex, ...]:
    """Return where a game master may send a beaten force to which no panel beside the battle is free: wherever it could be put (AMB-10)."""
    if retreats(rules, war, at, force):
        return ()
    battle = battle_on(war, at)
    then, _ = conquered(rules, war, battle)
    return tuple(panel for panel in war.panels if _is_shelter(rules, then, force, panel))


def _is_shelter(rules: Rules, then: War, force: Force, panel: Hex) -> bool:
    """Return whether a beaten force could be put on a panel, wherever that is, once the winner has taken what is around the battle."""
    try:
        require_place(rules, then, panel, force.faction)
    except Refused:
        return False
    return True


def retreated(rules: Rules, war: War, asked: Retreat) -> War:
    """Return the war after a beaten force has said where it goes; None gives it up, where no panel is free.

    Then a game master, who is no actor, may also send it elsewhere (AMB-10).
    """
    name, to = asked.who, asked.to
    force = war.force(name)
    require_own(asked.actor, force.commander, war.commanded_by(force))
    at = next((place for place in war.battles if force in retreating(rules, war, place)), None)
    if at is None:
        raise Refused("E_NO_TARGET", f"{name} doesn't have to retreat from a battle.")
    battle, free = war.battles[at], retreats(rules, war, at, force)
    if to is None and free:
        raise Refused("E_OCCUPIED", f"{name} can still retreat. Pick a panel: {places(free, 'or')}.")
    if to is None:
        forces = {other: side for other, side in battle.forces.items() if other != name}
        war, battle = war.without_forces([name]), replace(battle, forces=forces)
    elif not free:
        _require_shelter(rules, war, asked, at)
        battle = replace(battle, retreats={**battle.retreats, name: to})
    else:
        require_retreat(at, to, war.panels, set(war.panels) - {*free})
        battle = replace(battle, retreats={**battle.retreats, name: to})
    war = replace(war, battles={**war.battles, at: battle})
    return war if retreating(rules, war, at) else concluded(rules, war, at)


def _require_shelter(rules: Rules, war: War, asked: Retreat, at: Hex) -> None:
    """Refuse where a beaten force is sent to which no panel is free, unless a game master does that and it could be put there."""
    to, force = asked.to, war.force(asked.who)
    if asked.actor is not None:
        raise Refused("E_OCCUPIED", f"No panel next to {at} is free. A game master places {asked.who}, or it is lost.")
    if to not in shelters(rules, war, at, force):
        raise Refused("E_OCCUPIED", f"{asked.who} can't be placed on {to}: pick an empty panel without a battle.")
