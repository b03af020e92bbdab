"""Entries about write-ups, and what rolls call for."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import entry_kind
from bot.cogs.writeups.actions import Claim, EnterResult, Finish, GiveBack
from bot.cogs.writeups.queries import WRITEUP
from bot.cogs.writeups.states import OPEN
from bot.core.campaigns import Campaign
from bot.core.records import Entry
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import WRITE_UP
from bot.rolls.entry_body import calls
from bot.rolls.extension import ExtraChanges, ResolvedRoll

WRITEUP_CHANGED = entry_kind("staff", Claim, GiveBack, Finish, EnterResult)


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
