"""What happens by itself: at its time, once, caught up with after an absence, in the campaign's own time zone.

Every occurrence is one write transaction that does the job and moves the schedule on: a crash loses none and repeats none.
Occurrences that were missed wait for a game master, who catches up or skips them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign, open_campaign
from bot.core.chores import log_fault
from bot.core.database import Database
from bot.core.ledger import EntryDraft
from bot.core.permissions import Person, require_game_master
from bot.errors import NotOpen, UserError
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post, PostKind
from bot.rolls.resolver import Resolver
from bot.schedules import store
from bot.schedules.actions import DECIDE
from bot.schedules.embed import failure_embed, question_embed, reminder_embed
from bot.schedules.store import Job, Jobs, Schedule, minute_of, move_on, settle, topic_of
from rules.errors import RulesError

LATE = timedelta(hours=1)
"""How long after its time an occurrence still happens without a question."""

Notice = Callable[[Campaign, Schedule, str], discord.Embed]
"""Tell something of a schedule; takes what its job is called in a sentence."""

log = logging.getLogger(__name__)


class JobRefused(Exception):
    """A job was refused; the transaction is rolled back. `schedule` is how it stood."""

    def __init__(self, schedule: Schedule, why: str) -> None:
        self.schedule = schedule
        super().__init__(why)


class JobRunner(Struct, frozen=True):
    """What runs jobs: those that there are, and the resolver."""

    jobs: Jobs
    resolver: Resolver

    def run(self, tx: Connection, campaign: Campaign, schedule: Schedule, at: datetime) -> Sequence[Post]:
        """Do the job of a schedule for the occurrence at a moment."""
        try:
            return self.jobs[schedule.job].run(tx, self.resolver, campaign, at)
        except (UserError, RulesError) as problem:
            raise JobRefused(schedule, str(problem)) from problem


def runner_of(client: Any) -> JobRunner:  # noqa: ANN401 - `bot.client.Adjutant`, which stands above this module
    """Return what runs the jobs that the bot's features bring."""
    jobs = {job.id: job for feature in client.features for job in feature.jobs}
    return JobRunner(jobs, client.resolver)


async def run_due(client: Any) -> list[Post]:  # noqa: ANN401 - as above
    """Do all that is due by now; return the posts, which are the caller's to send."""
    return await tick(client.database, runner_of(client))


async def tick(database: Database, runner: JobRunner) -> list[Post]:
    """Do all that is due, each campaign's in its order; return the posts, which are the caller's to send.

    A job that is refused is told to the staff and given up. A campaign in which anything else goes wrong is logged and
    left as it was until the next tick; the others go on.
    """
    due = await database.read(store.find_due_campaigns, runner.resolver.ledger.now())
    work = (_work_off(database, runner, campaign_id) for campaign_id in due)
    worked = await asyncio.gather(*work, return_exceptions=True)
    queued: list[Post] = []
    for campaign_id, outcome in zip(due, worked, strict=True):
        if isinstance(outcome, BaseException):
            log_fault("schedule.bug", outcome, campaign=campaign_id)
        else:
            queued += outcome
    return queued


async def _work_off(database: Database, runner: JobRunner, campaign_id: int) -> list[Post]:
    queued: list[Post] = []
    while (posts := await _step(database, runner, campaign_id)) is not None:
        queued += posts
    return queued


async def _step(database: Database, runner: JobRunner, campaign_id: int) -> Sequence[Post] | None:
    """Do one occurrence or reminder; None when the campaign has nothing due any more."""
    try:
        return await database.write(do_next, runner, campaign_id)
    except JobRefused as refused:
        schedule, why = refused.schedule, str(refused)
    log.warning("schedule.failed", extra={"campaign": campaign_id, "deed": schedule.job, "fault": why})
    return await database.write(give_up, runner, schedule, why)


def do_next(tx: Connection, runner: JobRunner, campaign_id: int) -> Sequence[Post] | None:
    """Let what is most overdue in a campaign happen; None when nothing is due.

    Raises:
        JobRefused: its job was refused.

    """
    campaign = campaigns.get_campaign(tx, campaign_id, lock=True)
    now = runner.resolver.ledger.now()
    schedule = store.find_first_due(tx, campaign_id, now)
    if campaign is None or schedule is None:
        return None
    due = schedule.next_at <= now
    if campaign.archived_at is not None:
        store.save_schedule(
            tx, move_on(schedule, campaign, now) if due else replace(schedule, remind_at=None, ahead_at=None)
        )
        return ()
    if due:
        return _occur(tx, runner, campaign, schedule, now)
    if schedule.ahead_at is not None and schedule.ahead_at <= now:
        return _do_ahead(tx, runner, campaign, schedule, schedule.ahead_at)
    return _remind(tx, runner, campaign, schedule)


def _occur(tx: Connection, runner: JobRunner, campaign: Campaign, known: Schedule, now: datetime) -> Sequence[Post]:
    """Let an occurrence happen, or know why not, and move on to the next."""
    job = runner.jobs[known.job]
    schedule = settle(tx, campaign, job, known)
    after = move_on(schedule, campaign, schedule.next_at)
    late = now - schedule.next_at > LATE
    by_hand = job.reached(tx, campaign) > schedule.reached
    posts: Sequence[Post] = ()
    if late and schedule.catch_up == "ask" and not by_hand:
        after = replace(after, missed=(*schedule.missed, schedule.next_at))
    else:
        posts = () if by_hand else runner.run(tx, campaign, schedule, schedule.next_at)
        after = replace(after, reached=job.reached(tx, campaign))
    store.save_schedule(tx, after)
    if by_hand:
        log.info("schedule.by_hand", extra={"campaign": campaign.id, "deed": schedule.job})
    if late and after.missed and now - after.next_at <= LATE:
        posts = (*posts, *_tell(tx, runner, campaign, after, "question", question_embed))
    return posts


def _remind(tx: Connection, runner: JobRunner, campaign: Campaign, schedule: Schedule) -> Sequence[Post]:
    """Remind the staff, unless it was done by hand already."""
    job = runner.jobs[schedule.job]
    store.save_schedule(tx, replace(schedule, remind_at=None))
    if job.reached(tx, campaign) > settle(tx, campaign, job, schedule).reached:
        return ()
    return _tell(tx, runner, campaign, schedule, "reminder", reminder_embed)


def _do_ahead(
    tx: Connection, runner: JobRunner, campaign: Campaign, schedule: Schedule, at: datetime
) -> Sequence[Post]:
    """Do what a job does ahead of its time, unless it was done by hand already."""
    job = runner.jobs[schedule.job]
    store.save_schedule(tx, replace(schedule, ahead_at=None))
    if job.ahead is None or job.reached(tx, campaign) > settle(tx, campaign, job, schedule).reached:
        return ()
    return job.ahead.run(tx, runner.resolver, campaign, at)


def give_up(tx: Connection, runner: JobRunner, refused: Schedule, why: str) -> Sequence[Post]:
    """Move on from an occurrence that was refused, unless somebody else has, and tell the staff.

    They are told to do it by hand, which then makes up for this occurrence and for no other.
    """
    campaign = campaigns.get_campaign(tx, refused.campaign_id, lock=True)
    schedule = store.get_schedule(tx, refused.campaign_id, refused.job)
    if campaign is None or schedule is None or schedule.next_at != refused.next_at:
        return ()
    after = replace(move_on(schedule, campaign, schedule.next_at), reached=schedule.reached + 1)
    store.save_schedule(tx, after)
    return _tell(tx, runner, campaign, after, "notice", partial(failure_embed, why=why))


def _tell(  # noqa: PLR0913, PLR0917 - of what, where and how
    tx: Connection, runner: JobRunner, campaign: Campaign, schedule: Schedule, kind: PostKind, notice: Notice
) -> Sequence[Post]:
    shown = notice(campaign, schedule, runner.jobs[schedule.job].what)
    message = OutgoingMessage(kind, campaign.staff_channel_id, [shown], topic_of(schedule))
    return runner.resolver.outbox.queue(tx, campaign.id, None, [message])


class MissedQuestion(Struct, frozen=True):
    """What a game master was asked: of which job and campaign, and about what was missed until which minute (since 1970)."""

    job: Job
    campaign_id: int
    seen: int


class MissedAnswer(Struct, frozen=True):
    """What a decision on missed occurrences led to: those that wait no more, their posts, and why the next was refused.

    `by_hand` are those that somebody had made up for by hand already; nothing was done about them.
    """

    done: tuple[datetime, ...] = ()
    posts: tuple[Post, ...] = ()
    fault: str = ""
    by_hand: tuple[datetime, ...] = ()


async def answer_missed(
    database: Database, runner: JobRunner, person: Person, question: MissedQuestion, *, roll: bool
) -> MissedAnswer:
    """Make up for what was missed, oldest first, or let it go, as far as somebody was asked.

    A job that is refused leaves its occurrence, and those behind it, waiting.
    """
    if roll:
        answered = await _catch_up(database, runner, person, question)
    else:
        answered = await database.write(skip_missed, runner, person, question)
    if answered == MissedAnswer():
        raise NotOpen(f"{question.job.title}: nothing is missed any more.", "It was already caught up or skipped.")
    return answered


async def _catch_up(database: Database, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer:
    steps: list[MissedAnswer] = []
    fault = ""
    try:
        while step := await database.write(catch_up_one, runner, person, question):
            steps.append(step)
    except JobRefused as refused:
        fault = str(refused)
    return MissedAnswer(
        tuple(at for step in steps for at in step.done),
        tuple(post for step in steps for post in step.posts),
        fault,
        tuple(at for step in steps for at in step.by_hand),
    )


def catch_up_one(tx: Connection, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer | None:
    """Make up for the oldest that waits and was seen, once those made up for by hand are seen to; None when none waits.

    Raises:
        JobRefused: the job was refused.

    """
    waiting = _find_waiting(tx, person, question)
    if waiting is None:
        return None
    campaign, known, schedule = waiting
    if schedule != known:
        store.save_schedule(tx, schedule)
        return MissedAnswer(by_hand=_done_by_hand(known, schedule))
    first, *rest = schedule.missed
    posts = runner.run(tx, campaign, schedule, first)
    store.save_schedule(tx, replace(schedule, missed=tuple(rest), reached=question.job.reached(tx, campaign)))
    return MissedAnswer((first,), tuple(posts))


def skip_missed(tx: Connection, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer:
    """Let all go that waits and was seen, and enter it."""
    waiting = _find_waiting(tx, person, question)
    if waiting is None:
        return MissedAnswer()
    campaign, known, schedule = waiting
    asked = tuple(at for at in schedule.missed if minute_of(at) <= question.seen)
    store.save_schedule(tx, replace(schedule, missed=schedule.missed[len(asked) :]))
    if asked:
        job = question.job
        body = {"deed": job.id, "title": job.title, "let_go": [at.isoformat() for at in asked]}
        runner.resolver.ledger.enter(tx, campaign, person.user_id, EntryDraft("schedule", "staff", body))
    return MissedAnswer(asked, by_hand=_done_by_hand(known, schedule))


def _find_waiting(
    tx: Connection, person: Person, question: MissedQuestion
) -> tuple[Campaign, Schedule, Schedule] | None:
    """Return the campaign and its schedule, as it is kept and with what was done by hand set against what was missed.

    None when nothing waits that was seen.
    """
    campaign = open_campaign(tx, question.campaign_id)
    require_game_master(person, campaign, DECIDE)
    known = store.get_schedule(tx, campaign.id, question.job.id)
    if known is None or not known.missed or minute_of(known.missed[0]) > question.seen:
        return None
    return campaign, known, settle(tx, campaign, question.job, known)


def _done_by_hand(before: Schedule, after: Schedule) -> tuple[datetime, ...]:
    return before.missed[: len(before.missed) - len(after.missed)]
