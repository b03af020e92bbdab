"""The faces of rolls, counted by kind of die as far as somebody may see them, and what the counts mean in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from rules.odds import LEAST_EXPECTED, FairnessFit, fit_to_fair
from rules.subjects import name_key, names_of

MOST = 20_000
"""How many rolls are read at most, the newest ones."""

_AT_ONCE = 500


class LuckFilter(Struct, frozen=True):
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


class _RollBody(TypedDict):
    family: str
    title: str
    parts: list[_Part]


_BODY = Decoder(_RollBody)


def count(tx: Connection, person: Person, campaign: Campaign, wanted: LuckFilter) -> Count:
    """Return the faces of the rolls that a person may see, as far as they are wanted.

    Each die counts once, where it fell: not again where it was shared by several parts or kept by an amendment. Rolls that
    were taken back count, for their dice have fallen; faces that people typed in do not.
    """
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    allowed, found = audience_filter(tx, person, campaign, mine), Count()
    for place, row in enumerate(_rows(tx, person, campaign, wanted, allowed)):
        if place == MOST:
            found.cut = True
            break
        if _counts(found, _BODY.decode(row.body), row.audience, wanted, leads=person.leads(campaign)):
            found.rolls, found.since = found.rolls + 1, row.at
    return found


def _rows(
    tx: Connection, person: Person, campaign: Campaign, wanted: LuckFilter, allowed: AudienceFilter
) -> Iterator[Any]:
    """Yield the rolls that pass the filter, newest first."""
    query = sa.select(entry.c.at, entry.c.audience, entry.c.body).where(
        entry.c.campaign_id == campaign.id, entry.c.kind == ROLL.name, sa.or_(*allowed.clauses())
    )
    if wanted.user_id is not None:
        query = query.where(entry.c.actor == (entries.find_pseudonym(tx, campaign.id, wanted.user_id) or ""))
    if wanted.weeks is not None:
        query = query.where(entry.c.at >= person.at - timedelta(weeks=wanted.weeks))
    query = query.order_by(entry.c.number.desc()).limit(MOST + 1).execution_options(yield_per=_AT_ONCE)
    with tx.execute(query) as rows:
        yield from rows


def _counts(found: Count, body: _RollBody, audience: str, wanted: LuckFilter, *, leads: bool) -> bool:
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


KINDS = 3
"""How many kinds of dice are shown with their faces; of others there is a line."""

CERTAIN, UNUSUAL, RARE = 0.995, 0.05, 0.01
COUNTED = "-# Counts every die that you can see, including weather and undone rolls. Leaves out dice typed by hand."
MANY = "-# With 20 counts like this, one looks unusual by pure chance."


def lines(found: Count) -> Iterator[str]:
    """Yield what was counted and how it fits, by kind of die, and what that means."""
    kinds = found.kinds()
    thrown = sum(sum(counts) for _, counts in kinds)
    yield f"{thrown:,} {'die' if thrown == 1 else 'dice'} of {found.rolls:,} roll{'s' if found.rolls != 1 else ''}."
    if found.cut:
        yield f"Only the newest {MOST:,} rolls count. Use `weeks` for a shorter time."
    for sides, counts in kinds[:KINDS]:
        yield ""
        yield f"**d{sides}**, rolled {_times(sum(counts))}: mean {mean(counts):.2f}, expected {(sides + 1) / 2:g}"
        yield ", ".join(_faces(counts))
        yield describe_fit(fit_to_fair(counts), sides)
    if kinds[KINDS:]:
        yield ""
        yield f"Also rolled: {', '.join(f'd{sides} {_times(sum(counts))}' for sides, counts in kinds[KINDS:])}."
    yield ""
    if found.typed:
        yield f"{found.typed:,} face{' was' if found.typed == 1 else 's were'} typed by hand and not counted."
    yield MANY
    yield COUNTED


def mean(counts: Sequence[int]) -> float:
    """Return the mean face; there is one at least."""
    return sum(face * seen for face, seen in enumerate(counts, 1)) / sum(counts)


def describe_fit(found: FairnessFit | None, sides: int) -> str:
    """Return what a chi-square means in one sentence, with a warning after few rolls."""
    if found is None:
        needed = -(-LEAST_EXPECTED * sides // (sides // 2))  # for two groups of faces
        return f"Too few rolls to judge: a d{sides} needs at least {needed}."
    several = "" if found.freedom == 1 else f", {found.freedom} degrees of freedom"
    verdict = (
        f"Unusual: only {_share(found.chance)}" if found.chance < UNUSUAL else f"Looks normal: {_share(found.chance)}"
    )
    said = f"{verdict} fair campaigns are at least this uneven (chi-square {found.statistic:.1f}{several})."
    return said if found.grouped == 1 else f"{said} Few rolls: {found.grouped} neighbouring faces count together."


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _share(chance: float) -> str:
    if chance > CERTAIN:
        return "nearly all"
    if chance >= RARE:
        return f"{round(100 * chance)}% of"
    return f"{100 * chance:.2f}% of" if chance >= RARE / 100 else "less than 0.01% of"


def _faces(counts: Sequence[int]) -> Iterator[str]:
    """Yield how often each face fell; of many faces, those that share a bar together."""
    size = -(-len(counts) // 20)
    for start in range(0, len(counts), size):
        last = min(start + size, len(counts))
        yield f"{start + 1 if last == start + 1 else f'{start + 1}-{last}'}: {sum(counts[start:last])}"
