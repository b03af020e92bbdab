"""Who belongs to which faction: promoted, given forces and posts, gone rogue, founding, taken in (lines 28, 47, 87 to 105, 244)."""

from __future__ import annotations

from itertools import count

from msgspec.structs import replace

from rules.books.total_war.catalog import Piece
from rules.books.total_war.colours import COLOURS, colour_of, is_apart, require_apart
from rules.books.total_war.deeds import Admit, Allot, Answer, Assign, Delegate, Found, Petition, Promote, Rogue
from rules.books.total_war.ranks import (
    FLEET,
    SQUADRON,
    SUPREME,
    Rank,
    require_allotter,
    require_no_rogue,
    require_promoter,
    require_rank,
    require_self,
)
from rules.books.total_war.refusal import Refused
from rules.books.total_war.rogues import capitol_taken, require_unused
from rules.books.total_war.scenario import Scenario
from rules.books.total_war.war import Player, Rules, Side, War, require_free, require_name, taken_by
from rules.names import unfit, visible
from rules.phrases import possessive


def role_of(war: War, actor: str | None, faction: str) -> str:
    """Return the post of a player in a faction; a game master (None) has the highest."""
    side = war.factions[faction]
    if actor is None or actor == side.leader:
        return SUPREME
    return FLEET if actor == side.delegate and _has_fleet(war, actor, faction) else SQUADRON


def require_leader(war: War, actor: str | None, faction: str, does: str) -> None:
    """Refuse whoever does not lead a faction, and say who does; a game master acts for one without a leader, and appoints one (AMB-30)."""
    if role_of(war, actor, faction) != SUPREME:
        side = war.factions[faction]
        none = f", and {side.name} has none. A game master appoints one, or acts for it."
        raise Refused(
            "E_NOT_COMMANDER", f"Only the supreme commander {does}{f' ({side.leader}).' if side.leader else none}"
        )


def player_of(war: War, name: str) -> Player:
    """Return a player."""
    if name not in war.players:
        raise Refused("E_NO_TARGET", f"{name} isn't in this war.")
    return war.players[name]


def rank_named(scenario: Scenario, name: str) -> Rank:
    """Return a rank."""
    found = next((rank for rank in scenario.ranks if rank.name == name), None)
    if found is None:
        raise Refused("E_RANK", f"{name} isn't a rank (known: {', '.join(rank.name for rank in scenario.ranks)}).")
    return found


def promoted(rules: Rules, war: War, asked: Promote) -> War:
    """Return the war with a player at another rank (line 47)."""
    lone = player_of(war, asked.player).faction is None
    require_no_rogue("promotion", lone_rogue=lone, who=f"{asked.player} (a lone rogue)")
    faction = _faction_of(war, asked.player)
    side = war.factions[faction]
    require_leader(war, asked.actor, faction, "can promote")
    captured = any(not other.rogue and _holds(war, faction, other) for other in war.factions.values())
    require_promoter(role_of(war, asked.actor, faction), rogue_faction=side.rogue, captured=captured)
    return war.with_player(asked.player, rank=rank_named(rules.scenario, asked.rank).name)


def assigned(rules: Rules, war: War, asked: Assign) -> War:
    """Return the war with a force under another commander, as far as the rank holds it (line 28)."""
    found, faction = war.force(asked.who), _faction_of(war, asked.player)
    if found.faction != faction:
        sides = f"{asked.who} belongs to {war.called(found.faction)}, {asked.player} to {war.called(faction)}"
        raise Refused("E_NOT_ALLIED", f"{sides}.")
    require_leader(war, asked.actor, faction, "can hand out forces")
    require_free(war, found)
    given = war.with_forces(replace(found, commander=asked.player))
    require_holding(rules, given, asked.player)
    return given


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


def delegated(_rules: Rules, war: War, asked: Delegate) -> War:
    """Return the war with the allotting of units handed to a fleet commander, or taken back (line 244)."""
    faction, player = asked.faction, asked.player
    require_faction(war, faction)
    require_leader(war, asked.actor, faction, "can let others assign units")
    if player is not None and not _has_fleet(war, player, faction):
        raise Refused("E_RANK", f"{player} doesn't command a fleet of {war.factions[faction].name}.")
    return war.with_side(faction, delegate=player)


def allotted(rules: Rules, war: War, asked: Allot) -> War:
    """Return the war with units out of the faction's pool in a force, which has to hold them (lines 89, 244)."""
    found, model, number = war.force(asked.who), asked.model, asked.number
    lone = found.faction not in war.factions
    require_no_rogue("new units", lone_rogue=lone, who=f"{asked.who} (a lone rogue's)")
    require_free(war, found)
    if not rules.terms.of(Piece, found.kind).attacks:
        raise Refused("E_SQUADRON_FULL", f"{asked.who} is a {found.kind} and has no units.")
    side = war.factions[found.faction]
    role = role_of(war, asked.actor, found.faction)
    if role != FLEET:
        require_leader(war, asked.actor, found.faction, "or the fleet commander they chose can assign new units")
    require_allotter(role, delegated=side.delegate is not None)
    left = side.pool.get(model, 0) - number
    if number < 1 or left < 0:
        raise Refused("E_NO_FUNDS", f"You can't assign {number} {model}: only {side.pool.get(model, 0)} left.")
    war, units = war.new_units([model] * number)
    war = war.with_side(found.faction, pool={**side.pool, model: left})
    war = war.with_forces(replace(found, units=(*found.units, *units)))
    if found.commander is not None and found.commander in war.players:
        require_holding(rules, war, found.commander)
    return war


def gone_rogue(_rules: Rules, war: War, asked: Rogue) -> War:
    """Return the war with a player who has left the faction, with the squadrons under their command (lines 87 to 89)."""
    player = asked.player
    require_self(asked.actor, player)
    faction = _faction_of(war, player)
    _require_all_free(war, player)
    own = [item for item in war.forces.values() if item.commander == player and item.kind == "squadron"]
    others = [item for item in war.forces.values() if item.commander == player and item.kind != "squadron"]
    side = war.factions[faction]
    posts = {name: None for name in ("leader", "delegate") if getattr(side, name) == player}
    war = war.with_side(faction, **posts).with_player(player, faction=None, former=side.origin or faction)
    return war.with_forces(
        *(replace(item, faction=player) for item in own), *(replace(item, commander=None) for item in others)
    )


def founded_by(rules: Rules, war: War, player: str) -> tuple[War, str]:
    """Return the war with a rogue faction led by a lone rogue, and its id; its name and colour are the leader's to choose (lines 91 to 95)."""
    number = next(number for number in count(1) if taken_by(war, f"R{number}", forces=False) is None)
    faction = f"R{number}"
    usual = f"{possessive(player)} rogues"
    name = usual if unfit(usual) is None and taken_by(war, usual, forces=False) is None else faction
    used = {side.colour for side in war.factions.values()}
    colour = next((each for each in COLOURS if is_apart(each, used)), f"#{number:06x}")
    known = war.players.get(player)
    origin = None if known is None else known.former
    start = rules.scenario.factions.get(origin or "") or next(iter(rules.scenario.factions.values()))
    side = Side(name, colour, 0, start.grunt, rogue=True, leader=player, origin=start.id)
    war = replace(war, factions={**war.factions, faction: side})
    forces = [replace(item, faction=faction) for item in war.forces.values() if item.faction == player]
    war = war.with_forces(*forces)
    return (war.with_player(player, faction=faction, petition=None) if player in war.players else war), faction


def named(rules: Rules, war: War, asked: Found) -> War:
    """Return the war with a name and a colour that a rogue faction's leader has chosen (line 95)."""
    faction, name, colour = asked.faction, visible(asked.name), colour_of(asked.colour)
    side = war.factions.get(faction)
    if side is None or not side.rogue:
        raise Refused("E_ROGUE", f"{war.called(faction)} isn't a rogue faction. Only these choose a name.")
    require_leader(war, asked.actor, faction, "can name the faction")
    others = [other for key, other in war.factions.items() if key != faction]
    if not name:
        raise Refused("E_NO_TARGET", "A faction needs a visible name.")
    require_unused(name, colour, [other.name for other in others], [other.colour for other in others])
    require_name(war, name, but=[faction], forces=not rules.scenario.has_fog)
    require_apart(colour, [other.colour for other in others])
    once = side.once if name == side.name else (*side.once, side.name)
    return war.with_side(faction, name=name, colour=colour, once=once)


def petitioned(_rules: Rules, war: War, asked: Petition) -> War:
    """Return the war with a lone rogue's wish to be taken in by a faction (line 97)."""
    player, faction = asked.player, asked.faction
    require_self(asked.actor, player)
    if player_of(war, player).faction is not None:
        raise Refused("E_ROGUE", f"{player} is in a faction. Only a lone rogue can ask to join one.")
    require_faction(war, faction)
    return war.with_player(player, petition=faction)


def admitted(rules: Rules, war: War, asked: Admit) -> War:
    """Return the war after a faction's leader has answered a lone rogue's wish."""
    player = asked.player
    faction = player_of(war, player).petition
    if faction is None or faction not in war.factions:
        raise Refused("E_NO_TARGET", f"{player} hasn't asked to join a faction.")
    require_leader(war, asked.actor, faction, "can take in rogues")
    _require_all_free(war, player)
    if not asked.takes:
        return war.with_player(player, petition=None)
    own = [replace(item, faction=faction) for item in war.forces.values() if item.faction == player]
    lowest = rules.scenario.ranks[0].name
    return war.with_player(player, faction=faction, petition=None, rank=lowest).with_forces(*own)


def answered(rules: Rules, war: War, asked: Answer) -> War:
    """Return the war after a leader has said whether it ends with a captured capitol (line 60).

    Raises:
        Refused: nobody is asked, or it is not the actor's to answer.

    """
    if war.asked is None:
        raise Refused("E_NO_TARGET", "No captured capitol needs an answer from the leaders.")
    by = rules.scenario.victory.asks[war.asked]
    if asked.faction not in {war.asked, by}:
        called = f"{war.called(asked.faction)} isn't asked, only {war.called(war.asked)} and {war.called(by)}"
        raise Refused("E_NOT_COMMANDER", f"{called}.")
    require_faction(war, asked.faction)
    require_leader(war, asked.actor, asked.faction, "can answer for the faction")
    answers = {**war.answers, asked.faction: asked.answer}
    outcome = capitol_taken(rules.scenario.victory, war.asked, by, answers, earth=rules.scenario.second is not None)
    if outcome.next == "waiting":
        return replace(war, answers=answers)
    return replace(war, answers=answers, winner=outcome.winner, asked=None)


def giver_of_units(war: War, faction: str) -> str | None:
    """Return the fleet commander to whom a faction's leader has handed the allotting of units, if that still is one (line 244)."""
    delegate = war.factions[faction].delegate
    return delegate if delegate is not None and _has_fleet(war, delegate, faction) else None


def require_faction(war: War, faction: str) -> None:
    """Refuse a faction that there is not."""
    if faction not in war.factions:
        known = ", ".join(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction (known: {known}).")


def _require_all_free(war: War, player: str) -> None:
    """Refuse a player whose forces have to fight first: they would change sides in the middle of it (C2)."""
    for item in war.forces.values():
        if player in {item.commander, item.faction}:
            require_free(war, item)


def _has_fleet(war: War, player: str, faction: str) -> bool:
    fleets = (item for item in war.forces.values() if item.kind == "fleet" and item.faction == faction)
    return any(item.commander == player for item in fleets)


def _faction_of(war: War, player: str) -> str:
    faction = player_of(war, player).faction
    if faction is None:
        raise Refused("E_ROGUE", f"{player} is a lone rogue.")
    return faction


def _holds(war: War, faction: str, other: Side) -> bool:
    return other.seat is not None and other.seat in war.panels and war.panels[other.seat].owner == faction
