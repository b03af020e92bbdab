"""Who a person is in a campaign: role, groups, and what they may do.

Groups are sides, factions or squads of players. Only members and staff know what is for a group.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

import sqlalchemy as sa
from msgspec import Struct, to_builtins
from sqlalchemy import Connection

from bot.core import entries, schema, state, subjects, transactions
from bot.core.campaigns import Campaign, current_update, find_pseudonym, make_moment
from bot.core.entries import PUBLIC, AudienceFilter
from bot.core.errors import BadInput, NotAllowed
from bot.core.records import Change, Entry, Json
from rules.effects import Moment
from rules.errors import nearest
from rules.subjects import GROUP, PROFILE, name_key, number_of, subject_key

MAX_GROUPS, MAX_EVER, MAX_MEMBERS = 20, 100, 50
"""Limits: current groups (they fit a select), groups ever (each is searched separately), members per group."""

_BEGINS = f"{GROUP}:"


class Group(Struct, frozen=True):
    """A group of subjects, with a Discord role and channel.

    Ids are text: JSON numbers are too short. Players know it unless `secret`. A `removed` one is empty; what it knew is staff only.
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
        """The audience of what is for this group."""
        return group_audience(self.id)

    def value(self) -> dict[str, Json]:
        """Return the state value."""
        return {name: value for name, value in to_builtins(self).items() if name not in {"id", "name"}}


def group_audience(number: int) -> str:
    """Return the audience of a group by number."""
    return f"{_BEGINS}{number}"


def is_group(audience: str) -> bool:
    """Return whether an audience is a group."""
    return audience.startswith(_BEGINS)


def list_all_groups(tx: Connection, campaign_id: int) -> list[Group]:
    """Return all groups by name, removed ones too."""
    kept = {number_of(key): value for key, value in state.find_values_of_name(tx, campaign_id, GROUP).items()}
    names = subjects.name_subjects(tx, campaign_id, kept)
    found = (Group(number, names[number], **kept[number]) for number in kept)
    return sorted(found, key=lambda group: name_key(group.name))


def list_groups(tx: Connection, campaign_id: int) -> list[Group]:
    """Return current groups by name."""
    return [group for group in list_all_groups(tx, campaign_id) if not group.removed]


def find_group(tx: Connection, campaign_id: int, typed: str) -> Group:
    """Return a current group by name or audience (`group:7`), or raise BadInput."""
    known = list_groups(tx, campaign_id)
    found = next((group for group in known if group.audience == typed), None) or subjects.choose_named(known, typed)
    if found is not None:
        return found
    close = nearest(typed, [group.name for group in known])
    do = f"Did you mean {close}?" if close else "See /gm settings, Groups."
    raise BadInput(f"I don't know the group {typed[:60]!r}.", do)


def find_audience(tx: Connection, campaign_id: int, channels: Collection[int]) -> str | None:
    """Return the audience of the group that one of these channels belongs to, if any."""
    kept, ids = state.find_values_of_name(tx, campaign_id, GROUP), {*map(str, channels)}
    own = (key for key, value in kept.items() if not value["removed"] and value["channel"] in ids)
    return next((group_audience(number_of(key)) for key in own), None)


def find_channel(tx: Connection, campaign_id: int, audience: str) -> int | None:
    """Return a group's channel (id), by its audience."""
    value = _get_value(tx, campaign_id, audience)
    return int(value["channel"]) if value and value["channel"] else None


def name_if_current(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return the name of a group's audience; empty for removed groups and other audiences."""
    return name_group(tx, campaign_id, audience) if is_group(current_audience(tx, campaign_id, audience)) else ""


def name_group(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return a group's name by audience, removed ones too."""
    return subjects.name_subjects(tx, campaign_id, {_number(audience)})[_number(audience)]


def current_audience(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return today's audience: staff, if the group was removed."""
    value = _get_value(tx, campaign_id, audience)
    return "staff" if value and value["removed"] else audience


def _get_value(tx: Connection, campaign_id: int, audience: str) -> Json:
    return state.get_value(tx, campaign_id, subject_key(_number(audience)), GROUP) if is_group(audience) else None


def _number(audience: str) -> int:
    return int(audience.removeprefix(_BEGINS))


def require_own_channels(tx: Connection, campaign_id: int, others: Sequence[int]) -> None:
    """Refuse a channel (id) that serves two groups."""
    taken = [*map(str, others), *(group.channel for group in list_groups(tx, campaign_id) if group.channel)]
    if len({*taken}) < len(taken):
        do = "Pick a channel only this group can see, or none."
        raise BadInput("That channel already belongs to another group.", do)


def find_memberships(tx: Connection, campaign_id: int, roles: Collection[int], mine: str | None) -> frozenset[int]:
    """Return the groups (numbers) a person is in, by Discord role or by a member they own."""
    kept = {number_of(key): value for key, value in state.find_values_of_name(tx, campaign_id, GROUP).items()}
    members = {subject_key(number) for value in kept.values() for number in value["members"]}
    saved = state.get_values_named(tx, campaign_id, members, {PROFILE}) if members and mine else {}
    own = {number_of(subject) for (subject, _), value in saved.items() if value["owner"] == mine}
    by_role = {number for number, value in kept.items() if value["role"] in {*map(str, roles)}}
    return frozenset(by_role | {number for number, value in kept.items() if not own.isdisjoint(value["members"])})


def split_change(change: Change, *, whole: bool) -> Iterator[Change]:
    """Yield a group's change per member, and the `whole`; others unchanged."""
    if whole or change.name != GROUP:
        yield change
    if change.name == GROUP:
        before, after = ({*value["members"]} if value else set() for value in (change.before, change.after))
        for number in sorted(before ^ after):
            yield Change(change.subject, f"{GROUP}.{number}", number in before or None, number in after or None)


def undo_change(change: Change, now: Json) -> Json:
    """Return a group with a change undone, keeping later ones.

    A group that began with it stays if changed since, without its first members.
    """
    if now == change.after:
        return change.before
    if now is None or now["removed"]:
        return now
    after, before = change.after, change.before or {**change.after, "members": []}
    members = [number for number in now["members"] if number in before["members"] or number not in after["members"]]
    members += [number for number in before["members"] if number not in {*after["members"], *members}]
    return {**now, **{name: value for name, value in before.items() if value != after[name]}, "members": members}


def leave_groups(kept: state.State, number: int, _entry: int) -> Iterator[Change]:
    """Yield changes that remove a subject from its groups."""
    for (subject, name), value in kept.items():
        if name == GROUP and number in value["members"]:
            yield Change(subject, name, value, {**value, "members": [*filter(number.__ne__, value["members"])]})


_VOID_OF = sa.select(schema.state.c.value).where(
    schema.state.c.campaign_id == schema.entry.c.campaign_id,
    schema.state.c.subject == sa.literal("entry:") + sa.cast(schema.entry.c.number, sa.String),
    schema.state.c.name == sa.bindparam("voided"),
    schema.entry.c.campaign_id == sa.bindparam("campaign"),
    schema.entry.c.audience == "maker",
    schema.entry.c.actor == sa.bindparam("actor"),
)

LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NAME_ONE = "A server manager can pick one: /gm settings game_master."


class Person(Struct, frozen=True):
    """A person on a server, at an aware time, with their press or command (id)."""

    user_id: int
    guild_id: int
    roles: frozenset[int]
    manages_server: bool
    at: datetime = LONG_AGO
    interaction: int | None = None
    server_roles: frozenset[int] | None = None

    def leads(self, campaign: Campaign) -> bool:
        """Return whether the person is a game master of the campaign."""
        return campaign.guild_id == self.guild_id and campaign.game_master_role_id in self.roles

    def plays(self, campaign: Campaign) -> bool:
        """Return whether the person is a player; without a role, everyone is."""
        role = campaign.player_role_id
        return campaign.guild_id == self.guild_id and (role is None or role in self.roles)

    def takes_part(self, campaign: Campaign) -> bool:
        """Return whether the person is a player or game master."""
        return self.leads(campaign) or self.plays(campaign)


def find_now(tx: Connection, person: Person, campaign: Campaign) -> Moment:
    """Return the request's moment in the current update."""
    return make_moment(current_update(tx, campaign.id)["number"], person.at)


def require_game_master(person: Person, campaign: Campaign, action: str, instead: str = "") -> None:
    """Refuse an action (in words) to others than game masters; `instead` says what they can do."""
    if not person.leads(campaign):
        do = instead or _game_masters(person, campaign, "Ask one.")
        raise NotAllowed(f"Only game masters of {campaign.name} {action}.", do)


def require_manager(person: Person, action: str) -> None:
    """Refuse people without Discord's Manage Server permission."""
    if not person.manages_server:
        raise NotAllowed(f"You need the Manage Server permission to {action}.", "Ask a server manager.")


def require_roller(
    person: Person, campaign: Campaign, family: str, *, opened: bool = False, named: str | None = None
) -> None:
    """Refuse players a roll that isn't open; `named` names it."""
    if person.leads(campaign):
        return
    if not person.plays(campaign):
        do = _game_masters(person, campaign, "Ask one for the player role.")
        raise NotAllowed(f"You don't play in {campaign.name}.", do)
    if not opened and family not in campaign.players_may:
        what = f"In {campaign.name} {named or f'the {family} roll'} is for game masters only."
        do = f"They can open it to players with /gm settings players_may:{family}."
        raise NotAllowed(what, _game_masters(person, campaign, do))


def require_leader_again(person: Person, campaign: Campaign) -> None:
    """Refuse players a repeated roll."""
    if not person.leads(campaign):
        raise NotAllowed("A game master has to make this roll.", "Ask one.")


def audience_filter(tx: Connection, person: Person, campaign: Campaign, pseudonym: str | None) -> AudienceFilter:
    """Return which entries a person may know; raises NotAllowed if they don't play in the campaign."""
    if person.leads(campaign):
        every = (group.audience for group in list_all_groups(tx, campaign.id))
        return AudienceFilter((*PUBLIC, "staff", "maker", *every), pseudonym)
    if person.plays(campaign):
        mine = map(group_audience, find_memberships(tx, campaign.id, person.roles, pseudonym))
        amending = partial(find_amending, tx, campaign.id, pseudonym)
        return AudienceFilter((*PUBLIC, *mine), pseudonym, amending)
    raise NotAllowed(f"Only players of {campaign.name} can read its ledger.", "Ask a game master for the player role.")


def find_amending(tx: Connection, campaign_id: int, pseudonym: str | None) -> frozenset[int]:
    """Return numbers of entries that amend this person's `maker` entries, directly or through other amendments."""
    key = {"campaign": campaign_id, "actor": pseudonym or "", "voided": state.VOIDED}
    marks = [row.value for row in transactions.read_rows(tx, _VOID_OF, key)]
    found: set[int] = set()
    while newest := {mark["by"] for mark in marks if mark.get(state.AMENDED)} - found:
        found |= newest
        keys = [f"entry:{number}" for number in newest]
        marks = [*state.get_values_named(tx, campaign_id, keys, {state.VOIDED}).values()]
    return frozenset(found)


def _game_masters(person: Person, campaign: Campaign, ask: str) -> str:
    role = campaign.game_master_role_id
    if not role:  # it was brought here from another server
        return f"The campaign has no game master role yet. {_NAME_ONE}"
    if person.server_roles is not None and role not in person.server_roles:
        return f"The game master role was deleted. {_NAME_ONE}"
    return f"Game masters have the role <@&{role}>. {ask}"


def find_readable(
    tx: Connection, person: Person, campaign: Campaign, number: int, *, made: bool = False
) -> Entry | None:
    """Return an entry the person may read, or also `made`."""
    mine = find_pseudonym(tx, campaign.id, person.user_id)
    allowed, entry = audience_filter(tx, person, campaign, mine), entries.get_entry(tx, campaign.id, number)
    if entry is None:
        return None
    own = made and mine is not None and entry.actor == mine
    return entry if own or allowed.shows(entry) else None


def may_maker_read(person: Person, campaign: Campaign, entry: Entry) -> bool:
    """Return whether a maker may read the entry and its number."""
    return person.leads(campaign) or (person.plays(campaign) and entry.audience != "staff")


def find_unreadable(
    tx: Connection, person: Person, campaign: Campaign, mine: str | None, numbers: Collection[int]
) -> frozenset[int]:
    """Return those entries (numbers) the person can't read."""
    if person.leads(campaign) or not person.plays(campaign):
        return frozenset() if person.leads(campaign) else frozenset(numbers)
    allowed = audience_filter(tx, person, campaign, mine)
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    return frozenset(number for number, entry in made.items() if not allowed.shows(entry))
