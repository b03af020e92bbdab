"""Open roll cards, to be opened again from a list or the desk of the week."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from discord import ui
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.records import insert_names
from bot.core.visibility import Viewer
from bot.rolls.card import layout
from bot.rolls.card.service import still_open
from bot.rolls.card.store import Card
from bot.rolls.request import RollRequest
from bot.ui.receipt import picker
from bot.ui.text import local
from bot.ui.todo import Item, Todo, tally


def open_cards(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the cards that the viewer may use, for the desk of the week."""
    found = still_open(tx, viewer.person, viewer.campaign)
    if found:
        others = [card for card, _ in found if card.owner_id != viewer.person.user_id]
        count = f"{len(found)} {'waits' if len(found) == 1 else 'wait'} for a roll"
        line = f"{count}, {len(others)} of them by other players." if others else f"{count}."
        # those of orders are refused in the next update: what stays undone are the orders
        later = [_about(request) for _, request in found if request.task is None]
        undone = (
            f"{tally(len(later), 'open card{s}', later)}. If you roll later, it counts in the next update"
            if later
            else ""
        )
        rows: list[list[Item]] = [[*card_picker(viewer.campaign, found, partial(_whose, viewer))]]
        own = [card for card, _ in found if card not in others]
        if len(own) > 1:
            key = layout.DISCARD.fill(campaign=viewer.campaign.id, card=own[0].id)
            rows.append([ui.Button(label=f"Discard all {len(own)} of yours", custom_id=key)])
        yield Todo("Open cards", [line], rows, undone=undone)


def _about(request: RollRequest) -> str:
    """Return in short what a card is about: its roll, and whom it begins with."""
    return f"{request.noun} {_names(request)[0]}"


def _names(request: RollRequest) -> list[str]:
    subjects = dict.fromkeys(name for part in request.parts for name in part.subjects.values())
    names: list[str] = insert_names(list(subjects), request.people)
    return names


def _whose(viewer: Viewer, owner_id: int) -> str:
    return "yours" if owner_id == viewer.person.user_id else "another player's"


def card_picker(
    campaign: Campaign, found: Sequence[tuple[Card, RollRequest]], whose: Callable[[int], str]
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield the select that opens one of these cards again; `whose` says whose it is, by the owner's user id."""
    shown = []
    for card, request in found:
        amends = f", amends #{request.amends.number}" if request.amends else ", ordered" if request.task else ""
        opened = local(card.opened_at, campaign.timezone)
        label = f"{request.noun}: {', '.join(_names(request))}"
        shown.append((card.id, label, f"{whose(card.owner_id)}{amends}, opened {opened}"))
    return picker(layout.OPEN.fill(campaign=campaign.id), "Open a card again", shown)
