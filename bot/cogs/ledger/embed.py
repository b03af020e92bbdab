"""An entry of the ledger as one line of a list."""

from __future__ import annotations

import discord

from bot.core.entry_kinds import EntryKinds, EntryView, View
from bot.schedules.store import SCHEDULE


def entry_line(kinds: EntryKinds, shown: EntryView, view: View, *, who: int | None) -> str:
    """Return one line for a list: number, when, what, by whom, and what has voided it."""
    entry = shown.entry
    stamp = discord.utils.format_dt(entry.at, "d")
    by = "" if who is None else f" \N{MIDDLE DOT} {'by schedule' if who == SCHEDULE else f'<@{who}>'}"
    void = f" \N{MIDDLE DOT} *void by #{shown.voided}*" if shown.voided is not None else ""
    return f"**#{entry.number}** {stamp} {kinds.sentence(entry, view)}{by}{void}"
