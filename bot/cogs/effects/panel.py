"""What is shown after an effect has ended, and the button that ends one by an answer."""

from __future__ import annotations

from bot.client import Interaction
from bot.cogs.effects import questions
from bot.cogs.effects.embed import sentence
from bot.cogs.effects.questions import END, AskedEffect
from bot.orders.answering import answered, next_steps
from bot.rolls.buttons import take_back_button
from bot.ui.answering import committed
from bot.ui.components import Component, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw
from bot.ui.text import plain


@component(END)
async def end(interaction: Interaction, *, campaign: int, subject: int, entry: int) -> None:
    """End an effect that is a question, as a game master answers it."""
    bot, who = interaction.client, person(interaction)
    asked = AskedEffect(campaign, subject, entry)
    answer, change = await bot.database.write(questions.end, bot.ledger, bot.features, who, asked)
    title = f"{plain(answer)}: entry #{change.entry.number}"
    committed(interaction, title)
    steps = await bot.database.read(next_steps, who, change.campaign)
    buttons = [*steps, take_back_button(campaign, change.entry.number)]
    await redraw(interaction, receipt(title, [sentence(change.entry.content())], buttons=buttons))
    await answered(interaction, change.campaign)


COMPONENTS: tuple[Component, ...] = (end,)
