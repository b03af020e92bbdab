"""What of a turn waits for the answers of others."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.rolls.pending import store
from rules.books.roe.allowances import ACTOR
from rules.scenes import Slot

_BOOK, _ACTS = "roe", "turn."


def what_waits(tx: Connection, campaign_id: int, number: Slot | None) -> str | None:
    """Return what of the turn of a fighter (number) waits for answers, as a sentence; None where nothing does."""
    for item in store.still_open(tx, campaign_id):
        request = item.request
        in_turn = request.book == _BOOK and request.family.startswith(_ACTS)
        if in_turn and request.parts[0].ids.get(ACTOR) == (number,):
            return f"{item.words.name}'s {item.words.noun} is waiting for answers."
    return None
