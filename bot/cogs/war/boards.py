"""Battles in Discord: acts, boards, buttons, and what receipts add. An incomplete act opens a window that keeps what was typed."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from msgspec.structs import asdict, replace

from bot.client import Interaction
from bot.cogs.war import battles, wars
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, MissingInput
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.orders.kinds import PLAN
from bot.outbox.sending import draw_picture
from bot.rolls import request, resolver
from bot.rolls.answers import begin
from bot.rolls.extension import FollowUp
from bot.rolls.request import RollCommand
from bot.ui import parsing, reply, text
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, ask, person, read_submitted, rewrite, say, text_field
from bot.ui.text import Controls
from rules import errors, geometry, phrases
from rules.books.total_war import movement, order_kinds
from rules.books.total_war.aftermath import describe_withdrawal
from rules.books.total_war.battles import list_retreating, require_battle_on, why_retreats
from rules.books.total_war.combat import require_one_target
from rules.books.total_war.war import Rules, War

DAMAGE = 6  # for typed faces without a die
MAX_TITLE, MAX_FIELDS = 45, 5
USUAL = "usual"  # in ids: `roll` was left out
LABELS: Mapping[str, tuple[str, str]] = {
    "to": ("The tile it moves to", "E4"),
    "target": ("The unit it attacks", "u22"),
    "others": ("Units that add their attack", "u13, u14"),
    "call": ("Call for the coin in melee", "heads or tails"),
    "toward": ("Lane in which a warship fires", "N, E, S or W"),
    "dice": ("Dice rolled by hand", "5 3 d100: 40"),
}
"""The window's fields with label and example."""
FIELDS: Mapping[str, Sequence[str]] = {
    order_kinds.MANEUVER: ("to", "target", "call", "toward", "dice"),  # nothing says yet what it does
    "shoot": ("target", "others", "to", "dice"),
    "melee": ("target", "call", "to", "dice"),
    "broadside": ("toward", "to", "dice"),
}


async def act(interaction: Interaction, where: battles.BattlePlace, asked: battles.UnitActRequest) -> None:
    """Answer an act with its result, its card, or a window for what is missing."""
    faces = None if asked.dice is None else request.read_faces(asked.dice, DAMAGE)
    how = asked.roll or ("now" if faces is not None or asked.family == order_kinds.MANEUVER else "card")
    try:
        await begin(interaction, battles.roll_in(where, partial(roll_act, asked=asked), faces), at_once=how == "now")
    except (MissingInput, errors.MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        seen = await battles.see_battle(interaction, where)
        await ask(interaction, _act_window(seen, asked, str(missing)))


def roll_act(seen: battles.SeenBattle, asked: battles.UnitActRequest) -> RollCommand:
    """Return the roll of an act."""
    asked.require_fitting()
    family, given = asked.family, {"to": asked.to, "call": asked.call, "toward": asked.toward}
    subjects, others = {order_kinds.UNIT: seen.unit_label(asked.unit)}, asked.others.split(",") if asked.others else []
    if asked.target and family in {"shoot", "melee"}:
        several = [name for name in asked.target.split(",") if name.strip()]
        require_one_target(subjects[order_kinds.UNIT], several if several[1:] else asked.target)
        subjects[order_kinds.TARGET] = seen.unit_label(asked.target)
    inputs: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    inputs |= {"others": [seen.unit_label(other) for other in others]} if others else {}
    inputs |= {"first": "attack"} if asked.attacks_first else {}
    return seen.command(family, subjects, inputs)


def _act_window(seen: battles.SeenBattle, asked: battles.UnitActRequest, missing: str) -> ui.Modal:
    names, given = seen.labels(), {name: value for name, value in asdict(asked).items() if value}
    unit = seen.unit(asked.unit)
    attack = f"{asked.family}{battles.THEN_MOVE}" if asked.attacks_first else asked.family
    key = seen.key.fill(wars.MISSING_ACT, attack=attack, roll=asked.roll or USUAL, unit=unit)
    form = ui.Modal(title=text.shorten(names[unit], MAX_TITLE), custom_id=key)
    for name in FIELDS[asked.family]:
        if name in given or name != "dice":  # players never type dice
            label, example = LABELS[name]
            limit = parsing.MAX_TEXT if name in {"others", "dice"} else parsing.MAX_NAME
            needed = name in battles.TAKES[asked.family][:1]
            field = text_field(name, label, placeholder=example, value=given.get(name), limit=limit, needed=needed)
            form.add_item(field)
    return form if len(form.children) == MAX_FIELDS else form.add_item(ui.TextDisplay(text.plain(missing)))


async def _fill_act(interaction: Interaction, where: battles.BattlePlace, **typed: str) -> None:
    known = {name: value for name, value in typed.items() if value not in {order_kinds.MANEUVER, USUAL}}
    filled = {name: str(value) for name, value in read_submitted(interaction).items() if name in LABELS and value}
    await act(interaction, where, battles.UnitActRequest(**known, **filled))


class BoardView(Struct, frozen=True):
    """A board, or what a unit on it can do: after moving `to` a tile; along the lane `toward`, or all lanes."""

    rules: Rules
    war: War
    at: geometry.Hex
    unit: str | None = None
    to: geometry.Square | None = None
    toward: str | None = None

    def draw(self) -> text.Picture:
        """Draw the board."""
        picture: text.Picture = wars.load_pictures().draw_board_view(self)
        return picture

    def words(self, *, whole: bool) -> list[str]:
        """Return it in full, or in short with its picture's key."""
        lines, signs = wars.load_pictures().board_view_words(self, whole=whole)
        return [*map(text.plain, lines), *([text.picture_key(signs)] if signs else [])]


async def roll(
    interaction: Interaction,
    where: battles.BattlePlace,
    made: Callable[..., RollCommand],
    **given: Any,  # noqa: ANN401 - options or values of an id
) -> None:
    """Answer with a roll in a battle."""
    await begin(interaction, battles.roll_in(where, partial(made, **given)), at_once=True)


async def show(
    interaction: Interaction,
    where: battles.BattlePlace,
    unit: str | None = None,
    to: str | None = None,
    toward: str | None = None,
) -> None:
    """Answer with a board, or a unit's reach on it, and buttons."""
    seen = await battles.see_battle(interaction, where)
    for message in await _messages(seen, _view(seen, unit, to, toward)):
        await say(interaction, **message)


async def _show_words(interaction: Interaction, where: battles.BattlePlace, unit: str) -> None:
    seen = await battles.see_battle(interaction, where)
    lines = _view(seen, unit or None).words(whole=True)
    await wars.say_lines(interaction, seen.running.campaign, f"{wars.BATTLE_ON}{seen.at}", lines)


async def _show_again(interaction: Interaction, where: battles.BattlePlace) -> None:
    seen = await battles.see_battle(interaction, where)
    *_, message = await _messages(seen, _view(seen))
    file = message.pop("file", None)
    await rewrite(interaction, **message, attachments=[] if file is None else [file])


async def end_half(
    interaction: Interaction, where: battles.BattlePlace, turn: int | None = None, side: int | None = None
) -> None:
    """End a half turn; ask first if units could still act."""
    seen = await battles.see_battle(interaction, where)
    fight = seen.battle.fight
    now = turn in {None, fight.turn} and side in {None, fight.sides.index(fight.active)} and fight.active in seen.sides
    goes_on = now and not fight.outcome.over and seen.running.campaign.archived_at is None
    idle = await asyncio.to_thread(_idle, seen) if goes_on else []
    if not idle:
        await roll(interaction, where, _roll_half_end, turn=turn, side=side)
        return
    names = seen.labels()
    lines = [f"Can still move or attack: {text.plain(text.join_words([names[unit] for unit in idle]))}."]
    title = f"End {text.plain(phrases.possessive(seen.side_label(fight.active)))} half of turn {fight.turn}?"
    half = {"turn": fight.turn, "side": fight.sides.index(fight.active)}
    sure = seen.key.button("End turn anyway", wars.END_ANYWAY, ButtonStyle.danger, **half)
    board = seen.key.button("Show board", wars.SHOW_BOARD)
    await say(interaction, view=receipt(title, lines, text.COLOURS["neutral"], [sure, board]))


def _idle(seen: battles.SeenBattle) -> list[str]:
    idle: list[str] = seen.choices.idle()
    return idle


async def ask_withdrawal(interaction: Interaction, where: battles.BattlePlace, side: str | int | None = None) -> None:
    """Ask whether a side withdraws, with the cost."""
    seen = await battles.see_battle(interaction, where)
    fight = seen.battle.fight
    require_battle_on(seen.running.war, seen.battle)
    place = fight.sides.index(seen.side(side))
    called = text.plain(seen.side_label(fight.sides[place]))
    leaves = fight.sides[place] in seen.battle.forces.values()
    rest = "The units left retreat to a panel next to it." if leaves else "The garrison is lost."
    lines = [*map(text.plain, describe_withdrawal(seen.rules, seen.running.seen, seen.at, fight.sides[place])), rest]
    button = seen.key.button("Withdraw", wars.WITHDRAW, ButtonStyle.danger, side=place)
    title = f"Withdraw {called} from the battle on {seen.at}?"
    await say(interaction, view=receipt(title, lines, text.COLOURS["neutral"], [button]))


async def _messages(seen: battles.SeenBattle, view: BoardView) -> list[dict[str, object]]:
    picture = await draw_picture("battle board", view.draw)
    lines = [*map(text.plain, _retreat_lines(seen)), *view.words(whole=picture is None)]
    fight, footer, title = seen.battle.fight, seen.running.campaign.name, f"{wars.BATTLE_ON}{seen.at}"
    if not fight.outcome.over and fight.active in seen.sides:
        lines.append("-# Pick a unit, or let me show the next one that can act. Or type it with `/battle act`.")
    if picture is None:
        embeds = text.fit_embeds(title, lines, colour=text.COLOURS["neutral"], footer=footer)
    else:
        embeds = text.picture_embeds(title, lines, footer=footer, picture=picture.name)
    pages = text.paginate(embeds)
    messages: list[dict[str, object]] = [{"embeds": page} for page in pages]
    if picture is not None:
        messages[0]["file"] = picture.file()
    units = await asyncio.to_thread(list, battles.offer_units(seen))
    messages[-1]["view"] = Controls(*units, *_list_buttons(seen, view.unit))
    return messages


def _view(
    seen: battles.SeenBattle, unit: str | None = None, to: str | None = None, toward: str | None = None
) -> BoardView:
    board = BoardView(seen.rules, seen.running.seen, seen.at)
    if unit is None:
        return board
    return replace(board, unit=seen.unit(unit), to=None if to is None else seen.choices.tile(to), toward=toward)


def _list_buttons(seen: battles.SeenBattle, unit: str | None) -> Iterator[ui.Button[ui.LayoutView]]:
    key, fight, primary = seen.key, seen.battle.fight, ButtonStyle.primary
    beaten = battles.own_beaten(seen) if seen.sides else []
    if len(beaten) == 1:  # else /battle retreat says which one
        force = sorted(seen.battle.forces).index(beaten[0].name)
        for to in seen.choices.retreats(beaten[0]):
            yield key.button(f"Retreat to {to}", wars.RETREAT_TO, primary, force=force, to=to)
    if not fight.outcome.over and fight.active in seen.sides:
        yield key.button("Next unit", wars.NEXT_UNIT, primary, unit=unit or "")
        yield key.button("End turn", wars.END_HALF, primary, turn=fight.turn, side=fight.sides.index(fight.active))
    if not fight.outcome.over and len(seen.sides) == 1:  # a game master says which by the command
        yield key.button("Withdraw", wars.ASK_WITHDRAWAL, ButtonStyle.danger, side=fight.sides.index(seen.sides[0]))
    yield key.button("Refresh", wars.REFRESH_BOARD)
    yield key.button("As text", wars.BOARD_WORDS, unit=unit or "")


def _retreat_lines(seen: battles.SeenBattle) -> Iterator[str]:
    rules, war, own = seen.rules, seen.running.war, battles.own_beaten(seen) if seen.sides else []
    for force in list_retreating(rules, war, seen.at) if seen.sides else ():
        if force not in own:
            yield f"{force.name} still has to retreat ({war.describe_commander(force)} decides)."
            continue
        free = seen.choices.retreats(force)
        where = f", to {movement.list_panels(free, 'or')}" if free else f", but {order_kinds.NONE_FREE}"
        yield f"{force.name} has to retreat{where} (/battle retreat)"
        yield from filter(None, [why_retreats(rules, war, seen.at, force)])


def _roll_half_end(seen: battles.SeenBattle, turn: int | None, side: int | None) -> RollCommand:
    name = seen.battle.fight.active if side is None else seen.side(side)
    return seen.command(
        order_kinds.NEXT, {order_kinds.SIDE: seen.side_label(name)}, {} if turn is None else {"turn": turn}
    )


def _roll_withdrawal(seen: battles.SeenBattle, side: int) -> RollCommand:
    return seen.command("withdraw", {order_kinds.SIDE: seen.side_label(seen.side(side))})


def roll_condition(seen: battles.SeenBattle, side: str) -> RollCommand:
    """Return the roll that meets a side's special condition."""
    seen.require_game_master("say whether a condition is met")
    return seen.command("condition", {order_kinds.SIDE: seen.side_label(seen.side(side))})


def roll_retreat(seen: battles.SeenBattle, to: str | None = None, force: str | None = None) -> RollCommand:
    """Return a beaten force's retreat."""
    waiting = [item.name for item in battles.own_beaten(seen)]
    if force is None and len(waiting) != 1:
        what = f"{' and '.join(waiting)} have to retreat." if waiting else "None of your forces has to retreat."
        raise BadInput(what, "Pick one with “force”." if waiting else "See /war show.")
    inputs = {} if to is None else {"to": to}
    return seen.command("retreat", {order_kinds.FORCE: force or waiting[0]}, inputs)


def _roll_seen_retreat(seen: battles.SeenBattle, force: int, to: str) -> RollCommand:
    name = next(iter(sorted(seen.battle.forces)[force : force + 1]), None)
    if name is None or name not in {item.name for item in battles.own_beaten(seen)}:
        raise BadInput("That force doesn't have to retreat, or isn't yours.", "See /battle show.")
    return seen.command("retreat", {order_kinds.FORCE: name}, {"to": to})


def roll_placing(seen: battles.SeenBattle, unit: str, tile: str) -> RollCommand:
    """Return a game master's placing of a unit."""
    seen.require_game_master("place units")
    return seen.command("place", {order_kinds.UNIT: seen.unit_label(unit)}, {"to": tile})


def next_steps(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons below an act in a battle: retreat or board, and the end of the turn."""
    body = entry.content()
    if wars.FOUGHT not in body:
        return
    part = body["parts"][0]
    at = part["inputs"]["at"]
    key = wars.BattleKey(campaign.id, at, body[wars.FOUGHT])
    beaten = part["record"].get("retreats", {}).get(at)
    half = part["record"].get("halves", {}).get(at)
    if beaten is None and half is None:
        return
    own = beaten is not None and (person.leads(campaign) or part["inputs"].get("by") in beaten)
    yield key.button("Retreat ..." if own else "Show board", wars.SHOW_BOARD)
    if beaten is None and body["actor"] == order_kinds.UNIT:
        turn, side = half
        yield key.button("Next unit", wars.NEXT_UNIT, unit="")
        yield key.button("End turn", wars.END_HALF, turn=turn, side=side)


ROOM = 1000  # in characters, for consequences; posts have all of them
ENDS = "No battle is left, so the turn can end."


async def list_receipt_extras(interaction: AnyInteraction, rolled: resolver.RollResult) -> FollowUp:
    """Return what a roll's receipt adds: a ruling's effects, a welcome, or the next step in a battle."""
    bot, body = interaction.client, rolled.entry.content()
    if body["family"] in {order_kinds.SET, order_kinds.RULE}:
        lines = [text.plain(step["text"]) for part in body["parts"] for step in part["steps"]]
        return FollowUp(lines=tuple(text.fit_lines(ROOM, lines)))
    if wars.FOUGHT in body:
        return await _after_act(interaction, rolled)
    if body["family"] != order_kinds.JOIN:
        return FollowUp()
    seen = await bot.database.read(wars.require_war, bot.library, person(interaction), rolled.campaign)
    return FollowUp(lines=tuple(_describe_welcome(seen, body["parts"][0]["subjects"]["player"])))


async def _after_act(interaction: AnyInteraction, rolled: resolver.RollResult) -> FollowUp:
    bot, body, who = interaction.client, rolled.entry.content(), person(interaction)
    record = body["parts"][0]["record"]
    if record.get("halves") or record.get("retreats") or not who.leads(rolled.campaign):
        return FollowUp()
    seen = await bot.database.read(wars.find_war, bot.library, who, rolled.campaign)
    update = body["update"]["number"]
    if seen is None or seen.war.winner is not None or seen.war.update == update:  # a turn ends once in an update
        return FollowUp()
    key = PLAN.fill(campaign=rolled.campaign.id, number=update)
    return FollowUp(lines=(ENDS,), steps=(ui.Button(label="Resolve", custom_id=key),))


def _describe_welcome(seen: wars.RunningWar, name: str) -> Iterator[str]:
    player = seen.war.players.get(name)
    if player is None or player.faction is None:
        return
    side = seen.war.factions[player.faction]
    called, own = (
        text.plain(side.name),
        [text.plain(item.name) for item in seen.war.forces.values() if item.commander == name],
    )
    if side.leader == name:
        yield f"{text.plain(name)} leads {called} and can build, buy, promote and hand out forces."
    elif side.leader:
        yield f"{text.plain(side.leader)} leads {called}."
    else:
        yield f"{called} has no leader. A game master appoints one."
    if own:
        yield f"{text.plain(name)} commands {text.join_words(own)}."
    else:
        yield f"{text.plain(name)} has no force yet{'' if side.leader == name else '. The leader hands them out'}."
    yield f"-# Next: `/war map`, {text.code(f'/war show what:{side.name}')}, then `/order give` before the turn is resolved."


async def press(
    answer: reply.Handler, interaction: Interaction, *, campaign: int, at: str, begun: int, **seen: object
) -> None:
    """Answer a button for its battle, no later one on its panel."""
    await answer(interaction, battles.BattlePlace((), at, campaign, begun), **seen)


_ANSWERS: Mapping[reply.IdTemplate, reply.Handler] = {
    wars.SHOW_BOARD: show,
    wars.REFRESH_BOARD: _show_again,
    wars.BOARD_WORDS: _show_words,
    wars.END_HALF: end_half,
    wars.END_ANYWAY: partial(roll, made=_roll_half_end),
    wars.ASK_WITHDRAWAL: ask_withdrawal,
    wars.WITHDRAW: partial(roll, made=_roll_withdrawal),
    wars.RETREAT_TO: partial(roll, made=_roll_seen_retreat),
}
COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    *tuple(reply.Component(template, partial(press, answer)) for template, answer in _ANSWERS.items()),
    reply.ModalForm(wars.MISSING_ACT, partial(press, _fill_act)),
)
