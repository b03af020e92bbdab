"""When something recurs: a time of day, every day or on one day of the week, in a campaign's own time zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from bot.errors import BadInput
from bot.schedules.store import EVERY_DAY, WEEKDAYS

LOOK_AHEAD = 16
"""Days among which the next occurrence surely lies: two weeks, for zones that once left a day out."""

NOON = "12:00"
FARTHEST = timedelta(days=731)
HOW = "Write a date or a day, and a time: 2026-03-10 18:00, Friday 18:00, tomorrow 9:00."
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


def following(weekday: int | None, at: str, zone: tzinfo, after: datetime) -> datetime:
    """The first occurrence strictly after a moment, in UTC.

    `weekday` is 0 for Monday and None for every day; `at` is the local time, HH:MM. Where clocks leave that time out,
    it is the moment that it would have been by the offset before (02:30 becomes 03:30); where they show it twice, the
    first of the two.
    """
    hour, minute = map(int, at.split(":"))
    start = after.astimezone(zone).date() - timedelta(days=1)  # a time that was left out may lie on the next day
    days = (start + timedelta(days=ahead) for ahead in range(LOOK_AHEAD))
    wanted = (day for day in days if weekday is None or day.weekday() == weekday)
    moments = (datetime.combine(day, time(hour, minute), zone).astimezone(UTC) for day in wanted)
    return next(moment for moment in moments if moment > after)


def checked_weekday(typed: str) -> int | None:
    """A weekday by its English name or the first three letters of it, or every day.

    Raises:
        BadInput: it is neither.

    """
    wanted = typed.strip().casefold()
    if wanted == EVERY_DAY:
        return None
    for number, name in enumerate(WEEKDAYS):
        if wanted in {name.casefold(), name[:3].casefold()}:
            return number
    raise BadInput(f"{typed.strip()!r} is no day of the week.", f"There are: {', '.join(WEEKDAYS)}, {EVERY_DAY}.")


def checked_time(typed: str) -> str:
    """A time of day as HH:MM.

    Raises:
        BadInput: it is none on the 24-hour clock.

    """
    found = _TIME.fullmatch(typed.strip())
    if found is None:
        raise BadInput(f"{typed.strip()!r} is no time that I can read.", "Write it on the 24-hour clock, like 18:00.")
    return f"{found[1]:0>2}:{found[2]}"


def checked_date(typed: str, zone: tzinfo, now: datetime) -> datetime:
    """A moment to come, in UTC: a date (2026-03-10), today, tomorrow or a day of the week, and a time (18:00; 12:00 where none is typed).

    A day of the week is the next one on which that time is still to come.

    Raises:
        BadInput: it is none, is over, or lies more than two years ahead.

    """
    day, _, time_of_day = typed.strip().partition(" ")
    today = now.astimezone(zone).date()
    named = {"today": today, "tomorrow": today + timedelta(days=1)}.get(day.casefold())
    weekday = None if named or _DATE.fullmatch(day) else _named_day(day)
    at = checked_time(time_of_day or NOON)
    if weekday is not None:
        return following(weekday, at, zone, now)
    try:
        moment = datetime.combine(named or date.fromisoformat(day), time.fromisoformat(at), zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{day!r} is no day of the calendar.", HOW) from None
    if not now < moment < now + FARTHEST:
        when = "over" if moment <= now else "more than two years ahead"
        raise BadInput(
            f"{typed.strip()} is {when}.", "Choose a later moment." if moment <= now else "Choose an earlier one."
        )
    return moment


def _named_day(typed: str) -> int:
    """Return the number of a day of the week."""
    try:
        weekday = checked_weekday(typed)
    except BadInput:
        weekday = None
    if weekday is None:
        raise BadInput(f"{typed[:40]!r} is no day that I can read.", HOW)
    return weekday
