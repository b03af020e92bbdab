"""Results on the desk of the week that aren't public, and those that were taken back."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import entries, voiding
from bot.core.campaigns import current_update, update_entry
from bot.core.entries import AudienceFilter
from bot.core.entry_kinds import Mark
from bot.core.library import Library
from bot.core.records import Entry
from bot.core.visibility import Viewer
from bot.rolls.buttons import publish_button
from bot.rolls.of_update import roll_lines, rolls_since
from bot.ui.todo import FEW, Todo, counted, few, tally


def on_desk(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what of the ledger is on the desk of the week."""
    yield from unpublished(tx, library, viewer)
    yield from taken_back(tx, viewer)


def taken_back(tx: Connection, viewer: Viewer) -> Iterator[Todo]:
    """Yield the rolls of this update whose outcome the viewer alone was shown, and that another person has taken back since."""
    campaign = viewer.campaign
    if viewer.mine is None:
        return
    own = AudienceFilter((), viewer.mine)
    made = entries.backwards(tx, campaign.id, "roll", own, after=update_entry(tx, campaign.id))
    void = {roll.number: mark for roll in made if (mark := _taken(tx, viewer, roll)) is not None}
    if void:
        lines = [f"Entry #{number} was undone. Its result no longer counts." for number in void]
        yield Todo("Undone", few(lines[:FEW], len(lines), "/ledger list"))


def _taken(tx: Connection, viewer: Viewer, roll: Entry) -> Mark | None:
    """Return by which entry another person has taken back a roll of the viewer; None where nobody has."""
    mark = voiding.voided_by(tx, viewer.campaign.id, roll.number) if roll.actor == viewer.mine else None
    if mark is None or mark.amended:
        return None
    by = entries.without_texts(tx, viewer.campaign.id, [mark.by])[mark.by]
    return None if by.actor == viewer.mine else mark


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
