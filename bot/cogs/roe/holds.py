"""What a roll breaks at once that whoever it befalls has with another one, such as a hold under a stun (lines 168, 430)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.roe.fight_view import BOOK
from bot.cogs.roe.quiet import hiding
from bot.cogs.roe.vehicles import who_is_thrown_out
from bot.core import knowledge, state
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.library import effect_label
from bot.core.records import Change, Entry
from bot.core.subjects import by_number
from bot.core.visibility import any_player
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import ExtraChanges, PlayedBooks, ResolvedRoll, StateKey
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import plain
from rules.book import Book
from rules.books.roe.turn_catalog import Upkeep
from rules.effects import EFFECT
from rules.ends import Moment
from rules.subjects import number_of, subject_key, subject_number

BROKEN = "broken"
"""Under which name the body of a roll tells what it has broken, in words."""


def break_holds(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return what ends at once by what befalls those in a roll, on them and on those with whom they have it."""
    ended = dict(_broken(tx, roll))
    if not ended:
        return ExtraChanges()
    unseen = hiding(tx, roll.campaign.id, {number_of(subject) for subject, _ in ended})
    seen = {key: value for key, value in ended.items() if number_of(key[0]) not in unseen}
    known = knowledge.values(tx, any_player(roll.campaign), seen)
    called = by_number(tx, roll.campaign.id, {number_of(key[0]) for key in known})
    told = [f"{called[number_of(key[0])].name}: {effect_label(roll.book.effects, key[1], known[key])}" for key in known]
    return ExtraChanges(dict.fromkeys(ended), {BROKEN: told} if told else {})


def break_by_hand(
    tx: Connection, library: PlayedBooks, campaign: Campaign, effect: StateKey, _now: Moment
) -> Iterator[tuple[Change, str]]:
    """Give what an effect that a game master sets breaks at once, such as a hold by a stun."""
    number = subject_number(effect[0])
    if BOOK not in campaign.books or number is None:
        return
    book = library.book(tx, campaign, BOOK)
    ended = dict(_broken_by(tx, campaign.id, book, number, effect[1].removeprefix(EFFECT)))
    called = by_number(tx, campaign.id, {number_of(subject) for subject, _ in ended})
    for (subject, name), before in ended.items():
        who, what = called[number_of(subject)].name, effect_label(book.effects, name, before)
        yield Change(subject, name, before, None), f"Ended at once: {who}: {what}"


def tell_broken(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add a message about what a roll has broken, where it is told."""
    told = entry.content().get(BROKEN)
    if not told or not messages:
        return messages
    embed = discord.Embed(title="Ended at once", description="\n".join(map(plain, told)), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", messages[0].channel_id, [embed])]


def _broken(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[StateKey, dict[str, Any]]]:
    """Yield what is broken, by subject and name, as it was before."""
    for number, trait in _befalls(tx, roll):
        yield from _broken_by(tx, roll.campaign.id, roll.book, number, trait)


def _broken_by(
    tx: Connection, campaign_id: int, book: Book, number: int, trait: str
) -> Iterator[tuple[StateKey, dict[str, Any]]]:
    """Yield what is broken by an effect (its trait) that befalls somebody (number)."""
    for item in book.listed(Upkeep).values():
        own = _kept(tx, campaign_id, number, item.ends) if trait in item.breaks else {}
        others = {value["other"] for value in own.values() if value.get("other")}
        theirs = {key: value for other in others for key, value in _kept(tx, campaign_id, other, item.frees).items()}
        yield from own.items()
        yield from ((key, value) for key, value in theirs.items() if value.get("other") == number)


def _kept(tx: Connection, campaign_id: int, number: int, traits: Sequence[str]) -> dict[StateKey, dict[str, Any]]:
    """Return which effects of these traits somebody has."""
    return state.named(tx, campaign_id, {subject_key(number)}, {EFFECT + trait for trait in traits})


def _befalls(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[int, str]]:
    """Yield whom (numbers) something befalls by a roll, and what, by its trait: by what follows, by a zone, or out of a vehicle."""
    deeds = roll.resolution.deeds
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        called = {asked.subjects[role]: ids for role, ids in asked.ids.items() if role in asked.subjects}
        begun = [
            (called.get(who, ()), name.removeprefix(EFFECT))
            for who, name, value in made.changes
            if name.startswith(EFFECT) and value is not None
        ]
        follows = made.conclusion.consequences if made.conclusion else ()
        begun += [(asked.ids.get(done.to or "", ()), trait) for done in follows if (trait := deeds[done.do].effect)]
        yield from ((number, trait) for ids, trait in begun for number in ids if number is not None)
    for who, values in who_is_thrown_out(tx, roll):
        yield from (
            (who.id, name.removeprefix(EFFECT))
            for name, value in values.items()
            if name.startswith(EFFECT) and value is not None
        )
