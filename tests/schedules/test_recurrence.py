"""Local times across changes of the clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import BadInput
from bot.schedules import store

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
FAR = (*ZONES, "Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC")
MINUTES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60)]
moments = st.datetimes(datetime(2024, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given there


def occurrences(rule: str, at: str, zone: str, after: datetime, count: int) -> list[datetime]:
    """This many occurrences."""
    start = store.find_first_day(rule, at, ZoneInfo(zone), after)
    found = [store.find_next(rule, start, at, ZoneInfo(zone), after)]
    while len(found) < count:
        found.append(store.find_next(rule, start, at, ZoneInfo(zone), found[-1]))
    return found


def utc(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("zone", ZONES)
def test_a_weekly_time_stays_what_it_is_through_a_year(zone: str) -> None:
    """Saturday, 18:00 local."""
    found = occurrences("FREQ=WEEKLY;BYDAY=SA", "18:00", zone, utc("2026-01-01T00:00"), 60)
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
    """Moved on, or the first."""
    assert occurrences("FREQ=DAILY", at, zone, utc(after), 2) == list(map(utc, found))


@pytest.mark.parametrize(
    ("zone", "found"),
    [
        ("Pacific/Kiritimati", "2026-03-06T10:00"),
        ("Pacific/Pago_Pago", "2026-03-08T10:00"),
        ("UTC", "2026-03-07T00:00"),
    ],
)
def test_the_weekday_is_that_of_the_place(zone: str, found: str) -> None:
    """Not UTC's."""
    at = {"Pacific/Pago_Pago": "23:00"}.get(zone, "00:00")
    assert store.find_next("FREQ=WEEKLY;BYDAY=SA", None, at, ZoneInfo(zone), utc("2026-03-01T12:00")) == utc(found)


@given(st.sampled_from(FAR), st.sets(st.integers(0, 6)), st.integers(1, 4), st.sampled_from(MINUTES), moments)
def test_occurrences_rise_and_are_what_was_asked_for(
    zone: str, weekdays: set[int], interval: int, at: str, after: datetime
) -> None:
    """None is left out."""
    days = ", ".join(f"{date(2024, 1, 1 + day):%a}" for day in weekdays) or "day"
    rule = store.read_rule(f"every {interval} {days}" if interval > 1 else f"every {days}")
    found = occurrences(rule, at, zone, after, 30)
    assert after < found[0] <= after + timedelta(days=7 if weekdays else 1, hours=1)
    local = [moment.astimezone(ZoneInfo(zone)) for moment in found]
    shown = [moment for moment in local if f"{moment:%H:%M}" == at]
    assert len(shown) >= 28  # clocks that leave the time out do so once a year
    assert {moment.fold for moment in local} == {0}
    first = local[0].date() - timedelta(days=local[0].weekday() if weekdays else 0)
    cycle = 7 * interval if weekdays else interval
    offsets = [divmod((moment.date() - first).days, cycle) for moment in local]
    assert {day for _, day in offsets} <= (weekdays or {0})
    assert offsets == sorted(set(offsets))
    assert len(found) <= (offsets[-1][0] - offsets[0][0] + 1) * max(1, len(weekdays)) < len(found) + 2 * 7


@pytest.mark.parametrize(
    ("typed", "meant"), [("18:00", "18:00"), (" 6:00 ", "06:00"), ("0:00", "00:00"), ("23:59",) * 2]
)
def test_times_of_day_are_read(typed: str, meant: str) -> None:
    """One digit or two."""
    assert store.read_time(typed) == meant


@pytest.mark.parametrize(
    "typed", ["6 pm", "24:00", "18:60", "18", "", "18:00:00", "-1:00", "\N{ARABIC-INDIC DIGIT ONE}:00"]
)
def test_other_times_are_refused_kindly(typed: str) -> None:
    """With the right form."""
    with pytest.raises(BadInput, match="like 18:00"):
        store.read_time(typed)


@pytest.mark.parametrize(
    ("typed", "rule", "words"),
    [
        ("Monday", "FREQ=WEEKLY;BYDAY=MO", "Monday"),
        (" SUNDAY", "FREQ=WEEKLY;BYDAY=SU", "Sunday"),
        ("every day", "FREQ=DAILY", "every day"),
        ("daily", "FREQ=DAILY", "every day"),
        ("fri, Tue", "FREQ=WEEKLY;BYDAY=TU,FR", "Tuesday, Friday"),
        ("every Tues and Thurs", "FREQ=WEEKLY;BYDAY=TU,TH", "Tuesday, Thursday"),
        ("on Fridays", "FREQ=WEEKLY;BYDAY=FR", "Friday"),
        ("every second Friday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every second Friday"),
        ("every other week on fri", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "every second Friday"),
        ("every 3rd Tue/Fri", "FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,FR", "every third Tuesday, Friday"),
        ("Every 4 Weeks on Saturday", "FREQ=WEEKLY;INTERVAL=4;BYDAY=SA", "every fourth Saturday"),
        ("every second day", "FREQ=DAILY;INTERVAL=2", "every second day"),
    ],
)
def test_days_are_read_as_a_rule_and_shown_as_they_can_be_typed(typed: str, rule: str, words: str) -> None:
    """Both ways agree."""
    assert store.read_rule(typed) == rule
    assert store.describe_rule(rule) == words
    assert store.read_rule(words) == rule


@pytest.mark.parametrize(
    "typed",
    [
        "Caturday",
        "",
        "every",
        "every second week",
        "second Friday",
        "every fifth Friday",
        "every second Friday of the month",
        "Friday, every day",
        "Mo",
    ],
)
def test_other_days_are_refused_with_examples(typed: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(BadInput, match="every second Friday"):
        store.read_rule(typed)


@pytest.mark.parametrize("rule", ["FREQ=SECONDLY", "FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY;COUNT=3", ""])
def test_a_rule_that_nobody_can_type_has_no_words(rule: str) -> None:
    """Imported ones are refused."""
    with pytest.raises(ValueError, match="is not a rule"):
        store.describe_rule(rule)


def test_every_second_week_counts_from_the_next_of_its_days() -> None:
    """Today, if still to come."""
    rule, zone, now = store.read_rule("every second Tue, Fri"), "Europe/Berlin", utc("2026-03-06T18:00")
    late = occurrences(store.read_rule("every second Friday"), "18:00", zone, now, 2)
    assert late == [utc("2026-03-13T17:00"), utc("2026-03-27T17:00")]
    early = occurrences(rule, "20:00", zone, now, 4)
    assert [f"{moment:%d %b}" for moment in early] == ["06 Mar", "17 Mar", "20 Mar", "31 Mar"]


@pytest.mark.parametrize(
    ("typed", "days"),
    [("every day", 1), ("Friday", 7), ("Tue, Fri", 3), ("every second day", 2), ("every second Sun, Mon", 6)],
)
def test_the_shortest_gap_is_the_nearest_two_occurrences(typed: str, days: int) -> None:
    """Across weeks too."""
    assert store.find_shortest_gap(store.read_rule(typed)) == timedelta(days=days)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", ["every day", "Monday", "Tuesday"]),
        ("fri", ["Friday", "every second Friday", "every third Friday"]),
        ("Tue, f", ["Tuesday, Friday"]),
        ("every second tue, fri", ["every second Tuesday, Friday"]),
        ("every day, f", []),
        ("lunch", []),
    ],
)
def test_completions_continue_what_is_typed(typed: str, offered: list[str]) -> None:
    """Each can be sent."""
    found = store.suggest_days(typed)
    assert found[: len(offered)] == offered
    assert bool(found) == bool(offered)
    assert [store.describe_rule(store.read_rule(days)) for days in found] == found
