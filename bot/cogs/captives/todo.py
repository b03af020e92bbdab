"""Captives on the desk of the week: escapes that are declared, who is held, and whom the update has freed or killed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discord import ui
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.cogs.captives.buttons import PICK, ROLL_DECLARED, withdraw_button
from bot.cogs.captives.queries import CaptiveStatus
from bot.core.campaigns import Campaign, update_entry
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.ui.parsing import MAX_CHOICES
from bot.ui.receipt import picker
from bot.ui.text import DOT, plain
from bot.ui.todo import FEW, Item, Todo, few
from rules.ends import Moment

BULLET = "\N{BULLET}"


def about_captives(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield who is held, what has befallen whom in this update and who means to escape: for players of their own, and whom their side holds."""
    campaign, leads = viewer.campaign, viewer.person.leads(viewer.campaign)
    known = queries.known_to(tx, viewer)
    waiting = [item for item in known if item.declared is not None]
    if waiting:
        lines = few(map(_line, waiting), len(waiting), "/escape")
        rows = [[_roll_button(campaign, waiting)]] if leads else list(_withdraw_buttons(tx, viewer, waiting))
        yield Todo("Declared escapes", [*lines, *([] if leads else ["A game master rolls them."])], rows)
    begun = update_entry(tx, campaign.id)
    befallen = [item for item in known if item.captivity or _newest(item) > begun]
    if not leads:
        befallen = [item for item in befallen if item.declared is None]
    if befallen:
        lines = few(map(_line, befallen), len(befallen), "/captive list" if leads else "/captive show")
        able = queries.owned_by(tx, viewer, befallen)
        acting = "Interrogate, move, release ..." if leads else "Try to escape ..."
        yield Todo("Captives", lines, list(_select(campaign, able, acting)))


def declared_escapes(tx: Connection, campaign: Campaign, moment: Moment) -> Iterator[tuple[str, str, bool]]:
    """Yield whose escape is declared and ends with the update when nobody rolls it before."""
    for item in queries.declared(tx, campaign.id, moment):
        yield item.name, "declared escape, not rolled", True


def _select(campaign: Campaign, captives: Sequence[CaptiveStatus], acting: str) -> Iterator[list[Item]]:
    """Yield the row in which one of those who are held is picked, to do something about."""
    held = [
        (str(item.id), item.name, f"held by {at.by.name} at {at.at.name}")
        for item in captives
        if (at := item.captivity)
    ]
    for select in picker(PICK.fill(campaign=campaign.id, _place=0), acting, held[:MAX_CHOICES]):
        yield [select]


def _roll_button(campaign: Campaign, waiting: Sequence[CaptiveStatus]) -> ui.Button[ui.LayoutView]:
    key = ROLL_DECLARED.fill(campaign=campaign.id, entry=max(item.declared or 0 for item in waiting))
    return ui.Button(label="Roll the declared escapes", custom_id=key)


def _withdraw_buttons(tx: Connection, viewer: Viewer, waiting: Sequence[CaptiveStatus]) -> Iterator[list[Item]]:
    """Yield the row in which a player takes the first of the declared escapes back."""
    mine = queries.declared_by(tx, viewer, waiting)
    row: list[Item] = [
        withdraw_button(viewer.campaign.id, number, names if len(mine) > 1 else ()) for number, names in mine.items()
    ]
    if row:
        yield row[:FEW]


def _newest(status: CaptiveStatus) -> int:
    """Return the newest entry that has captured, moved, cracked, freed or killed somebody."""
    held = status.captivity.entry if status.captivity else 0
    fate = status.fate["entry"] if status.fate else 0
    return max(held, fate, status.cracked or 0)


def _line(status: CaptiveStatus) -> str:
    held, fate = status.captivity, status.fate
    where = f"held by {plain(held.by.name)} at {plain(held.at.name)}" if held else fate["fate"] if fate else "free"
    words = [where, *(["cracked"] if status.cracked else [])]
    return f"{BULLET} **{plain(status.name)}**{DOT}{DOT.join(words)}"
