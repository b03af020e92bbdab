"""Battles in Discord: boards that are shown with what may be done there, and rolls that answer commands and buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.war import ids
from bot.cogs.war.battles import SeenBattle, Where, own_beaten, roll_in, see_battle
from bot.cogs.war.posts import FOUGHT
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.errors import BadInput
from bot.outbox.message import draw_picture
from bot.rolls.answers import begin
from bot.rolls.request import RollCommand
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.components import Component, Handler, IdTemplate, with_buttons
from bot.ui.picture import ATTACHED, Picture, drop_missing_images
from bot.ui.receipt import receipt
from bot.ui.reply import rewrite, say
from bot.ui.text import listing, plain
from rules.books.total_war.aftermath import describe_withdrawal
from rules.books.total_war.battles import require_battle_on, retreating_forces, why_retreats
from rules.books.total_war.order_kinds import FORCE, NEXT, NONE_FREE, SIDE, UNIT
from rules.books.total_war.war import Rules, War
from rules.books.total_war.words import places
from rules.geometry import Hex, Square
from rules.phrases import possessive


class BoardView(Struct, frozen=True):
    """The board of a battle on a panel, or what a unit (id) can do on it: after it has gone `to` a tile, down one lane (`toward`) or all of them."""

    rules: Rules
    war: War
    at: Hex
    unit: str | None = None
    to: Square | None = None
    toward: str | None = None

    def draw(self) -> Picture:
        """Draw it."""
        picture: Picture = _pictures().draw_board_view(self)
        return picture

    def words(self, *, whole: bool) -> list[str]:
        """Return what it shows, line by line: all of it, or what the unit can do and how the sides stand."""
        return [plain(line) for line in _pictures().board_view_words(self, whole=whole)]


def _pictures() -> Any:  # noqa: ANN401 - a module
    """Return what draws: it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.views")


async def roll(interaction: Interaction, where: Where, made: Callable[..., RollCommand], **given: Any) -> None:  # noqa: ANN401 - options or values of an id
    """Answer with a roll in a battle, `made` of that and of what was typed or seen."""
    await begin(interaction, roll_in(where, partial(made, **given)), at_once=True)


async def show(
    interaction: Interaction,
    where: Where,
    unit: str | None = None,
    to: str | None = None,
    toward: str | None = None,
) -> None:
    """Answer with the board of a battle, or what a unit can do on it, and with what may be done there."""
    seen = await see_battle(interaction, where)
    for message in await _messages(seen, _view(seen, unit, to, toward)):
        await say(interaction, **message)


async def show_words(interaction: Interaction, where: Where, unit: str) -> None:
    """Answer with all that a board shows, in words."""
    seen = await see_battle(interaction, where)
    for page in text.paginate(_embeds(seen, _view(seen, unit or None).words(whole=True))):
        await say(interaction, embeds=page)


async def show_again(interaction: Interaction, where: Where) -> None:
    """Show the board as it stands now in place of the one that was shown."""
    seen = await see_battle(interaction, where)
    *_, message = await _messages(seen, _view(seen))
    file = message.pop("file", None)
    await rewrite(interaction, **message, attachments=[] if file is None else [file])


async def end_half(interaction: Interaction, where: Where, turn: int | None = None, side: int | None = None) -> None:
    """End the half of the turn that was seen (None: now's); ask first where units of it could still act."""
    seen = await see_battle(interaction, where)
    fight = seen.battle.fight
    now = turn in {None, fight.turn} and side in {None, fight.sides.index(fight.active)} and fight.active in seen.sides
    goes_on = now and not fight.ended.over and seen.seen.campaign.archived_at is None
    idle = await asyncio.to_thread(_idle, seen) if goes_on else []
    if not idle:
        await roll(interaction, where, roll_half_end, turn=turn, side=side)
        return
    names = seen.labels()
    lines = [f"Can still move or attack: {plain(listing([names[unit] for unit in idle]))}."]
    title = f"End {plain(possessive(seen.called(fight.active)))} half of turn {fight.turn}?"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], ids.end_anyway_buttons(seen.key, fight)))


def _idle(seen: SeenBattle) -> list[str]:
    """Return the units (ids) that could still act; that takes long with many of them."""
    idle: list[str] = seen.choices.idle()
    return idle


async def ask_withdrawal(interaction: Interaction, where: Where, side: str | int | None = None) -> None:
    """Ask once whether a side withdraws, and say what that costs."""
    seen = await see_battle(interaction, where)
    fight = seen.battle.fight
    require_battle_on(seen.seen.war, seen.battle)
    place = fight.sides.index(seen.side(side))
    called = plain(seen.called(fight.sides[place]))
    leaves = fight.sides[place] in seen.battle.forces.values()
    rest = "The units left retreat to a panel next to it." if leaves else "The garrison is lost."
    lines = [*map(plain, describe_withdrawal(seen.rules, seen.seen.seen, seen.at, fight.sides[place])), rest]
    button = ids.leave_button(seen.key, place)
    title = f"Withdraw {called} from the battle on {seen.at}?"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], [button]))


async def _messages(seen: SeenBattle, view: BoardView) -> list[dict[str, Any]]:
    """Return the messages that show a board: its picture above the words, and the buttons under the last one."""
    picture = await draw_picture("battle board", view.draw)
    embeds = _embeds(seen, [*map(plain, _retreat_lines(seen)), *view.words(whole=picture is None), *_hints(seen)])
    if picture is not None:
        embeds[0].set_image(url=f"{ATTACHED}{picture.name}")
    own = {side: side == seen.battle.fight.active for side in seen.sides}
    buttons = [*_ways_out(seen), *ids.board_buttons(seen.key, seen.battle.fight, own)]
    pages = text.paginate(embeds)
    messages = [_message(page, picture if page is pages[0] else None) for page in pages]
    messages[-1]["view"] = with_buttons(*buttons, ids.words_button(seen.key, view.unit))
    return messages


def _embeds(seen: SeenBattle, lines: Sequence[str]) -> list[discord.Embed]:
    return text.fit_embeds(f"Battle on {seen.at}", lines, colour=COLOURS["neutral"], footer=seen.seen.campaign.name)


def _view(seen: SeenBattle, unit: str | None = None, to: str | None = None, toward: str | None = None) -> BoardView:
    """Return the board, or the reach on it of a unit that is named; without one, no tile or lane counts."""
    board = BoardView(seen.rules, seen.seen.seen, seen.at)
    if unit is None:
        return board
    return replace(board, unit=seen.unit(unit), to=None if to is None else seen.choices.tile(to), toward=toward)


def _message(page: Sequence[discord.Embed], picture: Picture | None) -> dict[str, Any]:
    embeds = drop_missing_images([*page], picture)
    return {"embeds": embeds} if picture is None else {"embeds": embeds, "file": picture.file()}


def _ways_out(seen: SeenBattle) -> list[discord.ui.Button[Any]]:
    """Return the buttons by which a beaten force retreats, where it is one alone that is the viewer's to send."""
    waiting = own_beaten(seen) if seen.sides else []
    if len(waiting) != 1:  # which one is meant is said with /battle retreat
        return []
    place = sorted(seen.battle.forces).index(waiting[0].name)
    return ids.retreat_buttons(seen.key, place, seen.choices.retreats(waiting[0]))


def _hints(seen: SeenBattle) -> Iterator[str]:
    """Yield how the person acts there, in the half of a side of theirs."""
    fight = seen.battle.fight
    if not fight.ended.over and fight.active in seen.sides:
        yield "-# `/battle act` lets a unit move and attack; `/battle show unit:` shows what it can do."


def _retreat_lines(seen: SeenBattle) -> Iterator[str]:
    """Yield for whose retreat a battle waits that is over, to those who fought: of theirs with where to, and why if nothing is left of it."""
    rules, war, own = seen.rules, seen.seen.war, own_beaten(seen) if seen.sides else []
    for force in retreating_forces(rules, war, seen.at) if seen.sides else ():
        if force not in own:
            yield f"{force.name} still has to retreat ({war.commanded_by(force)} decides)."
            continue
        free = seen.choices.retreats(force)
        where = f", to {places(free, 'or')}" if free else f", but {NONE_FREE}"
        yield f"{force.name} has to retreat{where} (/battle retreat)"
        yield from filter(None, [why_retreats(rules, war, seen.at, force)])


def roll_half_end(seen: SeenBattle, turn: int | None, side: int | None) -> RollCommand:
    """Return the roll that ends the half of a turn: that of the side (its place) and turn that were seen, else of now."""
    name = seen.battle.fight.active if side is None else seen.side(side)
    return seen.command(NEXT, {SIDE: seen.called(name)}, {} if turn is None else {"turn": turn})


def roll_withdrawal(seen: SeenBattle, side: int) -> RollCommand:
    """Return the roll by which a side (its place) withdraws."""
    return seen.command("withdraw", {SIDE: seen.called(seen.side(side))})


def roll_condition(seen: SeenBattle, side: str) -> RollCommand:
    """Return the roll by which a side has met the special condition."""
    seen.require_game_master("say whether a condition is met")
    return seen.command("condition", {SIDE: seen.called(seen.side(side))})


def roll_retreat(seen: SeenBattle, to: str | None = None, force: str | None = None) -> RollCommand:
    """Return the roll by which a beaten force retreats: the one named, else the only one of the person's that has to."""
    waiting = [item.name for item in own_beaten(seen)]
    if force is None and len(waiting) != 1:
        what = f"{' and '.join(waiting)} have to retreat." if waiting else "None of your forces has to retreat."
        raise BadInput(what, "Pick one with “force”." if waiting else "See /war show.")
    inputs = {} if to is None else {"to": to}
    return seen.command("retreat", {FORCE: force or waiting[0]}, inputs)


def roll_seen_retreat(seen: SeenBattle, force: int, to: str) -> RollCommand:
    """Return the roll by which a force (its place by name) retreats."""
    name = next(iter(sorted(seen.battle.forces)[force : force + 1]), None)
    if name is None or name not in {item.name for item in own_beaten(seen)}:
        raise BadInput("That force doesn't have to retreat, or isn't yours.", "See /battle show.")
    return seen.command("retreat", {FORCE: name}, {"to": to})


def roll_placing(seen: SeenBattle, unit: str, tile: str) -> RollCommand:
    """Return the roll by which a game master places a unit."""
    seen.require_game_master("place units")
    return seen.command("place", {UNIT: seen.called_unit(unit)}, {"to": tile})


def next_steps(person: Person, campaign: Campaign, entry: Entry) -> Iterable[ui.Button[Any]]:
    """Return what comes next after an act on a board: the board, and the end of the half that goes on, or a retreat."""
    body = entry.content()
    if FOUGHT not in body:
        return []
    part = body["parts"][0]
    at = part["inputs"]["at"]
    key = ids.Key(campaign.id, at, body[FOUGHT])
    waited = part["record"].get("retreats", {}).get(at)
    if waited is not None:
        return ids.retreat_steps(key, own=person.leads(campaign) or part["inputs"].get("by") in waited)
    half = part["record"].get("halves", {}).get(at)
    return [] if half is None else ids.after_act(key, half, ends=body["actor"] == ids.ACTS)


async def _press(
    answer: Handler,
    interaction: Interaction,
    *,
    campaign: int,
    at: str,
    begun: int,
    **seen: Any,  # noqa: ANN401 - of the button
) -> None:
    await answer(interaction, Where.of(campaign, at, begun), **seen)


_ANSWERS: Mapping[IdTemplate, Handler] = {
    ids.SHOW: show,
    ids.REFRESH: show_again,
    ids.WORDS: show_words,
    ids.NEXT: end_half,
    ids.SURE: partial(roll, made=roll_half_end),
    ids.WITHDRAW: ask_withdrawal,
    ids.LEAVE: partial(roll, made=roll_withdrawal),
    ids.RETREAT: partial(roll, made=roll_seen_retreat),
}
COMPONENTS = tuple(Component(template, partial(_press, answer)) for template, answer in _ANSWERS.items())
