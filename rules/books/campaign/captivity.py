"""Captivity, interrogation and joint escapes."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NotRequired, TypedDict, TypeVar

from rules.effects import EFFECT, Change, KeptValue, Key, Moment, is_current
from rules.modifiers import KnownFact, Origin
from rules.subjects import PROFILE
from rules.tables import AppliedConsequence, ConsequenceRule

CAPTIVE, FATE, DECLARED = "captive", "fate", "declared"
"""The names of a captivity, of its end, and of an escape declared before it was an order."""

CRACKED, INJURED, PASSWORD_KNOWN = f"{EFFECT}cracked", f"{EFFECT}injured", f"{EFFECT}password-known"
JOINT_ESCAPE = "captive.joint-escape"

T = TypeVar("T")

CaptivityEnd = Literal["released", "escaped", "killed"]


class Captivity(TypedDict):
    """A kept captivity; `by` and `at` are subject numbers, times are ISO UTC.

    `moved` is since when at the current place; `entry` is the newest that changed it.
    """

    by: int
    at: int
    since: str
    moved: NotRequired[str]
    entry: int


class EndedCaptivity(TypedDict):
    """How a captivity ended, and by which entry."""

    fate: CaptivityEnd
    entry: int


def is_held_in_person(captivity: Captivity) -> bool:
    """Check whether the captor, a character, keeps the captive in person, not at a base."""
    return captivity["by"] == captivity["at"]


def begin_captivity(name: str, captivity: Captivity) -> Iterator[Change]:
    """Yield the changes that begin a captivity and clear an earlier end."""
    yield name, CAPTIVE, captivity
    yield name, FATE, None
    yield name, CRACKED, None


def end_captivity(name: str, fate: CaptivityEnd, entry: int) -> Iterator[Change]:
    """Yield the changes that end a captivity; no free person has cracked (line 314)."""
    yield name, CAPTIVE, None
    yield name, CRACKED, None
    yield name, FATE, EndedCaptivity(fate=fate, entry=entry)


def is_dead(fate: KeptValue | None) -> bool:
    """Return whether a captivity ended with death."""
    return fate is not None and fate["fate"] == "killed"


def has_declared_escape(declared: KeptValue, tried: KeptValue | None, moment: Moment) -> bool:
    """Return whether an escape was declared this update and not rolled since."""
    return is_current(declared, moment) and (tried is None or tried["entry"] < declared["entry"])


def group_by_place(captives: Iterable[T], places: Iterable[str | None]) -> dict[str | None, list[T]]:
    """Group captives by place, None if unknown: one roll has one weather."""
    grouped: dict[str | None, list[T]] = {}
    for captive, place in zip(captives, places, strict=True):
        grouped.setdefault(place, []).append(captive)
    return grouped


def list_tried(attempts: Mapping[Key, KeptValue], update: int) -> set[str]:
    """Return the subjects that tried to escape this update."""
    return {subject for (subject, _), value in attempts.items() if value["update"] == update}


def find_joint_escape(
    captive: str, together: Mapping[str, str], others: Collection[str], public: Collection[str]
) -> dict[str, KnownFact]:
    """Return the fact that others try to escape too, secret unless one of them is `public` (line 341).

    `together` are names in this roll, by subject; `others` are subjects in the same update.
    """
    names = [name for subject, name in together.items() if subject != captive]
    if names:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return {JOINT_ESCAPE: KnownFact(1, Origin("captive", f"together with {names[0]}{more}"))}
    if set(others) - {captive}:
        secret = not set(public) - {captive}
        return {JOINT_ESCAPE: KnownFact(1, Origin("captive", "others try in this update"), secret=secret)}
    return {}


def injury_levels(value: KeptValue | None, moment: Moment) -> Sequence[int | None]:
    """Return an injury's printed levels, None for one set by hand; empty if none is current."""
    return () if value is None or not is_current(value, moment) else value.get("levels", (None,))


def _injure(applied: AppliedConsequence) -> Iterator[Change]:
    before = injury_levels(applied.kept.get(INJURED), applied.moment)
    yield applied.name, INJURED, applied.effect(levels=[*before, applied.consequence.amount])


def _end(fate: CaptivityEnd, applied: AppliedConsequence) -> Iterator[Change]:
    yield from end_captivity(applied.name, fate, applied.moment.entry)


def list_knowers(password: KeptValue) -> Sequence[int] | None:
    """Return who (numbers) know a password; None means every enemy."""
    by: Sequence[int] | int | None = password.get("by")
    return [by] if isinstance(by, int) else by


def _reveal_passwords(applied: AppliedConsequence) -> Iterator[Change]:
    side = applied.kept.get(PROFILE, {}).get("side")
    for who in (applied.name, *([] if side is None else [side])):
        by = _who_knows(applied, applied.look(who, PASSWORD_KNOWN))
        count = applied.consequence.amount
        yield who, PASSWORD_KNOWN, applied.effect(count=count) | ({} if by is None else {"by": by})


def _who_knows(applied: AppliedConsequence, password: KeptValue | None) -> Sequence[int] | None:
    captivity: Captivity | None = applied.kept.get(CAPTIVE)
    if captivity is None:
        return None
    before: Sequence[int] | None = []
    if password is not None and is_current(password, applied.moment):
        before = list_knowers(password)
        if before is None and "update" not in password:
            return None
    return [*(number for number in before or () if number != captivity["by"]), captivity["by"]]


SETTLES: Mapping[str, ConsequenceRule] = {
    "injure": _injure,
    "kill": partial(_end, "killed"),
    "free": partial(_end, "escaped"),
    "reveal-passwords": _reveal_passwords,
}
