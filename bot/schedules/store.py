"""Schedules of recurring jobs, as rows outside the ledger."""

from collections.abc import Callable, Container, Mapping
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.core.schema import at_home
from bot.core.schema import job as table
from bot.core.transactions import Row
from bot.outbox.queue import Post
from bot.schedules.recurrence import describe_rule, find_next, read_rule, read_time

DECIDE = "decide about its schedules"
SCHEDULE = 0
"""The user id of the schedule in the ledger."""

_DUE = sa.or_(*(table.c[name] <= sa.bindparam("now") for name in ("next_at", "remind_at", "ahead_at")))
_AT_HOME = at_home(table.c.campaign_id)
_CAMPAIGNS_DUE = sa.select(table.c.campaign_id).where(_DUE, _AT_HOME).order_by(table.c.next_at)
_DUE_SINCE = sa.select(sa.func.min(table.c.next_at)).where(table.c.next_at <= sa.bindparam("now"), _AT_HOME)
_FIRST_DUE = (
    sa.select(table)
    .where(table.c.campaign_id == sa.bindparam("campaign"), _DUE)
    .order_by(table.c.next_at, table.c.deed)
    .limit(1)
)

CatchUp = Literal["roll", "ask"]


class Schedule(Struct, frozen=True):
    """When a job recurs in a campaign.

    `rule` is an RRULE, `at` local time, `start` the day from which intervals count, `remind` and `ahead` minutes before. `remind_at` and
    `ahead_at` are None once done. `missed` wait, oldest first. Progress beyond `reached` makes up for them, then for `next_at`.
    """

    campaign_id: int
    job: str
    rule: str
    at: str
    catch_up: CatchUp
    remind: int | None
    next_at: datetime
    remind_at: datetime | None
    reached: int
    missed: tuple[datetime, ...] = ()
    ahead: int | None = None
    ahead_at: datetime | None = None
    start: date | None = None

    @property
    def day(self) -> str:
        """The days as people type them."""
        return describe_rule(self.rule)


def minute_of(moment: datetime) -> int:
    """Return minutes since 1970, for a button's id."""
    return int(moment.timestamp()) // 60


def topic_of(schedule: Schedule) -> str:
    """Return the topic for a schedule's posts: its job, and the newest missed minute."""
    return " ".join([schedule.job, *(str(minute_of(at)) for at in schedule.missed[-1:])])


def get_schedule(tx: Connection, campaign_id: int, job: str) -> Schedule | None:
    """Return a campaign's schedule of a job."""
    row = tx.execute(sa.select(table).where(*_key(campaign_id, job))).first()
    return _schedule(row) if row else None


def list_schedules(tx: Connection, campaign_id: int) -> list[Schedule]:
    """Return a campaign's schedules."""
    query = sa.select(table).where(table.c.campaign_id == campaign_id).order_by(table.c.deed)
    return [_schedule(row) for row in tx.execute(query)]


def save_schedule(tx: Connection, changed: Schedule) -> None:
    """Insert or update a schedule."""
    missed, start = [at.isoformat() for at in changed.missed], changed.start and changed.start.isoformat()
    values = asdict(changed) | {"missed": missed, "start": start}
    values["deed"] = values.pop("job")  # the column has an older name
    known = tx.execute(table.update().where(*_key(changed.campaign_id, changed.job)).values(values))
    if not known.rowcount:
        tx.execute(table.insert(), values)


def remove_schedule(tx: Connection, campaign_id: int, job: str) -> None:
    """Delete a schedule."""
    tx.execute(table.delete().where(*_key(campaign_id, job)))


def find_due_campaigns(tx: Connection, now: datetime) -> list[int]:
    """Return campaigns with something due, most overdue first."""
    return list(dict.fromkeys(tx.scalars(_CAMPAIGNS_DUE, {"now": now})))


def find_oldest_due_job(tx: Connection, now: datetime) -> datetime | None:
    """Return since when the most overdue occurrence is due."""
    since: datetime | None = tx.scalar(_DUE_SINCE, {"now": now})
    return since


def find_first_due(tx: Connection, campaign_id: int, now: datetime) -> Schedule | None:
    """Return a campaign's most overdue schedule."""
    row = tx.execute(_FIRST_DUE, {"campaign": campaign_id, "now": now}).first()
    return _schedule(row) if row else None


def _key(campaign_id: int, job: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (table.c.campaign_id == campaign_id, table.c.deed == job)


def _schedule(row: Row) -> Schedule:
    fields = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
    start = fields["start"] and date.fromisoformat(fields["start"])
    missed = tuple(map(datetime.fromisoformat, fields["missed"]))
    return Schedule(**fields | {"job": fields.pop("deed"), "missed": missed, "start": start})


class EarlyRun(Struct, frozen=True):
    """What a job does before its time: phrase and `run`."""

    title: str
    run: Callable[..., tuple[Post, ...]]


class Job(Struct, frozen=True):
    """Something to schedule.

    `id` is its command (`weather`), `title` its name ("Weekly weather"), `what` its phrase ("the weather rollover"), `does` its verb ("rolls
    its weather"). `run` takes transaction, resolver, locked campaign and moment; `reached` counts progress, also by hand.
    """

    id: str
    title: str
    what: str
    does: str
    run: Callable[..., tuple[Post, ...]]
    reached: Callable[[Connection, Campaign], int]
    ahead: EarlyRun | None = None


Jobs = Mapping[str, Job]

MAX_REMIND = 10_080


def find_settled(tx: Connection, job: Job, campaign_id: int) -> Schedule | None:
    """Return a job's schedule without missed occurrences that were made up for by hand."""
    campaign, schedule = campaigns.get_campaign(tx, campaign_id), get_schedule(tx, campaign_id, job.id)
    return None if campaign is None or schedule is None else skip_missed(tx, campaign, job, schedule)


def move_to_zone(tx: Connection, before: Campaign, after: Campaign, now: datetime) -> None:
    """Keep schedules' local times in a new zone, unless past there."""
    old, new = ZoneInfo(before.timezone), ZoneInfo(after.timezone)
    for schedule in list_schedules(tx, after.id):
        midnight = datetime.combine(schedule.next_at.astimezone(old).date(), time(), new)
        same_day = move_on(schedule, after, midnight - timedelta(seconds=1))
        if same_day.next_at > min(now, schedule.next_at):
            save_schedule(tx, keep_reminders(schedule, same_day))


def skip_missed(tx: Connection, campaign: Campaign, job: Job, schedule: Schedule) -> Schedule:
    """Return a schedule without missed occurrences that were made up for by hand."""
    by_hand = job.reached(tx, campaign) - schedule.reached
    count = min(max(by_hand, 0), len(schedule.missed))
    return replace(schedule, missed=schedule.missed[count:], reached=schedule.reached + count)


def move_on(schedule: Schedule, campaign: Campaign, after: datetime) -> Schedule:
    """Return a schedule at its next occurrence, with reminders."""
    next_at = find_next(schedule.rule, schedule.start, schedule.at, ZoneInfo(campaign.timezone), after)
    both = (schedule.remind, schedule.ahead)
    remind_at, ahead_at = (None if item is None else next_at - timedelta(minutes=item) for item in both)
    return replace(schedule, next_at=next_at, remind_at=remind_at, ahead_at=ahead_at)


def require_possible(schedule: Schedule, jobs: Container[str]) -> None:
    """Check an imported schedule, or raise ValueError."""
    ahead = [0 if minutes is None else minutes for minutes in (schedule.remind, schedule.ahead)]
    timely = read_rule(schedule.day) == schedule.rule and read_time(schedule.at) == schedule.at
    counted = ("INTERVAL" in schedule.rule) == (schedule.start is not None)
    if not (schedule.job in jobs and timely and counted and all(0 <= minutes <= MAX_REMIND for minutes in ahead)):
        raise ValueError(f"nothing is done as {schedule.job!r} by {schedule.rule!r} at {schedule.at!r}")


def keep_reminders(before: Schedule, after: Schedule) -> Schedule:
    """Return the new schedule without reminders already given."""
    if (before.next_at, before.remind) == (after.next_at, after.remind):
        after = replace(after, remind_at=before.remind_at)
    same = (before.next_at, before.ahead) == (after.next_at, after.ahead)
    return replace(after, ahead_at=before.ahead_at) if same else after
