"""Schedules as embeds: the plan, the reminder, the question about what was missed, and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import discord

from bot.core.campaigns import Campaign
from bot.schedules.store import CatchUp, Job
from bot.ui.colours import COLOURS
from bot.ui.text import listing, plain, shorten

MAX_DATES = 12
MAX_TOLD = 1000
BY_ITSELF: Mapping[str, str] = {"weather": "rolls its weather", "update": "closes its update"}
"""What a campaign does by itself, by deed."""

LATE_ONES: Mapping[CatchUp, str] = {"roll": "catch up by itself", "ask": "ask in the staff channel"}
"""What can become of occurrences that were missed."""


def schedule_embed(campaign: Campaign, deed: str, what: str, job: Job | None, *, whole: bool) -> discord.Embed:
    """When a deed happens by itself; to those who may see the whole plan, all of it and how to change or stop it."""
    command = f"/{deed} schedule"
    if job is None:
        told = f"{_capital(what)} of {plain(campaign.name)} does not happen by itself."
        embed = discord.Embed(title="No schedule", description=told, colour=COLOURS["neutral"])
        return embed.set_footer(text=f"Start with {command} day:Saturday time:18:00 (game masters)")
    opening = f"{plain(campaign.name)} {BY_ITSELF[deed]} by itself."
    following = f"**Next:** {_stamp(job.next_at, 'F')} your time ({_stamp(job.next_at, 'R')})"
    if not whole:
        return discord.Embed(title="Schedule", description=f"{opening}\n{following}", colour=COLOURS["neutral"])
    lines = [
        opening,
        f"**When:** {job.day} at {job.at} ({campaign.timezone})",
        following,
        f"**If I was away:** {LATE_ONES[job.catch_up]}",
        f"**Reminder:** {_span(job.remind)}",
        *([f"**Waiting for a game master's word:** {_dates(job.missed)}"] if job.missed else []),
    ]
    embed = discord.Embed(title="Schedule", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(
        text=f"Change it with {command} and what is to be different; stop it with {command} off:True"
    )


def reminder_embed(campaign: Campaign, job: Job, what: str) -> discord.Embed:
    """That an occurrence is near."""
    told = (
        f"{_capital(what)} of {plain(campaign.name)} comes {_stamp(job.next_at, 'R')}, at {_stamp(job.next_at, 'f')}.\n"
        "If somebody does it by hand before, the schedule leaves it at that."
    )
    embed = discord.Embed(title="Reminder", description=told, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Stop the schedule with /{job.deed} schedule off:True")


def question_embed(campaign: Campaign, job: Job, what: str) -> discord.Embed:
    """What was missed, and whether to make up for it."""
    told = (
        f"{_capital(what)} of {plain(campaign.name)} was missed while I was away: {_dates(job.missed)}.\n"
        "Make up for it now, one after the other, or let it go?"
    )
    return discord.Embed(title=f"Missed: {len(job.missed)}", description=told, colour=COLOURS["danger"])


def failure_embed(campaign: Campaign, job: Job, what: str, why: str) -> discord.Embed:
    """That an occurrence was given up, and why. `job` stands at the next one already."""
    told = (
        f"{_capital(what)} of {plain(campaign.name)} did not happen: {plain(shorten(why, MAX_TOLD))}\n"
        f"Do it by hand once that is put right. The next one comes {_stamp(job.next_at, 'F')}."
    )
    return discord.Embed(title="The schedule could not go on", description=told, colour=COLOURS["danger"])


def answered_embed(
    what: str, told: Mapping[str, Sequence[datetime]], *, fault: str, where: Sequence[str]
) -> discord.Embed:
    """What a game master's word on missed occurrences led to.

    `told` names what became of which of them, `fault` is why it did not go on, `where` tells where the posts stand.
    """
    lines = [f"{_capital(what)}: {deed} {len(held)} ({_dates(held)})." for deed, held in told.items() if held]
    if fault:
        lines.append(
            f"It did not go on: {plain(shorten(fault, MAX_TOLD))}\nThe rest waits; press again once that is put right."
        )
    colour = COLOURS["danger" if fault else "success"]
    lines += where
    return discord.Embed(title="What was missed", description="\n".join(lines), colour=colour)


def schedule_sentence(body: Any) -> str:  # noqa: ANN401 - the body of an entry
    """An entry about a schedule in one line."""
    title = plain(body["title"])
    if "let_go" in body:
        return f"{title}: {len(body['let_go'])} missed, let go"
    if body["after"] is None:
        return f"{title} no longer by schedule"
    was = f", instead of {_plan(body['before'])}" if body["before"] else ""
    return f"{title} by schedule: {_plan(body['after'])}{was}"


def _plan(plan: Mapping[str, Any]) -> str:
    reminder = f", reminder {_lead(plan['remind'])} before" if plan["remind"] else ""
    return f"{plan['day']} {plan['time']}, {LATE_ONES[plan['catch_up']]}{reminder}"


def _dates(moments: Sequence[datetime]) -> str:
    told = [_stamp(moment, "d") for moment in moments[:MAX_DATES]]
    more = len(moments) - len(told)
    return listing([*told, f"{more} more"] if more else told)


def _span(minutes: int | None) -> str:
    return f"{_lead(minutes)} before, in the staff channel" if minutes else "none"


def _lead(minutes: int) -> str:
    """A stretch of time in words: 6 days 22 hours."""
    left = timedelta(minutes=minutes)
    hours, rest = divmod(left.seconds // 60, 60)
    found = {"day": left.days, "hour": hours, "minute": rest}
    return " ".join(f"{count} {unit}{'' if count == 1 else 's'}" for unit, count in found.items() if count)


def _stamp(moment: datetime, style: Any) -> str:  # noqa: ANN401 - one of Discord's letters
    return discord.utils.format_dt(moment, style)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
