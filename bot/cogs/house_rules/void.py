"""What stands in the way of taking an entry about house rules back, and what players may roll on again then."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.house_rules.service import tables_on
from bot.core import campaigns, house_files, voiding
from bot.core.campaigns import Campaign, difference, open_campaign
from bot.core.house_files import FILE, FILES, HouseFile
from bot.core.records import Entry
from bot.core.state import State
from bot.errors import NotAsItIs
from bot.rolls.extension import HouseRules
from rules.errors import BookError


def check_void(tx: Connection, library: HouseRules, campaign: Campaign, again: State) -> None:
    """Refuse to bring files back, or to take some away, where the rest would not fit."""
    if not any(subject == FILES for subject, _ in again):
        return
    kept = {name.removeprefix(FILE): value for (subject, name), value in again.items() if subject == FILES}
    others = [file for file in house_files.files(tx, campaign.id) if file.key not in kept]
    back = [HouseFile.of(value) for value in kept.values() if value is not None]
    on = sorted((file for file in (*others, *back) if file.on), key=lambda file: (file.since, file.key))
    try:
        for book in {file.extends for file in on}:
            library.with_files(campaign, book, on, partial(house_files.texts, tx, campaign.id))
    except BookError as error:
        fault = error.faults[0]
        what = f"The house rules wouldn't work together: {fault.file}, line {fault.line}: {fault.what}."
        raise NotAsItIs(what, "Change that file first, with /table edit, or remove it.") from error


def reopen(tx: Connection, campaign: Campaign, entry: Entry) -> Mapping[str, Any]:
    """Open those tables to players again that an entry had closed and that come back, and close those that go with it.

    Return what its void keeps of that.
    """
    files = [change for change in voiding.changes_of(entry) if change.subject == FILES]
    if not files:
        return {}
    back, there = (tables_on(HouseFile.of(value) if value else None) for value in (files[0].before, files[0].after))
    may = entry.content().get("edited", {}).get("players_may", {"before": [], "after": []})
    now = open_campaign(tx, campaign.id)
    kept = [name for name in now.players_may if name not in there - back]
    again = [name for name in may["before"] if name in back and name not in (*may["after"], *kept)]
    after = replace(now, players_may=(*kept, *again))
    if after == now:
        return {}
    campaigns.save(tx, after)
    also = [f"Open to players again: {', '.join(again)}."] if again else []
    return {"edited": difference(now, after), "also": also}
