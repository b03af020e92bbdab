"""What deeds change about loot and captivity, which is kept as the campaign's book keeps it (lines 462 to 496)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rules.books.campaign.captivity import CAPTIVE, Captivity, begin_captivity, end_captivity
from rules.books.roe.turns import SINCE
from rules.effects import EFFECT, AppliedConsequence, Change, ConsequenceRule
from rules.ends import Moment, holds

LOOTED = "looted"
"""The name under which it is kept who has looted somebody: `by` (numbers) since a Wound, an entry, and since when as a captive."""
WOUNDED = f"{EFFECT}wounded"
NAMES = frozenset({CAPTIVE, LOOTED, WOUNDED})
"""The names of all values by which these facts are told."""
Values = Mapping[str, Any]
"""What is kept of somebody, by name."""
HANGING: Mapping[str, tuple[str, ...]] = {
    CAPTIVE: (f"{EFFECT}escape-",),
    WOUNDED: (LOOTED,),
    f"{EFFECT}cuffed": (f"{EFFECT}lock-tried",),
}
"""How the names begin of what is nothing without what has begun under a name."""
OVER = tuple(EFFECT + trait for trait in ("cuffed", "lock-tried", "escape-", "hidden-stacks"))
"""How the names begin of what ends with a captivity; what is left of tries to escape ends where one begins, too."""


class RollSubject(NamedTuple):
    """Somebody in a roll, by number, and what is kept of that one."""

    number: int
    kept: Values


def list_facts(
    actor: RollSubject, resister: RollSubject | None, moment: Moment, hours: float, *, led: bool = False
) -> frozenset[str]:
    """Return the facts of loot and captivity of two in a roll; a captive is held for so many `hours` at least.

    Of a Wound that no attack has kept, as in a free-form fight, whoever leads the roll says who landed the final blow.
    """
    found: set[str] = set()
    held = actor.kept.get(CAPTIVE)
    found |= {"actor.prisoner"} if held else set()
    if held is not None and moment.later(held["since"], hours) > moment.hence(0):
        found.add("actor.held-shortly")
    if resister is not None:
        wound, held = find_wound(resister.kept, moment), resister.kept.get(CAPTIVE)
        blow = wound.get("other") if wound else None
        found |= {"actor.victor"} if wound and (blow == actor.number or (blow is None and led)) else set()
        found |= {"actor.looted"} if actor.number in list_looters(resister.kept, moment) else set()
        found |= {"resister.prisoner"} if held else set()
        found |= {"actor.captor"} if held and held["by"] == actor.number else set()
        found |= {"resister.stripped"} if _is_stripped(resister.kept) else set()
    return frozenset(found)


def find_wound(kept: Values, moment: Moment) -> Values | None:
    """Return the Wounded period of somebody that still lasts; None where none does."""
    value: Values | None = kept.get(WOUNDED)
    return value if value is not None and holds(value, moment) else None


def list_looters(kept: Values, moment: Moment) -> tuple[int, ...]:
    """Return who (numbers) has looted, or searched, somebody since they are Wounded."""
    wound, looted = find_wound(kept, moment), kept.get(LOOTED)
    if wound is None or looted is None or looted["wound"] != _find_since(wound):
        return ()
    return tuple(looted["by"])


def _is_stripped(kept: Values) -> bool:
    """Tell whether something has been taken from a captive: in the fight that led to it, or since."""
    held, looted = kept.get(CAPTIVE), kept.get(LOOTED)
    return held is not None and looted is not None and looted.get("captive") == held["since"]


def _find_since(wound: Values) -> int:
    """Return the entry that a Wounded period began with, however often it was prolonged."""
    since: int = wound.get(SINCE, wound["entry"])
    return since


def _search(applied: AppliedConsequence) -> Iterator[Change]:
    """Note who has searched somebody Wounded; a vehicle is not."""
    wound = find_wound(applied.kept, applied.moment)
    if wound is None or applied.other is None:
        return
    taken = applied.consequence.do == "loot"
    before = applied.kept.get(LOOTED) or {}
    by = [*list_looters(applied.kept, applied.moment), applied.other]
    captivity = applied.kept.get(CAPTIVE)
    captive = captivity["since"] if taken and captivity else before.get("captive")
    since = _find_since(wound)
    taken = taken or (before.get("wound") == since and before.get("taken", False))
    noted = {"entry": applied.moment.entry, "wound": since, "by": by, "taken": taken}
    yield applied.name, LOOTED, noted | ({"captive": captive} if captive else {})


def _strip(applied: AppliedConsequence) -> Iterator[Change]:
    """Note that something has been taken from a captive."""
    captivity = applied.kept.get(CAPTIVE)
    if captivity is not None:
        before = applied.kept.get(LOOTED) or {"wound": None, "by": [], "taken": False}
        yield applied.name, LOOTED, {**before, "entry": applied.moment.entry, "captive": captivity["since"]}


def _detain(applied: AppliedConsequence) -> Iterator[Change]:
    """Let somebody be held by the other one in the roll, who is where they are held; what was looted in the fight counts."""
    if applied.other is None:
        return
    yield from _end(applied, HANGING[CAPTIVE])
    now, entry = applied.moment.hence(0), applied.moment.entry
    held = Captivity(by=applied.other, at=applied.other, since=now, entry=entry)
    yield from begin_captivity(applied.name, held)
    wound, looted = find_wound(applied.kept, applied.moment), applied.kept.get(LOOTED)
    if looted and wound and looted["taken"] and looted["wound"] == _find_since(wound):
        yield applied.name, LOOTED, {**looted, "entry": entry, "captive": now}


def _end(applied: AppliedConsequence, names: tuple[str, ...]) -> Iterator[Change]:
    """End what is kept under names that begin so."""
    yield from ((applied.name, name, None) for name in applied.kept if name.startswith(names))


def _break_out(applied: AppliedConsequence) -> Iterator[Change]:
    yield from _end(applied, OVER)
    yield from end_captivity(applied.name, "escaped", applied.moment.entry)


def _let_go(applied: AppliedConsequence) -> Iterator[Change]:
    yield from _end(applied, OVER)
    yield from end_captivity(applied.name, "released", applied.moment.entry)


SETTLES: Mapping[str, ConsequenceRule] = {
    "search": _search,
    "loot": _search,
    "strip": _strip,
    "detain": _detain,
    "break-out": _break_out,
    "release-captive": _let_go,
}
"""What deeds about loot and captivity change."""
