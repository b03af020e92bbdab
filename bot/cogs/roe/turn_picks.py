"""What is picked on a turn card: done at once, with what a window asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import fight_messages
from bot.cogs.roe.act_commands import read_act
from bot.cogs.roe.acts import TypedTurnAct
from bot.cogs.roe.fight_changes import FightWork
from bot.cogs.roe.fight_view import FIGHTS
from bot.cogs.roe.flights import CALL
from bot.cogs.roe.turn_card import count_left
from bot.cogs.roe.turns import require_own_turn
from bot.cogs.roe.waiting import UnaskedQuestion
from bot.core import scenes
from bot.core.permissions import Person
from bot.core.scenes import SeenTurn
from bot.core.subjects import label_subject
from bot.errors import NotOpen
from bot.rolls.answers import DoubtedRoll, finish, open_roll, roll_now
from bot.rolls.card import layout
from bot.rolls.card.store import CardView
from bot.rolls.desk import channels
from bot.rolls.pending import panel as pending
from bot.rolls.resolver import Resolver, Rolled
from bot.ui.components import Component, ModalForm, component, modal, read_picked
from bot.ui.parsing import MAX_TEXT
from bot.ui.reply import STALE, ask, person, read_submitted, say, text_field
from rules.books.roe.fights import TURN_NOTES

NEEDED: Mapping[str, Sequence[tuple[str, str, str]]] = {
    CALL: [
        ("target", "Who is called", "A character who isn't in the fight"),
        ("value", "Channel or way", "A channel, near base, or comlink CPD"),
    ],
    **dict.fromkeys(("turn.fall", "turn.throw-off"), (("value", "How far down, in metres", "6"),)),
}
"""What a window asks for before an act of the turn card can be done: option of `/roe act`, label and example; one alone is required."""


@component(fight_messages.ACT)
async def act(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int) -> None:
    """Do what was picked on a turn card: at once, by a card where it rolls dice, or in a window where something has to be typed."""
    word = next(iter(read_picked(interaction)), "")
    if word not in NEEDED:
        await _do(interaction, campaign, SeenTurn(fight, turn, now), left, TypedTurnAct(word))
        return
    key = fight_messages.TYPED.fill(campaign=campaign, fight=fight, turn=turn, now=now, left=left, act=word)
    form = ui.Modal(title="One more detail", custom_id=key)
    for name, told, hint in NEEDED[word]:
        form.add_item(text_field(name, told, placeholder=hint, limit=MAX_TEXT, needed=len(NEEDED[word]) == 1))
    await ask(interaction, form)


@modal(fight_messages.TYPED)
async def act_as_typed(
    interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int, act: str
) -> None:
    """Do an act with what was typed for it."""
    fields = {name: str(value or "").strip() or None for name, value in read_submitted(interaction).items()}
    meant = TypedTurnAct(act, fields.get("target"), fields.get("value"))
    await _do(interaction, campaign, SeenTurn(fight, turn, now), left, meant)


COMPONENTS: tuple[Component, ...] = (act,)
MODALS: tuple[ModalForm, ...] = (act_as_typed,)


async def _do(interaction: Interaction, campaign: int, turn: SeenTurn, left: int, meant: TypedTurnAct) -> None:
    bot = interaction.client
    asked = (person(interaction), campaign, turn, left, meant, channels(interaction))
    try:
        made = await bot.database.write(_carry_out, bot.resolver, *asked)
    except UnaskedQuestion as first:
        await pending.make(interaction, first.ask, *first.asked)
        return
    if isinstance(made, Rolled):
        await finish(interaction, made)
    elif isinstance(made, DoubtedRoll):
        await say(interaction, view=layout.question(made.view, made.lines))
    else:
        await say(interaction, view=layout.draw(made, 0))


def _carry_out(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    turn: SeenTurn,
    left: int,
    meant: TypedTurnAct,
    where: Sequence[int],
) -> Rolled | DoubtedRoll | CardView:
    """Do an act that was picked in a turn with so much left of it; open a card for one that rolls dice.

    Raises:
        UnaskedQuestion: others may interrupt it.

    """
    work = FightWork(tx, resolver, person, campaign_id, turn.scene)
    scenes.require_turn(work.seen.shown, turn, FIGHTS)
    require_own_turn(resolver, work.seen)
    item = work.seen.shown.combatant(int(turn.now or 0))
    act_id, _, value = meant.what.removeprefix(TURN_NOTES).partition(":")
    if item is None or not act_id:
        raise NotOpen(*STALE)
    if count_left(work.book, item) != left:
        raise NotOpen("Something happened in this turn since you looked.", "See /fight turn for what's left.")
    who = label_subject(work.seen.people[item.id])
    command, dice = read_act(
        tx, resolver.library, person, where, TypedTurnAct(act_id, meant.target, value or meant.value, who)
    )
    return (open_roll if dice else roll_now)(tx, resolver, person, replace(command, campaign=campaign_id))
