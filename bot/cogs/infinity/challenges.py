"""Challenges: one member brings a side to a contest, another answers with the other; withdrawn, or run out unanswered.

The whole contest is one roll of the resolver, made in the transaction of the answer: before it no face is drawn. As a card
is, a challenge is a row that waits, and no part of the campaign's state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from sqlalchemy import Connection

from bot.cogs.infinity import store
from bot.cogs.infinity.challenge_embed import challenger, closed_embed, open_embed
from bot.cogs.infinity.store import Challenge, ChallengeState
from bot.core import campaigns
from bot.core.campaigns import Campaign, locate, open_campaign, require_open
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.permissions import Person, require_roller
from bot.core.records import Entry
from bot.errors import BadInput, NotAllowed, NotOpen
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from rules.books.infinity.face_to_face import PROCEDURE
from rules.books.infinity.skill import Side

BOOK = "infinity"
HOURS, MAX_HOURS = 72, 168
"""How long a challenge waits unless it says otherwise, and at most."""

MAX_OPEN = 10
"""How many challenges of one member wait at once in a campaign."""

KIND: PostKind = "challenge"


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who is challenged: what they may do, their name, whether they are a bot, and see where it is posted."""

    person: Person
    name: str
    bot: bool
    sees: bool


@dataclass(frozen=True, slots=True)
class Entrant:
    """One side of a contest under its name."""

    name: str
    side: Side


@dataclass(frozen=True, slots=True)
class Offer:
    """A challenge as it was typed: where (channel ids, nearest first), against whom (None: no member), with what.

    `named` says that the challenger rolls under another name than their own.
    """

    channels: Sequence[int]
    opponent: Member | None
    entrant: Entrant
    note: str | None
    hours: int | None
    named: bool = True


@dataclass(frozen=True, slots=True)
class Press:
    """Which challenge somebody has pressed a button of, and the message that it stands in, where others see that too."""

    campaign_id: int
    challenge_id: str
    message_id: int | None


@dataclass(frozen=True, slots=True)
class Duel:
    """A challenge as it stands, its campaign, and its message in a channel as a post, if it is still known."""

    campaign: Campaign
    challenge: Challenge
    post: Post | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A challenge that is answered: the roll, and how it stands, with the post that tells of it."""

    rolled: Rolled
    duel: Duel


class RanOut(NotOpen):
    """The challenge has run out, though it still looked open. `duel` is how it stands now."""

    def __init__(self, duel: Duel) -> None:
        self.duel = duel
        super().__init__("That challenge has run out. Nothing was rolled.", "Make a new one with /infinity versus.")


class Challenges:
    """The use cases around challenges."""

    def __init__(self, database: Database, resolver: Resolver, outbox: Outbox, ledger: Ledger) -> None:
        self._database = database
        self._resolver = resolver
        self._outbox = outbox
        self._ledger = ledger

    async def open(self, person: Person, offer: Offer) -> Duel:
        """Challenge a member; the post is the caller's to send.

        Raises:
            NoCampaign, NotOpen, NotAllowed, BadInput: it cannot be done here, by this person, or against that one.

        """
        note = parsing.text(offer.note, "note")

        def work(tx: Connection) -> Duel:
            campaign = open_campaign(tx, locate(tx, person.guild_id, offer.channels).id)
            self._resolver.library.require(campaign, BOOK)
            require_roller(person, campaign, PROCEDURE.family, opened=True)
            opponent = _required(offer.opponent, person, campaign)
            _require_room(tx, campaign, person)
            new = self._new(campaign, person, opponent, offer, note)
            store.add(tx, new)
            told = open_embed(new, campaign.name, named=offer.named)
            letter = OutgoingMessage(KIND, offer.channels[0], [told], new.id, ping=new.opponent_id)
            (queued,) = self._outbox.queue(tx, campaign.id, None, [letter])
            return Duel(campaign, new, queued)

        return await self._database.write(work)

    async def look(self, person: Person, press: Press) -> Challenge:
        """A challenge that the person may answer now.

        Raises:
            NotOpen, NotAllowed: it cannot be answered any more, or not by this person.

        """
        _, found = await self._database.read(lambda tx: self._answerable(tx, person, press))
        if self._late(found):
            raise RanOut(await self._let_run_out(found))
        return found

    async def answer(self, person: Person, press: Press, entrant: Entrant) -> Answered:
        """Answer a challenge: the dice of both sides fall now. The posts are the caller's to send.

        Raises:
            NotOpen, NotAllowed: it cannot be answered any more, or not by this person.
            BadInput: both sides have the same name.

        """

        def work(tx: Connection) -> Answered | Challenge:
            campaign, found = self._answerable(tx, person, press, lock=True)
            if self._late(found):
                return found
            rolled = self._resolver.roll(tx, self._order(tx, campaign, person, found, entrant))
            done = replace(found, state="answered", entry_number=rolled.entry.number)
            return Answered(rolled, self._close(tx, campaign, done, press.message_id, rolled.entry))

        answered = await self._database.write(work)
        if isinstance(answered, Challenge):
            raise RanOut(await self._let_run_out(answered))
        return answered

    async def withdraw(self, person: Person, press: Press) -> Duel:
        """Take a challenge back, as who has made it or as a game master; the post is the caller's to send.

        Raises:
            NotOpen, NotAllowed: it is over already, or not the person's to withdraw.

        """

        def work(tx: Connection) -> Duel:
            campaign, found = _known(tx, person, press, lock=True)
            if person.user_id != found.challenger_id and not person.leads(campaign):
                raise NotAllowed(
                    "Only who has made this challenge takes it back, or a game master.",
                    "Leave it unanswered, and it runs out by itself.",
                )
            _require_waiting(found)
            state: ChallengeState = "expired" if self._late(found) else "withdrawn"
            return self._close(tx, campaign, replace(found, state=state), press.message_id)

        return await self._database.write(work)

    async def waiting(self, person: Person, campaign: Campaign) -> list[Duel]:
        """The open challenges by and against a person, the oldest first; for a game master all of the campaign."""
        who = None if person.leads(campaign) else person.user_id

        def work(tx: Connection) -> list[Duel]:
            found = store.still_open(tx, campaign.id, who)
            return [Duel(campaign, item, posts.about(tx, campaign.id, KIND, item.id)) for item in found]

        return await self._database.read(work)

    async def expire(self) -> list[Post]:
        """Let all challenges run out whose time is over; gives the posts that tell of it, which are the caller's to send."""
        now = self._ledger.now()
        due = await self._database.read(lambda tx: store.run_out(tx, now))
        closed = [await self._let_run_out(item) for item in due]
        return [duel.post for duel in closed if duel.post is not None]

    async def _let_run_out(self, due: Challenge) -> Duel:
        def work(tx: Connection) -> Duel:
            campaign = campaigns.get(tx, due.campaign_id, lock=True)
            found = store.get(tx, due.campaign_id, due.id)
            if campaign is None or found is None:
                raise NotOpen(*_GONE)
            if found.state != "open":
                return Duel(campaign, found, None)
            return self._close(tx, campaign, replace(found, state="expired"), None)

        return await self._database.write(work)

    def _close(
        self, tx: Connection, campaign: Campaign, over: Challenge, message_id: int | None, roll: Entry | None = None
    ) -> Duel:
        """Write down how a challenge ended, and let its message say so."""
        store.close(tx, over)
        held = posts.about(tx, campaign.id, KIND, over.id)
        if held is None:
            return Duel(campaign, over, None)
        sent = held if message_id is None else replace(held, message_id=message_id)
        return Duel(campaign, over, self._outbox.revise(tx, sent, [closed_embed(over, campaign.name, roll)]))

    def _order(
        self, tx: Connection, campaign: Campaign, person: Person, found: Challenge, entrant: Entrant
    ) -> RollOrder:
        """The whole contest, with who has challenged."""
        request = RollRequest.model_validate(found.request)
        (part,) = request.parts
        parsing.refuse_both((part.subjects["a"],), (entrant.name,))
        whole = part.model_copy(
            update={
                "subjects": {**part.subjects, "b": entrant.name},
                "inputs": {**part.inputs, "b": entrant.side.inputs()},
            }
        )
        by = self._ledger.actor(tx, campaign, found.challenger_id)
        body = {"challenge": {"by": by, "at": found.opened_at.isoformat()}}
        extra = partial(_with_challenger, ExtraChanges(body=body))
        return RollOrder(campaign.id, person.user_id, request.with_part(0, whole), extra)

    def _new(self, campaign: Campaign, person: Person, opponent: Person, offer: Offer, note: str | None) -> Challenge:
        part = PartRequest(subjects={"a": offer.entrant.name}, inputs={"a": offer.entrant.side.inputs()})
        request = RollRequest(book=BOOK, family=PROCEDURE.family, parts=(part,), note=note)
        now = self._ledger.now()
        return Challenge(
            id=self._ledger.random_id(6),
            campaign_id=campaign.id,
            challenger_id=person.user_id,
            opponent_id=opponent.user_id,
            request=request.model_dump(mode="json"),
            state="open",
            entry_number=None,
            opened_at=now,
            expires_at=now + timedelta(hours=offer.hours or HOURS),
        )

    def _answerable(
        self, tx: Connection, person: Person, press: Press, *, lock: bool = False
    ) -> tuple[Campaign, Challenge]:
        campaign, found = _known(tx, person, press, lock=lock)
        if person.user_id == found.challenger_id:
            raise NotAllowed("You have made this challenge: the other side answers it.", "You can withdraw it.")
        if person.user_id != found.opponent_id:
            raise NotAllowed(f"This challenge of {challenger(found)} is for somebody else to answer.")
        _require_waiting(found)
        if not self._late(found):
            require_open(campaign)
            self._resolver.library.require(campaign, BOOK)
            require_roller(person, campaign, PROCEDURE.family, opened=True)
        return campaign, found

    def _late(self, found: Challenge) -> bool:
        return found.expires_at <= self._ledger.now()


def _with_challenger(changes: ExtraChanges, _tx: Connection, _made: ResolvedRoll) -> ExtraChanges:
    """Return who has made a challenge, and when, for the entry of its roll."""
    return changes


_GONE = ("That challenge is gone.", "Make a new one with /infinity versus.")


def _known(tx: Connection, person: Person, press: Press, *, lock: bool) -> tuple[Campaign, Challenge]:
    campaign = campaigns.get(tx, press.campaign_id, lock=lock)
    found = store.get(tx, press.campaign_id, press.challenge_id)
    if campaign is None or found is None or campaign.guild_id != person.guild_id:
        raise NotOpen(*_GONE)
    return campaign, found


def _require_waiting(found: Challenge) -> None:
    if found.state == "answered":
        raise NotOpen(f"This challenge is answered: entry #{found.entry_number}.", "See it with /ledger show.")
    if found.state != "open":
        how = "was withdrawn" if found.state == "withdrawn" else "has run out"
        raise NotOpen(f"This challenge {how}. Nothing was rolled.", "Make a new one with /infinity versus.")


def _required(opponent: Member | None, person: Person, campaign: Campaign) -> Person:
    """Whoever is challenged, when they can answer.

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
