"""Short messages: questions, receipts, lists to pick from, and entries of the ledger as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import discord
from discord import ui

from bot.core.entry_kinds import EntryView, Mark, Pages
from bot.ui.colours import COLOURS
from bot.ui.parsing import MAX_CHOICE
from bot.ui.text import DOT, MAX_TITLE, fit_embeds, paginate, shorten

IN_A_ROW = 5
"""The buttons that Discord takes in one row."""


def receipt(
    title: str,
    lines: Sequence[str],
    colour: int = COLOURS["success"],
    buttons: Sequence[ui.Button[ui.LayoutView]] = (),
    selects: Iterable[ui.Select[ui.LayoutView]] = (),
) -> ui.LayoutView:
    """Return the message that replaces a card, form or question that was answered; selects and buttons are the next steps."""
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=colour)
    container.add_item(ui.TextDisplay("\n".join([f"### {title}", *lines])))
    for select in selects:
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        container.add_item(row.add_item(select))
    for start in range(0, len(buttons), IN_A_ROW):
        container.add_item(ui.ActionRow(*buttons[start : start + IN_A_ROW]))
    return ui.LayoutView(timeout=None).add_item(container)


def draw_preview(
    title: str, about: str, lines: Iterable[str], buttons: Sequence[ui.Button[ui.LayoutView]], warning: str | None
) -> ui.LayoutView:
    """Return what the buttons below it would do; the `warning` says what has changed since it was looked at."""
    head = [f"## {title}", f"-# {about}", *([f"\N{WARNING SIGN} **{warning}**"] if warning else [])]
    text: ui.TextDisplay[ui.LayoutView] = ui.TextDisplay("\n".join([*head, *lines]))
    container: ui.Container[ui.LayoutView] = ui.Container(text, accent_colour=COLOURS["neutral"])
    if buttons:
        container.add_item(ui.Separator())
        container.add_item(ui.ActionRow(*buttons))
    return ui.LayoutView(timeout=None).add_item(container)


def picker(key: str, placeholder: str, shown: Iterable[tuple[str, str, str]]) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield the select under a list from which one of what is shown is picked, each with value, name and what it is about, as it is read."""
    options = [
        discord.SelectOption(
            label=shorten(name, MAX_CHOICE),
            value=value,
            description=shorten(about, MAX_CHOICE) or None,
        )
        for value, name, about in shown
    ]
    if options:
        yield ui.Select(custom_id=key, placeholder=placeholder, options=options)


def page_buttons(*pages: tuple[str, str | None]) -> list[ui.Button[ui.LayoutView]]:
    """Return the buttons to other pages, by what they are called; those without an id lead nowhere and do not stand there."""
    return [ui.Button(label=label, custom_id=key) for label, key in pages if key is not None]


STRIKE = "~~"
VOID, AMENDED = "Void: undone by #{by}", "Amended by #{by}"


def entry_footer(shown: EntryView, *more: str) -> str:
    """Return the number of an entry, as `/ledger show` takes it, and what else there is to say."""
    return DOT.join([f"#{shown.entry.number}", *more])


def strike_pages(pages: Pages, mark: Mark | None, link: str | None = None) -> Pages:
    """Return the messages of an entry struck through, with a `link` to the post of the entry that voided or amended it; unchanged without a mark."""
    return pages if mark is None else [_struck(page, mark, link) for page in pages]


def head_pages(pages: Pages, said: str | None) -> Pages:
    """Return the messages of an entry with what is said above each of them; as they are where that is nothing."""
    return pages if said is None else [[page[0].copy().set_author(name=said), *page[1:]] for page in pages]


def _struck(page: Sequence[discord.Embed], mark: Mark, link: str | None) -> list[discord.Embed]:
    embeds = [embed.copy() for embed in page]
    for embed in embeds:
        embed.colour = discord.Colour(COLOURS["failure"])
        if embed.title and len(embed.title) <= MAX_TITLE - 2 * len(STRIKE):
            embed.title = f"{STRIKE}{embed.title}{STRIKE}"
    embeds[0].set_author(name=(AMENDED if mark.amended else VOID).format(by=mark.by), url=link)
    return embeds


def plain_pages(shown: EntryView, title: str, lines: Iterable[str]) -> Pages:
    """Return the messages that show an entry line by line."""
    return paginate(fit_embeds(title, lines, colour=COLOURS["neutral"], footer=entry_footer(shown)))
