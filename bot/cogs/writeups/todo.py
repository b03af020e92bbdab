"""What waits for write-ups: their battles, results nobody has decided about, and what stands on the desk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import discord
from discord import ui
from sqlalchemy import Connection

from bot.cogs.writeups import queries
from bot.cogs.writeups.buttons import RESULT, TAKE, done_button
from bot.cogs.writeups.queries import CHUNK, WITHDRAWN, WRITEUP, CalledFor, Result, Writeup, gist
from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.entry_kinds import EntryView
from bot.core.library import Library
from bot.core.permissions import find_now
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import ExtraChanges, Question, ResolvedRoll, StateKey, as_todo
from bot.rolls.resolver import Resolver
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, plain, shorten
from bot.ui.todo import FEW, Todo, few, tally
from rules.books.campaign.patrol import (
    AMBUSH,
    AWAITS_BATTLE,
    MOVE_STOPPED,
    ambush_fought,
    decide_battle,
    list_awaited_battles,
)
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
    named = subjects.name_subjects(tx, made.campaign.id, caught)
    changes: dict[StateKey, object] = {}
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
    tx: Connection, _resolver: Resolver, campaign: Campaign, effect: StateKey, now: Moment
) -> Iterator[tuple[Change, str]]:
    """Give what follows when a game master enters an ambush of somebody whom a patrol has caught before."""
    subject, name = effect
    kept = state.get_values_named(tx, campaign.id, {subject}, {AWAITS_BATTLE, MOVE_STOPPED})
    caught = kept.get((subject, AWAITS_BATTLE))
    if name != AMBUSH or caught is None or not holds(caught, now):
        return
    withdrawn = list(_withdrawn(tx, campaign, number_of(subject), caught, now))
    yield from withdrawn
    for _, key, after in ambush_fought(subject, now) if withdrawn else ():
        yield Change(subject, key, kept.get((subject, key)), after), ""


def _withdrawn(
    tx: Connection, campaign: Campaign, caught: int, value: Mapping[str, object], now: Moment
) -> Iterator[tuple[Change, str]]:
    """Yield the write-ups of the battles for which somebody was caught as withdrawn, and what the staff is told."""
    for _, told in find_deciding(tx, campaign, [(number, caught) for number in list_awaited_battles(value, now)]):
        line = (
            f"{told.entry.names().get(caught)} was caught, then ambushed. Only the ambush is fought, and its move is "
        )
        line += f"stopped. Write-up #{told.number}, the patrol's battle, is cancelled."
        after = {**told.value, "state": WITHDRAWN, "since": now.entry}
        yield Change(_key(told.entry.number, told.value["part"]), WRITEUP, dict(told.value), after), line


def find_deciding(
    tx: Connection, campaign: Campaign, battles: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, CalledFor]]:
    """Yield the write-ups of battles, each by its entry and by whom (a number) it lets move on, with that number."""
    calling = entries.get_entries(tx, campaign.id, {entry for entry, _ in battles})
    keys = [_key(item.number, place) for item in calling.values() for place in range(len(item.content()["parts"]))]
    kept = state.get_values_named(tx, campaign.id, keys, {WRITEUP})
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
    kept = state.get_values_named(tx, campaign.id, {subject}, {AWAITS_BATTLE, MOVE_STOPPED})
    battle, awaits = item.value["entry"], kept.get((subject, AWAITS_BATTLE))
    for _, name, after in decide_battle(subject, battle, awaits, won=result == "won", moment=now):
        before = kept.get((subject, name))
        own = name == AWAITS_BATTLE or (before is not None and before["entry"] == item.value.get("decided"))
        others = before is not None and not own and name == MOVE_STOPPED and holds(before, now)
        if others:  # whom another patrol has stopped stays so
            continue
        if own or (after is not None and current_update(tx, campaign.id)["number"] == now.update):
            yield Change(subject, name, before, after)


MAX_BATTLE = 160
"""Characters of what a battle is about, so that several stand on a board."""


def find_undecided(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield who has won, for each battle of the update for which a move waits, the oldest first; entries are read a chunk at a time, as far as they are asked for."""
    kept = state.find_values_of_name(tx, campaign.id, AWAITS_BATTLE)
    battles = sorted(
        (entry, number_of(key)) for key, value in kept.items() for entry in list_awaited_battles(value, now)
    )
    names = subjects.name_subjects(tx, campaign.id, {number for _, number in battles})
    for start in range(0, len(battles), CHUNK):
        for number, item in find_deciding(tx, campaign, battles[start : start + CHUNK]):
            yield _who_won(campaign, item, names[number])


def to_decide(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the battles for which moves wait, on the desk of a game master."""
    if viewer.person.leads(viewer.campaign):
        found = find_undecided(tx, viewer.campaign, find_now(tx, viewer.person, viewer.campaign))
        yield from as_todo("Battles to decide", "undecided battle{s} that a move waits for", found, "/writeups list")


def _who_won(campaign: Campaign, item: CalledFor, who: str) -> Question:
    place, body = item.value["part"], item.body
    key = RESULT.fill(campaign=campaign.id, entry=item.entry.number, part=place, newest=item.newest)
    about = shorten(gist(body, body["parts"][place]), MAX_BATTLE)
    line = f"Who won? {about} (write-up #{item.number})"
    return Question(item.entry.number, who, line, f"Did {who} win? (#{item.number})", key, holds=True)


MAX_LINE = 110
"""Characters of what one is about: three lines of a telephone; the whole stands in `/writeups list`."""

LIST = "/writeups list"


def list_waiting(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the battles to decide, and what is to be written."""
    yield from to_decide(tx, library, viewer)
    yield from to_write(tx, library, viewer)


def to_write(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what nobody has claimed, as far as the viewer may know of it, and what is claimed: by the viewer, for game masters also by others."""
    found, count = queries.to_claim(tx, viewer, FEW)
    if found:
        rows: list[ui.Button[ui.LayoutView]] = [
            ui.Button(
                label=f"Claim #{item.number}",
                custom_id=TAKE.fill(campaign=viewer.campaign.id, entry=item.entry, part=item.part),
            )
            for item in found
        ]
        undone = tally(count, "unclaimed write-up{s}", (f"#{item.number}" for item in found))
        yield Todo("Write-ups to claim", few(map(_line, found), count, LIST), [rows], undone=undone)
    found, count = queries.claimed(tx, viewer, FEW)
    if found:
        mine = viewer.person.user_id
        lines = (f"{_line(item)}{DOT}{_whose(item, mine)}" for item in found)
        own = [done_button(item, viewer.campaign, f"Done #{item.number}") for item in found if item.by == mine]
        yield Todo("Write-ups claimed", few(lines, count, f"{LIST} state:Claimed"), [own] if own else [])


def _whose(item: Writeup, reader: int) -> str:
    if item.by == reader:
        return "yours"
    return "claimed" if item.by is None else f"claimed by <@{item.by}>"


def _line(item: Writeup) -> str:
    return f"\N{BULLET} **#{item.number}** {shorten(item.gist, MAX_LINE)}"
