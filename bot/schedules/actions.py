"""Change schedules, and answer questions about missed occurrences."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, NotRequired, TypedDict
from zoneinfo import ZoneInfo

import discord
from discord.app_commands import Range
from msgspec.structs import replace

from bot.actions import Action, Answer, Outcome, Work, act, show_answer
from bot.core import campaigns, errors, ledger, permissions, records
from bot.outbox.queue import Post
from bot.rolls import options, receipts
from bot.rolls.desk import desk_of
from bot.schedules import runner, store
from bot.ui import parsing, receipt, reply, text
from bot.ui.reply import STALE, AnyInteraction, person, put_answer


async def _offer_days(_interaction: AnyInteraction, current: str) -> options.Completions:
    return [(days, days) for days in store.suggest_days(current)]


Days = Annotated[str, options.Offering(_offer_days)]
Minutes = Range[int, 0, store.MAX_REMIND]


class ScheduleForm(parsing.Form):
    """Options of `/gm schedule`: None keeps, 0 minutes is none."""

    what: str = parsing.option("What happens by itself", default="update", choices=store.JOB_NAMES)
    day: Days | None = parsing.option(
        "Friday; Tue, Fri; every day; or every second Friday, starting with the next", default=None
    )
    time: str | None = parsing.option("24-hour time in the campaign's time zone, such as 18:00", default=None)
    remind: Minutes | None = parsing.option(
        "Remind game masters this many minutes before. 1440 is a day, 0 turns it off", default=None
    )
    ahead: Minutes | None = parsing.option(
        "Updates: lock players' orders this many minutes before. 0 turns it off", default=None, name="lock"
    )
    catch_up: store.CatchUp | None = parsing.option(
        "What to do if I was offline at that time", default=None, choices=runner.LATE_ONES
    )
    off: bool = parsing.option("True stops the schedule", default=False)


class ScheduledTime(TypedDict):
    """A schedule in an entry, with minutes (0: none)."""

    day: str
    time: str
    remind: int
    catch_up: store.CatchUp
    ahead: NotRequired[int]


class SetSchedule(Action):
    """Schedule, change or stop a job."""

    job: store.Job
    plan: ScheduleForm

    kind, verb = "schedule", "schedule"

    def apply(self, work: Work) -> Outcome:
        """Make, change or stop the schedule."""
        campaign, job, now = work.campaign, self.job, work.ledger.now()
        permissions.require_game_master(work.person, campaign, store.DECIDE)
        if self.plan.ahead and job.ahead is None:
            raise errors.BadInput(f"{job.title} locks no orders.", "Leave out lock.")
        before, after = store.get_schedule(work.tx, campaign.id, job.id), None
        if not self.plan.off:
            after = _plan(before or _new(work, job, self.plan), campaign, self.plan, now)
            store.save_schedule(work.tx, after)
        elif before is not None:
            store.remove_schedule(work.tx, campaign.id, job.id)
        else:
            do = f"Start a schedule with {store.name_command(job.id)}, its day and its time."
            raise errors.BadInput(f"{job.title} isn't scheduled.", do)
        times = {"before": _describe_time(before), "after": _describe_time(after)}
        return Outcome({"deed": job.id, "title": job.title, **times})

    def answer(self, work: Work, _entry: records.Entry, _outcome: Outcome) -> Answer:
        """Show the schedule."""
        schedule = store.get_schedule(work.tx, work.campaign.id, self.job.id)
        return draw_schedule(work.campaign, self.job, schedule, leads=True)


async def show_or_set(interaction: AnyInteraction, plan: ScheduleForm) -> None:
    """Change a schedule if an option says so; show it."""
    job = runner.runner_of(interaction.client).jobs[plan.what]
    if plan != ScheduleForm(what=plan.what):
        await act(interaction, SetSchedule(job=job, plan=plan))
        return
    desk = desk_of(interaction)
    campaign = await desk.campaign(interaction)
    schedule = await desk.database.read(store.find_settled, job, campaign.id)
    await show_answer(interaction, draw_schedule(campaign, job, schedule, leads=person(interaction).leads(campaign)))


def draw_schedule(
    campaign: campaigns.Campaign, job: store.Job, schedule: store.Schedule | None, *, leads: bool
) -> Answer:
    """Show a schedule; ask leaders about missed occurrences."""
    asks = schedule is not None and schedule.missed and leads
    view = store.question_buttons(campaign.id, store.topic_of(schedule)) if schedule and asks else None
    return Answer([[runner.schedule_embed(campaign, job, schedule, whole=leads)]], view)


def _new(work: Work, job: store.Job, plan: ScheduleForm) -> store.Schedule:
    if plan.day is None or plan.time is None:
        raise errors.BadInput("A new schedule needs a day and a time.", "Add both, such as day:Saturday time:18:00.")
    campaign = work.campaign
    job.require(work.tx, work.library, campaign)
    reached = job.reached(work.tx, campaign)
    return store.Schedule(campaign.id, job.id, "", "", "roll", None, work.ledger.now(), None, reached)


def _plan(before: store.Schedule, campaign: campaigns.Campaign, plan: ScheduleForm, now: datetime) -> store.Schedule:
    rule = before.rule if plan.day is None else store.read_rule(plan.day)
    at = before.at if plan.time is None else store.read_time(plan.time)
    schedule = replace(
        before,
        rule=rule,
        start=before.start if plan.day is None else store.find_first_day(rule, at, ZoneInfo(campaign.timezone), now),
        at=at,
        remind=before.remind if plan.remind is None else plan.remind or None,
        catch_up=plan.catch_up or before.catch_up,
        ahead=before.ahead if plan.ahead is None else plan.ahead or None,
    )
    longest = min(store.find_shortest_gap(schedule.rule) // timedelta(minutes=1), store.MAX_REMIND)
    too_early = [name for name in ("remind", "ahead") if not 0 <= (getattr(schedule, name) or 0) <= longest]
    if too_early:
        named = "remind:" if too_early == ["remind"] else ""
        do = f"Choose {named}{longest} or less, or {named}0 for none."
        raise errors.BadInput(f"For {schedule.day}, this can come 1 to {longest} minutes before.", do)
    if before.at and before.next_at <= now:
        return schedule  # what is overdue isn't lost
    return store.keep_reminders(before, store.move_on(schedule, campaign, now))


def _describe_time(schedule: store.Schedule | None) -> ScheduledTime | None:
    if schedule is None:
        return None
    time = ScheduledTime(day=schedule.day, time=schedule.at, remind=schedule.remind or 0, catch_up=schedule.catch_up)
    return {**time, "ahead": schedule.ahead} if schedule.ahead else time


def _sentence(body: ledger.Body, _view: ledger.View = "staff") -> str:
    title = text.plain(body["title"])
    if "let_go" in body:
        return f"{title}: {len(body['let_go'])} missed, skipped"
    if body["after"] is None:
        return f"{title} no longer by schedule"
    was = f", instead of {_time(body['before'])}" if body["before"] else ""
    return f"{title} by schedule: {_time(body['after'])}{was}"


def _time(kept: ScheduledTime) -> str:
    reminder = f", reminder {runner.describe_minutes(kept['remind'])} before" if kept["remind"] else ""
    ahead = f", prepared {runner.describe_minutes(kept['ahead'])} before" if "ahead" in kept else ""
    return f"{kept['day']} {kept['time']}, {runner.LATE_ONES[kept['catch_up']]}{reminder}{ahead}"


def _pages(shown: ledger.EntryView, _view: ledger.View) -> ledger.Pages:
    return receipt.plain_pages(shown, "Schedule", [_sentence(shown.entry.content())])


STAYS = "Change it with /gm schedule."
SCHEDULE_CHANGED = ledger.EntryKind("schedule", "staff", _sentence, _pages, stays=STAYS)
DONE: Mapping[bool, str] = {True: "caught up", False: "skipped"}


@reply.component(store.ANSWER)
async def answer_question(interaction: AnyInteraction, *, campaign: int, job: str, until: int, answer: str) -> None:
    """Make up for missed occurrences or skip them."""
    desk, known = desk_of(interaction), runner.runner_of(interaction.client)
    if job not in known.jobs or answer not in {"roll", "skip"}:
        raise errors.NotOpen(*STALE)
    roll, asked = answer == "roll", known.jobs[job]
    here = await desk.database.read(campaigns.require_on_server, interaction.guild_id or 0, campaign)
    question = runner.MissedQuestion(asked, here.id, until)
    answered = await runner.answer_missed(desk.database, known, person(interaction), question, roll=roll)
    outcomes = {"done by hand already": answered.by_hand, DONE[roll]: answered.done}
    embed = partial(runner.outcome_embed, asked.what, outcomes, fault=answered.fault)
    show = partial(_show_outcome, interaction, here, embed)
    await receipts.deliver(interaction, answered.posts, show, done=f"Missed {asked.what}: {DONE[roll]}")


async def _show_outcome(
    interaction: AnyInteraction, campaign: campaigns.Campaign, embed: Callable[..., discord.Embed], sent: Sequence[Post]
) -> None:
    await put_answer(interaction, embed=embed(where=list(receipts.delivery_lines(campaign, sent))))


COMPONENTS: tuple[reply.Component, ...] = (answer_question,)
