"""An entry of the ledger as one line of a list."""

from __future__ import annotations

import discord

from bot.core.entry_kinds import EntryKinds, EntryView, View
from bot.schedules.store import SCHEDULE


def entry_line(kinds: EntryKinds, shown: EntryView, view: View, *, who: int | None) -> str:
    """Return one line for a list: number, when, what, by whom, and what has voided it."""
    entry = shown.entry
    stamp = discord.utils.format_dt(entry.at, "d")
    nobody = "by the bot's host" if entry.kind == "campaign" else "by schedule"
    by = "" if who is None else f" \N{MIDDLE DOT} {nobody if who == SCHEDULE else f'<@{who}>'}"
    mark = shown.voided
    how = "" if mark is None else f"amended by #{mark.by}" if mark.amended else f"void by #{mark.by}"
    void = f" \N{MIDDLE DOT} *{how}*" if how else ""
    return f"**#{entry.number}** {stamp} {kinds.sentence(entry, view)}{by}{void}"
