"""Updates as they are shown: the current one, the one that is to be closed, and one that was closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discord import ui
from msgspec import Struct

from bot.cogs.update.entries import Update
from bot.core.campaigns import Campaign
from bot.outbox.store import Post
from bot.ui.todo import Todo

Lasting = tuple[str, str]
"""The name of a bearer, and what lasts on it."""


class UpdateView(Struct, frozen=True):
    """The current update as somebody sees it: what other counts of time say, what ends with it, and what lasts beyond it.

    `rolled` are lines about the newest of what was rolled in it where people play, newest first, of `rolls` in all, None for
    more than are counted; `todos` is what waits.
    """

    update: Update
    ending: tuple[Lasting, ...] = ()
    lasting: tuple[Lasting, ...] = ()
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    rolls: int | None = 0
    todos: tuple[Todo, ...] = ()


class UpdateToClose(Struct, frozen=True):
    """The current update as it is shown before it is closed, and what the next one is to be called, empty for its number.

    `undone` has a line for each kind of thing that is still to be done, `instead` are buttons that do it; `orders` says whether any stand.
    """

    campaign: Campaign
    view: UpdateView
    next_name: str
    undone: tuple[str, ...] = ()
    orders: bool = False
    instead: tuple[ui.Button[Any], ...] = ()


class SeenUpdate(Struct, frozen=True):
    """Which update somebody was asked about, and what the next one is to be called."""

    number: int
    next_name: str


class ClosedUpdate(Struct, frozen=True):
    """An update that was closed, the one that began, what ended with it, and the number of its entry.

    `counts` are as for `UpdateView`, `rolled` has all of it; `offered` is what is done anew in each update, `held` how many orders stand on.
    """

    before: Update
    after: Update
    ended: tuple[Lasting, ...]
    entry: int
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    posts: tuple[Post, ...] = ()
    offered: tuple[Todo, ...] = ()
    held: int = 0
