"""What is done by somebody who hides, or to one whom only some have seen: told to its maker and the staff alone (lines 353, 355)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body
from bot.core.records import Entry
from bot.core.subjects import by_number
from bot.outbox.queue import OutgoingMessage
from bot.rolls.entry_body import home_of
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.books.roe.marks import BY, HIDDEN
from rules.books.roe.noise import NOISE
from rules.books.roe.turn_catalog import Noise
from rules.effects import EFFECT
from rules.procedure import Throw
from rules.subjects import number_of, subject_key

HEARD = "heard"
"""Under which name the body of a roll tells the noise that it has made, in words."""

TRAIT = HIDDEN.removeprefix(EFFECT)


def keeps_quiet(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return that a roll is quiet in which somebody hides in a fight whose hiding it does not end, and what noise it has made.

    What is done to somebody hidden is so where whoever does it has seen that one: the others have not.
    """
    act = roll.book.acts.get(roll.resolution.family)
    quiet = not (act is not None and act.loud) and not {*_hiding(roll)} <= {*_shown(roll)}
    heard = [*_heard(tx, roll)]
    return ExtraChanges(body={HEARD: heard} if heard else {}, quiet=quiet)


def tell_noise(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add a message to all about the noise of what they do not read else, with just that information (line 163).

    What is amended was heard when it was made: all would read of another shot. What was kept from all by whoever rolled it stays so.
    """
    body = entry.content()
    heard = body.get(HEARD)
    if not heard or body["to"] != "auto" or "amends" in body or _is_read(body, heard):
        return messages
    embed = discord.Embed(description="\n".join(map(plain, heard)), colour=COLOURS["neutral"])
    embed.set_footer(text=campaign.name)
    return [*messages, OutgoingMessage("notice", home_of(entry) or campaign.results_channel_id, [embed])]


def _heard(tx: Connection, roll: ResolvedRoll) -> Iterator[str]:
    """Yield the noises that a roll has made, in words; none of somebody secret, of whom nobody hears either."""
    loud = {item.label for item in roll.book.listed(Noise).values()}
    for part in roll.resolution.parts:
        makers = {value["by"] for _, name, value in part.changes if name == NOISE and value}
        if any(item.secret for item in by_number(tx, roll.campaign.id, makers).values()):
            continue
        yield from (_noise(step) for step in part.steps if isinstance(step, Throw) and step.title in loud)


def _noise(step: Throw) -> str:
    return f"{step.title}: {step.text}"


def _is_read(body: Body, heard: Sequence[str]) -> bool:
    """Return whether all read of these noises in the parts of a roll that are public."""
    public = [part for part in body["parts"] if part["audience"] == "results" and not part["secret"]]
    told = {f"{step['title']}: {step.get('text')}" for part in public for step in part["steps"]}
    return told.issuperset(heard)


def hiding(tx: Connection, campaign_id: int, numbers: Collection[int]) -> set[int]:
    """Return who of these (numbers) hides in a fight, for whatever is told to all."""
    kept = state.named(tx, campaign_id, [*map(subject_key, numbers)], {HIDDEN}) if numbers else {}
    return {number_of(subject) for (subject, _), value in kept.items() if _hides(value)}


def _hides(value: Mapping[str, Any] | None) -> bool:
    """Return whether somebody of whom this is kept hides in a fight."""
    return bool(value and value.get("scene"))


def _hiding(roll: ResolvedRoll) -> Iterator[int]:
    """Yield who hides (numbers) and acts, or is known to whoever acts."""
    actor = roll.book.procedure(roll.resolution.family).actor
    for part in roll.request.parts:
        acting = {*part.ids.get(actor, ())}
        for number in (number for some in part.ids.values() for number in some if number is not None):
            value = roll.before.get((subject_key(number), HIDDEN))
            if value and _hides(value) and acting & {number, *value.get(BY, ())}:
                yield number


def _shown(roll: ResolvedRoll) -> Iterator[int]:
    """Yield who (numbers) hides no more by it."""
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        for item in made.conclusion.consequences if made.conclusion else ():
            if TRAIT in roll.resolution.deeds[item.do].ends:
                yield from (number for number in asked.ids.get(item.to or "", ()) if number is not None)
