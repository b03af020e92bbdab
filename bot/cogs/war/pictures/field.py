"""What a battle's board shows and a unit on it can do: the facts for picture and words."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

from msgspec import Struct, field
from msgspec.structs import replace

from bot.cogs.war.pictures.chart import shorten_names
from bot.orders.digest import name_some
from rules.books.total_war import battles, board
from rules.books.total_war.board import Fighter
from rules.books.total_war.catalog import Refused, Terrain, UnitClass, Where
from rules.books.total_war.combat import can_fire, lane_chances, list_covered_tiles
from rules.books.total_war.fight import Fight
from rules.books.total_war.war import NEUTRAL, NOBODYS, Rules, War, WarBattle
from rules.geometry import EDGES, Hex, Square, shortest
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
    around, size = board.Battlefield(rules.terms, fight.ground), board.board_of(rules.terms).columns
    usual = next(iter(rules.terms.book.entries_of(Terrain).values()))
    lies = {place: around.terrain(place) for place in board.board_of(rules.terms).squares()}
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
            _board_unit(rules, war, battle, name, fight.units[name])
            for name in sorted(fight.units, key=battles.unit_sort_key)
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


def board_opening(field: BoardFacts, *, rosters: bool = False) -> Iterator[str]:
    """Yield board, sides (with units by number if asked), and winner."""
    yield f"Board of {board_title(field)}, {'in space' if field.where == 'space' else 'on land'}."
    for side, party in field.parties.items():
        yield f"{side_words(field, party)}."
        units = [_roster_words(man) for man in field.men if man.side == side] if rosters else []
        if units:
            yield f"{name_some(units)}."
    if field.over:
        winner = "Nobody" if field.winner is None else field.parties[field.winner].name
        yield f"The battle is over: {winner} has won."


def _roster_words(man: BoardUnit) -> str:
    pilot = f", {man.pilot}" if man.pilot else ""
    return f"{man.number} {man.model} ({man.at}{pilot})"


def terrain_letters(field: BoardFacts) -> Mapping[str, str]:
    """Return special terrain's letters by label."""
    labels = list(dict.fromkeys(found.label for found in field.terrain.values()))
    return dict(zip(labels, shorten_names(labels), strict=True))


def _terrain_lines(field: BoardFacts) -> Iterator[str]:
    tiles: dict[str, list[Square]] = {}
    for place, found in field.terrain.items():
        tiles.setdefault(found.label, []).append(place)
    yield from (f"{label}: {', '.join(map(str, sorted(places)))}." for label, places in tiles.items())


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
