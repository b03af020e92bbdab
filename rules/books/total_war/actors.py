"""Who may act in a war that is on: nobody once it is won, and on a board whoever commands the side."""

from __future__ import annotations

from rules.books.total_war.deeds import Fight
from rules.books.total_war.leaving import battle_on
from rules.books.total_war.orders import Condition, Withdraw
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import War


def require_going(war: War) -> None:
    """Refuse whatever comes after a war is won.

    Raises:
        Refused: E_GAME_OVER.

    """
    if war.winner is not None:
        winner = war.factions.get(war.winner)  # a rogue faction may have won and be gone
        raise Refused("E_GAME_OVER", f"The war is over: {winner.name if winner else war.winner} has won.")


def require_side(war: War, deed: Fight) -> None:
    """Refuse whoever commands no force of the side that acts in a battle; who withdraws does so for their own side.

    Raises:
        Refused: E_NO_TARGET or E_NOT_YOURS.

    """
    battle = battle_on(war, deed.at)
    if deed.actor is None:
        return
    if isinstance(deed.order, Condition):
        raise Refused("E_NOT_YOURS", "Whether a special condition is met is the game master's to say.")
    side = getattr(deed.order, "side", battle.fight.active)
    sides = {battle.forces[name] for name in battle.forces if war.force(name).commander == deed.actor}
    leads = {name for name, faction in war.factions.items() if faction.leader == deed.actor}
    if side in sides | leads:
        return
    called = war.factions[side].name if side in war.factions else side
    if not isinstance(deed.order, Withdraw) and (sides | leads) & {battle.attacker, battle.defender}:
        raise Refused("E_NOT_YOURS", f"It is {called}'s half of the turn on {deed.at}: yours comes when it ends.")
    raise Refused("E_NOT_YOURS", f"{deed.actor} commands nobody of {called} on {deed.at}.")
