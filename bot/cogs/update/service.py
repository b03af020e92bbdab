"""Show updates in words, and close them by hand or schedule."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Literal, TypedDict, cast

import discord
from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.update import upkeep
from bot.core import campaigns, erasing, errors, ledger, state, subjects
from bot.core.ledger import EntryDraft
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.kernel import Feature, list_todos
from bot.orders.entries import enter_lock
from bot.orders.kinds import BOARD, DIGEST, PLAN, list_kinds, scene_of
from bot.orders.standing import close_orders as orders_over
from bot.orders.standing import list_standing
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls import consequences, entries
from bot.rolls.resolver import Resolver
from bot.schedules.store import SCHEDULE, EarlyRun, Job, get_schedule
from bot.ui import receipt, reply
from bot.ui.receipt import Todo, count_first, desk_views, few
from bot.ui.text import COLOURS, DOT, fit_lines, plain, shorten
from rules.effects import EFFECT, Moment, is_current
from rules.phrases import lower_first
from rules.subjects import name_key, number_of, strip_unseen


class Update(TypedDict):
    """An update: number, name, and start (ISO, UTC)."""

    number: int
    name: str
    since: str


def _sentence(body: ledger.Body, _view: ledger.View = "public") -> str:
    return f"{plain(body['closed']['name'])} closed, {plain(body['opened']['name'])} begun"


def _pages(shown: ledger.EntryView, _view: ledger.View) -> ledger.Pages:
    return receipt.plain_pages(shown, "Update closed", [_sentence(shown.entry.content())])


def _list_facts(body: ledger.Body, view: ledger.View) -> Iterator[ledger.About]:
    yield "family", campaigns.UPDATE
    yield "opened", body["opened"]["number"]
    yield from (("unit", int(number)) for number in (body.get("names", ()) if view == "staff" else ()))


UPDATE_CLOSED = ledger.EntryKind(campaigns.UPDATE, "results", _sentence, _pages, about=_list_facts)


Lasting = tuple[str, str]
"""The name of a bearer, and an effect."""


class UpdateView(Struct, frozen=True):
    """The current update as a person sees it.

    `rolled` has lines about its newest rolls, newest first, of `rolls` in all (None: too many to count). `orders` says whether
    its books have some, `closes` when it closes by itself.
    """

    update: Update
    ending: Sequence[Lasting] = ()
    lasting: Sequence[Lasting] = ()
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    rolls: int | None = 0
    todos: tuple[Todo, ...] = ()
    orders: bool = False
    closes: datetime | None = None


class UpdateToClose(Struct, frozen=True):
    """The update before it closes: what would stay `undone`, `upkeep`, and buttons to do it first (`instead`)."""

    campaign: campaigns.Campaign
    view: UpdateView
    next_name: str
    undone: tuple[str, ...] = ()
    orders: bool = False
    upkeep: tuple[str, ...] = ()
    instead: tuple[ui.Button[ui.LayoutView], ...] = ()


class SeenUpdate(Struct, frozen=True):
    """The update in question, and the next one's name."""

    number: int
    next_name: str


class ClosedUpdate(Struct, frozen=True):
    """A closed update, the next one, and effects that ended; `held` is how many orders stay open.

    `refused` is upkeep that some couldn't do, and why.
    """

    before: Update
    after: Update
    ended: Sequence[Lasting]
    entry: int
    counts: tuple[str, ...] = ()
    rolled: Sequence[str] = ()
    posts: tuple[Post, ...] = ()
    offered: tuple[Todo, ...] = ()
    held: int = 0
    refused: tuple[str, ...] = ()


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
    start = f"{number}since {since}." if number else f"Since {since}."
    return start if view.closes is None else f"{start} Closes {discord.utils.format_dt(view.closes, 'R')}."


def _number(update: Mapping[str, object], words: str) -> str:
    return "" if update["name"] == f"Update {update['number']}" else words.format(update["number"])


def update_lines(view: UpdateView, undone: Sequence[str] = (), due: Sequence[str] = ()) -> list[str]:
    """Return the current update line by line; what is `undone` stays open after it, and `due` is rolled."""
    lines = [_describe_start(view), *_label_effects("Ends with this update", view.ending)]
    if due:
        lines += ["**Upkeep:**", *(f"{BULLET} {line}" for line in due)]
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
    if closed.refused:
        lines += ["**Not done:**", *fit_lines(ROOM, [f"{BULLET} {plain(line)}" for line in closed.refused])]
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


ASK = reply.IdTemplate("update:{campaign:int}:ask:{number:int}")
MAX_LABEL = 80


def desk(view: UpdateView, campaign: campaigns.Campaign, *, leads: bool) -> list[ui.LayoutView]:
    """Return the desk as messages."""
    return desk_views([*_list_todos(view, campaign, leads=leads)])


def _list_todos(view: UpdateView, campaign: campaigns.Campaign, *, leads: bool) -> Iterator[Todo]:
    yield Todo(name_update(view), [_describe_start(view)], heading=True)
    yield from view.todos
    if view.rolled:
        newest = [f"{BULLET} {line}" for line in reversed(view.rolled[:NEWEST])]
        while sum(map(len, newest)) > ROOM_FOR_ROLLS:
            newest.pop(0)
        yield Todo(ROLLED, few(newest, view.rolls, "/ledger"))
    if view.lasting:
        yield Todo("Continues", list(_effects_lines(view.lasting)))
    if leads:
        ending = list(_effects_lines(view.ending)) or ["Nothing."]
        yield Todo("Ends with this update", ending, () if campaign.archived_at else [[*_list_buttons(view, campaign)]])


def _list_buttons(view: UpdateView, campaign: campaigns.Campaign) -> Iterator[ui.Button[ui.LayoutView]]:
    about = {"campaign": campaign.id, "number": view.update["number"]}
    items = (item for todo in view.todos for row in todo.rows for item in row)
    offered = {item.custom_id for item in items if isinstance(item, ui.Button)}  # ids are unique in a message
    for label, template in (("Resolve", PLAN), ("Board", BOARD), ("Digest", DIGEST)) if view.orders else ():
        if (key := template.fill(**about)) not in offered:
            yield ui.Button(label=label, custom_id=key)
    yield ui.Button(label=shorten(f"Close {view.update['name']}", MAX_LABEL), custom_id=ASK.fill(**about))


MAX_NAME = 60
TO_CLOSE = "close an update"


def view_update(
    tx: Connection, library: Library, features: Sequence[Feature], person: Person, campaign: campaigns.Campaign
) -> UpdateView:
    """Return the current update as a person may see it."""
    planned = None if campaign.archived_at else get_schedule(tx, campaign.id, CLOSING.id)
    view = replace(_view(tx, person, campaign), closes=planned and planned.next_at)
    if not person.takes_part(campaign):
        return view
    todos = list_todos(tx, library, features, person, campaign)
    rolled, rolls = count_first(entries.list_elsewhere(tx, campaign))
    orders = any(list_kinds(library.list_books(tx, campaign)))
    return replace(view, rolled=rolled, rolls=rolls, todos=todos, orders=orders)


def preview_closing(
    tx: Connection,
    library: Library,
    features: Sequence[Feature],
    person: Person,
    campaign: campaigns.Campaign,
    name: str | None = None,
) -> UpdateToClose:
    """Return the current update before a game master closes it, with the next one's typed name."""
    campaigns.require_open(campaign)
    require_game_master(person, campaign, TO_CLOSE)
    view, title = _view(tx, person, campaign), _title(name)
    todos = list_todos(tx, library, features, person, campaign)
    undone = tuple(filter(None, (todo.undone for todo in todos)))
    instead = tuple(item for todo in todos for item in todo.instead)
    number, orders = view.update["number"], bool(list_standing(tx, campaign))
    points: Sequence[tuple[Literal["close", "week"], int]] = (("close", number), ("week", number + 1))
    due = [item.line for at, of in points for item in upkeep.list_due(tx, library, campaign, at, of)]
    return UpdateToClose(campaign, view, title, undone, orders=orders, upkeep=tuple(due), instead=instead)


def preview_seen_closing(
    tx: Connection,
    library: Library,
    features: Sequence[Feature],
    person: Person,
    campaign_id: int,
    seen: SeenUpdate,
) -> UpdateToClose:
    """Return the seen update before closing; refuse if another one is current."""
    campaign = campaigns.require_on_server(tx, person.guild_id, campaign_id)
    asked = preview_closing(tx, library, features, person, campaign, seen.next_name)
    campaigns.require_update(tx, campaign_id, seen.number)
    return asked


def close_by_hand(
    tx: Connection,
    resolver: Resolver,
    features: Sequence[Feature],
    person: Person,
    campaign_id: int,
    seen: SeenUpdate,
) -> ClosedUpdate:
    """Close the seen update and begin the next."""
    campaigns.require_on_server(tx, person.guild_id, campaign_id)
    campaign = campaigns.open_campaign(tx, campaign_id)
    require_game_master(person, campaign, TO_CLOSE)
    campaigns.require_update(tx, campaign_id, seen.number)
    closed = close(tx, resolver, campaign, person.user_id, _title(seen.next_name))
    todos = list_todos(tx, resolver.library, features, person, campaign)
    return replace(closed, offered=tuple(item for item in todos if item.offered))


def close(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, user_id: int, title: str) -> ClosedUpdate:
    """Close the update of a campaign locked before, and begin the next; the caller sends its posts."""
    before = _current(tx, campaign)
    posts, refused = upkeep.carry_out(tx, resolver, campaign, user_id, "close", before["number"])
    number, ledger = before["number"] + 1, resolver.ledger
    since = ledger.now()
    now = campaigns.make_moment(before["number"], since)
    ended = tuple(_find_effects(tx, campaign, now)[True])
    rolled = entries.list_decided_first(tx, campaign)
    after = Update(number=number, name=title or f"Update {number}", since=since.isoformat())
    forgotten = consequences.close_rolls(tx, campaign.id, resolver.library.shipped.values(), now)
    changes = (Change(state.CAMPAIGN_STATE, campaigns.UPDATE, before, after), *forgotten, *orders_over(tx, campaign))
    draft = EntryDraft("update", "results", {"closed": before, "opened": after}, changes)
    entry = ledger.enter(tx, campaign, user_id, draft)
    erasing.clear_tombstones(tx, campaign.id, partial(_takes_part, tx, resolver.library, campaign))
    counts, held = _counts(tx, campaign), len(list_standing(tx, campaign))
    closed = ClosedUpdate(before, after, ended, entry.number, counts, rolled, held=held)
    begun = OutgoingMessage("results", campaign.results_channel_id, [draw_begun(closed)])
    posts += resolver.outbox.queue(tx, campaign.id, entry.number, [begun])
    begun_with, later = upkeep.carry_out(tx, resolver, campaign, user_id, "week", number)
    closed = replace(closed, refused=(*refused, *later))
    report = OutgoingMessage("whole", campaign.staff_channel_id, [draw_closed(closed)])
    needed = [report] if ended or closed.held or closed.refused else []
    posts += [*begun_with, *resolver.outbox.queue(tx, campaign.id, entry.number, needed)]
    return replace(closed, posts=tuple(posts))


def _view(tx: Connection, person: Person, campaign: campaigns.Campaign) -> UpdateView:
    update, counts = _current(tx, campaign), _counts(tx, campaign)
    if not person.leads(campaign):
        return UpdateView(update, counts=counts)
    now = campaigns.make_moment(update["number"], person.at)
    found = _find_effects(tx, campaign, now)
    return UpdateView(update, found[True], found[False], counts)


def _counts(tx: Connection, campaign: campaigns.Campaign) -> tuple[str, ...]:
    weeks = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, state.WEATHER)
    return () if weeks is None else (f"week {weeks['last']}",)


def _takes_part(tx: Connection, library: Library, campaign: campaigns.Campaign, player: str) -> bool:
    for name in campaign.books:
        with suppress(errors.BadInput):  # its house rules don't fit it any more
            book = library.book(tx, campaign, name)
            scene = scene_of(tx, campaign.id, book)
            if scene is not None and scene.orders.called(book, scene.values, player) is not None:
                return True
    return False


def _title(name: str | None) -> str:
    title = strip_unseen(name or "")
    if len(title) > MAX_NAME:
        raise errors.BadInput(f"An update's name has at most {MAX_NAME} characters; that one has {len(title)}.")
    return title


def _current(tx: Connection, campaign: campaigns.Campaign) -> Update:
    return cast("Update", campaigns.current_update(tx, campaign.id))


def _find_effects(tx: Connection, campaign: campaigns.Campaign, now: Moment) -> dict[bool, list[Lasting]]:
    kept = state.find_in_force(tx, campaign.id, EFFECT, now.update)
    kept = {key: value for key, value in kept.items() if is_current(value, now)}
    names = subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in kept})
    bearers = {key: names[number_of(key)] for key, _ in kept}
    found: dict[bool, list[Lasting]] = {True: [], False: []}
    for (key, name), value in sorted(kept.items(), key=lambda item: (name_key(bearers[item[0][0]]), item[0])):
        effect = value.get("label") or name.removeprefix(EFFECT).replace("-", " ")
        found["update" in value].append((bearers[key], effect))
    return found


def _close(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, _at: datetime) -> tuple[Post, ...]:
    return close(tx, resolver, campaign, SCHEDULE, "").posts


def _read_number(tx: Connection, campaign: campaigns.Campaign) -> int:
    return int(campaigns.current_update(tx, campaign.id)["number"])


def _lock(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, _at: datetime) -> tuple[Post, ...]:
    enter_lock(tx, resolver, campaign, SCHEDULE, lock=True)
    return ()


CLOSING = Job(
    id="update",
    title="Closing updates",
    what="the closing of the update",
    does="closes its update",
    run=_close,
    reached=_read_number,
    ahead=EarlyRun("Players' orders lock", _lock),
)
