"""Groups of a campaign: made, changed, removed, listed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.campaign.entries import audience_of_group
from bot.cogs.campaign.service import require_free
from bot.core import entries, groups, profiles, state, subjects
from bot.core.campaigns import Campaign, on_server, open_campaign
from bot.core.groups import MAX_EVER, MAX_GROUPS, MAX_MEMBERS, Group
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import Subject, Subjects, respelled
from bot.core.visibility import require_part, viewer_of
from bot.errors import BadInput, NotAsItIs, NotOpen
from bot.outbox import store as posts
from bot.rolls.extension import HouseRules
from bot.rolls.pending import store as pending
from bot.rolls.request import TO_WORDS
from bot.ui import parsing
from rules.errors import nearest
from rules.subjects import GROUP, PROFILE, name_key, number_of, subject_key

TOO_MANY = (f"A campaign has at most {MAX_GROUPS} groups.", "Remove one first: /campaign group remove.")


class NoMember(BadInput):
    """What was typed as a member isn't a unit or character: `typed` may be a player, or a slip in one of the `saved` names."""

    def __init__(self, typed: str, saved: Iterable[str]) -> None:
        close = nearest(typed[:60], saved)
        do = f"Did you mean {close}?" if close else "See /unit list and /character list."
        super().__init__(f"I can't find a unit or character called {typed[:60]!r}.", do)
        self.typed = typed


class GroupRemoval(Struct, frozen=True):
    """A group that is to be removed, how many rolls wait whose result would be for it alone, and the newest entry that there is."""

    group: Group
    waiting: int
    newest: int


def save(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, typed: str | None, wanted: Mapping[str, Any]
) -> Group:
    """Change the group of a name, or make one, where none is typed; return it.

    `wanted` are fields of the group, names of units and characters to `add` and to `drop`, and a field that it is `without`
    from now on. Who is known by the name of a new group already, such as a side, is that group; one that was removed is not.
    """
    campaign, people = open_campaign(tx, campaign_id), Subjects(tx, campaign_id)
    _require_manager(person, campaign)
    before = _new(tx, people, campaign, wanted["name"]) if typed is None else groups.named(tx, campaign.id, typed)
    after = _changed(tx, campaign, before, wanted)
    if typed is not None and after == before:
        raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
    who = Subject(before.id, before.name)
    kept = Change(who.key, GROUP, state.get(tx, campaign.id, who.key, GROUP), after.value())
    body = {"deed": "removed" if after.removed else "added" if typed is None else "changed", "group": after.name}
    changes = (*people.changes, *respelled(who, after.name), kept)
    audience = audience_of_group({"changes": [kept.record()]})
    ledger.enter(tx, campaign, person.user_id, EntryDraft(GROUP, audience, body, changes))
    groups.require_apart(tx, campaign.id, [campaign.results_channel_id, campaign.staff_channel_id])
    if before.channel not in {None, after.channel}:  # what was not sent there goes where the group is told from now on
        moved = (int(before.channel or 0), int(after.channel or campaign.staff_channel_id))
        posts.send_on(tx, campaign.id, {"group"}, moved, ledger.now())
    return after


def remove(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, number: int, seen: int
) -> tuple[Group, int]:
    """Remove a group as it was `seen`, in the campaign's newest entry then; return it with the number of the entry that says so."""
    campaign, key = on_server(tx, person.guild_id, campaign_id), subject_key(number)
    _require_manager(person, campaign)
    for entry in entries.walk(tx, campaign.id, after=seen):
        if entry.kind == GROUP and any(item["subject"] == key for item in entry.content()["changes"]):
            raise NotOpen(f"That group has changed since you looked (entry #{entry.number}).", "Nothing was done.")
    gone = save(tx, ledger, person, campaign.id, groups.as_audience(number), {"removed": True})
    return gone, entries.newest(tx, campaign.id, campaign.uuid).number


def check_void(tx: Connection, _library: HouseRules, campaign: Campaign, again: State) -> None:
    """Refuse to make a group again that has no place any more; `again` are the values after it."""
    known = {group.id: group for group in groups.every(tx, campaign.id)}
    there = {name_key(group.name) for group in known.values() if not group.removed}
    saved = {item.id for item in profiles.everyone(tx, campaign.id)}
    saved |= {number_of(subject) for (subject, name), value in again.items() if name == PROFILE and value}
    back = ((number_of(key), value) for (key, name), value in again.items() if name == GROUP and value)
    for group in (replace(known[number], **value) for number, value in back):
        if group.removed or not known[group.id].removed:
            continue
        if name_key(group.name) in there:
            raise NotAsItIs(f"Another group is called {group.name} now.", "Rename or remove that one first.")
        lost = sorted(subjects.names(tx, campaign.id, {*group.members} - saved).values())
        if lost:
            who = f"{lost[0]}, a member of {group.name}, was removed later."
            raise NotAsItIs(who, "Undo that first. Find it with /ledger list.")
        if len(there) >= MAX_GROUPS:
            raise NotAsItIs(*TOO_MANY)
        own = [int(group.channel)] if group.channel else []
        require_free(tx, campaign, own)
        groups.require_apart(tx, campaign.id, [campaign.results_channel_id, campaign.staff_channel_id, *own])


def listed(tx: Connection, person: Person, campaign: Campaign) -> list[tuple[Group, list[str]]]:
    """Return the groups of which the person may know, with the names of those members whom that one may know.

    Game masters know all, players their own, and those that are not secret without their channels.
    """
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    found = []
    for group in groups.current(tx, campaign.id):
        inside = person.leads(campaign) or group.id in viewer.groups
        if inside or not group.secret:
            named = subjects.by_number(tx, campaign.id, group.members).values()
            names = sorted((item.name for item in named if viewer.knows(item)), key=name_key)
            found.append((group if inside else replace(group, channel=None), names))
    return found


def inside(tx: Connection, campaign: Campaign, group: Group) -> tuple[list[str], bool]:
    """Return the names of a group's members, and whether a player is in it: by a role, or as the owner of one."""
    members = profiles.read(tx, campaign.id, {*group.members}).values()
    names = sorted((item.name for item in members), key=name_key)
    return names, group.role is not None or any(item.owner for item in members)


def owned(tx: Connection, campaign: Campaign, user_id: int) -> list[str]:
    """Return the names of a player's own units and characters, in their order."""
    mine = entries.pseudonym_of(tx, campaign.id, user_id)
    return sorted(
        (item.name for item in profiles.everyone(tx, campaign.id) if mine and item.owner == mine), key=name_key
    )


def _require_manager(person: Person, campaign: Campaign) -> None:
    require_game_master(person, campaign, "manage its groups", "See yours with /campaign group list.")


def _new(tx: Connection, people: Subjects, campaign: Campaign, typed: str) -> Group:
    """Return a group that is to be made, as nothing is in it yet."""
    (name,) = parsing.names(typed, "group", 1)
    known = groups.every(tx, campaign.id)
    if sum(not group.removed for group in known) >= MAX_GROUPS:
        raise BadInput(*TOO_MANY)
    if len(known) >= MAX_EVER:
        do = "Undo a removal instead. Find it with /ledger list."
        raise BadInput(f"This campaign has had {MAX_EVER} groups, the most it can have.", do)
    (item,) = people.unsaved([name])
    return Group(item.id, item.name)


def _changed(tx: Connection, campaign: Campaign, group: Group, wanted: Mapping[str, Any]) -> Group:
    """Return a group as it is to be."""
    if wanted.get("removed"):
        return Group(group.id, group.name, secret=group.secret, removed=True)
    fields = {field: value for field, value in wanted.items() if field in Group.__struct_fields__}
    fields |= {wanted["without"]: None} if "without" in wanted else {}
    gone, new = (_numbers(tx, campaign, wanted.get(names)) for names in ("drop", "add"))
    members = [number for number in dict.fromkeys((*group.members, *new)) if number not in gone]
    (name,) = parsing.names(wanted.get("name", group.name), "group", 1)
    after = replace(group, **{**fields, "members": members, "name": name})
    others = {name_key(other.name) for other in groups.current(tx, campaign.id) if other.id != group.id}
    if name_key(after.name) in {*map(name_key, TO_WORDS), *others}:
        raise BadInput(f"{after.name!r} is taken.", "Pick another name.")
    if name_key(after.name) != name_key(group.name) or not state.get(tx, campaign.id, subject_key(group.id), GROUP):
        _require_nobodys(tx, campaign, after)
    if len(after.members) > MAX_MEMBERS:
        raise BadInput(f"A group has at most {MAX_MEMBERS} members.", "Give it a role: everyone with it is a member.")
    if after.channel is not None:
        require_free(tx, campaign, [int(after.channel)])
    return after


def _require_nobodys(tx: Connection, campaign: Campaign, group: Group) -> None:
    """Refuse the name of a unit or character: it would stand for two in all that is typed."""
    item = subjects.one_of(profiles.everyone(tx, campaign.id), group.name)
    if item is not None:
        raise BadInput(f"{item.name} is already a {item.kind}.", "Pick another name for the group.")


def removal(tx: Connection, person: Person, campaign: Campaign, typed: str) -> GroupRemoval:
    """Return what goes with a group of a name, to whom nothing is done yet."""
    _require_manager(person, campaign)
    group = groups.named(tx, campaign.id, typed)
    waiting = [item for item in pending.still_open(tx, campaign.id) if item.request.to == group.audience]
    return GroupRemoval(group, len(waiting), entries.newest(tx, campaign.id, campaign.uuid).number)


def _numbers(tx: Connection, campaign: Campaign, typed: str | None) -> list[int]:
    """Return the units and characters of names parted by commas."""
    found, saved = [], profiles.everyone(tx, campaign.id) if typed else []
    for name in parsing.names(typed, "member", MAX_MEMBERS) if typed else ():
        item = subjects.one_of(saved, name)
        if item is None:
            raise NoMember(name, [other.name for other in saved])
        found.append(item.id)
    return found
