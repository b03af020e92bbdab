"""The desk of the week: what waits for a person, as short lines with what can be pressed about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from discord import ui
from msgspec import Struct

from bot.ui.colours import COLOURS
from bot.ui.text import plain, shorten

FEW = 4
"""How many things of a kind stand on a desk; buttons for as many fit beside those of all other kinds."""

MANY = 50
"""As many things of a kind are counted for a desk: what there is beyond costs nothing to leave out, and much to read."""

NAMED, MAX_NAME = 3, 28
"""How many things of a kind are named in one line, and with how many characters each."""

MAX_COMPONENTS, MAX_TEXT = 40, 4000
"""What Discord takes in one message."""

STAYS = 4711
"""The id of the container of a message that stays: what its buttons show comes as a new message."""

Item = ui.Item[ui.LayoutView]
T = TypeVar("T")


class Todo(Struct, frozen=True):
    """Things of one kind that wait: what they are called, a line for each, and rows of buttons or selects.

    A `heading` is what the whole desk is called. What is `offered` is done anew in each update, and stands under the answer to the closing of the one before.
    `undone` says in one line what of it is still to be done when the update closes; empty for what a closing does not leave behind.
    `instead` are buttons that do that: they stand first under the question whether to close.
    """

    title: str
    lines: Sequence[str]
    rows: Sequence[Sequence[Item]] = ()
    offered: bool = False
    heading: bool = False
    undone: str = ""
    instead: Sequence[ui.Button[ui.LayoutView]] = ()

    @property
    def text(self) -> str:
        """Title and lines."""
        return "\n".join([f"### {self.title}" if self.heading else f"**{self.title}:**", *self.lines])

    @property
    def size(self) -> int:
        """How many components it is."""
        return 1 + sum(1 + len(row) for row in self.rows)


def count_first(things: Iterable[T]) -> tuple[list[T], int | None]:
    """Return the first of these things and how many there are, None for more than `MANY`; no more than that are asked for."""
    first = list(islice(things, MANY + 1))
    return first, len(first) if len(first) <= MANY else None


def few(lines: Iterable[str], count: int | None, rest: str) -> list[str]:
    """Return the first lines of `count`, None for more than anybody counts, and how many more a command, `rest`, has."""
    shown = list(islice(lines, FEW))
    if count == len(shown):
        return shown
    return [*shown, f"*and {'' if count is None else f'{count - len(shown)} '}more: `{rest}`*"]


def tally(count: int | None, what: str, names: Iterable[str]) -> str:
    """Return how many of something there are, None for more than anybody counts, and the first of their names: `4 open cards: Kilo, Lima, Mike ...`.

    `what` has `{s}` where several of it have an s.
    """
    shown = [shorten(name, MAX_NAME) for name in islice(names, NAMED)]
    more = "" if count == len(shown) else " ..."
    how_many = "Many" if count is None else count
    return plain(f"{how_many} {what.format(s='' if count == 1 else 's')}: {', '.join(shown)}{more}")


def desk_views(todos: Iterable[Todo]) -> list[ui.LayoutView]:
    """Return what waits as messages that stay, each within what Discord takes."""
    return [_view(page) for page in _pages(todos)]


def _pages(todos: Iterable[Todo]) -> Iterator[list[Todo]]:
    page: list[Todo] = []
    size, room = 1, MAX_TEXT
    for todo in todos:
        size, room = size + todo.size, room - len(todo.text)
        if page and (size > MAX_COMPONENTS or room < 0):
            yield page
            page, size, room = [], 1 + todo.size, MAX_TEXT - len(todo.text)
        page.append(todo)
    yield page


def _view(todos: Sequence[Todo]) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"], id=STAYS)
    for todo in todos:
        container.add_item(ui.TextDisplay(todo.text))
        for row in todo.rows:
            container.add_item(ui.ActionRow(*row))
    return ui.LayoutView(timeout=None).add_item(container)


class NextStep(Struct, frozen=True):
    """One thing to do: the button that does it (label and custom id), what it is good for, and whether it is done."""

    label: str
    custom_id: str
    why: str
    done: bool
