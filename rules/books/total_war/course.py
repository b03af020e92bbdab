"""Joining a war, the end of a turn (lines 49 to 53, 80 to 82), and the second map (line 60)."""

from msgspec.structs import replace

from rules.books.total_war.capture import dissolve_rogues, take_panels
from rules.books.total_war.catalog import Item, Piece, Refused
from rules.books.total_war.economy import collect_income, finish_works, is_held
from rules.books.total_war.land import NEUTRAL, list_panels
from rules.books.total_war.movement import takes_site
from rules.books.total_war.order_kinds import ON
from rules.books.total_war.storage import begin_war
from rules.books.total_war.war import Player, Rules, War, WarAction, Works, land_of, require_name, supply
from rules.phrases import list_known


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
            require_name(war, self.player, forces=not rules.scenario.has_fog)
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
    begins = replace(begin_war(rules), turn=war.turn, update=war.update)
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
            raise Refused("E_BATTLE_PENDING", f"The battle on {list_panels(war.battles)} comes first.")
        for item in [item for item in war.forces.values() if item.tagged and not (item.moved or item.forced)]:
            if takes_site(rules.terms.of(Piece, item.kind), item.at, land_of(rules, war, item.faction)):  # AMB-20
                war = dissolve_rogues(rules, take_panels(rules, war, [item.at], item.faction))
        war = collect_income(rules, war)
        fresh = (replace(item, moved=False, tagged=False, forced=False, follows=None) for item in war.forces.values())
        war = replace(war.with_forces(*fresh), turn=war.turn + 1)
        for works in war.works:
            if works.done <= war.turn and not _waits(rules, war, works):
                war = finish_works(rules, replace(war, works=tuple(item for item in war.works if item != works)), works)
        return war


def _waits(rules: Rules, war: War, works: Works) -> bool:
    if works.at is None:
        return False
    printed = rules.terms.book.entries_of(Item).get(works.item)
    gives = printed is not None and printed.gives == "force"
    return works.at not in supply(rules, war, works.faction) or (gives and is_held(rules, war, works.at))
