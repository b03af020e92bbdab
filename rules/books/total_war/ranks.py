"""Who has which post and rank in a faction, and what they may do and hold there (lines 28, 47, 244)."""

from __future__ import annotations

from rules.books.total_war.scenario import Rank, Scenario
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Player, Rules, War
from rules.phrases import counted

SUPREME, FLEET, SQUADRON = "supreme_commander", "fleet_commander", "squadron_commander"


def require_own(actor: str | None, commander: str | None, called: str | None = None) -> None:
    """Refuse somebody else's force (line 30); for one that nobody commands a game master orders, who is no actor.

    `called` is what the commander is called, if not so.
    """
    if actor is not None and actor != commander:
        who = called or commander or "no player"
        raise Refused("E_NOT_YOURS", f"{actor} doesn't command that force: {who} does.")


def require_self(actor: str | None, player: str) -> None:
    """Refuse what a player does for somebody else (line 87); a game master is no actor."""
    if actor not in {None, player}:
        raise Refused("E_NOT_YOURS", f"{actor} can't order that: only {player} can.")


def require_supreme(role: str, does: str) -> None:
    """Refuse whoever is not the supreme commander (line 47)."""
    if role != SUPREME:
        raise Refused("E_NOT_COMMANDER", f"Only the supreme commander {does}.")


def require_promoter(role: str, *, rogue_faction: bool, captured: bool) -> None:
    """Refuse who does not promote: a rogue faction only with the capitol of a true faction that it has `captured` (line 99)."""
    require_supreme(role, "can promote")
    if rogue_faction and not captured:
        raise Refused("E_ROGUE_NO_PROMOTION", "A rogue faction can promote only while it owns a captured capitol.")


def require_rank(rank: Rank, units: int, squadrons: int, fleets: int, player: str | None = None) -> None:
    """Refuse more than a rank holds (lines 28, 30), naming the player of whom it is asked."""
    whose = "" if player is None else f"{player} with "
    if units > rank.squadron_size:
        what = f"{whose}{counted(units, 'units')}: the rank {rank.name} allows {rank.squadron_size} in a squadron."
        raise Refused("E_SQUADRON_FULL", what)
    for count, most, what in ((squadrons, rank.squadrons, "squadrons"), (fleets, rank.fleets, "fleets")):
        if count > most:
            raise Refused("E_RANK", f"{whose}{counted(count, what)}: the rank {rank.name} allows {most}.")


def require_no_rogue(what: str, *, lone_rogue: bool, who: str = "A lone rogue") -> None:
    """Refuse what a lone rogue, called `who`, does not get (line 89)."""
    if lone_rogue:
        raise Refused("E_ROGUE", f"{who} can't get {what}.")


def role_of(war: War, actor: str | None, faction: str) -> str:
    """Return the post of a player in a faction; a game master (None) has the highest."""
    side = war.factions[faction]
    if actor is None or actor == side.leader:
        return SUPREME
    return FLEET if actor == side.delegate and has_fleet(war, actor, faction) else SQUADRON


def require_leader(war: War, actor: str | None, faction: str, does: str) -> None:
    """Refuse whoever does not lead a faction, and say who does; a game master acts for one without a leader, and appoints one (AMB-30)."""
    if role_of(war, actor, faction) != SUPREME:
        side = war.factions[faction]
        none = f", and {side.name} has none. A game master appoints one, or acts for it."
        raise Refused(
            "E_NOT_COMMANDER", f"Only the supreme commander {does}{f' ({side.leader}).' if side.leader else none}"
        )


def require_faction(war: War, faction: str) -> None:
    """Refuse a faction that there is not."""
    if faction not in war.factions:
        known = ", ".join(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction (known: {known}).")


def player_of(war: War, name: str) -> Player:
    """Return a player."""
    if name not in war.players:
        raise Refused("E_NO_TARGET", f"{name} isn't in this war.")
    return war.players[name]


def faction_of_player(war: War, player: str) -> str:
    """Return a player's faction; refuse a lone rogue, who has none."""
    faction = player_of(war, player).faction
    if faction is None:
        raise Refused("E_ROGUE", f"{player} is a lone rogue.")
    return faction


def rank_named(scenario: Scenario, name: str) -> Rank:
    """Return a rank."""
    found = next((rank for rank in scenario.ranks if rank.name == name), None)
    if found is None:
        raise Refused("E_RANK", f"{name} isn't a rank (known: {', '.join(rank.name for rank in scenario.ranks)}).")
    return found


def require_holding(rules: Rules, war: War, player: str) -> None:
    """Refuse more than a player's rank holds; a supreme commander has any number of forces (line 28), each as large as the rank says."""
    kept = player_of(war, player)
    rank = rank_named(rules.scenario, kept.rank)
    own = [item for item in war.forces.values() if item.commander == player]
    squadrons = [item for item in own if item.kind == "squadron"]
    units = max((len(item.units) for item in squadrons), default=0)
    leads = kept.faction is not None and war.factions[kept.faction].leader == player
    fleets = 0 if leads else sum(item.kind == "fleet" for item in own)
    require_rank(rank, units, 0 if leads else len(squadrons), fleets, player)


def has_fleet(war: War, player: str, faction: str) -> bool:
    """Return whether a player commands a fleet of a faction."""
    fleets = (item for item in war.forces.values() if item.kind == "fleet" and item.faction == faction)
    return any(item.commander == player for item in fleets)


def unit_assigner(war: War, faction: str) -> str | None:
    """Return the fleet commander to whom a faction's leader has handed the allotting of units, if that still is one (line 244)."""
    delegate = war.factions[faction].delegate
    return delegate if delegate is not None and has_fleet(war, delegate, faction) else None


def set_delegate(war: War, faction: str, player: str | None) -> War:
    """Return the war with a faction's delegate, who needs a fleet (line 244)."""
    if player is not None and not has_fleet(war, player, faction):
        raise Refused("E_RANK", f"{player} doesn't command a fleet of {war.factions[faction].name}.")
    return war.with_side(faction, delegate=player)
