"""Challenges as they stand in a channel, open and over, and as a list of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import discord

from bot.cogs.infinity.store import Challenge, ChallengeState
from bot.core.people import told
from bot.core.records import Entry
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain
from rules.tables import Tone

OVER: Mapping[ChallengeState, tuple[str, Tone]] = {
    "answered": ("Challenge answered", "success"),
    "withdrawn": ("Challenge withdrawn", "failure"),
    "expired": ("Challenge not answered in time", "failure"),
}


def open_embed(challenge: Challenge, campaign: str, *, named: bool) -> discord.Embed:
    """Return what is asked of whom, by whom and until when; nothing of what the challenger brings.

    `named` tells under which name the challenger rolls, where that is not their own.
    """
    text = "\n".join(_asked(challenge, named=named))
    return discord.Embed(title="A challenge", description=text, colour=COLOURS["neutral"]).set_footer(text=campaign)


def closed_embed(
    challenge: Challenge, campaign: str, roll: Entry | None = None, link: str | None = None
) -> discord.Embed:
    """Return how a challenge ended: who won where it was rolled, with the way to the result."""
    title, tone = OVER[challenge.state]
    text = "\n".join(_ended(challenge, roll, link))
    return discord.Embed(title=title, description=text, colour=COLOURS[tone]).set_footer(text=campaign)


def challenge_line(challenge: Challenge, link: str | None) -> str:
    """Return one line for a list of open challenges."""
    where = f"{DOT}[the message]({link})" if link else ""
    return (
        f"\N{BULLET} <@{challenge.challenger_id}> (**{plain(challenger(challenge))}**) challenges "
        f"<@{challenge.opponent_id}>{DOT}runs out {discord.utils.format_dt(challenge.expires_at, 'R')}{where}"
    )


def challenger(challenge: Challenge) -> str:
    """Return the name that the challenger rolls under."""
    part = challenge.request["parts"][0]
    name: str = part.get("people", {}).get("a") or part["subjects"]["a"]
    return name


def _asked(challenge: Challenge, *, named: bool) -> Iterator[str]:
    until = discord.utils.format_dt(challenge.expires_at, "f")
    left = discord.utils.format_dt(challenge.expires_at, "R")
    name = f", with **{plain(challenger(challenge))}**" if named else ""
    yield f"<@{challenge.challenger_id}> challenges <@{challenge.opponent_id}> to a Face to Face Roll{name}."
    yield f"Answer until {until} ({left}). All dice are rolled when the answer is in, and both sides are shown then."
    if challenge.request["note"]:
        yield f"**Note:** {plain(challenge.request['note'])}"


def _ended(challenge: Challenge, roll: Entry | None, link: str | None) -> Iterator[str]:
    ours, theirs = f"<@{challenge.challenger_id}>", f"<@{challenge.opponent_id}>"
    if challenge.state == "withdrawn":
        yield f"The challenge of {ours} to {theirs} was withdrawn. Nothing was rolled."
    elif challenge.state == "expired":
        yield f"{ours}, your challenge has run out: {theirs} has not answered in time. Nothing was rolled."
    else:
        if roll is not None:
            yield f"**{plain(told(roll)['parts'][0]['outcome']['text'])}**"
        yield f"{theirs} has answered {ours}: entry #{challenge.entry_number}."
    if link is not None:
        yield f"[See the result]({link})"
