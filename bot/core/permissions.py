"""Who somebody is in a campaign, in which groups they are, and what the campaign lets them do.

Groups are sides, factions, squads of players. An audience may be a group: its members alone, beside the staff, know of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from msgspec import Struct, to_builtins
from sqlalchemy import Connection

from bot.core import entries, state, subjects
from bot.core.amendments import find_amending
from bot.core.campaigns import Campaign, current_update, make_moment
from bot.core.encoding import Json
from bot.core.entries import AudienceFilter
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.errors import BadInput, NotAllowed
from rules.ends import Moment
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
        return group_audience(self.id)

    def value(self) -> dict[str, Json]:
        """Return what the state keeps of it."""
        return {name: value for name, value in to_builtins(self).items() if name not in {"id", "name"}}


def group_audience(number: int) -> str:
    """Return the audience of what is for the group of a number alone."""
    return f"{_BEGINS}{number}"


def is_group(audience: str) -> bool:
    """Tell whether an audience is a group."""
    return audience.startswith(_BEGINS)


def list_all_groups(tx: Connection, campaign_id: int) -> list[Group]:
    """Return all groups of a campaign by name, also those that are removed."""
    kept = {number_of(key): value for key, value in state.find_values_of_name(tx, campaign_id, GROUP).items()}
    names = subjects.name_subjects(tx, campaign_id, kept)
    found = (Group(number, names[number], **kept[number]) for number in kept)
    return sorted(found, key=lambda group: name_key(group.name))


def list_groups(tx: Connection, campaign_id: int) -> list[Group]:
    """Return the groups that there are, by name."""
    return [group for group in list_all_groups(tx, campaign_id) if not group.removed]


def find_group(tx: Connection, campaign_id: int, typed: str) -> Group:
    """Return the group of a name, or of an audience."""
    known = list_groups(tx, campaign_id)
    found = next((group for group in known if group.audience == typed), None) or subjects.choose_named(known, typed)
    if found is not None:
        return found
    close = nearest(typed, [group.name for group in known])
    do = f"Did you mean {close}?" if close else "See /campaign group list."
    raise BadInput(f"I don't know the group {typed[:60]!r}.", do)


def find_audience(tx: Connection, campaign_id: int, channels: Collection[int]) -> str | None:
    """Return the audience that is the group of one of these channels (ids), which is its alone; None where none is a group's."""
    kept, ids = state.find_values_of_name(tx, campaign_id, GROUP), {*map(str, channels)}
    own = (key for key, value in kept.items() if not value["removed"] and value["channel"] in ids)
    return next((group_audience(number_of(key)) for key in own), None)


def find_channel(tx: Connection, campaign_id: int, audience: str) -> int | None:
    """Return the channel (id) of an audience that is a group and has one."""
    value = _kept(tx, campaign_id, audience)
    return int(value["channel"]) if value and value["channel"] else None


def name_if_current(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return the name of the group that an audience is; empty where it is none, or one that was removed."""
    return name_group(tx, campaign_id, audience) if is_group(current_audience(tx, campaign_id, audience)) else ""


def name_group(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return the name of the group that an audience is, also of one that was removed."""
    return subjects.name_subjects(tx, campaign_id, {_number(audience)})[_number(audience)]


def current_audience(tx: Connection, campaign_id: int, audience: str) -> str:
    """Return who reads now what is for an audience: the staff where that is a group that was removed."""
    value = _kept(tx, campaign_id, audience)
    return "staff" if value and value["removed"] else audience


def _kept(tx: Connection, campaign_id: int, audience: str) -> Json:
    return state.get_value(tx, campaign_id, subject_key(_number(audience)), GROUP) if is_group(audience) else None


def _number(audience: str) -> int:
    return int(audience.removeprefix(_BEGINS))


def require_own_channels(tx: Connection, campaign_id: int, others: Sequence[int]) -> None:
    """Refuse where a channel (id) is that of two groups, or of a group and what these are for."""
    taken = [*map(str, others), *(group.channel for group in list_groups(tx, campaign_id) if group.channel)]
    if len({*taken}) < len(taken):
        raise BadInput(
            "That channel already belongs to another group.", "Pick a channel only this group can see, or none."
        )


def find_memberships(tx: Connection, campaign_id: int, roles: Collection[int], mine: str | None) -> frozenset[int]:
    """Return the groups (numbers) in which somebody is, by the ids of their roles or as owner (pseudonym) of a member."""
    kept = {number_of(key): value for key, value in state.find_values_of_name(tx, campaign_id, GROUP).items()}
    members = {subject_key(number) for value in kept.values() for number in value["members"]}
    saved = state.get_values_named(tx, campaign_id, members, {PROFILE}) if members and mine else {}
    own = {number_of(subject) for (subject, _), value in saved.items() if value["owner"] == mine}
    given = {*map(str, roles)}
    return frozenset(
        number for number, value in kept.items() if not own.isdisjoint(value["members"]) or value["role"] in given
    )


def is_group_value(name: str) -> bool:
    """Tell whether a name is that of a group's value, or of a member of it as `split_change` has them."""
    return name.partition(".")[0] == GROUP


def split_change(change: Change, *, whole: bool) -> Iterator[Change]:
    """Yield a change of a group as one for each member that comes or goes, beside the `whole` of it if wanted; any other change as it is."""
    if whole or change.name != GROUP:
        yield change
    if change.name == GROUP:
        before, after = ({*value["members"]} if value else set() for value in (change.before, change.after))
        for number in sorted(before ^ after):
            yield Change(change.subject, f"{GROUP}.{number}", number in before or None, number in after or None)


def undo_change(change: Change, now: Json) -> Json:
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


def leave_groups(kept: State, number: int, _entry: int) -> Iterator[Change]:
    """Yield what takes a subject that is removed out of its groups; `kept` is the whole state."""
    for (subject, name), value in kept.items():
        if name == GROUP and number in value["members"]:
            yield Change(subject, name, value, {**value, "members": [*filter(number.__ne__, value["members"])]})


LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""When nothing has ended by the clock yet."""


_NAME_ONE = "A server manager can pick one: /campaign edit game_master."


class Person(Struct, frozen=True):
    """Somebody on a server: user id, role ids, whether Discord lets them manage the server, when they ask (aware UTC), by which command or press (id), and which roles their server has; None where nobody has looked."""

    user_id: int
    guild_id: int
    roles: frozenset[int]
    manages_server: bool
    at: datetime = LONG_AGO
    interaction: int | None = None
    server_roles: frozenset[int] | None = None

    def leads(self, campaign: Campaign) -> bool:
        """Return whether they are a game master of the campaign."""
        return campaign.guild_id == self.guild_id and campaign.game_master_role_id in self.roles

    def plays(self, campaign: Campaign) -> bool:
        """Return whether they are a player of the campaign: everybody is when it names no player role."""
        role = campaign.player_role_id
        return campaign.guild_id == self.guild_id and (role is None or role in self.roles)

    def takes_part(self, campaign: Campaign) -> bool:
        """Return whether they are a player or a game master of the campaign."""
        return self.leads(campaign) or self.plays(campaign)


def find_now(tx: Connection, person: Person, campaign: Campaign) -> Moment:
    """Return when a person asks, in the current update of a campaign."""
    return make_moment(current_update(tx, campaign.id)["number"], person.at)


def require_game_master(person: Person, campaign: Campaign, action: str, instead: str = "") -> None:
    """Refuse what only game masters do; `instead` says what others can do."""
    if not person.leads(campaign):
        raise NotAllowed(
            f"Only game masters of {campaign.name} {action}.",
            instead or _game_masters(person, campaign, "Ask one."),
        )


def require_manager(person: Person, action: str) -> None:
    """Refuse what needs Discord's Manage Server permission."""
    if not person.manages_server:
        raise NotAllowed(f"You need the Manage Server permission to {action}.", "Ask a server manager.")


def require_roller(
    person: Person, campaign: Campaign, family: str, *, opened: bool = False, deed: str | None = None
) -> None:
    """Refuse players a roll that neither their campaign nor the rules open to them; game masters may roll everything.

    `deed` names in the refusal what is rolled as people call it, or what belongs to a roll but is no roll itself.
    """
    if person.leads(campaign):
        return
    if not person.plays(campaign):
        raise NotAllowed(
            f"You don't play in {campaign.name}.",
            _game_masters(person, campaign, "Ask one for the player role."),
        )
    if not opened and family not in campaign.players_may:
        raise NotAllowed(
            f"In {campaign.name} {deed or f'the {family} roll'} is for game masters only.",
            _game_masters(person, campaign, f"They can open it to players with /campaign edit players_may:{family}."),
        )


def require_leader_again(person: Person, campaign: Campaign) -> None:
    """Refuse players a roll that needs a game master's reason; the refusal does not say what was rolled before."""
    if not person.leads(campaign):
        raise NotAllowed("A game master has to make this roll.", "Ask one.")


def audience_filter(tx: Connection, person: Person, campaign: Campaign, pseudonym: str | None) -> AudienceFilter:
    """Return which entries of the campaign's ledger the person may know of."""
    if person.leads(campaign):
        every = (group.audience for group in list_all_groups(tx, campaign.id))
        return AudienceFilter(("results", "mixed", "staff", "maker", *every), pseudonym)
    if person.plays(campaign):
        mine = map(group_audience, find_memberships(tx, campaign.id, person.roles, pseudonym))
        return AudienceFilter(
            ("results", "mixed", *mine), pseudonym, partial(find_amending, tx, campaign.id, pseudonym)
        )
    raise NotAllowed(f"Only players of {campaign.name} can read its ledger.", "Ask a game master for the player role.")


def _game_masters(person: Person, campaign: Campaign, ask: str) -> str:
    """Return who the game masters are and what to `ask` of them, or how they get a role where there is none."""
    role = campaign.game_master_role_id
    if not role:  # it was brought here from another server
        return f"The campaign has no game master role yet. {_NAME_ONE}"
    if person.server_roles is not None and role not in person.server_roles:
        return f"The game master role was deleted. {_NAME_ONE}"
    return f"Game masters have the role <@&{role}>. {ask}"


def find_readable(
    tx: Connection, person: Person, campaign: Campaign, number: int, *, made: bool = False
) -> Entry | None:
    """Return an entry that is for the person, None where there is none; also one `made` by the person and sent to the staff, if asked."""
    mine = entries.find_pseudonym(tx, campaign.id, person.user_id)
    allowed, entry = audience_filter(tx, person, campaign, mine), entries.get_entry(tx, campaign.id, number)
    if entry is None:
        return None
    own = made and mine is not None and entry.actor == mine
    return entry if own or allowed.shows(entry) else None


def may_maker_read(person: Person, campaign: Campaign, entry: Entry) -> bool:
    """Return whether the person, who has made an entry, may read it: its number is told to nobody else."""
    return person.leads(campaign) or (person.plays(campaign) and entry.audience != "staff")


def find_unreadable(
    tx: Connection, person: Person, campaign: Campaign, mine: str | None, numbers: Collection[int]
) -> frozenset[int]:
    """Return those of these entries that the person may not read, so that their numbers are not told; `mine` is the person's pseudonym."""
    if person.leads(campaign) or not person.plays(campaign):
        return frozenset() if person.leads(campaign) else frozenset(numbers)
    allowed = audience_filter(tx, person, campaign, mine)
    return frozenset(
        number for number, made in entries.get_entries_bare(tx, campaign.id, numbers).items() if not allowed.shows(made)
    )
