"""Rolls that wait as they stand in a channel, open and over, and as a line of a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import discord
from discord import ButtonStyle

from bot.core.campaigns import Campaign
from bot.core.people import UNKNOWN, told
from bot.outbox.queue import Buttons
from bot.outbox.store import Post
from bot.rolls.pending import ids
from bot.rolls.pending.answering import Answering
from bot.rolls.pending.store import Pending, PendingState, Seat
from bot.rolls.resolver import Rolled
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, listing, plain
from rules.tables import Tone

OVER: Mapping[PendingState, tuple[str, Tone, str]] = {
    "answered": ("answered", "success", "is answered: entry #{}."),
    "closed": ("closed", "success", "is rolled: entry #{}."),
    "withdrawn": ("withdrawn", "failure", "was withdrawn. Nothing was rolled."),
    "expired": ("not answered in time", "failure", "has expired. Nothing was rolled."),
}
"""How a roll that waited can end: in a few words, as a colour, and as what is told of it to who comes too late."""


def over_title(pending: Pending) -> str:
    """Return in a few words how a roll that waited ended."""
    return f"{pending.words.noun.capitalize()} {OVER[pending.state][0]}"


def open_embed(pending: Pending, campaign: str) -> discord.Embed:
    """Return what is asked of whom, by whom and until when, and who has answered; nothing of what anybody brings."""
    text = "\n".join(_asked(pending))
    title = f"{'An' if pending.words.noun[0] in 'aeiou' else 'A'} {pending.words.noun}"
    return discord.Embed(title=title, description=text, colour=COLOURS["neutral"]).set_footer(text=campaign)


def closed_embed(
    pending: Pending, campaign: Campaign, post: Post, rolled: Rolled | None, *, closer: int | None = None
) -> discord.Embed:
    """Return how it ended, for the message of its post: what it came to where it was rolled.

    `closer` is who rolled it early (user id).
    """
    shown_there = {item.channel_id for item in rolled.posts if item.kind == "group"} if rolled else set()
    all_of_it = post.channel_id in {campaign.staff_channel_id, *shown_there}
    parts = told(rolled.entry)["parts"] if rolled else []
    outcomes = [part["outcome"] for part in parts if all_of_it or part["audience"] == "results"]
    lines = [f"**{plain('; '.join(item['text'] for item in outcomes if item))}**"] if any(outcomes) else []
    lines += [_ended(pending)]
    lines += [f"<@{closer}> rolled it early."] if closer else []
    title, colour = over_title(pending), COLOURS[OVER[pending.state][1]]
    return discord.Embed(title=title, description="\n".join(lines), colour=colour).set_footer(text=campaign.name)


def pending_line(place: int, pending: Pending, post: Post | None, guild_id: int) -> str:
    """Return one line for a list of rolls that wait, with its place there."""
    link = post.link(guild_id) if post else None
    where = f"{DOT}[the message]({link})" if link else ""
    words = pending.words
    asker = f"<@{pending.asker_id}>{f' (**{plain(words.name)}**)' * words.named}"
    return f"{place}. {asker} {words.asks[0]} {asked(pending, pending.awaited)}{DOT}{ends(pending)}{where}"


def ends(pending: Pending) -> str:
    """Return when the time of a roll that waits is over, and what happens then."""
    what = "is rolled" if pending.words.otherwise else "expires"
    return f"{what} {discord.utils.format_dt(pending.expires_at, 'R')}"


def asked(pending: Pending, places: Collection[int] | None = None) -> str:
    """Return who is asked, all of whom is told or those in these places."""
    return listing([who(pending.seats[place]) for place in (pending.told if places is None else places)])


def who(seat: Seat) -> str:
    """Return whose answer a seat waits for, as text made safe."""
    name = UNKNOWN if seat.secret else plain(seat.name)
    return " or ".join(f"<@{user}>" for user in seat.users) or name or "the game masters"


def post_buttons(how: Answering, pending: Pending) -> Buttons:
    """Return the buttons under what is asked: for who is asked, for game masters where it can be closed, and for who has asked."""
    key = {"campaign": pending.campaign_id, "pending": pending.id}
    green, grey = ButtonStyle.success.value, ButtonStyle.secondary.value
    pressed = [(label, ids.CHOOSE.fill(**key, seat=0, choice=word), green) for word, label in how.choices.items()]
    closing = [("Roll now", ids.CLOSE.fill(**key), grey)] if pending.words.otherwise else []
    answering = pressed or [("Answer", ids.ANSWER.fill(**key), green)]
    return [*answering, *closing, ("Withdraw", ids.WITHDRAW.fill(**key), grey)]


def _asked(pending: Pending) -> Iterator[str]:
    words, several = pending.words, len(pending.told) > 1
    until = discord.utils.format_dt(pending.expires_at, "f")
    left = discord.utils.format_dt(pending.expires_at, "R")
    yield f"<@{pending.asker_id}> {words.asks[0]} {asked(pending)} {words.asks[1]}."
    all_in = "all answers are in" if several else "the answer is in"
    yield f"Answer by {until} ({left}). Dice are rolled when {all_in}."
    if words.otherwise:
        yield f"Without an answer I roll then: {words.otherwise}."
    if several and len(pending.awaited) < len(pending.told):
        yield f"Still to answer: {asked(pending, pending.awaited)}."
    if pending.request.note:
        yield f"**Note:** {plain(pending.request.note)}"


def _ended(pending: Pending) -> str:
    ours, noun, number = f"<@{pending.asker_id}>", pending.words.noun, f"entry #{pending.entry_number}"
    late = f"{asked(pending, pending.awaited)} {'has' if len(pending.awaited) == 1 else 'have'} not answered"
    have = "has" if len(pending.told) == 1 else "have"
    if pending.state == "answered" and not pending.told:
        return f"No player can answer {ours} any more: {number}."
    return {
        "withdrawn": f"The {noun} of {ours} to {asked(pending)} was withdrawn. Nothing was rolled.",
        "expired": f"{ours}, your {noun} has expired: {late} in time. Nothing was rolled.",
        "closed": f"{late} {ours}: {pending.words.otherwise}, {number}.",
    }.get(pending.state, f"{asked(pending)} {have} answered {ours}: {number}.")
