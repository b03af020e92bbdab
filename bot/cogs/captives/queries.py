"""Current and former captives in the state."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import profiles, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotOpen
from bot.core.permissions import Person, find_now, find_unreadable
from bot.core.records import UNKNOWN_PLACE, Json
from bot.core.visibility import Viewer, make_viewer, require_own, require_part
from bot.orders.standing import find_ordered
from bot.ui import parsing
from rules import effects, errors
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, INJURED, EndedCaptivity, injury_levels, is_dead
from rules.effects import Moment, is_current
from rules.subjects import name_key, number_of, subject_key, subject_number

INTERROGATION, ESCAPE = "interrogation", "escape"

SERIOUS, RESISTING = f"{effects.EFFECT}seriously-injured", f"{effects.EFFECT}resisting"
KEPT = frozenset({CAPTIVE, FATE, CRACKED, INJURED, SERIOUS, RESISTING})
TRIED = f"{effects.ROLLED}{ESCAPE}."


class Custody(Struct, frozen=True):
    """Who took a captive (`by`), the place, and times (ISO, UTC); `entry` changed it last."""

    by: subjects.Subject
    at: subjects.Subject
    since: str
    moved: str | None
    entry: int

    @property
    def in_person(self) -> bool:
        """Whether a character has the captive, not a base; then only `/roe` has an escape."""
        return self.by.id == self.at.id


class CaptiveStatus(Struct, frozen=True):
    """A current (`captivity`) or former captive.

    `cracked`, `ordered` (an escape order of `giver`) and `newest` are entries; the reader can't open `unreadable` ones.
    With `captor`, the reader's side has the captive and someone else plays them.
    """

    id: int
    name: str
    captivity: Custody | None
    fate: EndedCaptivity | None = None
    cracked: int | None = None
    injuries: tuple[int | None, ...] = ()
    seriously: bool = False
    resisting: bool = False
    ordered: int | None = None
    giver: str | None = None
    newest: int = 0
    unreadable: frozenset[int] = frozenset()
    captor: bool = False


def read_statuses(tx: Connection, campaign_id: int, numbers: Collection[int], now: Moment) -> dict[int, CaptiveStatus]:
    """Return who of these subject numbers is or was a captive, by number, sorted by name."""
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
    """Read all captives and former captives."""
    known = {**state.find_values_of_name(tx, campaign_id, CAPTIVE), **state.find_values_of_name(tx, campaign_id, FATE)}
    return read_statuses(tx, campaign_id, list(filter(None, map(subject_number, known))), now)


def not_at_base(name: str) -> tuple[str, str]:
    """Return a refusal, what and hint: a captive without a base escapes with another command."""
    return f"{name} isn't held at a base: the captor is a character.", "Use /roe capture with how: escape."


def show(tx: Connection, person: Person, campaign: Campaign, captive: str) -> CaptiveStatus:
    """Return a captive's status."""
    (name,) = parsing.names(captive, "captive", 1)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    status = find(tx, viewer, name, own=False)
    if status is None:
        require_own(tx, campaign, person, [name])
        raise _refuse_unknown(tx, viewer, name, own=True)
    return hide_unknown(tx, viewer, status if filter_owned(tx, viewer, [status]) else _only_held(status))


def require_held(
    tx: Connection, person: Person, campaign: Campaign, number: int, seen: int | None = None
) -> CaptiveStatus:
    """Return a known captive; refuse if free now, or taken or moved since entry `seen`."""
    found = list(read_statuses(tx, campaign.id, [number], find_now(tx, person, campaign)).values())
    status = next(iter(_filter_known(tx, make_viewer(tx, person, campaign), found)), None)
    if status is None or status.captivity is None:
        raise NotOpen("That captivity has ended.", profiles.NOT_CAPTIVE)
    if seen is not None and status.captivity.entry != seen:
        what = f"{status.name} was moved or captured again since you looked: entry #{status.captivity.entry}."
        raise NotOpen(what, "Nothing was done. See /captives.")
    return status


def list_captive_names(tx: Connection, person: Person, campaign: Campaign, *, at_bases: bool = False) -> list[str]:
    """Name known captives; `at_bases` leaves out those kept by a character in person."""
    every = read_everyone(tx, campaign.id, find_now(tx, person, campaign)).values()
    held = [item for item in every if item.captivity and not (at_bases and item.captivity.in_person)]
    captives = _filter_known(tx, make_viewer(tx, person, campaign), held)
    return subjects.label_subjects(captives)


def list_captives(tx: Connection, person: Person, campaign: Campaign) -> list[CaptiveStatus]:
    """List known captives for `/captives`."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    return list_known(tx, viewer)


def list_known(tx: Connection, viewer: Viewer) -> list[CaptiveStatus]:
    """Return captives the viewer may know; of other players' captives only captor and place."""
    now = find_now(tx, viewer.person, viewer.campaign)
    known = _filter_known(tx, viewer, list(read_everyone(tx, viewer.campaign.id, now).values()))
    if viewer.person.leads(viewer.campaign):
        return known
    own = {item.id for item in filter_owned(tx, viewer, known)}
    return [hide_unknown(tx, viewer, item if item.id in own else _only_held(item)) for item in known]


def filter_owned(tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus]) -> list[CaptiveStatus]:
    """Keep captives whose character the player owns; game masters keep all."""
    if viewer.person.leads(viewer.campaign):
        return list(captives)
    named = subjects.get_subjects(tx, viewer.campaign.id, {item.id for item in captives})
    return [item for item in captives if viewer.owns(named[item.id])]


def pick(tx: Connection, person: Person, campaign: Campaign, number: int) -> CaptiveStatus:
    """Return a known captive by number."""
    known = list_known(tx, make_viewer(tx, person, campaign))
    status = next((item for item in known if item.id == number and item.captivity), None)
    if status is None:
        raise NotOpen("That captivity has ended.", profiles.NOT_CAPTIVE)
    return status


def _only_held(status: CaptiveStatus) -> CaptiveStatus:
    return CaptiveStatus(status.id, status.name, status.captivity, captor=True)


def find_captives(tx: Connection, viewer: Viewer, names: Sequence[str], *, own: bool = True) -> list[CaptiveStatus]:
    """Find current captives in the order typed, each once, or refuse; `own` as for `find`."""
    found = [find(tx, viewer, name, own=own) for name in names]
    for name, status in zip(names, found, strict=True):
        if status is None or status.captivity is None:
            if status and status.fate and is_dead(status.fate) and viewer.person.leads(viewer.campaign):
                number = status.fate["entry"]  # players read the same of the dead as of strangers
                raise NotOpen(f"{status.name} is dead (entry #{number}).", f"See /ledger entry:{number}.")
            raise _refuse_unknown(tx, viewer, name, own=own)
    return list({status.id: status for status in found if status is not None}.values())


def _refuse_unknown(tx: Connection, viewer: Viewer, name: str, *, own: bool) -> BadInput:
    what, do = profiles.explain_not_captive(name)
    now = find_now(tx, viewer.person, viewer.campaign)
    held = [status for status in read_everyone(tx, viewer.campaign.id, now).values() if status.captivity]
    if own:
        held = filter_owned(tx, viewer, held)
    close = errors.nearest(name, [status.name for status in _filter_known(tx, viewer, held)])
    return BadInput(what, f"Did you mean {close}?" if close else do)


def find(tx: Connection, viewer: Viewer, name: str, *, own: bool = True) -> CaptiveStatus | None:
    """Find a current or else former captive; None if unknown.

    Players find their own; without `own` also captives that their side has.

    Raises:
        BadInput: several match.

    """
    named = subjects.find_bearers(tx, viewer.campaign.id, name)
    if viewer.person.leads(viewer.campaign):
        allowed = named
    else:
        allowed = [item for item in named if viewer.owns(item) or not (own or (item.saved and not viewer.knows(item)))]
    now = find_now(tx, viewer.person, viewer.campaign)
    known = list(read_statuses(tx, viewer.campaign.id, [item.id for item in allowed], now).values())
    known = known if own else _filter_known(tx, viewer, known)
    return subjects.choose_named([item for item in known if item.captivity] or known, name)


def _filter_known(tx: Connection, viewer: Viewer, every: Sequence[CaptiveStatus]) -> list[CaptiveStatus]:
    if viewer.person.leads(viewer.campaign) or not every:
        return list(every)
    holder = visibility.Captor(tx, viewer)
    named = subjects.get_subjects(tx, viewer.campaign.id, {item.id for item in every})

    def knows(status: CaptiveStatus) -> bool:
        who, held = named[status.id], status.captivity
        if viewer.person.plays(viewer.campaign) and viewer.owns(who):
            return True
        return held is not None and viewer.knows(who) and holder.holds({"by": held.by.id, "at": held.at.id})

    return list(filter(knows, every))


def hide_unknown(tx: Connection, viewer: Viewer, status: CaptiveStatus) -> CaptiveStatus:
    """Hide names, sealed orders and entries the person may not know."""
    if not viewer.person.leads(viewer.campaign) and status.giver != viewer.mine:
        status = replace(status, ordered=None)
    held = status.captivity
    fate = status.fate["entry"] if status.fate else None
    about = (held.entry if held else None, fate, status.cracked, status.ordered)
    numbers = {number for number in about if number is not None}
    hidden = find_unreadable(tx, viewer.person, viewer.campaign, viewer.mine, numbers)
    status = replace(status, unreadable=hidden)
    if held is None:
        return status
    known = subjects.get_subjects(tx, viewer.campaign.id, {held.by.id, held.at.id})
    by, at = known[held.by.id], known[held.at.id]
    named = (replace(by, name=viewer.name_of(by)), replace(at, name=viewer.name_of(at, UNKNOWN_PLACE)))
    return replace(status, captivity=replace(held, by=named[0], at=named[1]))


def _status(
    number: int, values: Mapping[str, Json], now: Moment, names: Mapping[int, str], order: Mapping[str, Json]
) -> CaptiveStatus:
    current = {name: value for name, value in values.items() if is_current(value, now)}
    held = values.get(CAPTIVE)
    custody = None
    if held is not None:
        by, at = (subjects.Subject(number, names[number]) for number in (held["by"], held["at"]))
        custody = Custody(by, at, held["since"], held.get("moved"), held["entry"])
    return CaptiveStatus(
        id=number,
        name=names[number],
        captivity=custody,
        fate=values.get(FATE),
        cracked=current[CRACKED]["entry"] if CRACKED in current else None,
        injuries=tuple(injury_levels(values.get(INJURED), now)),
        seriously=SERIOUS in current,
        resisting=RESISTING in current,
        ordered=order.get("entry"),
        giver=order.get("giver"),
        newest=max(values[name]["entry"] for name in (CAPTIVE, FATE) if name in values),
    )
