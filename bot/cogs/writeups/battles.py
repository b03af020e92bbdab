"""What becomes of the battles that rolls call for: their results, and those that an ambush is fought in place of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.writeups.queries import WRITEUP, CalledFor, Result
from bot.cogs.writeups.states import WITHDRAWN
from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.entry_kinds import EntryView
from bot.core.records import Change, Entry
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import ExtraChanges, PlayedBooks, ResolvedRoll, StateKey
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import plain
from rules.books.campaign.patrol import AMBUSH, AWAITS_BATTLE, MOVE_STOPPED, ambush_fought, awaited, battle_decided
from rules.ends import Moment, holds
from rules.subjects import name_key, names_of, number_of, subject_key

MOVES = "stop-unless-won"


def withdraw_by_roll(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return the write-ups of patrols' battles that the ambushes of a roll are fought in place of (line 23)."""
    ambushed = {
        name_key(name)
        for part in made.resolution.parts
        for deed in (part.conclusion.consequences if part.conclusion else ())
        if deed.do == "ambush"
        for name in names_of(part.part.subjects.get(deed.to or "", ""))
    }
    caught = {
        number_of(key): value
        for (key, name), value in made.before.items()
        if ambushed and name == AWAITS_BATTLE and holds(value, made.moment)
    }
    named = subjects.names(tx, made.campaign.id, caught)
    changes: dict[StateKey, Any] = {}
    told: list[str] = []
    for number, value in caught.items():
        if name_key(named[number]) in ambushed:
            for change, line in _withdrawn(tx, made.campaign, number, value, made.moment):
                changes[change.subject, change.name] = change.after
                told.append(line)
    return ExtraChanges(changes, {"withdrawn": told} if told else {})


def tell_withdrawn(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add a message to the staff about battles that are withdrawn."""
    told = entry.content().get("withdrawn")
    if not told:
        return messages
    embed = discord.Embed(title="Battle cancelled", description="\n".join(map(plain, told)), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]


def withdraw_by_hand(
    tx: Connection, _library: PlayedBooks, campaign: Campaign, effect: StateKey, now: Moment
) -> Iterator[tuple[Change, str]]:
    """Give what follows when a game master enters an ambush of somebody whom a patrol has caught before."""
    subject, name = effect
    kept = state.named(tx, campaign.id, {subject}, {AWAITS_BATTLE, MOVE_STOPPED})
    caught = kept.get((subject, AWAITS_BATTLE))
    if name != AMBUSH or caught is None or not holds(caught, now):
        return
    withdrawn = list(_withdrawn(tx, campaign, number_of(subject), caught, now))
    yield from withdrawn
    for _, key, after in ambush_fought(subject, now) if withdrawn else ():
        yield Change(subject, key, kept.get((subject, key)), after), ""


def _withdrawn(
    tx: Connection, campaign: Campaign, caught: int, value: Mapping[str, Any], now: Moment
) -> Iterator[tuple[Change, str]]:
    """Yield the write-ups of the battles for which somebody was caught as withdrawn, and what the staff is told."""
    for _, told in deciding(tx, campaign, [(number, caught) for number in awaited(value, now)]):
        line = (
            f"{told.entry.names().get(caught)} was caught, then ambushed. Only the ambush is fought, and its move is "
        )
        line += f"stopped. Write-up #{told.number}, the patrol's battle, is cancelled."
        after = {**told.value, "state": WITHDRAWN, "since": now.entry}
        yield Change(_key(told.entry.number, told.value["part"]), WRITEUP, dict(told.value), after), line


def deciding(tx: Connection, campaign: Campaign, battles: Sequence[tuple[int, int]]) -> Iterator[tuple[int, CalledFor]]:
    """Yield the write-ups of battles, each by its entry and by whom (a number) it lets move on, with that number."""
    calling = entries.some(tx, campaign.id, {entry for entry, _ in battles})
    keys = [_key(item.number, place) for item in calling.values() for place in range(len(item.content()["parts"]))]
    kept = state.named(tx, campaign.id, keys, {WRITEUP})
    for number, caught in battles:
        entry = calling[number]
        name = name_key(entry.names().get(caught, ""))
        for place, part in enumerate(entry.content()["parts"]):
            if any(deed["do"] == MOVES and name_key(deed["to"] or "") == name for deed in part["consequences"]):
                yield caught, CalledFor(kept[_key(number, place), WRITEUP], entry)


def _key(entry: int, part: int) -> str:
    """Return under which subject the state keeps a write-up."""
    return f"{WRITEUP}:{entry}.{part}"


def moves_after(
    tx: Connection, campaign: Campaign, item: CalledFor, moving: str, result: Result, now: Moment
) -> Iterator[Change]:
    """Yield what the result of a battle means for the move of somebody, while its update lasts (line 24)."""
    called = (number for number, name in item.entry.names().items() if name_key(name) == name_key(moving))
    number = next(called, None)
    if number is None:  # an entry of an older version, which has no numbers
        return
    subject = subject_key(number)
    kept = state.named(tx, campaign.id, {subject}, {AWAITS_BATTLE, MOVE_STOPPED})
    battle, awaits = item.value["entry"], kept.get((subject, AWAITS_BATTLE))
    for _, name, after in battle_decided(subject, battle, awaits, won=result == "won", moment=now):
        before = kept.get((subject, name))
        own = name == AWAITS_BATTLE or (before is not None and before["entry"] == item.value.get("decided"))
        others = before is not None and not own and name == MOVE_STOPPED and holds(before, now)
        if others:  # whom another patrol has stopped stays so
            continue
        if own or (after is not None and current_update(tx, campaign.id)["number"] == now.update):
            yield Change(subject, name, before, after)
