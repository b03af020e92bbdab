"""Who is held captive and how things stand with them, read from the campaign's state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.captives.embed import Status
from bot.core import entries, profiles, state
from bot.core.campaigns import Campaign, current_update
from bot.core.permissions import Person
from bot.core.profiles import CAPTIVE, FATE, PROFILE
from bot.core.state import State
from bot.core.subjects import unit
from bot.errors import BadInput, NotAllowed
from bot.rolls.consequences import CRACKED, DECLARED, INJURED, LACKS, ROLLED, injuries, rolled_name
from bot.rolls.situation import EFFECT, RollContext, lasts
from rules.facts import Known, Origin

INTERROGATION, ESCAPE = "interrogation", "escape"
"""The roll families of captives."""

SERIOUS, RESISTING = f"{EFFECT}seriously-injured", f"{EFFECT}resisting"
KEPT = frozenset({PROFILE, CAPTIVE, FATE, CRACKED, INJURED, SERIOUS, RESISTING, DECLARED})
"""The names under which the state keeps what makes up a status."""

_TRIED = f"{ROLLED}{ESCAPE}."


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
            raise BadInput(*LACKS[CAPTIVE](name))
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


def owned(tx: Connection, campaign: Campaign, person: Person, subjects: Collection[str]) -> set[str]:
    """Those of these subjects that are saved as the person's own."""
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    if mine is None or not subjects or not (person.plays(campaign) or person.leads(campaign)):
        return set()
    held = state.named(tx, campaign.id, subjects, {PROFILE})
    return {subject for (subject, _), value in held.items() if value["owner"] == mine}


def require_own(tx: Connection, campaign: Campaign, person: Person, names: Sequence[str]) -> None:
    """Let game masters deal with every captive, players with their own; tells nothing of anybody else's.

    Raises:
        NotAllowed: one of them is not the person's own.

    """
    if person.leads(campaign):
        return
    mine = owned(tx, campaign, person, [unit(name) for name in names])
    for name in names:
        if unit(name) not in mine:
            raise NotAllowed(
                f"{name} is no character of yours.", "Those of others are for the game masters; ask one of them."
            )


def together(tx: Connection, scene: RollContext) -> list[dict[str, Known]]:
    """Facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    trying = [
        unit(part["captive"]) if "captive" in part and "interrogator" not in part else "" for part in scene.subjects
    ]
    if not any(trying):
        return [{} for _ in trying]
    tried = state.naming(tx, scene.campaign.id, _TRIED).items()
    others = {subject for (subject, _), value in tried if value["update"] == scene.update}
    others |= {unit(status.name) for status in declared(tx, scene.campaign.id)}
    names = {key: part["captive"] for key, part in zip(trying, scene.subjects, strict=True) if key}
    return [_joint(key, names, others) if key else {} for key in trying]


def _joint(key: str, names: dict[str, str], others: Collection[str]) -> dict[str, Known]:
    beside = [name for other, name in names.items() if other != key]
    more = f" and {len(beside) - 1} more" if len(beside) > 1 else ""
    if beside:
        return {"captive.joint-escape": Known(1, Origin("captive", f"together with {beside[0]}{more}"))}
    if set(others) - {key}:
        return {"captive.joint-escape": Known(1, Origin("captive", "others try in this update"))}
    return {}


def _status(subject: str, held: State, update: int) -> Status:
    captivity, fate = held.get((subject, CAPTIVE)), held.get((subject, FATE))

    def lasting(name: str) -> Mapping[str, Any] | None:
        value = held.get((subject, name))
        return value if value is not None and lasts(value, update) else None

    cracked = lasting(CRACKED)
    return Status(
        name=(held.get((subject, PROFILE)) or captivity or fate or {})["name"],
        captivity=captivity,
        fate=fate,
        cracked=cracked["entry"] if cracked else None,
        injuries=tuple(injuries(held.get((subject, INJURED)), update)),
        seriously=lasting(SERIOUS) is not None,
        resisting=lasting(RESISTING) is not None,
        declared=_declared(subject, held, update),
    )


def _declared(subject: str, held: State, update: int) -> int | None:
    """The entry of an escape that was declared in this update and has not been rolled since."""
    value, tried = held.get((subject, DECLARED)), held.get((subject, _tried(subject)))
    if value is None or not lasts(value, update) or (tried is not None and tried["entry"] > value["entry"]):
        return None
    number: int = value["entry"]
    return number


def _tried(subject: str) -> str:
    """The name under which a captive's own escape attempt is remembered."""
    return _TRIED + subject.removeprefix("unit:")
