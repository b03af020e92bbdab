"""The button that takes an entry back, and the window that asks why and says what goes with it."""

from __future__ import annotations

from collections.abc import Iterator

import discord

from bot.core.campaigns import Campaign, on_server
from bot.core.people import told
from bot.rolls import void
from bot.rolls.buttons import TAKE_BACK
from bot.rolls.desk import desk_of
from bot.rolls.void import TakenBack, VoidOrder, VoidPlan
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component, modal
from bot.ui.reply import AnyInteraction, ask, person, reason_form, say, submitted
from bot.ui.text import listing, within

WHY = IdTemplate("void:{campaign:int}:{number:int}:{upto:int}:why")
"""The id of the window; `upto` is the newest entry that it names as going too."""

MAX_WINDOW, MAX_ANSWER = 3000, 3500


@component(TAKE_BACK)
async def take_back(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask why an entry is to be taken back."""
    here = await interaction.client.database.read(on_server, interaction.guild_id or 0, campaign)
    await open_window(interaction, here, number)


async def open_window(interaction: AnyInteraction, campaign: Campaign, number: int, reason: str | None = None) -> None:
    """Show what is taken back with an entry, and ask why; `reason` is what was typed already."""
    desk = desk_of(interaction)
    planned = await desk.database.read(void.plan, desk.resolver, person(interaction), campaign, number)
    key = WHY.fill(campaign=campaign.id, number=number, upto=planned.upto)
    about = "\n".join(within(MAX_WINDOW, list(_planned(planned))))
    form = reason_form(key, f"Take entry #{number} back", about, placeholder="A modifier was missed", given=reason)
    await ask(interaction, form)


@modal(WHY)
async def give_reason(interaction: AnyInteraction, *, campaign: int, number: int, upto: int) -> None:
    """Take the entries of a window back."""
    desk, reason = desk_of(interaction), str(submitted(interaction).get("reason") or "")
    order = VoidOrder(number, reason, upto)
    done = await desk.database.write(void.take_back, desk.resolver, person(interaction), campaign, order)
    committed(interaction, f"Taken back: entry #{number}")
    await say(interaction, embed=taken_back_embed(done))
    await desk.outbox.send(interaction.client, done.posts)


def taken_back_embed(done: TakenBack) -> discord.Embed:
    """Return what was taken back, for who did it."""
    lines = [f"Entry #{entry.number} is void (entry #{by.number}): {told(by)['what']}." for entry, by in done.pairs]
    lines += _left(done.used)
    text = "\n".join(within(MAX_ANSWER, lines))
    return discord.Embed(title="Taken back", description=text, colour=COLOURS["success"])


def _planned(planned: VoidPlan) -> Iterator[str]:
    *later, entry = zip(planned.chain, planned.sentences, strict=True)
    yield f"**#{entry[0].number}** {entry[1]}"
    if later:
        yield "What it did was changed since, so these go with it:"
        yield from (f"**#{item.number}** {sentence}" for item, sentence in reversed(later))
    yield from _left(planned.used)
    yield "-# Everybody who may know of it reads the reason."


def _left(used: tuple[int, ...]) -> Iterator[str]:
    if used:
        yield f"Rolls that counted it stay as they are: {listing([f'#{number}' for number in used])}."
