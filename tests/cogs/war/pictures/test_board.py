"""The board without hue, and in words."""

from __future__ import annotations

from itertools import combinations

import pytest
from msgspec.structs import replace
from PIL import Image

from bot.cogs.war.boards import BoardView
from bot.cogs.war.pictures.board import GOLD, BoardCanvas, draw_board, draw_units, empty_board, side_paint
from bot.cogs.war.pictures.field import (
    BoardFacts,
    BoardUnit,
    board_facts,
    board_words,
    lone_letters,
    number_of,
    short_board_words,
    terrain_letters,
)
from bot.cogs.war.pictures.keys import explain_board
from bot.ui.pictures import canvas, rows
from bot.ui.pictures.canvas import PHONE, Pen, write
from bot.ui.pictures.gallery import kept
from bot.ui.pictures.style import full, ink_beside, luminance_of, to_linear
from bot.ui.text import MAX_ALT, paginate, picture_embeds
from rules.books.total_war.combat import play_order
from rules.books.total_war.fight import Fire, Next, Withdraw
from rules.books.total_war.war import Player, Unit, War
from rules.geometry import Square
from tests.cogs.war.pictures.wars import PANEL, RULES, battle, count, fighting, opened

PLANS = range(2)


def drawn(field: BoardFacts) -> tuple[BoardCanvas, Image.Image]:
    """Return a board with units, and its picture as sent."""
    board = empty_board(field)
    draw_units(board)
    return board, opened(draw_board(field))


def tile(field: BoardFacts, place: Square) -> Image.Image:
    """Return a tile's picture without grid lines."""
    board, picture = drawn(field)
    left, top = board.corner(place)
    return picture.crop((left + 1, top + 1, left + board.tile, top + board.tile))


def of(field: BoardFacts, man: int, **change: object) -> BoardFacts:
    """Return a board with one unit changed."""
    men = [replace(each, **change) if number == man else each for number, each in enumerate(field.men)]
    return replace(field, men=tuple(men))


@pytest.mark.parametrize("plan", PLANS)
def test_every_tile_has_the_colour_of_what_lies_on_it(plan: int) -> None:
    """As the page says."""
    field = board_facts(RULES, battle(plan), PANEL)
    held = {man.at for man in field.men}
    board, picture = drawn(field)
    for column in range(1, 13):
        for row in range(1, 13):
            place = Square(column, row)
            if place not in held:
                found = field.terrain.get(place, field.usual)
                assert picture.getpixel(board.middle(place)) == full(found.colour(field.where))

    shades = [luminance_of(to_linear(each.colour(field.where))) for each in {field.usual, *field.terrain.values()}]
    assert min(abs(one - other) for one, other in combinations(shades, 2)) > 0.05


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("seed", range(3))
def test_each_unit_is_told_with_its_tile(plan: int, seed: int) -> None:
    """And each tile that isn't open."""
    war = battle(plan, seed)
    field = board_facts(RULES, war, PANEL)
    fight = war.battles[PANEL].fight
    for lines in (board_words(field), short_board_words(field)):
        for name, unit in fight.units.items():
            (line,) = [line for line in lines if line.startswith(f"{name} ")]
            assert f" on {unit.at}" in line
    assert [man.id for man in field.men] == sorted(fight.units, key=lambda name: int(name[1:]))
    ships = [man for man in field.men if man.kind == "Warship"]
    assert ships
    assert all(man.attack == "fires down lanes" for man in ships)
    told = {tile for line in board_words(field) for tile in line.rstrip(".").partition(": ")[2].split(", ")}
    assert {*fight.ground.terrain} <= told


CHANGES: dict[str, dict[str, object]] = {
    "number": {"id": "u99", "number": "99"},
    "class": {"kind": "Mobile armor", "drawn": "hexagon"},
    "ace": {"ace": 3},
    "hero": {"hero": True},
    "moved": {"moved": True},
    "attacked": {"attacked": True},
    "cooldown": {"next_shot": 4, "cooldown": 3},
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_the_words_tell_of_a_unit_is_drawn_on_its_tile(what: str) -> None:
    """Each mark changes both."""
    field = board_facts(RULES, battle(), PANEL)
    man = next(number for number, each in enumerate(field.men) if not each.hero and not each.ace)
    other = of(field, man, **CHANGES[what])

    assert board_words(other) != board_words(field)
    assert tile(other, field.men[man].at).tobytes() != tile(field, field.men[man].at).tobytes()


def test_the_sides_differ_without_hue() -> None:
    """Dark with light numbers, or the reverse."""
    field = board_facts(RULES, battle(), PANEL)
    for colour in ("#2b6cff", "#d62828", "#ffffff", "#000000"):
        paints = [side_paint(replace(party, colour=colour)) for party in field.parties.values()]
        fills = [luminance_of(to_linear(paint.fill)) for paint in paints]
        assert fills[1] - fills[0] > 0.3
        assert [paint.ink for paint in paints] == ["white", "ink"]
        assert 1.05 / (fills[0] + 0.05) >= 4.5
        assert (fills[1] + 0.05) / (luminance_of(to_linear("ink")) + 0.05) >= 4.5


def test_a_cooldown_counts_down_to_nothing() -> None:
    """One pip less per turn."""
    war = battle()
    ship = next(name for name, unit in war.battles[PANEL].fight.units.items() if unit.kind == "warship")
    fight, _ = play_order(RULES.terms, war.battles[PANEL].fight, Fire(ship, "N"), lambda _: 100)
    left = []
    for _ in range(5):
        man = next(man for man in board_facts(RULES, fighting(war, fight), PANEL).men if man.id == ship)
        left.append(man.pips(fight.turn))
        for _half in range(2):
            fight, _ = play_order(RULES.terms, fight, Next(fight.active), lambda _: 100)

    assert left == [3, 3, 2, 1, 0]


def test_a_battle_that_is_over_says_who_has_won() -> None:
    """After a withdrawal."""
    war = battle()
    fight, _ = play_order(RULES.terms, war.battles[PANEL].fight, Withdraw("E"), lambda _: 100)
    lines = BoardView(RULES, fighting(war, fight), PANEL).words(whole=True)

    assert "The battle is over: Zeon has won." in lines
    assert not any("its half" in line for line in lines)
    assert any("has withdrawn" in line for line in lines)


def crowd(**change: object) -> War:
    """Return a battle with a unit on every tile."""
    war = battle()
    fight = war.battles[PANEL].fight
    kinds = [*fight.units.values()]
    units = {
        f"u{column * 100 + row}": replace(kinds[(column * row) % len(kinds)], at=Square(column, row), **change)
        for column in range(1, 13)
        for row in range(1, 13)
    }
    return fighting(war, replace(fight, units=units))


def letters_of(monkeypatch: pytest.MonkeyPatch, view: BoardView) -> tuple[Image.Image, dict[str, int]]:
    """Return a board's picture, and all that is written on it with the least size."""
    sizes: dict[str, int] = {}

    def note(picture: Image.Image, text: str, at: tuple[float, float], pen: Pen, align: float = 0, **how: bool) -> int:
        sizes[text] = min(pen.size, sizes.get(text, pen.size))
        return write(picture, text, at, pen, align, **how)

    monkeypatch.setattr(canvas, "write", note)
    monkeypatch.setattr(rows, "write", note)
    kept.clear()
    return opened(view.draw().data), sizes


@pytest.mark.parametrize("unit", [None, "u1212", "u101"])
def test_all_letters_on_the_fullest_board_are_readable_on_a_phone(
    monkeypatch: pytest.MonkeyPatch, unit: str | None
) -> None:
    """At least 9 pixels high where the board is 280 high: coordinates, numbers of units, ground, and marks."""
    war = crowd(ace=5, hero=True, moved=unit is None, attacked=False, fired=2)
    picture, sizes = letters_of(monkeypatch, BoardView(RULES, war, PANEL, unit))
    field = board_facts(RULES, war, PANEL)

    assert min(sizes.values()) * min(PHONE[0] / picture.width, PHONE[1] / picture.height) >= 9
    assert {*"ABCDEFGHIJKL", *map(str, range(1, 13)), *(man.number for man in field.men)} <= {*sizes}
    board = empty_board(field)
    assert all(canvas.length(man.number, sizes[man.number], bold=True) <= board.tile for man in field.men)
    assert board.left + 12 * board.tile >= 0.99 * picture.width
    assert board.left <= 0.06 * picture.width


def test_the_words_under_the_fullest_board_fit_a_message() -> None:
    """With the longest names of models and pilots; its key is whole. Its alt text fits too."""
    war = crowd(ace=1)
    units = tuple(Unit(name, "W" * 80, pilot="P" * 80) for name in war.battles[PANEL].fight.units)
    war = war.with_forces(replace(war.forces["2nd Fleet"], units=units))
    view = BoardView(RULES, war, PANEL)
    lines = view.words(whole=False)

    assert len(paginate(picture_embeds("T" * 256, lines, footer="F" * 100, picture="a.png"))) == 1
    assert lines[-1].startswith("-# Dark: attacks")
    assert "more" in " ".join(lines)
    assert len(view.draw().alt) <= MAX_ALT


def test_the_text_below_names_each_unit_and_sign() -> None:
    """Once; marks that no unit has are left out."""
    field = board_facts(RULES, battle(1), PANEL)
    *lines, key = BoardView(RULES, battle(1), PANEL).words(whole=False)

    for man in field.men:
        (line,) = [line for line in lines if f"{man.number} {man.model} ({man.at}" in line]
        assert man.pilot is None or man.pilot in line
        assert f"{man.drawn.capitalize()}: " in key
    assert all(f"{letters}: {label.lower()}" in key for label, letters in terrain_letters(field).items())
    assert "Star: ace and level" in key
    assert "has moved" not in key
    moved = of(field, 0, moved=True, next_shot=5)
    assert {"has moved", "turns until it fires"} <= {meaning for _, meaning in explain_board(moved)}


def test_ground_has_a_letter_of_its_own() -> None:
    """Not by hue only, and readable on its colour."""
    field = board_facts(RULES, battle(1), PANEL)
    letters = terrain_letters(field)

    assert {*letters} == {found.label for found in field.terrain.values()}
    assert len({*letters.values()}) == len(letters) > 1
    for found in field.terrain.values():
        ground, ink = (
            luminance_of(to_linear(colour)) for colour in (found.colour("land"), ink_beside(found.colour("land")))
        )
        assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) >= 4.4


def test_a_lone_rogues_side_is_drawn_and_named_as_far_as_is_known() -> None:
    """By their name in the war."""
    war = battle()
    made = war.battles[PANEL]
    units = {name: replace(unit, side="12345") if unit.side == "Z" else unit for name, unit in made.fight.units.items()}
    fight = replace(made.fight, units=units, sides=("12345", "E"), active="12345")
    rogue = replace(war, battles={PANEL: replace(made, attacker="12345", fight=fight)})
    lines = BoardView(RULES, rogue, PANEL).words(whole=True)

    assert any("a lone rogue (A) attacks" in line for line in lines)
    assert not any("12345" in line for line in lines)

    named = replace(rogue, players={**rogue.players, "12345": Player("Ensign")})
    assert any("12345 (1) attacks" in line for line in BoardView(RULES, named, PANEL).words(whole=True))


def test_a_lone_rogues_letters_are_no_factions() -> None:
    """One letter more."""
    assert [lone_letters(name, ["E", "Z"]) for name in ("Noa", "neutral garrison", "Eve", "z")] == [
        "N",
        "N",
        "Ev",
        "Z",
    ]
    war = battle()
    war = replace(war, players={name: Player("") for name in ("Noa", "Nil")})
    war = replace(war, battles={PANEL: replace(war.battles[PANEL], attacker="Noa", defender="Nil")})
    assert [party.letters for party in board_facts(RULES, war, PANEL).parties.values()] == ["N", "Ni"]


def test_heroes_and_aces_have_gold_about_them() -> None:
    """Though there is little of it."""
    field = board_facts(RULES, battle(), PANEL)
    for man in field.men:
        assert (count(tile(field, man.at), full(GOLD)) > 15) == (man.hero or man.ace > 0)


def test_the_page_s_own_shapes_are_all_different() -> None:
    """One for each class."""
    men: dict[str, BoardUnit] = {man.kind: man for man in board_facts(RULES, battle(), PANEL).men}

    assert len({man.drawn for man in men.values()}) == len(men) == 5


def test_units_are_numbered_as_their_ids_are() -> None:
    """Without the letter."""
    assert [number_of(name) for name in ("u7", "u143", "ship")] == ["7", "143", "ship"]
    assert count(opened(BoardView(RULES, battle(), PANEL).draw().data), full("white")) > 100
