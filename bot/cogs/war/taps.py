"""Battles by taps: pick a unit, a tile, and an attack. Each press checks the battle again; a late one says what happened since."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from itertools import chain

from discord import ButtonStyle, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import battles, boards, offers, posts, wars
from bot.core.errors import NotAsItIs, NotOpen
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, Component, IdTemplate, read_picked, redraw, say
from bot.ui.text import COLOURS, Layout, fit_lines, plain
from rules.books.total_war.battles import unit_sort_key
from rules.books.total_war.order_kinds import SEEN
from rules.geometry import Square

Draw = Callable[[battles.SeenBattle, Sequence[str]], ui.LayoutView]
"""Draws a page of a battle, with what happened since the pressed one."""

MOST, ROOM = 30, 1500
"""Entries read for what happened since; characters of that, and of what a unit could attack."""
GO_ON = "-# Tap a tile to go there, or the unit itself to attack from where it is. You confirm on the next page."


async def _see_since(interaction: Interaction, where: battles.BattlePlace) -> tuple[battles.SeenBattle, Sequence[str]]:
    try:
        return await battles.see_battle(interaction, where), ()
    except battles.BattleChanged as changed:
        seen = await battles.see_battle(interaction, replace(where, seen=None))
        since = await interaction.client.database.read(_list_since, seen, where.seen or 0)
        return seen, since or [changed.what]


def _list_since(tx: Connection, seen: battles.SeenBattle, before: int) -> list[str]:
    fog = seen.rules.scenario.has_fog and not seen.running.leads
    lines: list[str] = []
    for entry in posts.list_valid(
        tx, seen.running.campaign, range(max(before, seen.newest - MOST) + 1, seen.newest + 1)
    ):
        body = entry.content()
        if body.get(wars.FOUGHT) == seen.first_entry and body["parts"][0]["inputs"]["at"] == str(seen.at):
            told = [part["record"].get(SEEN, {}).get(seen.running.faction, ()) for part in body["parts"]]
            lines += chain.from_iterable(told) if fog else posts.result_lines(entry)
    return lines


async def _turn_to(interaction: Interaction, where: battles.BattlePlace, draw: Draw) -> None:
    await redraw(interaction, await asyncio.to_thread(draw, *await _see_since(interaction, where)))


async def _pick_listed_unit(interaction: Interaction, where: battles.BattlePlace, *, _place: int) -> None:
    unit = next(iter(read_picked(interaction)), "")
    seen, since = await _see_since(interaction, where)
    await say(interaction, view=await asyncio.to_thread(_draw_unit, seen, since, unit))


async def _show_next_unit(interaction: Interaction, where: battles.BattlePlace, *, unit: str) -> None:
    seen = await battles.see_battle(interaction, where)
    await say(interaction, view=await asyncio.to_thread(_draw_next, seen, unit))


async def _show_grid(interaction: Interaction, where: battles.BattlePlace, *, unit: str, centre: str) -> None:
    await _turn_to(interaction, where, partial(_draw_unit, unit=unit, centre=centre))


async def _show_tile(interaction: Interaction, where: battles.BattlePlace, *, unit: str, to: str) -> None:
    await _turn_to(interaction, where, partial(_draw_act, unit=unit, to=to))


async def _press_move(interaction: Interaction, where: battles.BattlePlace, *, unit: str, to: str) -> None:
    act = boards.act(interaction, where, battles.UnitActRequest(unit, to))
    await _try_act(interaction, where, act, partial(_draw_act, unit=unit, to=to))


async def _pick_attack(
    interaction: Interaction, where: battles.BattlePlace, *, unit: str, to: str, first: str, _place: int
) -> None:
    family, _, rest = next(iter(read_picked(interaction)), "").partition(":")
    target, _, call = rest.partition(":")
    if not rest or first not in {"move", "attack"}:
        raise NotOpen(*STALE)
    draw = partial(_draw_act, unit=unit, to=to)
    try:
        seen = await battles.see_battle(interaction, where)
    except battles.BattleChanged:
        await _turn_to(interaction, where, draw)
        return
    stays = str(seen.battle.fight.unit(unit).at) == to
    asked = battles.UnitActRequest(
        unit,
        None if stays else to,
        attack=f"{family}{battles.THEN_MOVE if first == 'attack' else ''}",
        target=None if family == "broadside" else target,
        call=call or None,
        toward=target if family == "broadside" else None,
    )
    await _try_act(interaction, where, boards.act(interaction, where, asked), draw)


async def _try_act(interaction: Interaction, where: battles.BattlePlace, act: Awaitable[None], draw: Draw) -> None:
    try:
        await act
    except battles.BattleChanged:
        await _turn_to(interaction, where, draw)


def _draw_next(seen: battles.SeenBattle, after: str) -> ui.LayoutView:
    _require_own_half(seen)
    unit = _find_next(seen, after)
    if unit is not None:
        return _draw_unit(seen, (), unit)
    fight = seen.battle.fight
    half = {"turn": fight.turn, "side": fight.sides.index(fight.active)}
    ends = [seen.key.button("End turn", wars.END_HALF, ButtonStyle.primary, **half), _board_button(seen)]
    return receipt("Every unit has acted", ["No unit can still move or attack."], COLOURS["neutral"], ends)


def _find_next(seen: battles.SeenBattle, after: str) -> str | None:
    idle = sorted(seen.choices.idle(), key=unit_sort_key)
    later = [name for name in idle if unit_sort_key(name) > unit_sort_key(after)]
    return next((name for name in [*later, *idle] if name != after), None)


def _require_own_half(seen: battles.SeenBattle) -> None:
    fight = seen.battle.fight
    if fight.outcome.over or fight.active not in seen.sides:
        what = (
            "This battle is over."
            if fight.outcome.over
            else f"It's {seen.side_label(fight.active)}'s half of turn {fight.turn}."
        )
        raise NotAsItIs(what, "See the board: /battle show.")


def _require_able_unit(seen: battles.SeenBattle, since: Sequence[str], unit: str) -> None:
    try:
        _require_own_half(seen)
    except NotAsItIs as over:
        raise NotAsItIs(" ".join([*since, over.what]), over.do) from over
    label = seen.unit_label(unit)
    if unit not in seen.choices.able():
        raise NotAsItIs(
            " ".join([*since, f"{label} can't move or attack in this half of the turn."]), "Pick another unit."
        )


def _draw_unit(seen: battles.SeenBattle, since: Sequence[str], unit: str, centre: str | None = None) -> ui.LayoutView:
    _require_able_unit(seen, since, unit)
    at = seen.battle.fight.units[unit].at
    if not seen.choices.tiles(unit):
        return _draw_act(seen, since, unit, str(at))
    *rows, ways = offers.offer_tiles(seen, unit, seen.choices.tile(centre or str(at)))
    lines = [*fit_lines(ROOM, [*map(plain, since)]), f"Can still: {battles.describe_ability(seen, unit)}.", GO_ON]
    return _draw_page(seen, unit, lines, [], [*rows, [*ways, *_go_on(seen, unit)]])


def _draw_act(seen: battles.SeenBattle, since: Sequence[str], unit: str, to: str) -> ui.LayoutView:
    _require_able_unit(seen, since, unit)
    at, place = seen.battle.fight.units[unit].at, seen.choices.tile(to)
    goal = None if place == at else place
    if goal is not None and goal not in seen.choices.tiles(unit):
        raise NotAsItIs(" ".join([*since, f"{seen.unit_label(unit)} can't go to {goal} now."]), "Pick another tile.")
    view = boards.BoardView(seen.rules, seen.running.seen, seen.at, unit, goal)
    lines = [
        *fit_lines(ROOM, [*map(plain, since)]),
        *fit_lines(ROOM, [*map(plain, wars.load_pictures().unit_words(view))]),
    ]
    buttons = [] if goal is None else [_move_button(seen, unit, goal)]
    if seen.choices.tiles(unit):
        grid = seen.key.fill(offers.GRID, newest=seen.newest, unit=unit, centre=at)
        buttons.append(ui.Button(label="Other tile", custom_id=grid))
    return _draw_page(seen, unit, lines, [*offers.offer_attacks(seen, unit, goal)], [[*buttons, *_go_on(seen, unit)]])


def _move_button(seen: battles.SeenBattle, unit: str, to: Square) -> offers.Button:
    key = seen.key.fill(offers.MOVE, newest=seen.newest, unit=unit, to=to)
    return ui.Button(label=f"Only move to {to}", custom_id=key, style=ButtonStyle.success)


def _go_on(seen: battles.SeenBattle, unit: str) -> list[offers.Button]:
    following = _find_next(seen, unit)
    if following is None:
        return []
    centre = seen.battle.fight.units[following].at
    key = seen.key.fill(offers.GRID, newest=seen.newest, unit=following, centre=centre)
    return [ui.Button(label="Next unit", custom_id=key)]


def _board_button(seen: battles.SeenBattle) -> offers.Button:
    return seen.key.button("Show board", wars.SHOW_BOARD)


def _draw_page(
    seen: battles.SeenBattle,
    unit: str,
    lines: Sequence[str],
    selects: Sequence[battles.UnitSelect],
    rows: Sequence[Sequence[offers.Button]],
) -> ui.LayoutView:
    title = f"{plain(seen.unit_label(unit))} on {seen.battle.fight.units[unit].at}"
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"])
    container.add_item(ui.TextDisplay("\n".join([f"### {title}", *lines])))
    for items in (*([select] for select in selects), *rows):
        if items:
            container.add_item(ui.ActionRow(*items))
    return Layout(container)


async def _press_seen(
    answer: Callable[..., Awaitable[None]],
    interaction: Interaction,
    where: battles.BattlePlace,
    *,
    newest: int | None = None,
    **ids: object,
) -> None:
    await answer(interaction, replace(where, seen=newest), **ids)


_ANSWERS: Sequence[tuple[IdTemplate, Callable[..., Awaitable[None]]]] = (
    (wars.PICK_UNIT, _pick_listed_unit),
    (wars.NEXT_UNIT, _show_next_unit),
    (offers.GRID, _show_grid),
    (offers.TILE, _show_tile),
    (offers.MOVE, _press_move),
    (offers.ATTACK, _pick_attack),
)
COMPONENTS = tuple(
    Component(template, partial(boards.press, partial(_press_seen, answer))) for template, answer in _ANSWERS
)
