"""`/amend` and its button: the window that asks why and says what goes with it, and the card that opens then."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.campaigns import Campaign, on_server
from bot.rolls import amend
from bot.rolls.buttons import AMEND
from bot.rolls.card import layout
from bot.rolls.desk import desk_of
from bot.rolls.void import VoidOrder, VoidPlan
from bot.rolls.void_window import MAX_WINDOW, going, left
from bot.ui.components import IdTemplate, component, modal
from bot.ui.reply import AnyInteraction, ask, person, reason_form, say, submitted
from bot.ui.text import within

WHY = IdTemplate("amend:{campaign:int}:{number:int}:{upto:int}:why")
"""The id of the window; `upto` is the newest entry that it names as taken back too."""


@component(AMEND)
async def amend_entry(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is to be amended."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await open_window(interaction, here, number)


async def open_window(interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None) -> None:
    """Show what an entry was and what is taken back to amend it, and ask why; `reason` is what was typed already."""
    desk = desk_of(interaction)
    planned = await desk.database.read(amend.plan, desk.resolver, person(interaction), campaign, number)
    key = WHY.fill(campaign=campaign.id, number=number, upto=planned.upto)
    about = "\n".join(within(MAX_WINDOW, list(_planned(planned))))
    await ask(
        interaction, reason_form(key, f"Amend entry #{number}", about, placeholder="Fog was missed", given=reason)
    )


@modal(WHY)
async def give_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Open the card of a roll again."""
    desk, reason = desk_of(interaction), str(submitted(interaction).get("reason") or "")
    order = VoidOrder(number, reason, upto)
    view = await desk.database.write(amend.open_again, desk.resolver, person(interaction), campaign, order)
    await say(interaction, view=layout.draw(view, 0))


def _planned(planned: VoidPlan) -> Iterator[str]:
    yield from going(planned, "Later entries changed what it did, so amending also undoes these:")
    yield from left(planned.used)
    yield "The card opens again with the same dice. Nothing changes until you press Amend there."
    yield "-# Anyone who can see this entry sees your reason."
