"""What game masters set in a war, and what they rule where the page leaves it open, each with its reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK, RunningWar, on
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.rolls.request import PartRequest, RollCommand
from bot.ui.text import plain, within
from rules.books.total_war.actors import require_going
from rules.books.total_war.order_kinds import MARK, RULE
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
    """Return what is set or ruled."""
    seen = _war(channels, tx, library, person)
    part = PartRequest(subjects={"war": seen.name}, inputs={"what": asked.what, "to": asked.to or asked.marks})
    family = (BOOK, asked.family)
    return RollCommand(channels, family, [part], note=asked.note, campaign=seen.campaign.id, scene=seen.subject)


def doubts(
    asked: Typed, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> tuple[str, ...]:
    """Return what a ruling would do that is asked about first."""
    seen = _war(channels, tx, library, person)
    return tuple(hard_to_bear(seen.rules, seen.war, asked.marks)) if asked.family == RULE else ()


def all_of_it(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield in markdown all that something that was set or ruled has brought: the outcome is its first line alone."""
    lines: Sequence[str] = [step["text"] for part in body["parts"] for step in part["steps"]]
    yield from within(ROOM, [plain(line) for line in lines])


def _war(channels: tuple[int, ...], tx: Connection, library: Library, person: Person) -> RunningWar:
    campaign = locate(tx, person.guild_id, channels)
    require_game_master(person, campaign, "change a war")
    seen = on(tx, library, person, campaign)
    require_going(seen.war)
    return seen
