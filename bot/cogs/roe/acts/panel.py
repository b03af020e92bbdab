"""The turn card in Discord: shown by `/fight turn` and under results of a fight; what is picked on it is done at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from discord import ButtonStyle, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe.acts.card import MOST_OFFERS, TurnCard, left_in_all, turn_card
from bot.cogs.roe.acts.typed import TypedAct, command_of
from bot.cogs.roe.fights import buttons
from bot.cogs.roe.fights.looking import BOOK, FIGHTS, campaign_with_fights, look
from bot.cogs.roe.fights.turns import require_own_turn
from bot.cogs.roe.fights.views import steps
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.core.scenes import SeenTurn, Which
from bot.core.subjects import label
from bot.errors import NotOpen
from bot.rolls.answers import finish
from bot.rolls.card import layout
from bot.rolls.card.view import CardView
from bot.rolls.commands import Question, open_roll, roll_now
from bot.rolls.desk import channels, desk_of
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.resolver import Resolver, Rolled
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component, picked
from bot.ui.receipt import picker, receipt
from bot.ui.reply import STALE, person, say
from bot.ui.text import plain, within
from rules.books.roe.marks import TURN_NOTES
from rules.books.roe.scene import FIGHT

ROOM_FOR_CARD = 3800
"""Characters of a card under its title, of the 4,000 that Discord takes in all."""


async def show_turn(interaction: Interaction) -> None:
    """Show the turn of now in the channel's fight."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _show(interaction, campaign.id, None)


@component(buttons.CARD)
async def turn_of(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """Show the turn of now in a fight."""
    await _show(interaction, campaign, fight)


@component(buttons.ACT)
async def act(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int) -> None:
    """Do what was picked on a card of a turn: at once, or by a card of its own where it throws dice."""
    bot, seen = interaction.client, SeenTurn(fight, turn, now)
    word = next(iter(picked(interaction)), "")
    asked = (person(interaction), campaign, seen, left, word, channels(interaction))
    made = await bot.database.write(press, bot.resolver, *asked)
    if isinstance(made, Rolled):
        await finish(interaction, made)
    elif isinstance(made, Question):
        await say(interaction, view=layout.question(made.view, made.lines))
    else:
        await say(interaction, view=layout.draw(made, 0))


COMPONENTS: tuple[Component, ...] = (turn_of, act)


def press(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    asked: SeenTurn,
    left: int,
    word: str,
    where: Sequence[int],
) -> Rolled | Question | CardView:
    """Do an act that was picked in the turn that was seen with so much left; open a card for one that throws dice.

    Raises:
        NotAllowed: it is somebody else's turn.
        NotOpen: the turn has ended, or something was done in it since.
        UserError, RollError: it cannot be done.

    """
    campaign = campaign_with_fights(tx, resolver.library, person, campaign_id)
    seen = look(tx, person, campaign, asked.scene)
    scenes.require_turn(seen.shown, asked, FIGHTS)
    require_own_turn(seen)
    item = seen.shown.combatant(int(asked.now or 0))
    act_id, _, value = word.removeprefix(TURN_NOTES).partition(":")
    if item is None or not act_id:
        raise NotOpen(*STALE)
    if left_in_all(resolver.library.book(tx, campaign, BOOK), item) != left:
        raise NotOpen("Something was done in this turn since you looked.", "See /fight turn for what is left.")
    typed = TypedAct(act_id, None, value or None, label(seen.people[item.id]), None, None)
    command, dice = command_of(tx, resolver.library, person, where, typed)
    command = replace(command, campaign=campaign.id)
    return (open_roll if dice else roll_now)(tx, resolver, person, command)


def card_view(card: TurnCard) -> ui.LayoutView:
    """Return the turn of now, with what whoever looks at it can do in it."""
    shown = card.look.shown
    return receipt(
        f"{plain(shown.name)}, round {shown.header.turn}",
        [*within(ROOM_FOR_CARD, card.lines)],
        COLOURS["neutral"],
        list(steps(card.look, card.due, waits=card.waits)),
        _selects(card),
    )


def of_fight(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return, for the body of a roll in a fight, the entry that began that."""
    scene = made.moment.scene or ""
    header = scenes.header(tx, made.campaign.id, scene) if scene.startswith(f"{FIGHT}:") else None
    return ExtraChanges() if header is None else ExtraChanges(body={FIGHT: header.entry})


def next_turn(_person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[Any]]:
    """Yield the button that shows the turn of now, under the result of a roll in a fight."""
    fight = entry.content().get(FIGHT)
    if fight is not None:
        key = buttons.CARD.fill(campaign=campaign.id, fight=fight)
        yield ui.Button(label="Turn", custom_id=key, style=ButtonStyle.primary)


async def _show(interaction: Interaction, campaign_id: int, which: Which) -> None:
    bot, where = interaction.client, channels(interaction)
    asked = (bot.resolver, person(interaction), campaign_id, which, where)
    await say(interaction, view=card_view(await bot.database.read(turn_card, *asked)))


def _selects(card: TurnCard) -> Iterator[ui.Select[ui.LayoutView]]:
    shown = card.look.shown
    if isinstance(shown.now, int):
        entry, turn = shown.header.entry, shown.header.turn
        key = buttons.ACT.fill(campaign=card.look.campaign.id, fight=entry, turn=turn, now=shown.now, left=card.left)
        offers = [(item.key, item.label, item.costs) for item in card.offers[:MOST_OFFERS]]
        yield from picker(key, "Do something …", offers)
