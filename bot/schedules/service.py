"""Schedules as they are shown and set, and what becomes of them as time goes by: pure steps and plain transactions."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign, open_campaign
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master
from bot.errors import BadInput
from bot.schedules import store
from bot.schedules.entries import ScheduledTime, ScheduleSet, ScheduleSkipped
from bot.schedules.jobs import Job
from bot.schedules.recurrence import checked_rule, checked_time, first_day, following, shortest_gap
from bot.schedules.store import CatchUp, Schedule

MAX_REMIND = 10_080
"""The earliest reminder of all, in minutes: a week before."""


class SchedulePlan(Struct, frozen=True):
    """A schedule as it was typed; what is None stays as it was. `remind` and `ahead` are in minutes, 0 for none."""

    day: str | None = None
    time: str | None = None
    remind: int | None = None
    catch_up: CatchUp | None = None
    ahead: int | None = None


def show(tx: Connection, job: Job, campaign_id: int) -> Schedule | None:
    """Return a campaign's schedule of a job, with what is missed and not made up for; None when there is none."""
    campaign, schedule = campaigns.get(tx, campaign_id), store.get(tx, campaign_id, job.id)
    return None if campaign is None or schedule is None else settled(tx, campaign, job, schedule)


def change(  # noqa: PLR0913, PLR0917 - of what, as whom and how
    tx: Connection, ledger: Ledger, job: Job, person: Person, campaign_id: int, plan: SchedulePlan | None
) -> Schedule | None:
    """Make or change a schedule, or switch it off with a plan of None; return it as it stands then."""
    campaign = led_campaign(tx, person, campaign_id)
    before, after = store.get(tx, campaign_id, job.id), None
    if plan is not None:
        now = ledger.now()
        after = _planned(before or _new(tx, campaign, job, plan, now), campaign, plan, now)
        store.save(tx, after)
    elif before is not None:
        store.remove(tx, campaign_id, job.id)
    else:
        raise BadInput(
            f"{job.title} isn't scheduled.", f"Start a schedule with /{job.id} schedule, its day and its time."
        )
    body = ScheduleSet(deed=job.id, title=job.title, before=_scheduled_time(before), after=_scheduled_time(after))
    enter(tx, ledger, campaign, person, body)
    return after


def rezone(tx: Connection, before: Campaign, after: Campaign, now: datetime) -> None:
    """Move a campaign's schedules to the same local days and times in its new time zone.

    What isn't done yet and would be over there keeps its moment: nothing is done at once, twice or never.
    """
    old, new = ZoneInfo(before.timezone), ZoneInfo(after.timezone)
    for schedule in store.of_campaign(tx, after.id):
        midnight = datetime.combine(schedule.next_at.astimezone(old).date(), time(), new)
        same_day = onward(schedule, after, midnight - timedelta(seconds=1))
        if same_day.next_at > min(now, schedule.next_at):
            store.save(tx, _reminded(schedule, same_day))


def led_campaign(tx: Connection, person: Person, campaign_id: int) -> Campaign:
    """Return a campaign, its row locked, for a game master who decides about its schedules."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "decide about its schedules")
    return campaign


def enter(
    tx: Connection, ledger: Ledger, campaign: Campaign, person: Person, body: ScheduleSet | ScheduleSkipped
) -> None:
    """Enter what somebody decided about a schedule."""
    ledger.enter(tx, campaign, person.user_id, EntryDraft("schedule", "staff", body))


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


def _new(tx: Connection, campaign: Campaign, job: Job, plan: SchedulePlan, now: datetime) -> Schedule:
    if plan.day is None or plan.time is None:
        raise BadInput("A new schedule needs a day and a time.", "Add both, such as day:Saturday time:18:00.")
    return Schedule(campaign.id, job.id, "", "", "roll", None, now, None, job.reached(tx, campaign))


def _planned(before: Schedule, campaign: Campaign, plan: SchedulePlan, now: datetime) -> Schedule:
    """Return the schedule that a plan makes of the one before."""
    rule = before.rule if plan.day is None else checked_rule(plan.day)
    at = before.at if plan.time is None else checked_time(plan.time)
    schedule = replace(
        before,
        rule=rule,
        start=before.start if plan.day is None else first_day(rule, at, ZoneInfo(campaign.timezone), now),
        at=at,
        remind=before.remind if plan.remind is None else plan.remind or None,
        catch_up=plan.catch_up or before.catch_up,
        ahead=before.ahead if plan.ahead is None else plan.ahead or None,
    )
    _require_timely(schedule)
    overdue = bool(before.at) and before.next_at <= now
    return schedule if overdue else _reminded(before, onward(schedule, campaign, now))  # what is overdue is not lost


def _require_timely(schedule: Schedule) -> None:
    """Refuse what would come ahead of one occurrence before the one before it."""
    longest = min(shortest_gap(schedule.rule) // timedelta(minutes=1), MAX_REMIND)
    too_early = [name for name in ("remind", "ahead") if not 0 <= (getattr(schedule, name) or 0) <= longest]
    if too_early:
        named = "remind:" if too_early == ["remind"] else ""
        raise BadInput(
            f"For {schedule.day}, this can come 1 to {longest} minutes before.",
            f"Choose {named}{longest} or less, or {named}0 for none.",
        )


def _reminded(before: Schedule, after: Schedule) -> Schedule:
    """Return the later of two forms of a schedule; what was given or done before its time is not done again for the same moments."""
    if (before.next_at, before.remind) == (after.next_at, after.remind):
        after = replace(after, remind_at=before.remind_at)
    same = (before.next_at, before.ahead) == (after.next_at, after.ahead)
    return replace(after, ahead_at=before.ahead_at) if same else after


def _scheduled_time(schedule: Schedule | None) -> ScheduledTime | None:
    """Return a schedule as the ledger keeps it."""
    if schedule is None:
        return None
    time = ScheduledTime(day=schedule.day, time=schedule.at, remind=schedule.remind or 0, catch_up=schedule.catch_up)
    return {**time, "ahead": schedule.ahead} if schedule.ahead else time
