"""The answers to orders, and the buttons of one: change, cancel, refuse, pause, set its priority."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import discord
from discord import ui

from bot.core.records import Entry
from bot.errors import MissingInput, NotAsItIs, NotOpen
from bot.orders import giving, service
from bot.orders.giving import describe_given
from bot.orders.ids import CHANGE, HOLD, MISSING, PICK, RANK, REFUSE, WITHDRAW, OrderKey
from bot.orders.kinds import KnownKind, arrangement, note_line, order_line
from bot.orders.list_view import order_buttons, order_select, own_buttons, show_orders
from bot.orders.listing import list_results
from bot.orders.options import played_kind
from bot.orders.resolution import ResolutionStep
from bot.orders.service import AskedOrder, GivenOrder, SeenOrder
from bot.outbox.store import Post
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.answering import note_done
from bot.ui.colours import COLOURS
from bot.ui.components import Component, ModalForm, component, modal, read_picked
from bot.ui.parsing import MAX_NAME, MAX_TEXT
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, AnyInteraction, ask, person, read_submitted, reason_form, redraw, say, text_field
from bot.ui.text import plain, shorten
from rules.errors import MissingValue

MAX_TITLE = 45
OFF = "Cancel it, or switch the book on with /campaign edit books."
MAX_NAMES = service.MAX_BESIDE * (MAX_NAME + len(", "))


async def give(interaction: AnyInteraction, asked: AskedOrder) -> None:
    """Enter an order, and show what it comes to."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _give(interaction, campaign.id, asked)


async def _give(interaction: AnyInteraction, campaign: int, asked: AskedOrder) -> None:
    bot = interaction.client
    whose = (bot.resolver, person(interaction), campaign, asked)
    try:
        given = await bot.database.write(giving.give_order, *whose, _additions(interaction))
    except (MissingInput, MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        await _ask_missing(interaction, campaign, asked, missing)
    else:
        await _tell_given(interaction, *given)


async def _ask_missing(
    interaction: AnyInteraction, campaign: int, asked: AskedOrder, missing: MissingInput | MissingValue
) -> None:
    """Ask for what is missing in an order, in a window that keeps what was typed."""
    bot = interaction.client
    kind = (await bot.database.read(played_kind, bot.library, campaign, asked.kind)).kind
    form = ui.Modal(title=shorten(kind.label, MAX_TITLE), custom_id=MISSING.fill(campaign=campaign, kind=kind.id))
    form.add_item(text_field("who", kind.by.capitalize(), value=asked.who, limit=MAX_NAME))
    if kind.to is not None:
        form.add_item(text_field("to", kind.to.capitalize(), value=asked.to, limit=MAX_NAME))
    if kind.beside is not None:
        form.add_item(text_field("beside", kind.beside.capitalize(), value=asked.beside, limit=MAX_NAMES, needed=False))
    form.add_item(text_field("note", "Note for the game masters", value=asked.note, limit=MAX_TEXT, needed=False))
    form.add_item(ui.TextDisplay(plain(missing.what if isinstance(missing, MissingInput) else str(missing))))
    await ask(interaction, form)


@modal(MISSING)
async def give_whole(interaction: AnyInteraction, *, campaign: int, kind: str) -> None:
    """Give an order with what was missing."""
    typed = {name: str(value) or None for name, value in read_submitted(interaction).items()}
    about = (typed.get("to"), typed.get("beside"), typed.get("note"))
    await _give(interaction, campaign, AskedOrder(kind, typed.get("who") or "", *about))


async def _tell_given(interaction: AnyInteraction, given: GivenOrder, step: ResolutionStep | None) -> None:
    if step is None or step.entry is None:
        await show_given(interaction, given)
        return
    whose = (person(interaction), given.known, given.order, given.campaign)
    came = await interaction.client.database.read(list_results, *whose)
    title = (
        f"Order {'carried out' if step.entry.kind != service.ORDER_KIND else 'cancelled'}: entry #{step.entry.number}"
    )
    lines = [order_line(given.known, given.order), *map(plain, came), *given.addition.lines]
    await deliver(interaction, step.posts, partial(_show_done, interaction, given, title, lines), done=title)


async def _show_done(
    interaction: AnyInteraction, given: GivenOrder, title: str, lines: Sequence[str], sent: Sequence[Post]
) -> None:
    await redraw(interaction, receipt(title, [*lines, *delivery_lines(given.campaign, sent)]))


async def show_given(interaction: AnyInteraction, *given: GivenOrder) -> None:
    """Show what orders that were entered together come to, with what can be pressed about each."""
    title, campaign, bot = _title(given), given[0].campaign, interaction.client
    note_done(interaction, title)
    if len(given) == 1:
        whose = (bot.library, person(interaction), *given, _additions(interaction))
        (one,) = given = (await bot.database.read(giving.with_addition, *whose),)
        buttons = [*own_buttons(campaign, one.order), *one.addition.buttons]
        view = receipt(title, [*describe_given(given)], buttons=buttons)
    else:
        lines = [*describe_given(given)]
        selects = order_select(campaign, 0, [(item.order, item.known) for item in given])
        view = receipt(title, lines, selects=selects)
    await redraw(interaction, view)


def _additions(interaction: AnyInteraction) -> dict[str | None, giving.Add]:
    return {item.book: item.beside_order for item in interaction.client.features if item.beside_order is not None}


async def show_list(interaction: AnyInteraction, update: int | None) -> None:
    """List the orders that somebody may see, to pick one from; or those of an update (its number) that is closed."""
    await show_orders(interaction, await desk_of(interaction).campaign(interaction), update)


async def pass_on(interaction: AnyInteraction, who: str) -> None:
    """Enter that somebody passes."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    asked = (bot.resolver, person(interaction), campaign.id, who)
    _, entry, subject = await bot.database.write(service.pass_on, *asked)
    note_done(interaction, f"Passed: entry #{entry.number}")
    lines = [f"{plain(subject.name)} does nothing more in this update.", "Changed your mind? Just give an order."]
    buttons = [take_back_button(campaign.id, entry.number)] if person(interaction).leads(campaign) else []
    await say(interaction, view=receipt(f"Passed: entry #{entry.number}", lines, COLOURS["neutral"], buttons))


@component(PICK)
async def pick(interaction: AnyInteraction, *, campaign: int, _place: int) -> None:
    """Show the order that was picked from a list."""
    subject, _, number = next(iter(read_picked(interaction)), "").partition(".")
    if not (subject.isdecimal() and number.isdecimal()):
        raise NotOpen(*STALE)
    seen = await _standing(interaction, campaign, int(subject), int(number))
    buttons = order_buttons(seen.campaign, seen.order, leads=person(interaction).leads(seen.campaign), own=seen.own)
    lines, title = [order_line(seen.known, seen.order) + arrangement(seen.order)], f"Order: entry #{seen.order.entry}"
    lines += [note_line(seen.note)] if seen.note else []
    await say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons))


@component(CHANGE)
async def ask_change(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Ask what an order is changed to."""
    seen = await _standing(interaction, campaign, subject, number)
    known, order = seen.known, seen.order
    if not isinstance(known, KnownKind):
        raise NotAsItIs("The book of that order is switched off.", OFF)
    key = CHANGE.fill(campaign=campaign, subject=subject, number=number)
    form = ui.Modal(title=shorten(f"{known.kind.label}: {order.who.name}", MAX_TITLE), custom_id=key)
    if known.kind.to is not None:
        default = order.to.name if order.to else None
        form.add_item(text_field("to", known.kind.to.capitalize(), value=default, limit=MAX_NAME))
    if known.kind.beside is not None:
        default = ", ".join(who.name for who in order.beside) or None
        form.add_item(text_field("beside", "Who else", value=default, limit=MAX_NAMES, needed=False))
    form.add_item(text_field("note", "Note for the game masters", value=seen.note, limit=MAX_TEXT, needed=False))
    await ask(interaction, form)


@modal(CHANGE)
async def change(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Give an order anew in place of one that stands."""
    seen = await _standing(interaction, campaign, subject, number)
    typed = {name: str(value) or None for name, value in read_submitted(interaction).items()}
    asked = AskedOrder(seen.known.kind.id, f"{seen.order.who.name} #{subject}", **typed, instead=number)
    await _give(interaction, campaign, asked)


@component(WITHDRAW)
async def withdraw(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Withdraw an order."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number))
    gone, entry = await bot.database.write(service.withdraw, *asked)
    note_done(interaction, f"Order cancelled: entry #{entry.number}")
    lines = [order_line(gone.known, gone.order)]
    await redraw(interaction, receipt(f"Order cancelled: entry #{entry.number}", lines, COLOURS["neutral"]))


@component(REFUSE)
async def ask_refusal(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Ask why an order is refused."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), service.REFUSING)
    seen = await bot.database.read(service.find_for_game_master, *asked)
    key, about = REFUSE.fill(campaign=campaign, subject=subject, number=number), order_line(seen.known, seen.order)
    hint = "The player sees this"
    await ask(interaction, reason_form(key, f"Refuse entry #{number}", about, placeholder=hint))


@modal(REFUSE)
async def refuse(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Refuse an order with the reason that was typed."""
    bot, reason = interaction.client, str(read_submitted(interaction).get("reason") or "")
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), reason)
    seen, entry = await bot.database.write(service.refuse, *asked)
    title = f"Order refused: entry #{entry.number}"
    note_done(interaction, title)
    lines = [order_line(seen.known, seen.order), "The player sees your reason in `/order list`."]
    await redraw(interaction, receipt(title, lines, COLOURS["neutral"]))


async def _standing(interaction: AnyInteraction, campaign: int, subject: int, number: int) -> SeenOrder:
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number))
    seen: SeenOrder = await bot.database.read(service.find_standing, *asked)
    return seen


def _title(given: Sequence[GivenOrder]) -> str:
    if len(given) > 1:
        return f"Orders given: entries #{given[0].entry.number} to #{given[-1].entry.number}"
    (one,) = given
    return f"Order given: entry #{one.entry.number}" + (f", replaces #{one.before}" if one.before else "")


ROOM = 3000


@component(HOLD)
async def hold(interaction: AnyInteraction, *, campaign: int, subject: int, number: int, on: int) -> None:
    """Hold an order, or let it go."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number))
    seen, entry = await bot.database.write(partial(giving.set_held, on=bool(on)), *asked)
    line = "It stays unresolved until you press Resume." if on else "It's resolved with the other orders."
    await _show(interaction, seen, entry, "Order paused" if on else "Order resumed", line)


@component(RANK)
async def ask_rank(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Ask for the priority of an order."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), giving.ARRANGING)
    await bot.database.read(service.find_for_game_master, *asked)
    form = ui.Modal(title="Priority", custom_id=RANK.fill(campaign=campaign, subject=subject, number=number))
    form.add_item(text_field("rank", "0 to 99, the lowest goes first", limit=2))
    await ask(interaction, form)


@modal(RANK)
async def give_rank(interaction: AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    """Give an order the priority that was typed."""
    bot, typed = interaction.client, str(read_submitted(interaction).get("rank") or "")
    asked = (bot.resolver, person(interaction), OrderKey(campaign, subject, number), typed)
    seen, entry = await bot.database.write(giving.set_rank, *asked)
    line = f"Priority {seen.order.rank}. The lowest goes first in its phase, and other orders meet it first."
    await _show(interaction, seen, entry, "Priority set", line)


async def _show(interaction: AnyInteraction, seen: SeenOrder, entry: Entry, done: str, line: str) -> None:
    title = f"{done}: entry #{entry.number}"
    note_done(interaction, title)
    buttons = order_buttons(seen.campaign, seen.order, leads=True, own=seen.own)
    lines = [order_line(seen.known, seen.order), line]
    await redraw(interaction, receipt(title, lines, COLOURS["neutral"], buttons))


COMPONENTS: tuple[Component, ...] = (pick, ask_change, withdraw, ask_refusal, hold, ask_rank)
MODALS: tuple[ModalForm, ...] = (give_whole, change, refuse, give_rank)
