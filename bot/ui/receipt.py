"""Short messages: receipts, previews, lists, entries as plain lines, and what waits for a person."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

import discord
from discord import ui
from msgspec import Struct

from bot.core.ledger import EntryView, Mark, Pages
from bot.ui.parsing import MAX_CHOICE, MAX_CHOICES
from bot.ui.text import COLOURS, DOT, MAX_TITLE, Layout, fit_embeds, paginate, plain, shorten

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
        container.add_item(ui.ActionRow(select))
    for row in in_rows(buttons):
        container.add_item(ui.ActionRow(*row))
    return Layout(container)


def draw_preview(  # noqa: PLR0913, PLR0917 - the parts of a message
    title: str,
    about: str,
    lines: Iterable[str],
    buttons: Sequence[ui.Button[ui.LayoutView]],
    warning: str | None = None,
    selects: Iterable[ui.Select[ui.LayoutView]] = (),
) -> ui.LayoutView:
    """Return a message of what its buttons would do. `warning` says what changed since."""
    head = [f"## {title}", f"-# {about}", *([f"\N{WARNING SIGN} **{warning}**"] if warning else [])]
    text: ui.TextDisplay[ui.LayoutView] = ui.TextDisplay("\n".join([*head, *lines]))
    container: ui.Container[ui.LayoutView] = ui.Container(text, accent_colour=COLOURS["neutral"])
    if buttons:
        container.add_item(ui.Separator())
    for row in (*([select] for select in selects), *in_rows(buttons)):
        container.add_item(ui.ActionRow(*row))
    return Layout(container)


def in_rows(buttons: Sequence[ui.Button[ui.LayoutView]]) -> Iterator[Sequence[ui.Button[ui.LayoutView]]]:
    """Yield the buttons of each row."""
    return (buttons[start : start + IN_A_ROW] for start in range(0, len(buttons), IN_A_ROW))


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


def pickers(
    fill: Callable[..., str], placeholder: str, shown: Sequence[tuple[str, str, str]], most: int = IN_A_ROW
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield up to `most` selects; `fill` makes ids with each one's `_place`."""
    for place, start in enumerate(range(0, min(len(shown), most * MAX_CHOICES), MAX_CHOICES)):
        yield from picker(fill(_place=place), placeholder, shown[start : start + MAX_CHOICES])


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


FEW = 4
"""Things of a kind on a desk. As many buttons fit with those of all kinds."""

MANY = 50
"""Things of a kind that are counted for a desk; reading more is slow."""

NAMED, MAX_NAME = 3, 28
"""Things named in one line, and characters of each name."""

MAX_COMPONENTS, MAX_TEXT = 40, 4000

STAYS = 4711
"""The container's id in a message that stays: its buttons answer with new messages."""

Item = ui.Item[ui.LayoutView]
T = TypeVar("T")


class Todo(Struct, frozen=True):
    """Things that wait. `undone` says what a closing update leaves, `instead` are buttons to do it first."""

    title: str
    lines: Sequence[str]
    rows: Sequence[Sequence[Item]] = ()
    offered: bool = False
    heading: bool = False
    undone: str = ""
    instead: Sequence[ui.Button[ui.LayoutView]] = ()

    @property
    def text(self) -> str:
        """The title and lines as one text."""
        return "\n".join([f"### {self.title}" if self.heading else f"**{self.title}:**", *self.lines])

    @property
    def size(self) -> int:
        """How many components this takes in a message."""
        return 1 + sum(1 + len(row) for row in self.rows)


def count_first(things: Iterable[T]) -> tuple[list[T], int | None]:
    """Return the first things and their count, None beyond `MANY`. Reads no further."""
    first = list(islice(things, MANY + 1))
    return first, len(first) if len(first) <= MANY else None


def few(lines: Iterable[str], count: int | None, rest: str) -> list[str]:
    """Return the first lines, and how many more the command `rest` lists."""
    shown = list(islice(lines, FEW))
    if count == len(shown):
        return shown
    return [*shown, f"*and {'' if count is None else f'{count - len(shown)} '}more: `{rest}`*"]


def tally(count: int | None, what: str, names: Iterable[str]) -> str:
    """Count something and name the first: `4 open cards: Kilo, Lima, Mike ...`. `what` has `{s}` for the plural."""
    shown = [shorten(name, MAX_NAME) for name in islice(names, NAMED)]
    more = "" if count == len(shown) else " ..."
    how_many = "Many" if count is None else count
    return plain(f"{how_many} {what.format(s='' if count == 1 else 's')}: {', '.join(shown)}{more}")


def desk_views(todos: Iterable[Todo]) -> list[ui.LayoutView]:
    """Return what waits as messages that stay, within Discord's limits."""
    views: list[ui.LayoutView] = []
    for page in _list_pages(todos):
        container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"], id=STAYS)
        for todo in page:
            container.add_item(ui.TextDisplay(todo.text))
            for row in todo.rows:
                container.add_item(ui.ActionRow(*row))
        views.append(Layout(container))
    return views


def _list_pages(todos: Iterable[Todo]) -> Iterator[list[Todo]]:
    page: list[Todo] = []
    size, room = 1, MAX_TEXT
    for todo in todos:
        size, room = size + todo.size, room - len(todo.text)
        if page and (size > MAX_COMPONENTS or room < 0):
            yield page
            page, size, room = [], 1 + todo.size, MAX_TEXT - len(todo.text)
        page.append(todo)
    yield page


class NextStep(Struct, frozen=True):
    """A thing to do: its button's label and custom id, what it is for, and whether it is done."""

    label: str
    custom_id: str
    why: str
    done: bool
