"""What a game master sets in a war: owners, gold, ranks, posts, prices, switches, and where a faction is supplied from."""

from __future__ import annotations

from msgspec.structs import replace

from rules.books.total_war.deeds import Delegate, SetGold, SetOwner, SetPost, SetPrice, SetRank, SetSource, SetSwitch
from rules.books.total_war.holding import settled
from rules.books.total_war.joining import delegated, player_of, rank_named, require_faction
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.order_kinds import MOST
from rules.books.total_war.refusal import Refused, off_map
from rules.books.total_war.terms import BadSwitch, set_otherwise
from rules.books.total_war.war import HeldPanel, Rules, War, is_lone, require_no_battle
from rules.geometry.hexes import Hex
from rules.phrases import known_list, possessive, sentence, starting, suggestion


def owned(rules: Rules, war: War, asked: SetOwner) -> War:
    """Return the war with a panel that is a faction's, or nobody's; what stands there stays, but what is being built for another."""
    panel, faction = panel_at(war, asked.at), asked.faction
    if faction != NEUTRAL and faction not in war.factions:
        known = known_list([*(side.name for side in war.factions.values()), "neutral"])
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction{known}.")
    if panel.owner == faction:
        raise Refused("E_NOT_OWNER", f"{asked.at} is already {war.owned(faction)}.")
    require_no_battle(war, asked.at)
    works = tuple(item for item in war.works if item.at != asked.at or item.faction == faction)
    return settled(rules, replace(war.with_panel(asked.at, owner=faction), works=works))


def gilded(_rules: Rules, war: War, asked: SetGold) -> War:
    """Return the war with a faction's bank at so much gold."""
    require_faction(war, asked.faction)
    require_number(asked.gold, f"{war.factions[asked.faction].name} can't have {asked.gold} gold")
    return war.with_side(asked.faction, gold=asked.gold)


def ranked(rules: Rules, war: War, asked: SetRank) -> War:
    """Return the war with a player at a rank, rogue or not."""
    player_of(war, asked.player)
    return war.with_player(asked.player, rank=rank_named(rules.scenario, asked.rank).name)


def posted(rules: Rules, war: War, asked: SetPost) -> War:
    """Return the war with a faction's leader or delegate appointed; nobody (None) leaves the post empty (AMB-30)."""
    faction, player = asked.faction, asked.player
    require_faction(war, faction)
    if player is not None and player_of(war, player).faction != faction:
        own = [name for name, item in war.players.items() if item.faction == faction]
        raise Refused("E_NOT_ALLIED", f"{player} isn't in {war.factions[faction].name}{known_list(own)}.")
    if asked.post == "delegate":
        return delegated(rules, war, Delegate(faction=faction, player=player))
    return war.with_side(faction, leader=player)


def priced(rules: Rules, war: War, asked: SetPrice) -> War:
    """Return the war with what a unit or an item costs from now on."""
    known = rules.scenario.units if asked.of == "unit" else rules.scenario.items
    if asked.name not in known:
        near = suggestion(asked.name, known) or known_list(known)
        raise Refused(
            "E_NO_TARGET", sentence(f"{asked.name} isn't {'an item' if asked.of == 'item' else 'a unit'}{near}")
        )
    require_number(asked.cost, f"{asked.name} can't cost {asked.cost} gold")
    return replace(war, prices={**war.prices, f"{asked.of}.{asked.name}": asked.cost})


def switched(rules: Rules, war: War, asked: SetSwitch) -> War:
    """Return the war with a switch of its scenario set otherwise."""
    try:
        value = set_otherwise(rules.terms.book, {asked.name: asked.value}).switches[asked.name]
    except BadSwitch as error:
        raise Refused("E_SCENARIO", sentence(str(error))) from error
    changed = replace(war, switches={**war.switches, asked.name: value})
    _require_apart(rules, changed)
    return changed


def _require_apart(rules: Rules, war: War) -> None:
    """Refuse stacks where a panel holds one force of a side (AMB-06)."""
    if not replace(rules.terms, switches={**rules.terms.switches, **war.switches}).setting("stacking", int):
        return
    first: dict[tuple[Hex, str], str] = {}
    for item in war.forces.values():
        other = first.setdefault((item.at, item.faction), item.name)
        if other != item.name:
            raise Refused("E_OCCUPIED", f"{other} and {item.name} are both on {item.at}: move one of them first.")


def sourced(_rules: Rules, war: War, asked: SetSource) -> War:
    """Return the war with a panel from which a faction is supplied besides its capitol; None takes it back (AMB-22)."""
    require_faction(war, asked.faction)
    if asked.at is not None and panel_at(war, asked.at).owner != asked.faction:
        side = war.factions[asked.faction]
        raise Refused(
            "E_NOT_OWNER", f"{asked.at} isn't {possessive(side.name)}. Name one of their panels as their source."
        )
    return war.with_side(asked.faction, source=asked.at)


def panel_at(war: War, at: Hex) -> HeldPanel:
    """Return a panel of the map."""
    if at not in war.panels:
        raise off_map(war.panels, at)
    return war.panels[at]


def require_unreserved(war: War, at: Hex) -> None:
    """Refuse a panel to which a beaten force goes once its battle is over."""
    if at in war.reserved:
        raise Refused("E_BATTLE_PENDING", f"A beaten force retreats to {at}: wait until that battle is over.")


def require_place(rules: Rules, war: War, at: Hex, faction: str) -> None:
    """Refuse a panel on which a force of a faction would have to fight, or stand on a friend (AMB-06).

    Raises:
        Refused: E_OFF_MAP, E_BATTLE_PENDING or E_OCCUPIED.

    """
    panel = panel_at(war, at)
    require_no_battle(war, at)
    require_unreserved(war, at)
    for item in war.on(at):
        if item.faction != faction or rules.terms.setting("stacking", int):
            raise Refused("E_OCCUPIED", f"{item.name} is on {at}: choose a panel without a force.")
    if panel.garrison and panel.owner != faction and not is_lone(war, panel.owner):
        whose = NOBODYS if panel.owner == NEUTRAL else f"{possessive(war.called(panel.owner))} garrison"
        other = f"choose another panel, or make it {possessive(war.called(faction))} first"
        raise Refused("E_OCCUPIED", f"{starting(whose)} is on {at}: {other}.")


def require_number(value: int, words: str, code: str = "E_NO_FUNDS") -> None:
    """Refuse a number that is not kept, in `words` that say whose and of what it is."""
    if not 0 <= value <= MOST:
        raise Refused(code, f"{words}: write a number from 0 to {MOST:,}.")
