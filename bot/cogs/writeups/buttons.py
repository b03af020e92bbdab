"""What is pressed about write-ups: the buttons below each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from discord import ui

from bot.cogs.writeups.queries import CLAIMED, OPEN, WITHDRAWN, Writeup, line
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.rolls.entry_body import calls
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.receipt import receipt

_ONE: Final = "writeup:{campaign:int}:{entry:int}.{part:int}:"
TAKE = IdTemplate(_ONE + "take")
"""The id of the button under a roll that has just called for it."""

CLAIM, GIVE_BACK, DONE_BUTTON, RESULT = (
    IdTemplate(_ONE + "{newest:int}:" + deed) for deed in ("claim", "back", "done", "result")
)
"""The ids of what stands with a write-up, and of the windows that ask more; `newest` is the newest entry about it."""

MAX_CLAIMS = 3
"""The buttons under one roll; the rest is claimed through `/writeups list`."""


def actions(item: Writeup, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what the reader may do about a write-up that they know of."""
    leads, mine = reader.leads(campaign), item.by == reader.user_id
    unwritten = campaign.archived_at is None and item.state in {OPEN, CLAIMED}
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    if unwritten and not mine and (item.state == OPEN or leads):
        yield ui.Button(label="Claim" if item.state == OPEN else "Take over", custom_id=CLAIM.fill(**key))
    if unwritten and (item.state == OPEN or mine or leads):
        yield done_button(item, campaign)
    if unwritten and mine:
        yield ui.Button(label="Give back", custom_id=GIVE_BACK.fill(**key))
    if item.fought and leads and campaign.archived_at is None and item.state != WITHDRAWN:
        yield ui.Button(label="Battle result", custom_id=RESULT.fill(**key))


def done_button(item: Writeup, campaign: Campaign, label: str = "Done") -> ui.Button[ui.LayoutView]:
    """Return the button that says that something is written."""
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    return ui.Button(label=label, custom_id=DONE_BUTTON.fill(**key))


def claims(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons that claim what a roll has just called for, as far as the person is told of it."""
    parts = entry.content()["parts"]
    called = [
        place
        for place, part in enumerate(parts)
        if any(calls(part)) and (person.leads(campaign) or part["audience"] == "results")
    ]
    for place in called[:MAX_CLAIMS]:
        which = f" #{entry.number}.{place + 1}" if len(parts) > 1 else ""
        key = TAKE.fill(campaign=campaign.id, entry=entry.number, part=place)
        yield ui.Button(label=f"Claim write-up{which}", custom_id=key)


def receipt_of(
    item: Writeup, campaign: Campaign, reader: Person, foot: str = "", *more: ui.Button[ui.LayoutView]
) -> ui.LayoutView:
    """Return a write-up with what the reader may do about it; `foot` says what was just done."""
    colour = COLOURS["success" if foot else "neutral"]
    lines = [line(item), *filter(None, [foot])]
    return receipt(f"Write-up #{item.number}", lines, colour, [*actions(item, campaign, reader), *more])
