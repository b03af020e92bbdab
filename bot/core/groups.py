"""Groups: sides, factions, squads of players. An audience may be a group: its members alone, beside the staff, know of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.records import Change
from bot.core.state import State
from bot.errors import BadInput
from rules.errors import nearest
from rules.subjects import GROUP, PROFILE, name_key, number_of, subject_key

MAX_GROUPS, MAX_EVER, MAX_MEMBERS = 20, 100, 50
"""Groups of a campaign, so that a select has room for them beside what else a result may go to; those that were removed as
well, as the ledger is searched for each by itself; and members of each."""

_BEGINS = f"{GROUP}:"


class Group(Struct, frozen=True):
    """A group: a subject (number and name) with members (numbers of units and characters), a role and a channel.

    Ids are text, since they do not fit a JSON number. Of one that is not `secret` everybody who plays may know. One that is
    `removed` has neither members nor role: what it was told stays the staff's.
    """

    id: int
    name: str
    members: Sequence[int] = ()
    role: str | None = None
    channel: str | None = None
    secret: bool = True
    removed: bool = False

    @property
    def audience(self) -> str:
        """The audience of what is for the group alone."""
        return as_audience(self.id)

    def value(self) -> dict[str, Any]:
        """Return what the state keeps of it."""
        return {name: value for name, value in to_builtins(self).items() if name not in {"id", "name"}}


def as_audience(number: int) -> str:
    """Return the audience of what is for the group of a number alone."""
    return f"{_BEGINS}{number}"


def is_group(audience: str) -> bool:
    """Tell whether an audience is a group."""
    return audience.startswith(_BEGINS)


def every(tx: Connection, campaign_id: int) -> list[Group]:
    """Return all groups of a campaign by name, also those that are removed."""
    kept = {number_of(key): value for key, value in state.of_name(tx, campaign_id, GROUP).items()}
    names = subjects.names(tx, campaign_id, kept)
    found = (Group(number, names[number], **kept[number]) for number in kept)
    return sorted(found, key=lambda group: name_key(group.name))


def current(tx: Connection, campaign_id: int) -> list[Group]:
    """Return the groups that there are, by name."""
    return [group for group in every(tx, campaign_id) if not group.removed]


def named(tx: Connection, campaign_id: int, typed: str) -> Group:
    """Return the group of a name, or of an audience.

    Raises:
        BadInput: there is none.

    """
    known = current(tx, campaign_id)
    found = next((group for group in known if group.audience == typed), None) or subjects.one_of(known, typed)
    if found is not None:
        return found
    close = nearest(typed, [group.name for group in known])
    do = f"Did you mean {close}?" if close else "See /campaign group list."
    raise BadInput(f"I don't know the group {typed[:60]!r}.", do)


def told_in(tx: Connection, campaign_id: int, channels: Collection[int]) -> str | None:
    """Return the audience that is the group of one of these channels (ids), which is its alone; None where none is a group's."""
    kept, ids = state.of_name(tx, campaign_id, GROUP), {*map(str, channels)}
    own = (key for key, value in kept.items() if not value["removed"] and value["channel"] in ids)
    return next((as_audience(number_of(key)) for key in own), None)


def channel_of(tx: Connection, campaign_id: int, audience: str) -> int | None:
    """Return the channel (id) of an audience that is a group and has one."""
    value = _kept(tx, campaign_id, audience)
    return int(value["channel"]) if value and value["channel"] else None


def called(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return the name of the group that an audience is; empty where it is none, or one that was removed."""
    return name_of(tx, campaign_id, audience) if is_group(standing(tx, campaign_id, audience)) else ""


def name_of(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return the name of the group that an audience is, also of one that was removed."""
    return subjects.names(tx, campaign_id, {_number(audience)})[_number(audience)]


def standing(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return who reads now what is for an audience: the staff where that is a group that was removed."""
    value = _kept(tx, campaign_id, audience)
    return "staff" if value and value["removed"] else audience


def _kept(tx: Connection, campaign_id: int, audience: str) -> Any:  # noqa: ANN401 - as the state has it
    """Return what is kept of the group that an audience is."""
    return state.get(tx, campaign_id, subject_key(_number(audience)), GROUP) if is_group(audience) else None


def _number(audience: str) -> int:
    return int(audience.removeprefix(_BEGINS))


def require_apart(tx: Connection, campaign_id: int, others: Sequence[int]) -> None:
    """Refuse where a channel (id) is that of two groups, or of a group and what these are for."""
    taken = [*map(str, others), *(group.channel for group in current(tx, campaign_id) if group.channel)]
    if len({*taken}) < len(taken):
        raise BadInput(
            "That channel already belongs to another group.", "Pick a channel only this group can see, or none."
        )


def joined(tx: Connection, campaign_id: int, roles: Collection[int], mine: str | None) -> frozenset[int]:
    """Return the groups (numbers) in which somebody is, by the ids of their roles or as owner (pseudonym) of a member."""
    kept = {number_of(key): value for key, value in state.of_name(tx, campaign_id, GROUP).items()}
    members = {subject_key(number) for value in kept.values() for number in value["members"]}
    saved = state.named(tx, campaign_id, members, {PROFILE}) if members and mine else {}
    own = {number_of(subject) for (subject, _), value in saved.items() if value["owner"] == mine}
    given = {*map(str, roles)}
    return frozenset(
        number for number, value in kept.items() if not own.isdisjoint(value["members"]) or value["role"] in given
    )


def is_part(name: str) -> bool:
    """Tell whether a name is that of a group's value, or of a member of it as `apart` has them."""
    return name.partition(".")[0] == GROUP


def apart(change: Change, *, whole: bool) -> Iterator[Change]:
    """Yield a change of a group as one for each member that comes or goes, beside the `whole` of it if wanted; any other change as it is."""
    if whole or change.name != GROUP:
        yield change
    if change.name == GROUP:
        before, after = ({*value["members"]} if value else set() for value in (change.before, change.after))
        for number in sorted(before ^ after):
            yield Change(change.subject, f"{GROUP}.{number}", number in before or None, number in after or None)


def undone(change: Change, now: Any) -> Any:  # noqa: ANN401 - as the state has it
    """Return a group as it is once a change of it is taken back, out of how it is `now`: what others have changed since stays.

    One that began with the change goes on where somebody has changed it since, without those with whom it began.
    """
    if now == change.after:
        return change.before
    if now is None or now["removed"]:
        return now
    after, before = change.after, change.before or {**change.after, "members": []}
    members = [number for number in now["members"] if number in before["members"] or number not in after["members"]]
    members += [number for number in before["members"] if number not in {*after["members"], *members}]
    return {**now, **{name: value for name, value in before.items() if value != after[name]}, "members": members}


def leaving(kept: State, number: int, _entry: int) -> Iterator[Change]:
    """Yield what takes a subject that is removed out of its groups; `kept` is the whole state."""
    for (subject, name), value in kept.items():
        if name == GROUP and number in value["members"]:
            yield Change(subject, name, value, {**value, "members": [*filter(number.__ne__, value["members"])]})
