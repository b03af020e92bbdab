"""Who may act in a war that is on: nobody once it is won, and on a board whoever commands the side."""

from __future__ import annotations

from rules.books.total_war.deeds import Fight
from rules.books.total_war.ending import require_running
from rules.books.total_war.leaving import battle_on
from rules.books.total_war.orders import Condition, Next, Order, Withdraw
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Battle, War
from rules.phrases import possessive


def require_going(war: War) -> None:
    """Refuse whatever comes after a war is won."""
    if war.winner is not None:
        raise Refused("E_GAME_OVER", f"The war is over: {war.called(war.winner)} has won.")


def require_fought(war: War, battle: Battle) -> None:
    """Refuse whatever comes after the end of a battle."""
    state = battle.fight.ended
    require_running(state, war.called(state.winner or ""))


def require_side(war: War, deed: Fight) -> None:
    """Refuse what comes too late, or from whoever commands no force of the side that acts; who withdraws does so for their own side."""
    battle = battle_on(war, deed.at)
    require_fought(war, battle)
    if deed.actor is None:
        _require_half(war, battle, deed.order)
        return
    if isinstance(deed.order, Condition):
        raise Refused("E_NOT_YOURS", "Only game masters say whether a special condition is met.")
    side = getattr(deed.order, "side", battle.fight.active)
    sides = {battle.forces[name] for name in battle.forces if war.force(name).commander == deed.actor}
    leads = {name for name, faction in war.factions.items() if faction.leader == deed.actor}
    if side in sides | leads:
        _require_half(war, battle, deed.order)
        return
    called = war.called(side)
    own = (sides | leads) & {battle.attacker, battle.defender}
    if not own:
        raise Refused("E_NOT_YOURS", f"{deed.actor} has no force in the battle on {deed.at}.")
    if not isinstance(deed.order, Withdraw):
        raise Refused("E_NOT_YOURS", f"It's {possessive(called)} half of the turn on {deed.at}. Yours comes after it.")
    raise Refused("E_NOT_YOURS", f"{deed.actor} has no force of {called} on {deed.at}.")


def _require_half(war: War, battle: Battle, order: Order) -> None:
    """Refuse units whose side waits for its half of the turn, and a side that ends another's."""
    fight, names = battle.fight, (getattr(order, "unit", ""), *getattr(order, "others", ()))
    now = f"it's {possessive(war.called(fight.active))} half of turn {fight.turn}"
    for name in names:
        unit = fight.units.get(name)
        if unit is not None and unit.side != fight.active:
            raise Refused("E_NOT_YOURS", f"{name} belongs to {war.called(unit.side)}, and {now}.")
    if isinstance(order, Next) and order.side != fight.active:
        raise Refused("E_NOT_YOURS", f"{war.called(order.side)} can't end it: {now}.")
