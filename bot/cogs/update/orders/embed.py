"""Orders as they are shown to whoever gave them and to the staff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

import discord

from bot.cogs.update.orders.kinds import KnownKind
from bot.cogs.update.orders.listing import OrderList
from bot.cogs.update.orders.service import GivenOrder
from bot.cogs.update.orders.standing import StandingOrder
from bot.core.entry_kinds import Pages
from bot.rolls.embed import consequences_text
from bot.rolls.preview import Preview
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import bar, listing, percent, plain
from rules.procedure import Chance

SEALED = "-# Sealed: only you and the game masters see it until the update is resolved."
MAX_CHANCES = 8


def order_line(known: KnownKind, order: StandingOrder) -> str:
    """Return an order in one line: who does what to whom."""
    about = [plain(who.name) for who in (order.to, *order.beside) if who is not None]
    return f"**{plain(order.who.name)}**: {plain(known.kind.label)}" + (f", {listing(about)}" if about else "")


def given_lines(given: GivenOrder) -> Iterator[str]:
    """Yield what was ordered, when it is resolved, what it lays, and its odds as far as whoever gave it may know."""
    yield order_line(given.known, given.order)
    yield f"Resolved in the phase **{plain(given.known.phase.label)}**."
    note = given.entry.text("note")
    if note:
        yield f"**Note:** {plain(note)}"
    for preview in given.previews:
        yield from _comes_to(preview)
    yield SEALED


def _comes_to(preview: Preview) -> Iterator[str]:
    """Yield what is laid for the day, or the odds of a roll."""
    rolled = [part for part in preview.parts if part.stages]
    for part in preview.parts[: len(preview.parts) if not rolled else 0]:
        for chance in part.odds:
            laid = consequences_text(chance.conclusion.consequences, part.part.subjects, part.book.deeds)
            yield (
                f"{laid or plain(chance.conclusion.text)}, until the update ends."
                if laid
                else plain(chance.conclusion.text)
            )
    for part in rolled:
        yield "**As things stand, as far as you know:**"
        yield from map(_chance, _likeliest(part.odds))


def _likeliest(odds: Sequence[Chance]) -> Sequence[Chance]:
    return sorted(odds, key=attrgetter("chance"), reverse=True)[:MAX_CHANCES]


def _chance(item: Chance) -> str:
    return f"`{bar(item.chance)}` **{percent(item.chance)}** {plain(item.conclusion.text)}"


def list_pages(found: OrderList) -> Pages:
    """Return the orders that a person sees, phase by phase."""
    lines: list[str] = []
    phase = ""
    for order, known, came in found.orders:
        if known.phase.label != phase:
            phase = known.phase.label
            lines.append(f"**{plain(phase)}**")
        lines.append(f"\N{BULLET} {order_line(known, order)} (entry #{order.entry})")
        lines += [f"-# {plain(line)}" for line in came]
    if found.passed:
        lines.append(f"**Passed:** {listing([plain(name) for name in found.passed])}")
    lines = lines or ["No orders yet. Give one with `/order give`."]
    title = f"Orders: {plain(found.update)}"
    return paging.pages(paging.fit(title, lines, colour=COLOURS["neutral"], footer=found.campaign.name))


def withdrawn_embed(given: GivenOrder) -> discord.Embed:
    """Return what is told of an order that was withdrawn."""
    text = f"{order_line(given.known, given.order)}: withdrawn."
    return discord.Embed(title="Order withdrawn", description=text, colour=COLOURS["neutral"])
