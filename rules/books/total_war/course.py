"""Panels that change hands, rogues, fallen capitols (lines 60, 87 to 105), players who join, the end of a turn (lines 49 to 53), and the second map."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from rules.books.total_war import economy, movement, storage
from rules.books.total_war.catalog import Item, PanelKind, Piece, Refused, Terms, refuse_off_map
from rules.books.total_war.scenario import Conditions
from rules.books.total_war.war import NEUTRAL, NOBODYS, HeldPanel, Player, Rules, Side, War, WarAction, Works, supply
from rules.geometry import Hex
from rules.phrases import list_known, lower_first, possessive, upper_first
from rules.subjects import name_key, unfit

END, ON = "end", "on"


class CapitolOutcome(Struct, frozen=True):
    """What a captured capitol means; `next` is "waiting" for answers, or "earth" for another map."""

    over: bool = False
    winner: str | None = None
    next: str | None = None
    new_map: bool = False
    may_promote: bool = False


def owner_after_lone_win(terms: Terms, owner: str) -> str:
    """Return the panel's owner after a lone rogue wins it and founds no faction: by a switch (AMB-33)."""
    return NEUTRAL if terms.setting("lone-rogue-win", str) == "neutral" else owner


def founds_on(terms: Terms, panel: str) -> bool:
    """Check whether a lone rogue who wins this kind of panel can found a faction (line 91)."""
    return terms.of(PanelKind, panel).stronghold


def require_colony(terms: Terms, panel: str | None, who: str = "The winner") -> None:
    """Refuse to found a faction unless `panel` (a kind) is a stronghold."""
    if panel is None or not founds_on(terms, panel):
        every = terms.book.entries_of(PanelKind).items()
        kinds = [lower_first(kind.label) for name, kind in every if founds_on(terms, name)]
        what = f"{who} can found a faction only as a lone rogue whose squadron wins a {' or '.join(kinds)}."
        raise Refused("E_NOT_A_COLONY", what)


def require_unused(name: str, colour: str, names: Iterable[str], colours: Iterable[str]) -> None:
    """Refuse another faction's name or colour (line 95)."""
    if name_key(name) in map(name_key, names):
        raise Refused("E_NAME_IN_USE", f"A faction is already called {name}.")
    if name_key(colour) in map(name_key, colours):
        raise Refused("E_COLOR_IN_USE", f"{colour} is another faction's colour.")


def lives_on(strongholds: int) -> bool:
    """Check whether a rogue faction still has a stronghold (line 97)."""
    return strongholds > 0


def capitol_outcome(
    rules: Conditions, capitol: str, by: str, answers: Mapping[str, str], *, earth: bool = False
) -> CapitolOutcome:
    """Decide what a captured capitol means; `earth`: the scenario has a second map."""
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


def take_panels(rules: Rules, war: War, panels: Iterable[Hex], faction: str) -> War:
    """Return the war after a faction takes panels; facilities, garrisons and superweapons go (lines 23, AMB-09, 33)."""
    if war.is_lone(faction):
        faction = NEUTRAL
        panels = [at for at in panels if owner_after_lone_win(rules.terms, war.panels[at].owner) == faction]
    flipped = [at for at in panels if war.panels[at].owner != faction]
    for at in flipped:
        war = war.with_panel(at, owner=faction, facility=None, garrison=())
    war = remove_superweapons(war, flipped, faction)
    war = replace(war, works=tuple(item for item in war.works if item.at not in flipped))
    return _capture_capitols(war, rules, flipped, faction) if flipped else war


def remove_superweapons(war: War, panels: Iterable[Hex], faction: str) -> War:
    """Remove others' superweapons where a faction's forces arrive (AMB-09)."""
    come = {*panels}
    unarmed = (item for item in war.forces.values() if item.at in come and not item.units and item.faction != faction)
    return war.without_forces(item.name for item in unarmed)


def dissolve_rogues(rules: Rules, war: War) -> War:
    """Remove rogue factions without a stronghold, but not during a battle of theirs (line 97, AMB-35)."""
    fighting = {side for battle in war.battles.values() for side in (battle.attacker, battle.defender)}
    fighting |= {war.forces[name].faction for battle in war.battles.values() for name in battle.forces}
    fighting |= {war.panels[at].owner for at in war.battles}
    for name, side in war.factions.items():
        own = [panel for panel in war.panels.values() if panel.owner == name]
        if side.rogue and name not in fighting and not lives_on(sum(rules.kind(panel).stronghold for panel in own)):
            war = _dissolve(war, name)
    return war


def _dissolve(war: War, faction: str) -> War:
    panels = {
        at: replace(panel, owner=NEUTRAL, facility=None, garrison=()) if panel.owner == faction else panel
        for at, panel in war.panels.items()
    }
    own = (item for item in war.forces.values() if item.faction == faction)
    war = war.with_forces(*(replace(item, faction=item.commander or f"{item.name}, on its own") for item in own))
    origin = war.factions[faction].origin
    players = {
        name: player.join(None, former=origin)
        if player.faction == faction
        else replace(player, petition=None if player.petition == faction else player.petition)
        for name, player in war.players.items()
    }
    factions = {name: other for name, other in war.factions.items() if name != faction}
    works = tuple(item for item in war.works if item.faction != faction)
    return replace(war, panels=panels, players=players, factions=factions, works=works)


def _capture_capitols(war: War, rules: Rules, flipped: Iterable[Hex], by: str) -> War:
    for name, side in war.factions.items():
        if side.seat in {*flipped} and name != by and war.winner is None:
            outcome = capitol_outcome(rules.scenario.victory, name, by, {})
            war = replace(war, winner=outcome.winner)
            if outcome.next is not None:
                war = replace(war, asked=name, answers={})  # answers about earlier captures don't count
    return war


COLOURS = ("#2e7d32", "#6a1b9a", "#ef6c00", "#00838f", "#5d4037", "#ad1457")
_APART = 60
"""Least distance of two colours; black and white are about 760 apart."""


def parse_colour(text: str) -> str:
    """Return a colour as `#rrggbb` in small letters."""
    written = text.strip().lower()
    if re.fullmatch("#[0-9a-f]{6}", written) is None:
        what = f"{text!r} isn't a colour. Write # and six digits or letters a to f, such as {COLOURS[0]}."
        raise Refused("E_NO_TARGET", what)
    return written


def is_apart(colour: str, used: Iterable[str]) -> bool:
    """Check that a colour differs enough from all others."""
    return all(_distance(colour, other) >= _APART for other in used)


def require_apart(colour: str, used: Iterable[str]) -> None:
    """Refuse a colour too much like another, and list free ones."""
    taken = [*used]
    near = next((other for other in taken if _distance(colour, other) < _APART), None)
    if near is not None:
        free = ", ".join(other for other in COLOURS if is_apart(other, taken))
        mend = f" Some that are free: {free}." if free else " Choose a clearly different one."
        raise Refused("E_COLOR_IN_USE", f"{colour} looks too much like {near}, another faction's colour.{mend}")


def _distance(one: str, other: str) -> float:
    (r, g, b), (red, green, blue) = ([int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in (one, other))
    share = (r + red) / 2 / 256
    return float(((2 + share) * (r - red) ** 2 + 4 * (g - green) ** 2 + (3 - share) * (b - blue) ** 2) ** 0.5)


def panel_at(war: War, at: Hex) -> HeldPanel:
    """Return a panel of the map."""
    if at not in war.panels:
        raise refuse_off_map(war.panels, at)
    return war.panels[at]


def require_unreserved(war: War, at: Hex) -> None:
    """Refuse a panel where a beaten force goes."""
    if at in war.retreat_panels:
        raise Refused("E_BATTLE_PENDING", f"A beaten force retreats to {at}: wait until that battle is over.")


def require_place(rules: Rules, war: War, at: Hex, faction: str) -> None:
    """Refuse a panel where a force would fight or stack (AMB-06)."""
    panel = panel_at(war, at)
    war.require_no_battle(at)
    require_unreserved(war, at)
    for item in war.on(at):
        if item.faction != faction or rules.terms.setting("stacking", int):
            raise Refused("E_OCCUPIED", f"{item.name} is on {at}: choose a panel without a force.")
    if panel.garrison and panel.owner != faction and not war.is_lone(panel.owner):
        whose = NOBODYS if panel.owner == NEUTRAL else f"{possessive(war.name_side(panel.owner))} garrison"
        other = f"choose another panel, or make it {possessive(war.name_side(faction))} first"
        raise Refused("E_OCCUPIED", f"{upper_first(whose)} is on {at}: {other}.")


def create_rogue_faction(rules: Rules, war: War, player: str) -> tuple[War, str]:
    """Return the war with a lone rogue as leader of a new faction, and the faction's id (lines 91 to 95)."""
    number = next(number for number in count(1) if war.find_namesake(f"R{number}", forces=False) is None)
    faction = f"R{number}"
    usual = f"{possessive(player)} rogues"
    name = usual if unfit(usual) is None and war.find_namesake(usual, forces=False) is None else faction
    used = {side.colour for side in war.factions.values()}
    colour = next((each for each in COLOURS if is_apart(each, used)), f"#{number:06x}")
    founder = war.players.get(player)
    origin = None if founder is None else founder.former
    start = rules.scenario.factions.get(origin or "") or next(iter(rules.scenario.factions.values()))
    side = Side(name, colour, 0, start.grunt, rogue=True, leader=player, origin=start.id)
    players = war.players if founder is None else {**war.players, player: founder.join(faction)}
    war = replace(war, factions={**war.factions, faction: side}, players=players)
    own = (item for item in war.forces.values() if item.faction == player)
    return war.with_forces(*(replace(item, faction=faction) for item in own)), faction


class Join(WarAction, frozen=True):
    """A player joins a faction; `owner` is a pseudonym that is never shown."""

    player: str
    faction: str
    owner: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the player, who gets the forces that wait for `owner`."""
        before = next((name for name, item in war.players.items() if self.owner and item.owner == self.owner), None)
        if before is not None:
            raise Refused("E_NAME_IN_USE", f"{before} is already in this war. Each player has one commander.")
        if self.player not in war.players:
            war.require_name(self.player, forces=not rules.scenario.has_fog)
        return add_player(rules, war, self.player, self.faction, self.owner)


def add_player(rules: Rules, war: War, player: str, faction: str, owner: str | None = None) -> War:
    """Add a player at the lowest rank; the first one leads, and forces that wait for `owner` are theirs."""
    if player in war.players:
        raise Refused("E_NAME_IN_USE", f"{player} is already in this war.")
    if player in {*war.factions, NEUTRAL}:  # lone rogues are factions by their own names
        raise Refused("E_NAME_IN_USE", f"{player} is a faction's name. Choose another callsign.")
    if faction not in war.factions:
        known = list_known(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction{known}.")
    leads = war.factions[faction].leader is None
    ranks = rules.scenario.ranks
    joined_ = Player((ranks[-1] if leads else ranks[0]).name, faction, owner=owner)
    war = _give_waiting_forces(replace(war, players={**war.players, player: joined_}), player)
    return _set_leader(war, faction, player) if leads else war


def begin_second_map(rules: Rules, war: War) -> War:
    """Continue the war on a new map: people, ranks and known models stay (line 60)."""
    begins = replace(storage.begin_war(rules), turn=war.turn, update=war.update)
    for name, player in war.players.items():
        faction = player.faction if player.faction in begins.factions else None
        left = None if player.faction is None or faction else war.factions[player.faction].origin
        moved = player.join(faction, former=left or player.former)
        begins = _give_waiting_forces(replace(begins, players={**begins.players, name: moved}), name)
    for faction in begins.factions:
        side = war.factions.get(faction)
        if side is not None:
            begins = begins.with_side(faction, models=side.models & rules.scenario.items.keys())
            begins = begins if side.leader is None else _set_leader(begins, faction, side.leader)
    return begins


def find_second(rules: Rules, war: War) -> str | None:
    """Return the id of the scenario that follows now, if any."""
    return rules.scenario.second if _goes_on(war) else None


def require_second(rules: Rules, war: War, scenario: str) -> None:
    """Refuse a second map too early, or another one than the scenario names (line 60)."""
    if not _goes_on(war):
        what = "The war can't move to another map yet"
        raise Refused("E_NO_TARGET", f"{what}. A capitol has to fall, and a leader has to answer that it goes on.")
    if rules.scenario.second is None:
        raise Refused("E_SCENARIO", f"{rules.scenario.title} has no second scenario.")
    if rules.scenario.second != scenario:
        raise Refused("E_SCENARIO", f"{rules.scenario.title} goes on with {rules.scenario.second}, not {scenario}.")


def _goes_on(war: War) -> bool:
    return war.winner is None and war.asked is None and ON in war.answers.values()


def _give_waiting_forces(war: War, player: str) -> War:
    person = war.players[player]
    if person.owner is None:
        return war
    own = [item for item in war.forces.values() if item.commander == person.owner and item.faction == person.faction]
    return war.with_forces(*(replace(item, commander=player) for item in own))


def _set_leader(war: War, faction: str, leader: str) -> War:
    free = [item for item in war.forces.values() if item.faction == faction and item.commander is None]
    return war.with_side(faction, leader=leader).with_forces(*(replace(item, commander=leader) for item in free))


class Advance(WarAction, frozen=True):
    """The turn ends."""

    def apply(self, rules: Rules, war: War) -> War:
        """Refuse during a battle, else pay income, finish works and begin the next turn."""
        if war.battles:
            raise Refused("E_BATTLE_PENDING", f"The battle on {movement.list_panels(war.battles)} comes first.")
        for item in [item for item in war.forces.values() if item.tagged and not (item.moved or item.forced)]:
            piece, land = rules.terms.of(Piece, item.kind), movement.land_of(rules, war, item.faction)
            if movement.takes_site(piece, item.at, land):  # AMB-20
                war = dissolve_rogues(rules, take_panels(rules, war, [item.at], item.faction))
        for name, side in war.factions.items():
            war = war.with_side(name, gold=side.gold + economy.faction_income(rules, war, name))
        fresh = (replace(item, moved=False, tagged=False, forced=False, follows=None) for item in war.forces.values())
        war = replace(war.with_forces(*fresh), turn=war.turn + 1)
        for works in war.works:
            if works.done <= war.turn and not _waits(rules, war, works):
                rest = tuple(item for item in war.works if item != works)
                war = economy.finish_works(rules, replace(war, works=rest), works)
        return war


def _waits(rules: Rules, war: War, works: Works) -> bool:
    if works.at is None:
        return False
    printed = rules.terms.book.entries_of(Item).get(works.item)
    gives = printed is not None and printed.gives == "force"
    return works.at not in supply(rules, war, works.faction) or (gives and economy.is_held(rules, war, works.at))


def list_pending(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield what a faction's leader still has to answer (lines 60, 97)."""
    if war.asked is not None and faction in {war.asked, rules.scenario.victory.asks[war.asked]} - war.answers.keys():
        yield "whether the war ends"
    yield from (f"whether {name} may join" for name, player in war.players.items() if player.petition == faction)
