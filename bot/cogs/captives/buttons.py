"""What is pressed about captives: the button that rolls the escapes that are ordered, and what stands with each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from discord import ui

from bot.cogs.captives.queries import INTERROGATION, CaptiveStatus
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.orders.ids import WITHDRAW
from bot.ui.components import IdTemplate

ROLL_ESCAPES = IdTemplate("captive:{campaign:int}:escapes:{number:int}")
"""The id of the button that rolls the escapes that are ordered in an update (number)."""

PICK = IdTemplate("captive:{campaign:int}:show:{_place:int}")
"""The ids of the selects under a list, from which a captive is picked; the place parts several."""

_ONE: Final = "captive:{campaign:int}:{subject:int}:{newest:int}:"
INTERROGATE, BREAK_OUT, MOVE, RELEASE = (
    IdTemplate(_ONE + deed) for deed in ("interrogate", "escape", "move", "release")
)
"""The ids of what stands with a captive, and of the windows that ask more; `newest` is the newest entry of the captivity."""

AGAIN = IdTemplate("interrogate:{campaign:int}:{entry:int}")
"""The id of the button under an interrogation (entry): opens a card for the next one."""

FREE = frozenset({"free", "kill"})
"""The consequences after which nobody is interrogated again."""


def actions(status: CaptiveStatus, campaign: Campaign, reader: Person) -> Iterator[ui.Button[Any]]:
    """Yield what the reader may do about a captive: a game master, a captor, or whose character it is."""
    held, leads = status.captivity, reader.leads(campaign)
    if held is None or campaign.archived_at is not None:
        return
    key = {"campaign": campaign.id, "subject": status.id, "newest": held.entry}
    if leads or (status.captor and INTERROGATION in campaign.players_may):
        yield ui.Button(label="Interrogate", custom_id=INTERROGATE.fill(**key))
    if status.captor:
        return
    if status.ordered is not None and not leads:
        order = {"campaign": campaign.id, "subject": status.id, "number": status.ordered}
        yield ui.Button(label="Cancel the escape", custom_id=WITHDRAW.fill(**order))
    elif not held.in_person:  # the fight's book has its own escape
        yield ui.Button(label="Escape", custom_id=BREAK_OUT.fill(**key))
    if leads:
        yield ui.Button(label="Move", custom_id=MOVE.fill(**key))
        yield ui.Button(label="Release", custom_id=RELEASE.fill(**key))


def again(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[Any]]:
    """Yield the button that interrogates a captive again, as far as the person is told that this is one still."""
    body = entry.content()
    if body["family"] != INTERROGATION:
        return
    told = (part for part in body["parts"] if person.leads(campaign) or part["audience"] == "results")
    if not any(item["do"] in FREE for part in told for item in part["consequences"]):
        yield ui.Button(label="Interrogate again", custom_id=AGAIN.fill(campaign=campaign.id, entry=entry.number))
