"""Challenges as they stand in a channel, open and over, and as a list of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import discord

from bot.embeds.result import COLOURS
from bot.embeds.text import DOT, plain
from bot.store.challenges import Challenge, ChallengeState
from rules.tables import Tone

OVER: Mapping[ChallengeState, tuple[str, Tone]] = {
    "answered": ("Challenge answered", "success"),
    "withdrawn": ("Challenge withdrawn", "failure"),
    "expired": ("Challenge not answered in time", "failure"),
}


def open_embed(challenge: Challenge, campaign: str) -> discord.Embed:
    """What is asked of whom, by whom and until when; nothing of what the challenger brings."""
    embed = discord.Embed(title="A challenge", description="\n".join(_asked(challenge)), colour=COLOURS["neutral"])
    return embed.set_footer(text=_footer(challenge, campaign))


def closed_embed(challenge: Challenge, campaign: str, link: str | None = None) -> discord.Embed:
    """How a challenge ended, with the way to its result."""
    title, tone = OVER[challenge.state]
    embed = discord.Embed(title=title, description=_ended(challenge, link), colour=COLOURS[tone])
    return embed.set_footer(text=_footer(challenge, campaign))


def challenge_line(challenge: Challenge, link: str | None) -> str:
    """One line for a list of open challenges."""
    where = f"{DOT}[the message]({link})" if link else ""
    return (
        f"\N{BULLET} <@{challenge.challenger_id}> (**{plain(challenger(challenge))}**) challenges "
        f"<@{challenge.opponent_id}>{DOT}runs out {discord.utils.format_dt(challenge.expires_at, 'R')}{where}"
    )


def challenger(challenge: Challenge) -> str:
    """The name that the challenger rolls under."""
    name: str = challenge.request["parts"][0]["subjects"]["a"]
    return name


def _asked(challenge: Challenge) -> Iterator[str]:
    until = discord.utils.format_dt(challenge.expires_at, "f")
    left = discord.utils.format_dt(challenge.expires_at, "R")
    yield (
        f"<@{challenge.challenger_id}> challenges <@{challenge.opponent_id}> to a Face to Face Roll, "
        f"with **{plain(challenger(challenge))}**."
    )
    yield f"Answer until {until} ({left}). All dice are rolled when the answer is in, and both sides are shown then."
    if challenge.request["note"]:
        yield f"**Note:** {plain(challenge.request['note'])}"


def _ended(challenge: Challenge, link: str | None) -> str:
    ours, theirs = f"<@{challenge.challenger_id}>", f"<@{challenge.opponent_id}>"
    if challenge.state == "answered":
        see = f"\n[See the result]({link})" if link else ""
        return f"{theirs} has answered {ours}: entry #{challenge.entry_number}.{see}"
    if challenge.state == "withdrawn":
        return f"The challenge of {ours} to {theirs} was withdrawn. Nothing was rolled."
    return f"{ours}, your challenge has run out: {theirs} has not answered in time. Nothing was rolled."


def _footer(challenge: Challenge, campaign: str) -> str:
    return f"Challenge {challenge.id}{DOT}{campaign}"
