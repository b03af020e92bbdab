"""What a game master decides about occurrences that were missed: to make up for them, or to let them go."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft
from bot.core.permissions import Person, require_game_master
from bot.errors import NotOpen
from bot.outbox.store import Post
from bot.schedules import store
from bot.schedules.actions import DECIDE
from bot.schedules.jobs import Job
from bot.schedules.runner import JobRefused, JobRunner
from bot.schedules.service import settled
from bot.schedules.store import Schedule, minute


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


async def answer(
    database: Database, runner: JobRunner, person: Person, question: MissedQuestion, *, roll: bool
) -> MissedAnswer:
    """Make up for what was missed, oldest first, or let it go, as far as somebody was asked.

    A job that is refused leaves its occurrence, and those behind it, waiting.
    """
    if roll:
        answered = await _make_up(database, runner, person, question)
    else:
        answered = await database.write(let_go, runner, person, question)
    if answered == MissedAnswer():
        raise NotOpen(f"{question.job.title}: nothing is missed any more.", "It was already caught up or skipped.")
    return answered


async def _make_up(database: Database, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer:
    steps: list[MissedAnswer] = []
    fault = ""
    try:
        while step := await database.write(make_up_one, runner, person, question):
            steps.append(step)
    except JobRefused as refused:
        fault = str(refused)
    return MissedAnswer(
        tuple(at for step in steps for at in step.done),
        tuple(post for step in steps for post in step.posts),
        fault,
        tuple(at for step in steps for at in step.by_hand),
    )


def make_up_one(tx: Connection, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer | None:
    """Make up for the oldest that waits and was seen, once those made up for by hand are seen to; None when none waits.

    Raises:
        JobRefused: the job was refused.

    """
    waiting = _waiting(tx, person, question)
    if waiting is None:
        return None
    campaign, known, schedule = waiting
    if schedule != known:
        store.save(tx, schedule)
        return MissedAnswer(by_hand=_worked_off(known, schedule))
    first, *rest = schedule.missed
    posts = runner.run(tx, campaign, schedule, first)
    store.save(tx, replace(schedule, missed=tuple(rest), reached=question.job.reached(tx, campaign)))
    return MissedAnswer((first,), tuple(posts))


def let_go(tx: Connection, runner: JobRunner, person: Person, question: MissedQuestion) -> MissedAnswer:
    """Let all go that waits and was seen, and enter it."""
    waiting = _waiting(tx, person, question)
    if waiting is None:
        return MissedAnswer()
    campaign, known, schedule = waiting
    asked = tuple(at for at in schedule.missed if minute(at) <= question.seen)
    store.save(tx, replace(schedule, missed=schedule.missed[len(asked) :]))
    if asked:
        job = question.job
        body = {"deed": job.id, "title": job.title, "let_go": [at.isoformat() for at in asked]}
        runner.resolver.ledger.enter(tx, campaign, person.user_id, EntryDraft("schedule", "staff", body))
    return MissedAnswer(asked, by_hand=_worked_off(known, schedule))


def _waiting(tx: Connection, person: Person, question: MissedQuestion) -> tuple[Campaign, Schedule, Schedule] | None:
    """Return the campaign and its schedule, as it is kept and with what was done by hand set against what was missed.

    None when nothing waits that was seen.
    """
    campaign = open_campaign(tx, question.campaign_id)
    require_game_master(person, campaign, DECIDE)
    known = store.get(tx, campaign.id, question.job.id)
    if known is None or not known.missed or minute(known.missed[0]) > question.seen:
        return None
    return campaign, known, settled(tx, campaign, question.job, known)


def _worked_off(before: Schedule, after: Schedule) -> tuple[datetime, ...]:
    return before.missed[: len(before.missed) - len(after.missed)]
