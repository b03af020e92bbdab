"""Rolls that wait for somebody else: asked, answered, withdrawn, or ended by a game master or their time.

The whole of it is one roll of the resolver, made in the transaction of the last answer or of its end: before that no face is
drawn. As a card is, it is a row that waits, and no part of the campaign's state.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, profiles
from bot.core.campaigns import PLAYERS, STAFF, Campaign, require_open
from bot.core.encoding import Json
from bot.core.permissions import Person, require_game_master, require_roller
from bot.core.visibility import make_viewer, require_part
from bot.errors import BadInput, NeedsReason, NotAllowed, NotOpen
from bot.outbox import store as posts
from bot.outbox.queue import OutgoingMessage, Pings
from bot.outbox.store import Post
from bot.rolls.cast import require_asked, require_procedure
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.pending import store
from bot.rolls.pending.messages import OVER, closed_embed, open_embed, post_buttons
from bot.rolls.pending.store import KIND, Answering, Pending, PendingState, Seat, SeatAnswer, Words
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from rules.errors import RollError

MAX_OPEN = 10
"""How many rolls of one member wait at once in a campaign."""
MOST_TRIED = 12
"""How many other answers are looked at where one cannot be used: a house default."""

_GONE = ("That roll no longer exists.", "Start again with its command.")

log = logging.getLogger(__name__)


class Ask(Struct, frozen=True):
    """What is asked in a channel (id): the roll as far as it stands, whose answers it waits for, how long, and its words.

    All who read the channel read these words.
    """

    channel_id: int
    request: RollRequest
    seats: tuple[Seat, ...]
    lasts: timedelta
    words: Words


class PendingRef(Struct, frozen=True):
    """Which roll that waits somebody uses, the message that it stands in, where others see that too, and the seat (from 1; 0 for whichever is theirs)."""

    campaign_id: int
    pending_id: str
    message_id: int | None = None
    seat: int = 0


class PendingRoll(Struct, frozen=True):
    """A roll that waits as it stands, or as it ended: its message as a post, if that is still known, and the roll, if it was made.

    `mine` are the places of the seats for which somebody can answer now; `closer` is the game master (user id) who let it
    be rolled before its time.
    """

    campaign: Campaign
    pending: Pending
    post: Post | None
    rolled: Rolled | None = None
    mine: tuple[int, ...] = ()
    closer: int | None = None

    def told(self) -> Sequence[Post]:
        """Return the post that tells how it stands, if it has one."""
        return () if self.post is None else (self.post,)


class RanOut(NotOpen):
    """The time of a roll that waits is over, though it still looked open: `end` ends it."""


def ask(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, asked: Ask) -> PendingRoll:
    """Let a roll wait for answers, in a campaign that is open and locked; the post is the caller's to send."""
    request, words, now = asked.request, asked.words, resolver.ledger.now()
    procedure = resolver.library.book(tx, campaign, request.book).procedure(request.family)
    require_procedure(person, campaign, procedure)
    require_asked(tx, make_viewer(tx, person, campaign), procedure.played, request)
    mine = [item for item in store.still_open(tx, campaign.id) if item.asker_id == person.user_id]
    if len(mine) >= MAX_OPEN:
        raise BadInput(f"You already have {len(mine)} open {words.noun}s.", f"Withdraw one: {words.listed}.")
    key, until = resolver.ledger.random_id(6), now + asked.lasts
    new = Pending(
        key, campaign.id, person.user_id, request, _seats(tx, campaign, asked), words, "open", None, now, until
    )
    if words.otherwise:  # what the bot is to roll at its time has to be a roll that can be made
        preview = _seen(tx, resolver, person, campaign, new)
        resolver.require_able(tx, make_viewer(tx, person, campaign), preview)
        preview.check()
        if preview.asks_reason and not request.reason:
            raise NeedsReason(preview.asks_reason, "Give a reason to roll anyway.")
    store.add(tx, new)
    embeds, buttons = [open_embed(new, campaign.name)], post_buttons(find_answering(resolver, new), new)
    message = OutgoingMessage(KIND, asked.channel_id, embeds, key, _pings(tx, campaign, new), buttons)
    (queued,) = resolver.outbox.queue(tx, campaign.id, None, [message])
    return PendingRoll(campaign, new, queued)


def look(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef, *, lock: bool = False) -> PendingRoll:
    """Return a roll that waits for an answer that the person may give now.

    Raises:
        NotOpen, NotAllowed, BadInput: it cannot be answered any more, or not by this person.

    """
    found = find(tx, ref, person, lock=lock)
    campaign, pending, words = found.campaign, found.pending, found.pending.words
    mine = [place for place in _places(tx, person, campaign, pending) if ref.seat in {0, place + 1}]
    if not mine and person.user_id == pending.asker_id:
        raise NotAllowed(f"This is your own {words.noun}: the other side answers it.", "You can withdraw it.")
    if not mine:
        raise NotAllowed(f"This {words.noun} isn't for you to answer.", "The player it names can answer it.")
    require_waiting(pending)
    if pending.expires_at <= resolver.ledger.now():
        then = "It's rolled without your answer." if words.otherwise else "Nothing was rolled."
        raise RanOut(f"That {words.noun} has expired. {then}", f"Make a new one with {words.make}.")
    left = tuple(place for place in mine if place in pending.missing)
    if not left:
        raise NotOpen(f"You have answered this {words.noun} already.", "It's rolled when everyone has.")
    require_open(campaign)
    resolver.library.require(campaign, pending.request.book)
    require_roller(person, campaign, pending.request.family, opened=True)
    return replace(found, mine=left)


def answer(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef, given: SeatAnswer) -> PendingRoll:
    """Answer for a seat; with the last answer all dice fall. The posts are the caller's to send.

    Raises:
        UserError, RollError: as `look`, or the answer cannot be used.

    """
    found = look(tx, resolver, person, ref, lock=True)
    place, how = found.mine[0], find_answering(resolver, found.pending)
    if given.choice not in how.pressed:
        raise NotOpen(*_GONE)
    request, seat = how.fold(found.pending.request, place, given), found.pending.seats[place]
    require_asked(tx, make_viewer(tx, person, found.campaign), [seat.role] if seat.users else [], request)
    pending = replace(found.pending.seated(place, by=person.user_id, draft=None), request=request)
    try:
        if not pending.awaited:
            return roll(tx, resolver, replace(found, pending=pending), person.user_id, person.interaction)
        if how.open:  # what was typed is refused to whoever has typed it, not to whoever answers last
            _seen(tx, resolver, person, found.campaign, pending).check()
    except RollError as problem:
        instead = _usable(tx, resolver, person, replace(found, pending=pending), place)
        if instead is None:
            raise
        raise RollError(f"{problem} {instead}") from problem
    return keep(tx, resolver, replace(found, pending=pending))


def _usable(tx: Connection, resolver: Resolver, person: Person, found: PendingRoll, place: int) -> str | None:
    """Return what is said of the first other answer of a seat (its place) that can be used; None where there is none."""
    others = find_answering(resolver, found.pending).others
    for told, request in islice(others(found.pending.request, place), MOST_TRIED) if others else ():
        with suppress(RollError):
            _seen(tx, resolver, person, found.campaign, replace(found.pending, request=request)).check()
            return told
    return None


def keep_draft(tx: Connection, ref: PendingRef, place: int, draft: dict[str, str]) -> None:
    """Keep what was typed as the answer of a seat and cannot be used, in place of what was typed before."""
    pending = find(tx, ref).pending
    if pending.state == "open":
        store.save(tx, pending.seated(place, draft=draft))


def close(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef) -> PendingRoll:
    """Roll before its time what would be rolled then, as a game master; refuses others, and what is over, as `withdraw` does."""
    found = find(tx, ref, person)
    require_game_master(person, found.campaign, "close open questions")
    require_waiting(found.pending)
    if not found.pending.words.otherwise:
        raise NotOpen(*_GONE)
    return roll(tx, resolver, replace(found, closer=person.user_id), found.pending.asker_id, person.interaction)


def find_waiting(tx: Connection, person: Person, campaign: Campaign) -> list[PendingRoll]:
    """Return what waits by and for somebody, the oldest first; for a game master all; refuses strangers with NotAllowed."""
    require_part(make_viewer(tx, person, campaign))
    found = []
    for pending in store.still_open(tx, campaign.id):
        mine = tuple(place for place in _places(tx, person, campaign, pending) if place in pending.missing)
        if mine or pending.asker_id == person.user_id or person.leads(campaign):
            found.append(replace(find_posted(tx, campaign, pending), mine=mine))
    return found


def list_unfinished(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield how many rolls wait while the campaign does not play by their book."""
    waiting_for = Counter((item.request.book, item.words.noun) for item in store.still_open(tx, campaign.id))
    for (book, noun), count in waiting_for.items():
        if book not in campaign.books:
            how_many = f"1 open {noun} waits" if count == 1 else f"{count} open {noun}s wait"
            yield f"{how_many} until {book} is switched on again. They can expire before that."


def roll(
    tx: Connection, resolver: Resolver, found: PendingRoll, user_id: int, interaction: int | None = None
) -> PendingRoll:
    """Roll with the answers that are in, and nobody's for the others; `interaction` is the press by which that happens, if any."""
    pending = replace(found.pending, request=_whole(resolver, found.pending))
    extra, secrets = partial(_asked, resolver, pending, found.closer), pending.request.staff
    about = (pending.campaign_id, user_id, pending.request, extra)
    rolled = resolver.roll(tx, RollOrder(*about, secrets=secrets, interaction=interaction))
    made = replace(found, pending=replace(pending, entry_number=rolled.entry.number), rolled=rolled)
    return end_as(tx, resolver, made, "closed" if pending.awaited else "answered")


def end_as(tx: Connection, resolver: Resolver, found: PendingRoll, state: PendingState) -> PendingRoll:
    """End it, without what was typed and could not be used."""
    seats = tuple(replace(seat, draft=None) for seat in found.pending.seats)
    return keep(tx, resolver, replace(found, pending=replace(found.pending, state=state, seats=seats)))


def keep(tx: Connection, resolver: Resolver, found: PendingRoll) -> PendingRoll:
    """Write down how it stands, and let its message say so."""
    pending, campaign = found.pending, found.campaign
    store.save(tx, pending)
    if found.post is None:
        return found
    if pending.state == "open":
        embed, buttons = open_embed(pending, campaign.name), post_buttons(find_answering(resolver, pending), pending)
    else:
        embed, buttons = closed_embed(pending, campaign, found.post, found.rolled, closer=found.closer), ()
    return replace(found, post=resolver.outbox.revise(tx, found.post, [embed], buttons=buttons))


def _asked(
    resolver: Resolver, pending: Pending, closer: int | None, tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    """Return who has asked and when, who has answered or closed it, and where its labels do not tell, who rolled for whom."""
    asker = resolver.ledger.actor(tx, made.campaign, pending.asker_id)
    given = [resolver.ledger.actor(tx, made.campaign, seat.by) if seat.by else None for seat in pending.seats]
    body: dict[str, Json] = {"asked": {"by": asker, "at": pending.opened_at.isoformat(), "answers": given}}
    if closer is not None:
        body["asked"]["closed"] = resolver.ledger.actor(tx, made.campaign, closer)
    procedure = made.book.procedure(made.request.family)
    if procedure.policy.again == "never":
        rolled = {seat.role: who for seat, who in zip(pending.seats, given, strict=True) if who and seat.role}
        body["by"] = {procedure.actor: asker, **rolled}
    return ExtraChanges(body=body)


def _seen(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, pending: Pending) -> Preview:
    """Return the preview of what waits as it would be rolled now, as somebody may know it."""
    viewer = None if person.leads(campaign) else make_viewer(tx, person, campaign)
    return resolver.preview(tx, campaign, _whole(resolver, pending), viewer)


def _whole(resolver: Resolver, pending: Pending) -> RollRequest:
    """Return the request with nobody's answer in the place of those that are missing."""
    request, how = pending.request, find_answering(resolver, pending)
    for place in pending.missing:
        request = how.fold(request, place, None)
    return how.made(request)


def find_answering(resolver: Resolver, pending: Pending) -> Answering:
    """Return how a roll that waits is answered; refuses with NotOpen what no feature knows any more."""
    how = resolver.extension.answering(pending.request)
    if how is None:
        raise NotOpen(*_GONE)
    return how


def find(tx: Connection, ref: PendingRef, person: Person | None = None, *, lock: bool = True) -> PendingRoll:
    """Return what waits, on the server of a person who asks for it, its campaign locked; NotOpen where it's gone."""
    campaign = campaigns.get_campaign(tx, ref.campaign_id, lock=lock)
    pending = store.get(tx, ref.campaign_id, ref.pending_id)
    if campaign is None or pending is None or (person and campaign.guild_id != person.guild_id):
        raise NotOpen(*_GONE)
    return find_posted(tx, campaign, pending, ref.message_id)


def find_posted(tx: Connection, campaign: Campaign, pending: Pending, message_id: int | None = None) -> PendingRoll:
    """Return it with its post; somebody who used its message tells its id, even if that was never noted."""
    post = posts.find_about(tx, campaign.id, KIND, pending.id)
    if post is not None and message_id is not None:
        post = replace(post, message_id=message_id)
    return PendingRoll(campaign, pending, post)


def _seats(tx: Connection, campaign: Campaign, asked: Ask) -> tuple[Seat, ...]:
    """Return the seats of what is asked; those who are secret stay so where not only the staff reads of it."""
    saved = profiles.read_profiles(tx, campaign.id, {seat.subject for seat in asked.seats if seat.subject})
    hidden = {number for number, item in saved.items() if item.secret and asked.channel_id != campaign.staff_channel_id}
    return tuple(replace(seat, secret=seat.subject in hidden) for seat in asked.seats)


def _players(tx: Connection, pending: Pending) -> list[set[int]]:
    """Return who may answer for each seat, as user ids: nobody where that is for the game masters."""
    saved = profiles.read_profiles(tx, pending.campaign_id, {seat.subject for seat in pending.seats if seat.subject})
    owners = {number: item.owner for number, item in saved.items() if item.owner}
    people = entries.find_users(tx, pending.campaign_id, owners.values()) if owners else {}
    played = {number: people[owner] for number, owner in owners.items() if owner in people}
    return [{*seat.users, *({played[seat.subject]} if seat.subject in played else ())} for seat in pending.seats]


def _places(tx: Connection, person: Person, campaign: Campaign, pending: Pending) -> list[int]:
    """Return the places of the seats that are somebody's to answer for, whether they have or not."""
    players = enumerate(_players(tx, pending))
    return [place for place, users in players if person.user_id in users or (not users and person.leads(campaign))]


def _pings(tx: Connection, campaign: Campaign, pending: Pending) -> Pings:
    """Return who is asked, as far as the campaign lets them be pinged, and that gives nobody away."""
    players = [users for users, seat in zip(_players(tx, pending), pending.seats, strict=True) if not seat.secret]
    users = sorted(set().union(*players)) if campaign.may_ping(PLAYERS) else ()
    led = campaign.may_ping(STAFF) and not all(players)
    return Pings(tuple(users), (campaign.game_master_role_id,) if led else ())


def require_waiting(pending: Pending) -> None:
    """Refuse what doesn't wait any more: NotOpen says what became of it."""
    if pending.state != "open":
        rolled, words = pending.entry_number, pending.words
        do = f"Make a new one with {words.make}." if rolled is None else "See it with /ledger show."
        raise NotOpen(f"This {words.noun} {OVER[pending.state][2].format(rolled)}", do)
