"""What the buttons do that put right what was probably a slip in a roll."""

from __future__ import annotations

from msgspec.structs import replace

from bot.rolls.card import ids, service
from bot.rolls.card.panel import CardPress, finish_made, on_card
from bot.ui.components import Component


@on_card(ids.CORRECT)
async def correct(press: CardPress) -> None:
    """Show the card as it was meant."""
    await press.show(await press.take(service.as_meant))


@on_card(ids.MEANT)
async def roll_as_meant(press: CardPress) -> None:
    """Roll what was asked about as it was meant; where a reason is needed, show the card, which asks for it."""
    view = await press.take(service.as_meant)
    if view.preview.asks_reason and not view.request.reason:
        await press.show(view)
    else:
        await finish_made(press, await press.roll(replace(press.key, revision=view.card.revision)))


COMPONENTS: tuple[Component, ...] = (correct, roll_as_meant)
