"""Challenges: one member brings a side to a contest, another answers with the other; withdrawn, or run out unanswered.

The whole contest is one roll of the resolver, made in the transaction of the answer: before it no face is drawn. As a card
is, a challenge is a row that waits, and no part of the campaign's state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.infinity import store
from bot.cogs.infinity.challenge_embed import challenger, closed_embed, open_embed
from bot.cogs.infinity.sides import Contestant
from bot.cogs.infinity.store import Challenge, ChallengeState
from bot.core import campaigns
from bot.core.campaigns import PLAYERS, Campaign, locate, open_campaign, require_open
from bot.core.permissions import Person, require_roller
from bot.core.records import Entry
from bot.errors import BadInput, NotAllowed, NotOpen
from bot.feature import Client
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import NO_PINGS, OutgoingMessage, Pings
from bot.outbox.store import Post, PostKind
from bot.rolls.commands import whither
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import RollRequest, To, joined
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from rules.books.infinity.face_to_face import PROCEDURE

BOOK = "infinity"
HOURS, MAX_HOURS = 72, 168
"""How long a challenge waits unless it says otherwise, and at most."""

MAX_OPEN = 10
"""How many challenges of one member wait at once in a campaign."""

KIND: PostKind = "challenge"
_GONE = ("That challenge is gone.", "Make a new one with /infinity versus.")


class Opponent(Struct, frozen=True):
    """Somebody who is challenged: what they may do, their name, whether they are a bot, and see where it is posted."""

    person: Person
    name: str
    bot: bool
    sees: bool


class ChallengeCommand(Struct, frozen=True):
    """A challenge as it was typed: where (channel ids, nearest first), against whom (None: no member), with what.

    `named` says that the challenger rolls under another name than their own; `to` and `here` are as for `RollCommand`.
    """

    channels: Sequence[int]
    opponent: Opponent | None
    contestant: Contestant
    note: str | None
    hours: int | None
    named: bool = True
    to: To = "auto"
    here: int | None = None


class ChallengeRef(Struct, frozen=True):
    """Which challenge somebody uses, and the message that it stands in, where others see that too."""

    campaign_id: int
    challenge_id: str
    message_id: int | None = None


class PostedChallenge(Struct, frozen=True):
    """A challenge as it stands, its campaign, and its message in a channel as a post, if it is still known."""

    campaign: Campaign
    challenge: Challenge
    post: Post | None

    @property
    def posts(self) -> tuple[Post, ...]:
        """The post, where there is one."""
        return () if self.post is None else (self.post,)


class AnsweredChallenge(Struct, frozen=True):
    """A challenge that is answered: the roll, and how it stands, with the post that tells of it."""

    rolled: Rolled
    closed: PostedChallenge


class RanOut(NotOpen):
    """The time of a challenge is over, though it still looked open: `run_out` closes it."""

    def __init__(self) -> None:
        super().__init__("That challenge has run out. Nothing was rolled.", "Make a new one with /infinity versus.")


def make(tx: Connection, resolver: Resolver, person: Person, command: ChallengeCommand) -> PostedChallenge:
    """Challenge a member; the post is the caller's to send.

    Raises:
        NoCampaign, NotOpen, NotAllowed, BadInput: it cannot be done here, by this person, or against that one.

    """
    if command.to != "auto":
        raise BadInput(
            "The result of a challenge is for both sides to see.", "Let it go here, or to the results channel."
        )
    note = parsing.text(command.note, "note")
    campaign = open_campaign(tx, locate(tx, person.guild_id, command.channels).id)
    resolver.library.require(campaign, BOOK)
    require_roller(person, campaign, PROCEDURE.family, opened=True)
    opponent = _checked_opponent(command.opponent, person, campaign)
    _require_room(tx, campaign, person)
    now = resolver.ledger.now()
    new = Challenge(
        id=resolver.ledger.random_id(6),
        campaign_id=campaign.id,
        challenger_id=person.user_id,
        opponent_id=opponent.user_id,
        request=_first_half(campaign, command, note).model_dump(mode="json"),
        state="open",
        entry_number=None,
        opened_at=now,
        expires_at=now + timedelta(hours=command.hours or HOURS),
    )
    store.add(tx, new)
    embed = open_embed(new, campaign.name, named=command.named)
    pings = Pings(users=(new.opponent_id,)) if campaign.may_ping(PLAYERS) else NO_PINGS
    message = OutgoingMessage(KIND, command.channels[0], [embed], new.id, pings=pings)
    (queued,) = resolver.outbox.queue(tx, campaign.id, None, [message])
    return PostedChallenge(campaign, new, queued)


def look(tx: Connection, resolver: Resolver, person: Person, ref: ChallengeRef) -> Challenge:
    """Return a challenge that the person may answer now.

    Raises:
        NotOpen, NotAllowed: it cannot be answered any more, or not by this person.

    """
    return _answerable(tx, resolver, person, ref, lock=False).challenge


def answer(
    tx: Connection, resolver: Resolver, person: Person, ref: ChallengeRef, contestant: Contestant
) -> AnsweredChallenge:
    """Answer a challenge: the dice of both sides fall now. The posts are the caller's to send.

    Raises:
        NotOpen, NotAllowed: it cannot be answered any more, or not by this person.
        BadInput: both sides have the same name.

    """
    posted = _answerable(tx, resolver, person, ref)
    request = _whole_contest(posted.challenge, contestant)
    by = resolver.ledger.actor(tx, posted.campaign, posted.challenge.challenger_id)
    me = resolver.ledger.actor(tx, posted.campaign, person.user_id)
    body = {"challenge": {"by": by, "at": posted.challenge.opened_at.isoformat()}, "by": {"a": by, "b": me}}
    extra = partial(_with_challenger, ExtraChanges(body=body))
    rolled = resolver.roll(tx, RollOrder(posted.campaign.id, person.user_id, request, extra))
    answered = replace(posted.challenge, state="answered", entry_number=rolled.entry.number)
    return AnsweredChallenge(rolled, _close(tx, resolver.outbox, replace(posted, challenge=answered), rolled.entry))


def withdraw(tx: Connection, resolver: Resolver, person: Person, ref: ChallengeRef) -> PostedChallenge:
    """Take a challenge back, as who has made it or as a game master; the post is the caller's to send.

    Raises:
        NotOpen, NotAllowed: it is over already, or not the person's to withdraw.

    """
    posted = _find(tx, person, ref, lock=True)
    if person.user_id != posted.challenge.challenger_id and not person.leads(posted.campaign):
        raise NotAllowed(
            "Only who has made this challenge takes it back, or a game master.",
            "Leave it unanswered, and it runs out by itself.",
        )
    _require_waiting(posted.challenge)
    state: ChallengeState = "expired" if posted.challenge.overdue(resolver.ledger.now()) else "withdrawn"
    return _close(tx, resolver.outbox, replace(posted, challenge=replace(posted.challenge, state=state)))


def waiting(tx: Connection, person: Person, campaign: Campaign) -> list[PostedChallenge]:
    """Return the open challenges by and against a person, the oldest first; for a game master all of the campaign."""
    who = None if person.leads(campaign) else person.user_id
    return [_posted(tx, campaign, item) for item in store.still_open(tx, campaign.id, who)]


def unfinished(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield how many challenges wait while the campaign does not play by the book."""
    count = 0 if BOOK in campaign.books else len(store.still_open(tx, campaign.id, None))
    if count:
        how_many = "1 open challenge waits" if count == 1 else f"{count} open challenges wait"
        yield f"{how_many} until {BOOK} is on again, if time does not run out before."


def run_out(tx: Connection, outbox: Outbox, campaign_id: int, challenge_id: str) -> PostedChallenge:
    """Close a challenge whose time is over; one that was closed meanwhile owes no post.

    Raises:
        NotOpen: it is gone.

    """
    campaign = campaigns.get(tx, campaign_id, lock=True)
    challenge = store.get(tx, campaign_id, challenge_id)
    if campaign is None or challenge is None:
        raise NotOpen(*_GONE)
    if challenge.state != "open":
        return PostedChallenge(campaign, challenge, None)
    return _close(tx, outbox, _posted(tx, campaign, replace(challenge, state="expired")))


async def expire(client: Client) -> list[Post]:
    """Let all challenges run out whose time is over; return the posts that tell of it, which are the caller's to send."""
    due = await client.database.read(store.overdue, client.ledger.now())
    closed = [await client.database.write(run_out, client.outbox, item.campaign_id, item.id) for item in due]
    return [post for item in closed for post in item.posts]


def _close(tx: Connection, outbox: Outbox, over: PostedChallenge, roll: Entry | None = None) -> PostedChallenge:
    """Write down how a challenge ended, and let its message say so."""
    store.close(tx, over.challenge)
    if over.post is None:
        return over
    embed = closed_embed(over.challenge, over.campaign.name, roll)
    return replace(over, post=outbox.revise(tx, over.post, [embed]))


def _posted(tx: Connection, campaign: Campaign, challenge: Challenge, message_id: int | None = None) -> PostedChallenge:
    """Return a challenge with its post; somebody who used its message tells its id, even if that was never noted."""
    post = posts.about(tx, campaign.id, KIND, challenge.id)
    if post is not None and message_id is not None:
        post = replace(post, message_id=message_id)
    return PostedChallenge(campaign, challenge, post)


def _first_half(campaign: Campaign, command: ChallengeCommand, note: str | None) -> RollRequest:
    """Return the contest as far as the challenger tells it."""
    to, here = whither(campaign, command.channels, command.to, command.here)
    part = command.contestant.part("a")
    return RollRequest(book=BOOK, family=PROCEDURE.family, parts=(part,), note=note, to=to, here=here)


def _whole_contest(challenge: Challenge, contestant: Contestant) -> RollRequest:
    """Return the contest with both sides.

    Raises:
        BadInput: they have the same name.

    """
    request = RollRequest.model_validate(challenge.request)
    parsing.refuse_both((challenger(challenge),), (contestant.name,))
    return request.with_part(0, joined(request.parts[0], contestant.part("b")))


def _with_challenger(changes: ExtraChanges, _tx: Connection, _made: ResolvedRoll) -> ExtraChanges:
    """Return who has made a challenge, and when, for the entry of its roll."""
    return changes


def _answerable(
    tx: Connection, resolver: Resolver, person: Person, ref: ChallengeRef, *, lock: bool = True
) -> PostedChallenge:
    """Return a challenge that the person may answer now.

    Raises:
        NotOpen, NotAllowed: it cannot be answered any more, or not by this person.

    """
    posted = _find(tx, person, ref, lock=lock)
    campaign, challenge = posted.campaign, posted.challenge
    if person.user_id == challenge.challenger_id:
        raise NotAllowed("You have made this challenge: the other side answers it.", "You can withdraw it.")
    if person.user_id != challenge.opponent_id:
        raise NotAllowed(f"This challenge of {challenger(challenge)} is for somebody else to answer.")
    _require_waiting(challenge)
    if challenge.overdue(resolver.ledger.now()):
        raise RanOut
    require_open(campaign)
    resolver.library.require(campaign, BOOK)
    require_roller(person, campaign, PROCEDURE.family, opened=True)
    return posted


def _find(tx: Connection, person: Person, ref: ChallengeRef, *, lock: bool) -> PostedChallenge:
    campaign = campaigns.get(tx, ref.campaign_id, lock=lock)
    challenge = store.get(tx, ref.campaign_id, ref.challenge_id)
    if campaign is None or challenge is None or campaign.guild_id != person.guild_id:
        raise NotOpen(*_GONE)
    return _posted(tx, campaign, challenge, ref.message_id)


def _require_waiting(challenge: Challenge) -> None:
    if challenge.state == "answered":
        raise NotOpen(f"This challenge is answered: entry #{challenge.entry_number}.", "See it with /ledger show.")
    if challenge.state != "open":
        how = "was withdrawn" if challenge.state == "withdrawn" else "has run out"
        raise NotOpen(f"This challenge {how}. Nothing was rolled.", "Make a new one with /infinity versus.")


def _checked_opponent(opponent: Opponent | None, person: Person, campaign: Campaign) -> Person:
    """Return whoever is challenged, when they can answer.

    Raises:
        BadInput: they cannot.

    """
    if opponent is None:
        raise BadInput("That one is not on this server.", "Challenge a member, or type what the other side has.")
    if opponent.bot:
        raise BadInput(f"{opponent.name} is a bot and answers no challenge.", "Type what the other side has instead.")
    who = opponent.person
    if who.user_id == person.user_id:
        raise BadInput("You cannot challenge yourself.", "Type what the other side has instead.")
    if not who.plays(campaign) and not who.leads(campaign):
        raise BadInput(
            f"{opponent.name} takes no part in {campaign.name}.",
            "Somebody who manages the server gives the player role.",
        )
    if not opponent.sees:
        raise BadInput(f"{opponent.name} cannot see this channel: challenge them where they can answer.")
    return who


def _require_room(tx: Connection, campaign: Campaign, person: Person) -> None:
    mine = [item for item in store.still_open(tx, campaign.id, person.user_id) if item.challenger_id == person.user_id]
    if len(mine) >= MAX_OPEN:
        raise BadInput(f"{len(mine)} challenges of yours wait already.", "Withdraw one: /infinity challenges.")
