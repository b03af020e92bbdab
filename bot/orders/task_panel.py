"""A task that was picked from a plan, opened as a roll card."""

from __future__ import annotations

import re

from bot.errors import NotOpen
from bot.orders import by_card
from bot.orders.ids import TASK, UpdateKey
from bot.rolls.card import layout
from bot.ui.components import Component, component, picked
from bot.ui.reply import STALE, AnyInteraction, person, say

_DIGITS = re.compile("[0-9a-f]{16}")


@component(TASK)
async def open_task(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Open the task that was picked as a roll card."""
    bot, task = interaction.client, next(iter(picked(interaction)), "")
    if not _DIGITS.fullmatch(task):
        raise NotOpen(*STALE)
    asked = (bot.resolver, person(interaction), UpdateKey(campaign, number), task)
    opened = await bot.database.write(by_card.open_task, *asked)
    await say(interaction, view=layout.draw(opened, 0))


COMPONENTS: tuple[Component, ...] = (open_task,)
