"""Orders arranged by game masters: held, given a priority; and the reasons for which tasks wait."""

from __future__ import annotations

from functools import partial

from discord import ui

from bot.core.records import Entry
from bot.orders import arranging, service
from bot.orders.ids import HOLD, RANK, OrderKey
from bot.orders.list_view import order_buttons
from bot.orders.service import SeenOrder
from bot.orders.words import order_line
from bot.ui.answering import committed
from bot.ui.colours import COLOURS
from bot.ui.components import Component, ModalForm, component, modal
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, ask, person, redraw, submitted, text_field

ROOM = 3000


@component(HOLD)
async def hold(interaction: AnyInteraction, *, campaign: int, subject: int, number: int, on: int) -> None:
    """Hold an order, or let it go."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number))
    seen, entry = await bot.database.write(partial(arranging.hold, on=bool(on)), *asked)
    line = "It stays unresolved until you press Resume." if on else "It's resolved with the other orders."
    await _show(interaction, seen, entry, "Order paused" if on else "Order resumed", line)


@component(RANK)
async def ask_rank(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Ask for the priority of an order."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), arranging.ARRANGING)
    await bot.database.read(service.led, *asked)
    form = ui.Modal(title="Priority", custom_id=RANK.fill(campaign=campaign, subject=subject, number=number))
    form.add_item(text_field("rank", "0 to 99, the lowest goes first", limit=2))
    await ask(interaction, form)


@modal(RANK)
async def give_rank(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Give an order the priority that was typed."""
    bot, typed = interaction.client, str(submitted(interaction).get("rank") or "")
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), typed)
    seen, entry = await bot.database.write(arranging.prefer, *asked)
    line = f"Priority {seen.order.rank}. The lowest goes first in its phase, and other orders meet it first."
    await _show(interaction, seen, entry, "Priority set", line)


async def _show(interaction: AnyInteraction, seen: SeenOrder, entry: Entry, done: str, line: str) -> None:
    title = f"{done}: entry #{entry.number}"
    committed(interaction, title)
    buttons = order_buttons(seen.campaign, seen.order, leads=True, own=seen.own)
    lines = [order_line(seen.known, seen.order), line]
    await redraw(interaction, receipt(title, lines, COLOURS["neutral"], buttons))


COMPONENTS: tuple[Component, ...] = (hold, ask_rank)
MODALS: tuple[ModalForm, ...] = (give_rank,)
