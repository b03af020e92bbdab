"""Short messages: receipts, previews, lists to pick from, and entries as plain lines."""

from collections.abc import Iterable, Iterator, Sequence

import discord
from discord import ui

from bot.core.ledger import EntryView, Mark, Pages
from bot.ui.parsing import MAX_CHOICE
from bot.ui.text import COLOURS, DOT, MAX_TITLE, fit_embeds, paginate, shorten

IN_A_ROW = 5


def receipt(
    title: str,
    lines: Sequence[str],
    colour: int = COLOURS["success"],
    buttons: Sequence[ui.Button[ui.LayoutView]] = (),
    selects: Iterable[ui.Select[ui.LayoutView]] = (),
) -> ui.LayoutView:
    """Return the message that replaces an answered card, form or question."""
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
    """Return a message of what its buttons would do. `warning` says what changed since."""
    head = [f"## {title}", f"-# {about}", *([f"\N{WARNING SIGN} **{warning}**"] if warning else [])]
    text: ui.TextDisplay[ui.LayoutView] = ui.TextDisplay("\n".join([*head, *lines]))
    container: ui.Container[ui.LayoutView] = ui.Container(text, accent_colour=COLOURS["neutral"])
    if buttons:
        container.add_item(ui.Separator())
        container.add_item(ui.ActionRow(*buttons))
    return ui.LayoutView(timeout=None).add_item(container)


def picker(key: str, placeholder: str, shown: Iterable[tuple[str, str, str]]) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield a select of (value, name, about), unless there is nothing to pick."""
    options = [
        discord.SelectOption(
            label=shorten(name, MAX_CHOICE), value=value, description=shorten(about, MAX_CHOICE) or None
        )
        for value, name, about in shown
    ]
    if options:
        yield ui.Select(custom_id=key, placeholder=placeholder, options=options)


def page_buttons(*pages: tuple[str, str | None]) -> list[ui.Button[ui.LayoutView]]:
    """Return a button for each (label, custom id); those without an id are left out."""
    return [ui.Button(label=label, custom_id=key) for label, key in pages if key is not None]


STRIKE = "~~"
VOID, AMENDED = "Void: undone by #{by}", "Amended by #{by}"


def entry_footer(shown: EntryView, *more: str) -> str:
    """Return an entry's number and what else there is to say."""
    return DOT.join([f"#{shown.entry.number}", *more])


def strike_pages(pages: Pages, mark: Mark | None, link: str | None = None) -> Pages:
    """Return an entry's messages, struck through if it has a `mark`; `link` leads to what replaced it."""
    return pages if mark is None else [_strike(page, mark, link) for page in pages]


def head_pages(pages: Pages, said: str | None) -> Pages:
    """Add a line above each message; nothing if None."""
    return pages if said is None else [[page[0].copy().set_author(name=said), *page[1:]] for page in pages]


def _strike(page: Sequence[discord.Embed], mark: Mark, link: str | None) -> list[discord.Embed]:
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
