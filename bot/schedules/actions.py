"""Schedules as game masters change them, and the entries about that."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, NotRequired, TypedDict
from zoneinfo import ZoneInfo

from discord.app_commands import Range
from msgspec.structs import replace

from bot.actions import Action, Answer, Outcome, Work, act, show_answer
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.permissions import require_game_master
from bot.core.records import Entry
from bot.errors import BadInput
from bot.rolls.desk import desk_of
from bot.rolls.options import Completions, Offering
from bot.schedules import store
from bot.schedules.embed import LATE_ONES, describe_minutes, question_buttons, schedule_embed
from bot.schedules.recurrence import find_first_day, find_shortest_gap, read_rule, read_time, suggest_days
from bot.schedules.store import MAX_REMIND, CatchUp, Job, Schedule, find_settled, keep_reminders, move_on, topic_of
from bot.ui.form import option
from bot.ui.receipt import plain_pages
from bot.ui.reply import AnyInteraction, person
from bot.ui.text import plain

DECIDE = "decide about its schedules"


async def _offer_days(_interaction: AnyInteraction, current: str) -> Completions:
    return [(days, days) for days in suggest_days(current)]


Days = Annotated[str, Offering(_offer_days)]
Minutes = Range[int, 0, MAX_REMIND]
DAY = option("Friday; Tue, Fri; every day; or every second Friday, starting with the next", default=None)
TIME = option("24-hour time in the campaign's time zone, such as 18:00", default=None)
REMIND = option("Remind game masters this many minutes before. 1440 is a day, 0 turns it off", default=None)


class ScheduledTime(TypedDict):
    """A schedule as an entry keeps it: `time` is HH:MM, `remind` in minutes, 0 for no reminder; `ahead` too, where something is done before."""

    day: str
    time: str
    remind: int
    catch_up: CatchUp
    ahead: NotRequired[int]


class SetSchedule(Action):
    """A job happens by itself from now on, at another time, or no longer (`off`). What is None stays as it was.

    `remind` and `ahead` are in minutes, 0 for none.
    """

    job: Job
    day: str | None = None
    time: str | None = None
    remind: int | None = None
    ahead: int | None = None
    catch_up: CatchUp | None = option("What to do if I was offline at that time", default=None, choices=LATE_ONES)
    off: bool = option("True stops the schedule", default=False)
    kind, verb = "schedule", "schedule"

    async def carry_out(self, interaction: AnyInteraction) -> None:
        """Show the schedule, changed where an option asks for it."""
        if self != type(self)(job=self.job):
            await act(interaction, self)
            return
        desk = desk_of(interaction)
        campaign = await desk.campaign(interaction)
        schedule = await desk.database.read(find_settled, self.job, campaign.id)
        await show_answer(interaction, self.draw(campaign, schedule, leads=person(interaction).leads(campaign)))

    def apply(self, work: Work) -> Outcome:
        """Make or change the schedule, or stop it."""
        campaign, job, now = work.campaign, self.job, work.ledger.now()
        require_game_master(work.person, campaign, DECIDE)
        before, after = store.get_schedule(work.tx, campaign.id, job.id), None
        if not self.off:
            after = _planned(before or _new(work, self), campaign, self, now)
            store.save_schedule(work.tx, after)
        elif before is not None:
            store.remove_schedule(work.tx, campaign.id, job.id)
        else:
            do = f"Start a schedule with /{job.id} schedule, its day and its time."
            raise BadInput(f"{job.title} isn't scheduled.", do)
        times = {"before": _scheduled_time(before), "after": _scheduled_time(after)}
        return Outcome({"deed": job.id, "title": job.title, **times})

    def answer(self, work: Work, _entry: Entry, _outcome: Outcome) -> Answer:
        """Return the schedule as it is now."""
        return self.draw(work.campaign, store.get_schedule(work.tx, work.campaign.id, self.job.id), leads=True)

    def draw(self, campaign: Campaign, schedule: Schedule | None, *, leads: bool) -> Answer:
        """Return a schedule; whoever leads the campaign is asked about what was missed."""
        asks = schedule is not None and schedule.missed and leads
        view = question_buttons(campaign.id, topic_of(schedule)) if schedule and asks else None
        return Answer([[schedule_embed(campaign, self.job, schedule, whole=leads)]], view)


def _new(work: Work, plan: SetSchedule) -> Schedule:
    if plan.day is None or plan.time is None:
        raise BadInput("A new schedule needs a day and a time.", "Add both, such as day:Saturday time:18:00.")
    campaign, job = work.campaign, plan.job
    reached = job.reached(work.tx, campaign)
    return Schedule(campaign.id, job.id, "", "", "roll", None, work.ledger.now(), None, reached)


def _planned(before: Schedule, campaign: Campaign, plan: SetSchedule, now: datetime) -> Schedule:
    rule = before.rule if plan.day is None else read_rule(plan.day)
    at = before.at if plan.time is None else read_time(plan.time)
    schedule = replace(
        before,
        rule=rule,
        start=before.start if plan.day is None else find_first_day(rule, at, ZoneInfo(campaign.timezone), now),
        at=at,
        remind=before.remind if plan.remind is None else plan.remind or None,
        catch_up=plan.catch_up or before.catch_up,
        ahead=before.ahead if plan.ahead is None else plan.ahead or None,
    )
    _require_timely(schedule)
    overdue = bool(before.at) and before.next_at <= now
    return (
        schedule if overdue else keep_reminders(before, move_on(schedule, campaign, now))
    )  # what is overdue is not lost


def _require_timely(schedule: Schedule) -> None:
    """Refuse what would come ahead of one occurrence before the one before it."""
    longest = min(find_shortest_gap(schedule.rule) // timedelta(minutes=1), MAX_REMIND)
    too_early = [name for name in ("remind", "ahead") if not 0 <= (getattr(schedule, name) or 0) <= longest]
    if too_early:
        named = "remind:" if too_early == ["remind"] else ""
        raise BadInput(
            f"For {schedule.day}, this can come 1 to {longest} minutes before.",
            f"Choose {named}{longest} or less, or {named}0 for none.",
        )


def _scheduled_time(schedule: Schedule | None) -> ScheduledTime | None:
    if schedule is None:
        return None
    time = ScheduledTime(day=schedule.day, time=schedule.at, remind=schedule.remind or 0, catch_up=schedule.catch_up)
    return {**time, "ahead": schedule.ahead} if schedule.ahead else time


def _sentence(body: Body, _view: View = "staff") -> str:
    title = plain(body["title"])
    if "let_go" in body:
        return f"{title}: {len(body['let_go'])} missed, skipped"
    if body["after"] is None:
        return f"{title} no longer by schedule"
    was = f", instead of {_time(body['before'])}" if body["before"] else ""
    return f"{title} by schedule: {_time(body['after'])}{was}"


def _time(kept: ScheduledTime) -> str:
    reminder = f", reminder {describe_minutes(kept['remind'])} before" if kept["remind"] else ""
    ahead = f", prepared {describe_minutes(kept['ahead'])} before" if "ahead" in kept else ""
    return f"{kept['day']} {kept['time']}, {LATE_ONES[kept['catch_up']]}{reminder}{ahead}"


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Schedule", [_sentence(shown.entry.content())])


SCHEDULE_CHANGED = EntryKind(
    "schedule", "staff", _sentence, _pages, stays="Change it with /update schedule or /weather schedule."
)
