"""What a battle's board shows: the facts for picture and words."""

from collections.abc import Collection, Iterator, Mapping
from itertools import count

from msgspec import Struct

from bot.cogs.war.pictures.chart import shorten_names
from rules.books.total_war.battles import unit_sort_key
from rules.books.total_war.board import Battlefield, Fighter, board_of
from rules.books.total_war.catalog import Terrain, UnitClass, Where
from rules.books.total_war.combat import can_fire
from rules.books.total_war.fight import Fight
from rules.books.total_war.war import NEUTRAL, NOBODYS, Rules, War, WarBattle
from rules.geometry import Hex, Square
from rules.phrases import lower_first, upper_first


class BoardSide(Struct, frozen=True):
    """A side with units `left` and `lost`; its place among all factions is None for a lone rogue."""

    id: str
    letters: str
    name: str
    colour: str
    place: int | None
    left: int
    lost: int
    attacks: bool
    withdrawn: bool


class BoardUnit(Struct, frozen=True):
    """A unit on the board; `next_shot` is the turn when it can fire again, `cooldown` its turns between shots."""

    id: str
    number: str
    model: str
    kind: str
    flags: tuple[str, ...]
    drawn: str
    side: str
    at: Square
    attack: str | None
    defense: int
    pilot: str | None
    ace: int
    hero: bool
    moved: bool
    attacked: bool
    next_shot: int | None
    cooldown: int

    def pips(self, turn: int) -> int:
        """Return for how many turns from `turn` it can't fire, 0 if it can."""
        return 0 if self.next_shot is None else min(self.cooldown, self.next_shot - turn)


class BoardFacts(Struct, frozen=True):
    """A battle's board: special and `usual` terrain, sides by id, turn, and units."""

    title: str
    at: Hex
    where: Where
    size: int
    terrain: Mapping[Square, Terrain]
    usual: Terrain
    parties: Mapping[str, BoardSide]
    active: str
    turn: int
    over: bool
    winner: str | None
    men: tuple[BoardUnit, ...]


def board_facts(rules: Rules, war: War, at: Hex) -> BoardFacts:
    """Return the board of a panel's battle."""
    battle = war.battles[at]
    fight = battle.fight
    around, size = Battlefield(rules.terms, fight.ground), board_of(rules.terms).columns
    usual = next(iter(rules.terms.book.entries_of(Terrain).values()))
    lies = {place: around.terrain(place) for place in board_of(rules.terms).squares()}
    ended = fight.outcome
    return BoardFacts(
        rules.scenario.title,
        at,
        fight.where,
        size,
        {place: found for place, found in lies.items() if found.id != usual.id},
        usual,
        {item.id: item for item in _list_sides(war, battle)},
        fight.active,
        fight.turn,
        ended.over,
        ended.winner,
        tuple(
            _board_unit(rules, war, battle, name, fight.units[name]) for name in sorted(fight.units, key=unit_sort_key)
        ),
    )


def next_shot(rules: Rules, fight: Fight, unit: Fighter) -> int | None:
    """Return the turn in which a lane unit may fire again; None if now or never."""
    if not rules.terms.of(UnitClass, unit.kind).lanes or can_fire(rules.terms, unit.fired, fight.turn):
        return None
    return next(turn for turn in count(fight.turn) if can_fire(rules.terms, unit.fired, turn))


def _list_sides(war: War, battle: WarBattle) -> Iterator[BoardSide]:
    fight, factions = battle.fight, [*war.factions]
    letters = dict(zip(factions, shorten_names(factions), strict=True))
    for side in (battle.attacker, battle.defender):
        faction = war.factions.get(side)
        called = _name_side(war, side) if faction is None else faction.name
        yield BoardSide(
            side,
            letters.setdefault(side, lone_letters(called, letters.values())),
            called,
            "" if faction is None else faction.colour,
            None if faction is None else factions.index(side),
            fight.unit_counts.get(side, 0),
            fight.lost.get(side, 0),
            side == battle.attacker,
            side in fight.withdrawn,
        )


def lone_letters(name: str, taken: Collection[str]) -> str:
    """Return the shortest beginning of a name that isn't taken, else the whole name."""
    used = {other.casefold() for other in taken}
    heads = (upper_first(name[:size]).rstrip() for size in range(1, len(name)))
    return next((head for head in heads if head.casefold() not in used), upper_first(name))


def _name_side(war: War, side: str) -> str:
    return NOBODYS if side == NEUTRAL else side if side in war.players else "a lone rogue"


def _board_unit(rules: Rules, war: War, battle: WarBattle, name: str, unit: Fighter) -> BoardUnit:
    kind = rules.terms.of(UnitClass, unit.kind)
    groups = [war.forces[force].units for force in battle.forces if force in war.forces]
    groups.append(war.panels[battle.at].garrison)
    known = next((item for units in groups for item in units if item.id == name), None)
    return BoardUnit(
        name,
        number_of(name),
        kind.label if known is None else known.model,
        kind.label,
        tuple(sorted(unit.flags)),
        kind.drawn,
        unit.side,
        unit.at,
        _attack(kind, unit),
        unit.defense,
        None if known is None else known.pilot,
        unit.ace,
        unit.hero,
        unit.moved,
        unit.attacked,
        next_shot(rules, battle.fight, unit),
        rules.terms.setting("cooldown", int),
    )


def number_of(name: str) -> str:
    """Return the digits of a unit's id."""
    return name.lstrip("abcdefghijklmnopqrstuvwxyz") or name


def _attack(kind: UnitClass, unit: Fighter) -> str | None:
    if kind.lanes:
        return "fires down lanes"
    if unit.attack is None:
        return None
    accuracy = unit.attack.accuracy
    return f"{unit.attack}" + ("" if accuracy is None else f" at {accuracy}%")


def board_title(field: BoardFacts) -> str:
    """Return the board's title."""
    return f"{field.title}: battle on {field.at}, turn {field.turn}"


def board_words(field: BoardFacts) -> list[str]:
    """Return a board line by line."""
    return [*board_opening(field), *_terrain_lines(field), *(_unit_words(field, man) for man in field.men)]


def short_board_words(field: BoardFacts) -> list[str]:
    """Return a board in fewer words."""
    return [*board_opening(field), *(f"{name_of(field, man)} on {man.at}{_marks(man)}." for man in field.men)]


def side_words(field: BoardFacts, party: BoardSide) -> str:
    """Return a side in words."""
    what = "attacks" if party.attacks else "defends"
    turn = ", its half of the turn" if party.id == field.active and not field.over else ""
    turn = ", has withdrawn" if party.withdrawn else turn
    return f"{party.name} ({party.letters}) {what}: {party.left} left, {party.lost} lost{turn}"


def name_of(field: BoardFacts, man: BoardUnit) -> str:
    """Return a unit's id, model, and its side's letters."""
    return f"{man.id} {man.model} ({field.parties[man.side].letters})"


def _unit_words(field: BoardFacts, man: BoardUnit) -> str:
    attack = "no attack" if man.attack is None else man.attack
    kind = ", ".join([lower_first(man.kind), *man.flags])
    about = f"{name_of(field, man)}, {kind}, on {man.at}: {attack}, defense {man.defense}"
    return f"{about}{_marks(man)}."


def _marks(man: BoardUnit) -> str:
    marks = [
        *([f"flown by {man.pilot}"] if man.pilot else []),
        *(["hero"] if man.hero else []),
        *([f"ace level {man.ace}"] if man.ace else []),
        *(["has moved"] if man.moved else []),
        *(["has attacked"] if man.attacked else []),
        *([f"fires again in turn {man.next_shot}"] if man.next_shot else []),
    ]
    return "".join(f", {mark}" for mark in marks)


def board_opening(field: BoardFacts) -> Iterator[str]:
    """Yield the board, its sides, and the winner."""
    yield f"Board of {board_title(field)}, {'in space' if field.where == 'space' else 'on land'}."
    yield from (f"{side_words(field, party)}." for party in field.parties.values())
    if field.over:
        winner = "Nobody" if field.winner is None else field.parties[field.winner].name
        yield f"The battle is over: {winner} has won."


def _terrain_lines(field: BoardFacts) -> Iterator[str]:
    tiles: dict[str, list[Square]] = {}
    for place, found in field.terrain.items():
        tiles.setdefault(found.label, []).append(place)
    yield from (f"{label}: {', '.join(map(str, sorted(places)))}." for label, places in tiles.items())
