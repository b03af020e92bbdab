"""Views of a war drawn in a thread, since Pillow is slow, and in words."""

from collections.abc import Sequence

from bot.cogs.war import boards, wars
from bot.cogs.war.pictures import keys
from bot.cogs.war.pictures.changes import captures_words, compare_captures, reach_facts, reach_words
from bot.cogs.war.pictures.chart import chart_of, crop_chart, gist_words, map_words, short_words, title_of
from bot.cogs.war.pictures.field import aim_of, aim_words, board_facts, board_opening, board_words, short_board_words
from bot.ui.pictures.gallery import draw_once
from bot.ui.text import Picture, alt_of
from rules.books.total_war.catalog import Piece

_ABOUT = 3  # panels around a picture's subject on a large map


def draw_map_view(view: wars.MapView) -> Picture:
    """Draw a map, changes on it, or a reach, with short alt text."""
    from bot.cogs.war.pictures import strategy_map as drawing  # noqa: PLC0415 - Pillow loads with the first picture

    rules, war = view.rules, view.war
    if view.before is not None:
        then, chart = (chart_of(rules, state, sight=view.sight) for state in (view.before, war))
        found = compare_captures(then, chart)
        lines = [*captures_words(chart, found), *short_words(chart)[1:]]
        data = draw_once(drawing.draw_captures, crop_chart(chart, found.panels, _ABOUT), found)
    elif view.force is not None:
        chart = chart_of(rules, war, sight=view.sight)
        reach = reach_facts(rules, war, chart, view.force, view.way)
        lines, straight = reach_words(chart, reach), rules.terms.of(Piece, war.force(view.force).kind).straight
        around = crop_chart(chart, [reach.token.at, *reach.ends], _ABOUT)
        data = draw_once(drawing.draw_reach, around, reach, straight=straight)
    else:
        chart = chart_of(rules, war, view.layer, view.sight)
        lines, data = short_words(chart), draw_once(drawing.draw_map, chart)
    return Picture(wars.PICTURE, data, alt_of(lines))


def measure_map_view(view: wars.MapView) -> tuple[int, int]:
    """Return a whole map's width and height."""
    from bot.cogs.war.pictures.panels import measure_map  # noqa: PLC0415 - as above

    return measure_map(chart_of(view.rules, view.war, view.layer, view.sight))


def map_view_words(view: wars.MapView, *, whole: bool) -> tuple[str, Sequence[str], Sequence[tuple[str, str]]]:
    """Return a map's title and lines, without drawing; in short also its picture's key."""
    layer = view.layer if view.before is None else "control"  # captures are drawn on it
    chart = chart_of(view.rules, view.war, layer, view.sight)
    lines, signs = [*(map_words(chart)[1:] if whole else gist_words(chart))], [*keys.explain_map(chart)]
    if view.before is not None:
        found = compare_captures(chart_of(view.rules, view.before, sight=view.sight), chart)
        title, about = "Panels captured in this update", captures_words(chart, found)[1:]
        signs = [*keys.explain_captures(found), *signs]
    elif view.force is not None:
        reach = reach_facts(view.rules, view.war, chart, view.force, view.way)
        title, about = f"Where {view.force} can move, turn {view.war.turn}", reach_words(chart, reach)
        signs = [*keys.explain_reach(reach), *signs]
    else:
        title, about = title_of(chart), []
    return title, [*about, *lines], () if whole else signs


def draw_board_view(view: boards.BoardView) -> Picture:
    """Draw a board or a unit's reach, with short alt text."""
    from bot.cogs.war.pictures.board import draw_board, draw_overlay  # noqa: PLC0415 - as above

    field = board_facts(view.rules, view.war, view.at)
    if view.unit is None:
        return Picture("battle-board.png", draw_once(draw_board, field), alt_of(short_board_words(field)))
    aim = aim_of(view.rules, view.war, field, view.unit, view.to, view.toward)
    return Picture("battle-unit.png", draw_once(draw_overlay, field, aim), alt_of(aim_words(field, aim)))


def unit_words(view: boards.BoardView) -> Sequence[str]:
    """Return what a unit can do, without the board."""
    field = board_facts(view.rules, view.war, view.at)
    return aim_words(field, aim_of(view.rules, view.war, field, view.unit or "", view.to, view.toward))


def board_view_words(view: boards.BoardView, *, whole: bool) -> tuple[Sequence[str], Sequence[tuple[str, str]]]:
    """Return a board's lines, without drawing; in short also the signs of its picture with their meanings."""
    field = board_facts(view.rules, view.war, view.at)
    lines = board_words(field) if whole else [*board_opening(field, rosters=True)]
    signs = [*keys.explain_board(field)]
    if view.unit is not None:
        aim = aim_of(view.rules, view.war, field, view.unit, view.to, view.toward)
        lines, signs = [*aim_words(field, aim), *lines], [*keys.explain_aim(aim), *signs]
    return lines, () if whole else signs
