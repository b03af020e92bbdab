"""Who is meant by the names in a roll, by part and role.

A person who rolls under their own name isn't a subject: their role has an empty cast.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from bot.core import subjects
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput
from bot.core.permissions import Person, require_roller
from bot.core.records import hide_name
from bot.core.subjects import PartCast, Subject, list_cast
from bot.core.visibility import Viewer, list_others, refuse_acting
from bot.rolls.request import PartRequest, RollRequest
from rules.procedure import Procedure
from rules.subjects import name_key, names_of


def identify(tx: Connection, viewer: Viewer, parts: Sequence[PartRequest]) -> tuple[PartRequest, ...]:
    """Add to names the numbers of subjects that the person means. Refuse one named twice."""
    typed = {name for part in parts for role, name in _names_by_role(part) if role not in part.ids}
    others = {number for part in parts for ids in part.ids.values() for number in ids if number is not None}
    _, meant = subjects.find_subjects(tx, viewer.campaign.id, others, typed, viewer.knows)
    known = {name: meant[name_key(name)] for name in typed if name_key(name) in meant}
    _require_apart(known, others)
    return tuple(_add_numbers(part, known) for part in parts)


def resolve_names(tx: Connection, campaign_id: int, request: RollRequest) -> tuple[RollRequest, tuple[PartCast, ...]]:
    """Update a request's names, and return who each part means.

    Numbers decide, then names. A player's roll never means someone secret by name.
    """
    knows = None if request.staff else subjects.is_open
    numbers = {number for part in request.parts for ids in part.ids.values() for number in ids if number is not None}
    others = {name for part in request.parts for name in _list_unnumbered(part, numbers)}
    known, bearers = subjects.find_subjects(tx, campaign_id, numbers, others, knows)
    request = request.model_copy(update={"parts": tuple(_update_names(part, known) for part in request.parts)})
    gone = {name for part in request.parts for name in _list_unnumbered(part, known)} - others
    bearers |= subjects.find_meant(tx, campaign_id, gone, knows)
    return request, tuple(_cast(part, known, bearers) for part in request.parts)


def find_unborne(parts: Sequence[PartRequest], cast: Sequence[PartCast]) -> set[str]:
    """Return the keys of names in a roll that no subject has yet."""
    return {
        name_key(name)
        for part, meant in zip(parts, cast, strict=True)
        for role, some in meant.items()
        if role not in part.people
        for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        if item is None
    }


def require_played(tx: Connection, viewer: Viewer, roles: Sequence[str], cast: Iterable[PartCast]) -> None:
    """Refuse a player's roll if the first role names others' characters, unless another role names only the player's own."""
    for part in cast if roles else ():
        sides = [[item for item in part.get(role, ()) if item and item.saved and viewer.knows(item)] for role in roles]
        others = list_others(tx, viewer, sides[0])
        if others and not any(side and not list_others(tx, viewer, side) for side in sides[1:]):
            raise refuse_acting(tx, viewer, others[0])


def require_procedure(person: Person, campaign: Campaign, procedure: Procedure) -> None:
    """Refuse a roll that isn't open to a player."""
    opened, what = procedure.policy.open_to_players, f"the {procedure.title} roll"
    require_roller(person, campaign, procedure.family, opened=opened, named=what)


def require_asked(tx: Connection, viewer: Viewer, roles: Sequence[str], request: RollRequest) -> None:
    """Resolve a request's names, and refuse it as `require_played` does."""
    require_played(tx, viewer, roles, resolve_names(tx, viewer.campaign.id, request)[1])


def find_secret_parts(cast: Sequence[PartCast]) -> frozenset[int]:
    """Return the places of parts with someone secret."""
    return frozenset(
        place for place, part in enumerate(cast) if any(item.secret for item in list_cast([part]).values())
    )


def hide_names(request: RollRequest, cast: Sequence[PartCast], viewer: Viewer) -> RollRequest:
    """Replace names that the viewer may not know, such as a captive's base."""
    parts = (_hide_in_part(part, meant, viewer) for part, meant in zip(request.parts, cast, strict=True))
    return request.model_copy(update={"parts": tuple(parts)})


def list_namesakes(tx: Connection, campaign_id: int, request: RollRequest, cast: Sequence[PartCast]) -> Iterator[str]:
    """Yield a staff line for each secret subject that has a name of a player's roll but isn't in it."""
    names = {name_key(name): name for part in request.parts for _, name in _names_by_role(part)}
    there = list_cast(cast)
    secret = subjects.find_secret(tx, campaign_id, names)
    for item in secret:
        if item.id not in there:
            yield f"A hidden unit is also called {item.name}. It didn't count here."


def _hide_in_part(part: PartRequest, cast: PartCast, viewer: Viewer) -> PartRequest:
    names = {
        role: ", ".join(
            name if item is None else viewer.name_of(item, hide_name(role))
            for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        )
        for role, some in cast.items()
        if any(item is not None and item.secret for item in some)
    }
    return part.model_copy(update={"subjects": {**part.subjects, **names}}) if names else part


def _names_by_role(part: PartRequest) -> Iterator[tuple[str, str]]:
    for role, names in part.subjects.items():
        yield from ((role, name) for name in names_of(names) if name and role not in part.people)


def _list_unnumbered(part: PartRequest, known: Container[int]) -> Iterator[str]:
    for role, names in part.subjects.items():
        parted = names_of(names)
        ids = part.ids.get(role, (None,) * len(parted))
        if role not in part.people:
            yield from (name for name, number in zip(parted, ids, strict=True) if name and (number or 0) not in known)


def _require_apart(known: Mapping[str, Subject], others: Collection[int]) -> None:
    """Refuse someone named twice, and two with one name. `others` (numbers) are in the roll already."""
    typed: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for name, item in known.items():
        if item.id in others:
            raise BadInput(f"{item.name!r} is on both sides.", "Check the names.")
        if name_key(typed.setdefault(item.id, name)) != name_key(name):
            raise BadInput(f"{item.name} is named twice.", "Name each one once.")
        if numbers.setdefault(name_key(item.name), item.id) != item.id:
            raise BadInput(f"Two units named {item.name} are in this roll.", "Roll them one after the other.")


def _add_numbers(part: PartRequest, known: Mapping[str, Subject]) -> PartRequest:
    ids = dict(part.ids)
    spelled = dict(part.subjects)
    for role, names in part.subjects.items():
        if role not in ids and role not in part.people:
            found = [known.get(name) for name in names_of(names)]
            ids[role] = tuple(item.id if item else None for item in found)
            spelled[role] = _spell(names, found)
    return part.model_copy(update={"subjects": spelled, "ids": ids})


def _update_names(part: PartRequest, known: Mapping[int, Subject]) -> PartRequest:
    found = {role: [known.get(number or 0) for number in ids] for role, ids in part.ids.items()}
    spelled = {role: _spell(part.subjects[role], some) for role, some in found.items()}
    return part.model_copy(update={"subjects": {**part.subjects, **spelled}})


def _cast(part: PartRequest, known: Mapping[int, Subject], bearers: Mapping[str, Subject]) -> PartCast:
    cast: dict[str, tuple[Subject | None, ...]] = dict.fromkeys(part.people, ())
    for role, names in part.subjects.items():
        if role in part.people:
            continue
        parted = names_of(names)
        ids = part.ids.get(role, (None,) * len(parted))
        cast[role] = tuple(
            known.get(number or 0) or bearers.get(name_key(name)) for name, number in zip(parted, ids, strict=True)
        )
    return cast


def _spell(names: str, found: Sequence[Subject | None]) -> str:
    pairs = zip(names_of(names), found, strict=True)
    return ", ".join(
        item.name if item is not None and name_key(typed) != name_key(item.name) else typed for typed, item in pairs
    )
