"""The desk: what waits for a person, with buttons for it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from discord import ui
from msgspec import Struct

from bot.ui.text import COLOURS, plain, shorten

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
    return [_view(page) for page in _list_pages(todos)]


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


def _view(todos: Sequence[Todo]) -> ui.LayoutView:
    container: ui.Container[ui.LayoutView] = ui.Container(accent_colour=COLOURS["neutral"], id=STAYS)
    for todo in todos:
        container.add_item(ui.TextDisplay(todo.text))
        for row in todo.rows:
            container.add_item(ui.ActionRow(*row))
    return ui.LayoutView(timeout=None).add_item(container)


class NextStep(Struct, frozen=True):
    """A thing to do: its button's label and custom id, what it is for, and whether it is done."""

    label: str
    custom_id: str
    why: str
    done: bool
