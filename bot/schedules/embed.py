"""Schedules as embeds: the plan, the reminder, the question about what was missed, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import discord
from discord.utils import TimestampStyle

from bot.core.campaigns import Campaign
from bot.schedules.jobs import Job
from bot.schedules.store import Schedule
from bot.schedules.text import LATE_ONES, duration
from bot.ui.colours import COLOURS
from bot.ui.text import listing, plain, shorten

MAX_DATES = 12
MAX_FAULT = 1000


def schedule_embed(campaign: Campaign, job: Job, schedule: Schedule | None, *, whole: bool) -> discord.Embed:
    """Return when a job happens by itself; for those who may see the whole plan, all of it and how to change or stop it."""
    command = f"/{job.id} schedule"
    if schedule is None:
        text = f"{job.title} isn't automatic in {plain(campaign.name)}."
        embed = discord.Embed(title="No schedule", description=text, colour=COLOURS["neutral"])
        return embed.set_footer(text=f"Game masters start it with {command} day:Saturday time:18:00")
    opening = f"{plain(campaign.name)} {job.does} automatically."
    following = f"**Next:** {_stamp(schedule.next_at, 'F')} your time ({_stamp(schedule.next_at, 'R')})"
    if not whole:
        return discord.Embed(title="Schedule", description=f"{opening}\n{following}", colour=COLOURS["neutral"])
    lines = [
        opening,
        f"**When:** {schedule.day} at {schedule.at} ({campaign.timezone})",
        following,
        f"**If I was offline:** {LATE_ONES[schedule.catch_up]}",
        f"**Reminder:** {_reminder(schedule.remind)}",
        *([f"**{job.ahead.title}:** {_before(schedule.ahead)}"] if job.ahead else []),
        *([f"**Missed, needs your decision:** {_dates(schedule.missed)}"] if schedule.missed else []),
    ]
    embed = discord.Embed(title="Schedule", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Change it with {command}. Stop it with {command} off:True.")


def reminder_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Tell that an occurrence is near."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} is {_stamp(schedule.next_at, 'R')}: {_stamp(schedule.next_at, 'f')}.\n"
        "If you do it by hand before then, I won't do it again."
    )
    embed = discord.Embed(title="Reminder", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Stop the schedule with /{schedule.job} schedule off:True")


def question_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Tell what was missed, and whether to make up for it."""
    text = (
        f"I was offline and missed {what} of {plain(campaign.name)}: {_dates(schedule.missed)}.\nCatch up now, or skip?"
    )
    return discord.Embed(title=f"Missed: {len(schedule.missed)}", description=text, colour=COLOURS["danger"])


def failure_embed(campaign: Campaign, schedule: Schedule, what: str, why: str) -> discord.Embed:
    """Tell that an occurrence was given up, and why. `schedule` stands at the next one already."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} failed: {plain(shorten(why, MAX_FAULT))}\n"
        f"Fix that, then do it by hand. Next time: {_stamp(schedule.next_at, 'F')}."
    )
    return discord.Embed(title="The schedule failed", description=text, colour=COLOURS["danger"])


def answered_embed(
    what: str, outcomes: Mapping[str, Sequence[datetime]], *, fault: str, where: Sequence[str]
) -> discord.Embed:
    """Tell what a game master's decision on missed occurrences led to.

    `outcomes` names what became of which of them, `fault` is why it did not go on, `where` tells where the posts stand.
    """
    lines = [f"{_capital(what)}: {done} {len(at)} ({_dates(at)})." for done, at in outcomes.items() if at]
    if fault:
        lines.append(
            f"I stopped here: {plain(shorten(fault, MAX_FAULT))}\nFix that, then press the button again for the rest."
        )
    colour = COLOURS["danger" if fault else "success"]
    return discord.Embed(title="Missed", description="\n".join([*lines, *where]), colour=colour)


def _dates(moments: Sequence[datetime]) -> str:
    days = [_stamp(moment, "d") for moment in moments[:MAX_DATES]]
    more = len(moments) - len(days)
    return listing([*days, f"{more} more"] if more else days)


def _reminder(minutes: int | None) -> str:
    return f"{duration(minutes)} before, in the staff channel" if minutes else "none"


def _before(minutes: int | None) -> str:
    return f"{duration(minutes)} before" if minutes else "not before"


def _stamp(moment: datetime, style: TimestampStyle) -> str:
    return discord.utils.format_dt(moment, style)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
