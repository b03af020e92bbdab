"""Entries about write-ups, and what rolls call for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.writeups.bodies import Result, ResultBody, WriteupBody
from bot.cogs.writeups.service import WRITEUP
from bot.cogs.writeups.states import OPEN
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.records import Entry
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import WRITE_UP
from bot.rolls.entry_body import calls
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.ui.entries import plain_pages
from bot.ui.text import plain

ACTIONS: Mapping[str, str] = {"claim": "claimed", "give-back": "given back", "done": "done"}
RESULTS: Mapping[Result, str] = {
    "won": "{who} won its battle",
    "drawn": "the battle of {who} was drawn",
    "lost": "{who} lost its battle",
}
MOVES: Mapping[bool, str] = {True: "; the move goes on", False: "; the move is stopped"}


def _sentence(body: Body, _view: View = "staff") -> str:
    if body["deed"] == "result":
        result = cast("ResultBody", body)
        ended = RESULTS[result["result"]].format(who=plain(result["who"]))
        follows = "" if result["moves"] is None else MOVES[result["moves"]]
        return f"Write-up {result['number']}: {ended}{follows}"
    marked = cast("WriteupBody", body)
    return f"Write-up {marked['number']} {ACTIONS[marked['deed']]}"


def _pages(shown: EntryView, _view: View) -> Pages:
    body, link = shown.entry.content(), shown.entry.text("link")
    where = [f"**Where:** <{link}>"] if link else []
    return plain_pages(shown, _sentence(body), [f"It belongs to entry #{body['entry']}.", *where])


WRITEUP_CHANGED = EntryKind("writeup", "staff", _sentence, _pages)


def open_writeups(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return the write-ups that the parts of a roll call for."""
    number = made.moment.entry
    return ExtraChanges(
        {
            (f"{WRITEUP}:{number}.{place}", WRITEUP): {"entry": number, "part": place, "state": OPEN}
            for place, part in enumerate(made.resolution.parts)
            if part.conclusion is not None
            and any(made.book.deeds[item.do].calls for item in part.conclusion.consequences)
        }
    )


def ask_for_threads(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Mark the first message of a result for a thread, where a part that it shows calls for something to be written."""
    if not campaign.writeup_threads:
        return messages
    audiences = {part["audience"].partition(":")[0] for part in entry.content()["parts"] if any(calls(part))}
    first = {kind: place for place, kind in reversed(list(enumerate(message.kind for message in messages)))}
    audiences |= {"staff"} if "group" in audiences else set()  # a group without a channel is told there
    threads = {first[kind] for kind in ("results", "group", "staff") if kind in first and kind in audiences}
    return [replace(item, topic=WRITE_UP) if place in threads else item for place, item in enumerate(messages)]
