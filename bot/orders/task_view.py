"""Tasks of a plan as they are shown, to pick one that is rolled by card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from discord import ui

from bot.core.campaigns import Campaign
from bot.errors import NotOpen
from bot.orders import resolution
from bot.orders.ids import TASK
from bot.orders.resolution import ResolutionPlan
from bot.orders.tasks import by_card, digits
from bot.rolls.preview import Preview
from bot.ui.colours import COLOURS
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker, receipt
from bot.ui.reply import AnyInteraction, person, say

HOW = "Roll one task of the plan by its roll card. That resolves its orders."


def task_select(plan: ResolutionPlan) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield the select that opens one of a plan's tasks as a roll card, the first 25 of them; none where none can be."""
    found = by_card(plan.tasks)
    shown = [(digits(item.task), _headline(preview), item.phase.label) for item, preview in found[:MAX_CHOICES]]
    left = f" (the first {MAX_CHOICES} of {len(found)})" if len(found) > MAX_CHOICES else ""
    key = TASK.fill(campaign=plan.campaign.id, number=plan.update)
    yield from picker(key, f"Roll one by card ...{left}", shown)


async def show_tasks(interaction: AnyInteraction, campaign: Campaign) -> None:
    """Show the tasks that can be rolled by their cards, where there are any."""
    bot = interaction.client
    with suppress(NotOpen):  # nothing is left to resolve
        selects = [*task_select(await bot.database.read(resolution.plan, bot.resolver, person(interaction), campaign))]
        if selects:
            await say(interaction, view=receipt("By card", [HOW], COLOURS["neutral"], selects=selects))


def _headline(preview: Preview) -> str:
    """Return a task in a few words: its first part, and how many more it has."""
    procedure, subjects = preview.procedure, preview.parts[0].part.subjects
    words = procedure.headline if procedure.subject in subjects else procedure.headline_alone
    more = len(preview.parts) - 1
    return words.format(**subjects) + (f" (and {more} more)" if more else "")
