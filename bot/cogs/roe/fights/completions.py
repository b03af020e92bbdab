"""What is offered while fighters are typed."""

from __future__ import annotations

from discord.app_commands import Transform
from sqlalchemy import Connection

from bot.cogs.roe.fights import service
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.subjects import label, twins
from bot.core.visibility import viewer_of
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, completing_last
from bot.ui.reply import person


class CharactersCompleter(Completed):
    """Saved characters who stand in no fight, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        return completing_last(current, await _free(at, current.rpartition(",")[2]))


class OwnCharacterCompleter(Completed):
    """A saved character who stands in no fight: for players one of their own."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return names."""
        return [(name, name) for name in await _free(at, current, own=True)]


class FightersCompleter(Completed):
    """Who stands in the channel's fight, parted by commas: the last of them is completed."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        asked = (person(at.interaction), at.campaign.id, None, channels(at.interaction))
        seen = await at.desk.database.read(service.show, at.desk.resolver.library, *asked)
        several = twins(seen.shown.roster)
        return completing_last(
            current, [label(item) if item.id in several else item.name for item in seen.shown.roster]
        )


OwnCharacter = Transform[str, OwnCharacterCompleter()]
Fighters = Transform[str, FightersCompleter()]
Characters = Transform[str, CharactersCompleter()]


async def _free(at: Completion, word: str, *, own: bool = False) -> list[str]:
    return await at.desk.database.read(_names, person(at.interaction), at.campaign, word, own)


def _names(tx: Connection, who: Person, campaign: Campaign, word: str, own: bool) -> list[str]:  # noqa: FBT001 - read as it is
    return service.free(tx, viewer_of(tx, who, campaign), word, own=own)
