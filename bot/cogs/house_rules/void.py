"""What stands in the way of taking an entry about house rules back."""

from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from bot.core import house_files
from bot.core.campaigns import Campaign
from bot.core.house_files import FILES, HouseFile
from bot.core.state import State
from bot.errors import NotAsItIs
from bot.rolls.extension import HouseRules
from rules.errors import BookError


def check_void(tx: Connection, library: HouseRules, campaign: Campaign, again: State) -> None:
    """Refuse to bring files back, or to take some away, where the rest would not fit.

    Raises:
        NotOpen: it would not.

    """
    if not any(subject == FILES for subject, _ in again):
        return
    kept = {name: value for (subject, name), value in again.items() if subject == FILES}
    others = [file for file in house_files.files(tx, campaign.id) if file.key not in kept]
    back = [HouseFile.of(value) for value in kept.values() if value is not None]
    on = sorted((file for file in (*others, *back) if file.on), key=lambda file: (file.since, file.key))
    try:
        for book in {file.extends for file in on}:
            library.with_files(campaign, book, on, partial(house_files.texts, tx, campaign.id))
    except BookError as error:
        fault = error.faults[0]
        what = f"The house rules would not fit together: {fault.file}, line {fault.line}: {fault.what}."
        raise NotAsItIs(what, "Change that file first, with /table edit, or remove it.") from error
