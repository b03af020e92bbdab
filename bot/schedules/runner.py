"""Run scheduled jobs: on time, once, caught up after an absence.

An occurrence is one transaction that does the job and moves the schedule on: a crash loses and repeats none. Missed ones wait for a
game master.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import discord
from discord.utils import format_dt
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import errors, ledger, permissions
from bot.core.campaigns import Campaign, get_campaign, open_campaign
from bot.core.database import Database
from bot.core.outages import log_fault
from bot.outbox.queue import OutgoingMessage, Post, PostKind
from bot.rolls.resolver import Resolver
from bot.schedules import store
from bot.schedules.store import Job, Schedule
from bot.ui.text import COLOURS, join_words, plain, shorten
from rules.errors import RulesError

LATE_ONES: Mapping[store.CatchUp, str] = {"roll": "catch up automatically", "ask": "ask in the staff channel"}


def describe_minutes(minutes: int) -> str:
    """Return minutes in words: 6 days 22 hours."""
    left = timedelta(minutes=minutes)
    hours, rest = divmod(left.seconds // 60, 60)
    counts = {"day": left.days, "hour": hours, "minute": rest}
    return " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in counts.items() if count)


MAX_DATES, MAX_FAULT = 12, 1000


def schedule_embed(campaign: Campaign, job: Job, schedule: Schedule | None, *, whole: bool) -> discord.Embed:
    """Show a schedule; `whole` says how to change it."""
    command = store.name_command(job.id)
    if schedule is None:
        text = f"{job.title} isn't automatic in {plain(campaign.name)}."
        embed = discord.Embed(title="No schedule", description=text, colour=COLOURS["neutral"])
        return embed.set_footer(text=f"Game masters start it with {command} day:Saturday time:18:00")
    opening = f"{plain(campaign.name)} {job.does} automatically."
    following = f"**Next:** {format_dt(schedule.next_at, 'F')} your time ({format_dt(schedule.next_at, 'R')})"
    if not whole:
        return discord.Embed(title="Schedule", description=f"{opening}\n{following}", colour=COLOURS["neutral"])
    lines = [
        opening,
        f"**When:** {schedule.day} at {schedule.at} ({campaign.timezone})",
        following,
        f"**If I was offline:** {LATE_ONES[schedule.catch_up]}",
        f"**Reminder:** {_describe(schedule.remind, 'before, in the staff channel', 'none')}",
        *([f"**{job.ahead.title}:** {_describe(schedule.ahead, 'before', 'not before')}"] if job.ahead else []),
        *([f"**Missed, needs your decision:** {_dates(schedule.missed)}"] if schedule.missed else []),
    ]
    embed = discord.Embed(title="Schedule", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Change it with {command}. Stop it with {command} off:True.")


def reminder_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Show that an occurrence is near."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} is {format_dt(schedule.next_at, 'R')}: {format_dt(schedule.next_at, 'f')}.\n"
        "If you do it by hand before then, I won't do it again."
    )
    embed = discord.Embed(title="Reminder", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Stop the schedule with {store.name_command(schedule.job)} off:True")


def question_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Ask whether to make up for missed occurrences."""
    missed = f"I was offline and missed {what} of {plain(campaign.name)}: {_dates(schedule.missed)}."
    text = f"{missed}\nCatch up now, or skip?"
    return discord.Embed(title=f"Missed: {len(schedule.missed)}", description=text, colour=COLOURS["danger"])


def failure_embed(campaign: Campaign, schedule: Schedule, what: str, why: str) -> discord.Embed:
    """Show that an occurrence was given up, and why."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} failed: {plain(shorten(why, MAX_FAULT))}\n"
        f"Fix that, then do it by hand. Next time: {format_dt(schedule.next_at, 'F')}."
    )
    return discord.Embed(title="The schedule failed", description=text, colour=COLOURS["danger"])


def outcome_embed(
    what: str, outcomes: Mapping[str, Sequence[datetime]], *, fault: str, where: Sequence[str]
) -> discord.Embed:
    """Show the outcome of a decision on missed occurrences."""
    lines = [f"{_capital(what)}: {done} {len(at)} ({_dates(at)})." for done, at in outcomes.items() if at]
    if fault:
        lines.append(f"I stopped here: {plain(shorten(fault, MAX_FAULT))}")
        lines.append("Fix that, then press the button again for the rest.")
    colour = COLOURS["danger" if fault else "success"]
    return discord.Embed(title="Missed", description="\n".join([*lines, *where]), colour=colour)


def _dates(moments: Sequence[datetime]) -> str:
    days = [format_dt(moment, "d") for moment in moments[:MAX_DATES]]
    more = len(moments) - len(days)
    return join_words([*days, f"{more} more"] if more else days)


def _describe(minutes: int | None, when: str, otherwise: str) -> str:
    return f"{describe_minutes(minutes)} {when}" if minutes else otherwise


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


LATE = timedelta(hours=1)
"""How late an occurrence still happens without a question."""

Notice = Callable[[Campaign, Schedule, str], discord.Embed]
"""Return an embed about a schedule and its job."""

log = logging.getLogger(__name__)


class JobRefused(Exception):
    """A job was refused; `schedule` is from before."""

    def __init__(self, schedule: Schedule, why: str) -> None:
        self.schedule = schedule
        super().__init__(why)


class JobRunner(Struct, frozen=True):
    """The jobs and the resolver they use."""

    jobs: store.Jobs
    resolver: Resolver

    def run(self, tx: Connection, campaign: Campaign, schedule: Schedule, at: datetime) -> Sequence[Post]:
        """Do a schedule's job for an occurrence."""
        try:
            return self.jobs[schedule.job].run(tx, self.resolver, campaign, at)
        except (errors.UserError, RulesError) as problem:
            raise JobRefused(schedule, str(problem)) from problem


def runner_of(client: Any) -> JobRunner:  # noqa: ANN401 - `bot.client.Adjutant`, above this module
    """Return the runner of the running bot's jobs."""
    jobs = {job.id: job for feature in client.features for job in feature.jobs}
    return JobRunner(jobs, client.resolver)


async def run_due(client: Any) -> list[Post]:  # noqa: ANN401 - as above
    """Do what is due; return the posts to send."""
    return await tick(client.database, runner_of(client))


async def tick(database: Database, runner: JobRunner) -> list[Post]:
    """Do what is due; give up refused jobs, log and retry failures."""
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
    posts: Sequence[Post] | None = ()
    while posts is not None:
        queued += posts
        try:
            posts = await database.write(do_next, runner, campaign_id)
        except JobRefused as refused:
            schedule, why = refused.schedule, str(refused)
            log.warning("schedule.failed", extra={"campaign": campaign_id, "deed": schedule.job, "fault": why})
            posts = await database.write(_give_up, runner, schedule, why)
    return queued


def do_next(tx: Connection, runner: JobRunner, campaign_id: int) -> Sequence[Post] | None:
    """Do the most overdue thing of a campaign; return its posts, None if nothing is due. May raise JobRefused."""
    campaign = get_campaign(tx, campaign_id, lock=True)
    now = runner.resolver.ledger.now()
    schedule = store.find_first_due(tx, campaign_id, now)
    if campaign is None or schedule is None:
        return None
    due = schedule.next_at <= now
    if campaign.archived_at is not None:
        after = store.move_on(schedule, campaign, now) if due else replace(schedule, remind_at=None, ahead_at=None)
        store.save_schedule(tx, after)
        return ()
    if due:
        return _occur(tx, runner, campaign, schedule, now)
    if schedule.ahead_at is not None and schedule.ahead_at <= now:
        return _do_ahead(tx, runner, campaign, schedule, schedule.ahead_at)
    return _remind(tx, runner, campaign, schedule)


def _occur(tx: Connection, runner: JobRunner, campaign: Campaign, known: Schedule, now: datetime) -> Sequence[Post]:
    job = runner.jobs[known.job]
    schedule = store.skip_missed(tx, campaign, job, known)
    after = store.move_on(schedule, campaign, schedule.next_at)
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
    job = runner.jobs[schedule.job]
    store.save_schedule(tx, replace(schedule, remind_at=None))
    if job.reached(tx, campaign) > store.skip_missed(tx, campaign, job, schedule).reached:
        return ()
    return _tell(tx, runner, campaign, schedule, "reminder", reminder_embed)


def _do_ahead(
    tx: Connection, runner: JobRunner, campaign: Campaign, schedule: Schedule, at: datetime
) -> Sequence[Post]:
    job = runner.jobs[schedule.job]
    store.save_schedule(tx, replace(schedule, ahead_at=None))
    if job.ahead is None or job.reached(tx, campaign) > store.skip_missed(tx, campaign, job, schedule).reached:
        return ()
    return job.ahead.run(tx, runner.resolver, campaign, at)


def _give_up(tx: Connection, runner: JobRunner, refused: Schedule, why: str) -> Sequence[Post]:
    campaign = get_campaign(tx, refused.campaign_id, lock=True)
    schedule = store.get_schedule(tx, refused.campaign_id, refused.job)
    if campaign is None or schedule is None or schedule.next_at != refused.next_at:
        return ()
    after = replace(store.move_on(schedule, campaign, schedule.next_at), reached=schedule.reached + 1)
    store.save_schedule(tx, after)
    return _tell(tx, runner, campaign, after, "notice", partial(failure_embed, why=why))


def _tell(  # noqa: PLR0913, PLR0917 - of what, where and how
    tx: Connection, runner: JobRunner, campaign: Campaign, schedule: Schedule, kind: PostKind, notice: Notice
) -> Sequence[Post]:
    shown = notice(campaign, schedule, runner.jobs[schedule.job].what)
    message = OutgoingMessage(kind, campaign.staff_channel_id, [shown], store.topic_of(schedule))
    return runner.resolver.outbox.queue(tx, campaign.id, None, [message])


class MissedQuestion(Struct, frozen=True):
    """A question about missed occurrences until a minute (since 1970)."""

    job: Job
    campaign_id: int
    seen: int


class MissedAnswer(Struct, frozen=True):
    """Occurrences done, posts, the next one's fault, those done `by_hand`."""

    done: tuple[datetime, ...] = ()
    posts: tuple[Post, ...] = ()
    fault: str = ""
    by_hand: tuple[datetime, ...] = ()


async def answer_missed(
    database: Database, runner: JobRunner, person: permissions.Person, question: MissedQuestion, *, roll: bool
) -> MissedAnswer:
    """Make up for missed occurrences, oldest first, or skip them."""
    if roll:
        answered = await _catch_up(database, runner, person, question)
    else:
        answered = await database.write(_skip_missed, runner, person, question)
    if answered == MissedAnswer():
        raise errors.NotOpen(
            f"{question.job.title}: nothing is missed any more.", "It was already caught up or skipped."
        )
    return answered


async def _catch_up(
    database: Database, runner: JobRunner, person: permissions.Person, question: MissedQuestion
) -> MissedAnswer:
    steps: list[MissedAnswer] = []
    fault = ""
    try:
        while step := await database.write(_catch_up_one, runner, person, question):
            steps.append(step)
    except JobRefused as refused:
        fault = str(refused)
    return MissedAnswer(
        tuple(at for step in steps for at in step.done),
        tuple(post for step in steps for post in step.posts),
        fault,
        tuple(at for step in steps for at in step.by_hand),
    )


def _catch_up_one(
    tx: Connection, runner: JobRunner, person: permissions.Person, question: MissedQuestion
) -> MissedAnswer | None:
    waiting = _find_waiting(tx, person, question)
    if waiting is None:
        return None
    campaign, known, schedule = waiting
    if schedule != known:
        store.save_schedule(tx, schedule)
        return MissedAnswer(by_hand=_list_by_hand(known, schedule))
    first, *rest = schedule.missed
    posts = runner.run(tx, campaign, schedule, first)
    store.save_schedule(tx, replace(schedule, missed=tuple(rest), reached=question.job.reached(tx, campaign)))
    return MissedAnswer((first,), tuple(posts))


def _skip_missed(
    tx: Connection, runner: JobRunner, person: permissions.Person, question: MissedQuestion
) -> MissedAnswer:
    waiting = _find_waiting(tx, person, question)
    if waiting is None:
        return MissedAnswer()
    campaign, known, schedule = waiting
    asked = tuple(at for at in schedule.missed if store.minute_of(at) <= question.seen)
    store.save_schedule(tx, replace(schedule, missed=schedule.missed[len(asked) :]))
    if asked:
        job = question.job
        body = {"deed": job.id, "title": job.title, "let_go": [at.isoformat() for at in asked]}
        runner.resolver.ledger.enter(tx, campaign, person.user_id, ledger.EntryDraft("schedule", "staff", body))
    return MissedAnswer(asked, by_hand=_list_by_hand(known, schedule))


def _find_waiting(
    tx: Connection, person: permissions.Person, question: MissedQuestion
) -> tuple[Campaign, Schedule, Schedule] | None:
    campaign = open_campaign(tx, question.campaign_id)
    permissions.require_game_master(person, campaign, store.DECIDE)
    known = store.get_schedule(tx, campaign.id, question.job.id)
    if known is None or not known.missed or store.minute_of(known.missed[0]) > question.seen:
        return None
    return campaign, known, store.skip_missed(tx, campaign, question.job, known)


def _list_by_hand(before: Schedule, after: Schedule) -> tuple[datetime, ...]:
    return before.missed[: len(before.missed) - len(after.missed)]
