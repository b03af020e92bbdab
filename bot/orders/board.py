"""The orders board, edited in place when outdated, and the pings for missing orders."""

import asyncio
import hashlib
import logging
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import discord
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from bot.core import campaigns, entries, errors, ledger, outages, profiles
from bot.core.database import Database
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.schema import at_home, board, entry
from bot.orders import digest, forecast, kinds, resolution
from bot.orders.entries import find_lock_start
from bot.orders.standing import StandingOrder, all_orders, find_passed
from bot.outbox import queue
from bot.outbox.queue import MOST_PINGS, NO_PINGS, Buttons, OutgoingMessage, Pings, encode_payload
from bot.rolls import embed, extension
from bot.rolls.resolver import Resolver
from bot.ui.text import COLOURS, fit_lines, join_words, plain, shorten
from rules.errors import RulesError
from rules.subjects import name_key

ROOM_FOR_ORDERS, ROOM_FOR_TASKS, ROOM_FOR_QUESTIONS, MAX_NAME = 2800, 800, 700, 100
"""In characters; together they fit into the 6,000 of a message."""


class OrderBoard(Struct, frozen=True):
    """An update's orders, who owes one, what needs an answer, and the lock."""

    campaign: campaigns.Campaign
    update: int
    name: str
    orders: Sequence[tuple[StandingOrder, kinds.LabelledKind]]
    missing: Sequence[profiles.Profile]
    waiting: Sequence[forecast.TaskForecast]
    unanswered: digest.OpenWork
    locked: datetime | None


def draw_embeds(board: OrderBoard) -> list[discord.Embed]:
    """Return two embeds: orders by phase; who is missing and what needs answers."""
    lines = [
        *([kinds.describe_lock(board.locked)] if board.locked else []),
        *fit_lines(ROOM_FOR_ORDERS, _order_lines(board)),
    ]
    title = f"Orders: {shorten(plain(board.name), MAX_NAME)}"
    first = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
    second = discord.Embed(description="\n".join(_list_others(board)), colour=COLOURS["neutral"])
    return [first, second.set_footer(text=board.campaign.name)]


def _list_others(board: OrderBoard) -> Iterator[str]:
    count = len(board.missing)
    names = digest.name_some([plain(item.name) for item in board.missing])
    yield f"**Waiting for {count}:** {names}" if count else "Everyone has ordered or passed."
    if board.waiting or board.unanswered.questions:
        yield "**Needs your answer:**"
        yield from fit_lines(ROOM_FOR_TASKS, [f"\N{BULLET} {forecast.task_line(item)}" for item in board.waiting])
        yield from fit_lines(ROOM_FOR_QUESTIONS, board.unanswered.lines)


def _order_lines(board: OrderBoard) -> list[str]:
    waits = {item.order.entry: item.why for item in board.unanswered.orders}
    lines = []
    for order, known in board.orders:
        why = waits.get(order.entry)
        line = f"{kinds.order_line(known, order, kinds.NAMED)}{_describe_results(order)}{kinds.describe_arrangement(order)}"
        lines.append((kinds.phase_line(known), f"\N{BULLET} {line}" + (f", *waiting: {plain(why)}*" if why else "")))
    return [*kinds.group_by_phase(lines)] or ["No orders yet. Players give them with `/order give`."]


def _describe_results(order: StandingOrder) -> str:
    if order.lapsed is not None:
        return f" (cancelled, #{order.lapsed})"
    done = [f"#{number}" for number in order.entries]
    return f" ({join_words(done)})" if done else ""


def board_buttons(board: OrderBoard) -> Buttons:
    """Return the board's buttons, with up to 10 that answer questions."""
    about = {"campaign": board.campaign.id, "number": board.update}
    style = discord.ButtonStyle
    green, grey, blue = style.success.value, style.secondary.value, style.primary.value
    lock = kinds.LOCK.fill(**about, on=int(board.locked is None))
    answers = (
        (shorten(item.label, extension.MAX_LABEL), item.custom_id, blue)
        for item in board.unanswered.questions[: digest.MAX_BUTTONS]
    )
    return [
        ("Nudge", kinds.NUDGE.fill(**about), blue),
        ("Post who is missing", kinds.TELL.fill(**about), grey),
        ("Unlock" if board.locked else "Lock", lock, grey),
        ("Arrange", kinds.ARRANGE.fill(**about), grey),
        ("Resolve", kinds.PLAN.fill(**about), green),
        *answers,
    ]


_newest = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == board.c.campaign_id).scalar_subquery()
_STALE = sa.select(board, _newest.label("newest")).where(board.c.upto < _newest, at_home(board.c.campaign_id))
_MINE = board.c.campaign_id == sa.bindparam("campaign")
_ONE = sa.select(board).where(_MINE)
_SEEN = (_MINE, board.c.post_id == sa.bindparam("of"), board.c.upto < sa.bindparam("newest"))
_MOVE_ON = board.update().where(*_SEEN).values(upto=sa.bindparam("newest"), shown=sa.bindparam("now"))


class KeptBoard(Struct, frozen=True):
    """A posted board: its post, the newest entry it was drawn from, and a hash of its content."""

    campaign_id: int
    post_id: int
    upto: int
    shown: str


def find_board(tx: Connection, campaign_id: int) -> KeptBoard | None:
    """Return a campaign's posted board; None if none was posted."""
    row = tx.execute(_ONE, {"campaign": campaign_id}).first()
    return KeptBoard(*row) if row else None


def _find_stale(tx: Connection) -> list[tuple[KeptBoard, int]]:
    return [(KeptBoard(*row[:-1]), row.newest) for row in tx.execute(_STALE)]


def _find_missing(
    tx: Connection, resolver: Resolver, staff: Person, campaign: campaigns.Campaign, orders: Sequence[StandingOrder]
) -> list[profiles.Profile]:
    played = resolver.library.list_books(tx, campaign)
    gone = find_passed(tx, campaign, find_now(tx, staff, campaign)).keys()
    owned = [item for item in profiles.list_profiles(tx, campaign.id) if item.is_character and item.owner is not None]
    scenes = [scene for book in played if (scene := kinds.scene_of(tx, campaign.id, book))]
    if scenes:
        names = {name for scene in scenes for name in _in_scene(scene, orders)}
        return [item for item in owned if name_key(item.name) in names and item.id not in gone]
    ordered = {item.who.id for item in orders if item.lapsed is None}
    left = [item for item in owned if (ordered | gone).isdisjoint({item.id, item.squad_id})]
    numbers = {item.id for item in left}
    out = {number for book in played for number in forecast.find_out_of_play(tx, staff, campaign, book, numbers)}
    return [item for item in left if item.id not in out]


def _in_scene(scene: kinds.PlayedScene, orders: Sequence[StandingOrder]) -> Iterator[str]:
    ordered = {name_key(item.who.name) for item in orders if item.lapsed is None}
    for doer in scene.orders.doers(scene.book, scene.values, None):
        for player in doer.expected if name_key(doer.name) not in ordered else ():
            called = scene.orders.called(scene.book, scene.values, player)
            if called is not None:
                yield name_key(called)


BOARD: queue.PostKind = "board"
HOW = "-# Use `/order give`, or `/order give kind:Pass` for none. Only game masters see your orders."
PAUSE = timedelta(hours=1)  # the wait between two pings
log = logging.getLogger(__name__)


def read_board(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign) -> OrderBoard:
    """Return the current update's orders as staff see them."""
    update, found = campaigns.current_update(tx, campaign.id), all_orders(tx, campaign)
    staff = staff_of(resolver, campaign)
    orders = kinds.with_kinds(tx, campaign, resolver.library.list_books(tx, campaign), found)
    reasons, unanswered = resolution.find_waiting(tx, resolver, staff, campaign)
    who = _find_missing(tx, resolver, staff, campaign, found)
    about, locked = (campaign, update["number"], update["name"]), find_lock_start(tx, campaign)
    return OrderBoard(*about, orders, who, reasons, unanswered, locked)


def post_board(tx: Connection, resolver: Resolver, person: Person, campaign_id: int) -> list[queue.Post]:
    """Queue a new board and take the buttons from the old one."""
    campaign = campaigns.open_campaign(tx, campaigns.require_on_server(tx, person.guild_id, campaign_id).id)
    require_game_master(person, campaign, "post the board of orders")
    before, new = find_board(tx, campaign.id), read_board(tx, resolver, campaign)
    old = queue.get_post(tx, campaign.id, before.post_id) if before else None
    message = OutgoingMessage(BOARD, campaign.staff_channel_id, draw_embeds(new), BOARD, NO_PINGS, board_buttons(new))
    (queued,) = resolver.outbox.queue(tx, campaign.id, None, [message])
    kept = KeptBoard(campaign.id, queued.id, ledger.next_number(tx, campaign) - 1, _hash(queued.payload or ""))
    tx.execute(board.delete().where(_MINE), {"campaign": campaign.id})
    tx.execute(board.insert(), asdict(kept))
    moved = discord.Embed(title="Orders", description="A newer board replaces this one.", colour=COLOURS["neutral"])
    return [*([resolver.outbox.revise(tx, old, [moved])] if old else []), queued]


class BoardClient(Protocol):
    """What draws boards: the running bot."""

    database: Database
    resolver: Resolver


async def edit_stale(bot: BoardClient) -> list[queue.Post]:
    """Queue edits of the boards that changed.

    Any entry may change who is missing or what waits, so newer ones have a board drawn again.
    If one can't be drawn, the others still are.
    """
    stale = await bot.database.read(_find_stale)
    edited = await asyncio.gather(*(_edit_board(bot, *item) for item in stale), return_exceptions=True)
    queued: list[queue.Post] = []
    for (kept, upto), outcome in zip(stale, edited, strict=True):
        if not isinstance(outcome, BaseException):
            queued += outcome
            continue
        outages.log_fault("board.bug", outcome, campaign=kept.campaign_id)
        if not isinstance(outcome, SQLAlchemyError):
            await bot.database.write(_revise_board, bot.resolver, kept, upto, None)
    return queued


async def _edit_board(bot: BoardClient, kept: KeptBoard, upto: int) -> list[queue.Post]:
    drawn = await bot.database.read(_draw_board, bot.resolver, kept)
    return await bot.database.write(_revise_board, bot.resolver, kept, upto, drawn)


def _draw_board(tx: Connection, resolver: Resolver, kept: KeptBoard) -> OrderBoard | None:
    campaign = campaigns.get_campaign(tx, kept.campaign_id)
    try:
        return read_board(tx, resolver, campaign) if campaign else None
    except (errors.UserError, RulesError) as problem:
        log.warning("board.unreadable", extra={"campaign": kept.campaign_id, "fault": str(problem)})
        return None


def _revise_board(
    tx: Connection, resolver: Resolver, kept: KeptBoard, upto: int, drawn: OrderBoard | None
) -> list[queue.Post]:
    shown = (draw_embeds(drawn), board_buttons(drawn)) if drawn else None
    digits = _hash(encode_payload(shown[0], buttons=shown[1])) if shown else kept.shown
    about = {"campaign": kept.campaign_id, "of": kept.post_id, "newest": upto, "now": digits}
    moved_on = tx.execute(_MOVE_ON, about).rowcount  # none if another board replaced it meanwhile
    old = queue.get_post(tx, kept.campaign_id, kept.post_id)
    if shown and moved_on and digits != kept.shown and old is not None:
        return [resolver.outbox.revise(tx, old, shown[0], buttons=shown[1])]
    return []


def _hash(shown: str) -> str:
    return hashlib.sha256(shown.encode()).hexdigest()


def nudge(
    tx: Connection, resolver: Resolver, person: Person, key: kinds.UpdateKey, unable: Collection[int] = ()
) -> list[queue.Post]:
    """Queue a ping for players who owe orders, except `unable` users, at most once an hour."""
    board = _read_asked_board(tx, resolver, person, key, "nudge")
    if not board.campaign.may_ping(campaigns.PLAYERS):
        what = f"{board.campaign.name} doesn't let me ping players."
        raise errors.NotAsItIs(what, "Switch pings on with /gm settings pings.")
    players = {item.owner for item in board.missing if item.owner is not None}
    users = [user for user in campaigns.find_called(tx, board.campaign, players, person.user_id) if user not in unable]
    if not users:
        raise errors.NotAsItIs("There's no player I can ping about missing orders.", "Ask them some other way.")
    text = f"Your orders for **{plain(board.name)}** are missing.\n{HOW}"
    some = [Pings((*users[at : at + MOST_PINGS],)) for at in range(0, len(users), MOST_PINGS)]
    return _queue_request(tx, resolver, board, "nudge", text, some)


def find_missing_players(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign) -> dict[int, list[str]]:
    """Return the names of characters whose players owe orders, by the players' user ids."""
    missing = read_board(tx, resolver, campaign).missing
    users = entries.find_users(tx, campaign.id, {item.owner for item in missing if item.owner is not None})
    found: dict[int, list[str]] = {}
    for item in missing:
        if item.owner in users:
            found.setdefault(users[item.owner], []).append(item.name)
    return found


def post_missing(tx: Connection, resolver: Resolver, person: Person, key: kinds.UpdateKey) -> list[queue.Post]:
    """Queue a public list of characters without orders, except secret ones, at most once an hour."""
    board = _read_asked_board(tx, resolver, person, key, "awaited")
    names = [plain(item.name) for item in board.missing if not item.secret]
    if not names:
        raise errors.NotAsItIs(
            "Only hidden characters are missing orders.", "Press Nudge: it pings their players without names."
        )
    text = f"Orders for **{plain(board.name)}** are missing from:\n{digest.name_some(names)}\n{HOW}"
    return _queue_request(tx, resolver, board, "awaited", text)


def _read_asked_board(
    tx: Connection, resolver: Resolver, person: Person, key: kinds.UpdateKey, topic: str
) -> OrderBoard:
    campaign = kinds.open_update(tx, person, key, "ask for orders")
    before = queue.find_about(tx, campaign.id, embed.NEWS, topic)
    if before is not None and resolver.ledger.now() - before.queued_at < PAUSE:
        raise errors.NotAsItIs("That was done less than an hour ago.", "Give them a little time.")
    board = read_board(tx, resolver, campaign)
    if not board.missing:
        raise errors.NotAsItIs("Everyone has ordered or passed.", "Go on with /gm resolve.")
    return board


def _queue_request(  # noqa: PLR0913, PLR0917 - the text, and who is pinged
    tx: Connection, resolver: Resolver, board: OrderBoard, topic: str, text: str, pings: Sequence[Pings] = (NO_PINGS,)
) -> list[queue.Post]:
    asked = discord.Embed(title="Orders needed", description=text, colour=COLOURS["neutral"])
    asked.set_footer(text=board.campaign.name)
    about = (embed.NEWS, board.campaign.results_channel_id, [asked], topic)
    return resolver.outbox.queue(tx, board.campaign.id, None, [OutgoingMessage(*about, some) for some in pings])


def staff_of(resolver: Resolver, campaign: campaigns.Campaign) -> Person:
    """Return a game master without user id, as the reader of a board."""
    return Person(
        profiles.NOBODY,
        campaign.guild_id,
        frozenset({campaign.game_master_role_id}),
        manages_server=False,
        at=resolver.ledger.now(),
    )
