"""Schedules as messages: plan, reminder, missed occurrences, failures."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

import discord
from discord import ui
from discord.utils import TimestampStyle

from bot.core.campaigns import Campaign
from bot.outbox.queue import Post
from bot.schedules.store import CatchUp, Job, Schedule
from bot.ui.components import IdTemplate, with_buttons
from bot.ui.text import COLOURS, join_words, plain, shorten

LATE_ONES: Mapping[CatchUp, str] = {"roll": "catch up automatically", "ask": "ask in the staff channel"}


def describe_minutes(minutes: int) -> str:
    """Return minutes in words: 6 days 22 hours."""
    left = timedelta(minutes=minutes)
    hours, rest = divmod(left.seconds // 60, 60)
    counts = {"day": left.days, "hour": hours, "minute": rest}
    return " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in counts.items() if count)


EVERY = 999_999_999
"""The moment in old questions, which meant all missed occurrences."""

ANSWER = IdTemplate("schedule:{campaign:int}:{job:word}:{until:int}:{answer:word}")


def question_buttons(campaign_id: int, topic: str) -> ui.View:
    """Return the buttons about a job's missed occurrences."""
    job, _, until = topic.partition(" ")
    key = partial(ANSWER.fill, campaign=campaign_id, job=job, until=until or EVERY)
    answers = (("Catch up", "roll"), ("Skip", "skip"))
    return with_buttons(*(ui.Button(label=label, custom_id=key(answer=answer)) for label, answer in answers))


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons of a posted question."""
    return question_buttons(post.campaign_id, post.topic) if post.topic else None


MAX_DATES, MAX_FAULT = 12, 1000


def schedule_embed(campaign: Campaign, job: Job, schedule: Schedule | None, *, whole: bool) -> discord.Embed:
    """Show a schedule; `whole` says how to change it."""
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
        f"**Reminder:** {_describe(schedule.remind, 'before, in the staff channel', 'none')}",
        *([f"**{job.ahead.title}:** {_describe(schedule.ahead, 'before', 'not before')}"] if job.ahead else []),
        *([f"**Missed, needs your decision:** {_dates(schedule.missed)}"] if schedule.missed else []),
    ]
    embed = discord.Embed(title="Schedule", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Change it with {command}. Stop it with {command} off:True.")


def reminder_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Show that an occurrence is near."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} is {_stamp(schedule.next_at, 'R')}: {_stamp(schedule.next_at, 'f')}.\n"
        "If you do it by hand before then, I won't do it again."
    )
    embed = discord.Embed(title="Reminder", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Stop the schedule with /{schedule.job} schedule off:True")


def question_embed(campaign: Campaign, schedule: Schedule, what: str) -> discord.Embed:
    """Ask whether to make up for missed occurrences."""
    missed = f"I was offline and missed {what} of {plain(campaign.name)}: {_dates(schedule.missed)}."
    text = f"{missed}\nCatch up now, or skip?"
    return discord.Embed(title=f"Missed: {len(schedule.missed)}", description=text, colour=COLOURS["danger"])


def failure_embed(campaign: Campaign, schedule: Schedule, what: str, why: str) -> discord.Embed:
    """Show that an occurrence was given up, and why."""
    text = (
        f"{_capital(what)} of {plain(campaign.name)} failed: {plain(shorten(why, MAX_FAULT))}\n"
        f"Fix that, then do it by hand. Next time: {_stamp(schedule.next_at, 'F')}."
    )
    return discord.Embed(title="The schedule failed", description=text, colour=COLOURS["danger"])


def outcome_embed(
    what: str, outcomes: Mapping[str, Sequence[datetime]], *, fault: str, where: Sequence[str]
) -> discord.Embed:
    """Show the outcome of a decision on missed occurrences."""
    lines = [f"{_capital(what)}: {done} {len(at)} ({_dates(at)})." for done, at in outcomes.items() if at]
    if fault:
        lines.append(f"I stopped here: {plain(shorten(fault, MAX_FAULT))}")
        lines.append("Fix that, then press the button again for the rest.")
    colour = COLOURS["danger" if fault else "success"]
    return discord.Embed(title="Missed", description="\n".join([*lines, *where]), colour=colour)


def _dates(moments: Sequence[datetime]) -> str:
    days = [_stamp(moment, "d") for moment in moments[:MAX_DATES]]
    more = len(moments) - len(days)
    return join_words([*days, f"{more} more"] if more else days)


def _describe(minutes: int | None, when: str, otherwise: str) -> str:
    return f"{describe_minutes(minutes)} {when}" if minutes else otherwise


def _stamp(moment: datetime, style: TimestampStyle) -> str:
    return discord.utils.format_dt(moment, style)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
