"""Groups that follow the factions of a war, in the entries that change these.

The war keeps each faction's group by the faction's id, so either may be renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.war.posts import SEEN_BY
from bot.core import entries, permissions, profiles, state, subjects, voiding
from bot.core.campaigns import Campaign
from bot.core.ledger import EntryView
from bot.core.records import Change, Entry, Json
from bot.core.subjects import Subjects
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.extension import ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import TO_WORDS
from bot.rolls.resolver import Resolver
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, plain
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import SEEN
from rules.books.total_war.war import War
from rules.effects import ORDERED, SCENE
from rules.subjects import GROUP, NAME, PROFILE, name_key, number_of, subject_key

GROUPED = "grouped."  # begins the names of these values; the faction's id follows
_RESERVED = frozenset(map(name_key, TO_WORDS))
_NUMBER = re.compile(" [0-9]+$")  # behind a name that another group has


class Grouping(Struct):
    """The groups as an entry leaves them.

    `links` are numbers of groups by faction, `every` all groups by number, `set` values to set; people leave groups in
    `left`.
    """

    tx: Connection
    campaign_id: int
    scene: str
    people: Subjects
    links: dict[str, int]
    every: dict[int, permissions.Group]
    set: dict[StateKey, Json]
    left: frozenset[int] = frozenset()

    @classmethod
    def of(cls, tx: Connection, campaign_id: int, scene: str, links: Mapping[str, int]) -> Grouping:
        """Read the campaign's groups; `links` are numbers of groups by faction."""
        every = {group.id: group for group in permissions.list_all_groups(tx, campaign_id)}
        return cls(tx, campaign_id, scene, Subjects(tx, campaign_id), dict(links), every, {})

    def group_of(self, faction: str | None) -> permissions.Group | None:
        """Return a faction's group, if it still exists."""
        group = self.every.get(self.links.get(faction or "", 0))
        return None if group is None or group.removed else group

    def link(self, faction: str, group: permissions.Group) -> None:
        """Make a group that of a faction."""
        self.links[faction] = group.id
        self.set[self.scene, f"{GROUPED}{faction}"] = {"id": group.id}

    def add_group(self, faction: str, called: str) -> None:
        """Make an empty public group for a faction; nothing happens at the campaign's limit of groups."""
        if (
            sum(not group.removed for group in self.every.values()) >= permissions.MAX_GROUPS
            or len(self.every) >= permissions.MAX_EVER
        ):
            return
        (who,) = self.people.pick_unsaved([self._free_name(called)])
        self._set_group(permissions.Group(who.id, who.name, secret=False))
        self.link(faction, self.every[who.id])

    def rename(self, faction: str, before: Iterable[str], called: str) -> None:
        """Rename a faction's group, unless its name differs from the faction's names `before`."""
        group = self.group_of(faction)
        if group is None:
            return
        either = {name_key(group.name), name_key(_NUMBER.sub("", group.name))}
        if not either.isdisjoint(map(name_key, before)):
            self.set[subject_key(group.id), NAME] = self._free_name(called)

    def enrol(self, name: str, owner: str | None, faction: str | None, *, joins: bool = False) -> None:
        """Move a player's character into one faction's group; None only takes it out."""
        own = [item for item in profiles.list_profiles(self.tx, self.campaign_id) if owner and item.owner == owner]
        theirs, mine = {item.id for item in own}, self.group_of(faction)
        for number in sorted(self.left.union(self.links.values()) & self.every.keys() - {mine.id if mine else 0}):
            self._set_members(number, [member for member in self.every[number].members if member not in theirs])
        named = next((item.id for item in own if name_key(item.name) == name_key(name)), None)
        if joins and named is None:
            named = self._save_character(profiles.Profile(name, "pc", owner=owner))
        character = named if named is not None or not own else own[0].id  # renamed since
        if mine is not None and character is not None and character not in mine.members:
            self._set_members(mine.id, [*mine.members, character])

    def _save_character(self, new: profiles.Profile) -> int:
        (who,) = self.people.pick_unsaved([new.name])
        kept = state.get_values(self.tx, self.campaign_id, {who.key})
        if any(name.startswith(ORDERED) for _, name in kept):
            who = self.people.new(new.name)
        self.set[who.key, PROFILE] = new.value()
        return who.id

    def _set_members(self, number: int, members: Sequence[int]) -> None:
        group = self.every[number]
        if [*members] != [*group.members]:
            self._set_group(replace(group, members=members))

    def _set_group(self, group: permissions.Group) -> None:
        self.every[group.id] = group
        self.set[subject_key(group.id), GROUP] = group.value()

    def _free_name(self, called: str) -> str:
        known = {name_key(group.name) for group in self.every.values() if not group.removed and not group.secret}
        names = (called, *(f"{called} {number}" for number in range(2, permissions.MAX_EVER + 2)))
        return next(name for name in names if name_key(name) not in _RESERVED | known)

    def changes(self) -> dict[StateKey, Json]:
        """Return all values to set, new subjects' names first."""
        return {(item.subject, item.name): item.after for item in self.people.changes} | self.set


def read_links(tx: Connection, campaign_id: int, scene: str) -> dict[str, int]:
    """Return the number of each faction's group by faction id."""
    kept = state.get_values(tx, campaign_id, {scene})  # a roll in the war has read it
    return {name.removeprefix(GROUPED): value["id"] for (_, name), value in kept.items() if name.startswith(GROUPED)}


def follow_factions(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return changes that let groups follow a roll's factions and players; in fog, keep which groups saw the roll."""
    scene, parts = roll.request.scene, roll.resolution.parts
    if scene is None or not scene.startswith(f"{storage.WAR}:"):
        return ExtraChanges()
    links = read_links(tx, roll.campaign.id, scene)
    changed = {name: value for part in parts for who, name, value in part.changes if who == SCENE}
    changes: Mapping[StateKey, object] = {}
    if any(name.startswith((storage.FACTION, storage.PLAYER)) for name in changed):
        grouping = Grouping.of(tx, roll.campaign.id, scene, links)
        values = {name: value for (_, name), value in state.get_values(tx, roll.campaign.id, {scene}).items()}
        then = {name: value for name, value in {**values, **changed}.items() if value is not None}
        _follow_war(grouping, storage.read(roll.book, values)[1], storage.read(roll.book, then)[1])
        links, changes = grouping.links, grouping.changes()
    seen = {faction for part in parts for faction in part.record.get(SEEN, ())}
    seen_by = {faction: number for faction, number in links.items() if faction in seen}
    return ExtraChanges(changes, {SEEN_BY: seen_by} if seen_by else {})


def group_factions(grouping: Grouping, war: War, before: War | None, left: Iterable[int]) -> Iterator[Change]:
    """Yield the groups of a new war: kept, found by name, or new.

    Players of the war `before` stay only if they are still in that faction; they leave the groups in `left`.
    """
    grouping.left = frozenset(left)
    named = {name_key(group.name): group for group in grouping.every.values() if not group.removed}
    for faction, side in war.factions.items():
        group = grouping.group_of(faction) or named.get(name_key(side.name))
        if group is None:
            grouping.add_group(faction, side.name)
        else:
            grouping.link(faction, group)
    for name, player in before.players.items() if before else ():
        grouping.enrol(name, player.owner, war.players[name].faction if name in war.players else None)
    subjects, names = ({key[place] for key in grouping.set} for place in (0, 1))
    kept = state.get_values_named(grouping.tx, grouping.campaign_id, subjects, names)
    yield from grouping.people.changes
    yield from (Change(*key, kept.get(key), value) for key, value in grouping.set.items())


def _follow_war(grouping: Grouping, before: War, after: War) -> None:
    new = after.factions.keys() - grouping.links.keys() | (after.factions.keys() - before.factions.keys())
    for faction, side in after.factions.items():
        if faction in new:
            grouping.add_group(faction, side.name)
        elif side.name != before.factions[faction].name:
            grouping.rename(faction, side.once, side.name)
    for name, player in after.players.items():
        known = before.players.get(name)
        if known is None or known.faction != player.faction or player.faction in new:
            grouping.enrol(name, player.owner, player.faction, joins=known is None)


GIVE = "has no channel for its results. Set one: `/campaign group edit`"


def notify_staff(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue a staff post if people moved between factions' groups."""
    lines = [*_group_changes(tx, campaign, entry)]
    if not lines:
        return ()
    embed = discord.Embed(title="Groups of factions", description="\n".join(lines), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    message = OutgoingMessage("notice", campaign.staff_channel_id, [embed])
    return resolver.outbox.queue(tx, campaign.id, None, [message])


def notify_staff_of_void(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue a staff post about people who moved between groups because an entry was undone."""
    mark = voiding.find_mark(tx, campaign.id, entry.number)
    void = entries.get_entry(tx, campaign.id, mark.by) if mark else None
    return notify_staff(tx, resolver, campaign, void) if void else ()


def _group_changes(tx: Connection, campaign: Campaign, entry: Entry) -> Iterator[str]:
    body = entry.content()
    changes = [Change(**item) for item in body["changes"]]
    moved = [item for item in changes if item.name == GROUP]
    if not moved or not any(item.subject.startswith(f"{storage.WAR}:") for item in changes):
        return
    fog = any(SEEN in part["record"] for part in body.get("parts", ()))
    known = {group.id: group for group in permissions.list_groups(tx, campaign.id)}
    for item in moved:
        group = known.get(number_of(item.subject))
        if group is not None:
            yield from _member_changes(tx, campaign, group, item)
            if item.before is None and fog:
                yield f"The new group {plain(group.name)} {GIVE}."


def _member_changes(tx: Connection, campaign: Campaign, group: permissions.Group, change: Change) -> Iterator[str]:
    before, after = ((value or {"members": ()})["members"] for value in (change.before, change.after))
    names = subjects.name_subjects(tx, campaign.id, {*before, *after})
    gone, new = (
        ", ".join(plain(names[number]) for number in one if number not in other)
        for one, other in ((before, after), (after, before))
    )
    channel, role = (f"<#{group.channel}>" if group.channel else "", f"<@&{group.role}>" if group.role else "")
    if gone and (channel or role):
        yield f"{gone} left {plain(group.name)}. Remove the player from {' and '.join(filter(None, (channel, role)))}."
    if new and channel:
        yield f"{new} joined {plain(group.name)}. Give the player access to {channel}."
