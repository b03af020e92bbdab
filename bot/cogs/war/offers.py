"""Where a unit can go and what it can attack in a battle, as buttons and selects."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from discord import ButtonStyle, ui

from bot.cogs.war.battles import ATTACKS, WAYS, SeenBattle, UnitSelect
from bot.ui.receipt import pickers
from bot.ui.reply import IdTemplate
from rules.books.total_war import board
from rules.books.total_war.battles import unit_sort_key
from rules.geometry import EDGES, Square

_SEEN = "battle:{campaign:int}:%s:{at:word}:{begun:int}:{newest:int}"
GRID: Final = IdTemplate(f"{_SEEN % 'grid'}:{{unit:word}}:{{centre:word}}")
TILE: Final = IdTemplate(f"{_SEEN % 'tile'}:{{unit:word}}:{{to:word}}")
MOVE: Final = IdTemplate(f"{_SEEN % 'move'}:{{unit:word}}:{{to:word}}")
ATTACK: Final = IdTemplate(f"{_SEEN % 'attack'}:{{unit:word}}:{{to:word}}:{{first:word}}:{{_place:int}}")
"""By the battle's newest entry that was seen. `first` is what comes first: the move or the attack."""

REACH = 2
"""Tiles of a grid on each side of its centre: Discord has rows of five buttons."""
SIDES = {"N": "North", "W": "West", "E": "East", "S": "South"}

Button = ui.Button[ui.LayoutView]


def offer_tiles(seen: SeenBattle, unit: str, centre: Square) -> list[list[Button]]:
    """Return five rows of tiles, north first, and ways on to tiles in reach beyond them."""
    fight, free = seen.battle.fight, {*seen.choices.tiles(unit)}
    size = board.board_of(seen.rules.terms)
    middle = Square(_clamp(centre.column, size.columns), _clamp(centre.row, size.rows))
    on = {item.at: name for name, item in fight.units.items()}
    span = range(-REACH, REACH + 1)
    rows = [
        [
            _tile_button(seen, unit, Square(middle.column + across, middle.row - down), on, free)
            for across in span
            if middle.column + across <= size.columns
        ]
        for down in span
        if middle.row - down <= size.rows
    ]
    beyond = {
        "N": any(place.row > middle.row + REACH for place in free),
        "W": any(place.column < middle.column - REACH for place in free),
        "E": any(place.column > middle.column + REACH for place in free),
        "S": any(place.row < middle.row - REACH for place in free),
    }
    return [*rows, [_way_button(seen, unit, middle, way) for way, more in beyond.items() if more]]


def offer_attacks(seen: SeenBattle, unit: str, to: Square | None) -> Iterator[UnitSelect]:
    """Yield selects of a unit's attacks: after a move `to` a tile, before it, or without one."""
    at = to or seen.battle.fight.units[unit].at
    orders = {"move": to, "attack": None} if to else {"move": None}
    words = {"move": f"Go to {at}, then attack …" if to else "Attack …", "attack": f"Attack, then go to {at} …"}
    for first, place_of_attack in orders.items():
        key = partial(seen.key.fill, ATTACK, newest=seen.newest, unit=unit, to=at, first=first)
        yield from pickers(key, words[first], [*_list_attacks(seen, unit, place_of_attack)])


def _list_attacks(seen: SeenBattle, unit: str, to: Square | None) -> Iterator[tuple[str, str, str]]:
    choices, names, on = seen.choices, seen.labels(), seen.battle.fight.units
    able = {*choices.attacks(unit)}
    for family, way in WAYS.items():
        if way == "fire" and way in able:
            yield from (
                (f"{family}:{side}", f"{ATTACKS[family]} {SIDES[side]}", "") for side in choices.directions(unit, to)
            )
        elif way in able:
            for target in sorted(choices.targets(unit, way, to), key=unit_sort_key):
                about = f"On {on[target].at}"
                for call in (choices.calls(target) if way == "melee" else ()) or ("",):
                    called = f", call {call}" if call else ""
                    yield f"{family}:{target}:{call}", f"{ATTACKS[family]} {names[target]}{called}", about


def _clamp(middle: int, size: int) -> int:
    return max(1 + REACH, min(middle, size - REACH))


def _tile_button(seen: SeenBattle, unit: str, place: Square, on: dict[Square, str], free: set[Square]) -> Button:
    fight, here = seen.battle.fight, on.get(place)
    can = place in free or (here == unit and any(seen.choices.attacks(unit)))
    foe = here is not None and fight.units[here].side != fight.units[unit].side
    style = ButtonStyle.success if place in free else ButtonStyle.primary if here == unit else ButtonStyle.secondary
    key = seen.key.fill(TILE, newest=seen.newest, unit=unit, to=place)
    button = Button(label=here or str(place), custom_id=key, style=ButtonStyle.danger if foe else style)
    button.disabled = not can
    return button


def _way_button(seen: SeenBattle, unit: str, middle: Square, way: str) -> Button:
    size, step, far = board.board_of(seen.rules.terms), EDGES[way], 2 * REACH
    column, row = middle.column + far * step.column, middle.row + far * step.row
    centre = Square(_clamp(column, size.columns), _clamp(row, size.rows))
    return Button(label=SIDES[way], custom_id=seen.key.fill(GRID, newest=seen.newest, unit=unit, centre=centre))
