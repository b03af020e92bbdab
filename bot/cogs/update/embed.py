"""An update in words: its entries, how it stands, its desk, and what closing it came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypedDict

import discord
from discord import ui
from msgspec import Struct

from bot.core.campaigns import UPDATE, Campaign
from bot.core.entry_kinds import About, Body, EntryKind, EntryView, Pages, View
from bot.outbox.store import Post
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.receipt import plain_pages
from bot.ui.text import DOT, fit_lines, plain, shorten
from bot.ui.todo import Todo, desk_views, few
from rules.phrases import inside


class Update(TypedDict):
    """An update as the state and the ledger keep it: number, name, and since when (ISO, UTC)."""

    number: int
    name: str
    since: str


def _sentence(body: Body, _view: View = "public") -> str:
    return f"{plain(body['closed']['name'])} closed, {plain(body['opened']['name'])} begun"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Update closed", [_sentence(shown.entry.content())])


def _about(body: Body, view: View) -> Iterator[About]:
    yield "family", UPDATE
    yield "opened", body["opened"]["number"]
    yield from (("unit", int(number)) for number in (body.get("names", ()) if view == "staff" else ()))


UPDATE_CLOSED = EntryKind(UPDATE, "results", _sentence, _pages, about=_about)


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
    instead: tuple[ui.Button[ui.LayoutView], ...] = ()


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


BULLET = "\N{BULLET}"
ROOM, ROOM_FOR_ROLLS = 1300, 900
"""Characters for each of two lists, and for what was rolled: all of them fit into an embed's 4,096, or a receipt's 4,000."""

NEWEST = 3
"""How much of what was rolled the desk has; the closing lists more."""

ROLLED = "Rolls in play"


def title(view: UpdateView) -> str:
    """Return the name of an update, and which week it is, in one breath."""
    return DOT.join([plain(view.update["name"]), *view.counts])


def beginning(view: UpdateView) -> str:
    """Return since when an update lasts, and its number where its name does not tell it."""
    since = discord.utils.format_dt(datetime.fromisoformat(view.update["since"]), "f")
    number = _number(view.update, "Number {}, ")
    return f"{number}since {since}." if number else f"Since {since}."


def _number(update: Mapping[str, object], words: str) -> str:
    """Return the number of an update in these words; nothing where it has the name that tells it."""
    return "" if update["name"] == f"Update {update['number']}" else words.format(update["number"])


def update_lines(view: UpdateView, undone: Sequence[str] = ()) -> list[str]:
    """Return number and beginning of the current update, what ends with it, what is still to be done and what lasts beyond it."""
    lines = [beginning(view), *_listed("Ends with this update", view.ending)]
    if undone:
        lines += ["**Stays open:**", *(f"{BULLET} {line}" for line in undone)]
    return [*lines, *_listed("Continues", view.lasting)]


def begun_embed(closed: ClosedUpdate) -> discord.Embed:
    """Tell everybody that an update has begun, which week it is, and what was rolled in the one before where people play."""
    name = plain(closed.after["name"])
    lines = [f"{plain(closed.before['name'])} is closed{_number(closed.after, ' (this is number {})')}."]
    return _closing(closed, DOT.join([f"{name} begins", *closed.counts]), [*lines, *_rolled(closed.rolled)])


def closed_embed(closed: ClosedUpdate) -> discord.Embed:
    """Tell game masters that an update was closed, and what ended with it."""
    return _closing(closed, f"{plain(closed.before['name'])} is closed", closed_lines(closed))


def closed_lines(closed: ClosedUpdate) -> list[str]:
    """Return which update has begun, and what ended with the one before."""
    begun = f"{plain(closed.after['name'])} has begun{_number(closed.after, ' (number {})')}"
    lines = [f"{DOT.join([begun, *closed.counts])}.", *_listed("Ended", closed.ended), *_held(closed)]
    return [*lines, *_rolled(closed.rolled)]


def _held(closed: ClosedUpdate) -> Iterator[str]:
    if closed.held:
        held = f"{closed.held} open order{'s' * (closed.held > 1)}"
        yield f"{held} moved to {plain(closed.after['name'])}: see `/order list`."


def newest_rolled(lines: Sequence[str]) -> list[str]:
    """Return the newest of what was rolled where people play, given newest first, the oldest first: three at most, as far as there is room."""
    newest = [f"{BULLET} {line}" for line in reversed(lines[:NEWEST])]
    while sum(map(len, newest)) > ROOM_FOR_ROLLS:
        newest.pop(0)
    return newest


def _rolled(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{ROLLED}:**"
        yield from fit_lines(ROOM_FOR_ROLLS, [f"{BULLET} {line}" for line in lines])


def _closing(closed: ClosedUpdate, heading: str, lines: Sequence[str]) -> discord.Embed:
    embed = discord.Embed(title=heading, description="\n".join(lines), colour=COLOURS["success"])
    return embed.set_footer(text=f"#{closed.entry}")


def _listed(label: str, effects: Sequence[Lasting]) -> Iterator[str]:
    if effects:
        yield f"**{label}:**"
        yield from effects_lines(effects)


def effects_lines(effects: Sequence[Lasting]) -> Iterator[str]:
    """Yield what lasts on whom, as far as there is room."""
    return fit_lines(ROOM, [f"{BULLET} {plain(bearer)}: {plain(inside(effect))}" for bearer, effect in effects])


ASK = IdTemplate("update:{campaign:int}:ask:{number:int}")
"""The id of the button that asks whether to close an update."""

MAX_LABEL = 80


def desk(view: UpdateView, campaign: Campaign, *, leads: bool) -> list[ui.LayoutView]:
    """Return the desk of the week as messages; game masters find all that waits, and close the update there."""
    return desk_views([*_todos(view, campaign, leads=leads)])


def _todos(view: UpdateView, campaign: Campaign, *, leads: bool) -> Iterator[Todo]:
    yield Todo(title(view), [beginning(view)], heading=True)
    yield from view.todos
    if view.rolled:
        yield Todo(ROLLED, few(newest_rolled(view.rolled), view.rolls, "/ledger list"))
    if view.lasting:
        yield Todo("Continues", list(effects_lines(view.lasting)))
    if leads:
        ending = list(effects_lines(view.ending)) or ["Nothing."]
        yield Todo("Ends with this update", ending, _closing_line(view, campaign))


def _closing_line(view: UpdateView, campaign: Campaign) -> Sequence[Sequence[ui.Button[ui.LayoutView]]]:
    if campaign.archived_at is not None:
        return ()
    key = ASK.fill(campaign=campaign.id, number=view.update["number"])
    return [[ui.Button(label=shorten(f"Close {view.update['name']}", MAX_LABEL), custom_id=key)]]
