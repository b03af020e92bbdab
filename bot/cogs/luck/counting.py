"""Faces of visible rolls, counted by die, and what the counts mean."""

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

_AT_ONCE = 500


class LuckFilter(Struct, frozen=True):
    """Which rolls count: by user id, unit, family, and at most `weeks` old; None counts all."""

    user_id: int | None = None
    unit: str | None = None
    family: str | None = None
    weeks: int | None = None


class Count(Struct):
    """Counted faces by a die's number of sides; `since` is the oldest roll's time.

    `typed` faces were typed by people and don't count; `cut` says that older rolls were left out.
    """

    faces: dict[int, dict[int, int]] = field(default_factory=dict)
    rolls: int = 0
    since: datetime | None = None
    typed: int = 0
    cut: bool = False

    def kinds(self) -> list[tuple[int, list[int]]]:
        """Return pairs of sides and counts from face 1 up, most rolled dice first."""
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
    """Count the faces of rolls that a person may see.

    Each die counts once: not again if parts share it or an amendment keeps it. Undone rolls count too, since their dice fell.
    """
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    allowed, found = audience_filter(tx, person, campaign, mine), Count()
    for place, row in enumerate(_read_rolls(tx, person, campaign, wanted, allowed)):
        if place == MOST:
            found.cut = True
            break
        if _count_roll(found, _BODY.decode(row.body), row.audience, wanted, leads=person.leads(campaign)):
            found.rolls, found.since = found.rolls + 1, row.at
    return found


def _read_rolls(
    tx: Connection, person: Person, campaign: Campaign, wanted: LuckFilter, allowed: AudienceFilter
) -> Iterator[Any]:
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


def _count_roll(found: Count, body: _RollBody, audience: str, wanted: LuckFilter, *, leads: bool) -> bool:
    if wanted.family is not None and name_key(wanted.family) not in {body["family"], name_key(body["title"])}:
        return False
    parts = [part for part in body["parts"] if (leads or _is_shown(part, audience)) and _is_named(part, wanted.unit)]
    return sum([_count_part(found, part) for part in parts]) > 0


def _is_shown(part: _Part, audience: str) -> bool:
    return not part["secret"] and (audience in {"results", "maker"} or is_shared(part))


def _is_named(part: _Part, unit: str | None) -> bool:
    if unit is None:
        return True
    return any(name_key(name) == name_key(unit) for names in part["subjects"].values() for name in names_of(names))


def _count_part(found: Count, part: _Part) -> int:
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

CERTAIN, UNUSUAL, RARE = 0.995, 0.05, 0.01
COUNTED = "-# Counts every die that you can see, including weather and undone rolls. Leaves out dice typed by hand."
MANY = "-# With 20 counts like this, one looks unusual by pure chance."


def describe_count(found: Count) -> Iterator[str]:
    """Yield what was counted, how it fits, and what that means."""
    kinds = found.kinds()
    thrown = sum(sum(counts) for _, counts in kinds)
    yield f"{thrown:,} {'die' if thrown == 1 else 'dice'} of {found.rolls:,} roll{'s' if found.rolls != 1 else ''}."
    if found.cut:
        yield f"Only the newest {MOST:,} rolls count. Use `weeks` for a shorter time."
    for sides, counts in kinds[:KINDS]:
        yield ""
        yield f"**d{sides}**, rolled {_show_times(sum(counts))}: mean {mean(counts):.2f}, expected {(sides + 1) / 2:g}"
        yield ", ".join(_list_faces(counts))
        yield describe_fit(fit_to_fair(counts), sides)
    if kinds[KINDS:]:
        yield ""
        yield f"Also rolled: {', '.join(f'd{sides} {_show_times(sum(counts))}' for sides, counts in kinds[KINDS:])}."
    yield ""
    if found.typed:
        yield f"{found.typed:,} face{' was' if found.typed == 1 else 's were'} typed by hand and not counted."
    yield MANY
    yield COUNTED


def mean(counts: Sequence[int]) -> float:
    """Return the mean face of at least one."""
    return sum(face * seen for face, seen in enumerate(counts, 1)) / sum(counts)


def describe_fit(found: FairnessFit | None, sides: int) -> str:
    """Return what a chi-square test means in words; None means too few rolls of this die."""
    if found is None:
        needed = -(-LEAST_EXPECTED * sides // (sides // 2))  # for two groups of faces
        return f"Too few rolls to judge: a d{sides} needs at least {needed}."
    several = "" if found.freedom == 1 else f", {found.freedom} degrees of freedom"
    verdict = "Unusual: only" if found.chance < UNUSUAL else "Looks normal:"
    line = f"{verdict} {_show_share(found.chance)} fair campaigns are at least this uneven"
    line += f" (chi-square {found.statistic:.1f}{several})."
    return line if found.grouped == 1 else f"{line} Few rolls: {found.grouped} neighbouring faces count together."


def _show_times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _show_share(chance: float) -> str:
    if chance > CERTAIN:
        return "nearly all"
    if chance >= RARE:
        return f"{round(100 * chance)}% of"
    return f"{100 * chance:.2f}% of" if chance >= RARE / 100 else "less than 0.01% of"


def _list_faces(counts: Sequence[int]) -> Iterator[str]:
    size = -(-len(counts) // 20)
    for start in range(0, len(counts), size):
        last = min(start + size, len(counts))
        yield f"{start + 1 if last == start + 1 else f'{start + 1}-{last}'}: {sum(counts[start:last])}"
