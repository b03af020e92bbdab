"""The command that shows and changes a schedule, and the buttons under the question about what was missed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

import discord
from discord.app_commands import Range

from bot.core.campaigns import Campaign, on_server
from bot.errors import NotOpen
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.options import Completions, Offering
from bot.rolls.receipts import deliver, delivery_lines
from bot.schedules import missed, service
from bot.schedules.buttons import ANSWER, question_buttons
from bot.schedules.embed import answered_embed, schedule_embed
from bot.schedules.missed import MissedQuestion
from bot.schedules.recurrence import suggested_days
from bot.schedules.runner import runner_of
from bot.schedules.service import MAX_REMIND, SchedulePlan
from bot.schedules.store import CatchUp, topic
from bot.schedules.text import LATE_ONES
from bot.ui.components import Component, component
from bot.ui.form import Form, option
from bot.ui.reply import STALE, AnyInteraction, person, put, say

DONE: Mapping[bool, str] = {True: "caught up", False: "skipped"}
"""What became of missed occurrences, by whether they were to be made up for."""


async def _offer_days(_interaction: AnyInteraction, current: str) -> Completions:
    return [(days, days) for days in suggested_days(current)]


Minutes = Range[int, 0, MAX_REMIND]
DAY = option("Friday; Tue, Fri; every day; or every second Friday, starting with the next", default=None)
TIME = option("24-hour time in the campaign's time zone, such as 18:00", default=None)
REMIND = option("Remind game masters this many minutes before. 1440 is a day, 0 turns it off", default=None)
CATCH_UP = option("What to do if I was offline at that time", default=None, choices=LATE_ONES)
OFF = option("True stops the schedule", default=False)


class ScheduleForm(Form):
    """The options of a command that shows and changes a schedule."""

    day: Annotated[str, Offering(_offer_days)] | None = DAY
    time: str | None = TIME
    remind: Minutes | None = REMIND
    catch_up: CatchUp | None = CATCH_UP
    off: bool = OFF


class LockScheduleForm(Form):
    """The same where orders can be locked ahead."""

    day: Annotated[str, Offering(_offer_days)] | None = DAY
    time: str | None = TIME
    remind: Minutes | None = REMIND
    ahead: Minutes | None = option(
        "Lock players' orders this many minutes before. 0 turns it off", default=None, name="lock"
    )
    catch_up: CatchUp | None = CATCH_UP
    off: bool = OFF


async def answer_schedule(interaction: AnyInteraction, form: ScheduleForm | LockScheduleForm) -> None:
    """Show the schedule of the job that is called as the command's group, once it is changed as the options ask for."""
    plan = SchedulePlan(**form.picked("off"))
    desk, who = desk_of(interaction), person(interaction)
    campaign = await desk.campaign(interaction)
    group = interaction.command.qualified_name.partition(" ")[0] if interaction.command else ""
    job = runner_of(interaction.client).jobs[group]
    if form.off or plan != SchedulePlan():
        change = None if form.off else plan
        schedule = await desk.database.write(service.change, desk.resolver.ledger, job, who, campaign.id, change)
    else:
        schedule = await desk.database.read(service.show, job, campaign.id)
    leads = who.leads(campaign)
    asks = schedule is not None and schedule.missed and leads
    buttons = {"view": question_buttons(campaign.id, topic(schedule))} if schedule and asks else {}
    await say(interaction, embed=schedule_embed(campaign, job, schedule, whole=leads), **buttons)


@component(ANSWER)
async def answer_question(interaction: AnyInteraction, *, campaign: int, job: str, until: int, answer: str) -> None:
    """Make up for what was missed, or let it go, as far as it was asked about."""
    desk, runner = desk_of(interaction), runner_of(interaction.client)
    if job not in runner.jobs or answer not in {"roll", "skip"}:
        raise NotOpen(*STALE)
    roll, asked = answer == "roll", runner.jobs[job]
    here = await desk.database.read(on_server, interaction.guild_id or 0, campaign)
    question = MissedQuestion(asked, here.id, until)
    answered = await missed.answer(desk.database, runner, person(interaction), question, roll=roll)
    outcomes = {"done by hand already": answered.by_hand, DONE[roll]: answered.done}
    show = partial(
        _show_answered, interaction, here, partial(answered_embed, asked.what, outcomes, fault=answered.fault)
    )
    await deliver(interaction, answered.posts, show, done=f"Missed {asked.what}: {DONE[roll]}")


async def _show_answered(
    interaction: AnyInteraction, campaign: Campaign, embed: Callable[..., discord.Embed], sent: Sequence[Post]
) -> None:
    await put(interaction, embed=embed(where=list(delivery_lines(campaign, sent))))


COMPONENTS: tuple[Component, ...] = (answer_question,)
