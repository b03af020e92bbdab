"""Entries of the ledger as plain messages: a title, lines, and the footer with their number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

from bot.core.entry_kinds import EntryView, Mark, Pages
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT

HASH_DIGITS = 8
STRIKE = "~~"
VOID, AMENDED = "Void: taken back by entry #{by}", "Amended: entry #{by} stands in its place"


def hash_digits(entry_hash: str) -> str:
    """Return as much of an entry's hash as posts show: whoever has seen it can tell whether the entry is still the same."""
    return entry_hash[:HASH_DIGITS]


def entry_footer(shown: EntryView, *more: str) -> str:
    """Return the number of an entry, its campaign, the first digits of its hash, and what else there is to say."""
    return DOT.join([f"Entry #{shown.entry.number}", shown.campaign, hash_digits(shown.entry.hash), *more])


def struck(pages: Pages, mark: Mark | None, link: str | None = None) -> Pages:
    """Return the messages of an entry struck through, with the entry that took it back or amended it; as they are without one.

    `link` leads to where that entry was posted.
    """
    return pages if mark is None else [_struck(page, mark, link) for page in pages]


def headed(pages: Pages, said: str | None) -> Pages:
    """Return the messages of an entry with what is said above each of them; as they are where that is nothing."""
    return pages if said is None else [[page[0].copy().set_author(name=said), *page[1:]] for page in pages]


def _struck(page: Sequence[discord.Embed], mark: Mark, link: str | None) -> list[discord.Embed]:
    embeds = [embed.copy() for embed in page]
    for embed in embeds:
        embed.colour = discord.Colour(COLOURS["failure"])
        if embed.title and len(embed.title) <= paging.MAX_TITLE - 2 * len(STRIKE):
            embed.title = f"{STRIKE}{embed.title}{STRIKE}"
    embeds[0].set_author(name=(AMENDED if mark.amended else VOID).format(by=mark.by), url=link)
    return embeds


def plain_pages(shown: EntryView, title: str, lines: Iterable[str]) -> Pages:
    """Return the messages that show an entry line by line."""
    return paging.pages(paging.fit(title, lines, colour=COLOURS["neutral"], footer=entry_footer(shown)))
