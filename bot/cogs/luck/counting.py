"""The faces of rolls, counted by kind of die, as far as somebody may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NotRequired, TypedDict

import sqlalchemy as sa
from msgspec import Struct, field
from msgspec.json import Decoder
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.entries import AudienceFilter
from bot.core.permissions import Person, audience_filter
from bot.core.schema import entry
from bot.rolls.entries import ROLL
from bot.rolls.entry_body import is_shared
from rules.dice import BY_HAND, KEPT, SHARED, term_of
from rules.subjects import name_key, names_of

MOST = 20_000
"""How many rolls are read at most, the newest ones."""

_AT_ONCE = 500


class Wanted(Struct, frozen=True):
    """Whose rolls (user id), of whom in them, of which family, and since when; None is all of them."""

    user_id: int | None = None
    unit: str | None = None
    family: str | None = None
    weeks: int | None = None


class Count(Struct):
    """The faces that were counted: by sides and face how often; of `rolls` rolls, the first at a time.

    `typed` counts faces that people typed in, which are none of the dice's; `cut` tells that there are older rolls.
    """

    faces: dict[int, dict[int, int]] = field(default_factory=dict)
    rolls: int = 0
    since: datetime | None = None
    typed: int = 0
    cut: bool = False

    def kinds(self) -> list[tuple[int, list[int]]]:
        """Return sides and counts by face of each kind of die, the most thrown first."""
        found = [(sides, [seen.get(face, 0) for face in range(1, sides + 1)]) for sides, seen in self.faces.items()]
        return sorted(found, key=lambda kind: (-sum(kind[1]), kind[0]))

    def add(self, sides: int, face: int) -> None:
        """Count a face."""
        seen = self.faces.setdefault(sides, {})
        seen[face] = seen.get(face, 0) + 1


class _Dice(TypedDict, total=False):
    die: str
    faces: list[int]
    drawn: str


class _Step(_Dice, total=False):
    dice: list[_Dice]


class _Part(TypedDict):
    audience: str
    secret: bool
    steps: list[_Step]
    subjects: Mapping[str, str]
    unused: NotRequired[list[_Dice]]


class _Body(TypedDict):
    family: str
    title: str
    parts: list[_Part]


_BODY = Decoder(_Body)


def count(tx: Connection, person: Person, campaign: Campaign, wanted: Wanted) -> Count:
    """Return the faces of the rolls that a person may see, as far as they are wanted.

    Each die counts once, where it fell: not again where it was shared by several parts or kept by an amendment. Rolls that
    were taken back count, for their dice have fallen; faces that people typed in do not.
    """
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    allowed, found = audience_filter(tx, person, campaign, mine), Count()
    for place, row in enumerate(_rows(tx, person, campaign, wanted, allowed)):
        if place == MOST:
            found.cut = True
            break
        if _counts(found, _BODY.decode(row.body), row.audience, wanted, leads=person.leads(campaign)):
            found.rolls, found.since = found.rolls + 1, row.at
    return found


def _rows(tx: Connection, person: Person, campaign: Campaign, wanted: Wanted, allowed: AudienceFilter) -> Iterator[Any]:
    """Yield the rolls that pass the filter, newest first."""
    query = sa.select(entry.c.at, entry.c.audience, entry.c.body).where(
        entry.c.campaign_id == campaign.id, entry.c.kind == ROLL.name, sa.or_(*allowed.clauses())
    )
    if wanted.user_id is not None:
        query = query.where(entry.c.actor == (entries.pseudonym_of(tx, campaign.id, wanted.user_id) or ""))
    if wanted.weeks is not None:
        query = query.where(entry.c.at >= person.at - timedelta(weeks=wanted.weeks))
    query = query.order_by(entry.c.number.desc()).limit(MOST + 1).execution_options(yield_per=_AT_ONCE)
    with tx.execute(query) as rows:
        yield from rows


def _counts(found: Count, body: _Body, audience: str, wanted: Wanted, *, leads: bool) -> bool:
    """Count the dice of a roll; return whether any was."""
    if wanted.family is not None and name_key(wanted.family) not in {body["family"], name_key(body["title"])}:
        return False
    parts = [part for part in body["parts"] if (leads or _shows(part, audience)) and _names(part, wanted.unit)]
    return sum([_count_part(found, part) for part in parts]) > 0


def _shows(part: _Part, audience: str) -> bool:
    """Tell whether a player who may know of a roll sees the dice of one of its parts: those that are told, and hide nothing."""
    return not part["secret"] and (audience in {"results", "maker"} or is_shared(part))


def _names(part: _Part, unit: str | None) -> bool:
    """Tell whether somebody of this name stands in a part."""
    if unit is None:
        return True
    return any(name_key(name) == name_key(unit) for names in part["subjects"].values() for name in names_of(names))


def _count_part(found: Count, part: _Part) -> int:
    """Count the dice of a part that fell there by themselves; return how many."""
    counted = 0
    for roll in (*(roll for step in part["steps"] for roll in step.get("dice", [step])), *part.get("unused", ())):
        sources = roll.get("drawn", "").split(" and ")
        if BY_HAND in sources:
            found.typed += len(roll["faces"])
        elif KEPT not in sources and SHARED not in sources:
            counted += len(roll["faces"])
            for face in roll["faces"]:
                found.add(term_of(roll["die"]).sides, face)
    return counted
