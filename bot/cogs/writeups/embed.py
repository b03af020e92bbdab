"""Write-ups as text: the lines of their list, and what was claimed and done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from bot.cogs.writeups.states import WITHDRAWN
from bot.rolls.headline import outcome_line
from bot.ui.text import DOT, plain, shorten

MAX_GIST = 300
ROOM = 3600
"""Characters for the lines of a page, under Discord's 4,000 for a whole message of components."""


class Writeup(Struct, frozen=True):
    """Something to be written: part `part` of entry `entry`, as `number` for people, what it is about and how it stands.

    `state` is open, claimed or done, `since` the entry that made it so, `by` the user id of who claimed or wrote it.
    `post` and `thread` are addresses of the posted roll and its thread, `link` is where the text stands; `result` is how
    its battle ended for the one who was caught, attacked or ambushed, `fought` is that one's name. `seen` is the newest
    entry about it.
    """

    number: str
    entry: int
    part: int
    gist: str
    state: str
    since: int
    by: int | None = None
    post: str | None = None
    thread: str | None = None
    link: str | None = None
    result: str | None = None
    seen: int = 0
    fought: str | None = None

    @property
    def status(self) -> str:
        """How it stands, in the words that people see."""
        return "cancelled" if self.state == WITHDRAWN else self.state

    @property
    def place(self) -> str:
        """What is typed for it in full, wherever it stands."""
        return f"{self.entry}.{self.part + 1}"


def gist(body: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Return what a part of a roll was about and came to, in one line."""
    outcome = plain(part["outcome"]["text"]) if part["outcome"] else "not rolled"
    return shorten(outcome_line(body, part, outcome, mark=""), MAX_GIST)


def fit_page(listed: Sequence[Writeup]) -> list[str]:
    """Return the lines of those write-ups, from the first one on, that a page has room for; one at least."""
    lines: list[str] = []
    room = ROOM
    for item in listed:
        text = line(item)
        room -= len(text) + 1
        if lines and room < 0:
            break
        lines.append(text)
    return lines


def line(item: Writeup) -> str:
    """Return what a write-up is about and how it stands."""
    return f"**#{item.number}** {item.gist}{DOT}{DOT.join(_status(item))}"


def _status(item: Writeup) -> Iterator[str]:
    by = "" if item.by is None else f" by <@{item.by}>"
    yield f"{item.status}{by}"
    if item.result is not None:
        yield f"battle {item.result}"
    for label, address in (("Result", item.post), ("Thread", item.thread)):
        if address is not None:
            yield f"[{label}]({address})"
    if item.link is not None:
        yield f"<{item.link}>"
