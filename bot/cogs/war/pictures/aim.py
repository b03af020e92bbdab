"""What a unit on a board can do, as facts and in words."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bot.cogs.war.pictures.field import BoardFacts, BoardUnit, name_of, next_shot
from rules.books.total_war import board
from rules.books.total_war.board import Fighter
from rules.books.total_war.catalog import Refused, UnitClass
from rules.books.total_war.combat import lane_chances, list_covered_tiles
from rules.books.total_war.fight import Fight
from rules.books.total_war.war import Rules, War
from rules.geometry import EDGES, Square, shortest

_BEYOND = "E_OUT_OF_RANGE"


class Lane(Struct, frozen=True):
    """A line of fire in direction `way`: its tiles, and hit chances in percent by tile."""

    way: str
    tiles: tuple[Square, ...]
    chances: Mapping[Square, int]


class UnitReach(Struct, frozen=True):
    """What a unit can do this turn, in tiles.

    It may end on `ends`, and attacks from the end of `way`. `shot` and `struck` are tiles it can attack by fire or in
    melee, `barred` those it can't, with the reason.
    """

    man: BoardUnit
    ends: tuple[Square, ...] = ()
    way: tuple[Square, ...] = ()
    shot: tuple[Square, ...] = ()
    barred: Mapping[Square, str] = field(default_factory=dict)
    melee: tuple[Square, ...] = ()
    struck: tuple[Square, ...] = ()
    lanes: tuple[Lane, ...] = ()
    why: tuple[str, ...] = ()

    @property
    def start(self) -> Square:
        """The tile it attacks from."""
        return self.way[-1] if self.way else self.man.at


def aim_of(
    rules: Rules, war: War, field: BoardFacts, name: str, to: Square | None = None, way: str | None = None
) -> UnitReach:
    """Return a unit's reach, after it moved `to` a tile; `way` picks one lane."""
    fight = war.battles[field.at].fight
    unit, around = fight.unit(name), fight.around(rules.terms, name)
    aim = UnitReach(next(man for man in field.men if man.id == name))
    if unit.moved:
        aim = replace(aim, why=(f"It has already moved in turn {fight.turn}.",))
    else:
        aim = replace(aim, ends=tuple(sorted(board.destinations(around, unit.mover(fight.where)))))
        aim = aim if to is None else _move_first(around, unit.mover(fight.where), aim, to)
    unit = replace(unit, at=aim.start)
    if unit.attacked:
        return replace(aim, why=(*aim.why, f"It has already attacked in turn {fight.turn}."))
    kind = rules.terms.of(UnitClass, unit.kind)
    if kind.lanes:
        return _add_lanes(rules, fight, name, unit, aim, way)
    aim = _add_shots(rules, fight, name, unit, aim)
    if not kind.melee:
        return aim
    tiles = board.target_tiles(around, unit.shooter(melee=True))
    return replace(aim, melee=tuple(sorted(tiles)), struck=tuple(sorted(tiles & _foes(fight, unit))))


def aim_words(field: BoardFacts, aim: UnitReach) -> list[str]:
    """Return a unit's reach line by line."""
    return [f"What {name_of(field, aim.man)} on {aim.man.at} can do in turn {field.turn}.", *_aim_lines(field, aim)]


def _move_first(around: board.Battlefield, mover: board.Mover, aim: UnitReach, to: Square) -> UnitReach:
    try:
        board.require_steps(around, mover, to)
    except Refused as refusal:
        return replace(aim, why=(*aim.why, str(refusal)))
    cost = dict.fromkeys(aim.ends, 1).get
    return replace(aim, way=shortest(mover.at, to, around.board.neighbours, cost) or ())


def _add_shots(rules: Rules, fight: Fight, name: str, unit: Fighter, aim: UnitReach) -> UnitReach:
    around, foes = fight.around(rules.terms, name), _foes(fight, unit)
    try:
        shot = board.target_tiles(around, unit.shooter()) & foes
    except Refused as refusal:
        return replace(aim, why=(*aim.why, str(refusal)))
    return replace(aim, shot=tuple(sorted(shot)), barred=_find_barred(around, unit.shooter(), foes - shot))


def _find_barred(around: board.Battlefield, shooter: board.Shooter, foes: Collection[Square]) -> dict[Square, str]:
    found: dict[Square, str] = {}
    for place in sorted(foes):
        try:
            board.require_target(around, shooter, place)
        except Refused as refusal:
            if refusal.code != _BEYOND:
                found[place] = str(refusal)
    return found


def _add_lanes(rules: Rules, fight: Fight, name: str, ship: Fighter, aim: UnitReach, way: str | None) -> UnitReach:
    ready = next_shot(rules, fight, ship)
    if ready is not None:
        return replace(aim, why=(*aim.why, f"It can fire again in turn {ready}."))
    around, shooter = fight.around(rules.terms, name), ship.shooter()
    others = {item.at: item for other, item in fight.units.items() if other != name}
    ways = [each for each in EDGES if way in {each, None}]
    lanes = [
        Lane(each, list_covered_tiles(around, shooter, each), lane_chances(around, shooter, each, others))
        for each in ways
    ]
    reached = {place for lane in lanes for place in lane.chances}
    barred = {} if way is not None else _find_barred(around, shooter, _foes(fight, ship) - reached)
    return replace(aim, lanes=tuple(lane for lane in lanes if lane.tiles), barred=barred)


def _foes(fight: Fight, unit: Fighter) -> set[Square]:
    return {item.at for item in fight.units.values() if item.side != unit.side}


def _aim_lines(field: BoardFacts, aim: UnitReach) -> Iterator[str]:
    on = {man.at: name_of(field, man) for man in field.men}
    if aim.ends:
        yield f"It can move to {_tiles(aim.ends)}."
    if aim.way:
        yield f"Planned path: {' > '.join(map(str, aim.way))}, then it attacks from there."
    yield from (f"It can shoot {on[place]} on {place}." for place in aim.shot)
    if aim.melee:
        yield f"Its melee reaches {_tiles(aim.melee)}."
    yield from (f"It can attack {on[place]} on {place} in melee." for place in aim.struck)
    for lane in aim.lanes:
        reached = ", ".join(f"{on[place]} on {place} {percent}%" for place, percent in lane.chances.items())
        yield f"Lane {lane.way}, {lane.tiles[0]} to {lane.tiles[-1]}: {reached or 'no unit'}."
    yield from (f"Can't attack {on[place]}: {words}" for place, words in aim.barred.items())
    yield from aim.why


def _tiles(places: Sequence[Square]) -> str:
    return ", ".join(map(str, places))
