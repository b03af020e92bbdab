"""The answers to orders, and the buttons of one."""

from collections.abc import Sequence
from functools import partial

import discord
from discord import ButtonStyle, ui

from bot.core import campaigns
from bot.core.errors import BadInput, MissingInput, NotAsItIs, NotOpen
from bot.orders import arranging, entries, giving, kinds, listing, options, resolution, standing, task_rolls
from bot.orders.kinds import PlayedKind, describe_arrangement, note_line, order_line
from bot.outbox.queue import Post
from bot.rolls import receipts
from bot.rolls.entries import take_back_button
from bot.ui import answering, reply
from bot.ui.parsing import MAX_NAME, MAX_TEXT
from bot.ui.receipt import receipt
from bot.ui.reply import Component, ModalForm, component, modal, read_picked
from bot.ui.text import COLOURS, plain, shorten
from rules.errors import MissingValue
from rules.orders import OrderKind
from rules.subjects import name_key

MAX_TITLE = 45
MAX_NAMES = giving.MAX_BESIDE * (MAX_NAME + len(", "))


async def give(interaction: reply.AnyInteraction, campaign: int, asked: giving.AskedOrder) -> None:
    """Enter an order or pass; show its forecast or result, or ask for missing input."""
    bot = interaction.client
    if name_key(asked.kind) == name_key(options.PASSING):
        if asked.to or asked.beside or asked.note:
            raise BadInput("To pass, only say who.", "Leave out the other options.")
        await _pass_on(interaction, campaign, asked.who)
        return
    whose = (bot.resolver, reply.person(interaction), campaign, asked)
    try:
        given = await bot.database.write(task_rolls.give_order, *whose, _additions(interaction))
    except (MissingInput, MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        await _ask_missing(interaction, campaign, asked, missing)
    else:
        await _show_result(interaction, *given)


async def _ask_missing(
    interaction: reply.AnyInteraction, campaign: int, asked: giving.AskedOrder, missing: MissingInput | MissingValue
) -> None:
    bot = interaction.client
    kind = (await bot.database.read(options.find_played_kind, bot.library, campaign, asked.kind)).kind
    form = ui.Modal(title=shorten(kind.label, MAX_TITLE), custom_id=kinds.MISSING.fill(campaign=campaign, kind=kind.id))
    form.add_item(reply.text_field("who", kind.by.capitalize(), value=asked.who, limit=MAX_NAME))
    _add_fields(form, kind, (kind.beside or "").capitalize(), (asked.to, asked.beside, asked.note))
    form.add_item(ui.TextDisplay(plain(missing.what if isinstance(missing, MissingInput) else str(missing))))
    await reply.ask(interaction, form)


def _add_fields(
    form: ui.Modal, kind: OrderKind, others: str, values: tuple[str | None, str | None, str | None]
) -> None:
    to, beside, note = values
    if kind.to is not None:
        form.add_item(reply.text_field("to", kind.to.capitalize(), value=to, limit=MAX_NAME))
    if kind.beside is not None:
        form.add_item(reply.text_field("beside", others, value=beside, limit=MAX_NAMES, needed=False))
    form.add_item(reply.text_field("note", "Note for the game masters", value=note, limit=MAX_TEXT, needed=False))


@modal(kinds.MISSING)
async def _give_whole(interaction: reply.AnyInteraction, *, campaign: int, kind: str) -> None:
    typed = {name: str(value) or None for name, value in reply.read_submitted(interaction).items()}
    about = (typed.get("to"), typed.get("beside"), typed.get("note"))
    await give(interaction, campaign, giving.AskedOrder(kind, typed.get("who") or "", *about))


async def _show_result(
    interaction: reply.AnyInteraction, given: giving.GivenOrder, step: resolution.ResolutionStep | None
) -> None:
    if step is None or step.entry is None:
        await show_given(interaction, given)
        return
    whose = (reply.person(interaction), given.known, given.order, given.campaign)
    came = await interaction.client.database.read(listing.list_results, *whose)
    done = "cancelled" if step.entry.kind == entries.ORDER_ENTRY.name else "carried out"
    title = f"Order {done}: entry #{step.entry.number}"
    lines = [order_line(given.known, given.order), *map(plain, came), *given.addition.lines]
    await receipts.deliver(interaction, step.posts, partial(_show_done, interaction, given, title, lines), done=title)


async def _show_done(
    interaction: reply.AnyInteraction, given: giving.GivenOrder, title: str, lines: Sequence[str], sent: Sequence[Post]
) -> None:
    await reply.redraw(interaction, receipt(title, [*lines, *receipts.delivery_lines(given.campaign, sent)]))


async def show_given(interaction: reply.AnyInteraction, *given: giving.GivenOrder) -> None:
    """Show orders that were entered together."""
    title, campaign, bot = _title(given), given[0].campaign, interaction.client
    answering.note_done(interaction, title)
    if len(given) == 1:
        whose = (bot.library, reply.person(interaction), *given, _additions(interaction))
        (one,) = given = (await bot.database.read(giving.with_addition, *whose),)
        buttons = [*_own_buttons(campaign, one.order), *one.addition.buttons]
        view = receipt(title, [*giving.describe_given(given)], buttons=buttons)
    else:
        lines = [*giving.describe_given(given)]
        selects = listing.order_select(campaign, 0, [(item.order, item.known) for item in given])
        view = receipt(title, lines, selects=selects)
    await reply.redraw(interaction, view)


def _additions(interaction: reply.AnyInteraction) -> dict[str | None, giving.Add]:
    return {item.book: item.beside_order for item in interaction.client.features if item.beside_order is not None}


@component(kinds.PASS)
async def _pass_picked(interaction: reply.AnyInteraction, *, campaign: int) -> None:
    await _pass_on(interaction, campaign, next(iter(read_picked(interaction)), ""))


async def _pass_on(interaction: reply.AnyInteraction, campaign_id: int, who: str) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), campaign_id, who)
    campaign, entry, subject = await bot.database.write(arranging.pass_on, *asked)
    title = f"Passed: entry #{entry.number}"
    answering.note_done(interaction, title)
    lines = [f"{plain(subject.name)} does nothing more in this update.", "Changed your mind? Just give an order."]
    buttons = [take_back_button(campaign.id, entry.number)] if reply.person(interaction).leads(campaign) else []
    await reply.say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons))


@component(kinds.PICK)
async def _pick(interaction: reply.AnyInteraction, *, campaign: int, _place: int) -> None:
    subject, _, number = next(iter(read_picked(interaction)), "").partition(".")
    if not (subject.isdecimal() and number.isdecimal()):
        raise NotOpen(*reply.STALE)
    seen = await _find_standing(interaction, campaign, int(subject), int(number))
    buttons = _order_buttons(seen, leads=reply.person(interaction).leads(seen.campaign))
    lines = [order_line(seen.known, seen.order) + describe_arrangement(seen.order)]
    lines += [note_line(seen.note)] if seen.note else []
    title = f"Order: entry #{seen.order.entry}"
    await reply.say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons))


@component(kinds.CHANGE)
async def _ask_change(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    seen = await _find_standing(interaction, campaign, subject, number)
    known, order = seen.known, seen.order
    if not isinstance(known, PlayedKind):
        what = "The book of that order is switched off."
        raise NotAsItIs(what, "Cancel it, or switch the book on with /gm settings books.")
    key = kinds.CHANGE.fill(campaign=campaign, subject=subject, number=number)
    form = ui.Modal(title=shorten(f"{known.kind.label}: {order.who.name}", MAX_TITLE), custom_id=key)
    beside = ", ".join(who.name for who in order.beside) or None
    _add_fields(form, known.kind, "Who else", (order.to.name if order.to else None, beside, seen.note))
    await reply.ask(interaction, form)


@modal(kinds.CHANGE)
async def _change(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    seen = await _find_standing(interaction, campaign, subject, number)
    typed = {name: str(value) or None for name, value in reply.read_submitted(interaction).items()}
    asked = giving.AskedOrder(seen.known.kind.id, f"{seen.order.who.name} #{subject}", **typed, instead=number)
    await give(interaction, campaign, asked)


@component(kinds.WITHDRAW)
async def _withdraw(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number))
    gone, entry = await bot.database.write(arranging.withdraw, *asked)
    await _show_changed(interaction, gone, f"Order cancelled: entry #{entry.number}")


@component(kinds.REFUSE)
async def _ask_refusal(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number), arranging.REFUSING)
    seen = await bot.database.read(arranging.find_for_game_master, *asked)
    key, hint = kinds.REFUSE.fill(campaign=campaign, subject=subject, number=number), "The player sees this"
    about = order_line(seen.known, seen.order)
    await reply.ask(interaction, reply.reason_form(key, f"Refuse entry #{number}", about, placeholder=hint))


@modal(kinds.REFUSE)
async def _refuse(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot, reason = interaction.client, str(reply.read_submitted(interaction).get("reason") or "")
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number), reason)
    seen, entry = await bot.database.write(arranging.refuse, *asked)
    line = "The player sees your reason in `/order list`."
    await _show_changed(interaction, seen, f"Order refused: entry #{entry.number}", line)


async def _find_standing(
    interaction: reply.AnyInteraction, campaign: int, subject: int, number: int
) -> arranging.SeenOrder:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number))
    seen: arranging.SeenOrder = await bot.database.read(arranging.find_standing, *asked)
    return seen


def _own_buttons(campaign: campaigns.Campaign, order: standing.StandingOrder) -> list[ui.Button[ui.LayoutView]]:
    key = {"campaign": campaign.id, "subject": order.who.id, "number": order.entry}
    return [
        ui.Button(label="Change", custom_id=kinds.CHANGE.fill(**key)),
        ui.Button(label="Cancel order", custom_id=kinds.WITHDRAW.fill(**key)),
    ]


def _order_buttons(seen: arranging.SeenOrder, *, leads: bool) -> list[ui.Button[ui.LayoutView]]:
    order, buttons = seen.order, _own_buttons(seen.campaign, seen.order)
    if leads:
        key = {"campaign": seen.campaign.id, "subject": order.who.id, "number": order.entry}
        hold = kinds.HOLD.fill(**key, on=int(not order.held))
        buttons.append(ui.Button(label="Resume" if order.held else "Pause", custom_id=hold))
        buttons.append(ui.Button(label="Priority", custom_id=kinds.RANK.fill(**key)))
        refusal = ui.Button[ui.LayoutView](label="Refuse", style=ButtonStyle.danger, custom_id=kinds.REFUSE.fill(**key))
        buttons += [] if seen.own else [refusal]
    return buttons


def _title(given: Sequence[giving.GivenOrder]) -> str:
    if len(given) > 1:
        return f"Orders given: entries #{given[0].entry.number} to #{given[-1].entry.number}"
    (one,) = given
    return f"Order given: entry #{one.entry.number}" + (f", replaces #{one.before}" if one.before else "")


@component(kinds.HOLD)
async def hold(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int, on: int) -> None:
    """Pause or resume an order."""
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number))
    seen, entry = await bot.database.write(partial(arranging.set_held, on=bool(on)), *asked)
    line = "It stays unresolved until you press Resume." if on else "It's resolved with the other orders."
    title = f"Order {'paused' if on else 'resumed'}: entry #{entry.number}"
    await _show_changed(interaction, seen, title, line, buttons=_order_buttons(seen, leads=True))


@component(kinds.RANK)
async def _ask_rank(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot = interaction.client
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number), arranging.ARRANGING)
    await bot.database.read(arranging.find_for_game_master, *asked)
    form = ui.Modal(title="Priority", custom_id=kinds.RANK.fill(campaign=campaign, subject=subject, number=number))
    form.add_item(reply.text_field("rank", "0 to 99, the lowest goes first", limit=2))
    await reply.ask(interaction, form)


@modal(kinds.RANK)
async def _give_rank(interaction: reply.AnyInteraction, *, campaign: int, subject: int, number: int) -> None:
    bot, typed = interaction.client, str(reply.read_submitted(interaction).get("rank") or "")
    asked = (bot.resolver, reply.person(interaction), kinds.OrderKey(campaign, subject, number), typed)
    seen, entry = await bot.database.write(arranging.set_rank, *asked)
    line = f"Priority {seen.order.rank}. The lowest goes first in its phase, and other orders meet it first."
    title, buttons = f"Priority set: entry #{entry.number}", _order_buttons(seen, leads=True)
    await _show_changed(interaction, seen, title, line, buttons=buttons)


async def _show_changed(
    interaction: reply.AnyInteraction,
    seen: arranging.SeenOrder,
    title: str,
    *more: str,
    buttons: Sequence[ui.Button[ui.LayoutView]] = (),
) -> None:
    answering.note_done(interaction, title)
    lines = [order_line(seen.known, seen.order), *more]
    await reply.redraw(interaction, receipt(title, lines, COLOURS["neutral"], buttons))


COMPONENTS: tuple[Component | ModalForm, ...] = (
    _pick,
    _ask_change,
    _withdraw,
    _ask_refusal,
    hold,
    _ask_rank,
    _pass_picked,
    _give_whole,
    _change,
    _refuse,
    _give_rank,
)
