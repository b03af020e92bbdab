"""Schedules of recurring jobs, as rows outside the ledger; each is a local time on days of an RRULE (RFC 5545)."""

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import partial
from itertools import islice, pairwise
from typing import Literal
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from discord import ui
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, get_campaign
from bot.core.errors import BadInput
from bot.core.library import Library
from bot.core.schema import at_home
from bot.core.schema import job as table
from bot.core.transactions import Row
from bot.outbox.queue import Post
from bot.ui.reply import IdTemplate
from bot.ui.text import Controls

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EVERY_DAY = "every day"
ORDINALS = {2: "second", 3: "third", 4: "fourth"}
NOON = "12:00"
FARTHEST = timedelta(days=731)
HOW = "Write a date or a day, and a time: 2026-03-10 18:00, Friday 18:00, tomorrow 9:00."
HOW_DAYS = "Write it like Friday, Tue, Fri, every day or every second Friday. Second, third and fourth work."
_CODES = tuple(day[:2].upper() for day in WEEKDAYS)
_RULE = re.compile(rf"FREQ=(?:DAILY|WEEKLY)(?:;INTERVAL=([2-4]))?(?:;BYDAY=((?:,?(?:{'|'.join(_CODES)}))+))?")
_INTERVALS = {"other": 2, **{word: n for n, name in ORDINALS.items() for word in (name, str(n), f"{n}{name[-2:]}")}}
_FILLERS = {"", "every", "each", "on", "and", "week", "weeks"}
_OFFERED = (EVERY_DAY, *WEEKDAYS, *(f"every {ordinal} {day}" for ordinal in ORDINALS.values() for day in WEEKDAYS))
_SHORTEST = 3
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def find_next(rule: str, start: date | None, at: str, zone: tzinfo, after: datetime) -> datetime:
    """Return the first occurrence after a moment, in UTC.

    Intervals count from `start`. A time that clocks skip moves on (02:30 to 03:30); of one shown twice the first counts.
    """
    hour, minute = map(int, at.split(":"))
    search = after.astimezone(zone).date() - timedelta(days=1)  # a time that was left out may lie on the next day
    cycle = 7 * _parts(rule)[0]
    days = _list_days(rule, search - timedelta(days=(search - (start or search)).days % cycle))
    moments = (datetime.combine(day, time(hour, minute), zone).astimezone(UTC) for day in days)
    return next(moment for moment in moments if moment > after)


def find_first_day(rule: str, at: str, zone: tzinfo, now: datetime) -> date | None:
    """Return the local day from which intervals count; None for rules without one."""
    interval, days = _parts(rule)
    return None if interval == 1 else find_next(_rule(days), None, at, zone, now).astimezone(zone).date()


def find_shortest_gap(rule: str) -> timedelta:
    """Return the shortest time between two occurrences."""
    days = islice(_list_days(rule, date.min), len(WEEKDAYS) + 1)
    return min(later - earlier for earlier, later in pairwise(days))


def describe_rule(rule: str) -> str:
    """Return a rule as people type it."""
    interval, days = _parts(rule)
    names = ", ".join(WEEKDAYS[day] for day in days) or "day"
    every = ["every", *([ORDINALS[interval]] if interval > 1 else [])]
    return names if days and interval == 1 else " ".join([*every, names])


def read_rule(typed: str) -> str:
    """Return the RRULE of days such as "Tue, Fri" or every second Friday, or raise BadInput."""
    first, *others = re.split(r"[\s,&/]+", typed.strip().casefold())
    skips = first in {"every", "each"} and others and others[0] in _INTERVALS  # a plain "second Friday" is monthly
    interval = _INTERVALS[others.pop(0)] if skips else 1
    words = [word for word in (first, *others) if word not in _FILLERS]
    days = {_weekday(word) for word in words}
    if words in (["day"], ["days"], ["daily"]):
        return _rule((), interval)
    if not days or None in days:
        raise BadInput(f"I can't read {typed.strip()[:40]!r} as days.", HOW_DAYS)
    return _rule(sorted(day for day in days if day is not None), interval)


def suggest_days(typed: str) -> list[str]:
    """Return what the typed days mean, then possible completions."""
    before, _, last = typed.rpartition(",")
    known, wanted = _words(before), " ".join(last.casefold().split())
    if known:
        found = [_words(f"{known}, {day}") for day in WEEKDAYS if wanted in day.casefold()]
    else:
        found = [days for days in _OFFERED if wanted in days.casefold()]
    return list(dict.fromkeys(filter(None, [_words(typed), *found])))


def _words(typed: str) -> str:
    try:
        return describe_rule(read_rule(typed))
    except BadInput:
        return ""


def read_time(typed: str) -> str:
    """Return a typed time as HH:MM, or raise BadInput."""
    found = _TIME.fullmatch(typed.strip())
    if found is None:
        raise BadInput(f"I can't read {typed.strip()!r} as a time.", "Write it on the 24-hour clock, like 18:00.")
    return f"{found[1]:0>2}:{found[2]}"


def read_date(typed: str, zone: tzinfo, now: datetime) -> datetime:
    """Return a typed future moment in UTC, at noon by default."""
    day, _, time_of_day = typed.strip().partition(" ")
    today = now.astimezone(zone).date()
    named = {"today": today, "tomorrow": today + timedelta(days=1)}.get(day.casefold())
    by_weekday = not named and not _DATE.fullmatch(day)
    weekday = _weekday(day.casefold()) if by_weekday else None
    if by_weekday and weekday is None:
        raise BadInput(f"I can't read {day[:40]!r} as a day.", HOW)
    at = read_time(time_of_day or NOON)
    if weekday is not None:
        return find_next(_rule([weekday]), None, at, zone, now)
    try:
        moment = datetime.combine(named or date.fromisoformat(day), time.fromisoformat(at), zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{day!r} isn't a day in the calendar.", HOW) from None
    if not now < moment < now + FARTHEST:
        when = "over" if moment <= now else "more than two years ahead"
        do = "Choose a later moment." if moment <= now else "Choose an earlier one."
        raise BadInput(f"{typed.strip()} is {when}.", do)
    return moment


def _weekday(word: str) -> int | None:
    stem = word.removesuffix("s")
    long_enough = len(stem) >= _SHORTEST
    found = (number for number, name in enumerate(WEEKDAYS) if long_enough and name.casefold().startswith(stem))
    return next(found, None)


def _rule(days: Collection[int], interval: int = 1) -> str:
    skips = f";INTERVAL={interval}" if interval > 1 else ""
    return f"FREQ=WEEKLY{skips};BYDAY={','.join(_CODES[day] for day in days)}" if days else f"FREQ=DAILY{skips}"


def _parts(rule: str) -> tuple[int, list[int]]:
    found = _RULE.fullmatch(rule)
    if found is None:
        raise ValueError(f"{rule!r} is not a rule of a schedule")
    return int(found[1] or 1), [_CODES.index(code) for code in (found[2] or "").split(",") if code]


def _list_days(rule: str, begin: date) -> Iterator[date]:
    from dateutil.rrule import rrulestr  # noqa: PLC0415 - a start needs no rules

    return (moment.date() for moment in rrulestr(rule, dtstart=datetime.combine(begin, time())))


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


JOB_NAMES = {"update": "updates", "weather": "weather"}
"""What `/gm schedule` calls jobs, by id."""


def name_command(job: str) -> str:
    """Return the command that schedules a job."""
    return f"/gm schedule what:{JOB_NAMES.get(job, job)}"


def _allow(_tx: Connection, _library: Library, _campaign: Campaign) -> None:
    return


class Job(Struct, frozen=True):
    """Something to schedule.

    `id` is among `JOB_NAMES`, `title` its name ("Weekly weather"), `what` its phrase ("the weather rollover"), `does` its verb ("rolls
    its weather"). `run` takes transaction, resolver, locked campaign and moment; `reached` counts progress, also by hand.
    `require` refuses a campaign that can't schedule it.
    """

    id: str
    title: str
    what: str
    does: str
    run: Callable[..., tuple[Post, ...]]
    reached: Callable[[Connection, Campaign], int]
    ahead: EarlyRun | None = None
    require: Callable[[Connection, Library, Campaign], object] = _allow


Jobs = Mapping[str, Job]

MAX_REMIND = 10_080


def find_settled(tx: Connection, job: Job, campaign_id: int) -> Schedule | None:
    """Return a job's schedule without missed occurrences that were made up for by hand."""
    campaign, schedule = get_campaign(tx, campaign_id), get_schedule(tx, campaign_id, job.id)
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


EVERY = 999_999_999
"""The moment in old questions, which meant all missed occurrences."""


ANSWER = IdTemplate("schedule:{campaign:int}:{job:word}:{until:int}:{answer:word}")


def question_buttons(campaign_id: int, topic: str) -> ui.View:
    """Return the buttons about a job's missed occurrences."""
    job, _, until = topic.partition(" ")
    key = partial(ANSWER.fill, campaign=campaign_id, job=job, until=until or EVERY)
    answers = (("Catch up", "roll"), ("Skip", "skip"))
    return Controls(*(ui.Button(label=label, custom_id=key(answer=answer)) for label, answer in answers))


def post_buttons(post: Post) -> ui.View | None:
    """Return a question's buttons."""
    return question_buttons(post.campaign_id, post.topic) if post.topic else None
