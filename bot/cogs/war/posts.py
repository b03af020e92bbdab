"""Posts of a war, and groups that follow its factions, in the entries that change these.

A battle gets a thread. In fog each faction's channel gets only what it sees: battles that begin, acts in their threads, and its digest of a turn.
The war keeps each faction's group by the faction's id, so either may be renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import discord
from discord import ButtonStyle
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.war.wars import (
    BATTLE_ON,
    BATTLES,
    END_HALF,
    FOUGHT,
    SHOW_BOARD,
    TURNED,
    BattleKey,
    find_called,
    make_pings,
    topic_of,
)
from bot.core import entries, ledger, permissions, profiles, state, subjects, voiding
from bot.core.campaigns import Campaign
from bot.core.records import Change, Entry, Json
from bot.core.subjects import Subjects
from bot.outbox import queue
from bot.outbox.queue import Buttons, OutgoingMessage, Post
from bot.rolls.extension import ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import TO_WORDS
from bot.rolls.resolver import Resolver
from bot.ui import receipt, text
from bot.ui.text import COLOURS, plain
from rules.books.total_war import storage
from rules.books.total_war.order_kinds import ADVANCE, JOIN, NEXT, OPENING, SEEN
from rules.books.total_war.war import War
from rules.effects import ORDERED, SCENE
from rules.geometry import Hex
from rules.subjects import GROUP, NAME, PROFILE, name_key, number_of, subject_key

BEGINS = "The attackers start with their half of turn 1."  # AMB-39
SEEN_BY = "groups"  # in a roll's body: the groups that saw it, by faction id
HOW = "Act: `/battle act`. See the board: `/battle show`. Either side can withdraw at any time."
FACTION_POST: queue.PostKind = "told"  # only the group may see these
TITLE = "What your faction saw this turn"
Housed = Mapping[int, int]
"""Channel ids by group number."""
Calls = Mapping[tuple[str, int], queue.Pings]
"""Mentions by panel and group number."""
NO_CALLS: Calls = {}


def _battle_buttons(battle: BattleKey, half: Sequence[int] = ()) -> Buttons:
    grey, shown = ButtonStyle.secondary.value, battle.fill(SHOW_BOARD)
    ends = [("End turn", battle.fill(END_HALF, turn=half[0], side=half[1]), grey)] if half else []
    return [("Show board", shown, grey), *ends]


def add_battle_posts(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a post for each battle that an entry began, in the channel of its result, so fog stays."""
    channel = campaign.results_channel_id if entry.audience == "results" else campaign.staff_channel_id
    footer = receipt.entry_footer(ledger.EntryView(entry, campaign.name))
    lines, more = dict.fromkeys(result_lines(entry)), []
    for at in entry.content().get(BATTLES, ()):
        opens = (line for line in lines if line.startswith(OPENING.format(at)))
        more.append(_draw_opening(BattleKey(campaign.id, at, entry.number), opens, "notice", channel, footer))
    return [*messages, *more]


def _draw_opening(
    key: BattleKey, lines: Iterable[str], kind: queue.PostKind, channel: int, footer: str
) -> OutgoingMessage:
    text = "\n".join([*map(plain, lines), BEGINS, HOW])
    embed = discord.Embed(title=plain(f"{BATTLE_ON}{key.at}"), description=text, colour=COLOURS["danger"])
    shown = [embed.set_footer(text=footer)]
    return OutgoingMessage(kind, channel, shown, topic_of(key.at), buttons=_battle_buttons(key))


def result_lines(entry: Entry) -> Iterator[str]:
    """Yield results as seen without fog."""
    for part in entry.content()["parts"]:
        if part["outcome"] is not None:
            yield part["outcome"]["text"]
        yield from (step["text"] for step in part["steps"] if "text" in step)


def post_to_factions(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[queue.Post]:
    """Queue what each faction sees of a roll, and its digest of an ended turn; mention who has to act."""
    groups: Mapping[str, int] = entry.content().get(SEEN_BY, {})
    called = find_called(tx, resolver.library, campaign, entry) if groups else {}
    pings = {
        (at, group): make_pings(tx, campaign, entry, players, faction)
        for at, players in called.items()
        for faction, group in groups.items()
    }
    return resolver.outbox.queue(tx, campaign.id, entry.number, [*_faction_messages(tx, campaign, entry, pings)])


def strike_through(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterator[queue.Post]:
    """Strike through factions' posts of a void entry.

    A group's former channel only learns that the post is void.
    """
    sent = [post for post in queue.posts_of_entry(tx, campaign.id, entry.number) if post.kind == FACTION_POST]
    if not sent:
        return
    mark, pages = voiding.find_mark(tx, campaign.id, entry.number), dict[int, list[Sequence[discord.Embed]]]()
    for message in _faction_messages(tx, campaign, entry):
        pages.setdefault(message.channel_id, []).append(message.embeds)
    for post in sent:
        left = pages.get(post.channel_id)
        page = left.pop(0) if left else [discord.Embed(title=TITLE)]
        yield resolver.outbox.revise(tx, post, receipt.strike_pages([[*page]], mark)[0])


def _faction_messages(
    tx: Connection, campaign: Campaign, entry: Entry, pings: Calls = NO_CALLS
) -> Iterator[OutgoingMessage]:
    body = entry.content()
    ends = body["family"] == ADVANCE
    if not (ends or (SEEN_BY in body and (BATTLES in body or FOUGHT in body))):
        return
    housed = {item.id: int(item.channel) for item in permissions.list_groups(tx, campaign.id) if item.channel}
    if not housed:
        return
    yield from _list_openings(campaign, entry, housed, pings)
    if FOUGHT in body:
        yield from _act_posts(tx, campaign, entry, housed, pings)
    if ends:
        yield from _digest_posts(tx, campaign, entry, housed)


def _list_openings(campaign: Campaign, entry: Entry, housed: Housed, pings: Calls) -> Iterator[OutgoingMessage]:
    body = entry.content()
    for at in body.get(BATTLES, ()):
        for group, lines in _list_seen(body):
            if group in housed and any(line.startswith(OPENING.format(at)) for line in lines):
                key = BattleKey(campaign.id, at, entry.number)
                opening = _draw_opening(key, lines, FACTION_POST, housed[group], campaign.name)
                yield replace(opening, pings=pings.get((at, group), queue.NO_PINGS))


def _act_posts(
    tx: Connection, campaign: Campaign, entry: Entry, housed: Housed, pings: Calls = NO_CALLS
) -> Iterator[OutgoingMessage]:
    body = entry.content()
    at, begun = Hex.parse(str(body["parts"][0]["inputs"]["at"])), int(body[FOUGHT])
    opened = (post for post in queue.posts_of_entry(tx, campaign.id, begun) if post.topic == topic_of(at))
    threads = {post.channel_id: post.thread_id for post in opened if post.kind == FACTION_POST}
    half = body["parts"][0]["record"].get("halves", {}).get(str(at), ())
    buttons = _battle_buttons(BattleKey(campaign.id, str(at), begun), half) if body["family"] == NEXT else ()
    for group, lines in _list_seen(body):
        thread = threads.get(housed.get(group, 0))
        if thread is not None and lines:
            retreats = [line for line in lines if " retreats to " in line]
            first, *others = map(plain, [*retreats, *(line for line in lines if line not in retreats)])
            embeds = text.fit_embeds(first, others, colour=COLOURS["neutral"], footer=campaign.name)
            told = [OutgoingMessage(FACTION_POST, thread, page, buttons=buttons) for page in text.paginate(embeds)]
            yield from queue.ping_first(told, pings.get((str(at), group), queue.NO_PINGS))


def _digest_posts(tx: Connection, campaign: Campaign, entry: Entry, housed: Housed) -> Iterator[OutgoingMessage]:
    before = {item["name"]: item["before"] for item in entry.content()["changes"]}
    began = (before.get(TURNED) or before[storage.WAR])["entry"]
    seen: dict[int, tuple[list[str], list[str]]] = {}
    for made in (*list_valid(tx, campaign, range(began + 1, entry.number)), entry):
        body = made.content()
        for group, lines in _list_seen(body):
            shown = [f"\N{BULLET} {plain(line)}" for line in lines]
            seen.setdefault(group, ([], []))[body["family"] == JOIN].extend(shown)
    for group, (news, joined) in seen.items():
        if group in housed:
            lines = [*news, *(["**New players**", *joined] if joined else [])]
            lines.append("-# See the current state: `/war map`, `/war show`.")
            embeds = text.fit_embeds(TITLE, lines, colour=COLOURS["neutral"], footer=campaign.name)
            yield from (OutgoingMessage(FACTION_POST, housed[group], page) for page in text.paginate(embeds))


def list_valid(tx: Connection, campaign: Campaign, numbers: range) -> Iterator[Entry]:
    """Yield these entries, unless undone before the range's end."""
    marks = state.get_values_named(tx, campaign.id, {f"entry:{number}" for number in numbers}, {state.VOIDED})
    gone = {whose for (whose, _), mark in marks.items() if mark["by"] < numbers.stop}
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    yield from (made[number] for number in sorted(made) if f"entry:{number}" not in gone)


def _list_seen(body: Mapping[str, Json]) -> Iterator[tuple[int, Sequence[str]]]:
    groups: Mapping[str, int] = body.get(SEEN_BY, {})
    for part in body["parts"] if groups else ():
        seen = part["record"].get(SEEN, {})
        yield from ((groups[faction], lines) for faction, lines in seen.items() if faction in groups)


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
        count = sum(not group.removed for group in self.every.values())
        if count >= permissions.MAX_GROUPS or len(self.every) >= permissions.MAX_EVER:
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
        new = {(item.subject, item.name): item.after for item in grouping.people.changes}
        links, changes = grouping.links, new | grouping.set
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


def notify_staff(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Queue a staff post if people moved between factions' groups."""
    lines = [*_group_changes(tx, campaign, entry)]
    if not lines:
        return ()
    embed = discord.Embed(title="Groups of factions", description="\n".join(lines), colour=COLOURS["neutral"])
    embed.set_footer(text=receipt.entry_footer(ledger.EntryView(entry, campaign.name)))
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
                what = f"The new group {plain(group.name)} has no channel for its results."
                yield f"{what} Set one: `/gm settings`, Groups."


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
