"""Schedules as they are shown and set, and what becomes of them as time goes by: pure steps and plain transactions."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.schedules import store
from bot.schedules.jobs import Job
from bot.schedules.recurrence import checked_rule, checked_time, following
from bot.schedules.store import Schedule

MAX_REMIND = 10_080
"""The earliest reminder of all, in minutes: a week before."""


def show(tx: Connection, job: Job, campaign_id: int) -> Schedule | None:
    """Return a campaign's schedule of a job, with what is missed and not made up for; None when there is none."""
    campaign, schedule = campaigns.get(tx, campaign_id), store.get(tx, campaign_id, job.id)
    return None if campaign is None or schedule is None else settled(tx, campaign, job, schedule)


def rezone(tx: Connection, before: Campaign, after: Campaign, now: datetime) -> None:
    """Move a campaign's schedules to the same local days and times in its new time zone.

    What isn't done yet and would be over there keeps its moment: nothing is done at once, twice or never.
    """
    old, new = ZoneInfo(before.timezone), ZoneInfo(after.timezone)
    for schedule in store.of_campaign(tx, after.id):
        midnight = datetime.combine(schedule.next_at.astimezone(old).date(), time(), new)
        same_day = onward(schedule, after, midnight - timedelta(seconds=1))
        if same_day.next_at > min(now, schedule.next_at):
            store.save(tx, reminded(schedule, same_day))


def settled(tx: Connection, campaign: Campaign, job: Job, schedule: Schedule) -> Schedule:
    """Return the schedule once what was done by hand is set against what was missed, the oldest first."""
    by_hand = job.reached(tx, campaign) - schedule.reached
    count = min(max(by_hand, 0), len(schedule.missed))
    return replace(schedule, missed=schedule.missed[count:], reached=schedule.reached + count)


def onward(schedule: Schedule, campaign: Campaign, after: datetime) -> Schedule:
    """Return the schedule at its first occurrence after a moment, with its reminder, and what is done ahead of it, to come."""
    next_at = following(schedule.rule, schedule.start, schedule.at, ZoneInfo(campaign.timezone), after)
    remind_at, ahead_at = (
        None if minutes is None else next_at - timedelta(minutes=minutes)
        for minutes in (schedule.remind, schedule.ahead)
    )
    return replace(schedule, next_at=next_at, remind_at=remind_at, ahead_at=ahead_at)


def require_possible(schedule: Schedule, jobs: Container[str]) -> None:
    """Refuse a schedule from elsewhere that nobody could have set here.

    Raises:
        ValueError: its job is unknown, or there is no such time.

    """
    ahead = [0 if minutes is None else minutes for minutes in (schedule.remind, schedule.ahead)]
    timely = checked_rule(schedule.day) == schedule.rule and checked_time(schedule.at) == schedule.at
    counted = ("INTERVAL" in schedule.rule) == (schedule.start is not None)
    if not (schedule.job in jobs and timely and counted and all(0 <= minutes <= MAX_REMIND for minutes in ahead)):
        raise ValueError(f"nothing is done as {schedule.job!r} by {schedule.rule!r} at {schedule.at!r}")


def reminded(before: Schedule, after: Schedule) -> Schedule:
    """Return the later of two forms of a schedule; what was given or done before its time is not done again for the same moments."""
    if (before.next_at, before.remind) == (after.next_at, after.remind):
        after = replace(after, remind_at=before.remind_at)
    same = (before.next_at, before.ahead) == (after.next_at, after.ahead)
    return replace(after, ahead_at=before.ahead_at) if same else after
