"""What happens by itself: at its time, once, caught up with after an absence, in the campaign's own time zone.

Every occurrence is one write transaction that does the deed and moves the schedule on: a crash loses none and repeats none.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import discord
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput, NotOpen, UserError
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind
from bot.schedules import store
from bot.schedules.embed import failure_embed, question_embed, reminder_embed
from bot.schedules.recurrence import checked_time, checked_weekday, following
from bot.schedules.store import CatchUp, Job
from rules.errors import RulesError

LATE = timedelta(hours=1)
"""How long after its time an occurrence still happens without a question."""

MAX_REMIND = 10_080
"""The earliest reminder of all, in minutes: a week before."""

Tells = Callable[[Campaign, Job, str], discord.Embed]

log = logging.getLogger(__name__)


class Run(Protocol):
    """Does a deed in a write transaction, for the occurrence at a moment, and queues its posts."""

    def __call__(self, tx: Connection, campaign: Campaign, at: datetime, /) -> tuple[Post, ...]:
        """Do it."""


Reached = Callable[[Connection, Campaign], int]
"""How far a deed has come, by whomever: how many weeks are rolled, which update is the current one."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that can happen by itself. `title` names it ("Weekly weather"), `what` tells it ("the weather rollover")."""

    run: Run
    reached: Reached
    title: str
    what: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A schedule as it was typed; what is None stays as it was. `remind` is in minutes, 0 for no reminder."""

    day: str | None = None
    time: str | None = None
    remind: int | None = None
    catch_up: CatchUp | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What a word on missed occurrences led to: those that wait no more, their posts, and why the next was refused.

    `by_hand` are those that somebody had made up for by hand already; nothing was done about them.
    """

    done: tuple[datetime, ...] = ()
    posts: tuple[Post, ...] = ()
    fault: str = ""
    by_hand: tuple[datetime, ...] = ()


class Failed(Exception):
    """A deed was refused; the transaction is rolled back."""

    def __init__(self, job: Job, why: str) -> None:
        self.job = job
        super().__init__(why)


class Scheduler:
    """Keeps schedules and does what they call for."""

    def __init__(self, database: Database, outbox: Outbox, deeds: Mapping[str, Deed], ledger: Ledger) -> None:
        self.deeds = deeds
        self._database = database
        self._outbox = outbox
        self._ledger = ledger

    async def tick(self) -> list[Post]:
        """Do all that is due, campaign by campaign, the oldest first; gives the posts, which are the caller's to send.

        A deed that is refused is told to the staff and given up. A campaign in which anything else goes wrong is logged
        and left as it was until the next tick; the others go on.
        """
        now = self._ledger.now()
        due = await self._database.read(lambda tx: store.campaigns_due(tx, now))
        worked = await asyncio.gather(*map(self._work_off, due), return_exceptions=True)
        queued: list[Post] = []
        for campaign_id, outcome in zip(due, worked, strict=True):
            if isinstance(outcome, BaseException):
                log.error("schedule.bug", extra={"campaign": campaign_id}, exc_info=outcome)
            else:
                queued += outcome
        return queued

    async def show(self, campaign_id: int, deed: str) -> Job | None:
        """A campaign's schedule for a deed, with what is missed and not made up for; None when there is none."""

        def look(tx: Connection) -> Job | None:
            campaign, job = campaigns.get(tx, campaign_id), store.get(tx, campaign_id, deed)
            return None if campaign is None or job is None else self._settled(tx, campaign, job)

        return await self._database.read(look)

    async def set(self, person: Person, campaign_id: int, deed: str, plan: Plan | None) -> Job | None:
        """Make or change a schedule, or switch it off with a plan of None; gives it as it stands then.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: the plan cannot be used, or there is nothing to switch off.
            NotOpen: the campaign is archived.

        """

        def work(tx: Connection) -> Job | None:
            campaign = self._led(tx, person, campaign_id)
            before = store.get(tx, campaign_id, deed)
            after = None
            if plan is not None:
                after = _planned(before or self._new(tx, campaign, deed, plan), campaign, plan, self._ledger.now())
                store.save(tx, after)
            elif before is not None:
                store.remove(tx, campaign_id, deed)
            else:
                raise BadInput(f"{self.deeds[deed].title} has no schedule that could be stopped.")
            self._record(tx, campaign, person, deed, {"before": _public(before), "after": _public(after)})
            return after

        return await self._database.write(work)

    async def answer(self, person: Person, campaign_id: int, deed: str, *, roll: bool) -> Answered:
        """A game master's word on what was missed: make up for it, oldest first, or let it go.

        A deed that is refused leaves its occurrence, and those behind it, waiting.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: nothing waits any more, or the campaign is archived.

        """
        if roll:
            answered = await self._make_up(person, campaign_id, deed)
        else:
            answered = await self._database.write(lambda tx: self._let_go(tx, person, campaign_id, deed))
        if answered == Answered():
            raise NotOpen(
                f"{self.deeds[deed].title}: nothing waits for a word any more.", "It is made up for already, or let go."
            )
        return answered

    async def _make_up(self, person: Person, campaign_id: int, deed: str) -> Answered:
        steps: list[Answered] = []
        fault = ""
        try:
            while step := await self._database.write(lambda tx: self._make_up_one(tx, person, campaign_id, deed)):
                steps.append(step)
        except Failed as failed:
            fault = str(failed)
        return Answered(
            tuple(at for step in steps for at in step.done),
            tuple(post for step in steps for post in step.posts),
            fault,
            tuple(at for step in steps for at in step.by_hand),
        )

    def _make_up_one(self, tx: Connection, person: Person, campaign_id: int, deed: str) -> Answered | None:
        """Make up for the oldest that waits, once those that were made up for by hand are seen to."""
        campaign = self._led(tx, person, campaign_id)
        held = store.get(tx, campaign_id, deed)
        if held is None or not held.missed:
            return None
        job = self._settled(tx, campaign, held)
        if job != held:
            store.save(tx, job)
            return Answered(by_hand=_worked_off(held, job))
        first, *rest = job.missed
        posts = self._run(tx, campaign, job, first)
        store.save(tx, replace(job, missed=tuple(rest), reached=self._reached(tx, campaign, deed)))
        return Answered((first,), tuple(posts))

    def _let_go(self, tx: Connection, person: Person, campaign_id: int, deed: str) -> Answered:
        campaign = self._led(tx, person, campaign_id)
        held = store.get(tx, campaign_id, deed)
        if held is None or not held.missed:
            return Answered()
        job = self._settled(tx, campaign, held)
        store.save(tx, replace(job, missed=()))
        if job.missed:
            self._record(tx, campaign, person, deed, {"let_go": [at.isoformat() for at in job.missed]})
        return Answered(job.missed, by_hand=_worked_off(held, job))

    async def _work_off(self, campaign_id: int) -> list[Post]:
        queued: list[Post] = []
        while (posts := await self._step(campaign_id)) is not None:
            queued += posts
        return queued

    async def _step(self, campaign_id: int) -> Sequence[Post] | None:
        """One transaction: an occurrence or a reminder. None when the campaign has nothing due any more."""
        try:
            return await self._database.write(lambda tx: self._next(tx, campaign_id))
        except Failed as failed:
            job, why = failed.job, str(failed)
        log.warning("schedule.failed", extra={"campaign": campaign_id, "deed": job.deed, "fault": why})
        return await self._database.write(lambda tx: self._give_up(tx, job, why))

    def _next(self, tx: Connection, campaign_id: int) -> Sequence[Post] | None:
        campaign = campaigns.get(tx, campaign_id, lock=True)
        now = self._ledger.now()
        job = store.first_due(tx, campaign_id, now)
        if campaign is None or job is None:
            return None
        if campaign.archived_at is not None:
            store.save(tx, _onward(job, campaign, now) if job.next_at <= now else replace(job, remind_at=None))
            return ()
        return self._occur(tx, campaign, job, now) if job.next_at <= now else self._remind(tx, campaign, job)

    def _occur(self, tx: Connection, campaign: Campaign, held: Job, now: datetime) -> Sequence[Post]:
        """Let an occurrence happen, or know why not, and move on to the next."""
        job = self._settled(tx, campaign, held)
        after = _onward(job, campaign, job.next_at)
        late = now - job.next_at > LATE
        by_hand = self._reached(tx, campaign, job.deed) > job.reached
        posts: Sequence[Post] = ()
        if late and job.catch_up == "ask" and not by_hand:
            after = replace(after, missed=(*job.missed, job.next_at))
        else:
            posts = () if by_hand else self._run(tx, campaign, job, job.next_at)
            after = replace(after, reached=self._reached(tx, campaign, job.deed))
        store.save(tx, after)
        if by_hand:
            log.info("schedule.by_hand", extra={"campaign": campaign.id, "deed": job.deed})
        if late and after.missed and now - after.next_at <= LATE:
            posts = (*posts, *self._tell(tx, campaign, after, "question", question_embed))
        return posts

    def _remind(self, tx: Connection, campaign: Campaign, job: Job) -> Sequence[Post]:
        """Remind the staff, unless it was done by hand already."""
        store.save(tx, replace(job, remind_at=None))
        if self._reached(tx, campaign, job.deed) > self._settled(tx, campaign, job).reached:
            return ()
        return self._tell(tx, campaign, job, "reminder", reminder_embed)

    def _reached(self, tx: Connection, campaign: Campaign, deed: str) -> int:
        return self.deeds[deed].reached(tx, campaign)

    def _settled(self, tx: Connection, campaign: Campaign, job: Job) -> Job:
        """The schedule once what was done by hand is set against what was missed, the oldest first."""
        by_hand = self._reached(tx, campaign, job.deed) - job.reached
        count = min(max(by_hand, 0), len(job.missed))
        return replace(job, missed=job.missed[count:], reached=job.reached + count)

    def _run(self, tx: Connection, campaign: Campaign, job: Job, at: datetime) -> Sequence[Post]:
        try:
            return self.deeds[job.deed].run(tx, campaign, at)
        except (UserError, RulesError) as problem:
            raise Failed(job, str(problem)) from problem

    def _give_up(self, tx: Connection, failed: Job, why: str) -> Sequence[Post]:
        """Move on from an occurrence that was refused, unless somebody else has, and tell the staff.

        They are told to do it by hand, which then makes up for this occurrence and for no other.
        """
        campaign = campaigns.get(tx, failed.campaign_id, lock=True)
        job = store.get(tx, failed.campaign_id, failed.deed)
        if campaign is None or job is None or job.next_at != failed.next_at:
            return ()
        after = replace(_onward(job, campaign, job.next_at), reached=job.reached + 1)
        store.save(tx, after)
        return self._tell(tx, campaign, after, "notice", partial(failure_embed, why=why))

    def _tell(self, tx: Connection, campaign: Campaign, job: Job, kind: PostKind, embed: Tells) -> Sequence[Post]:
        shown = embed(campaign, job, self.deeds[job.deed].what)
        letter = OutgoingMessage(kind, campaign.staff_channel_id, [shown], topic=job.deed)
        return self._outbox.queue(tx, campaign.id, None, [letter])

    def _new(self, tx: Connection, campaign: Campaign, deed: str, plan: Plan) -> Job:
        if plan.day is None or plan.time is None:
            raise BadInput("A new schedule needs a day and a time.", f"Write /{deed} schedule day:Saturday time:18:00.")
        reached = self._reached(tx, campaign, deed)
        return Job(campaign.id, deed, None, "", "roll", None, self._ledger.now(), None, reached)

    def _led(self, tx: Connection, person: Person, campaign_id: int) -> Campaign:
        campaign = open_campaign(tx, campaign_id)
        require_game_master(person, campaign, "decide about its schedules")
        return campaign

    def _record(self, tx: Connection, campaign: Campaign, person: Person, deed: str, body: dict[str, Any]) -> None:
        named = {"deed": deed, "title": self.deeds[deed].title}
        draft = EntryDraft(kind="schedule", audience="staff", body={**named, **body})
        self._ledger.enter(tx, campaign, person.user_id, draft)


def rezone(tx: Connection, campaign: Campaign, now: datetime) -> None:
    """Count a campaign's schedules anew in its time zone; what is overdue by the old one stays due."""
    for job in store.of_campaign(tx, campaign.id):
        if job.next_at > now:
            moved = _onward(job, campaign, job.next_at - job.period / 2)  # the same occurrence, by the new zone
            store.save(tx, _reminded(job, moved))


def _planned(before: Job, campaign: Campaign, plan: Plan, now: datetime) -> Job:
    """The schedule that a plan makes of the one before.

    Raises:
        BadInput: the plan cannot be used.

    """
    job = replace(
        before,
        weekday=before.weekday if plan.day is None else checked_weekday(plan.day),
        at=before.at if plan.time is None else checked_time(plan.time),
        remind=before.remind if plan.remind is None else plan.remind or None,
        catch_up=plan.catch_up or before.catch_up,
    )
    longest = job.period // timedelta(minutes=1)
    if not 0 <= (job.remind or 0) <= longest:
        what = f"A reminder of what happens {'daily' if job.weekday is None else 'weekly'} comes 1 to {longest} minutes before."
        raise BadInput(what, f"Choose remind:{longest} or less; remind:0 is for none.")
    overdue = bool(before.at) and before.next_at <= now
    return job if overdue else _reminded(before, _onward(job, campaign, now))  # what is overdue is not lost


def _reminded(before: Job, after: Job) -> Job:
    """The later of two forms of a schedule; a reminder that was given is not given again for the same moments."""
    same = (before.next_at, before.remind) == (after.next_at, after.remind)
    return replace(after, remind_at=before.remind_at) if same else after


def _worked_off(before: Job, after: Job) -> tuple[datetime, ...]:
    return before.missed[: len(before.missed) - len(after.missed)]


def _onward(job: Job, campaign: Campaign, after: datetime) -> Job:
    """The schedule at its first occurrence after a moment, with its reminder ahead."""
    next_at = following(job.weekday, job.at, ZoneInfo(campaign.timezone), after)
    remind_at = None if job.remind is None else next_at - timedelta(minutes=job.remind)
    return replace(job, next_at=next_at, remind_at=remind_at)


def _public(job: Job | None) -> dict[str, Any] | None:
    """A schedule as the ledger keeps it."""
    if job is None:
        return None
    return {"day": job.day, "time": job.at, "remind": job.remind or 0, "catch_up": job.catch_up}
