"""Who is held captive and how things stand with them, read from the campaign's state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.captives.embed import Status
from bot.core import profiles, state
from bot.core.campaigns import current_update
from bot.core.profiles import not_captive
from bot.core.state import State
from bot.core.subjects import unit
from bot.errors import BadInput
from bot.rolls.consequences import ROLLED, rolled_name
from rules.books.campaign.captivity import CAPTIVE, CRACKED, DECLARED, FATE, INJURED, injury_levels
from rules.effects import EFFECT, PROFILE, is_current

INTERROGATION, ESCAPE = "interrogation", "escape"
"""The roll families of captives."""

SERIOUS, RESISTING = f"{EFFECT}seriously-injured", f"{EFFECT}resisting"
KEPT = frozenset({PROFILE, CAPTIVE, FATE, CRACKED, INJURED, SERIOUS, RESISTING, DECLARED})
"""The names under which the state keeps what makes up a status."""

TRIED = f"{ROLLED}{ESCAPE}."


def statuses(tx: Connection, campaign_id: int, subjects: Collection[str]) -> dict[str, Status]:
    """How things stand with those of these subjects who are or were captives, by subject."""
    if not subjects:
        return {}
    update = current_update(tx, campaign_id)["number"]
    held = state.named(tx, campaign_id, subjects, {*KEPT, *map(_tried, subjects)})
    known = [subject for subject in subjects if (subject, CAPTIVE) in held or (subject, FATE) in held]
    return {subject: _status(subject, held, update) for subject in known}


def everyone(tx: Connection, campaign_id: int) -> dict[str, Status]:
    """How things stand with everybody who is or was a captive, by subject in the order of names."""
    known = {**state.of_name(tx, campaign_id, CAPTIVE), **state.of_name(tx, campaign_id, FATE)}
    return statuses(tx, campaign_id, sorted(known))


def declared(tx: Connection, campaign_id: int) -> list[Status]:
    """Whose escape is declared in the current update and waits to be rolled."""
    known = sorted(state.of_name(tx, campaign_id, DECLARED))
    return [status for status in statuses(tx, campaign_id, known).values() if status.declared is not None]


def captured(tx: Connection, campaign_id: int, names: Sequence[str]) -> list[Status]:
    """How things stand with these captives.

    Raises:
        BadInput: one of them is no captive.

    """
    found = statuses(tx, campaign_id, [unit(name) for name in names])
    for name in names:
        status = found.get(unit(name))
        if status is None or status.captivity is None:
            raise BadInput(*not_captive(name))
    return list(found.values())


def rolled(tx: Connection, campaign_id: int, subjects: Collection[str]) -> list[int]:
    """The newest entries in which these subjects were interrogated or tried to escape."""
    names = {rolled_name(family, key.removeprefix("unit:")) for family in (INTERROGATION, ESCAPE) for key in subjects}
    return [value["entry"] for value in state.named(tx, campaign_id, subjects, names).values()]


def regions(tx: Connection, campaign_id: int, found: Sequence[Status]) -> dict[str | None, list[Status]]:
    """The same captives by the saved region of the place where they are held; None where none is saved, or in secret."""
    places = [status.captivity["at"] if status.captivity else "" for status in found]
    saved = profiles.read(tx, campaign_id, set(places))
    grouped: dict[str | None, list[Status]] = {}
    for status, place in zip(found, places, strict=True):
        base = saved.get(unit(place))
        grouped.setdefault(base.region if base and not base.secret else None, []).append(status)
    return grouped


def _status(subject: str, held: State, update: int) -> Status:
    captivity, fate = held.get((subject, CAPTIVE)), held.get((subject, FATE))

    def lasting(name: str) -> Mapping[str, Any] | None:
        value = held.get((subject, name))
        return value if value is not None and is_current(value, update) else None

    cracked = lasting(CRACKED)
    return Status(
        name=(held.get((subject, PROFILE)) or captivity or fate or {})["name"],
        captivity=captivity,
        fate=fate,
        cracked=cracked["entry"] if cracked else None,
        injuries=tuple(injury_levels(held.get((subject, INJURED)), update)),
        seriously=lasting(SERIOUS) is not None,
        resisting=lasting(RESISTING) is not None,
        declared=_declared(subject, held, update),
    )


def _declared(subject: str, held: State, update: int) -> int | None:
    """The entry of an escape that was declared in this update and has not been rolled since."""
    value, tried = held.get((subject, DECLARED)), held.get((subject, _tried(subject)))
    if value is None or not is_current(value, update) or (tried is not None and tried["entry"] > value["entry"]):
        return None
    number: int = value["entry"]
    return number


def _tried(subject: str) -> str:
    """The name under which a captive's own escape attempt is remembered."""
    return TRIED + subject.removeprefix("unit:")
