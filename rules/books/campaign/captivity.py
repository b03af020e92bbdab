"""Captivity: how it begins and ends, what interrogations and escapes change about captives, and who escapes together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, TypeVar

from rules.effects import EFFECT, AppliedConsequence, Change, ConsequenceRule
from rules.ends import KeptValue, Key, Moment, holds
from rules.modifiers import Known, Origin
from rules.subjects import PROFILE

CAPTIVE, FATE, DECLARED = "captive", "fate", "declared"
"""The names under which it is kept by whom somebody is held, how that ended, and an escape as it was declared before that was an order."""

CRACKED, INJURED, PASSWORD_KNOWN = f"{EFFECT}cracked", f"{EFFECT}injured", f"{EFFECT}password-known"
JOINT_ESCAPE = "captive.joint-escape"
"""The fact that a captive is not the only one who tries to escape."""

T = TypeVar("T")

CaptivityEnd = Literal["released", "escaped", "killed"]


class Captivity(TypedDict):
    """A captivity as it is kept: by whom and where, since when (ISO, UTC) and, after a move, since when there.

    `by` and `at` are the numbers of subjects; `entry` is the newest one that changed it.
    """

    by: int
    at: int
    since: str
    moved: NotRequired[str]
    entry: int


class Fate(TypedDict):
    """How a captivity ended, as it is kept: how, and by which entry."""

    fate: CaptivityEnd
    entry: int


def is_held_in_person(captivity: Captivity) -> bool:
    """Return whether somebody is held by a character and is where that one is, as books of fights have it: not at a base."""
    return captivity["by"] == captivity["at"]


def begin_captivity(name: str, captivity: Captivity) -> Iterator[Change]:
    """Yield what the beginning of a captivity changes: how an earlier one ended counts no more, nor a cracking."""
    yield name, CAPTIVE, captivity
    yield name, FATE, None
    yield name, CRACKED, None


def end_captivity(name: str, fate: CaptivityEnd, entry: int) -> Iterator[Change]:
    """Yield what the end of a captivity changes: nobody free has cracked any more.

    Source: campaign-rolls, line 314.
    """
    yield name, CAPTIVE, None
    yield name, CRACKED, None
    yield name, FATE, Fate(fate=fate, entry=entry)


def is_dead(fate: KeptValue | None) -> bool:
    """Tell whether a captivity ended with death; `fate` is what is kept of its end."""
    return fate is not None and fate["fate"] == "killed"


def has_declared_escape(declared: KeptValue, tried: KeptValue | None, moment: Moment) -> bool:
    """Tell whether an escape was declared in this moment's update and has not been rolled since.

    `declared` and `tried` are what is kept of the declaration and of the captive's newest attempt.
    """
    return holds(declared, moment) and (tried is None or tried["entry"] < declared["entry"])


def group_by_place(captives: Iterable[T], places: Iterable[str | None]) -> dict[str | None, list[T]]:
    """Return captives by the places where they are held, each with its own (None: unknown): one roll has one weather."""
    grouped: dict[str | None, list[T]] = {}
    for captive, place in zip(captives, places, strict=True):
        grouped.setdefault(place, []).append(captive)
    return grouped


def list_tried(attempts: Mapping[Key, KeptValue], update: int) -> set[str]:
    """Return the subjects that have tried to escape in this update; `attempts` are kept by subject and name."""
    return {subject for (subject, _), value in attempts.items() if value["update"] == update}


def find_joint_escape(
    captive: str, together: Mapping[str, str], others: Collection[str], public: Collection[str]
) -> dict[str, Known]:
    """Return the fact that a captive (subject) does not try alone, with its origin; none where it is so.

    `together` are the names of those in the same roll, by subject; `others` the subjects of those who have tried in the
    same update, or mean to, and `public` those of them of whom everybody knows. Source: campaign-rolls, line 341.
    """
    beside = [name for subject, name in together.items() if subject != captive]
    if beside:
        more = f" and {len(beside) - 1} more" if len(beside) > 1 else ""
        return {JOINT_ESCAPE: Known(1, Origin("captive", f"together with {beside[0]}{more}"))}
    if set(others) - {captive}:
        secret = not set(public) - {captive}
        return {JOINT_ESCAPE: Known(1, Origin("captive", "others try in this update"), secret=secret)}
    return {}


def injury_levels(value: KeptValue | None, moment: Moment) -> Sequence[int | None]:
    """Return the levels of somebody's injuries as printed, None for one without a level, such as one set by hand."""
    return () if value is None or not holds(value, moment) else value.get("levels", (None,))


def _injure(applied: AppliedConsequence) -> Iterator[Change]:
    """Note injuries as printed, one after the other (ruling IN-6)."""
    before = injury_levels(applied.kept.get(INJURED), applied.moment)
    yield applied.name, INJURED, applied.effect(levels=[*before, applied.consequence.amount])


def _kill(applied: AppliedConsequence) -> Iterator[Change]:
    yield from end_captivity(applied.name, "killed", applied.moment.entry)


def _free(applied: AppliedConsequence) -> Iterator[Change]:
    yield from end_captivity(applied.name, "escaped", applied.moment.entry)


def list_knowers(password: KeptValue) -> Sequence[int] | None:
    """Return who knows a password that is known, by the numbers of subjects; None where every enemy does."""
    by: Sequence[int] | int | None = password.get("by")
    return [by] if isinstance(by, int) else by


def _reveal_passwords(applied: AppliedConsequence) -> Iterator[Change]:
    """Let the captor, an enemy of the captive and of the captive's side, know a password from now on; none is ever kept."""
    side = applied.kept.get(PROFILE, {}).get("side")
    for who in (applied.name, *([] if side is None else [side])):
        by = _who_knows(applied, applied.look(who, PASSWORD_KNOWN))
        count = applied.consequence.amount
        yield who, PASSWORD_KNOWN, applied.effect(count=count) | ({} if by is None else {"by": by})


def _who_knows(applied: AppliedConsequence, password: KeptValue | None) -> Sequence[int] | None:
    """Return who knows a password once the captor does: whoever knew one before, too; None for every enemy.

    Where every enemy knew it for an update alone, the captor takes their place.
    """
    captivity: Captivity | None = applied.kept.get(CAPTIVE)
    if captivity is None:
        return None
    before: Sequence[int] | None = []
    if password is not None and holds(password, applied.moment):
        before = list_knowers(password)
        if before is None and "update" not in password:
            return None
    return [*(number for number in before or () if number != captivity["by"]), captivity["by"]]


SETTLES: Mapping[str, ConsequenceRule] = {
    "injure": _injure,
    "kill": _kill,
    "free": _free,
    "reveal-passwords": _reveal_passwords,
}
