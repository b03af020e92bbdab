"""What a roll that is amended comes to, by the dice that fell, before it is made."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.rolls.amended import KeptOutcome, find_amended
from bot.rolls.entry_body import thrown
from bot.rolls.preview import Preview
from rules.dice import SHARED, ScriptedDice
from rules.engine import resolve
from rules.errors import WrongDice
from rules.procedure import Request


def kept_dice(tx: Connection, campaign: Campaign, preview: Preview) -> KeptOutcome | None:
    """Return the dice of the roll that a roll amends, before it is made; None where it amends none."""
    amended = find_amended(tx, campaign, preview.request)
    if amended is None:
        return None
    faces = tuple(tuple(face for _, face, source in thrown(part) if source != SHARED) for part in amended.body["parts"])
    request = Request(preview.request.family, tuple(item.part for item in preview.parts))
    nothing = ScriptedDice(())
    kept = amended.dice([nothing] * len(request.parts))
    try:
        parts = resolve(request, preview.book, kept).parts
    except WrongDice:
        return KeptOutcome(faces, None)
    return KeptOutcome(faces, tuple(part.conclusion.text if part.conclusion else "not rolled" for part in parts))
