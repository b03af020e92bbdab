"""Who somebody is in a campaign, and what the campaign lets them do."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, groups
from bot.core.amendments import amending
from bot.core.campaigns import Campaign, current_update, moment
from bot.core.entries import AudienceFilter
from bot.core.records import Entry
from bot.errors import NotAllowed
from rules.ends import Moment

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


def now_of(tx: Connection, person: Person, campaign: Campaign) -> Moment:
    """Return when a person asks, in the current update of a campaign."""
    return moment(current_update(tx, campaign.id)["number"], person.at)


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
        every = (group.audience for group in groups.every(tx, campaign.id))
        return AudienceFilter(("results", "mixed", "staff", "maker", *every), pseudonym)
    if person.plays(campaign):
        mine = map(groups.as_audience, groups.joined(tx, campaign.id, person.roles, pseudonym))
        return AudienceFilter(("results", "mixed", *mine), pseudonym, partial(amending, tx, campaign.id, pseudonym))
    raise NotAllowed(f"Only players of {campaign.name} can read its ledger.", "Ask a game master for the player role.")


def _game_masters(person: Person, campaign: Campaign, ask: str) -> str:
    """Return who the game masters are and what to `ask` of them, or how they get a role where there is none."""
    role = campaign.game_master_role_id
    if not role:  # it was brought here from another server
        return f"The campaign has no game master role yet. {_NAME_ONE}"
    if person.server_roles is not None and role not in person.server_roles:
        return f"The game master role was deleted. {_NAME_ONE}"
    return f"Game masters have the role <@&{role}>. {ask}"


def readable(tx: Connection, person: Person, campaign: Campaign, number: int, *, made: bool = False) -> Entry | None:
    """Return an entry that is for the person, None where there is none; also one `made` by the person and sent to the staff, if asked."""
    mine = entries.pseudonym_of(tx, campaign.id, person.user_id)
    allowed, entry = audience_filter(tx, person, campaign, mine), entries.get(tx, campaign.id, number)
    if entry is None:
        return None
    own = made and mine is not None and entry.actor == mine
    return entry if own or allowed.shows(entry) else None


def readable_by_maker(person: Person, campaign: Campaign, entry: Entry) -> bool:
    """Return whether the person, who has made an entry, may read it: its number is told to nobody else."""
    return person.leads(campaign) or (person.plays(campaign) and entry.audience != "staff")


def unreadable(
    tx: Connection, person: Person, campaign: Campaign, mine: str | None, numbers: Collection[int]
) -> frozenset[int]:
    """Return those of these entries that the person may not read, so that their numbers are not told; `mine` is the person's pseudonym."""
    if person.leads(campaign) or not person.plays(campaign):
        return frozenset() if person.leads(campaign) else frozenset(numbers)
    allowed = audience_filter(tx, person, campaign, mine)
    return frozenset(
        number for number, made in entries.without_texts(tx, campaign.id, numbers).items() if not allowed.shows(made)
    )
