"""An order in words: who does what to whom, and how it is arranged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import discord

from bot.core.people import told
from bot.core.records import Entry
from bot.orders.kinds import CalledKind, KnownKind, either
from bot.orders.standing import StandingOrder
from bot.ui.text import listing, plain

EMPTY = "\n"
"""What begins a line that an empty one is to stand before."""

_CODE = re.compile(r" \(E_[A-Z_]+\)")

NAMED = 3
"""How many of those whom an order is about are named where many orders stand together."""


def order_line(known: CalledKind, order: StandingOrder, named: int | None = None) -> str:
    """Return an order in one line: who does what to whom; where a line has to be short, so many are `named` and the others counted."""
    about = [plain(who.name) for who in (order.to, *order.beside) if who is not None]
    left = len(about[named:]) if named else 0
    about = [*about[:named], f"{left} more"] if left else about
    return f"**{plain(order.who.name)}**: {plain(known.kind.label)}" + (f", {listing(about)}" if about else "")


def phase_line(known: CalledKind) -> str:
    """Return in which phase an order was or will be resolved; all that may take it as long as it may be passed on."""
    if isinstance(known, KnownKind) and known.phase.passes_on and not known.settled:
        return either(known.resolved_in)
    return known.phase.label


def note_line(note: str) -> str:
    """Return what whoever gave an order has to say about it."""
    return f"**Note:** {plain(note)}"


def lapse_reason(body: Mapping[str, Any]) -> str:
    """Return why nothing comes of an order; earlier versions wrote the code of a refusal behind its words."""
    return _CODE.sub("", body["why"])


def why_lapsed(made: Entry) -> str:
    """Return why nothing comes of an order, as the entry says it by which it lapsed."""
    reason = made.text("reason")
    return lapse_reason(told(made)) + (f": {reason}" if reason else "")


def locked_line(since: datetime) -> str:
    """Return since when players' orders are locked, with an empty line below."""
    return f"Players' orders have been locked since {discord.utils.format_dt(since, 't')}.\n"


def arrangement(order: StandingOrder) -> str:
    """Return in a few words how game masters have arranged an order; empty where they have not, and once it is done with."""
    if not order.unresolved:
        return ""
    notes = [*(["paused"] if order.held else []), *([f"priority {order.rank}"] if order.rank else [])]
    return f", *{', '.join(notes)}*" if notes else ""


def under_phases(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines, each with the label of its phase, under their phases, with an empty line before each but the first."""
    before: str | None = None
    for phase, line in lines:
        if phase != before:
            yield f"{'' if before is None else EMPTY}**{plain(phase)}**"
            before = phase
        yield line
