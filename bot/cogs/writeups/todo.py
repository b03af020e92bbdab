"""Write-ups' buttons and battles, and `/update show`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import discord
from discord import ui
from sqlalchemy import Connection

from bot.cogs.writeups import queries
from bot.cogs.writeups.queries import (
    CHUNK,
    CLAIMED,
    OPEN,
    WITHDRAWN,
    WRITEUP,
    Result,
    StoredWriteup,
    Writeup,
    describe_part,
    line,
)
from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.ledger import EntryView
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer
from bot.outbox.queue import OutgoingMessage
from bot.rolls.entry_body import list_calls
from bot.rolls.extension import ExtraChanges, Question, ResolvedRoll, StateKey, as_todo
from bot.rolls.resolver import Resolver
from bot.ui.components import IdTemplate
from bot.ui.receipt import entry_footer, receipt
from bot.ui.text import COLOURS, DOT, plain, shorten
from bot.ui.todo import FEW, Todo, few, tally
from rules.books.campaign import patrol
from rules.ends import Moment, is_current
from rules.subjects import name_key, names_of, number_of, subject_key

_ONE: Final = "writeup:{campaign:int}:{entry:int}.{part:int}:"
TAKE = IdTemplate(_ONE + "take")
CLAIM, GIVE_BACK, DONE_BUTTON, RESULT = (
    IdTemplate(_ONE + "{newest:int}:" + verb) for verb in ("claim", "back", "done", "result")
)
"""`newest` is the newest entry about the write-up."""

MAX_CLAIMS = 3  # `/writeups list` has the rest


def actions(item: Writeup, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what the reader can do about a write-up."""
    leads, mine = reader.leads(campaign), item.by == reader.user_id
    unwritten = campaign.archived_at is None and item.state in {OPEN, CLAIMED}
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    if unwritten and not mine and (item.state == OPEN or leads):
        yield ui.Button(label="Claim" if item.state == OPEN else "Take over", custom_id=CLAIM.fill(**key))
    if unwritten and (item.state == OPEN or mine or leads):
        yield finish_button(item, campaign)
    if unwritten and mine:
        yield ui.Button(label="Give back", custom_id=GIVE_BACK.fill(**key))
    if item.fought and leads and campaign.archived_at is None and item.state != WITHDRAWN:
        yield ui.Button(label="Battle result", custom_id=RESULT.fill(**key))


def finish_button(item: Writeup, campaign: Campaign, label: str = "Done") -> ui.Button[ui.LayoutView]:
    """Return the button that marks it done."""
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    return ui.Button(label=label, custom_id=DONE_BUTTON.fill(**key))


def claims(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield buttons that claim write-ups for the parts of a roll that the person may see."""
    parts = entry.content()["parts"]
    called = [
        place
        for place, part in enumerate(parts)
        if any(list_calls(part)) and (person.leads(campaign) or part["audience"] == "results")
    ]
    for place in called[:MAX_CLAIMS]:
        which = f" #{entry.number}.{place + 1}" if len(parts) > 1 else ""
        key = TAKE.fill(campaign=campaign.id, entry=entry.number, part=place)
        yield ui.Button(label=f"Claim write-up{which}", custom_id=key)


def receipt_of(
    item: Writeup, campaign: Campaign, reader: Person, foot: str = "", *more: ui.Button[ui.LayoutView]
) -> ui.LayoutView:
    """Draw a write-up; `foot` says what was just done."""
    colour = COLOURS["success" if foot else "neutral"]
    lines = [line(item), *filter(None, [foot])]
    return receipt(f"Write-up #{item.number}", lines, colour, [*actions(item, campaign, reader), *more])


MOVES = "stop-unless-won"


def withdraw_by_roll(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that cancel patrols' battles where a roll begins an ambush (line 23)."""
    ambushed = {
        name_key(name)
        for part in made.resolution.parts
        for item in (part.conclusion.consequences if part.conclusion else ())
        if item.do == "ambush"
        for name in names_of(part.part.subjects.get(item.to or "", ""))
    }
    caught = {
        number_of(key): value
        for (key, name), value in made.before.items()
        if ambushed and name == patrol.AWAITS_BATTLE and is_current(value, made.moment)
    }
    named = subjects.name_subjects(tx, made.campaign.id, caught)
    changes: dict[StateKey, object] = {}
    lines: list[str] = []
    for number, value in caught.items():
        if name_key(named[number]) in ambushed:
            for change, line in _cancel_writeups(tx, made.campaign, number, value, made.moment):
                changes[change.subject, change.name] = change.after
                lines.append(line)
    return ExtraChanges(changes, {"withdrawn": lines} if lines else {})


def describe_cancelled(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a staff message about cancelled battles."""
    lines = entry.content().get("withdrawn")
    if not lines:
        return messages
    embed = discord.Embed(title="Battle cancelled", description="\n".join(map(plain, lines)), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]


def withdraw_by_hand(
    tx: Connection, _resolver: Resolver, campaign: Campaign, effect: StateKey, now: Moment
) -> Iterator[tuple[Change, str]]:
    """Yield changes, with lines about them, if an effect entered by hand is an ambush."""
    subject, name = effect
    kept = state.get_values_named(tx, campaign.id, {subject}, {patrol.AWAITS_BATTLE, patrol.MOVE_STOPPED})
    caught = kept.get((subject, patrol.AWAITS_BATTLE))
    if name != patrol.AMBUSH or caught is None or not is_current(caught, now):
        return
    cancelled = list(_cancel_writeups(tx, campaign, number_of(subject), caught, now))
    yield from cancelled
    for _, key, after in patrol.ambush_fought(subject, now) if cancelled else ():
        yield Change(subject, key, kept.get((subject, key)), after), ""


def _cancel_writeups(
    tx: Connection, campaign: Campaign, caught: int, value: Mapping[str, object], now: Moment
) -> Iterator[tuple[Change, str]]:
    for _, item in _find_deciding(
        tx, campaign, [(number, caught) for number in patrol.list_awaited_battles(value, now)]
    ):
        line = (
            f"{item.entry.names().get(caught)} was caught, then ambushed. Only the ambush is fought, and its move is "
            f"stopped. Write-up #{item.number}, the patrol's battle, is cancelled."
        )
        after = {**item.value, "state": WITHDRAWN, "since": now.entry}
        yield Change(_key(item.entry.number, item.value["part"]), WRITEUP, dict(item.value), after), line


def _find_deciding(
    tx: Connection, campaign: Campaign, battles: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, StoredWriteup]]:
    """Yield who waits (a subject's number) and the write-up that decides their battle."""
    calling = entries.get_entries(tx, campaign.id, {entry for entry, _ in battles})
    keys = [_key(item.number, place) for item in calling.values() for place in range(len(item.content()["parts"]))]
    kept = state.get_values_named(tx, campaign.id, keys, {WRITEUP})
    for number, caught in battles:
        entry = calling[number]
        name = name_key(entry.names().get(caught, ""))
        for place, part in enumerate(entry.content()["parts"]):
            if any(item["do"] == MOVES and name_key(item["to"] or "") == name for item in part["consequences"]):
                yield caught, StoredWriteup(kept[_key(number, place), WRITEUP], entry)


def _key(entry: int, part: int) -> str:
    return f"{WRITEUP}:{entry}.{part}"


def moves_after(
    tx: Connection, campaign: Campaign, item: StoredWriteup, moving: str, result: Result, now: Moment
) -> Iterator[Change]:
    """Yield changes to a move once its battle (the write-up) has a result (line 24)."""
    called = (number for number, name in item.entry.names().items() if name_key(name) == name_key(moving))
    number = next(called, None)
    if number is None:  # an entry of an older version, which has no numbers
        return
    subject = subject_key(number)
    kept = state.get_values_named(tx, campaign.id, {subject}, {patrol.AWAITS_BATTLE, patrol.MOVE_STOPPED})
    battle, awaits = item.value["entry"], kept.get((subject, patrol.AWAITS_BATTLE))
    for _, name, after in patrol.decide_battle(subject, battle, awaits, won=result == "won", moment=now):
        before = kept.get((subject, name))
        own = name == patrol.AWAITS_BATTLE or (before is not None and before["entry"] == item.value.get("decided"))
        others = before is not None and not own and name == patrol.MOVE_STOPPED and is_current(before, now)
        if others:  # another patrol's stop stays
            continue
        if own or (after is not None and current_update(tx, campaign.id)["number"] == now.update):
            yield Change(subject, name, before, after)


MAX_BATTLE = 160  # characters, so several fit on a board


def find_undecided(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield, as questions, battles whose result a move waits for, oldest first."""
    kept = state.find_values_of_name(tx, campaign.id, patrol.AWAITS_BATTLE)
    battles = sorted(
        (entry, number_of(key)) for key, value in kept.items() for entry in patrol.list_awaited_battles(value, now)
    )
    names = subjects.name_subjects(tx, campaign.id, {number for _, number in battles})
    for start in range(0, len(battles), CHUNK):
        for number, item in _find_deciding(tx, campaign, battles[start : start + CHUNK]):
            who, place, body = names[number], item.value["part"], item.body
            key = RESULT.fill(campaign=campaign.id, entry=item.entry.number, part=place, newest=item.newest)
            about = shorten(describe_part(body, body["parts"][place]), MAX_BATTLE)
            line = f"Who won? {about} (write-up #{item.number})"
            yield Question(item.entry.number, who, line, f"Did {who} win? (#{item.number})", key, holds=True)


MAX_LINE = 110  # three lines on a phone
LIST = "/writeups list"


def list_waiting(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield battles to decide, and open write-ups."""
    if viewer.person.leads(viewer.campaign):
        battles = find_undecided(tx, viewer.campaign, find_now(tx, viewer.person, viewer.campaign))
        yield from as_todo("Battles to decide", "undecided battle{s} that a move waits for", battles, LIST)
    found, count = queries.list_unclaimed(tx, viewer, FEW)
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
    found, count = queries.find_claimed(tx, viewer, FEW)
    if found:
        mine = viewer.person.user_id
        whose = {mine: "yours", None: "claimed"}
        lines = (f"{_line(item)}{DOT}{whose.get(item.by, f'claimed by <@{item.by}>')}" for item in found)
        own = [finish_button(item, viewer.campaign, f"Done #{item.number}") for item in found if item.by == mine]
        yield Todo("Write-ups claimed", few(lines, count, f"{LIST} state:Claimed"), [own] if own else [])


def _line(item: Writeup) -> str:
    return f"\N{BULLET} **#{item.number}** {shorten(item.gist, MAX_LINE)}"
