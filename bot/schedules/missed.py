"""What a game master decides about occurrences that were missed: to make up for them, or to let them go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.permissions import Person
from bot.errors import NotOpen
from bot.outbox.store import Post
from bot.schedules import store
from bot.schedules.entries import ScheduleSkipped
from bot.schedules.jobs import Job
from bot.schedules.runner import JobRefused, JobRunner
from bot.schedules.service import enter, led_campaign, settled
from bot.schedules.store import Schedule


@dataclass(frozen=True, slots=True)
class MissedAnswer:
    """What a decision on missed occurrences led to: those that wait no more, their posts, and why the next was refused.

    `by_hand` are those that somebody had made up for by hand already; nothing was done about them.
    """

    done: tuple[datetime, ...] = ()
    posts: tuple[Post, ...] = ()
    fault: str = ""
    by_hand: tuple[datetime, ...] = ()


async def answer(  # noqa: PLR0913 - of what, as whom and how
    database: Database, runner: JobRunner, job: Job, person: Person, campaign_id: int, *, roll: bool
) -> MissedAnswer:
    """Make up for what was missed, oldest first, or let it go.

    A job that is refused leaves its occurrence, and those behind it, waiting.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: nothing waits any more, or the campaign is archived.

    """
    if roll:
        answered = await _make_up(database, runner, job, person, campaign_id)
    else:
        answered = await database.write(let_go, runner, job, person, campaign_id)
    if answered == MissedAnswer():
        raise NotOpen(f"{job.title}: nothing waits for a word any more.", "It is made up for already, or let go.")
    return answered


async def _make_up(database: Database, runner: JobRunner, job: Job, person: Person, campaign_id: int) -> MissedAnswer:
    steps: list[MissedAnswer] = []
    fault = ""
    try:
        while step := await database.write(make_up_one, runner, job, person, campaign_id):
            steps.append(step)
    except JobRefused as refused:
        fault = str(refused)
    return MissedAnswer(
        tuple(at for step in steps for at in step.done),
        tuple(post for step in steps for post in step.posts),
        fault,
        tuple(at for step in steps for at in step.by_hand),
    )


def make_up_one(tx: Connection, runner: JobRunner, job: Job, person: Person, campaign_id: int) -> MissedAnswer | None:
    """Make up for the oldest that waits, once those that were made up for by hand are seen to; None when none waits.

    Raises:
        NotAllowed, NotOpen: as `answer`.
        JobRefused: the job was refused.

    """
    campaign = led_campaign(tx, person, campaign_id)
    waiting = _waiting(tx, campaign, job)
    if waiting is None:
        return None
    known, schedule = waiting
    if schedule != known:
        store.save(tx, schedule)
        return MissedAnswer(by_hand=_worked_off(known, schedule))
    first, *rest = schedule.missed
    posts = runner.run(tx, campaign, schedule, first)
    store.save(tx, replace(schedule, missed=tuple(rest), reached=job.reached(tx, campaign)))
    return MissedAnswer((first,), tuple(posts))


def let_go(tx: Connection, runner: JobRunner, job: Job, person: Person, campaign_id: int) -> MissedAnswer:
    """Let all that waits go, and enter it.

    Raises:
        NotAllowed, NotOpen: as `answer`.

    """
    campaign = led_campaign(tx, person, campaign_id)
    waiting = _waiting(tx, campaign, job)
    if waiting is None:
        return MissedAnswer()
    known, schedule = waiting
    store.save(tx, replace(schedule, missed=()))
    if schedule.missed:
        body = ScheduleSkipped(deed=job.id, title=job.title, let_go=[at.isoformat() for at in schedule.missed])
        enter(tx, runner.resolver.ledger, campaign, person, body)
    return MissedAnswer(schedule.missed, by_hand=_worked_off(known, schedule))


def _waiting(tx: Connection, campaign: Campaign, job: Job) -> tuple[Schedule, Schedule] | None:
    """Return a schedule as it is kept and with what was done by hand set against what was missed; None when nothing waits."""
    known = store.get(tx, campaign.id, job.id)
    if known is None or not known.missed:
        return None
    return known, settled(tx, campaign, job, known)


def _worked_off(before: Schedule, after: Schedule) -> tuple[datetime, ...]:
    return before.missed[: len(before.missed) - len(after.missed)]
