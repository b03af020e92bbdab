"""Open roll cards and waiting rolls, on the desk and in lists."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count

from discord import ui
from sqlalchemy import Connection

from bot.core import campaigns, library, records
from bot.core.visibility import Viewer
from bot.rolls.card import layout, service, store
from bot.rolls.pending import messages, panel
from bot.rolls.pending.service import PendingRoll, find_waiting
from bot.rolls.request import RollRequest
from bot.ui import receipt, text
from rules.phrases import lower_first


def open_cards(tx: Connection, _library: library.Library, viewer: Viewer) -> Iterator[receipt.Todo]:
    """Yield one item with the cards that the viewer may use."""
    found = service.list_open(tx, viewer.person, viewer.campaign)
    if found:
        others = [card for card, _ in found if card.owner_id != viewer.person.user_id]
        waiting = f"{len(found)} {'waits' if len(found) == 1 else 'wait'} for a roll"
        line = f"{waiting}, {len(others)} of them by other players." if others else f"{waiting}."
        # those of orders are refused in the next update: what stays undone are the orders
        later = [f"{request.noun} {_names_on(request)[0]}" for _, request in found if request.task is None]
        undone = (
            f"{receipt.tally(len(later), 'open card{s}', later)}. If you roll later, it counts in the next update"
            if later
            else ""
        )
        rows: list[list[receipt.Item]] = [[*card_picker(viewer.campaign, found, partial(_describe_owner, viewer))]]
        own = [card for card, _ in found if card not in others]
        if len(own) > 1:
            key = layout.DISCARD.fill(campaign=viewer.campaign.id, card=own[0].id)
            rows.append([ui.Button(label=f"Discard all {len(own)} of yours", custom_id=key)])
        yield receipt.Todo("Open cards", [line], rows, undone=undone)


def _names_on(request: RollRequest) -> list[str]:
    subjects = dict.fromkeys(name for part in request.parts for name in part.subjects.values())
    names: list[str] = records.insert_names(list(subjects), request.people)
    return names


def _describe_owner(viewer: Viewer, owner_id: int) -> str:
    return "yours" if owner_id == viewer.person.user_id else "another player's"


def card_picker(
    campaign: campaigns.Campaign, found: Sequence[tuple[store.Card, RollRequest]], whose: Callable[[int], str]
) -> Iterator[ui.Select[ui.LayoutView]]:
    """Yield a select that reopens cards. `whose` describes an owner (user id)."""
    shown = []
    for card, request in found:
        amends = f", amends #{request.amends.number}" if request.amends else ", ordered" if request.task else ""
        opened = text.to_local(card.opened_at, campaign.timezone)
        label = f"{request.noun}: {', '.join(_names_on(request))}"
        shown.append((card.id, label, f"{whose(card.owner_id)}{amends}, opened {opened}"))
    return receipt.picker(layout.OPEN.fill(campaign=campaign.id), "Open a card again", shown)


def open_answers(tx: Connection, _library: library.Library, viewer: Viewer) -> Iterator[receipt.Todo]:
    """Yield one item with rolls that wait for or by the viewer, or all for game masters."""
    found = find_waiting(tx, viewer.person, viewer.campaign)
    if found:
        title = panel.name_kind(found)
        lines = receipt.few(map(_describe_pending, count(1), found), len(found), found[0].pending.words.listed)
        undone = receipt.tally(len(found), lower_first(title)[:-1] + "{s}", (item.pending.words.name for item in found))
        yield receipt.Todo(title, lines, [[select] for select in panel.selects(found, viewer.person)], undone=undone)


def _describe_pending(place: int, item: PendingRoll) -> str:
    pending = item.pending
    return f"{place}. **{text.plain(pending.words.name)}** to {messages.name_asked(pending, pending.open_places)}, {messages.describe_end(pending)}"
