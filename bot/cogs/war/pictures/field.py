"""What the board of a battle shows, as plain facts: picture and words are both made of these."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count

from msgspec import Struct

from bot.cogs.war.pictures.chart import letters_of
from rules.books.total_war.battles import unit_sort_key
from rules.books.total_war.board import Battlefield, board_of
from rules.books.total_war.catalog import Terrain, UnitClass, Where
from rules.books.total_war.combat import can_fire
from rules.books.total_war.fight import Fight, Fighter
from rules.books.total_war.land import NEUTRAL, NOBODYS
from rules.books.total_war.war import Battle, Rules, Unit, War
from rules.geometry import Hex, Square
from rules.phrases import inside, starting


class BoardSide(Struct, frozen=True):
    """A side of a battle: its letters, name and colour, its place among all factions (None: a lone rogue), units left and lost."""

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
    """A unit on the board: its number, model, class, flags and shape, side, tile and stats, what it is, and what it has done in this turn.

    One that has fired down a lane does so `next_shot` in a turn; after a shot there is none for `cooldown` turns.
    """

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
        """Return for how many turns from this one on, that of its shot left out, it cannot fire."""
        return 0 if self.next_shot is None else min(self.cooldown, self.next_shot - turn)


class BoardFacts(Struct, frozen=True):
    """The board of a battle: what lies on each tile that is not open, with colours; its sides, whose half of which turn it is, its units."""

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
    """Return what the board of the battle on a panel shows."""
    battle = war.battles[at]
    fight = battle.fight
    around, size = Battlefield(rules.terms, fight.ground), board_of(rules.terms).columns
    usual = next(iter(rules.terms.book.listed(Terrain).values()))
    lies = {place: around.terrain(place) for place in board_of(rules.terms).squares()}
    ended = fight.ended
    return BoardFacts(
        rules.scenario.title,
        at,
        fight.where,
        size,
        {place: found for place, found in lies.items() if found.id != usual.id},
        usual,
        {item.id: item for item in _sides(war, battle)},
        fight.active,
        fight.turn,
        ended.over,
        ended.winner,
        tuple(
            _board_unit(rules, war, battle, name, fight.units[name]) for name in sorted(fight.units, key=unit_sort_key)
        ),
    )


def next_shot(rules: Rules, fight: Fight, unit: Fighter) -> int | None:
    """Return in which turn a unit that fires down lanes may do so again; None where it may now, or never does."""
    if not rules.terms.of(UnitClass, unit.kind).lanes or can_fire(rules.terms, unit.fired, fight.turn):
        return None
    return next(turn for turn in count(fight.turn) if can_fire(rules.terms, unit.fired, turn))


def _sides(war: War, battle: Battle) -> Iterator[BoardSide]:
    fight, factions = battle.fight, [*war.factions]
    letters = dict(zip(factions, letters_of(factions), strict=True))
    for side in (battle.attacker, battle.defender):
        faction = war.factions.get(side)
        called = _called(war, side) if faction is None else faction.name
        yield BoardSide(
            side,
            letters.setdefault(side, lone_letters(called, letters.values())),
            called,
            "" if faction is None else faction.colour,
            None if faction is None else factions.index(side),
            fight.left.get(side, 0),
            fight.lost.get(side, 0),
            side == battle.attacker,
            side in fight.withdrawn,
        )


def lone_letters(name: str, taken: Collection[str]) -> str:
    """Return the shortest beginning of the name of a side without a faction that isn't taken; the whole name where each is."""
    used = {other.casefold() for other in taken}
    heads = (starting(name[:size]).rstrip() for size in range(1, len(name)))
    return next((head for head in heads if head.casefold() not in used), starting(name))


def _called(war: War, side: str) -> str:
    """Return what a side without a faction is called: a lone rogue, by the name of who is in the war."""
    return NOBODYS if side == NEUTRAL else side if side in war.players else "a lone rogue"


def _board_unit(rules: Rules, war: War, battle: Battle, name: str, unit: Fighter) -> BoardUnit:
    kind = rules.terms.of(UnitClass, unit.kind)
    known = _war_unit(war, battle, name)
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
    """Return the number of a unit as boards show it: its id without the letters before its digits."""
    return name.lstrip("abcdefghijklmnopqrstuvwxyz") or name


def _attack(kind: UnitClass, unit: Fighter) -> str | None:
    if kind.lanes:
        return "fires down lanes"
    return None if unit.attack is None else f"{unit.attack}{_accuracy(unit.attack.accuracy)}"


def _accuracy(accuracy: int | None) -> str:
    return "" if accuracy is None else f" at {accuracy}%"


def _war_unit(war: War, battle: Battle, name: str) -> Unit | None:
    """Return a unit as the war knows it; None of one that a game master has put on the board alone."""
    groups = [war.forces[force].units for force in battle.forces if force in war.forces]
    groups.append(war.panels[battle.at].garrison)
    return next((unit for units in groups for unit in units if unit.id == name), None)


def board_title(field: BoardFacts) -> str:
    """Return the title of a board."""
    return f"{field.title}: battle on {field.at}, turn {field.turn}"


def board_words(field: BoardFacts) -> list[str]:
    """Return a board line by line: sides, terrain, then every unit."""
    return [*board_opening(field), *_terrain_lines(field), *(unit_words(field, man) for man in field.men)]


def short_board_words(field: BoardFacts) -> list[str]:
    """Return a board in fewer words: sides, and where their units are."""
    return [*board_opening(field), *(f"{name_of(field, man)} on {man.at}{_marks(man)}." for man in field.men)]


def side_words(field: BoardFacts, party: BoardSide) -> str:
    """Return a side: who it is, what it has left, and whether it is its half of the turn."""
    what = "attacks" if party.attacks else "defends"
    turn = (
        ", has withdrawn"
        if party.withdrawn
        else ", its half of the turn"
        if party.id == field.active and not field.over
        else ""
    )
    return f"{party.name} ({party.letters}) {what}: {party.left} left, {party.lost} lost{turn}"


def name_of(field: BoardFacts, man: BoardUnit) -> str:
    """Return a unit by its id, by which an order names it, its model, and the letters of its side."""
    return f"{man.id} {man.model} ({field.parties[man.side].letters})"


def unit_words(field: BoardFacts, man: BoardUnit) -> str:
    """Return all that is known of a unit."""
    attack = "no attack" if man.attack is None else man.attack
    kind = ", ".join([inside(man.kind), *man.flags])
    about = f"{name_of(field, man)}, {kind}, on {man.at}: {attack}, defense {man.defense}"
    return f"{about}{_marks(man)}."


def _marks(man: BoardUnit) -> str:
    """Return what a unit is beyond its class, and what it has done in this turn."""
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
    """Yield what board it is, its sides, and who has won."""
    """Yield what board it is, its sides, and who has won."""
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
