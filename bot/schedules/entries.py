"""Entries about schedules."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.schedules.store import CatchUp
from bot.schedules.text import LATE_ONES, duration
from bot.ui.entries import plain_pages
from bot.ui.text import plain


class ScheduledTime(TypedDict):
    """A schedule as an entry keeps it: `time` is HH:MM, `remind` in minutes, 0 for no reminder; `ahead` too, where something is done before."""

    day: str
    time: str
    remind: int
    catch_up: CatchUp
    ahead: NotRequired[int]


class ScheduleSet(TypedDict):
    """What the entry of a schedule that was set, changed or stopped keeps: the job's id and title, before and after."""

    deed: str
    title: str
    before: ScheduledTime | None
    after: ScheduledTime | None


class ScheduleSkipped(TypedDict):
    """What the entry of missed occurrences that were let go keeps: the job's id and title, and the moments (ISO, UTC)."""

    deed: str
    title: str
    let_go: list[str]


def _sentence(body: Body, _view: View = "staff") -> str:
    title = plain(body["title"])
    if "let_go" in body:
        return f"{title}: {len(body['let_go'])} missed, skipped"
    if body["after"] is None:
        return f"{title} no longer by schedule"
    was = f", instead of {_time(body['before'])}" if body["before"] else ""
    return f"{title} by schedule: {_time(body['after'])}{was}"


def _time(kept: ScheduledTime) -> str:
    reminder = f", reminder {duration(kept['remind'])} before" if kept["remind"] else ""
    ahead = f", prepared {duration(kept['ahead'])} before" if "ahead" in kept else ""
    return f"{kept['day']} {kept['time']}, {LATE_ONES[kept['catch_up']]}{reminder}{ahead}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Schedule", [_sentence(shown.entry.content())])


SCHEDULE_CHANGED = EntryKind(
    "schedule", "staff", _sentence, _pages, stays="Change it with /update schedule or /weather schedule."
)
