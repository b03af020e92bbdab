"""Recurrence: a local time on days of an RRULE (RFC 5545)."""

import re
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import islice, pairwise

from bot.core.errors import BadInput

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
    weekly = None if named or _DATE.fullmatch(day) else _rule([_find_day(day)])
    at = read_time(time_of_day or NOON)
    if weekly:
        return find_next(weekly, None, at, zone, now)
    try:
        moment = datetime.combine(named or date.fromisoformat(day), time.fromisoformat(at), zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{day!r} isn't a day in the calendar.", HOW) from None
    if not now < moment < now + FARTHEST:
        when = "over" if moment <= now else "more than two years ahead"
        do = "Choose a later moment." if moment <= now else "Choose an earlier one."
        raise BadInput(f"{typed.strip()} is {when}.", do)
    return moment


def _find_day(typed: str) -> int:
    weekday = _weekday(typed.casefold())
    if weekday is None:
        raise BadInput(f"I can't read {typed[:40]!r} as a day.", HOW)
    return weekday


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
