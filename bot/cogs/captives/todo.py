"""Captives on the desk of the week: who is held, who is ordered to escape, and whom the update has freed or killed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from discord import ui
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.cogs.captives.buttons import PICK, ROLL_ESCAPES
from bot.cogs.captives.queries import CaptiveStatus
from bot.core.campaigns import Campaign, current_update, update_entry
from bot.core.library import Library
from bot.core.permissions import now_of
from bot.core.visibility import Viewer
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker
from bot.ui.text import DOT, plain
from bot.ui.todo import Item, Todo, few

BULLET = "\N{BULLET}"


def about_captives(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield who is held, what has befallen whom in this update and who is to escape: for players of their own, and whom their side holds."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.known_to(tx, viewer)
    trying = {item.id for item in known if item.ordered is not None}
    if leads:
        trying = queries.trying(tx, campaign.id, now_of(tx, viewer.person, campaign))
    begun = update_entry(tx, campaign.id)
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
