"""Acts picked on a turn card: at once, or with a target and a value picked or typed first."""

from __future__ import annotations

from functools import partial

from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import act_commands, actors, fight_messages, turn_card
from bot.cogs.roe.actors import TypedTurnAct
from bot.cogs.roe.fight_view import UnaskedQuestion
from bot.cogs.roe.turn_card import TurnMoment, find_asker
from bot.cogs.roe.turn_choices import MAX_VALUE, ChoicePage, SeenFighter, ask_next, read_one, read_turn
from bot.core import scenes
from bot.core.errors import NotOpen
from bot.rolls import answers
from bot.rolls.card import layout
from bot.rolls.pending.panel import make
from bot.rolls.resolver import RollResult
from bot.ui import reply
from bot.ui.parsing import MAX_TEXT
from bot.ui.receipt import pickers
from bot.ui.text import plain
from rules.book import Act

OTHER = reply.IdTemplate("fight:{campaign:int}:other:{moment:word}:{act:word}:{_place:int}")
VALUE = reply.IdTemplate("fight:{campaign:int}:value:{moment:word}:{act:word}:{target:int}:{_place:int}")
"""`target` is a number, 0 for none."""


@reply.component(fight_messages.ACT_ON)
async def _pick_act_on(interaction: Interaction, *, campaign: int, moment: str, _place: int) -> None:
    act = read_one(interaction)
    page = await read_turn(interaction, campaign, moment, partial(_ask_other, name=act))
    await ask_next(interaction, campaign, moment, page)


def _find_act(seen: SeenFighter, name: str) -> Act:
    act = next((item for item in actors.list_offered(seen.who.book) if item.id == name), None)
    if act is None or not turn_card.is_on_someone(seen.who.book, act):
        raise NotOpen(*reply.STALE)
    return act


def _ask_other(tx: Connection, seen: SeenFighter, name: str) -> ChoicePage:
    act = _find_act(seen, name)
    if not act.has_other:
        return _ask_value(tx, seen, name, 0) or ChoicePage(f"{act.title}?", "", [])
    others = act_commands.list_others(tx, seen.who, act)
    rows = turn_card.list_named(others)
    ids = {"campaign": seen.campaign, "moment": seen.moment.word, "act": act.id}
    return ChoicePage(
        f"{act.title}: who or what?",
        _describe_text(act),
        [*pickers(partial(OTHER.fill, **ids), "Pick a target …", rows)],
    )


def _describe_text(act: Act) -> str:
    return f"-# {plain(act.text)}"


def _ask_value(tx: Connection, seen: SeenFighter, name: str, target: int) -> ChoicePage | None:
    act = _find_act(seen, name)
    named = seen.label_target(tx, target) if target else None
    values = act_commands.suggest_values(tx, seen.who, act.title, named) if act.takes else []
    rows = [(value, value, "") for value in dict.fromkeys(values) if len(value) <= MAX_VALUE]
    if not rows:
        return None
    ids = {"campaign": seen.campaign, "moment": seen.moment.word, "act": act.id, "target": target}
    return ChoicePage(
        f"{act.title}: with what?", _describe_text(act), [*pickers(partial(VALUE.fill, **ids), "Pick …", rows)]
    )


@reply.component(OTHER)
async def _pick_other(interaction: Interaction, *, campaign: int, moment: str, act: str, _place: int) -> None:
    target = reply.number(read_one(interaction))
    page = await read_turn(interaction, campaign, moment, partial(_ask_value, name=act, target=target))
    if page is None:
        await _carry_out(interaction, campaign, moment, act, (target, None))
    else:
        await ask_next(interaction, campaign, moment, page)


@reply.component(VALUE)
async def _pick_value(
    interaction: Interaction, *, campaign: int, moment: str, act: str, target: int, _place: int
) -> None:
    await _carry_out(interaction, campaign, moment, act, (target, read_one(interaction)))


async def _carry_out(
    interaction: Interaction, campaign: int, moment: str, act: str, meant: tuple[int, str | None]
) -> None:
    target, value = meant
    label = partial(_label, name=act, target=target)
    named, at = await read_turn(interaction, campaign, moment, label), TurnMoment.read(moment)
    await _act_as_picked(interaction, campaign, at.scene_turn, at.left, TypedTurnAct(act, named, value))


def _label(tx: Connection, seen: SeenFighter, name: str, target: int) -> str | None:
    _find_act(seen, name)
    return seen.label_target(tx, target) if target else None


@reply.component(fight_messages.ACT)
async def _pick_act(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int) -> None:
    act = read_one(interaction)
    if act not in act_commands.NEEDED:
        await _act_as_picked(interaction, campaign, scenes.SeenTurn(fight, turn, now), left, TypedTurnAct(act))
        return
    needed = act_commands.NEEDED[act]
    key = fight_messages.TYPED.fill(campaign=campaign, fight=fight, turn=turn, now=now, left=left, act=act)
    form = ui.Modal(title="One more detail", custom_id=key)
    for name, label, hint in needed:
        form.add_item(reply.text_field(name, label, placeholder=hint, limit=MAX_TEXT, needed=len(needed) == 1))
    await reply.ask(interaction, form)


@reply.modal(fight_messages.TYPED)
async def _act_as_typed(
    interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int, act: str
) -> None:
    fields = {name: str(value or "").strip() or None for name, value in reply.read_submitted(interaction).items()}
    typed = TypedTurnAct(act, fields.get("target"), fields.get("value"))
    await _act_as_picked(interaction, campaign, scenes.SeenTurn(fight, turn, now), left, typed)


async def _act_as_picked(
    interaction: Interaction, campaign: int, turn: scenes.SeenTurn, left: int, typed: TypedTurnAct
) -> None:
    bot = interaction.client
    asked = (find_asker(interaction), campaign, (turn, left), typed)
    try:
        made = await bot.database.write(act_commands.carry_out, bot.resolver, *asked)
    except UnaskedQuestion as first:
        await make(interaction, first.ask, *first.asked)
        return
    if isinstance(made, RollResult):
        await answers.finish(interaction, made)
    elif isinstance(made, answers.DoubtedRoll):
        await reply.say(interaction, view=layout.question(made.view, made.lines))
    else:
        await reply.say(interaction, view=layout.draw(made, 0))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    _pick_act,
    _pick_act_on,
    _pick_other,
    _pick_value,
    _act_as_typed,
)
