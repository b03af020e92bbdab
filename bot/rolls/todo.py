"""Open roll cards and waiting rolls, on the desk and in lists."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count

from discord import ui
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.records import insert_names
from bot.core.visibility import Viewer
from bot.rolls.card import layout
from bot.rolls.card.service import list_open
from bot.rolls.card.store import Card
from bot.rolls.pending.messages import describe_end, name_asked
from bot.rolls.pending.panel import name_kind, selects
from bot.rolls.pending.service import PendingRoll, find_waiting
from bot.rolls.request import RollRequest
from bot.ui.receipt import picker
from bot.ui.text import plain, to_local
from bot.ui.todo import Item, Todo, few, tally
from rules.phrases import lower_first


def open_cards(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield one item with the cards that the viewer may use."""
    found = list_open(tx, viewer.person, viewer.campaign)
    if found:
        others = [card for card, _ in found if card.owner_id != viewer.person.user_id]
        waiting = f"{len(found)} {'waits' if len(found) == 1 else 'wait'} for a roll"
        line = f"{waiting}, {len(others)} of them by other players." if others else f"{waiting}."
        # those of orders are refused in the next update: what stays undone are the orders
        later = [f"{request.noun} {_names_on(request)[0]}" for _, request in found if request.task is None]
        undone = (
            f"{tally(len(later), 'open card{s}', later)}. If you roll later, it counts in the next update"
            if later
            else ""
        )
        rows: list[list[Item]] = [[*card_picker(viewer.campaign, found, partial(_describe_owner, viewer))]]
        own = [card for card, _ in found if card not in others]
        if len(own) > 1:
            key = layout.DISCARD.fill(campaign=viewer.campaign.id, card=own[0].id)
            rows.append([ui.Button(label=f"Discard all {len(own)} of yours", custom_id=key)])
        yield Todo("Open cards", [line], rows, undone=undone)


def _names_on(request: RollRequest) -> list[str]:
    subjects = dict.fromkeys(name for part in request.parts for name in part.subjects.values())
    names: list[str] = insert_names(list(subjects), request.people)
    return names


def _describe_owner(viewer: Viewer, owner_id: int) -> str:
    return "yours" if owner_id == viewer.person.user_id else "another player's"


def card_picker(
    campaign: Campaign, found: Sequence[tuple[Card, RollRequest]], whose: Callable[[int], str]
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield a select that reopens cards. `whose` describes an owner (user id)."""
    shown = []
    for card, request in found:
        amends = f", amends #{request.amends.number}" if request.amends else ", ordered" if request.task else ""
        opened = to_local(card.opened_at, campaign.timezone)
        label = f"{request.noun}: {', '.join(_names_on(request))}"
        shown.append((card.id, label, f"{whose(card.owner_id)}{amends}, opened {opened}"))
    return picker(layout.OPEN.fill(campaign=campaign.id), "Open a card again", shown)


def open_answers(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield one item with rolls that wait for or by the viewer, or all for game masters."""
    found = find_waiting(tx, viewer.person, viewer.campaign)
    if found:
        title = name_kind(found)
        lines = few(map(_describe_pending, count(1), found), len(found), found[0].pending.words.listed)
        undone = tally(len(found), lower_first(title)[:-1] + "{s}", (item.pending.words.name for item in found))
        yield Todo(title, lines, [[select] for select in selects(found, viewer.person)], undone=undone)


def _describe_pending(place: int, item: PendingRoll) -> str:
    pending = item.pending
    return f"{place}. **{plain(pending.words.name)}** to {name_asked(pending, pending.open_places)}, {describe_end(pending)}"
