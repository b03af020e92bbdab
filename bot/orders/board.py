"""The posts about orders: the board, one message of the staff that is edited in place when it is behind, and what asks players for orders.

A newer board replaces an older one, which loses its buttons.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import Protocol

import discord
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from bot.core import campaigns, entries, profiles
from bot.core.campaigns import PLAYERS, Campaign, current_update, open_campaign, require_on_server
from bot.core.chores import log_fault
from bot.core.database import Database
from bot.core.ledger import next_number
from bot.core.permissions import Person, find_now, require_game_master
from bot.core.profiles import NOBODY, Profile
from bot.core.schema import at_home, board, entry
from bot.errors import NotAsItIs, UserError
from bot.orders import resolution
from bot.orders.board_embed import OrderBoard, buttons, embeds, names_line
from bot.orders.digest import Unanswered
from bot.orders.entries import Work
from bot.orders.ids import UpdateKey, open_update
from bot.orders.kinds import with_kinds
from bot.orders.locking import locked_since
from bot.orders.played_scene import PlayedScene, scene_of
from bot.orders.snapshot import find_out_of_play
from bot.orders.standing import StandingOrder, all_orders, find_passed
from bot.outbox import store
from bot.outbox.queue import NO_PINGS, OutgoingMessage, Pings, encode_payload
from bot.outbox.store import Post, PostKind
from bot.rolls import news
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.errors import RulesError
from rules.subjects import name_key

_newest = sa.select(sa.func.max(entry.c.number)).where(entry.c.campaign_id == board.c.campaign_id).scalar_subquery()
_STALE = sa.select(board, _newest.label("newest")).where(board.c.upto < _newest, at_home(board.c.campaign_id))
_MINE = board.c.campaign_id == sa.bindparam("campaign")
_ONE = sa.select(board).where(_MINE)
_SEEN = (_MINE, board.c.post_id == sa.bindparam("of"), board.c.upto < sa.bindparam("newest"))
_MOVE_ON = board.update().where(*_SEEN).values(upto=sa.bindparam("newest"), shown=sa.bindparam("now"))


class KeptBoard(Struct, frozen=True):
    """The board of a campaign: its post (id), the number of the newest entry when it was drawn, and a hash of what it shows."""

    campaign_id: int
    post_id: int
    upto: int
    shown: str


def kept_board(tx: Connection, campaign_id: int) -> KeptBoard | None:
    """Return the board of a campaign; None where none was posted."""
    row = tx.execute(_ONE, {"campaign": campaign_id}).first()
    return KeptBoard(*row) if row else None


def stale_boards(tx: Connection) -> list[tuple[KeptBoard, int]]:
    """Return all boards that entries were made after, each with the number of the newest."""
    return [(KeptBoard(*row[:-1]), row.newest) for row in tx.execute(_STALE)]


def keep_board(tx: Connection, new: KeptBoard) -> None:
    """Let this be the board of its campaign."""
    tx.execute(board.delete().where(_MINE), {"campaign": new.campaign_id})
    tx.execute(board.insert(), {name: getattr(new, name) for name in KeptBoard.__struct_fields__})


def mark_drawn(tx: Connection, seen: KeptBoard, upto: int, shown: str) -> bool:
    """Note that a board tells up to an entry and shows this; False where it did so already, or is the board no more."""
    about = {"campaign": seen.campaign_id, "of": seen.post_id, "newest": upto, "now": shown}
    return bool(tx.execute(_MOVE_ON, about).rowcount)


def find_missing(
    tx: Connection, resolver: Resolver, staff: Person, campaign: Campaign, orders: Sequence[StandingOrder]
) -> list[Profile]:
    """Return the characters of whom orders are awaited: where a scene is on, of those who play in it as it says; else of all.

    Else that is all who are in play with an owner, for whom nothing is ordered, not for their squad either.
    """
    played = resolver.library.played(tx, campaign)
    gone = find_passed(tx, campaign, find_now(tx, staff, campaign)).keys()
    owned = [item for item in profiles.list_profiles(tx, campaign.id) if item.is_character and item.owner is not None]
    scenes = [scene for book in played if (scene := scene_of(tx, campaign.id, book))]
    if scenes:
        names = {name for scene in scenes for name in _in_scene(scene, orders)}
        return [item for item in owned if name_key(item.name) in names and item.id not in gone]
    ordered = {item.who.id for item in orders if item.lapsed is None}
    left = [item for item in owned if (ordered | gone).isdisjoint({item.id, item.squad_id})]
    numbers = {item.id for item in left}
    out = {number for book in played for number in find_out_of_play(tx, staff, campaign, book, numbers)}
    return [item for item in left if item.id not in out]


def _in_scene(scene: PlayedScene, orders: Sequence[StandingOrder]) -> Iterator[str]:
    """Yield what those are called (keys) of whom a scene awaits orders."""
    ordered = {name_key(item.who.name) for item in orders if item.lapsed is None}
    for doer in scene.orders.doers(scene.book, scene.values, None):
        for player in doer.awaited if name_key(doer.name) not in ordered else ():
            called = scene.orders.called(scene.book, scene.values, player)
            if called is not None:
                yield name_key(called)


BOARD: PostKind = "board"
"""The kind of its post, and what that is about."""

HOW = "-# Use `/order give`, or skip with `/order pass`. Only game masters see your orders."

MOST_PINGS = 80
"""How many people one message pings: their mentions are to fit into Discord's 2,000 characters."""

PAUSE = timedelta(hours=1)
"""How long after those awaited were pinged, or told of, they may be so again."""

log = logging.getLogger(__name__)


def read_board(tx: Connection, resolver: Resolver, campaign: Campaign) -> OrderBoard:
    """Return how the orders of the current update stand, as the staff may know it."""
    update, found = current_update(tx, campaign.id), all_orders(tx, campaign)
    staff = staff_of(resolver, campaign)
    orders = with_kinds(tx, campaign, resolver.library.played(tx, campaign), found)
    shut, work = campaign.archived_at is not None, Work(tx, resolver, staff, campaign)
    reasons, unanswered = ([], Unanswered()) if shut else resolution.find_waiting(work)
    who = find_missing(tx, resolver, staff, campaign, found)
    return OrderBoard(
        campaign, update["number"], update["name"], orders, who, reasons, unanswered, locked_since(tx, campaign)
    )


def post_board(tx: Connection, resolver: Resolver, person: Person, campaign_id: int) -> list[Post]:
    """Queue the board anew for the staff's channel, and take the buttons from an older one; the posts are the caller's to send."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id)
    require_game_master(person, campaign, "post the board of orders")
    before, board = kept_board(tx, campaign.id), read_board(tx, resolver, campaign)
    old = store.get_post(tx, campaign.id, before.post_id) if before else None
    message = OutgoingMessage(BOARD, campaign.staff_channel_id, embeds(board), BOARD, NO_PINGS, buttons(board))
    (queued,) = resolver.outbox.queue(tx, campaign.id, None, [message])
    upto = next_number(tx, campaign) - 1
    keep_board(tx, KeptBoard(campaign.id, queued.id, upto, _hash(queued.payload or "")))
    moved = discord.Embed(title="Orders", description="A newer board replaces this one.", colour=COLOURS["neutral"])
    return [*([resolver.outbox.revise(tx, old, [moved])] if old else []), queued]


class BoardClient(Protocol):
    """What draws boards: of the running bot."""

    database: Database
    resolver: Resolver


async def edit_stale(bot: BoardClient) -> list[Post]:
    """Return the boards that say something else since they were drawn, to be edited.

    Whatever is entered may change who is awaited or what waits. So a board is drawn again once its campaign has newer
    entries than it was drawn from: that is so after a crash too, and many entries make one edit. Where one cannot be drawn,
    the others are all the same; it is tried again with the next entry, or, where the database has failed, with the next look.
    """
    stale = await bot.database.read(stale_boards)
    edited = await asyncio.gather(*(_edit_board(bot, *item) for item in stale), return_exceptions=True)
    queued: list[Post] = []
    for (kept, upto), outcome in zip(stale, edited, strict=True):
        if not isinstance(outcome, BaseException):
            queued += outcome
            continue
        log_fault("board.bug", outcome, campaign=kept.campaign_id)
        if not isinstance(outcome, SQLAlchemyError):
            await bot.database.write(_revise_board, bot.resolver, kept, upto, None)
    return queued


async def _edit_board(bot: BoardClient, kept: KeptBoard, upto: int) -> list[Post]:
    drawn = await bot.database.read(_draw_board, bot.resolver, kept)
    return await bot.database.write(_revise_board, bot.resolver, kept, upto, drawn)


def _draw_board(tx: Connection, resolver: Resolver, kept: KeptBoard) -> OrderBoard | None:
    """Return a board as it is now; None where it stays as it is until more is entered, as with house rules that do not fit their book."""
    campaign = campaigns.get_campaign(tx, kept.campaign_id)
    try:
        return read_board(tx, resolver, campaign) if campaign else None
    except (UserError, RulesError) as problem:
        log.warning("board.unreadable", extra={"campaign": kept.campaign_id, "fault": str(problem)})
        return None


def _revise_board(
    tx: Connection, resolver: Resolver, kept: KeptBoard, upto: int, drawn: OrderBoard | None
) -> list[Post]:
    """Queue the edit of a board that shows something else by now and that nobody else has edited meanwhile."""
    shown = (embeds(drawn), buttons(drawn)) if drawn else None
    digits = _hash(encode_payload(shown[0], buttons=shown[1])) if shown else kept.shown
    moved_on = mark_drawn(tx, kept, upto, digits)
    old = store.get_post(tx, kept.campaign_id, kept.post_id)
    if shown and moved_on and digits != kept.shown and old is not None:
        return [resolver.outbox.revise(tx, old, shown[0], buttons=shown[1])]
    return []


def _hash(shown: str) -> str:
    return hashlib.sha256(shown.encode()).hexdigest()


def nudge(
    tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, unable: Collection[int] = ()
) -> list[Post]:
    """Queue a message that pings those who are awaited and nobody else, nor who is `unable` to order (user ids); it is the caller's to send."""
    board = _asked(tx, resolver, person, key, "nudge")
    if not board.campaign.may_ping(PLAYERS):
        what = f"{board.campaign.name} doesn't let me ping players."
        raise NotAsItIs(what, "Switch pings on with /campaign edit pings.")
    pings = news.players(tx, board.campaign, {item.id for item in board.awaited})
    pings = replace(pings, users=tuple(user for user in pings.users if user not in unable))
    if not pings:
        raise NotAsItIs("I can't find their players on this server.", "Ask them some other way.")
    text = f"Your orders for **{plain(board.name)}** are missing.\n{HOW}"
    starts = range(0, len(pings.users), MOST_PINGS)
    return _queue_request(
        tx, resolver, board, "nudge", text, [Pings(pings.users[at : at + MOST_PINGS]) for at in starts]
    )


def find_missing_players(tx: Connection, resolver: Resolver, campaign: Campaign) -> dict[int, list[str]]:
    """Return the names of those awaited by the user id of who plays them."""
    awaited = read_board(tx, resolver, campaign).awaited
    users = entries.find_users(tx, campaign.id, {item.owner for item in awaited if item.owner is not None})
    found: dict[int, list[str]] = {}
    for item in awaited:
        if item.owner in users:
            found.setdefault(users[item.owner], []).append(item.name)
    return found


def post_missing(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey) -> list[Post]:
    """Queue a message that tells everybody the names of those awaited, but for those saved as secret; refuses as `nudge`."""
    board = _asked(tx, resolver, person, key, "awaited")
    names = [plain(item.name) for item in board.awaited if not item.secret]
    if not names:
        raise NotAsItIs(
            "Only hidden characters are missing orders.", "Press Nudge: it pings their players without names."
        )
    text = f"Orders for **{plain(board.name)}** are missing from:\n{names_line(names)}\n{HOW}"
    return _queue_request(tx, resolver, board, "awaited", text)


def _asked(tx: Connection, resolver: Resolver, person: Person, key: UpdateKey, topic: str) -> OrderBoard:
    campaign = open_update(tx, person, key, "ask for orders")
    before = store.find_about(tx, campaign.id, news.NEWS, topic)
    if before is not None and resolver.ledger.now() - before.queued_at < PAUSE:
        raise NotAsItIs("That was done less than an hour ago.", "Give them a little time.")
    board = read_board(tx, resolver, campaign)
    if not board.awaited:
        raise NotAsItIs("Everyone has ordered or passed.", "Go on with /update resolve.")
    return board


def _queue_request(  # noqa: PLR0913, PLR0917 - what is told, and whom it pings
    tx: Connection, resolver: Resolver, board: OrderBoard, topic: str, text: str, pings: Sequence[Pings] = (NO_PINGS,)
) -> list[Post]:
    embed = discord.Embed(title="Orders needed", description=text, colour=COLOURS["neutral"])
    embed.set_footer(text=board.campaign.name)
    about = (news.NEWS, board.campaign.results_channel_id, [embed], topic)
    return resolver.outbox.queue(tx, board.campaign.id, None, [OutgoingMessage(*about, some) for some in pings])


def staff_of(resolver: Resolver, campaign: Campaign) -> Person:
    """Return the staff as somebody who looks at the board, which is edited whoever gives an order."""
    return Person(
        NOBODY,
        campaign.guild_id,
        frozenset({campaign.game_master_role_id}),
        manages_server=False,
        at=resolver.ledger.now(),
    )
