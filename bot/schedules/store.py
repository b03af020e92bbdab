"""Schedules: what a campaign lets happen by itself, and when it is due next. Settings beside the ledger."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core.schema import at_home
from bot.core.schema import job as table
from bot.schedules.recurrence import describe_rule

SCHEDULE = 0
"""The user id by which the ledger knows what the schedule did; nobody else has it."""

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
"""What becomes of an occurrence that was slept through: it is made up for, or a game master is asked."""


class Schedule(Struct, frozen=True):
    """When a job recurs in a campaign.

    `job` is the job's id, `rule` an RRULE that names days, `at` the campaign's local time (HH:MM),
    `remind` the minutes before it at which the staff is reminded. `remind_at` is None when no reminder is wanted or the
    next one was given. `missed` are past occurrences that wait for a game master's word, oldest first. What somebody did by
    hand beyond `reached` makes up for these, one for one, and then for the occurrence at `next_at`. `ahead` are the minutes
    before it at which the job does what it does ahead; `ahead_at` is None when that is nothing, or done. `start` is the
    local day from which a rule with an interval counts, such as every second week; None for other rules.
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
        """The days in words, as people type them."""
        return describe_rule(self.rule)


def minute(moment: datetime) -> int:
    """Return a moment as minutes since 1970, which the id of a button has room for."""
    return int(moment.timestamp()) // 60


def topic(schedule: Schedule) -> str:
    """Return what a post is about: the job, and the newest occurrence that was missed as its minute, if one was."""
    return " ".join([schedule.job, *(str(minute(at)) for at in schedule.missed[-1:])])


def get(tx: Connection, campaign_id: int, job: str) -> Schedule | None:
    """Return a campaign's schedule of a job."""
    row = tx.execute(sa.select(table).where(*_key(campaign_id, job))).first()
    return _schedule(row) if row else None


def of_campaign(tx: Connection, campaign_id: int) -> list[Schedule]:
    """Return all schedules of a campaign."""
    query = sa.select(table).where(table.c.campaign_id == campaign_id).order_by(table.c.deed)
    return [_schedule(row) for row in tx.execute(query)]


def save(tx: Connection, changed: Schedule) -> None:
    """Write a schedule, be it new or known."""
    missed, start = [at.isoformat() for at in changed.missed], changed.start and changed.start.isoformat()
    values = asdict(changed) | {"missed": missed, "start": start}
    values["deed"] = values.pop("job")  # the column has an older name
    known = tx.execute(table.update().where(*_key(changed.campaign_id, changed.job)).values(values))
    if not known.rowcount:
        tx.execute(table.insert(), values)


def remove(tx: Connection, campaign_id: int, job: str) -> None:
    """Forget a schedule."""
    tx.execute(table.delete().where(*_key(campaign_id, job)))


def campaigns_due(tx: Connection, now: datetime) -> list[int]:
    """Return the campaigns in which an occurrence or a reminder is due, most overdue first; a look that takes no lock."""
    return list(dict.fromkeys(tx.scalars(_CAMPAIGNS_DUE, {"now": now})))


def due_since(tx: Connection, now: datetime) -> datetime | None:
    """Return since when the occurrence is due that is most overdue in any campaign; None where none is."""
    since: datetime | None = tx.scalar(_DUE_SINCE, {"now": now})
    return since


def first_due(tx: Connection, campaign_id: int, now: datetime) -> Schedule | None:
    """Return the campaign's schedule that is most overdue, with its occurrence or only its reminder."""
    row = tx.execute(_FIRST_DUE, {"campaign": campaign_id, "now": now}).first()
    return _schedule(row) if row else None


def _key(campaign_id: int, job: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (table.c.campaign_id == campaign_id, table.c.deed == job)


def _schedule(row: sa.Row[Any]) -> Schedule:
    fields = dict(row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
    start = fields["start"] and date.fromisoformat(fields["start"])
    missed = tuple(map(datetime.fromisoformat, fields["missed"]))
    return Schedule(**fields | {"job": fields.pop("deed"), "missed": missed, "start": start})
