"""The command that shows and changes a schedule, and the buttons under the question about what was missed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import Choice, Range, Transform

from bot.core.campaigns import Campaign, on_server
from bot.errors import NotOpen
from bot.outbox.store import Post
from bot.rolls.desk import desk_of
from bot.rolls.options import AnyText, offer
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
from bot.ui.commands import describe
from bot.ui.components import Component, component
from bot.ui.reply import STALE, AnyInteraction, person, put, say

CATCH_UP: list[Choice[str]] = [Choice(name=label, value=value) for value, label in LATE_ONES.items()]
OPTIONS: Mapping[str, str] = {
    "day": "Friday; Tue, Fri; every day; or every second Friday, starting with the next",
    "time": "24-hour time in the campaign's time zone, such as 18:00",
    "remind": "Remind game masters this many minutes before. 1440 is a day, 0 turns it off",
    "catch_up": "What to do if I was offline at that time",
    "off": "True stops the schedule",
}
DONE: Mapping[bool, str] = {True: "caught up", False: "skipped"}
"""What became of missed occurrences, by whether they were to be made up for."""


class DaysCompleter(AnyText):
    """The days of a schedule."""

    async def autocomplete(self, _interaction: AnyInteraction, value: str, /) -> list[Choice[str]]:  # type: ignore[override] # text only
        """Return days that continue what is typed, with what it already means first."""
        return offer([(days, days) for days in suggested_days(value)])


Days = Transform[str, DaysCompleter]


class _Schedule:
    """The home of the callback: discord.py hands a group to its commands only where a class has the callback."""

    async def callback(  # noqa: PLR0913 - the command's options
        self,
        interaction: AnyInteraction,
        day: Days | None = None,
        time: str | None = None,
        remind: Range[int, 0, MAX_REMIND] | None = None,
        catch_up: CatchUp | None = None,
        *,
        off: bool = False,
    ) -> None:
        """Show the schedule of a job, once it is changed as the options ask for."""
        await _answer_command(interaction, SchedulePlan(day, time, remind, catch_up), off=off)

    async def with_ahead(  # noqa: PLR0913, PLR0917 - the command's options
        self,
        interaction: AnyInteraction,
        day: Days | None = None,
        time: str | None = None,
        remind: Range[int, 0, MAX_REMIND] | None = None,
        ahead: Range[int, 0, MAX_REMIND] | None = None,
        catch_up: CatchUp | None = None,
        *,
        off: bool = False,
    ) -> None:
        """Show it likewise, of a job that does something ahead of its time."""
        await _answer_command(interaction, SchedulePlan(day, time, remind, catch_up, ahead), off=off)


def schedule_command(description: str, ahead: tuple[str, str] | None = None) -> app_commands.Command[Any, ..., None]:
    """Return the command `schedule` of a group that has the id of a job as its name, such as `/weather schedule`.

    `ahead` is the option, with its description, for the minutes before at which the job does what it does ahead.
    """
    callback: Any = _Schedule.with_ahead if ahead else _Schedule.callback  # the group takes the place of `self`
    command: app_commands.Command[Any, ..., None] = app_commands.Command(
        name="schedule", description=description, callback=callback
    )
    describe(**OPTIONS, **({"ahead": ahead[1]} if ahead else {}))(command)
    if ahead:
        app_commands.rename(ahead=ahead[0])(command)
    return app_commands.choices(catch_up=CATCH_UP)(command)


async def _answer_command(interaction: AnyInteraction, plan: SchedulePlan, *, off: bool) -> None:
    desk, who = desk_of(interaction), person(interaction)
    campaign = await desk.campaign(interaction)
    group = interaction.command.qualified_name.partition(" ")[0] if interaction.command else ""
    job = runner_of(interaction.client).jobs[group]
    if off or plan != SchedulePlan():
        change = None if off else plan
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
