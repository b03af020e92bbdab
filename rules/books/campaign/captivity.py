"""What interrogations and escapes change about captives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rules.effects import EFFECT, PROFILE, AppliedConsequence, Change, ConsequenceRule, is_current, lasting_effect
from rules.tables import ConsequenceKind

CAPTIVE, FATE, DECLARED = "captive", "fate", "declared"
"""The names under which it is kept by whom somebody is held, how that ended, and that an escape is declared."""

CRACKED, INJURED, PASSWORD_KNOWN = f"{EFFECT}cracked", f"{EFFECT}injured", f"{EFFECT}password-known"


def end_captivity(name: str, fate: str, entry: int) -> Iterator[Change]:
    """Yield what the end of a captivity changes: nobody free has cracked any more, nor will escape.

    Source: campaign-rolls, line 314.
    """
    yield name, CAPTIVE, None
    yield name, CRACKED, None
    yield name, DECLARED, None
    yield name, FATE, {"fate": fate, "entry": entry, "name": name}


def injury_levels(value: Mapping[str, Any] | None, update: int) -> Sequence[int | None]:
    """Return the levels of somebody's injuries as printed, None for one without a level, such as one set by hand."""
    return () if value is None or not is_current(value, update) else value.get("levels", (None,))


def _injure(applied: AppliedConsequence) -> Iterator[Change]:
    """Note injuries as printed, one after the other (ruling IN-6)."""
    before = injury_levels(applied.kept.get(INJURED), applied.moment.update)
    yield applied.name, INJURED, applied.effect(levels=[*before, applied.consequence.amount])


def _kill(applied: AppliedConsequence) -> Iterator[Change]:
    yield from end_captivity(applied.name, "killed", applied.moment.entry)


def _free(applied: AppliedConsequence) -> Iterator[Change]:
    yield from end_captivity(applied.name, "escaped", applied.moment.entry)


def _reveal_passwords(applied: AppliedConsequence) -> Iterator[Change]:
    """Let the enemy of the captive and of the captive's side know a password from now on; none is ever kept."""
    value = applied.effect(count=applied.consequence.amount)
    yield applied.name, PASSWORD_KNOWN, value
    side = applied.kept.get(PROFILE, {}).get("side")
    if side is not None:
        yield side, PASSWORD_KNOWN, {**value, "name": side}


CONSEQUENCES: Mapping[ConsequenceKind, ConsequenceRule] = {
    "crack": lasting_effect("cracked", this_update=False),
    "injure": _injure,
    "injure-seriously": lasting_effect("seriously-injured", this_update=False),
    "kill": _kill,
    "free": _free,
    "reveal-passwords": _reveal_passwords,
}
