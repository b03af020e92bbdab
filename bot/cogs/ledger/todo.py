"""Results on the desk of the week that are not public."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core.campaigns import current_update
from bot.core.entries import AudienceFilter
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.rolls.buttons import publish_button
from bot.rolls.of_update import roll_lines, rolls_since
from bot.ui.todo import FEW, Todo, counted, few, tally


def unpublished(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the results of this update and the one before that are not public, newest first, for game masters to publish."""
    campaign = viewer.campaign
    if not viewer.person.leads(campaign):
        return
    private = AudienceFilter(("mixed", "staff"), viewer.mine)
    kept, count = counted(rolls_since(tx, campaign.id, current_update(tx, campaign.id)["number"] - 1, private))
    if kept:
        lines = few(roll_lines(tx, campaign.id, kept[:FEW]), count, "/ledger list")
        buttons = [publish_button(campaign.id, roll.number, f"Publish #{roll.number}") for roll in kept[:FEW]]
        undone = tally(count, "unpublished result{s}", (f"#{roll.number}" for roll in kept))
        yield Todo("Unpublished results", lines, [buttons], undone=undone)
