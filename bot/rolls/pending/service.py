"""Rolls that wait for others: asked, answered, withdrawn, or ended by a game master or their time.

Each is one roll, made in the transaction of the last answer or of its end: no face is drawn before. Like a card, it is a row.
"""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries, outages, profiles, records, visibility
from bot.core.campaigns import STAFF, Campaign, require_open
from bot.core.errors import BadInput, NeedsReason, NotAllowed, NotOpen, UserError
from bot.core.permissions import Person, require_game_master, require_roller
from bot.outbox import queue as posts
from bot.outbox.queue import OutgoingMessage, Pings
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.pending import store
from bot.rolls.pending.messages import OVER, link_results, make_closed_embed, open_embed, post_buttons
from bot.rolls.pending.store import KIND, NOBODY, AnswerRules, Pending, PendingState, Seat, SeatAnswer, Words
from bot.rolls.preview import Preview, require_asked, require_procedure
from bot.rolls.request import RollRequest
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from rules.errors import RollError, RulesError

MAX_OPEN = 10
MOST_TRIED = 12
"""Other answers tried where one is refused: a house default."""

_GONE = ("That roll no longer exists.", "Start again with its command.")
log = logging.getLogger(__name__)


class Ask(Struct, frozen=True):
    """What is asked in a channel (id): the roll so far, seats, time and words. All readers see the words."""

    channel_id: int
    request: RollRequest
    seats: tuple[Seat, ...]
    lasts: timedelta
    words: Words


class PendingRef(Struct, frozen=True):
    """A waiting roll, its public message if it was used there, and a seat (from 1; 0 is one's own)."""

    campaign_id: int
    pending_id: str
    message_id: int | None = None
    seat: int = 0


class PendingRoll(Struct, frozen=True):
    """A waiting roll with its post. `mine` are seats (places) to answer now; `closer` (user id) rolled early."""

    campaign: Campaign
    pending: Pending
    post: posts.Post | None
    rolled: RollResult | None = None
    mine: tuple[int, ...] = ()
    closer: int | None = None

    def own_posts(self) -> Sequence[posts.Post]:
        """Return the post of the question, if it has one."""
        return () if self.post is None else (self.post,)


class RanOut(NotOpen):
    """A waiting roll's time is over though it looked open: `end` ends it."""


def ask(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, asked: Ask) -> PendingRoll:
    """Let a roll wait for answers, in a campaign that is open and locked. The caller sends the post."""
    request, words, now = asked.request, asked.words, resolver.ledger.now()
    procedure = resolver.library.book(tx, campaign, request.book).procedure(request.family)
    require_procedure(person, campaign, procedure)
    require_asked(tx, visibility.make_viewer(tx, person, campaign), procedure.roller_roles, request)
    mine = [item for item in store.list_open(tx, campaign.id) if item.asker_id == person.user_id]
    if len(mine) >= MAX_OPEN:
        raise BadInput(f"You already have {len(mine)} open {words.noun}s.", f"Withdraw one: {words.listed}.")
    key, until = resolver.ledger.random_id(6), now + asked.lasts
    saved = profiles.read_profiles(tx, campaign.id, {seat.subject for seat in asked.seats if seat.subject})
    hidden = {number for number, item in saved.items() if item.secret and asked.channel_id != campaign.staff_channel_id}
    seats = tuple(replace(seat, secret=seat.subject in hidden) for seat in asked.seats)
    new = Pending(key, campaign.id, person.user_id, request, seats, words, "open", None, now, until)
    if words.otherwise:  # what the bot is to roll at its time has to be a roll that can be made
        preview = _preview(tx, resolver, person, campaign, new)
        resolver.require_able(tx, visibility.make_viewer(tx, person, campaign), preview)
        preview.check()
        if preview.asks_reason and not request.reason:
            raise NeedsReason(preview.asks_reason, "Give a reason to roll anyway.")
    store.add(tx, new)
    embeds, buttons = [open_embed(new, campaign.name)], post_buttons(find_answering(resolver, new), new)
    message = OutgoingMessage(KIND, asked.channel_id, embeds, key, _find_pings(tx, campaign, new), buttons)
    (queued,) = resolver.outbox.queue(tx, campaign.id, None, [message])
    return PendingRoll(campaign, new, queued)


def read_pending(
    tx: Connection, resolver: Resolver, person: Person, ref: PendingRef, *, lock: bool = False
) -> PendingRoll:
    """Return a roll that the person may answer now. NotOpen, NotAllowed or BadInput if not."""
    found = find(tx, ref, person, lock=lock)
    campaign, pending, words = found.campaign, found.pending, found.pending.words
    mine = [place for place in _find_places(tx, person, campaign, pending) if ref.seat in {0, place + 1}]
    if not mine and person.user_id == pending.asker_id:
        raise NotAllowed(f"This is your own {words.noun}: the other side answers it.", "You can withdraw it.")
    if not mine:
        raise NotAllowed(f"This {words.noun} isn't for you to answer.", "The player it names can answer it.")
    _require_waiting(pending)
    if pending.expires_at <= resolver.ledger.now():
        then = "It's rolled without your answer." if words.otherwise else "Nothing was rolled."
        raise RanOut(f"That {words.noun} has expired. {then}", f"Make a new one with {words.make}.")
    left = tuple(place for place in mine if place in pending.places_left)
    if not left:
        raise NotOpen(f"You have answered this {words.noun} already.", "It's rolled when everyone has.")
    require_open(campaign)
    resolver.library.require(campaign, pending.request.book)
    require_roller(person, campaign, pending.request.family, opened=True)
    return replace(found, mine=left)


def answer(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef, given: SeatAnswer) -> PendingRoll:
    """Answer for a seat; the last answer rolls. The caller sends the posts."""
    found = read_pending(tx, resolver, person, ref, lock=True)
    place, how = found.mine[0], find_answering(resolver, found.pending)
    buttons = {word for word in how.choices if word not in how.open}
    if given.choice not in buttons | ({""} if how.open or not how.choices else set()):
        raise NotOpen(*_GONE)
    request, seat = how.fold(found.pending.request, place, given), found.pending.seats[place]
    require_asked(tx, visibility.make_viewer(tx, person, found.campaign), [seat.role] if seat.users else [], request)
    pending = replace(found.pending.with_seat(place, by=person.user_id, draft=None), request=request)
    try:
        if not pending.open_places:
            return roll(tx, resolver, replace(found, pending=pending), person.user_id, person.interaction)
        if how.open:  # refuse a typed answer to who typed it, not to who answers last
            _preview(tx, resolver, person, found.campaign, pending).check()
    except RollError as problem:
        instead = _find_usable(tx, resolver, person, replace(found, pending=pending), place)
        if instead is None:
            raise
        raise RollError(f"{problem} {instead}") from problem
    return keep(tx, resolver, replace(found, pending=pending))


def _find_usable(tx: Connection, resolver: Resolver, person: Person, found: PendingRoll, place: int) -> str | None:
    others = find_answering(resolver, found.pending).others
    for description, request in islice(others(found.pending.request, place), MOST_TRIED) if others else ():
        with suppress(RollError):
            _preview(tx, resolver, person, found.campaign, replace(found.pending, request=request)).check()
            return description
    return None


def keep_draft(tx: Connection, ref: PendingRef, place: int, draft: dict[str, str]) -> None:
    """Keep a typed answer that was refused, for its next window."""
    pending = find(tx, ref).pending
    if pending.state == "open":
        store.save(tx, pending.with_seat(place, draft=draft))


def close(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef) -> PendingRoll:
    """Roll before all answers are in, as a game master."""
    found = find(tx, ref, person)
    require_game_master(person, found.campaign, "close open questions")
    _require_waiting(found.pending)
    if not found.pending.words.otherwise:
        raise NotOpen(*_GONE)
    return roll(tx, resolver, replace(found, closer=person.user_id), found.pending.asker_id, person.interaction)


def find_waiting(tx: Connection, person: Person, campaign: Campaign) -> list[PendingRoll]:
    """Return waiting rolls that a person asked for or may answer, oldest first; for a game master, all."""
    visibility.require_part(visibility.make_viewer(tx, person, campaign))
    found = []
    for pending in store.list_open(tx, campaign.id):
        mine = tuple(place for place in _find_places(tx, person, campaign, pending) if place in pending.places_left)
        if mine or pending.asker_id == person.user_id or person.leads(campaign):
            found.append(replace(_find_posted(tx, campaign, pending), mine=mine))
    return found


def roll(
    tx: Connection, resolver: Resolver, found: PendingRoll, user_id: int, interaction: int | None = None
) -> PendingRoll:
    """Roll with the answers that are in. `interaction` is the press, if any."""
    pending = replace(found.pending, request=_complete(resolver, found.pending))
    extra, secrets = partial(_add_askers, resolver, pending, found.closer), pending.request.staff
    about = (pending.campaign_id, user_id, pending.request, extra)
    rolled = resolver.roll(tx, RollOrder(*about, secrets=secrets, interaction=interaction))
    made = replace(found, pending=replace(pending, entry_number=rolled.entry.number), rolled=rolled)
    return _end_as(tx, resolver, made, "closed" if pending.open_places else "answered")


def _end_as(tx: Connection, resolver: Resolver, found: PendingRoll, state: PendingState) -> PendingRoll:
    seats = tuple(replace(seat, draft=None) for seat in found.pending.seats)
    return keep(tx, resolver, replace(found, pending=replace(found.pending, state=state, seats=seats)))


def keep(tx: Connection, resolver: Resolver, found: PendingRoll) -> PendingRoll:
    """Save a waiting roll and queue the edit of its message."""
    pending, campaign = found.pending, found.campaign
    store.save(tx, pending)
    if found.post is None:
        return found
    if pending.state == "open":
        embed, buttons = open_embed(pending, campaign.name), post_buttons(find_answering(resolver, pending), pending)
    else:
        embed, buttons = make_closed_embed(pending, campaign, found.post, found.rolled, closer=found.closer), ()
    return replace(found, post=resolver.outbox.revise(tx, found.post, [embed], buttons=buttons))


def _add_askers(
    resolver: Resolver, pending: Pending, closer: int | None, tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    asker = resolver.ledger.actor(tx, made.campaign, pending.asker_id)
    given = [resolver.ledger.actor(tx, made.campaign, seat.by) if seat.by else None for seat in pending.seats]
    body: dict[str, records.Json] = {"asked": {"by": asker, "at": pending.opened_at.isoformat(), "answers": given}}
    if closer is not None:
        body["asked"]["closed"] = resolver.ledger.actor(tx, made.campaign, closer)
    procedure = made.book.procedure(made.request.family)
    if procedure.policy.again == "never":
        rolled = {seat.role: who for seat, who in zip(pending.seats, given, strict=True) if who and seat.role}
        body["by"] = {procedure.actor: asker, **rolled}
    return ExtraChanges(body=body)


def _preview(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, pending: Pending) -> Preview:
    viewer = None if person.leads(campaign) else visibility.make_viewer(tx, person, campaign)
    return resolver.preview(tx, campaign, _complete(resolver, pending), viewer)


def _complete(resolver: Resolver, pending: Pending) -> RollRequest:
    request, how = pending.request, find_answering(resolver, pending)
    for place in pending.places_left:
        request = how.fold(request, place, None)
    return how.made(request) if how.made else request


def find_answering(resolver: Resolver, pending: Pending) -> AnswerRules:
    """Return the rules for answering a roll; NotOpen if no feature has any."""
    how = resolver.extension.find_answering(pending.request)
    if how is None:
        raise NotOpen(*_GONE)
    return how


def find(tx: Connection, ref: PendingRef, person: Person | None = None, *, lock: bool = True) -> PendingRoll:
    """Return a waiting or ended roll on the person's server; NotOpen if it doesn't exist."""
    campaign = campaigns.get_campaign(tx, ref.campaign_id, lock=lock)
    pending = store.get(tx, ref.campaign_id, ref.pending_id)
    if campaign is None or pending is None or (person and campaign.guild_id != person.guild_id):
        raise NotOpen(*_GONE)
    return _find_posted(tx, campaign, pending, ref.message_id)


def _find_posted(tx: Connection, campaign: Campaign, pending: Pending, message_id: int | None = None) -> PendingRoll:
    post = posts.find_about(tx, campaign.id, KIND, pending.id)
    if post is not None and message_id is not None:
        post = replace(post, message_id=message_id)
    return PendingRoll(campaign, pending, post)


def _players(tx: Connection, pending: Pending) -> list[set[int]]:
    saved = profiles.read_profiles(tx, pending.campaign_id, {seat.subject for seat in pending.seats if seat.subject})
    owners = {number: item.owner for number, item in saved.items() if item.owner}
    people = entries.find_users(tx, pending.campaign_id, owners.values()) if owners else {}
    played = {number: people[owner] for number, owner in owners.items() if owner in people}
    return [{*seat.users, *({played[seat.subject]} if seat.subject in played else ())} for seat in pending.seats]


def _find_places(tx: Connection, person: Person, campaign: Campaign, pending: Pending) -> list[int]:
    players = enumerate(_players(tx, pending))
    return [place for place, users in players if person.user_id in users or (not users and person.leads(campaign))]


def _find_pings(tx: Connection, campaign: Campaign, pending: Pending) -> Pings:
    seats = zip(_players(tx, pending), pending.seats, strict=True)
    players = [users for users, seat in seats if not (seat.secret or seat.unseen)]
    users = campaigns.find_called(tx, campaign, (), pending.asker_id, set().union(*players))
    led = campaign.may_ping(STAFF) and not all(players)
    return Pings(users, (campaign.game_master_role_id,) if led else ())


def _require_waiting(pending: Pending) -> None:
    if pending.state != "open":
        rolled, words = pending.entry_number, pending.words
        do = f"Make a new one with {words.make}." if rolled is None else "See it with /ledger."
        raise NotOpen(f"This {words.noun} {OVER[pending.state][2].format(rolled)}", do)


def withdraw(tx: Connection, resolver: Resolver, person: Person, ref: PendingRef) -> PendingRoll:
    """Withdraw a waiting roll, as its asker or a game master. If its time is over, end it instead."""
    found = find(tx, ref, person)
    if person.user_id != found.pending.asker_id and not person.leads(found.campaign):
        what = f"Only {found.pending.words.name} or a game master can withdraw this."
        raise NotAllowed(what, "You can also leave it unanswered.")
    _require_waiting(found.pending)
    overdue = found.pending.expires_at <= resolver.ledger.now()
    return end(tx, resolver, ref) if overdue else _end_as(tx, resolver, found, "withdrawn")


def end(tx: Connection, resolver: Resolver, ref: PendingRef) -> PendingRoll:
    """Roll without the missing answers, or let the roll expire. If it ended before, return it without its post."""
    found = find(tx, ref)
    if found.pending.state != "open":
        return replace(found, post=None)
    if found.pending.words.otherwise:
        try:
            return roll(tx, resolver, found, found.pending.asker_id)
        except (UserError, RulesError) as problem:  # raised ahead of the dice, when nothing has been written
            log.warning("pending.refused", extra={"campaign": found.campaign.id, "fault": str(problem)})
    return _end_as(tx, resolver, found, "expired")


async def end_overdue(client: Any) -> list[posts.Post]:  # noqa: ANN401 - `bot.client.Adjutant`, which is above this module
    """End all rolls whose time is over, each in a transaction by itself; the caller sends the posts."""
    due = await client.database.read(store.list_overdue, client.ledger.now())
    return await outages.do_each((end_one(client, PendingRef(*key)) for key in due), "pending.bug")


async def end_one(client: Any, ref: PendingRef) -> Sequence[posts.Post]:  # noqa: ANN401 - as above
    """End a waiting roll whose time is over and send its result; the caller sends the posts it returns."""
    over: PendingRoll = await client.database.write(end, client.resolver, ref)
    if over.rolled is None:
        return over.own_posts()
    sent = await client.outbox.send(client, over.rolled.posts)
    return await link_results(client, sent, over.own_posts())


def settle(tx: Connection, resolver: Resolver, campaign: Campaign, _entry: records.Entry) -> Iterator[posts.Post]:
    """Go on with waiting rolls without people who can't take part any more; yield posts."""
    for pending in store.list_open(tx, campaign.id):
        how = resolver.extension.find_answering(pending.request)
        if how is None or how.there is None:
            continue
        asked_for = {seat.subject for seat in pending.seats if seat.subject is not None}
        there, found = how.there(tx, campaign, pending.request, asked_for), _find_posted(tx, campaign, pending)
        left = pending if there is None else _without_absent(how, pending, there)
        if there is None:
            yield from _end_as(tx, resolver, found, "withdrawn").own_posts()
        elif left != pending:
            yield from _go_on(tx, resolver, replace(found, pending=left))


def _without_absent(how: AnswerRules, pending: Pending, there: Collection[int]) -> Pending:
    for place, seat in enumerate(pending.seats):
        if seat.subject is not None and seat.subject not in there and seat.by != NOBODY:
            request = how.fold(pending.request, place, None)
            pending = replace(pending.with_seat(place, by=NOBODY, unseen=True, draft=None), request=request)
    return pending


def _go_on(tx: Connection, resolver: Resolver, found: PendingRoll) -> Iterator[posts.Post]:
    if found.pending.open_places:
        yield from keep(tx, resolver, found).own_posts()
        return
    try:
        made = roll(tx, resolver, found, found.pending.asker_id)
    except (UserError, RulesError) as problem:  # as `end`
        log.warning("pending.refused", extra={"campaign": found.campaign.id, "fault": str(problem)})
        made = _end_as(tx, resolver, found, "withdrawn")
    yield from (*(made.rolled.posts if made.rolled else ()), *made.own_posts())
