"""What is offered while fighters are typed."""

from __future__ import annotations

from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.roe.fights import service
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.subjects import label_each
from bot.core.visibility import viewer_of
from bot.rolls.desk import channels
from bot.rolls.options import Completed, Completion, Completions, completing_last


async def _complete_characters(at: Completion, current: str) -> Completions:
    """Complete the last of several characters who aren't in a fight."""
    return completing_last(current, await _free(at, current.rpartition(",")[2]))


async def _complete_own_character(at: Completion, current: str) -> Completions:
    """Offer characters who aren't in a fight; players see only their own."""
    return [(name, name) for name in await _free(at, current, own=True)]


async def _complete_fighters(at: Completion, current: str) -> Completions:
    """Complete the last of several fighters in the channel's fight."""
    asked = (at.person, at.campaign.id, None, channels(at.interaction))
    seen = await at.desk.database.read(service.show, at.desk.resolver.library, *asked)
    return completing_last(current, label_each(seen.shown.roster))


OwnCharacter = Annotated[str, Completed(_complete_own_character)]
Fighters = Annotated[str, Completed(_complete_fighters)]
Characters = Annotated[str, Completed(_complete_characters)]


async def _free(at: Completion, word: str, *, own: bool = False) -> list[str]:
    return await at.read(_names, word, own)


def _names(tx: Connection, who: Person, campaign: Campaign, word: str, own: bool) -> list[str]:  # noqa: FBT001 - read as it is
    return service.free(tx, viewer_of(tx, who, campaign), word, own=own)
