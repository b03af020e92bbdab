"""What is offered while fighters are typed."""

from __future__ import annotations

from discord.app_commands import Transform
from sqlalchemy import Connection

from bot.cogs.fights import service
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.visibility import viewer_of
from bot.rolls.options import Completed, Completion, completing_last
from bot.ui.reply import person


class CharactersCompleter(Completed):
    """Saved characters who stand in no fight, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        return completing_last(current, await _free(at, current.rpartition(",")[2]))


Characters = Transform[str, CharactersCompleter()]


async def _free(at: Completion, word: str, *, own: bool = False) -> list[str]:
    return await at.desk.database.read(_names, person(at.interaction), at.campaign, word, own)


def _names(tx: Connection, who: Person, campaign: Campaign, word: str, own: bool) -> list[str]:  # noqa: FBT001 - read as it is
    return service.free(tx, viewer_of(tx, who, campaign), word, own=own)
