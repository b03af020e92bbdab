"""Entries of the ledger as plain messages: title, lines, and a footer with the number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import discord

from bot.core.entry_kinds import EntryView, Mark, Pages
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT

STRIKE = "~~"
VOID, AMENDED = "Void: undone by #{by}", "Amended by #{by}"


def entry_footer(shown: EntryView, *more: str) -> str:
    """Return the number of an entry, as `/ledger show` takes it, and what else there is to say."""
    return DOT.join([f"#{shown.entry.number}", *more])


def struck(pages: Pages, mark: Mark | None, link: str | None = None) -> Pages:
    """Return the messages of an entry struck through, with a `link` to the post of the entry that voided or amended it; unchanged without a mark."""
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
