"""What is pressed about captives: what may be done about each, and captives on the desk of the update."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any, Final

from discord import ui
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.cogs.captives.queries import INTERROGATION, CaptiveStatus
from bot.core.campaigns import Campaign, current_update, find_update_entry
from bot.core.library import Library
from bot.core.permissions import Person, find_now
from bot.core.records import Entry
from bot.core.visibility import Viewer
from bot.orders.ids import WITHDRAW
from bot.ui.components import IdTemplate
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker
from bot.ui.text import DOT, plain
from bot.ui.todo import Item, Todo, few

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


BULLET = "\N{BULLET}"


def about_captives(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield who is held, what has befallen whom in this update and who is to escape: for players of their own, and whom their side holds."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.known_to(tx, viewer)
    trying = {item.id for item in known if item.ordered is not None}
    if leads:
        trying = queries.trying(tx, campaign.id, find_now(tx, viewer.person, campaign))
    begun = find_update_entry(tx, campaign.id)
    befallen = [item for item in known if item.captivity or _newest(item) > begun]
    if befallen:
        shown = (_line(item, trying) for item in befallen)
        lines = few(shown, len(befallen), "/captive list" if leads else "/captive show")
        own = queries.owned_by(tx, viewer, befallen)
        able = [item for item in own if leads or not (item.captivity and item.captivity.in_person)]
        acting = "Interrogate, move, release ..." if leads else "Try to escape ..."
        rows = [[_roll_button(tx, campaign)]] if leads and trying else []
        yield Todo("Captives", lines, [*rows, *_select(campaign, able, acting)])


def _select(campaign: Campaign, captives: Sequence[CaptiveStatus], acting: str) -> Iterator[list[Item]]:
    """Yield the row in which one of those who are held is picked, to do something about."""
    held = [
        (str(item.id), item.name, f"held by {at.by.name} at {at.at.name}")
        for item in captives
        if (at := item.captivity)
    ]
    for select in picker(PICK.fill(campaign=campaign.id, _place=0), acting, held[:MAX_CHOICES]):
        yield [select]


def _roll_button(tx: Connection, campaign: Campaign) -> ui.Button[ui.LayoutView]:
    """Return the button that opens a card for all who are to escape."""
    key = ROLL_ESCAPES.fill(campaign=campaign.id, number=current_update(tx, campaign.id)["number"])
    return ui.Button(label="Roll the escapes", custom_id=key)


def _newest(status: CaptiveStatus) -> int:
    """Return the newest entry that has captured, moved, cracked, freed or killed somebody."""
    held = status.captivity.entry if status.captivity else 0
    fate = status.fate["entry"] if status.fate else 0
    return max(held, fate, status.cracked or 0)


def _line(status: CaptiveStatus, trying: Container[int]) -> str:
    held, fate = status.captivity, status.fate
    where = f"held by {plain(held.by.name)} at {plain(held.at.name)}" if held else fate["fate"] if fate else "free"
    words = [where, *(["cracked"] if status.cracked else []), *(["escape ordered"] if status.id in trying else [])]
    return f"{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"
