"""An update in words: its entries, desk and closing."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypedDict

import discord
from discord import ui
from msgspec import Struct

from bot.core import ledger
from bot.core.campaigns import UPDATE, Campaign
from bot.outbox.queue import Post
from bot.ui.receipt import Todo, desk_views, few, plain_pages
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten
from rules.phrases import lower_first


class Update(TypedDict):
    """An update: number, name, and start (ISO, UTC)."""

    number: int
    name: str
    since: str


def _sentence(body: ledger.Body, _view: ledger.View = "public") -> str:
    return f"{plain(body['closed']['name'])} closed, {plain(body['opened']['name'])} begun"


def _pages(shown: ledger.EntryView, _view: ledger.View) -> ledger.Pages:
    return plain_pages(shown, "Update closed", [_sentence(shown.entry.content())])


def _list_facts(body: ledger.Body, view: ledger.View) -> Iterator[ledger.About]:
    yield "family", UPDATE
    yield "opened", body["opened"]["number"]
    yield from (("unit", int(number)) for number in (body.get("names", ()) if view == "staff" else ()))


UPDATE_CLOSED = ledger.EntryKind(UPDATE, "results", _sentence, _pages, about=_list_facts)


Lasting = tuple[str, str]
"""The name of a bearer, and an effect."""


class UpdateView(Struct, frozen=True):
    """The current update as a person sees it.

    `rolled` has lines about its newest rolls, newest first, of `rolls` in all (None: too many to count).
    """

    update: Update
    ending: Sequence[Lasting] = ()
    lasting: Sequence[Lasting] = ()
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    rolls: int | None = 0
    todos: tuple[Todo, ...] = ()


class UpdateToClose(Struct, frozen=True):
    """The update before it closes: what would stay `undone`, and buttons to do it first (`instead`)."""

    campaign: Campaign
    view: UpdateView
    next_name: str
    undone: tuple[str, ...] = ()
    orders: bool = False
    instead: tuple[ui.Button[ui.LayoutView], ...] = ()


class SeenUpdate(Struct, frozen=True):
    """The update in question, and the next one's name."""

    number: int
    next_name: str


class ClosedUpdate(Struct, frozen=True):
    """A closed update, the next one, and effects that ended; `held` is how many orders stay open."""

    before: Update
    after: Update
    ended: Sequence[Lasting]
    entry: int
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    posts: tuple[Post, ...] = ()
    offered: tuple[Todo, ...] = ()
    held: int = 0


BULLET = "\N{BULLET}"
ROOM, ROOM_FOR_ROLLS = 1300, 900  # in characters; two lists and the rolls fit into an embed or receipt
NEWEST = 3  # on the desk; the closing lists more
ROLLED = "Rolls in play"


def name_update(view: UpdateView) -> str:
    """Return the update's name and its week."""
    return DOT.join([plain(view.update["name"]), *view.counts])


def _describe_start(view: UpdateView) -> str:
    since = discord.utils.format_dt(datetime.fromisoformat(view.update["since"]), "f")
    number = _number(view.update, "Number {}, ")
    return f"{number}since {since}." if number else f"Since {since}."


def _number(update: Mapping[str, object], words: str) -> str:
    return "" if update["name"] == f"Update {update['number']}" else words.format(update["number"])


def update_lines(view: UpdateView, undone: Sequence[str] = ()) -> list[str]:
    """Return the current update line by line; what is `undone` stays open after it."""
    lines = [_describe_start(view), *_label_effects("Ends with this update", view.ending)]
    if undone:
        lines += ["**Stays open:**", *(f"{BULLET} {line}" for line in undone)]
    return [*lines, *_label_effects("Continues", view.lasting)]


def draw_begun(closed: ClosedUpdate) -> discord.Embed:
    """Announce the new update, with the old one's public rolls."""
    name = plain(closed.after["name"])
    lines = [f"{plain(closed.before['name'])} is closed{_number(closed.after, ' (this is number {})')}."]
    return _draw_closing(closed, DOT.join([f"{name} begins", *closed.counts]), [*lines, *_roll_lines(closed.rolled)])


def draw_closed(closed: ClosedUpdate) -> discord.Embed:
    """Report a closed update to game masters."""
    return _draw_closing(closed, f"{plain(closed.before['name'])} is closed", list_closed(closed))


def list_closed(closed: ClosedUpdate) -> list[str]:
    """Return lines: what began, what ended, how many orders moved on, and rolls."""
    begun = f"{plain(closed.after['name'])} has begun{_number(closed.after, ' (number {})')}"
    lines = [f"{DOT.join([begun, *closed.counts])}.", *_label_effects("Ended", closed.ended)]
    if closed.held:
        held = f"{closed.held} open order{'s' * (closed.held > 1)}"
        lines.append(f"{held} moved to {plain(closed.after['name'])}: see `/order list`.")
    return [*lines, *_roll_lines(closed.rolled)]


def _roll_lines(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"**{ROLLED}:**"
        yield from fit_lines(ROOM_FOR_ROLLS, [f"{BULLET} {line}" for line in lines])


def _draw_closing(closed: ClosedUpdate, heading: str, lines: Sequence[str]) -> discord.Embed:
    embed = discord.Embed(title=heading, description="\n".join(lines), colour=COLOURS["success"])
    return embed.set_footer(text=f"#{closed.entry}")


def _label_effects(label: str, effects: Sequence[Lasting]) -> Iterator[str]:
    if effects:
        yield f"**{label}:**"
        yield from _effects_lines(effects)


def _effects_lines(effects: Sequence[Lasting]) -> Iterator[str]:
    return fit_lines(ROOM, [f"{BULLET} {plain(bearer)}: {plain(lower_first(effect))}" for bearer, effect in effects])


ASK = IdTemplate("update:{campaign:int}:ask:{number:int}")
MAX_LABEL = 80


def desk(view: UpdateView, campaign: Campaign, *, leads: bool) -> list[ui.LayoutView]:
    """Return the desk as messages."""
    return desk_views([*_list_todos(view, campaign, leads=leads)])


def _list_todos(view: UpdateView, campaign: Campaign, *, leads: bool) -> Iterator[Todo]:
    yield Todo(name_update(view), [_describe_start(view)], heading=True)
    yield from view.todos
    if view.rolled:
        newest = [f"{BULLET} {line}" for line in reversed(view.rolled[:NEWEST])]
        while sum(map(len, newest)) > ROOM_FOR_ROLLS:
            newest.pop(0)
        yield Todo(ROLLED, few(newest, view.rolls, "/ledger list"))
    if view.lasting:
        yield Todo("Continues", list(_effects_lines(view.lasting)))
    if leads:
        label, key = f"Close {view.update['name']}", ASK.fill(campaign=campaign.id, number=view.update["number"])
        close = ui.Button[ui.LayoutView](label=shorten(label, MAX_LABEL), custom_id=key)
        ending = list(_effects_lines(view.ending)) or ["Nothing."]
        yield Todo("Ends with this update", ending, () if campaign.archived_at else [[close]])
