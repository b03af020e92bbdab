"""What game masters set in a war, and what they rule where the page leaves it open, each with its reason."""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK, on
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.rolls.request import PartRequest, RollCommand


class Typed(Struct, frozen=True):
    """What a game master has typed: the family, what is set and to what, or what a ruling removes; and why, or the ruling itself."""

    family: str
    what: str
    to: str
    note: str


def command_of(
    asked: Typed, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return what is set or ruled.

    Raises:
        NotOpen: no war is on.

    """
    campaign = locate(tx, person.guild_id, channels)
    seen = on(tx, library, person, campaign)
    part = PartRequest(subjects={"war": seen.name}, inputs={"what": asked.what, "to": asked.to})
    family = (BOOK, asked.family)
    return RollCommand(channels, family, [part], note=asked.note, campaign=campaign.id, scene=seen.subject)
