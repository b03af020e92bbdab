"""Who is held captive and how things stand with them, read from the campaign's state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from bot.core import profiles, state
from bot.core.campaigns import Campaign, current_update
from bot.core.permissions import Person, require_game_master
from bot.core.profiles import not_captive
from bot.core.subjects import unit
from bot.core.visibility import owned, require_own
from bot.errors import BadInput
from bot.rolls.consequences import ROLLED, rolled_name
from bot.ui import parsing
from rules.books.campaign.captivity import (
    CAPTIVE,
    CRACKED,
    DECLARED,
    FATE,
    INJURED,
    Captivity,
    Fate,
    injury_levels,
    waiting_escape,
)
from rules.effects import EFFECT, PROFILE, is_current

INTERROGATION, ESCAPE = "interrogation", "escape"
"""The roll families of captives."""

SERIOUS, RESISTING = f"{EFFECT}seriously-injured", f"{EFFECT}resisting"
KEPT = frozenset({PROFILE, CAPTIVE, FATE, CRACKED, INJURED, SERIOUS, RESISTING, DECLARED})
"""The names under which the state keeps what makes up a status."""

TRIED = f"{ROLLED}{ESCAPE}."


@dataclass(frozen=True, slots=True)
class CaptiveStatus:
    """How things stand with somebody who is or was a captive.

    `captivity` is None when it is over; `fate` tells how the last one ended. `cracked` and `declared` are the entries of
    the cracking and of an escape that waits to be rolled. `injuries` are levels as printed, None where no level is.
    """

    name: str
    captivity: Captivity | None
    fate: Fate | None = None
    cracked: int | None = None
    injuries: tuple[int | None, ...] = ()
    seriously: bool = False
    resisting: bool = False
    declared: int | None = None


def statuses(tx: Connection, campaign_id: int, subjects: Collection[str]) -> dict[str, CaptiveStatus]:
    """Return how things stand with those of these subjects who are or were captives, by subject."""
    if not subjects:
        return {}
    update = current_update(tx, campaign_id)["number"]
    kept = state.named(tx, campaign_id, subjects, {*KEPT, *map(_tried, subjects)})
    values: dict[str, dict[str, Any]] = {subject: {} for subject in subjects}
    for (subject, name), value in kept.items():
        values[subject][name] = value
    known = [subject for subject in subjects if CAPTIVE in values[subject] or FATE in values[subject]]
    return {subject: _status(subject, values[subject], update) for subject in known}


def everyone(tx: Connection, campaign_id: int) -> dict[str, CaptiveStatus]:
    """Return how things stand with everybody who is or was a captive, by subject in the order of names."""
    known = {**state.of_name(tx, campaign_id, CAPTIVE), **state.of_name(tx, campaign_id, FATE)}
    return statuses(tx, campaign_id, sorted(known))


def all_captives(tx: Connection, person: Person, campaign: Campaign) -> list[CaptiveStatus]:
    """Return all captives, and all who were.

    Raises:
        NotAllowed: the person is no game master of the campaign.

    """
    require_game_master(person, campaign, "see all captives")
    return list(everyone(tx, campaign.id).values())


def show(tx: Connection, person: Person, campaign: Campaign, captive: str) -> CaptiveStatus:
    """Return how things stand with one who is or was a captive.

    Raises:
        NotAllowed: the person is no game master, and the character is not the person's own.
        BadInput: the name cannot be used, or that one never was a captive.

    """
    (name,) = parsing.names(captive, "captive", 1)
    require_own(tx, campaign, person, [name])
    status = statuses(tx, campaign.id, [unit(name)]).get(unit(name))
    if status is None:
        raise BadInput(*not_captive(name))
    return status


def known_captives(tx: Connection, person: Person, campaign: Campaign) -> list[str]:
    """Return the names of the captives that the person may know of: game masters of all, players of their own."""
    captives = {subject: status.name for subject, status in everyone(tx, campaign.id).items() if status.captivity}
    mine = captives if person.leads(campaign) else owned(tx, campaign, person, captives)
    return [name for subject, name in captives.items() if subject in mine]


def declared(tx: Connection, campaign_id: int) -> list[CaptiveStatus]:
    """Return those whose escape is declared in the current update and waits to be rolled."""
    known = sorted(state.of_name(tx, campaign_id, DECLARED))
    return [status for status in statuses(tx, campaign_id, known).values() if status.declared is not None]


def captured(tx: Connection, campaign_id: int, names: Sequence[str]) -> list[CaptiveStatus]:
    """Return how things stand with these captives.

    Raises:
        BadInput: one of them is no captive.

    """
    known = statuses(tx, campaign_id, [unit(name) for name in names])
    for name in names:
        status = known.get(unit(name))
        if status is None or status.captivity is None:
            raise BadInput(*not_captive(name))
    return list(known.values())


def newest_rolls(tx: Connection, campaign_id: int, subjects: Collection[str]) -> list[int]:
    """Return the newest entries in which these subjects were interrogated or tried to escape."""
    names = {rolled_name(family, key.removeprefix("unit:")) for family in (INTERROGATION, ESCAPE) for key in subjects}
    return [value["entry"] for value in state.named(tx, campaign_id, subjects, names).values()]


def by_region(
    tx: Connection, campaign_id: int, captives: Sequence[CaptiveStatus]
) -> dict[str | None, list[CaptiveStatus]]:
    """Return captives by the saved region of the place where they are held; None where none is saved, or in secret."""
    places = [status.captivity["at"] if status.captivity else "" for status in captives]
    saved = profiles.read(tx, campaign_id, set(places))
    grouped: dict[str | None, list[CaptiveStatus]] = {}
    for status, place in zip(captives, places, strict=True):
        base = saved.get(unit(place))
        grouped.setdefault(base.region if base and not base.secret else None, []).append(status)
    return grouped


def _status(subject: str, values: Mapping[str, Any], update: int) -> CaptiveStatus:
    current = {name: value for name, value in values.items() if is_current(value, update)}
    captivity: Captivity | None = values.get(CAPTIVE)
    fate: Fate | None = values.get(FATE)
    return CaptiveStatus(
        name=(values.get(PROFILE) or captivity or fate or {})["name"],
        captivity=captivity,
        fate=fate,
        cracked=current[CRACKED]["entry"] if CRACKED in current else None,
        injuries=tuple(injury_levels(values.get(INJURED), update)),
        seriously=SERIOUS in current,
        resisting=RESISTING in current,
        declared=waiting_escape(values.get(DECLARED), values.get(_tried(subject)), update),
    )


def _tried(subject: str) -> str:
    """Return the name under which a captive's own escape attempt is remembered."""
    return TRIED + subject.removeprefix("unit:")
