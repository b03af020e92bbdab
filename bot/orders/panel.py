"""The answers to orders, and the buttons of one."""

from collections.abc import Sequence
from functools import partial

import discord
from discord import ButtonStyle, ui

from bot.core.campaigns import Campaign
from bot.core.errors import MissingInput, NotAsItIs, NotOpen
from bot.core.records import Entry
from bot.orders import giving, ids, service
from bot.orders.kinds import PlayedKind, describe_arrangement, note_line, order_line
from bot.orders.listing import list_results, order_select, show_orders
from bot.orders.options import find_played_kind
from bot.orders.resolution import ResolutionStep
from bot.orders.standing import StandingOrder
from bot.outbox.queue import Post
from bot.rolls.desk import desk_of
from bot.rolls.entries import take_back_button
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui import reply
from bot.ui.answering import note_done
from bot.ui.parsing import MAX_NAME, MAX_TEXT
from bot.ui.receipt import receipt
from bot.ui.reply import Component, ModalForm, component, modal, read_picked
from bot.ui.text import COLOURS, plain, shorten
from rules.errors import MissingValue

MAX_TITLE = 45
OFF = "Cancel it, or switch the book on with /campaign edit books."
MAX_NAMES = service.MAX_BESIDE * (MAX_NAME + len(", "))


async def give(interaction: reply.AnyInteraction, asked: service.AskedOrder) -> None:
    """Enter an order, and show its forecast or result, or ask for missing input."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _give(interaction, campaign.id, asked)


async def _give(interaction: reply.AnyInteraction, campaign: int, asked: service.AskedOrder) -> None:
    bot = interaction.client
    whose = (bot.resolver, reply.person(interaction), campaign, asked)
    try:
        given = await bot.database.write(giving.give_order, *whose, _additions(interaction))
    except (MissingInput, MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        await _ask_missing(interaction, campaign, asked, missing)
    else:
        await _show_result(interaction, *given)


async def _ask_missing(
    interaction: reply.AnyInteraction, campaign: int, asked: service.AskedOrder, missing: MissingInput | MissingValue
) -> None:
    bot = interaction.client
    kind = (await bot.database.read(find_played_kind, bot.library, campaign, asked.kind)).kind
    form = ui.Modal(title=shorten(kind.label, MAX_TITLE), custom_id=ids.MISSING.fill(campaign=campaign, kind=kind.id))
    form.add_item(reply.text_field("who", kind.by.capitalize(), value=asked.who, limit=MAX_NAME))
    if kind.to is not None:
        form.add_item(reply.text_field("to", kind.to.capitalize(), value=asked.to, limit=MAX_NAME))
    if kind.beside is not None:
        form.add_item(
            reply.text_field("beside", kind.beside.capitalize(), value=asked.beside, limit=MAX_NAMES, needed=False)
        )
    form.add_item(reply.text_field("note", "Note for the game masters", value=asked.note, limit=MAX_TEXT, needed=False))
    form.add_item(ui.TextDisplay(plain(missing.what if isinstance(missing, MissingInput) else str(missing))))
    await reply.ask(interaction, form)


@modal(ids.MISSING)
async def _give_whole(interaction: reply.AnyInteraction, *, campaign: int, kind: str) -> None:
    typed = {name: str(value) or None for name, value in reply.read_submitted(interaction).items()}
    about = (typed.get("to"), typed.get("beside"), typed.get("note"))
    await _give(interaction, campaign, service.AskedOrder(kind, typed.get("who") or "", *about))


async def _show_result(
    interaction: reply.AnyInteraction, given: service.GivenOrder, step: ResolutionStep | None
) -> None:
    if step is None or step.entry is None:
        await show_given(interaction, given)
        return
    whose = (reply.person(interaction), given.known, given.order, given.campaign)
    came = await interaction.client.database.read(list_results, *whose)
    done = "cancelled" if step.entry.kind == service.ORDER_KIND else "carried out"
    title = f"Order {done}: entry #{step.entry.number}"
    lines = [order_line(given.known, given.order), *map(plain, came), *given.addition.lines]
    await deliver(interaction, step.posts, partial(_show_done, interaction, given, title, lines), done=title)


async def _show_done(
    interaction: reply.AnyInteraction, given: service.GivenOrder, title: str, lines: Sequence[str], sent: Sequence[Post]
) -> None:
    await reply.redraw(interaction, receipt(title, [*lines, *delivery_lines(given.campaign, sent)]))


async def show_given(interaction: reply.AnyInteraction, *given: service.GivenOrder) -> None:
    """Show orders that were entered together."""
    title, campaign, bot = _title(given), given[0].campaign, interaction.client
    note_done(interaction, title)
    if len(given) == 1:
        whose = (bot.library, reply.person(interaction), *given, _additions(interaction))
        (one,) = given = (await bot.database.read(giving.with_addition, *whose),)
        buttons = [*_own_buttons(campaign, one.order), *one.addition.buttons]
        view = receipt(title, [*giving.describe_given(given)], buttons=buttons)
    else:
        lines = [*giving.describe_given(given)]
        selects = order_select(campaign, 0, [(item.order, item.known) for item in given])
        view = receipt(title, lines, selects=selects)
    await reply.redraw(interaction, view)


def _additions(interaction: reply.AnyInteraction) -> dict[str | None, giving.Add]:
    return {item.book: item.beside_order for item in interaction.client.features if item.beside_order is not None}


async def show_list(interaction: reply.AnyInteraction, update: int | None) -> None:
    """List the person's orders, or a closed update's."""
    await show_orders(interaction, await desk_of(interaction).campaign(interaction), update)


async def pass_on(interaction: reply.AnyInteraction, who: str) -> None:
    """Enter that a character or unit passes, and show it."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    asked = (bot.resolver, reply.person(interaction), campaign.id, who)
    _, entry, subject = await bot.database.write(service.pass_on, *asked)
    note_done(interaction, f"Passed: entry #{entry.number}")
    lines = [f"{plain(subject.name)} does nothing more in this update.", "Changed your mind? Just give an order."]
    buttons = [take_back_button(campaign.id, entry.number)] if reply.person(interaction).leads(campaign) else []
    await reply.say(interaction, view=receipt(f"Passed: entry #{entry.number}", lines, COLOURS["neutral"], buttons))


@component(ids.PICK)
async def _pick(interaction: reply.AnyInteraction, *, campaign: int, _place: int) -> None:
    subject, _, number = next(iter(read_picked(interaction)), "").partition(".")
    if not (subject.isdecimal() and number.isdecimal()):
        raise NotOpen(*reply.STALE)
    seen = await _find_standing(interaction, campaign, int(subject), int(number))
    buttons = _order_buttons(
        seen.campaign, seen.order, leads=reply.person(interaction).leads(seen.campaign), own=seen.own
    )
    lines, title = (
        [order_line(seen.known, seen.order) + describe_arrangement(seen.order)],
        f"Order: entry #{seen.order.entry}",
    )
    lines += [note_line(seen.note)] if seen.note else []
    await reply.say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons))


@component(ids.CHANGE)
async def _ask_change(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    seen = await _find_standing(interaction, campaign, subject, number)
    known, order = seen.known, seen.order
    if not isinstance(known, PlayedKind):
        raise NotAsItIs("The book of that order is switched off.", OFF)
    key = ids.CHANGE.fill(campaign=campaign, subject=subject, number=number)
    form = ui.Modal(title=shorten(f"{known.kind.label}: {order.who.name}", MAX_TITLE), custom_id=key)
    if known.kind.to is not None:
        default = order.to.name if order.to else None
        form.add_item(reply.text_field("to", known.kind.to.capitalize(), value=default, limit=MAX_NAME))
    if known.kind.beside is not None:
        default = ", ".join(who.name for who in order.beside) or None
        form.add_item(reply.text_field("beside", "Who else", value=default, limit=MAX_NAMES, needed=False))
    form.add_item(reply.text_field("note", "Note for the game masters", value=seen.note, limit=MAX_TEXT, needed=False))
    await reply.ask(interaction, form)


@modal(ids.CHANGE)
async def _change(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    seen = await _find_standing(interaction, campaign, subject, number)
    typed = {name: str(value) or None for name, value in reply.read_submitted(interaction).items()}
    asked = service.AskedOrder(seen.known.kind.id, f"{seen.order.who.name} #{subject}", **typed, instead=number)
    await _give(interaction, campaign, asked)


@component(ids.WITHDRAW)
async def _withdraw(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number))
    gone, entry = await bot.database.write(service.withdraw, *asked)
    note_done(interaction, f"Order cancelled: entry #{entry.number}")
    lines = [order_line(gone.known, gone.order)]
    await reply.redraw(interaction, receipt(f"Order cancelled: entry #{entry.number}", lines, COLOURS["neutral"]))


@component(ids.REFUSE)
async def _ask_refusal(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number), service.REFUSING)
    seen = await bot.database.read(service.find_for_game_master, *asked)
    key, about = ids.REFUSE.fill(campaign=campaign, subject=subject, number=number), order_line(seen.known, seen.order)
    hint = "The player sees this"
    await reply.ask(interaction, reply.reason_form(key, f"Refuse entry #{number}", about, placeholder=hint))


@modal(ids.REFUSE)
async def _refuse(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot, reason = interaction.client, str(reply.read_submitted(interaction).get("reason") or "")
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number), reason)
    seen, entry = await bot.database.write(service.refuse, *asked)
    title = f"Order refused: entry #{entry.number}"
    note_done(interaction, title)
    lines = [order_line(seen.known, seen.order), "The player sees your reason in `/order list`."]
    await reply.redraw(interaction, receipt(title, lines, COLOURS["neutral"]))


async def _find_standing(
    interaction: reply.AnyInteraction, campaign: int, subject: int, number: int
) -> service.SeenOrder:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number))
    seen: service.SeenOrder = await bot.database.read(service.find_standing, *asked)
    return seen


def _own_buttons(campaign: Campaign, order: StandingOrder) -> list[ui.Button[ui.LayoutView]]:
    key = {"campaign": campaign.id, "subject": order.who.id, "number": order.entry}
    return [
        ui.Button(label="Change", custom_id=ids.CHANGE.fill(**key)),
        ui.Button(label="Cancel order", custom_id=ids.WITHDRAW.fill(**key)),
    ]


def _order_buttons(
    campaign: Campaign, order: StandingOrder, *, leads: bool, own: bool
) -> list[ui.Button[ui.LayoutView]]:
    buttons = _own_buttons(campaign, order)
    if leads:
        key = {"campaign": campaign.id, "subject": order.who.id, "number": order.entry}
        hold = ids.HOLD.fill(**key, on=int(not order.held))
        buttons.append(ui.Button(label="Resume" if order.held else "Pause", custom_id=hold))
        buttons.append(ui.Button(label="Priority", custom_id=ids.RANK.fill(**key)))
        refusal = ui.Button[ui.LayoutView](label="Refuse", style=ButtonStyle.danger, custom_id=ids.REFUSE.fill(**key))
        buttons += [] if own else [refusal]
    return buttons


def _title(given: Sequence[service.GivenOrder]) -> str:
    if len(given) > 1:
        return f"Orders given: entries #{given[0].entry.number} to #{given[-1].entry.number}"
    (one,) = given
    return f"Order given: entry #{one.entry.number}" + (f", replaces #{one.before}" if one.before else "")


@component(ids.HOLD)
async def hold(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int, on: int) -> None:
    """Pause or resume an order."""
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number))
    seen, entry = await bot.database.write(partial(giving.set_held, on=bool(on)), *asked)
    line = "It stays unresolved until you press Resume." if on else "It's resolved with the other orders."
    await _show(interaction, seen, entry, "Order paused" if on else "Order resumed", line)


@component(ids.RANK)
async def _ask_rank(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number), giving.ARRANGING)
    await bot.database.read(service.find_for_game_master, *asked)
    form = ui.Modal(title="Priority", custom_id=ids.RANK.fill(campaign=campaign, subject=subject, number=number))
    form.add_item(reply.text_field("rank", "0 to 99, the lowest goes first", limit=2))
    await reply.ask(interaction, form)


@modal(ids.RANK)
async def _give_rank(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot, typed = interaction.client, str(reply.read_submitted(interaction).get("rank") or "")
    asked = (bot.resolver, reply.person(interaction), ids.OrderKey(campaign, subject, number), typed)
    seen, entry = await bot.database.write(giving.set_rank, *asked)
    line = f"Priority {seen.order.rank}. The lowest goes first in its phase, and other orders meet it first."
    await _show(interaction, seen, entry, "Priority set", line)


async def _show(interaction: reply.AnyInteraction, seen: service.SeenOrder, entry: Entry, done: str, line: str) -> None:
    title = f"{done}: entry #{entry.number}"
    note_done(interaction, title)
    buttons = _order_buttons(seen.campaign, seen.order, leads=True, own=seen.own)
    lines = [order_line(seen.known, seen.order), line]
    await reply.redraw(interaction, receipt(title, lines, COLOURS["neutral"], buttons))


COMPONENTS: tuple[Component, ...] = (_pick, _ask_change, _withdraw, _ask_refusal, hold, _ask_rank)
MODALS: tuple[ModalForm, ...] = (_give_whole, _change, _refuse, _give_rank)
