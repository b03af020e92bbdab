"""Panels that change hands: what is lost there, rogue factions that end, and captured capitols (lines 60, 87 to 105)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war.catalog import PanelKind
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.scenario import Conditions
from rules.books.total_war.terms import Refused, Terms, refuse_off_map
from rules.books.total_war.war import HeldPanel, Rules, Side, War, find_namesake, is_lone, require_no_battle
from rules.geometry import Hex
from rules.phrases import inside, possessive, starting
from rules.subjects import name_key, unfit

END = "end"


class CapitolOutcome(Struct, frozen=True):
    """What a captured capitol means: the war is over and who has won, or what is `next`: "waiting" for answers, or "earth".

    There a `new_map` begins if there is one. `may_promote`: the captor is a rogue faction that promotes from now on.
    """

    over: bool = False
    winner: str | None = None
    next: str | None = None
    new_map: bool = False
    may_promote: bool = False


def owner_after_lone_win(terms: Terms, owner: str) -> str:
    """Return whose a panel of an owner is once a lone rogue has won there without founding a faction (AMB-33)."""
    return NEUTRAL if terms.setting("lone-rogue-win", str) == "neutral" else owner


def founds_on(terms: Terms, panel: str) -> bool:
    """Return whether a lone rogue founds a faction by winning a kind of panel (line 91)."""
    return terms.of(PanelKind, panel).stronghold


def require_colony(terms: Terms, panel: str | None, who: str = "The winner") -> None:
    """Refuse a faction that is to be founded on a kind of panel which founds none, or on none (None)."""
    if panel is None or not founds_on(terms, panel):
        kinds = [inside(kind.label) for name, kind in terms.book.listed(PanelKind).items() if founds_on(terms, name)]
        raise Refused(
            "E_NOT_A_COLONY",
            f"{who} can found a faction only as a lone rogue whose squadron wins a {' or '.join(kinds)}.",
        )


def require_unused(name: str, colour: str, names: Iterable[str], colours: Iterable[str]) -> None:
    """Refuse a name or colour that a faction has already (line 95)."""
    if name_key(name) in map(name_key, names):
        raise Refused("E_NAME_IN_USE", f"A faction is already called {name}.")
    if name_key(colour) in map(name_key, colours):
        raise Refused("E_COLOR_IN_USE", f"{colour} is another faction's colour.")


def lives_on(strongholds: int) -> bool:
    """Return whether a rogue faction lives on: with one colony or fortress at least (line 97)."""
    return strongholds > 0


def capitol_outcome(
    rules: Conditions, capitol: str, by: str, answers: Mapping[str, str], *, earth: bool = False
) -> CapitolOutcome:
    """Return what it means that somebody has taken a faction's capitol; `earth`: there is a second scenario."""
    if by not in rules.factions:
        return CapitolOutcome(may_promote=True)
    if rules.ends.get(capitol) == by:
        return CapitolOutcome(over=True, winner=by)
    if rules.asks.get(capitol) != by:
        return CapitolOutcome()
    if {capitol, by} - answers.keys():
        return CapitolOutcome(next="waiting")
    if all(answers[side] == END for side in (capitol, by)):
        return CapitolOutcome(over=True, winner=by)
    return CapitolOutcome(next="earth", new_map=earth)


MASTERLESS = "on its own"
"""What is said of a force that no faction and no lone rogue has any more."""


def take_panels(rules: Rules, war: War, panels: Iterable[Hex], faction: str) -> War:
    """Return the war after panels have become a faction's: facilities, garrisons and superweapons there are lost (lines 23, AMB-09).

    What a lone rogue takes stays as it is, or becomes neutral by the switch (AMB-33).
    """
    if is_lone(war, faction):
        faction = NEUTRAL
        panels = [at for at in panels if owner_after_lone_win(rules.terms, war.panels[at].owner) == faction]
    flipped = [at for at in panels if war.panels[at].owner != faction]
    for at in flipped:
        war = war.with_panel(at, owner=faction, facility=None, garrison=())
    war = remove_superweapons(war, flipped, faction)
    war = replace(war, works=tuple(item for item in war.works if item.at not in flipped))
    return _capture_capitols(war, rules, flipped, faction) if flipped else war


def remove_superweapons(war: War, panels: Iterable[Hex], faction: str) -> War:
    """Return the war without others' superweapons on panels that a faction's forces have come to (AMB-09)."""
    come = {*panels}
    unarmed = (item for item in war.forces.values() if item.at in come and not item.units and item.faction != faction)
    return war.without_forces(item.name for item in unarmed)


def dissolve_rogues(rules: Rules, war: War) -> War:
    """Return the war without rogue factions that hold no stronghold any more (line 97, AMB-35); a battle of theirs, or on their land, comes first."""
    fighting = {side for battle in war.battles.values() for side in (battle.attacker, battle.defender)}
    fighting |= {war.forces[name].faction for battle in war.battles.values() for name in battle.forces}
    fighting |= {war.panels[at].owner for at in war.battles}
    for name, side in war.factions.items():
        if side.rogue and name not in fighting and not lives_on(_strongholds(rules, war, name)):
            war = _dissolve(war, name)
    return war


def _strongholds(rules: Rules, war: War, faction: str) -> int:
    return sum(rules.kind(panel).stronghold for panel in war.panels.values() if panel.owner == faction)


def _dissolve(war: War, faction: str) -> War:
    """Return the war without a faction: its land is neutral, its gold lost, its forces are lone rogues under their commanders.

    Whoever has asked it to be taken in has asked nobody: another one may be founded by the same id.
    One that nobody commands is of nobody else: by a name that no player can have, as that has a comma.
    """
    panels = {
        at: replace(panel, owner=NEUTRAL, facility=None, garrison=()) if panel.owner == faction else panel
        for at, panel in war.panels.items()
    }
    side = war.factions[faction]
    members = {name for name, player in war.players.items() if player.faction == faction}
    forces = {
        item.name: replace(item, faction=item.commander or f"{item.name}, {MASTERLESS}")
        if item.faction == faction
        else item
        for item in war.forces.values()
    }
    players = {
        name: replace(player, faction=None, former=side.origin)
        if name in members
        else replace(player, petition=None if player.petition == faction else player.petition)
        for name, player in war.players.items()
    }
    factions = {name: other for name, other in war.factions.items() if name != faction}
    works = tuple(item for item in war.works if item.faction != faction)
    return replace(war, panels=panels, forces=forces, players=players, factions=factions, works=works)


def _capture_capitols(war: War, rules: Rules, flipped: Iterable[Hex], by: str) -> War:
    """Return the war after capitols were captured: over, or both leaders are asked (line 60)."""
    for name, side in war.factions.items():
        if side.seat in {*flipped} and name != by and war.winner is None:
            outcome = capitol_outcome(rules.scenario.victory, name, by, {})
            war = replace(war, winner=outcome.winner)
            if outcome.next is not None:
                war = replace(war, asked=name, answers={})  # what was answered about an earlier capture is past
    return war


COLOURS = ("#2e7d32", "#6a1b9a", "#ef6c00", "#00838f", "#5d4037", "#ad1457")
"""Colours of rogue factions until their leaders choose others."""
APART = 60
"""How far two colours lie apart at least; black and white do by some 760."""

_COLOUR = re.compile("#[0-9a-f]{6}")


def parse_colour(text: str) -> str:
    """Return a colour as it is kept, `#rrggbb` in small letters."""
    written = text.strip().lower()
    if _COLOUR.fullmatch(written) is None:
        raise Refused(
            "E_NO_TARGET", f"{text!r} isn't a colour. Write # and six digits or letters a to f, such as {COLOURS[0]}."
        )
    return written


def is_apart(colour: str, used: Iterable[str]) -> bool:
    """Return whether a colour is told from all that are in use."""
    return all(_distance(colour, other) >= APART for other in used)


def require_apart(colour: str, used: Iterable[str]) -> None:
    """Refuse a colour too much like one in use, and say which are free."""
    taken = [*used]
    near = next((other for other in taken if _distance(colour, other) < APART), None)
    if near is not None:
        free = ", ".join(other for other in COLOURS if is_apart(other, taken))
        told = f" Some that are free: {free}." if free else " Choose a clearly different one."
        raise Refused("E_COLOR_IN_USE", f"{colour} looks too much like {near}, another faction's colour.{told}")


def _distance(one: str, other: str) -> float:
    """Return how far apart two colours look: channels weighted as eyes do, the more red the more by it (a common approximation)."""
    (r, g, b), (red, green, blue) = _channels(one), _channels(other)
    share = (r + red) / 2 / 256
    return float(((2 + share) * (r - red) ** 2 + 4 * (g - green) ** 2 + (3 - share) * (b - blue) ** 2) ** 0.5)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def panel_at(war: War, at: Hex) -> HeldPanel:
    """Return a panel of the map."""
    if at not in war.panels:
        raise refuse_off_map(war.panels, at)
    return war.panels[at]


def require_unreserved(war: War, at: Hex) -> None:
    """Refuse a panel to which a beaten force goes once its battle is over."""
    if at in war.reserved:
        raise Refused("E_BATTLE_PENDING", f"A beaten force retreats to {at}: wait until that battle is over.")


def require_place(rules: Rules, war: War, at: Hex, faction: str) -> None:
    """Refuse a panel on which a force of a faction would have to fight, or stand on a friend (AMB-06)."""
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


def found_faction(rules: Rules, war: War, player: str) -> tuple[War, str]:
    """Return the war with a rogue faction led by a lone rogue, and its id; its name and colour are the leader's to choose (lines 91 to 95)."""
    number = next(number for number in count(1) if find_namesake(war, f"R{number}", forces=False) is None)
    faction = f"R{number}"
    usual = f"{possessive(player)} rogues"
    name = usual if unfit(usual) is None and find_namesake(war, usual, forces=False) is None else faction
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
