"""What game masters set in a war, and what they rule where the page leaves it open, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.joining import JOIN, welcome
from bot.cogs.war.wars import BOOK, RunningWar, on
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.rolls.extension import Afterwards
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Rolled
from bot.ui.reply import AnyInteraction, person
from bot.ui.text import plain, within
from rules.books.total_war.order_kinds import MARK, RULE, SET
from rules.books.total_war.refusal import coded
from rules.books.total_war.settings_read import hard_to_bear

ROOM = 1000
"""Characters of a receipt in which it tells all that was brought; the whole of it stands in the posts."""


class Typed(Struct, frozen=True):
    """What a game master has typed: the family, the reason or the ruling itself (`note`), and what is set to what."""

    family: str
    note: str
    what: str = ""
    to: str = ""

    @property
    def marks(self) -> str:
        """What of a ruling changes the war."""
        return "; ".join(found[0] for found in MARK.finditer(self.note))


def command_of(
    asked: Typed, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return what is set or ruled.

    Raises:
        NotAllowed: the person is no game master.
        NotOpen: no war is on.

    """
    seen = _war(channels, tx, library, person)
    part = PartRequest(subjects={"war": seen.name}, inputs={"what": asked.what, "to": asked.to or asked.marks})
    family = (BOOK, asked.family)
    return RollCommand(channels, family, [part], note=asked.note, campaign=seen.campaign.id, scene=seen.subject)


def doubts(
    asked: Typed, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> tuple[str, ...]:
    """Return what a ruling would do that is asked about first.

    Raises:
        NotAllowed, NotOpen: as `command_of`.
        RollError: it cannot be read, or is not possible.

    """
    seen = _war(channels, tx, library, person)
    with coded():
        return tuple(hard_to_bear(seen.rules, seen.war, asked.marks)) if asked.family == RULE else ()


async def tell_all(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Tell whoever has set or ruled something all that it has brought: the outcome is its first line alone. Who joins is told what comes next."""
    body = rolled.entry.content()
    if (body["book"], body["family"]) == (BOOK, JOIN):
        bot = interaction.client
        seen = await bot.database.read(on, bot.library, person(interaction), rolled.campaign)
        return Afterwards(lines=tuple(welcome(seen, body["parts"][0]["subjects"]["player"])))
    if body["book"] != BOOK or body["family"] not in {SET, RULE}:
        return Afterwards()
    lines: Sequence[str] = [step["text"] for part in body["parts"] for step in part["steps"]]
    return Afterwards(lines=tuple(within(ROOM, [plain(line) for line in lines])))


def _war(channels: tuple[int, ...], tx: Connection, library: Library, person: Person) -> RunningWar:
    campaign = locate(tx, person.guild_id, channels)
    require_game_master(person, campaign, "set and rule what is so in a war")
    return on(tx, library, person, campaign)
