"""The state of a war: panels, factions, forces, players, battles and answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from rules.books.total_war.catalog import Item, PanelKind, Refused, Setting, Terms
from rules.books.total_war.fight import Fight, Result, battle_result
from rules.books.total_war.scenario import Scenario, number_of
from rules.geometry import Hex, find_connected, neighbours
from rules.phrases import possessive
from rules.subjects import name_key, unfit


def are_enemies(a: str, b: str) -> bool:
    """Check two factions; all are enemies, rogues and neutral garrisons too (line 87, AMB-37)."""
    return a != b


NEUTRAL = "N"
"""The owner of panels that no faction owns (line 66)."""
NOBODYS = "neutral garrison"

Owners = Mapping[Hex, str]


def find_supplied(sources: Iterable[Hex], owners: Owners, faction: str) -> set[Hex]:
    """Return a faction's panels joined to a source by their own land (line 80, AMB-23)."""
    return find_connected(sources, {panel for panel, owner in owners.items() if owner == faction}, neighbours)


class Unit(Struct, frozen=True):
    """A unit, and how many enemies it has killed."""

    id: str
    model: str
    kills: int = 0
    pilot: str | None = None


UNKNOWN = "?"


class HeldPanel(Struct, frozen=True):
    """A panel as it is now, with its owner; `bonus` is gold per turn on top of its kind's."""

    kind: str
    bonus: int = 0
    owner: str = NEUTRAL
    facility: str | None = None
    garrison: tuple[Unit, ...] = ()


class Force(Struct, frozen=True):
    """A force; `moved`, `tagged` (rode along), `forced` (had to fight there) and `follows` last one turn."""

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
    """A faction; rogues make models of their `origin` (line 101), and orders may use names from `once`."""

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

    @property
    def public_view(self) -> Side:
        """The faction as others see it in fog."""
        return replace(self, gold=0, delegate=None, pool={}, models=frozenset(), source=None)

    @property
    def posts(self) -> frozenset[str | None]:
        """Players with a post, and None for an empty one."""
        return frozenset({self.leader, self.delegate})


class Player(Struct, frozen=True):
    """A player; `former` is the last original faction, `owner` a pseudonym that is never shown."""

    rank: str
    faction: str | None = None
    petition: str | None = None
    former: str | None = None
    owner: str | None = None

    def mask(self, viewer: str | None) -> Player:
        """Return the player as others see them in fog; a faction sees requests to itself."""
        asks = self.petition if self.petition == viewer else None
        return replace(self, rank=UNKNOWN, petition=asks, owner=None)

    def join(self, faction: str | None, **change: object) -> Player:
        """Return the player in another faction (None: a lone rogue), without a request."""
        return replace(self, faction=faction, petition=None, **change)


class WarBattle(Struct, frozen=True):
    """A battle on a panel, with the side of each force; `filled` guards leave after it (line 91)."""

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
        """The winner; None while it goes on or if no unit is left."""
        return self.fight.outcome.winner

    def result(self, force: str) -> Result:
        """Return the result for a force."""
        return battle_result(self.fight.outcome, self.forces[force], self.fight.withdrawn)


class Works(Struct, frozen=True):
    """Something being built or researched (no panel), and the turn when it is done."""

    item: str
    faction: str
    at: Hex | None
    done: int
    number: int = 1
    model: str | None = None


class War(Struct, frozen=True):
    """The state of a war; `units` counts all units ever, `asked` is whose capitol fell."""

    panels: Mapping[Hex, HeldPanel]
    factions: Mapping[str, Side]
    forces: Mapping[str, Force]
    players: Mapping[str, Player] = field(default_factory=dict)
    turn: int = 1
    battles: Mapping[Hex, WarBattle] = field(default_factory=dict)
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
        """Return a force by name."""
        if name not in self.forces:
            raise Refused("E_NO_TARGET", f"{name} isn't a force.")
        return self.forces[name]

    def name_side(self, side: str) -> str:
        """Return a side's name; lone rogues go by their own."""
        faction = self.factions.get(side)
        return NOBODYS if side == NEUTRAL else faction.name if faction else side

    def describe_owner(self, side: str) -> str:
        """Return the owner of land in words: `neutral`, `Zeon's`."""
        return "neutral" if side == NEUTRAL else possessive(self.name_side(side))

    def describe_commander(self, force: Force) -> str:
        """Return a force's commander in words."""
        if force.commander is None:
            return "no player"
        return force.commander if force.commander in self.players else "a player who hasn't joined yet"

    def with_forces(self, *changed: Force) -> War:
        """Return the war with these forces."""
        return replace(self, forces={**self.forces, **{item.name: item for item in changed}})

    def without_forces(self, names: Iterable[str]) -> War:
        """Return the war without these forces."""
        gone = {*names}
        return replace(self, forces={name: item for name, item in self.forces.items() if name not in gone})

    def with_panel(self, at: Hex, **change: object) -> War:
        """Change a panel."""
        return replace(self, panels={**self.panels, at: replace(self.panels[at], **change)})

    def with_side(self, faction: str, **change: object) -> War:
        """Change a faction."""
        return replace(self, factions={**self.factions, faction: replace(self.factions[faction], **change)})

    def with_player(self, player: str, **change: object) -> War:
        """Change a player."""
        return replace(self, players={**self.players, player: replace(self.players[player], **change)})

    def on(self, at: Hex) -> Iterator[Force]:
        """Yield the forces on a panel."""
        return (item for item in self.forces.values() if item.at == at)

    def every_unit(self) -> Iterator[Unit]:
        """Yield units of forces, then of garrisons."""
        yield from (unit for force in self.forces.values() for unit in force.units)
        yield from (unit for panel in self.panels.values() for unit in panel.garrison)

    @property
    def owners(self) -> dict[Hex, str]:
        """Owners by panel."""
        return {at: panel.owner for at, panel in self.panels.items()}

    @property
    def retreat_panels(self) -> frozenset[Hex]:
        """Panels that beaten forces of open battles retreat to."""
        return frozenset(at for battle in self.battles.values() for at in battle.retreats.values())

    def new_units(self, models: Iterable[str]) -> tuple[War, tuple[Unit, ...]]:
        """Return the war with new unit ids counted, and the units, which the caller has to place."""
        places = enumerate(models, self.units + 1)
        made = tuple(Unit(f"u{number_of(self.numbered, place)}", model) for place, model in places)
        return replace(self, units=self.units + len(made)), made

    def is_lone(self, faction: str) -> bool:
        """Check whether a force's faction is a lone rogue."""
        return faction != NEUTRAL and faction not in self.factions

    def match_faction(self, typed: str) -> str:
        """Return the faction's id by current or former name, else the text itself."""
        key = name_key(typed)
        now = (name for name, item in self.factions.items() if key in {name_key(name), name_key(item.name)})
        before = (name for name, item in self.factions.items() if key in map(name_key, item.once))
        return next(now, None) or next(before, typed)

    def faction_of(self, mine: str) -> str | None:
        """Return a player's faction (id) by pseudonym: a lone rogue's own name, None for others."""
        return next((item.faction or name for name, item in self.players.items() if item.owner == mine), None)

    def require_free(self, force: Force) -> None:
        """Refuse a force in a battle, or on its panel."""
        battle = self.battles.get(force.at)
        if battle is not None:
            does = "fights" if force.name in battle.forces else "is fought for"
            raise Refused("E_BATTLE_PENDING", f"{force.name} {does} on {battle.at}. That comes first.")

    def require_no_battle(self, at: Hex) -> None:
        """Refuse changes to a panel with a battle."""
        if at in self.battles:
            raise Refused("E_BATTLE_PENDING", f"A battle is on at {at}. End it first.")

    def require_name(self, name: str, *, but: Collection[str] = (), forces: bool = True) -> None:
        """Refuse an unfit or used name; without `forces` the refusal reveals no hidden force."""
        why = unfit(name)
        if why is not None:
            raise Refused("E_NAME_IN_USE", f"{name[:60]!r} isn't a name: {why}. Choose another one.")
        taken = self.find_namesake(name, but=but, forces=forces)
        if taken is not None:
            raise Refused("E_NAME_IN_USE", f"{name} is {taken}. Choose another name.")

    def find_namesake(self, name: str, *, but: Collection[str] = (), forces: bool = True) -> str | None:
        """Describe what has or had this name, if anything."""
        key, sides = name_key(name), [(each, side) for each, side in self.factions.items() if each not in but]
        if any(key in {name_key(each), name_key(side.name)} for each, side in sides) or key == name_key(NEUTRAL):
            return "the name of a faction"
        if any(key in map(name_key, side.once) for _, side in sides):
            return "the former name of a faction"
        if forces and key in map(name_key, self.forces):
            return "the name of a force"
        return "the name of a player" if key in map(name_key, self.players) else None

    def view_as(self, player: str) -> str | None:
        """Return the view that a player has: their faction, their own name as a lone rogue, or None."""
        found = self.players.get(player)
        return None if found is None else found.faction or player


class Rules(Struct, frozen=True):
    """The book with its switches, and the scenario."""

    terms: Terms
    scenario: Scenario

    def kind(self, panel: HeldPanel) -> PanelKind:
        """Return a panel's kind."""
        return self.terms.of(PanelKind, panel.kind)

    def is_garrison(self, item: str) -> bool:
        """Check whether an item adds a guard."""
        found = self.terms.book.entries_of(Item).get(item)
        return found is not None and found.gives == "garrison"

    def is_upgrade(self, item: str | None) -> bool:
        """Check for an upgraded facility; its models are made where it is (line 53)."""
        found = self.terms.book.entries_of(Item).get(item or "")
        return found is not None and found.upgrades is not None

    def apply_settings(self, war: War) -> Rules:
        """Return the rules with the prices and switches set in a war."""
        if not war.prices and not war.switches:
            return self
        found, terms = self.scenario, self.terms
        priced = replace(
            found,
            units={
                name: replace(item, cost=war.prices.get(f"unit.{name}", item.cost))
                for name, item in found.units.items()
            },
            items={
                name: replace(item, cost=war.prices.get(f"item.{name}", item.cost))
                for name, item in found.items.items()
            },
        )
        return Rules(replace(terms, switches={**terms.switches, **war.switches}), priced)


def sources(rules: Rules, war: War, faction: str) -> list[Hex]:
    """Return where supply starts: capitol and ruled source, for rogues strongholds and won capitols (AMB-22, 36)."""
    side = war.factions.get(faction)
    if side is None:
        return []
    named = [place for place in (None if side.rogue else side.seat, side.source) if place is not None]
    if not side.rogue:
        return named
    own = ((at, rules.kind(panel)) for at, panel in war.panels.items() if panel.owner == faction)
    return [*named, *(at for at, kind in own if kind.stronghold or kind.seat)]


def supply(rules: Rules, war: War, faction: str) -> set[Hex]:
    """Return a faction's supplied panels."""
    return find_supplied(sources(rules, war, faction), war.owners, faction)


class WarAction(Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """A change of a war by a player, or a game master (None)."""

    actor: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war after this action, or raise Refused."""
        raise NotImplementedError

    def is_possible(self, rules: Rules, war: War, *known: object) -> bool:
        """Check that `apply` doesn't refuse the action; `known` are its further arguments."""
        try:
            self.apply(rules, war, *known)
        except Refused:
            return False
        return True


class Ruling(WarAction, frozen=True):
    """What only game masters set."""
