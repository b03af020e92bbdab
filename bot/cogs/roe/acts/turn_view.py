"""The turn card in Discord: shown by `/fight turn` and under results of a fight."""

from __future__ import annotations

from collections.abc import Iterator

from discord import ui

from bot.client import Interaction
from bot.cogs.roe import fight_messages
from bot.cogs.roe.acts.card import MOST_OFFERS, TurnCard, turn_card
from bot.cogs.roe.fight_messages import make_steps
from bot.core.scenes import Which
from bot.rolls.desk import channels, desk_of
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.receipt import picker, receipt
from bot.ui.reply import person, say
from bot.ui.text import plain, within

ROOM_FOR_CARD = 3800
"""Characters of a card under its title, of the 4,000 that Discord takes in all."""


async def show_turn(interaction: Interaction) -> None:
    """Show the turn of now in the channel's fight."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _show(interaction, campaign.id, None)


@component(fight_messages.CARD)
async def turn_of(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """Show the turn of now in a fight."""
    await _show(interaction, campaign, fight)


@component(fight_messages.WHY_NOT)
async def why_not(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """Show what can't be done in the turn of now, and why."""
    card = await _card(interaction, campaign, fight)
    lines = [*card.refused] or ["Every action is available this turn."]
    await say(interaction, view=receipt("Unavailable", lines, COLOURS["neutral"]))


COMPONENTS: tuple[Component, ...] = (turn_of, why_not)


def card_view(card: TurnCard) -> ui.LayoutView:
    """Return the turn of now, with what whoever looks at it can do in it."""
    shown = card.seen.shown
    return receipt(
        f"{plain(shown.name)}, round {shown.header.turn}",
        [*within(ROOM_FOR_CARD, card.lines)],
        COLOURS["neutral"],
        [*make_steps(card.seen, card.due, waits=card.waits), *_why_not(card)],
        _selects(card),
    )


async def _show(interaction: Interaction, campaign_id: int, which: Which) -> None:
    await say(interaction, view=card_view(await _card(interaction, campaign_id, which)))


async def _card(interaction: Interaction, campaign_id: int, which: Which) -> TurnCard:
    bot, where = interaction.client, channels(interaction)
    return await bot.database.read(turn_card, bot.resolver, person(interaction), campaign_id, which, where)


def _why_not(card: TurnCard) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the button that shows what can't be done now."""
    if card.refused:
        key = fight_messages.WHY_NOT.fill(campaign=card.seen.campaign.id, fight=card.seen.fight.header.entry)
        yield ui.Button(label="Unavailable", custom_id=key)


def _selects(card: TurnCard) -> Iterator[ui.Select[ui.LayoutView]]:
    shown = card.seen.shown
    if isinstance(shown.now, int):
        entry, turn = shown.header.entry, shown.header.turn
        key = fight_messages.ACT.fill(
            campaign=card.seen.campaign.id, fight=entry, turn=turn, now=shown.now, left=card.left
        )
        offers = [(item.key, item.label, item.costs) for item in card.offers[:MOST_OFFERS]]
        yield from picker(key, "Choose an action …", offers)
