"""Battles in Discord: acts of units, boards with what may be done there, and rolls that answer commands and buttons.

An act that lacks something opens a window, which keeps what was typed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from msgspec.structs import asdict, replace

from bot.client import Interaction
from bot.cogs.war import posts
from bot.cogs.war.battles import TAKES, BattlePlace, SeenBattle, UnitAct, own_beaten, roll_in, see_battle
from bot.cogs.war.posts import BATTLE_ON, FOUGHT
from bot.cogs.war.wars import say_lines
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.errors import BadInput, MissingInput
from bot.outbox.message import draw_picture
from bot.rolls.answers import begin
from bot.rolls.dice import read_faces
from bot.rolls.request import RollCommand
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.components import Component, Handler, IdTemplate, ModalForm, with_buttons
from bot.ui.parsing import MAX_NAME, MAX_TEXT
from bot.ui.picture import ATTACHED, Picture
from bot.ui.receipt import receipt
from bot.ui.reply import ask, read_submitted, rewrite, say, text_field
from bot.ui.text import listing, plain, shorten
from rules.books.total_war.aftermath import describe_withdrawal
from rules.books.total_war.battles import require_battle_on, retreating_forces, why_retreats
from rules.books.total_war.fight import require_one_target
from rules.books.total_war.land import list_panels
from rules.books.total_war.order_kinds import FORCE, MANEUVER, NEXT, NONE_FREE, SIDE, TARGET, UNIT
from rules.books.total_war.war import Rules, War
from rules.errors import MissingValue
from rules.geometry import Hex, Square
from rules.phrases import possessive

DAMAGE = 6
"""The die of typed faces without a die before them: what units of the page's example attack with."""
MAX_TITLE, MAX_FIELDS = 45, 5
USUAL = "usual"
"""In the id of the window: `roll` was left out."""
LABELS: Mapping[str, tuple[str, str]] = {
    "to": ("The tile it moves to", "E4"),
    "target": ("The unit it attacks", "u22"),
    "others": ("Units that add their attack", "u13, u14"),
    "call": ("Call for the coin in melee", "heads or tails"),
    "toward": ("Lane in which a warship fires", "N, E, S or W"),
    "dice": ("Dice rolled by hand", "5 3 d100: 40"),
}
"""The fields of the window, each with its label and an example, by option."""
FIELDS: Mapping[str, Sequence[str]] = {
    MANEUVER: ("to", "target", "call", "toward", "dice"),  # nothing says yet what it does
    "shoot": ("target", "others", "to", "dice"),
    "melee": ("target", "call", "to", "dice"),
    "broadside": ("toward", "to", "dice"),
}


async def act(interaction: Interaction, where: BattlePlace, asked: UnitAct) -> None:
    """Answer with an act of a unit or its card, or with a window for what is missing."""
    faces = None if asked.dice is None else read_faces(asked.dice, DAMAGE)
    how = asked.roll or (asked.usual if faces is None else "now")
    try:
        await begin(interaction, roll_in(where, partial(roll_act, asked=asked), faces), at_once=how == "now")
    except (MissingInput, MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        seen = await see_battle(interaction, where)
        await ask(interaction, _act_window(seen, asked, str(missing)))


def roll_act(seen: SeenBattle, asked: UnitAct) -> RollCommand:
    """Return the roll of an act of a unit."""
    asked.require_fitting()
    family, given = asked.family, {"to": asked.to, "call": asked.call, "toward": asked.toward}
    subjects, others = {UNIT: seen.called_unit(asked.unit)}, asked.others.split(",") if asked.others else []
    if asked.target and family in {"shoot", "melee"}:
        several = [name for name in asked.target.split(",") if name.strip()]
        require_one_target(subjects[UNIT], several if several[1:] else asked.target)
        subjects[TARGET] = seen.called_unit(asked.target)
    inputs: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    inputs |= {"others": [seen.called_unit(other) for other in others]} if others else {}
    inputs |= {"first": "attack"} if asked.attacks_first else {}
    return seen.command(family, subjects, inputs)


def _act_window(seen: SeenBattle, asked: UnitAct, missing: str) -> ui.Modal:
    names, given = seen.labels(), {name: value for name, value in asdict(asked).items() if value}
    unit = seen.unit(asked.unit)
    key = seen.key.fill(posts.MISSING_ACT, attack=asked.picked, roll=asked.roll or USUAL, unit=unit)
    form = ui.Modal(title=shorten(names[unit], MAX_TITLE), custom_id=key)
    for name in FIELDS[asked.family]:
        if name in given or name != "dice":  # players never type dice
            label, example = LABELS[name]
            limit = MAX_TEXT if name in {"others", "dice"} else MAX_NAME
            needed = name in TAKES[asked.family][:1]
            field = text_field(name, label, placeholder=example, value=given.get(name), limit=limit, needed=needed)
            form.add_item(field)
    return form if len(form.children) == MAX_FIELDS else form.add_item(ui.TextDisplay(plain(missing)))


async def fill_act(interaction: Interaction, where: BattlePlace, **typed: str) -> None:
    """Let a unit act with what was missing."""
    known = {name: value for name, value in typed.items() if value not in {MANEUVER, USUAL}}
    filled = {name: str(value) for name, value in read_submitted(interaction).items() if name in LABELS and value}
    await act(interaction, where, UnitAct(**known, **filled))


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
        """Return what it shows, line by line: all of it, or what the unit can do and what the sides have left."""
        return [plain(line) for line in _pictures().board_view_words(self, whole=whole)]


def _pictures() -> Any:  # noqa: ANN401 - a module
    """Return what draws: it loads with the first picture."""
    return import_module("bot.cogs.war.pictures.views")


async def roll(interaction: Interaction, where: BattlePlace, made: Callable[..., RollCommand], **given: Any) -> None:  # noqa: ANN401 - options or values of an id
    """Answer with a roll in a battle, `made` of that and of what was typed or seen."""
    await begin(interaction, roll_in(where, partial(made, **given)), at_once=True)


async def show(
    interaction: Interaction,
    where: BattlePlace,
    unit: str | None = None,
    to: str | None = None,
    toward: str | None = None,
) -> None:
    """Answer with the board of a battle, or what a unit can do on it, and with what may be done there."""
    seen = await see_battle(interaction, where)
    for message in await _messages(seen, _view(seen, unit, to, toward)):
        await say(interaction, **message)


async def show_words(interaction: Interaction, where: BattlePlace, unit: str) -> None:
    """Answer with all that a board shows, in words."""
    seen = await see_battle(interaction, where)
    lines = _view(seen, unit or None).words(whole=True)
    await say_lines(interaction, seen.running.campaign, f"{BATTLE_ON}{seen.at}", lines)


async def show_again(interaction: Interaction, where: BattlePlace) -> None:
    """Replace the board that was shown with the current one."""
    seen = await see_battle(interaction, where)
    *_, message = await _messages(seen, _view(seen))
    file = message.pop("file", None)
    await rewrite(interaction, **message, attachments=[] if file is None else [file])


async def end_half(
    interaction: Interaction, where: BattlePlace, turn: int | None = None, side: int | None = None
) -> None:
    """End the half of the turn that was seen (None: now's); ask first where units of it could still act."""
    seen = await see_battle(interaction, where)
    fight = seen.battle.fight
    now = turn in {None, fight.turn} and side in {None, fight.sides.index(fight.active)} and fight.active in seen.sides
    goes_on = now and not fight.ended.over and seen.running.campaign.archived_at is None
    idle = await asyncio.to_thread(_idle, seen) if goes_on else []
    if not idle:
        await roll(interaction, where, roll_half_end, turn=turn, side=side)
        return
    names = seen.labels()
    lines = [f"Can still move or attack: {plain(listing([names[unit] for unit in idle]))}."]
    title = f"End {plain(possessive(seen.called(fight.active)))} half of turn {fight.turn}?"
    half = {"turn": fight.turn, "side": fight.sides.index(fight.active)}
    sure = seen.key.button("End turn anyway", posts.END_ANYWAY, ButtonStyle.danger, **half)
    board = seen.key.button("Show board", posts.SHOW_BOARD)
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], [sure, board]))


def _idle(seen: SeenBattle) -> list[str]:
    """Return the units (ids) that could still act; that takes long with many of them."""
    idle: list[str] = seen.choices.idle()
    return idle


async def ask_withdrawal(interaction: Interaction, where: BattlePlace, side: str | int | None = None) -> None:
    """Ask once whether a side withdraws, and say what that costs."""
    seen = await see_battle(interaction, where)
    fight = seen.battle.fight
    require_battle_on(seen.running.war, seen.battle)
    place = fight.sides.index(seen.side(side))
    called = plain(seen.called(fight.sides[place]))
    leaves = fight.sides[place] in seen.battle.forces.values()
    rest = "The units left retreat to a panel next to it." if leaves else "The garrison is lost."
    lines = [*map(plain, describe_withdrawal(seen.rules, seen.running.seen, seen.at, fight.sides[place])), rest]
    button = seen.key.button("Withdraw", posts.WITHDRAW, ButtonStyle.danger, side=place)
    title = f"Withdraw {called} from the battle on {seen.at}?"
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], [button]))


async def _messages(seen: SeenBattle, view: BoardView) -> list[dict[str, object]]:
    picture = await draw_picture("battle board", view.draw)
    lines = [*map(plain, _retreat_lines(seen)), *view.words(whole=picture is None), *_hints(seen)]
    footer = seen.running.campaign.name
    embeds = text.fit_embeds(f"{BATTLE_ON}{seen.at}", lines, colour=COLOURS["neutral"], footer=footer)
    if picture is not None:
        embeds[0].set_image(url=f"{ATTACHED}{picture.name}")
    pages = text.paginate(embeds)
    messages: list[dict[str, object]] = [{"embeds": page} for page in pages]
    if picture is not None:
        messages[0]["file"] = picture.file()
    messages[-1]["view"] = with_buttons(*_buttons(seen, view.unit))
    return messages


def _view(seen: SeenBattle, unit: str | None = None, to: str | None = None, toward: str | None = None) -> BoardView:
    """Return the board, or the reach on it of a unit that is named; without one, no tile or lane counts."""
    board = BoardView(seen.rules, seen.running.seen, seen.at)
    if unit is None:
        return board
    return replace(board, unit=seen.unit(unit), to=None if to is None else seen.choices.tile(to), toward=toward)


def _buttons(seen: SeenBattle, unit: str | None) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons under a board: those of the viewer's side, then Refresh and As text, which shows what a unit can do too."""
    key, fight, primary = seen.key, seen.battle.fight, ButtonStyle.primary
    beaten = own_beaten(seen) if seen.sides else []
    if len(beaten) == 1:  # else /battle retreat says which one
        force = sorted(seen.battle.forces).index(beaten[0].name)
        for to in seen.choices.retreats(beaten[0]):
            yield key.button(f"Retreat to {to}", posts.RETREAT_TO, primary, force=force, to=to)
    if not fight.ended.over and fight.active in seen.sides:
        yield key.button("End turn", posts.END_HALF, primary, turn=fight.turn, side=fight.sides.index(fight.active))
    if not fight.ended.over and len(seen.sides) == 1:  # a game master says which by the command
        yield key.button("Withdraw", posts.ASK_WITHDRAWAL, ButtonStyle.danger, side=fight.sides.index(seen.sides[0]))
    yield key.button("Refresh", posts.REFRESH_BOARD)
    yield key.button("As text", posts.BOARD_WORDS, unit=unit or "")


def _hints(seen: SeenBattle) -> Iterator[str]:
    fight = seen.battle.fight
    if not fight.ended.over and fight.active in seen.sides:
        yield "-# `/battle act` lets a unit move and attack; `/battle show unit:` shows what it can do."


def _retreat_lines(seen: SeenBattle) -> Iterator[str]:
    """Yield to those who fought whose retreat a battle waits for: where their own forces can go, and why one has to."""
    rules, war, own = seen.rules, seen.running.war, own_beaten(seen) if seen.sides else []
    for force in retreating_forces(rules, war, seen.at) if seen.sides else ():
        if force not in own:
            yield f"{force.name} still has to retreat ({war.commanded_by(force)} decides)."
            continue
        free = seen.choices.retreats(force)
        where = f", to {list_panels(free, 'or')}" if free else f", but {NONE_FREE}"
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


def next_steps(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what comes next after an act on a board: the board, and the end of the half that goes on, or a retreat."""
    body = entry.content()
    if FOUGHT not in body:
        return
    part = body["parts"][0]
    at = part["inputs"]["at"]
    key = posts.BattleKey(campaign.id, at, body[FOUGHT])
    beaten = part["record"].get("retreats", {}).get(at)
    half = part["record"].get("halves", {}).get(at)
    if beaten is None and half is None:
        return
    own = beaten is not None and (person.leads(campaign) or part["inputs"].get("by") in beaten)
    yield key.button("Retreat ..." if own else "Show board", posts.SHOW_BOARD)
    if beaten is None and body["actor"] == UNIT:
        turn, side = half
        yield key.button("End turn", posts.END_HALF, turn=turn, side=side)


async def _press(
    answer: Handler,
    interaction: Interaction,
    *,
    campaign: int,
    at: str,
    begun: int,
    **seen: object,
) -> None:
    await answer(interaction, BattlePlace.of(campaign, at, begun), **seen)


_ANSWERS: Mapping[IdTemplate, Handler] = {
    posts.SHOW_BOARD: show,
    posts.REFRESH_BOARD: show_again,
    posts.BOARD_WORDS: show_words,
    posts.END_HALF: end_half,
    posts.END_ANYWAY: partial(roll, made=roll_half_end),
    posts.ASK_WITHDRAWAL: ask_withdrawal,
    posts.WITHDRAW: partial(roll, made=roll_withdrawal),
    posts.RETREAT_TO: partial(roll, made=roll_seen_retreat),
}
COMPONENTS = tuple(Component(template, partial(_press, answer)) for template, answer in _ANSWERS.items())
MODALS = (ModalForm(posts.MISSING_ACT, partial(_press, fill_act)),)
