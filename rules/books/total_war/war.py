"""A war as it stands: panels, factions, forces, players, battles that are fought, answers that are awaited."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.catalog import Item, PanelKind, Setting
from rules.books.total_war.fight import Fight, Result, battle_result
from rules.books.total_war.land import NEUTRAL, NOBODYS, Land, are_enemies, supplied_panels
from rules.books.total_war.scenario import Scenario, number_of
from rules.books.total_war.terms import Refused, Terms
from rules.geometry import Hex
from rules.phrases import possessive
from rules.subjects import name_key, unfit


class Unit(Struct, frozen=True):
    """A unit by its own id, its model, the enemies that it has destroyed, and its pilot if one is named."""

    id: str
    model: str
    kills: int = 0
    pilot: str | None = None


class HeldPanel(Struct, frozen=True):
    """A panel: kind, the gold that it pays on top, whose it is, what stands there, and who garrisons it."""

    kind: str
    bonus: int = 0
    owner: str = NEUTRAL
    facility: str | None = None
    garrison: tuple[Unit, ...] = ()


class Force(Struct, frozen=True):
    """A force: its faction (a lone rogue's is that player's own name), where it is, who commands it, its units and its battles.

    `moved`, `tagged` (has ridden along), `forced` (had to fight for that, or was driven off) and `follows` (the fleet that it will ride along with)
    are of this turn alone.
    """

    name: str
    kind: str
    faction: str
    at: Hex
    commander: str | None = None
    units: tuple[Unit, ...] = ()
    fought: int = 0
    won: int = 0
    moved: bool = False
    tagged: bool = False
    forced: bool = False
    follows: str | None = None


class Side(Struct, frozen=True):
    """A faction: its capitol as it was built, gold, units that wait to be allotted by model, models known, and its posts.

    A rogue faction makes the models of its `origin`, the faction of the start that its founder has left (line 101). `source`
    is a panel from which it is supplied besides, as a game master has ruled (AMB-22). By the names that it had before (`once`)
    orders that were given then still mean it.
    """

    name: str
    colour: str
    gold: int
    grunt: str
    seat: Hex | None = None
    rogue: bool = False
    leader: str | None = None
    delegate: str | None = None
    pool: Mapping[str, int] = field(default_factory=dict)
    models: frozenset[str] = frozenset()
    origin: str | None = None
    source: Hex | None = None
    once: tuple[str, ...] = ()


class Player(Struct, frozen=True):
    """A player: faction (None of a lone rogue) and rank, the faction that is asked to take them in, and that of the start which they have left last.

    `owner` says who plays it, by an id that is shown to nobody.
    """

    rank: str
    faction: str | None = None
    petition: str | None = None
    former: str | None = None
    owner: str | None = None


class Battle(Struct, frozen=True):
    """A battle on a panel: who attacks whom, the side of each force, the garrison (ids of units), the losers' retreats so far, and who fills the garrison up for this battle alone (ids, line 91)."""

    at: Hex
    attacker: str
    defender: str
    forces: Mapping[str, str]
    garrison: frozenset[str]
    fight: Fight
    retreats: Mapping[str, Hex] = field(default_factory=dict)
    filled: frozenset[str] = frozenset()

    @property
    def winner(self) -> str | None:
        """Who has won; None while it goes on, and where nobody is left."""
        return self.fight.ended.winner

    def result(self, force: str) -> Result:
        """Return how it went for a force, once it is over."""
        return battle_result(self.fight.ended, self.forces[force], self.fight.withdrawn)


class Works(Struct, frozen=True):
    """What is being built on a panel for a faction, or researched on none, the turn in which it is done, how many of it, and of which model, if one was chosen."""

    item: str
    faction: str
    at: Hex | None
    done: int
    number: int = 1
    model: str | None = None


class War(Struct, frozen=True):
    """The state of a war. `units` counts those that there ever were, for their ids, in the order of `numbered`; `asked` is whose capitol both leaders are asked about, `update` the campaign's update in which the turn ended last.

    `prices` (by `unit.` or `item.` and the name) and `switches` are what a game master has set otherwise than the scenario.
    """

    panels: Mapping[Hex, HeldPanel]
    factions: Mapping[str, Side]
    forces: Mapping[str, Force]
    players: Mapping[str, Player] = field(default_factory=dict)
    turn: int = 1
    battles: Mapping[Hex, Battle] = field(default_factory=dict)
    works: tuple[Works, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    asked: str | None = None
    winner: str | None = None
    units: int = 0
    update: int | None = None
    prices: Mapping[str, int] = field(default_factory=dict)
    switches: Mapping[str, Setting] = field(default_factory=dict)
    numbered: str = ""

    def force(self, name: str) -> Force:
        """Return a force."""
        if name not in self.forces:
            raise Refused("E_NO_TARGET", f"{name} isn't a force.")
        return self.forces[name]

    def called(self, side: str) -> str:
        """Return what a faction is called, or a lone rogue, who goes by their own name."""
        faction = self.factions.get(side)
        return NOBODYS if side == NEUTRAL else faction.name if faction else side

    def owned(self, side: str) -> str:
        """Return whose a side's land is: `neutral`, `Zeon's`."""
        return "neutral" if side == NEUTRAL else possessive(self.called(side))

    def commanded_by(self, force: Force) -> str:
        """Return who commands a force: a player, nobody, or somebody for whom a scenario keeps it until they join."""
        if force.commander is None:
            return "no player"
        return force.commander if force.commander in self.players else "a player who hasn't joined yet"

    def with_forces(self, *changed: Force) -> War:
        """Return the war with forces changed."""
        return replace(self, forces={**self.forces, **{item.name: item for item in changed}})

    def without_forces(self, names: Iterable[str]) -> War:
        """Return the war without forces."""
        gone = {*names}
        return replace(self, forces={name: item for name, item in self.forces.items() if name not in gone})

    def with_panel(self, at: Hex, **change: object) -> War:
        """Return the war with a panel changed."""
        return replace(self, panels={**self.panels, at: replace(self.panels[at], **change)})

    def with_side(self, faction: str, **change: object) -> War:
        """Return the war with a faction changed."""
        return replace(self, factions={**self.factions, faction: replace(self.factions[faction], **change)})

    def with_player(self, player: str, **change: object) -> War:
        """Return the war with a player changed."""
        return replace(self, players={**self.players, player: replace(self.players[player], **change)})

    def on(self, at: Hex) -> Iterator[Force]:
        """Yield the forces on a panel."""
        return (item for item in self.forces.values() if item.at == at)

    def every_unit(self) -> Iterator[Unit]:
        """Yield the units of all forces, then those of all garrisons."""
        yield from (unit for force in self.forces.values() for unit in force.units)
        yield from (unit for panel in self.panels.values() for unit in panel.garrison)

    @property
    def owners(self) -> dict[Hex, str]:
        """Whose each panel is."""
        return {at: panel.owner for at, panel in self.panels.items()}

    @property
    def reserved(self) -> frozenset[Hex]:
        """Where beaten forces go once their battles are over; nobody else comes there before."""
        return frozenset(at for battle in self.battles.values() for at in battle.retreats.values())

    def new_units(self, models: Iterable[str]) -> tuple[War, tuple[Unit, ...]]:
        """Return the war and new units of these models, each with an id of its own."""
        places = enumerate(models, self.units + 1)
        made = tuple(Unit(f"u{number_of(self.numbered, place)}", model) for place, model in places)
        return replace(self, units=self.units + len(made)), made


class Rules(Struct, frozen=True):
    """The rules by which a war is played: the book with its switches, and the scenario with its numbers."""

    terms: Terms
    scenario: Scenario

    def kind(self, panel: HeldPanel) -> PanelKind:
        """Return the kind of a panel."""
        return self.terms.of(PanelKind, panel.kind)

    def is_garrison(self, item: str) -> bool:
        """Return whether an item makes up a garrison, and is ordered as that."""
        found = self.terms.book.listed(Item).get(item)
        return found is not None and found.gives == "garrison"

    def is_upgrade(self, item: str | None) -> bool:
        """Return whether an item is what upgrades another: then whatever needs it is made where it stands (line 53)."""
        found = self.terms.book.listed(Item).get(item or "")
        return found is not None and found.upgrades is not None


def apply_settings(rules: Rules, war: War) -> Rules:
    """Return the rules with the prices and switches that a game master has set in a war."""
    if not war.prices and not war.switches:
        return rules
    found, terms = rules.scenario, rules.terms
    priced = replace(
        found,
        units={
            name: replace(item, cost=war.prices.get(f"unit.{name}", item.cost)) for name, item in found.units.items()
        },
        items={
            name: replace(item, cost=war.prices.get(f"item.{name}", item.cost)) for name, item in found.items.items()
        },
    )
    return Rules(replace(terms, switches={**terms.switches, **war.switches}), priced)


def sources(rules: Rules, war: War, faction: str) -> list[Hex]:
    """Return from where a faction is supplied: its capitol; of a rogue one each stronghold, and captured capitols (AMB-22, 36)."""
    side = war.factions.get(faction)
    if side is None:
        return []
    named = [place for place in (None if side.rogue else side.seat, side.source) if place is not None]
    if not side.rogue:
        return named
    held = ((at, rules.kind(panel)) for at, panel in war.panels.items() if panel.owner == faction)
    return [*named, *(at for at, kind in held if kind.stronghold or kind.seat)]


def supply(rules: Rules, war: War, faction: str) -> set[Hex]:
    """Return the panels of a faction that are supplied."""
    return supplied_panels(sources(rules, war, faction), war.owners, faction)


def is_lone(war: War, faction: str) -> bool:
    """Return whether what stands as the faction of a force is a lone rogue."""
    return faction != NEUTRAL and faction not in war.factions


def faction_named(war: War, typed: str) -> str:
    """Return the id of the faction that is called so, or else was before; what is typed where none is."""
    key = name_key(typed)
    now = (name for name, item in war.factions.items() if key in {name_key(name), name_key(item.name)})
    before = (name for name, item in war.factions.items() if key in map(name_key, item.once))
    return next(chain(now, before), typed)


def faction_of(war: War, mine: str) -> str | None:
    """Return the faction of a player (pseudonym), a lone rogue's own name; None of whoever is not in the war."""
    return next((item.faction or name for name, item in war.players.items() if item.owner == mine), None)


def require_free(war: War, force: Force) -> None:
    """Refuse a force that has to fight first, or that is fought for."""
    battle = war.battles.get(force.at)
    if battle is not None:
        does = "fights" if force.name in battle.forces else "is fought for"
        raise Refused("E_BATTLE_PENDING", f"{force.name} {does} on {battle.at}. That comes first.")


def require_no_battle(war: War, at: Hex) -> None:
    """Refuse to change a panel, or to build there, while a battle is fought on it."""
    if at in war.battles:
        raise Refused("E_BATTLE_PENDING", f"A battle is on at {at}. End it first.")


def land_of(rules: Rules, war: War, faction: str) -> Land:
    """Return the map as a faction's forces find it.

    Enemies stand where a force of others does that can fight, or a garrison of theirs; a superweapon, a facility, a
    stronghold or capitol without a garrison falls to whoever comes (AMB-09, 20).
    """
    fighting = [item for item in war.forces.values() if item.units]
    others = {at for at, panel in war.panels.items() if are_enemies(panel.owner, faction)}
    enemies = {item.at for item in fighting if are_enemies(item.faction, faction)}
    enemies |= {at for at in others if war.panels[at].garrison}
    if is_lone(war, faction):  # whoever would found a faction has to beat a full squadron there (line 91)
        enemies |= {at for at in others if rules.kind(war.panels[at]).stronghold}
    weapons = {item.at: item.kind for item in war.forces.values() if not item.units and item.faction != faction}
    falling = {name for name, kind in rules.terms.book.listed(PanelKind).items() if kind.stronghold or kind.seat}
    seats = {at: war.panels[at].kind for at in others if war.panels[at].kind in falling}
    installed = {at: panel.facility for at, panel in war.panels.items() if panel.facility is not None}
    return Land(
        frozenset(war.panels),
        faction,
        war.owners,
        frozenset(enemies),
        frozenset(item.at for item in war.forces.values() if item.faction == faction),
        {**seats, **weapons, **installed},
        rules.scenario.blocked,
        frozenset(war.battles),
        war.reserved,
    )


def require_name(war: War, name: str, *, but: Collection[str] = (), forces: bool = True) -> None:
    """Refuse a name that nobody can type, or that means somebody already; the faction that is to have it (`but`) is nobody else.

    Without `forces` it may be what one of these is called: whoever chooses it may not know of that, and what is asked for says
    whether a force is meant.
    """
    why = unfit(name)
    if why is not None:
        raise Refused("E_NAME_IN_USE", f"{name[:60]!r} isn't a name: {why}. Choose another one.")
    taken = find_namesake(war, name, but=but, forces=forces)
    if taken is not None:
        raise Refused("E_NAME_IN_USE", f"{name} is {taken}. Choose another name.")


def find_namesake(war: War, name: str, *, but: Collection[str] = (), forces: bool = True) -> str | None:
    """Return in words what is called so by now, or was, where orders may still mean it; None where nothing is. `but` and `forces` as `require_name`."""
    key, sides = name_key(name), [(each, side) for each, side in war.factions.items() if each not in but]
    if any(key in {name_key(each), name_key(side.name)} for each, side in sides) or key == name_key(NEUTRAL):
        return "the name of a faction"
    if any(key in map(name_key, side.once) for _, side in sides):
        return "the former name of a faction"
    if forces and key in map(name_key, war.forces):
        return "the name of a force"
    return "the name of a player" if key in map(name_key, war.players) else None


class WarAction(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """What changes a war, and who does it: a player, or None for a game master."""

    actor: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war after it."""
        raise NotImplementedError

    def is_possible(self, rules: Rules, war: War, *known: object) -> bool:
        """Return whether it is possible now; `known` are further arguments of `apply`."""
        try:
            self.apply(rules, war, *known)
        except Refused:
            return False
        return True
