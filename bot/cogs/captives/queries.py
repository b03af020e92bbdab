"""Who is held captive and how things stand with them, read from the campaign's state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, profiles, state, subjects
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.permissions import Person, find_now, find_unreadable
from bot.core.profiles import NOT_CAPTIVE, explain_not_captive
from bot.core.records import UNKNOWN_PLACE
from bot.core.subjects import Subject, find_twins, label_subject
from bot.core.visibility import Viewer, make_viewer, require_own, require_part
from bot.errors import BadInput, NotOpen
from bot.orders.standing import find_ordered
from bot.rolls.consequences import rolled_name
from bot.ui import parsing
from rules.books.campaign.captivity import (
    CAPTIVE,
    CRACKED,
    DECLARED,
    FATE,
    INJURED,
    Captivity,
    Fate,
    group_by_place,
    has_declared_escape,
    injury_levels,
    is_dead,
)
from rules.effects import EFFECT, ROLLED
from rules.ends import Moment, holds
from rules.errors import nearest
from rules.subjects import name_key, number_of, subject_key, subject_number

INTERROGATION, ESCAPE = "interrogation", "escape"
"""The roll families of captives."""

SERIOUS, RESISTING = f"{EFFECT}seriously-injured", f"{EFFECT}resisting"
KEPT = frozenset({CAPTIVE, FATE, CRACKED, INJURED, SERIOUS, RESISTING})
"""The names under which the state keeps what makes up a status."""

TRIED = f"{ROLLED}{ESCAPE}."


class Custody(Struct, frozen=True):
    """By whom and where somebody is held, since when, and since when there after a move (ISO, UTC).

    `entry` is the newest one that changed it.
    """

    by: Subject
    at: Subject
    since: str
    moved: str | None
    entry: int

    @property
    def in_person(self) -> bool:
        """Whether a character holds them where that one is: how they escape is for the book of the fight to say, not for the campaign's."""
        return self.by.id == self.at.id


class CaptiveStatus(Struct, frozen=True):
    """How things stand with somebody who is or was a captive.

    `captivity` is None when it is over; `fate` tells how the last one ended. `cracked` and `ordered` are the entries of
    the cracking and of an order to escape that stands, which `giver` (pseudonym) gave; `newest` is the one to be taken back
    first; `unreadable` are those of them that the reader may not open. `captor` says that the reader holds them, and doesn't play them. `injuries` are levels as printed, None where no level is.
    """

    id: int
    name: str
    captivity: Custody | None
    fate: Fate | None = None
    cracked: int | None = None
    injuries: tuple[int | None, ...] = ()
    seriously: bool = False
    resisting: bool = False
    ordered: int | None = None
    giver: str | None = None
    newest: int = 0
    unreadable: frozenset[int] = frozenset()
    captor: bool = False


def statuses(tx: Connection, campaign_id: int, numbers: Collection[int], now: Moment) -> dict[int, CaptiveStatus]:
    """Return how things stand at a moment with those of these subjects who are or were captives, by number in the order of names."""
    if not numbers:
        return {}
    kept = state.get_values_named(tx, campaign_id, [subject_key(number) for number in numbers], KEPT)
    values: dict[int, dict[str, Json]] = {number: {} for number in numbers}
    for (subject, name), value in kept.items():
        values[number_of(subject)][name] = value
    held = {number: values[number][CAPTIVE] for number in numbers if CAPTIVE in values[number]}
    known = [number for number in numbers if number in held or FATE in values[number]]
    places = {number for value in held.values() for number in (value["by"], value["at"])}
    names, orders = subjects.name_subjects(tx, campaign_id, {*known, *places}), find_ordered(tx, campaign_id, ESCAPE)
    waiting = {number: order for number, order in orders.items() if number in held}
    known.sort(key=lambda number: (name_key(names[number]), number))
    return {number: _status(number, values[number], now, names, waiting.get(number, {})) for number in known}


def read_everyone(tx: Connection, campaign_id: int, now: Moment) -> dict[int, CaptiveStatus]:
    """Return how things stand with everybody who is or was a captive, by number in the order of names."""
    known = {**state.find_values_of_name(tx, campaign_id, CAPTIVE), **state.find_values_of_name(tx, campaign_id, FATE)}
    return statuses(tx, campaign_id, _numbers(known), now)


def not_at_base(name: str) -> tuple[str, str]:
    """Return why somebody can't try the campaign's escape who is held by a character in person, and what to do."""
    return f"{name} isn't held at a base: the captor is a character.", "Use /roe capture with how: escape."


def show(tx: Connection, person: Person, campaign: Campaign, captive: str) -> CaptiveStatus:
    """Return the status of a captive or former captive, with the place for the player who holds them."""
    (name,) = parsing.names(captive, "captive", 1)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    status = find(tx, viewer, name, own=False)
    if status is None:
        require_own(tx, campaign, person, [name])
        raise _unknown(tx, viewer, name, own=True)
    return hide_unknown(tx, viewer, status if filter_owned(tx, viewer, [status]) else _only_held(status))


def require_held(
    tx: Connection, person: Person, campaign: Campaign, number: int, seen: int | None = None
) -> CaptiveStatus:
    """Return how things stand with a captive (number) of whom the person may know, held as by the entry that was `seen`."""
    found = list(statuses(tx, campaign.id, [number], find_now(tx, person, campaign)).values())
    status = next(iter(_known(tx, make_viewer(tx, person, campaign), found)), None)
    if status is None or status.captivity is None:
        raise NotOpen("That captivity has ended.", NOT_CAPTIVE)
    if seen is not None and status.captivity.entry != seen:
        what = f"{status.name} was moved or captured again since you looked: entry #{status.captivity.entry}."
        raise NotOpen(what, "Nothing was done. See /captive show.")
    return status


def known_captives(tx: Connection, person: Person, campaign: Campaign, *, at_bases: bool = False) -> list[str]:
    """Return the names of the captives that the person may know of; those who are held at bases alone, if asked."""
    every = read_everyone(tx, campaign.id, find_now(tx, person, campaign)).values()
    held = [item for item in every if item.captivity and not (at_bases and item.captivity.in_person)]
    captives = _known(tx, make_viewer(tx, person, campaign), held)
    several = find_twins(captives)
    return [label_subject(item) if item.id in several else item.name for item in captives]


def list_captives(tx: Connection, person: Person, campaign: Campaign) -> list[CaptiveStatus]:
    """Return all current and former captives that the person may know of."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    return list_known(tx, viewer)


def list_known(tx: Connection, viewer: Viewer) -> list[CaptiveStatus]:
    """Return how things stand with those of whom somebody may know, as far as they may: of others than their own, where they are held."""
    now = find_now(tx, viewer.person, viewer.campaign)
    known = _known(tx, viewer, list(read_everyone(tx, viewer.campaign.id, now).values()))
    if viewer.person.leads(viewer.campaign):
        return known
    named = subjects.get_subjects(tx, viewer.campaign.id, {item.id for item in known})
    held = [item if viewer.owns(named[item.id]) else _only_held(item) for item in known]
    return [hide_unknown(tx, viewer, item) for item in held]


def filter_owned(tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus]) -> list[CaptiveStatus]:
    """Return those of these captives for whom somebody acts: players for their own, game masters for all."""
    if viewer.person.leads(viewer.campaign):
        return list(captives)
    named = subjects.get_subjects(tx, viewer.campaign.id, {item.id for item in captives})
    return [item for item in captives if viewer.owns(named[item.id])]


def pick(tx: Connection, person: Person, campaign: Campaign, number: int) -> CaptiveStatus:
    """Return the status of a captive (number), with what the person may know."""
    known = list_known(tx, make_viewer(tx, person, campaign))
    status = next((item for item in known if item.id == number and item.captivity), None)
    if status is None:
        raise NotOpen("That captivity has ended.", NOT_CAPTIVE)
    return status


def _only_held(status: CaptiveStatus) -> CaptiveStatus:
    return CaptiveStatus(status.id, status.name, status.captivity, captor=True)


def find_escaping(tx: Connection, campaign_id: int, now: Moment) -> set[int]:
    """Return the captives (numbers) who are ordered to escape, but for orders that are held; or have declared it, as versions before kept it."""
    found = {number for number, value in find_ordered(tx, campaign_id, ESCAPE).items() if not value["held"]}
    for key, value in state.find_values_of_name(tx, campaign_id, DECLARED).items():
        number = number_of(key)
        if has_declared_escape(value, state.get_value(tx, campaign_id, key, rolled_name(ESCAPE, number)), now):
            found.add(number)
    return found.intersection(_numbers(state.find_values_of_name(tx, campaign_id, CAPTIVE))) if found else found


def find_captives(tx: Connection, viewer: Viewer, names: Sequence[str], *, own: bool = True) -> list[CaptiveStatus]:
    """Return how things stand with these captives, in the order typed; `own` as for `find`."""
    found = [find(tx, viewer, name, own=own) for name in names]
    for name, status in zip(names, found, strict=True):
        if status is None or status.captivity is None:
            _require_alive(viewer, status)
            raise _unknown(tx, viewer, name, own=own)
    return list({status.id: status for status in found if status is not None}.values())


def _require_alive(viewer: Viewer, status: CaptiveStatus | None) -> None:
    """Tell a game master that a captive of old is dead; players read the same of the dead as of strangers."""
    if status and status.fate and is_dead(status.fate) and viewer.person.leads(viewer.campaign):
        number = status.fate["entry"]
        raise NotOpen(f"{status.name} is dead (entry #{number}).", f"See /ledger show number:{number}.")


def _unknown(tx: Connection, viewer: Viewer, name: str, *, own: bool) -> BadInput:
    """Return the refusal of somebody who is no captive, with the nearest name of those that the person may know to be; `own` as for `find`."""
    what, do = explain_not_captive(name)
    now = find_now(tx, viewer.person, viewer.campaign)
    held = [status for status in read_everyone(tx, viewer.campaign.id, now).values() if status.captivity]
    if own and not viewer.person.leads(viewer.campaign):
        cast = subjects.get_subjects(tx, viewer.campaign.id, [status.id for status in held])
        held = [status for status in held if viewer.owns(cast[status.id])]
    close = nearest(name, [status.name for status in _known(tx, viewer, held)])
    return BadInput(what, f"Did you mean {close}?" if close else do)


def by_place(
    _tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus]
) -> dict[str | None, list[CaptiveStatus]]:
    """Return captives by the name of the place where they are held; None where the person may not know of that."""
    held = [status.captivity.at if status.captivity else None for status in captives]
    return group_by_place(captives, [at.name if at and viewer.knows(at) else None for at in held])


def by_region(
    tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus]
) -> dict[str | None, list[CaptiveStatus]]:
    """Return captives by the saved region of the place where they are held; None where none is saved, or in secret."""
    places = [status.captivity.at.id if status.captivity else 0 for status in captives]
    saved = profiles.read_profiles(tx, viewer.campaign.id, set(places))
    bases = map(saved.get, places)
    return group_by_place(captives, [base.region if base and not base.secret else None for base in bases])


def find(tx: Connection, viewer: Viewer, name: str, *, own: bool = True) -> CaptiveStatus | None:
    """Return how things stand with whoever of a name is a captive, or else was one.

    For players, with their own only; unless `own`, also with those whom their own side holds.

    Raises:
        BadInput: several are that the person may know of.

    """
    named = subjects.find_bearers(tx, viewer.campaign.id, name)
    if viewer.person.leads(viewer.campaign):
        allowed = named
    else:
        allowed = [item for item in named if viewer.owns(item) or not (own or (item.saved and not viewer.knows(item)))]
    now = find_now(tx, viewer.person, viewer.campaign)
    known = list(statuses(tx, viewer.campaign.id, [item.id for item in allowed], now).values())
    known = known if own else _known(tx, viewer, known)
    return subjects.choose_named([item for item in known if item.captivity] or known, name)


def _known(tx: Connection, viewer: Viewer, every: Sequence[CaptiveStatus]) -> list[CaptiveStatus]:
    """Return the current and former captives that the person may know of: game masters all, players their own and those they hold."""
    if viewer.person.leads(viewer.campaign) or not every:
        return list(every)
    holder, named = (
        knowledge.Captor(tx, viewer),
        subjects.get_subjects(tx, viewer.campaign.id, {item.id for item in every}),
    )

    def knows(status: CaptiveStatus) -> bool:
        who, held = named[status.id], status.captivity
        if viewer.person.plays(viewer.campaign) and viewer.owns(who):
            return True
        return held is not None and viewer.knows(who) and holder.holds({"by": held.by.id, "at": held.at.id})

    return list(filter(knows, every))


def hide_unknown(tx: Connection, viewer: Viewer, status: CaptiveStatus) -> CaptiveStatus:
    """Return how things stand with a captive without the names of captor and place, where the person may not know them, and without an order that is sealed.

    It tells which of its entries the person may not read.
    """
    if not viewer.person.leads(viewer.campaign) and status.giver != viewer.mine:
        status = replace(status, ordered=None)
    held = status.captivity
    told = (
        held.entry if held else None,
        status.fate["entry"] if status.fate else None,
        status.cracked,
        status.ordered,
    )
    numbers = {number for number in told if number is not None}
    hidden = find_unreadable(tx, viewer.person, viewer.campaign, viewer.mine, numbers)
    status = replace(status, unreadable=hidden)
    if held is None:
        return status
    known = subjects.get_subjects(tx, viewer.campaign.id, {held.by.id, held.at.id})
    by, at = known[held.by.id], known[held.at.id]
    named = (replace(by, name=viewer.named(by)), replace(at, name=viewer.named(at, UNKNOWN_PLACE)))
    return replace(status, captivity=replace(held, by=named[0], at=named[1]))


def _status(
    number: int, values: Mapping[str, Json], now: Moment, names: Mapping[int, str], order: Mapping[str, Json]
) -> CaptiveStatus:
    current = {name: value for name, value in values.items() if holds(value, now)}
    return CaptiveStatus(
        id=number,
        name=names[number],
        captivity=_custody(values.get(CAPTIVE), names),
        fate=values.get(FATE),
        cracked=current[CRACKED]["entry"] if CRACKED in current else None,
        injuries=tuple(injury_levels(values.get(INJURED), now)),
        seriously=SERIOUS in current,
        resisting=RESISTING in current,
        ordered=order.get("entry"),
        giver=order.get("giver"),
        newest=max(values[name]["entry"] for name in (CAPTIVE, FATE) if name in values),
    )


def _custody(value: Captivity | None, names: Mapping[int, str]) -> Custody | None:
    if value is None:
        return None
    place = Subject(value["at"], names[value["at"]])
    return Custody(Subject(value["by"], names[value["by"]]), place, value["since"], value.get("moved"), value["entry"])


def _numbers(keys: Iterable[str]) -> list[int]:
    return [number for key in keys if (number := subject_number(key)) is not None]
