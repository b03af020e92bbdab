"""Groups: list, add, edit and remove, with buttons and a window."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import cast

import discord
from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Work, act, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.campaign import embed, service
from bot.cogs.campaign.creation import require_here, require_server
from bot.core import campaigns, entries, permissions, profiles, records, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.permissions import MAX_EVER, MAX_GROUPS, MAX_MEMBERS, Group, Person, require_game_master
from bot.outbox import queue as posts
from bot.rolls import resolver
from bot.rolls.entries import take_back_button
from bot.rolls.pending import store as pending
from bot.rolls.request import TO_WORDS
from bot.ui import parsing, reply, text
from bot.ui.receipt import picker, receipt
from bot.ui.reply import AnyInteraction, ask, person, read_submitted, redraw, say
from bot.ui.text import COLOURS, Controls, code, join_words, plain
from rules.errors import nearest
from rules.phrases import lower_first
from rules.subjects import GROUP, PROFILE, name_key, number_of, strip_unseen, subject_key

TOO_MANY = (f"A campaign has at most {MAX_GROUPS} groups.", "Remove one first: /gm settings, Groups.")
NO_GROUPS = "No groups yet. Results can be sent to a group, such as a side, a faction or a squad."
STAYS = "Its results stay visible to game masters only. Undo restores the group."
PICK = reply.IdTemplate("group:{campaign:int}:pick")
EDIT = reply.IdTemplate("group:{campaign:int}:{number:int}:edit")
"""The button; number 0 adds a group."""
WINDOW = reply.IdTemplate("group:{campaign:int}:{number:int}:save:{newest:int}")
REMOVE = reply.IdTemplate("group:{campaign:int}:{number:int}:remove:{newest:int}")
"""`newest` is the newest entry when the window or button was shown."""

MAX_LISTED = 8
NAME, MEMBERS, ROLE, CHANNEL, SECRET = "name", "members", "role", "channel", "secret"
HIDDEN, OPEN = "hidden", "open"
KNOWN: Mapping[str, str] = {HIDDEN: "Only its members see it", OPEN: "Everyone sees it and its members"}


class NoMember(BadInput):
    """`typed` isn't a unit or character."""

    def __init__(self, typed: str, saved: Iterable[str]) -> None:
        close = nearest(typed[:60], saved)
        do = f"Did you mean {close}?" if close else "See /unit."
        super().__init__(f"I can't find a unit or character called {typed[:60]!r}.", do)
        self.typed = typed


class GroupAction(Action):
    """A change of a group (number), unchanged since entry `seen`."""

    number: int
    seen: int

    kind = GROUP
    may, instead = "manage its groups", "See yours with `/help`: This campaign, Groups."

    def find(self, work: Work) -> Group:
        """Return the group; refuse if it changed since."""
        key = subject_key(self.number)
        for entry in entries.walk_entries(work.tx, work.campaign.id, after=self.seen):
            if entry.kind == GROUP and any(item["subject"] == key for item in entry.content()["changes"]):
                raise NotOpen(f"That group has changed since you looked (entry #{entry.number}).", "Nothing was done.")
        return _get_group(work.tx, work.campaign, self.number)

    def change(self, work: Work, before: Group, after: Group, deed: str) -> Outcome:
        """Return the group's change; unsent posts move to its new or the staff channel."""
        tx, campaign, who = work.tx, work.campaign, subjects.Subject(before.id, before.name)
        if before.channel not in {None, after.channel}:
            moved = (int(before.channel or 0), int(after.channel or campaign.staff_channel_id))
            posts.redirect(tx, campaign.id, {"group"}, moved, work.ledger.now())
        kept = records.Change(who.key, GROUP, state.get_value(tx, campaign.id, who.key, GROUP), after.value())
        return Outcome({"deed": deed, "group": after.name}, (*subjects.respell(who, after.name), kept))


class SaveGroup(GroupAction):
    """Save a group; number 0 is new. A side of that name becomes it."""

    name: str
    members: str = ""
    role: str = ""
    channel: str = ""
    secret: str = HIDDEN

    verb = "changed"

    def apply(self, work: Work) -> Outcome:
        """Refuse what doesn't fit, and to change nothing."""
        before = self.find(work) if self.number else self._begin(work)
        tx, campaign = work.tx, work.campaign
        (name,) = parsing.names(self.name, "group", 1)
        typed = _find_member_ids(tx, campaign, self.members)
        members = [*filter(typed.__contains__, before.members), *(new for new in typed if new not in before.members)]
        ids = {ROLE: self.role or None, CHANNEL: self.channel or None}
        after = replace(before, name=name, members=members, secret=self.secret != OPEN, **ids)
        if self.number and after == replace(before, members=[*before.members]):
            raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
        self._require_free_name(work, before, name)
        if len(members) > MAX_MEMBERS:
            do = "Give it a role: everyone with it is a member."
            raise BadInput(f"A group has at most {MAX_MEMBERS} members.", do)
        if after.channel and after.channel != before.channel:
            own = [campaign.results_channel_id, campaign.staff_channel_id, int(after.channel)]
            service.require_free(tx, campaign, own[2:])
            permissions.require_own_channels(tx, campaign.id, own)
        return self.change(work, before, after, "changed" if self.number else "added")

    def _begin(self, work: Work) -> Group:
        (name,) = parsing.names(self.name, "group", 1)
        known = permissions.list_all_groups(work.tx, work.campaign.id)
        if sum(not group.removed for group in known) >= MAX_GROUPS:
            raise BadInput(*TOO_MANY)
        if len(known) >= MAX_EVER:
            do = "Undo a removal instead. Find it with /ledger."
            raise BadInput(f"This campaign has had {MAX_EVER} groups, the most it can have.", do)
        (item,) = work.subjects.pick_unsaved([name])
        return Group(item.id, item.name)

    def _require_free_name(self, work: Work, before: Group, name: str) -> None:
        tx, campaign = work.tx, work.campaign
        others = [other for other in permissions.list_groups(tx, campaign.id) if other.id != before.id]
        if name_key(name) in {name_key(taken) for taken in (*TO_WORDS, *(other.name for other in others))}:
            raise BadInput(f"{name!r} is taken.", "Pick another name.")
        if name_key(name) != name_key(before.name) or not self.number:
            item = subjects.choose_named(profiles.list_profiles(tx, campaign.id), name)
            if item is not None:
                raise BadInput(f"{item.name} is already a {item.kind}.", "Pick another name for the group.")

    def answer(self, _work: Work, _entry: records.Entry, _outcome: Outcome) -> Answer:
        """Return nothing: `after` answers, as it needs Discord."""
        return Answer()

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Show the saved group."""
        number, kept = embed.group_after(done.entry.content())
        group = Group(number, done.entry.content()["group"], **kept)
        lacking = embed.list_missing(interaction.guild, None, int(group.channel or 0))
        channel = interaction.guild and interaction.guild.get_channel(int(group.channel or 0))
        more = await interaction.client.database.read(_next_lines, done.campaign, group, channel)
        lines = [*(f"\N{WARNING SIGN} {line}" for line in lacking), *more]
        title = f"Group {plain(group.name)} is saved"
        await redraw(interaction, _draw_group(done.campaign, group, title, lines, done.entry.number))


class RemoveGroup(GroupAction):
    """Remove a group."""

    verb = "removed"

    def apply(self, work: Work) -> Outcome:
        """Refuse a group that changed since."""
        group = self.find(work)
        return self.change(work, group, Group(group.id, group.name, secret=group.secret, removed=True), self.verb)

    def answer(self, work: Work, entry: records.Entry, _outcome: Outcome) -> Answer:
        """Return a receipt with Undo."""
        title = f"Group {plain(entry.content()['group'])} is removed"
        return Answer(view=receipt(title, [STAYS], buttons=[take_back_button(work.campaign.id, entry.number)]))


async def show_groups(interaction: AnyInteraction, campaign: Campaign) -> None:
    """List known groups; game masters can add and pick one."""
    known = await interaction.client.database.read(list_groups, person(interaction), campaign)
    lines = [embed.group_line(group.value(), names, group.name) for group, names in known]
    leads = person(interaction).leads(campaign)
    none = NO_GROUPS if leads else "There are none that you know of."
    pages = text.fit_embeds("Groups", lines or [none], colour=COLOURS["neutral"], footer=campaign.name)
    *first, last = text.paginate(pages)
    for page in first:
        await say(interaction, embeds=page)
    view = Controls()
    if leads and campaign.archived_at is None:
        shown = [(str(group.id), group.name, ", ".join(names)) for group, names in known]
        for select in picker(PICK.fill(campaign=campaign.id), "Edit or remove a group", shown):
            view.add_item(select)
        view.add_item(ui.Button(label="Add group", custom_id=EDIT.fill(campaign=campaign.id, number=0)))
    await say(interaction, embeds=last, view=view)


@reply.component(PICK)
async def pick_group(interaction: Interaction, *, campaign: int) -> None:
    """Show the picked group with buttons."""
    number = reply.number(next(iter(reply.read_picked(interaction)), ""))
    here = await find_pressed_campaign(interaction, campaign)
    await redraw(interaction, await interaction.client.database.read(_look_at, person(interaction), here, number))


@reply.component(EDIT)
async def edit_group(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Open the window of a group."""
    here = await find_pressed_campaign(interaction, campaign)
    opened = await interaction.client.database.read(_open, person(interaction), here, number)
    await ask(interaction, _make_window(require_server(interaction), here, *opened))


@reply.modal(WINDOW)
async def save_group(interaction: Interaction, *, campaign: int, number: int, newest: int) -> None:
    """Save a group; refuse players as members, and unfit channels."""
    here = await find_pressed_campaign(interaction, campaign)
    fields = read_submitted(interaction)
    role, channel, secret = (next(iter(fields.get(key) or ()), "") for key in (ROLE, CHANNEL, SECRET))
    before, _, _ = await interaction.client.database.read(_open, person(interaction), here, number)
    guild = require_server(interaction)
    require_here(guild, [channel], [role])
    if channel and channel != before.channel:
        _require_fitting(guild, cast("discord.Member", interaction.user), here, int(channel))
    name, members = (str(fields.get(key) or "") for key in (NAME, MEMBERS))
    typed = SaveGroup(number=number, seen=newest, name=name, members=members, role=role, channel=channel, secret=secret)
    try:
        await act(interaction, typed, here.id)
    except NoMember as unknown:
        await _require_no_player(interaction, here, unknown.typed)
        raise


@reply.component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, number: int, newest: int) -> None:
    """Remove a group, unless it changed since."""
    await act(interaction, RemoveGroup(number=number, seen=newest), campaign, replaces=True)


def _get_group(tx: Connection, campaign: Campaign, number: int) -> Group:
    found = next((group for group in permissions.list_groups(tx, campaign.id) if group.id == number), None)
    if found is None:
        raise NotOpen("That group no longer exists.", "See /gm settings, Groups.")
    return found


def _open(tx: Connection, person: Person, campaign: Campaign, number: int) -> tuple[Group, list[str], int]:
    require_game_master(person, campaign, GroupAction.may, GroupAction.instead)
    campaigns.require_open(campaign)
    group = _get_group(tx, campaign, number) if number else Group(0, "")
    saved = profiles.list_profiles(tx, campaign.id) if group.members else []
    labels = zip(saved, subjects.label_subjects(saved), strict=True)
    names = [label for item, label in labels if item.id in group.members]
    return group, names, entries.find_link(tx, campaign.id, campaign.uuid).number


def _make_window(
    guild: discord.Guild, campaign: Campaign, group: Group, members: Sequence[str], newest: int
) -> ui.Modal:
    key = WINDOW.fill(campaign=campaign.id, number=group.id, newest=newest)
    form = ui.Modal(title=text.shorten(f"Edit {group.name}" if group.id else "Add a group", 45), custom_id=key)
    side = "A side with this name becomes this group"
    form.add_item(reply.text_field(NAME, "Name", placeholder=side, value=group.name or None, limit=parsing.MAX_NAME))
    box: ui.TextInput[ui.Modal] = ui.TextInput(
        custom_id=MEMBERS, style=discord.TextStyle.paragraph, default=", ".join(members) or None, required=False
    )
    form.add_item(ui.Label(text="Members", description="Characters and units. Their owners join.", component=box))
    role = guild.get_role(int(group.role or 0))
    roles: ui.RoleSelect[ui.Modal] = ui.RoleSelect(
        custom_id=ROLE, default_values=[role] if role else [], required=False
    )
    form.add_item(ui.Label(text="Role", description="Everyone with this role is a member, too.", component=roles))
    channel = guild.get_channel(int(group.channel or 0))
    channels: ui.ChannelSelect[ui.Modal] = ui.ChannelSelect(
        custom_id=CHANNEL,
        channel_types=[discord.ChannelType.text],
        default_values=[channel] if channel else [],
        required=False,
    )
    where = "Its results are posted there. Leave it empty for the staff channel."
    form.add_item(ui.Label(text="Channel", description=where, component=channels))
    now = HIDDEN if group.secret else OPEN
    options = [discord.SelectOption(label=label, value=key, default=key == now) for key, label in KNOWN.items()]
    secret: ui.Select[ui.Modal] = ui.Select(custom_id=SECRET, options=options)
    return form.add_item(ui.Label(text="Who sees it", component=secret))


def _look_at(tx: Connection, person: Person, campaign: Campaign, number: int) -> ui.LayoutView:
    group, names, newest = _open(tx, person, campaign, number)
    lines = [embed.group_line(group.value(), names), f"-# If you remove it: {lower_first(STAYS)}"]
    if waiting := sum(item.request.to == group.audience for item in pending.list_open(tx, campaign.id)):
        rolls = "1 roll is waiting" if waiting == 1 else f"{waiting} rolls are waiting"
        lines.append(f"{rolls} for its answer. Without the group, only game masters see the result.")
    return _draw_group(campaign, group, plain(group.name), lines, newest)


def _draw_group(campaign: Campaign, group: Group, title: str, lines: Sequence[str], newest: int) -> ui.LayoutView:
    edit = EDIT.fill(campaign=campaign.id, number=group.id)
    remove = REMOVE.fill(campaign=campaign.id, number=group.id, newest=newest)
    danger = discord.ButtonStyle.danger
    buttons: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label="Edit", custom_id=edit),
        ui.Button(label="Remove", style=danger, custom_id=remove),
    ]
    return receipt(title, lines, COLOURS["neutral"], buttons)


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


def _next_lines(
    tx: Connection, campaign: Campaign, group: Group, channel: discord.abc.GuildChannel | None
) -> list[str]:
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


def _require_fitting(guild: discord.Guild, member: discord.Member, campaign: Campaign, channel_id: int) -> None:
    channel = cast("discord.TextChannel", guild.get_channel(channel_id))
    if not channel.permissions_for(member).send_messages:
        raise NotAllowed(f"You may not write in #{channel.name}.", "Pick a channel where you may.")
    players = guild.get_role(campaign.player_role_id or 0) or guild.default_role
    own = {campaign.results_channel_id, campaign.staff_channel_id}  # refused with the campaign's own channels
    if channel.id not in own and channel.permissions_for(players).view_channel:
        what = f"Every player of {campaign.name} sees #{channel.name}, so nothing there is the group's alone."
        raise BadInput(what, "Pick a channel that only the group sees, or close this one to others in its settings.")


def _find_member_ids(tx: Connection, campaign: Campaign, typed: str) -> list[int]:
    found, saved = [], profiles.list_profiles(tx, campaign.id)
    for name in parsing.names(typed, "member", len(typed)) if typed.strip() else ():
        item = subjects.choose_named(saved, name)
        if item is None:
            raise NoMember(name, [other.name for other in saved])
        found.append(item.id)
    return found
