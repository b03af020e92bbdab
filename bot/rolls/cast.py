"""Who is meant by the names in a roll: for each part, by role, in the order in which the names stand there.

Where a person stands in a role under no label, no subject is meant: there the cast is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from sqlalchemy import Connection

from bot.core import subjects
from bot.core.campaigns import Campaign
from bot.core.permissions import Person, require_roller
from bot.core.records import hide_name
from bot.core.subjects import PartCast, Subject, list_cast
from bot.core.visibility import Viewer, list_others, refuse_acting
from bot.errors import BadInput
from bot.rolls.request import PartRequest, RollRequest
from rules.procedure import Procedure
from rules.subjects import name_key, names_of


def identify(tx: Connection, viewer: Viewer, parts: Sequence[PartRequest]) -> tuple[PartRequest, ...]:
    """Return parts with the numbers of those whom the person means by the names in them."""
    typed = {name for part in parts for role, name in _names_by_role(part) if role not in part.ids}
    others = {number for part in parts for ids in part.ids.values() for number in ids if number is not None}
    _, meant = subjects.find_subjects(tx, viewer.campaign.id, others, typed, viewer.knows)
    known = {name: meant[name_key(name)] for name in typed if name_key(name) in meant}
    _require_apart(known, others)
    return tuple(_with_numbers(part, known) for part in parts)


def resolve_names(tx: Connection, campaign_id: int, request: RollRequest) -> tuple[RollRequest, tuple[PartCast, ...]]:
    """Return a request in which everybody is called as by now, and who is meant in its parts.

    Those are whom its numbers tell, and else whoever bears the name; nobody secret, unless a game master typed it.
    """
    knows = None if request.staff else subjects.is_open
    numbers = {number for part in request.parts for ids in part.ids.values() for number in ids if number is not None}
    others = {name for part in request.parts for name in _unnumbered(part, numbers)}
    known, bearers = subjects.find_subjects(tx, campaign_id, numbers, others, knows)
    request = request.model_copy(update={"parts": tuple(_with_present_names(part, known) for part in request.parts)})
    gone = {name for part in request.parts for name in _unnumbered(part, known)} - others
    bearers |= subjects.find_meant(tx, campaign_id, gone, knows)
    return request, tuple(_cast(part, known, bearers) for part in request.parts)


def find_unborne(parts: Sequence[PartRequest], cast: Sequence[PartCast]) -> set[str]:
    """Return the keys of the names in parts by which nobody is meant."""
    return {
        name_key(name)
        for part, meant in zip(parts, cast, strict=True)
        for role, some in meant.items()
        if role not in part.people
        for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        if item is None
    }


def require_played(tx: Connection, viewer: Viewer, roles: Sequence[str], cast: Iterable[PartCast]) -> None:
    """Refuse a player's roll with others' characters in the first of these roles, unless the player's own are in another one.

    Unsaved names are anybody's, and so are those of whom the player doesn't know.
    """
    for part in cast if roles else ():
        sides = [[item for item in part.get(role, ()) if item and item.saved and viewer.knows(item)] for role in roles]
        others = list_others(tx, viewer, sides[0])
        if others and not any(side and not list_others(tx, viewer, side) for side in sides[1:]):
            raise refuse_acting(tx, viewer, others[0])


def require_procedure(person: Person, campaign: Campaign, procedure: Procedure) -> None:
    """Refuse a roll of a procedure that isn't open to a player."""
    opened, what = procedure.policy.open_to_players, f"the {procedure.title} roll"
    require_roller(person, campaign, procedure.family, opened=opened, deed=what)


def require_asked(tx: Connection, viewer: Viewer, roles: Sequence[str], request: RollRequest) -> None:
    """Refuse a request as `require_played` does."""
    require_played(tx, viewer, roles, resolve_names(tx, viewer.campaign.id, request)[1])


def secret_parts(cast: Sequence[PartCast]) -> frozenset[int]:
    """Return the places of the parts with somebody of whom players may not know."""
    return frozenset(
        place for place, part in enumerate(cast) if any(item.secret for item in list_cast([part]).values())
    )


def hide_names(request: RollRequest, cast: Sequence[PartCast], viewer: Viewer) -> RollRequest:
    """Return a request in which nobody has a name whom the person may not know, such as the base where a captive is held."""
    parts = (_as_known(part, meant, viewer) for part, meant in zip(request.parts, cast, strict=True))
    return request.model_copy(update={"parts": tuple(parts)})


def unknown_namesakes(
    tx: Connection, campaign_id: int, request: RollRequest, cast: Sequence[PartCast]
) -> Iterator[str]:
    """Yield a line for each name in a player's roll that somebody secret bears too, of whom nothing counts."""
    names = {name_key(name): name for part in request.parts for _, name in _names_by_role(part)}
    there = list_cast(cast)
    secret = subjects.find_secret(tx, campaign_id, names)
    for item in secret:
        if item.id not in there:
            yield f"A hidden unit is also called {item.name}. It didn't count here."


def _as_known(part: PartRequest, cast: PartCast, viewer: Viewer) -> PartRequest:
    names = {
        role: ", ".join(
            name if item is None else viewer.named(item, hide_name(role))
            for name, item in zip(names_of(part.subjects[role]), some, strict=True)
        )
        for role, some in cast.items()
        if any(item is not None and item.secret for item in some)
    }
    return part.model_copy(update={"subjects": {**part.subjects, **names}}) if names else part


def _names_by_role(part: PartRequest) -> Iterator[tuple[str, str]]:
    for role, names in part.subjects.items():
        yield from ((role, name) for name in names_of(names) if name and role not in part.people)


def _unnumbered(part: PartRequest, known: Container[int]) -> Iterator[str]:
    """Yield the names in a part of which no number is known."""
    for role, names in part.subjects.items():
        parted = names_of(names)
        ids = part.ids.get(role, (None,) * len(parted))
        if role not in part.people:
            yield from (name for name, number in zip(parted, ids, strict=True) if name and (number or 0) not in known)


def _require_apart(known: Mapping[str, Subject], others: Collection[int]) -> None:
    """Refuse one who is named in two ways, and two who are called alike: a result could not tell them apart.

    `others` are the numbers of those who are in the roll already, such as the captive of an interrogation.
    """
    typed: dict[int, str] = {}
    numbers: dict[str, int] = {}
    for name, item in known.items():
        if item.id in others:
            raise BadInput(f"{item.name!r} is on both sides.", "Check the names.")
        if name_key(typed.setdefault(item.id, name)) != name_key(name):
            raise BadInput(f"{item.name} is named twice.", "Name each one once.")
        if numbers.setdefault(name_key(item.name), item.id) != item.id:
            raise BadInput(f"Two units named {item.name} are in this roll.", "Roll them one after the other.")


def _with_numbers(part: PartRequest, known: Mapping[str, Subject]) -> PartRequest:
    """Return a part with the numbers of those who are known; a number that was typed behind a name stands there no more."""
    ids = dict(part.ids)
    spelled = dict(part.subjects)
    for role, names in part.subjects.items():
        if role not in ids and role not in part.people:
            found = [known.get(name) for name in names_of(names)]
            ids[role] = tuple(item.id if item else None for item in found)
            spelled[role] = _as_typed(names, found)
    return part.model_copy(update={"subjects": spelled, "ids": ids})


def _with_present_names(part: PartRequest, known: Mapping[int, Subject]) -> PartRequest:
    """Return a part in which those who are called otherwise since stand by their names of now."""
    found = {role: [known.get(number or 0) for number in ids] for role, ids in part.ids.items()}
    spelled = {role: _as_typed(part.subjects[role], some) for role, some in found.items()}
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


def _as_typed(names: str, found: Sequence[Subject | None]) -> str:
    """Return names as they were typed, where they are those of the subjects; else as these are called."""
    pairs = zip(names_of(names), found, strict=True)
    return ", ".join(
        item.name if item is not None and name_key(typed) != name_key(item.name) else typed for typed, item in pairs
    )
