"""Posts and ranks: who may do what, and command how much (lines 28, 47, 244)."""

from __future__ import annotations

from rules.books.total_war.catalog import Refused
from rules.books.total_war.scenario import Rank, Scenario
from rules.books.total_war.war import Player, Rules, War
from rules.phrases import format_count

SUPREME, FLEET, SQUADRON = "supreme_commander", "fleet_commander", "squadron_commander"


def require_own(actor: str | None, commander: str | None, called: str | None = None) -> None:
    """Refuse another player's force (line 30); game masters (None) order any."""
    if actor is not None and actor != commander:
        who = called or commander or "no player"
        raise Refused("E_NOT_YOURS", f"{actor} doesn't command that force: {who} does.")


def require_self(actor: str | None, player: str) -> None:
    """Refuse orders for another player (line 87); game masters (None) may."""
    if actor not in {None, player}:
        raise Refused("E_NOT_YOURS", f"{actor} can't order that: only {player} can.")


def require_supreme(role: str, does: str) -> None:
    """Refuse all but the supreme commander (line 47)."""
    if role != SUPREME:
        raise Refused("E_NOT_COMMANDER", f"Only the supreme commander {does}.")


def require_promoter(role: str, *, rogue_faction: bool, captured: bool) -> None:
    """Refuse promotions; a rogue faction needs a captured capitol (line 99)."""
    require_supreme(role, "can promote")
    if rogue_faction and not captured:
        raise Refused("E_ROGUE_NO_PROMOTION", "A rogue faction can promote only while it owns a captured capitol.")


def require_rank(rank: Rank, units: int, squadrons: int, fleets: int, player: str | None = None) -> None:
    """Refuse more than a rank allows (lines 28, 30)."""
    whose = "" if player is None else f"{player} with "
    if units > rank.squadron_size:
        what = f"{whose}{format_count(units, 'units')}: the rank {rank.name} allows {rank.squadron_size} in a squadron."
        raise Refused("E_SQUADRON_FULL", what)
    for count, most, what in ((squadrons, rank.squadrons, "squadrons"), (fleets, rank.fleets, "fleets")):
        if count > most:
            raise Refused("E_RANK", f"{whose}{format_count(count, what)}: the rank {rank.name} allows {most}.")


def require_no_rogue(what: str, *, lone_rogue: bool, who: str = "A lone rogue") -> None:
    """Refuse what lone rogues don't get (line 89)."""
    if lone_rogue:
        raise Refused("E_ROGUE", f"{who} can't get {what}.")


def role_of(war: War, actor: str | None, faction: str) -> str:
    """Return a player's post in a faction; game masters (None) have the highest."""
    if actor is None or actor == war.factions[faction].leader:
        return SUPREME
    return FLEET if actor == unit_assigner(war, faction) else SQUADRON


def require_leader(war: War, actor: str | None, faction: str, does: str) -> None:
    """Refuse all but the leader; a game master acts for a faction without one (AMB-30)."""
    if role_of(war, actor, faction) != SUPREME:
        side = war.factions[faction]
        none = f", and {side.name} has none. A game master appoints one, or acts for it."
        what = f"Only the supreme commander {does}{f' ({side.leader}).' if side.leader else none}"
        raise Refused("E_NOT_COMMANDER", what)


def require_faction(war: War, faction: str) -> None:
    """Refuse unknown factions."""
    if faction not in war.factions:
        known = ", ".join(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction (known: {known}).")


def player_of(war: War, name: str) -> Player:
    """Return a player of the war."""
    if name not in war.players:
        raise Refused("E_NO_TARGET", f"{name} isn't in this war.")
    return war.players[name]


def faction_of_player(war: War, player: str) -> str:
    """Return a player's faction; refuse lone rogues."""
    faction = player_of(war, player).faction
    if faction is None:
        raise Refused("E_ROGUE", f"{player} is a lone rogue.")
    return faction


def rank_named(scenario: Scenario, name: str) -> Rank:
    """Return the rank with a name."""
    found = next((rank for rank in scenario.ranks if rank.name == name), None)
    if found is None:
        raise Refused("E_RANK", f"{name} isn't a rank (known: {', '.join(rank.name for rank in scenario.ranks)}).")
    return found


def require_holding(rules: Rules, war: War, player: str) -> None:
    """Refuse more than a player's rank allows; leaders have any number of forces (line 28)."""
    person = player_of(war, player)
    rank = rank_named(rules.scenario, person.rank)
    own = [item for item in war.forces.values() if item.commander == player]
    squadrons = [item for item in own if item.kind == "squadron"]
    units = max((len(item.units) for item in squadrons), default=0)
    leads = person.faction is not None and war.factions[person.faction].leader == player
    fleets = 0 if leads else sum(item.kind == "fleet" for item in own)
    require_rank(rank, units, 0 if leads else len(squadrons), fleets, player)


def has_fleet(war: War, player: str, faction: str) -> bool:
    """Check whether a player commands a faction's fleet."""
    fleets = (item for item in war.forces.values() if item.kind == "fleet" and item.faction == faction)
    return any(item.commander == player for item in fleets)


def unit_assigner(war: War, faction: str) -> str | None:
    """Return the fleet commander who may assign new units, if any (line 244)."""
    delegate = war.factions[faction].delegate
    return delegate if delegate is not None and has_fleet(war, delegate, faction) else None
