"""An order in words: who does what to whom, and how it is arranged."""

from __future__ import annotations

from datetime import datetime

import discord

from bot.orders.kinds import KnownKind
from bot.orders.standing import StandingOrder
from bot.ui.text import listing, plain


def order_line(known: KnownKind, order: StandingOrder) -> str:
    """Return an order in one line: who does what to whom."""
    about = [plain(who.name) for who in (order.to, *order.beside) if who is not None]
    return f"**{plain(order.who.name)}**: {plain(known.kind.label)}" + (f", {listing(about)}" if about else "")


def locked_line(since: datetime) -> str:
    """Return since when players' orders are locked."""
    return f"Players' orders are locked since {discord.utils.format_dt(since, 't')}."


def arrangement(order: StandingOrder) -> str:
    """Return in a few words how game masters have arranged an order; empty where they have not."""
    notes = [*(["held"] if order.held else []), *([f"priority {order.rank}"] if order.rank else [])]
    return f", *{', '.join(notes)}*" if notes else ""
