"""What the card of a saved unit or character does: its traits are picked, and their numbers asked for."""

from __future__ import annotations

from asyncio import gather

from bot.client import Interaction
from bot.cogs.roster import queries, service, trait_view
from bot.cogs.roster.embed import removed_line
from bot.cogs.roster.service import CountForm
from bot.cogs.roster.traits import counted_traits
from bot.errors import NotOpen
from bot.rolls.buttons import take_back_button
from bot.rolls.pending.linking import send_linked
from bot.ui.components import Component, ModalForm, component, modal, picked
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, ask, person, redraw, submitted


@component(trait_view.PICK)
async def pick(interaction: Interaction, *, campaign: int, subject: int, page: int, key: str) -> None:
    """Let somebody have what was picked in a select, and nothing else of it."""
    bot, chosen = interaction.client, set(picked(interaction)) - {trait_view.NONE}
    view = await bot.database.write(service.pick, bot.kernel, person(interaction), campaign, subject, key, chosen)
    await redraw(interaction, trait_view.draw(view, page))


@component(trait_view.COUNTS)
async def ask_counts(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int) -> None:
    """Ask for the numbers of traits."""
    bot = interaction.client
    view = await bot.database.read(queries.look, bot.kernel, person(interaction), campaign, subject)
    if not counted_traits(view.traits, view.profile.kind, chunk):
        raise NotOpen(*STALE)
    await ask(interaction, trait_view.count_modal(view, page, chunk))


@modal(trait_view.COUNTED)
async def count(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int, shown: str) -> None:
    """Take the numbers in."""
    bot, form = interaction.client, CountForm(chunk, shown.split(","), submitted(interaction))
    view = await bot.database.write(service.count, bot.kernel, person(interaction), campaign, subject, form)
    await redraw(interaction, trait_view.draw(view, page))


@component(trait_view.PAGE)
async def turn_page(interaction: Interaction, *, campaign: int, subject: int, page: int) -> None:
    """Show more of the traits."""
    bot = interaction.client
    view = await bot.database.read(queries.look, bot.kernel, person(interaction), campaign, subject)
    await redraw(interaction, trait_view.draw(view, page))


@component(trait_view.SEEN)
async def choose_who_sees(
    interaction: Interaction, *, campaign: int, subject: int, page: int, secret: int, newest: int
) -> None:
    """Let players see it, or the staff alone."""
    bot, seen = interaction.client, (campaign, subject, newest)
    who = person(interaction)
    view = await bot.database.write(service.show_to_players, bot.kernel, who, *seen, secret=bool(secret))
    await redraw(interaction, trait_view.draw(view, page))


@component(trait_view.REMOVE)
async def remove(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Remove somebody and say so."""
    bot = interaction.client
    asked = (person(interaction), campaign, subject, newest)
    item, entry, posts = await bot.database.write(service.remove, bot.kernel, *asked)
    buttons = [take_back_button(campaign, entry)]
    view = receipt(f"Removed: entry #{entry}", [removed_line(item)], buttons=buttons)
    await gather(send_linked(bot, posts), redraw(interaction, view))


COMPONENTS: tuple[Component, ...] = (pick, ask_counts, turn_page, choose_who_sees, remove)
MODALS: tuple[ModalForm, ...] = (count,)
