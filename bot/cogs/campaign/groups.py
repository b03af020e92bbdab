"""Groups: add, edit, remove and list."""

from collections.abc import Iterable
from contextlib import suppress
from typing import cast

import discord
from discord import app_commands, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Work, act, action_command
from bot.client import Interaction
from bot.cogs.campaign import embed, service
from bot.core import campaigns, entries, permissions, profiles, records, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.permissions import MAX_EVER, MAX_GROUPS, MAX_MEMBERS, Group, Person, group_audience, require_game_master
from bot.outbox import queue as posts
from bot.rolls import desk, options, resolver
from bot.rolls.entries import take_back_button
from bot.rolls.pending import store as pending
from bot.rolls.request import TO_WORDS
from bot.ui import parsing, reply, text
from bot.ui.parsing import GAME_MASTERS, describe, option
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import COLOURS, code, join_words, plain
from rules.errors import nearest
from rules.subjects import GROUP, PROFILE, name_key, number_of, strip_unseen, subject_key

TOO_MANY = (f"A campaign has at most {MAX_GROUPS} groups.", "Remove one first: /campaign group remove.")
NO_GROUPS = "No groups yet. Add one with /campaign group add."
STAYS = "Its results stay visible to game masters only. Undo restores the group."
REMOVE = reply.IdTemplate("group:{campaign:int}:{number:int}:remove:{newest:int}")
"""`newest` is the newest entry when the button was shown."""

MAX_LISTED = 8
MEMBERS = option("Characters and units, separated by commas. Their owners become members", default=None, name="members")
ROLE = option("Everyone with this role is a member", default=None)
CHANNEL = option("Where its results are posted. Default: the staff channel", default=None)
SECRET = option("False lets everyone see the group and its members. Default: True", default=None)


class NoMember(BadInput):
    """`typed` isn't a unit or character."""

    def __init__(self, typed: str, saved: Iterable[str]) -> None:
        close = nearest(typed[:60], saved)
        do = f"Did you mean {close}?" if close else "See /unit."
        super().__init__(f"I can't find a unit or character called {typed[:60]!r}.", do)
        self.typed = typed


class GroupAction(Action):
    """A change of a group."""

    kind = GROUP
    may, instead = "manage its groups", "See yours with /campaign group list."

    def change(self, work: Work, before: Group, after: Group) -> Outcome:
        """Return the group's change; unsent posts move to its new or the staff channel."""
        tx, campaign, who = work.tx, work.campaign, subjects.Subject(before.id, before.name)
        if before.channel not in {None, after.channel}:
            moved = (int(before.channel or 0), int(after.channel or campaign.staff_channel_id))
            posts.redirect(tx, campaign.id, {"group"}, moved, work.ledger.now())
        kept = records.Change(who.key, GROUP, state.get_value(tx, campaign.id, who.key, GROUP), after.value())
        return Outcome({"group": after.name}, (*subjects.respell(who, after.name), kept))


class SaveGroup(GroupAction):
    """A group's new values; None keeps the old one."""

    name: str | None = None
    add: str | None = None
    drop: str | None = None
    role: discord.Role | None = None
    channel: discord.TextChannel | None = None
    without: str | None = None
    secret: bool | None = None

    async def carry_out(self, interaction: AnyInteraction) -> None:
        """Refuse channels that don't fit, and players as members."""
        here = await desk.desk_of(interaction).campaign(interaction)
        _require_fitting(interaction, here, self.channel)
        try:
            await act(interaction, self, here.id)
        except NoMember as unknown:
            await _require_no_player(interaction, here, unknown.typed)
            raise

    def plan(self, work: Work, group: Group) -> Group:
        """Return the group with its new values."""
        tx, campaign = work.tx, work.campaign
        ids = {"role": self.role, "channel": self.channel}
        fields: dict[str, object] = {field: str(item.id) for field, item in ids.items() if item is not None}
        fields |= {} if self.secret is None else {"secret": self.secret}
        fields |= {self.without: None} if self.without else {}
        gone, new = (_find_member_ids(tx, campaign, typed) for typed in (self.drop, self.add))
        members = [number for number in dict.fromkeys((*group.members, *new)) if number not in gone]
        (name,) = parsing.names(group.name if self.name is None else self.name, "group", 1)
        after = replace(group, **{**fields, "members": members, "name": name})
        others = [other for other in permissions.list_groups(tx, campaign.id) if other.id != group.id]
        if name_key(after.name) in {name_key(taken) for taken in (*TO_WORDS, *(other.name for other in others))}:
            raise BadInput(f"{after.name!r} is taken.", "Pick another name.")
        if name_key(after.name) != name_key(group.name) or not state.get_value(
            tx, campaign.id, subject_key(group.id), GROUP
        ):
            item = subjects.choose_named(profiles.list_profiles(tx, campaign.id), after.name)
            if item is not None:
                raise BadInput(f"{item.name} is already a {item.kind}.", "Pick another name for the group.")
        if len(after.members) > MAX_MEMBERS:
            do = "Give it a role: everyone with it is a member."
            raise BadInput(f"A group has at most {MAX_MEMBERS} members.", do)
        own = int(after.channel or 0)
        if own:
            service.require_free(tx, campaign, [own])
        if own and after.channel != group.channel:
            permissions.require_own_channels(
                tx, campaign.id, [campaign.results_channel_id, campaign.staff_channel_id, own]
            )
        return after

    def answer(self, _work: Work, _entry: records.Entry, _outcome: Outcome) -> Answer:
        """Return nothing: `after` answers, as it needs Discord."""
        return Answer()

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Show the saved group."""
        number, kept = embed.group_after(done.entry.content())
        group = Group(number, done.entry.content()["group"], **kept)
        lacking = [*embed.list_missing(interaction.guild, None, int(group.channel or 0))]
        more = await interaction.client.database.read(_next_lines, done.campaign, group, self.channel)
        what = f"changed: group {plain(group.name)} is saved"
        await say(interaction, embed=embed.change_embed(done.campaign, what, lacking, more))


class AddGroup(SaveGroup):
    """A new group; a side of that name becomes it."""

    name: str = option("The group's name. A side with this name becomes this group")
    add: options.Names | None = MEMBERS
    role: discord.Role | None = ROLE
    channel: discord.TextChannel | None = CHANNEL
    secret: bool | None = SECRET

    summary = "Make a group that results can be sent to."
    verb = "added"

    def apply(self, work: Work) -> Outcome:
        """Refuse more groups than a campaign can have."""
        (name,) = parsing.names(self.name, "group", 1)
        known = permissions.list_all_groups(work.tx, work.campaign.id)
        if sum(not group.removed for group in known) >= MAX_GROUPS:
            raise BadInput(*TOO_MANY)
        if len(known) >= MAX_EVER:
            do = "Undo a removal instead. Find it with /ledger."
            raise BadInput(f"This campaign has had {MAX_EVER} groups, the most it can have.", do)
        (item,) = work.subjects.pick_unsaved([name])
        before = Group(item.id, item.name)
        return self.change(work, before, self.plan(work, before))


class EditGroup(SaveGroup):
    """Changes of a group."""

    group: options.GroupName = option("The group")
    name: str | None = option("The new name", default=None)
    add: options.Names | None = MEMBERS
    drop: options.Names | None = option(
        "Characters and units whose owners leave, separated by commas", default=None, name="leave"
    )
    role: discord.Role | None = ROLE
    channel: discord.TextChannel | None = CHANNEL
    without: str | None = option("Remove the group's role or channel", default=None, choices=("role", "channel"))
    secret: bool | None = SECRET

    summary = "Edit a group. Members who leave can't see its results."
    verb = "changed"

    def apply(self, work: Work) -> Outcome:
        """Refuse to change nothing."""
        before = permissions.find_group(work.tx, work.campaign.id, self.group)
        after = self.plan(work, before)
        if after == before:
            raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
        return self.change(work, before, after)


class RemoveGroup(GroupAction):
    """Remove a group (number), unchanged since entry `seen`."""

    number: int
    seen: int

    verb = "removed"

    def apply(self, work: Work) -> Outcome:
        """Refuse a group that changed since."""
        key = subject_key(self.number)
        for entry in entries.walk_entries(work.tx, work.campaign.id, after=self.seen):
            if entry.kind == GROUP and any(item["subject"] == key for item in entry.content()["changes"]):
                raise NotOpen(f"That group has changed since you looked (entry #{entry.number}).", "Nothing was done.")
        group = permissions.find_group(work.tx, work.campaign.id, group_audience(self.number))
        return self.change(work, group, Group(group.id, group.name, secret=group.secret, removed=True))

    def answer(self, work: Work, entry: records.Entry, _outcome: Outcome) -> Answer:
        """Return a receipt with Undo."""
        title = f"Group {plain(entry.content()['group'])} is removed"
        return Answer(view=receipt(title, [STAYS], buttons=[take_back_button(work.campaign.id, entry.number)]))


class GroupCommands(app_commands.Group, name="group", description="Groups of players who get their own results"):
    """Commands about groups."""

    add = action_command(AddGroup, "add")
    edit = action_command(EditGroup, "edit")

    @app_commands.command(extras=GAME_MASTERS)
    @describe(group="The group")
    async def remove(self, interaction: Interaction, group: options.GroupName) -> None:
        """Remove a group. Only game masters then see its results."""
        here = await desk.desk_of(interaction).campaign(interaction)
        view = await interaction.client.database.read(_ask_removal, person(interaction), here, group)
        await say(interaction, view=view)

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List the groups you know of and their members."""
        here = await desk.desk_of(interaction).campaign(interaction)
        known = await interaction.client.database.read(list_groups, person(interaction), here)
        lines = [embed.group_line(group.value(), names, group.name) for group, names in known]
        none = NO_GROUPS if person(interaction).leads(here) else "There are none that you know of."
        pages = text.fit_embeds("Groups", lines or [none], colour=COLOURS["neutral"], footer=here.name)
        for page in text.paginate(pages):
            await say(interaction, embeds=page)


@reply.component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, number: int, newest: int) -> None:
    """Remove a group, unless it changed since."""
    await act(interaction, RemoveGroup(number=number, seen=newest), campaign, replaces=True)


def _ask_removal(tx: Connection, person: Person, campaign: Campaign, typed: str) -> ui.LayoutView:
    require_game_master(person, campaign, GroupAction.may, GroupAction.instead)
    group = permissions.find_group(tx, campaign.id, typed)
    newest = entries.find_link(tx, campaign.id, campaign.uuid).number
    waiting = sum(item.request.to == group.audience for item in pending.list_open(tx, campaign.id))
    key = REMOVE.fill(campaign=campaign.id, number=group.id, newest=newest)
    button: ui.Button[ui.LayoutView] = ui.Button(label="Remove", style=discord.ButtonStyle.danger, custom_id=key)
    lines = [STAYS]
    if waiting:
        rolls = "1 roll is waiting" if waiting == 1 else f"{waiting} rolls are waiting"
        lines.append(f"{rolls} for its answer. Only game masters will see the result.")
    return receipt(f"Remove {plain(group.name)}?", lines, COLOURS["neutral"], [button])


def check_void(tx: Connection, _resolver: resolver.Resolver, campaign: Campaign, again: state.State) -> None:
    """Refuse an undo that restores a group (`again`) whose name, members, channel or number no longer fit."""
    known = {group.id: group for group in permissions.list_all_groups(tx, campaign.id)}
    there = {name_key(group.name) for group in known.values() if not group.removed}
    saved = {item.id for item in profiles.list_profiles(tx, campaign.id)}
    saved |= {number_of(subject) for (subject, name), value in again.items() if name == PROFILE and value}
    back = ((number_of(key), value) for (key, name), value in again.items() if name == GROUP and value)
    for group in (replace(known[number], **value) for number, value in back):
        if group.removed or not known[group.id].removed:
            continue
        if name_key(group.name) in there:
            raise NotAsItIs(f"Another group is called {group.name} now.", "Rename or remove that one first.")
        lost = sorted(subjects.name_subjects(tx, campaign.id, {*group.members} - saved).values())
        if lost:
            who = f"{lost[0]}, a member of {group.name}, was removed later."
            raise NotAsItIs(who, "Undo that first. Find it with /ledger.")
        if len(there) >= MAX_GROUPS:
            raise NotAsItIs(*TOO_MANY)
        own = [int(group.channel)] if group.channel else []
        service.require_free(tx, campaign, own)
        permissions.require_own_channels(
            tx, campaign.id, [campaign.results_channel_id, campaign.staff_channel_id, *own]
        )


def list_groups(tx: Connection, person: Person, campaign: Campaign) -> list[tuple[Group, list[str]]]:
    """Return groups with known members' names; players see their own groups, and open ones without their channel."""
    viewer = visibility.make_viewer(tx, person, campaign)
    visibility.require_part(viewer)
    found = []
    for group in permissions.list_groups(tx, campaign.id):
        inside = person.leads(campaign) or group.id in viewer.groups
        if inside or not group.secret:
            named = subjects.get_subjects(tx, campaign.id, group.members).values()
            names = sorted((item.name for item in named if viewer.knows(item)), key=name_key)
            found.append((group if inside else replace(group, channel=None), names))
    return found


def _find_owned(tx: Connection, campaign: Campaign, user_id: int) -> list[str]:
    mine = campaigns.find_pseudonym(tx, campaign.id, user_id)
    return sorted(
        (item.name for item in profiles.list_profiles(tx, campaign.id) if mine and item.owner == mine), key=name_key
    )


def _next_lines(tx: Connection, campaign: Campaign, group: Group, channel: discord.TextChannel | None) -> list[str]:
    members = profiles.read_profiles(tx, campaign.id, {*group.members}).values()
    names = sorted((item.name for item in members), key=name_key)
    lines = [embed.group_line(group.value(), names, group.name), f"{code(f'to:{group.name}')} sends it a result."]
    if group.role is None and not any(item.owner for item in members):
        none = "No player owns one of its members yet" if names else "It has no members yet"
        lines.append(f"{none}, so only game masters see its results.")
    nearest = [] if channel is None else [item for item in (channel.id, channel.category_id) if item is not None]
    if channel is not None and not campaigns.find_linked(tx, campaign.guild_id, nearest):
        lines.append(f"To use commands in {channel.mention}, link it to {plain(campaign.name)} with `/campaign link`.")
    return lines


async def _require_no_player(interaction: AnyInteraction, campaign: Campaign, typed: str) -> None:
    member = None
    with suppress(discord.HTTPException, TimeoutError):  # Discord may not say
        member = next(iter(await parsing.find_members(interaction.guild, typed)), None) if interaction.guild else None
    if member is None:
        return
    known = await interaction.client.database.read(_find_owned, campaign, member.id)
    name = strip_unseen(member.display_name)
    what = f"{name} is a player. Groups have characters and units as members; their owners join with them."
    theirs = f"Type one of {name}'s characters: {join_words(known[:MAX_LISTED])}. Or give the group a role."
    raise BadInput(
        what, theirs if known else "Save one with /roster add and its owner first, or give the group a role."
    )


def _require_fitting(interaction: AnyInteraction, campaign: Campaign, channel: discord.TextChannel | None) -> None:
    if channel is None:
        return
    if not channel.permissions_for(cast("discord.Member", interaction.user)).send_messages:
        raise NotAllowed(f"You may not write in #{channel.name}.", "Pick a channel where you may.")
    players = channel.guild.get_role(campaign.player_role_id or 0) or channel.guild.default_role
    own = {campaign.results_channel_id, campaign.staff_channel_id}  # refused with the campaign's own channels
    if channel.id not in own and channel.permissions_for(players).view_channel:
        what = f"Every player of {campaign.name} sees #{channel.name}, so nothing there is the group's alone."
        raise BadInput(what, "Pick a channel that only the group sees, or close this one to others in its settings.")


def _find_member_ids(tx: Connection, campaign: Campaign, typed: str | None) -> list[int]:
    found, saved = [], profiles.list_profiles(tx, campaign.id) if typed else []
    for name in parsing.names(typed, "member", MAX_MEMBERS) if typed else ():
        item = subjects.choose_named(saved, name)
        if item is None:
            raise NoMember(name, [other.name for other in saved])
        found.append(item.id)
    return found
