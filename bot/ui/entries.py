"""Entries of the ledger as plain messages: a title, lines, and the footer with their number."""

from __future__ import annotations

from collections.abc import Iterable

from bot.core.entry_kinds import EntryView, Pages
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT


def entry_footer(shown: EntryView) -> str:
    """Return the number of an entry and its campaign."""
    return f"Entry #{shown.entry.number}{DOT}{shown.campaign}"


def plain_pages(shown: EntryView, title: str, lines: Iterable[str]) -> Pages:
    """Return the messages that show an entry line by line."""
    return paging.pages(paging.fit(title, lines, colour=COLOURS["neutral"], footer=entry_footer(shown)))
