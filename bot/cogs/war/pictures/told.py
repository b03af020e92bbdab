"""The pictures of a war, each with what it shows in words; they are drawn in a thread, since Pillow takes its time."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.cogs.war.pictures.aim import aim_of, aim_words
from bot.cogs.war.pictures.board_facts import field_of
from bot.cogs.war.pictures.board_words import board_short, board_words
from bot.cogs.war.pictures.captures import captures_of, captures_words
from bot.cogs.war.pictures.chart import Layer, chart_of, near
from bot.cogs.war.pictures.reach_facts import reach_facts, reach_words
from bot.cogs.war.pictures.words import map_words, short_words, title_of
from bot.ui.picture import Picture, alt_of
from rules.books.total_war.catalog import Piece
from rules.books.total_war.sight import WHOLE, Sight
from rules.books.total_war.war import Rules, War
from rules.geometry.hexes import Hex
from rules.geometry.squares import Square

_ABOUT = 3
"""How many panels of a large map are shown around what a picture is about."""


class Told(Struct, frozen=True):
    """A picture, whose alt text is short, and all that it shows line by line."""

    picture: Picture
    lines: tuple[str, ...]


def strategy_map(rules: Rules, war: War, layer: Layer = "control", sight: Sight = WHOLE) -> Told:
    """Draw a view of the map of a war, `war` and `sight` being what whoever looks at it sees."""
    from bot.cogs.war.pictures.strategy_map import draw_map  # noqa: PLC0415 - Pillow loads with the first picture

    chart = chart_of(rules, war, layer, sight)
    return _told("war-map.png", draw_map(chart), map_words(chart), short_words(chart))


def map_facts(
    rules: Rules,
    war: War,
    layer: Layer,
    sight: Sight,
    force: str | None = None,
    path: Sequence[str] = (),
    *,
    whole: bool = True,
) -> tuple[str, Sequence[str]]:
    """Return the title of a map and what it shows, line by line, without drawing it: all of it, or the gist; with a `force`, first where that can go.

    The arguments are those of `strategy_map` and of `reach_map`.
    """
    chart = chart_of(rules, war, layer, sight)
    reach = reach_words(chart, reach_facts(rules, war, chart, force, path)) if force else []
    told = map_words(chart) if whole else short_words(chart)
    title = f"Where {force} can move, turn {war.turn}" if force else title_of(chart)
    return title, [*reach, *(told[1:] if whole or not force else [])]


def reach_map(rules: Rules, war: War, force: str, path: Sequence[str] = (), sight: Sight = WHOLE) -> Told:
    """Draw where a force can go in this turn, as whoever looks at it sees the war.

    Args:
        rules: the rules of the war.
        war: the war with what they see.
        force: its name.
        path: the directions of a way in mind; it is told what that would come to.
        sight: how much of it they are told.
    """
    from bot.cogs.war.pictures.reach import draw_reach  # noqa: PLC0415 - as above

    chart = chart_of(rules, war, "control", sight)
    reach = reach_facts(rules, war, chart, force, path)
    straight = rules.terms.of(Piece, war.force(force).kind).straight
    lines = reach_words(chart, reach)
    chart = near(chart, [reach.token.at, *reach.ends], _ABOUT)
    return _told("war-reach.png", draw_reach(chart, reach, straight=straight), [*lines, *map_words(chart)], lines)


def capture_map(rules: Rules, before: War, after: War, sight: Sight = WHOLE) -> Told:
    """Draw what has changed hands between two states of a war, and what has been cut off; the rest as `strategy_map`."""
    from bot.cogs.war.pictures.capture_map import draw_captures  # noqa: PLC0415 - as above

    then, now = (chart_of(rules, war, "control", sight) for war in (before, after))
    found = captures_of(then, now)
    lines = captures_words(now, found)
    now = near(now, found.panels, _ABOUT)
    return _told("war-captures.png", draw_captures(now, found), [*lines, *map_words(now)], lines)


def capture_facts(rules: Rules, before: War, after: War, sight: Sight) -> tuple[str, Sequence[str]]:
    """Return the title of what has changed hands, and what that is, line by line, without drawing it; the arguments are those of `capture_map`."""
    then, now = (chart_of(rules, war, "control", sight) for war in (before, after))
    lines = captures_words(now, captures_of(then, now))
    return "Panels captured in this update", lines


def battle_board(rules: Rules, war: War, at: Hex) -> Told:
    """Draw the board of the battle on a panel."""
    from bot.cogs.war.pictures.board import draw_board  # noqa: PLC0415 - as above

    field = field_of(rules, war, at)
    return _told("battle-board.png", draw_board(field), board_words(field), board_short(field))


def unit_overlay(rules: Rules, war: War, at: Hex, unit: str, to: Square | None = None, way: str | None = None) -> Told:
    """Draw what a unit can do on the board of the battle on a panel.

    Args:
        rules: the rules of the war.
        war: the war.
        at: the panel.
        unit: the unit's id.
        to: a tile to which it is to go first.
        way: the lane that a warship is to fire down; None: all of them.
    """
    from bot.cogs.war.pictures.overlay import draw_overlay  # noqa: PLC0415 - as above

    field = field_of(rules, war, at)
    aim = aim_of(rules, war, field, unit, to, way)
    lines = aim_words(field, aim)
    return _told("battle-unit.png", draw_overlay(field, aim), [*lines, *board_words(field)], lines)


def board_facts(rules: Rules, war: War, at: Hex, *, whole: bool = True) -> Sequence[str]:
    """Return what a board shows, line by line, without drawing it: all of it, or its sides; the arguments are those of `battle_board`."""
    field = field_of(rules, war, at)
    short = board_short(field)
    return board_words(field) if whole else short[: len(short) - len(field.men)]


def unit_facts(rules: Rules, war: War, at: Hex, unit: str, to: Square | None, way: str | None) -> Sequence[str]:
    """Return what a unit can do on a board, line by line, without drawing it; the arguments are those of `unit_overlay`."""
    field = field_of(rules, war, at)
    return aim_words(field, aim_of(rules, war, field, unit, to, way))


def _told(name: str, data: bytes, lines: Sequence[str], short: Sequence[str]) -> Told:
    return Told(Picture(name, data, alt_of(short)), tuple(lines))
