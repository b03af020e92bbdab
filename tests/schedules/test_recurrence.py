"""When something recurs: the local time as it was asked for, across every change of the clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.schedules.recurrence import checked_time, checked_weekday, following

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
FAR = (*ZONES, "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC")
MINUTES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]
moments = st.datetimes(datetime(2024, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given there


def occurrences(weekday: int | None, at: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """So many occurrences, one after the other."""
    found = [following(weekday, at, ZoneInfo(zone), after)]
    while len(found) < count:
        found.append(following(weekday, at, ZoneInfo(zone), found[-1]))
    return found


def utc(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("zone", ZONES)
def test_a_weekly_time_stays_what_it_is_through_a_year(zone: str) -> None:
    """Week by week through both changes of the clocks, it is Saturday, 18:00 local time, seven local days later."""
    found = occurrences(5, "18:00", zone, utc("2026-01-01T00:00"), 60)
    local = [moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for moment in found]
    assert {(moment.weekday(), moment.hour, moment.minute) for moment in local} == {(5, 18, 0)}
    assert {after - before for before, after in pairwise(local)} == {timedelta(days=7)}
    assert len({after - before for before, after in pairwise(found)}) == 3


@pytest.mark.parametrize(
    ("zone", "at", "after", "found"),
    [
        ("Europe/Berlin", "02:30", "2026-03-28T12:00", ["2026-03-29T01:30", "2026-03-30T00:30"]),
        ("Europe/Berlin", "02:30", "2026-10-24T12:00", ["2026-10-25T00:30", "2026-10-26T01:30"]),
        ("America/New_York", "02:30", "2026-03-07T12:00", ["2026-03-08T07:30", "2026-03-09T06:30"]),
        ("America/New_York", "01:30", "2026-10-31T12:00", ["2026-11-01T05:30", "2026-11-02T06:30"]),
        ("Australia/Lord_Howe", "02:15", "2026-10-03T00:00", ["2026-10-03T15:45", "2026-10-04T15:15"]),
        ("Australia/Lord_Howe", "01:45", "2026-04-04T00:00", ["2026-04-04T14:45", "2026-04-05T15:15"]),
    ],
)
def test_a_time_that_the_clocks_leave_out_or_show_twice(zone: str, at: str, after: str, found: list[str]) -> None:
    """Left out, it is the moment by the offset before; shown twice, it is the first of the two only."""
    assert occurrences(None, at, zone, utc(after), 2) == list(map(utc, found))


@pytest.mark.parametrize(
    ("zone", "found"),
    [
        ("Pacific/Kiritimati", "2026-03-06T10:00"),
        ("Pacific/Pago_Pago", "2026-03-08T10:00"),
        ("UTC", "2026-03-07T00:00"),
    ],
)
def test_the_weekday_is_that_of_the_place(zone: str, found: str) -> None:
    """Saturday is Saturday there, be it Friday or Sunday in UTC."""
    at = {"Pacific/Pago_Pago": "23:00"}.get(zone, "00:00")
    assert following(5, at, ZoneInfo(zone), utc("2026-03-01T12:00")) == utc(found)


@given(st.sampled_from(FAR), st.none() | st.integers(0, 6), st.sampled_from(MINUTES), moments)
def test_occurrences_rise_and_are_what_was_asked_for(zone: str, weekday: int | None, at: str, after: datetime) -> None:
    """Each lies after the one before by a week or a day, an hour more or less, on the day and at the time asked for."""
    span = timedelta(days=1 if weekday is None else 7)
    found = occurrences(weekday, at, zone, after, 60)
    assert after < found[0] <= after + span + timedelta(hours=1)
    for before, moment in pairwise(found):
        assert span - timedelta(hours=1) <= moment - before <= span + timedelta(hours=1)
        local = moment.astimezone(ZoneInfo(zone))
        left_out = local.replace(fold=0).utcoffset() != (local - timedelta(hours=1)).replace(fold=0).utcoffset()
        assert weekday in {None, local.weekday()} or left_out
        assert f"{local:%H:%M}" == at or left_out
        assert local.fold == 0


@pytest.mark.parametrize(
    ("typed", "meant"), [("18:00", "18:00"), (" 6:00 ", "06:00"), ("0:00", "00:00"), ("23:59",) * 2]
)
def test_times_of_day_are_read(typed: str, meant: str) -> None:
    """Hours of one digit or two, on the 24-hour clock."""
    assert checked_time(typed) == meant


@pytest.mark.parametrize(
    "typed", ["6 pm", "24:00", "18:60", "18", "", "18:00:00", "-1:00", "\N{ARABIC-INDIC DIGIT ONE}:00"]
)
def test_other_times_are_refused_kindly(typed: str) -> None:
    """The answer says how a time is written."""
    with pytest.raises(BadInput, match="like 18:00"):
        checked_time(typed)


def test_days_are_read_in_full_or_by_three_letters() -> None:
    """In whatever case; every day is a day too; anything else is answered with those there are."""
    assert [checked_weekday(typed) for typed in ("Monday", "sat", " SUNDAY", "every day")] == [0, 5, 6, None]
    with pytest.raises(BadInput, match="Wednesday"):
        checked_weekday("Caturday")
