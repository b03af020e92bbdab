"""What game masters set in a war, and what they rule where the page leaves it open, each with its reason."""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK, on
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.rolls.request import PartRequest, RollCommand
from rules.books.total_war.order_kinds import MARK


class Typed(Struct, frozen=True):
    """What a game master has typed: the family, the reason or the ruling itself (`note`), and what is set to what."""

    family: str
    note: str
    what: str = ""
    to: str = ""


def command_of(
    asked: Typed, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return what is set or ruled.

    Raises:
        NotAllowed: the person is no game master.
        NotOpen: no war is on.

    """
    campaign = locate(tx, person.guild_id, channels)
    require_game_master(person, campaign, "set and rule what is so in a war")
    seen = on(tx, library, person, campaign)
    to = asked.to or "; ".join(found[0] for found in MARK.finditer(asked.note))
    part = PartRequest(subjects={"war": seen.name}, inputs={"what": asked.what, "to": to})
    family = (BOOK, asked.family)
    return RollCommand(channels, family, [part], note=asked.note, campaign=campaign.id, scene=seen.subject)
