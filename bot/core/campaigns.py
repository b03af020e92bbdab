"""Campaigns, the channels linked to them, and the servers they are on.

A campaign rests while its server has removed the bot; due jobs check `schema.at_home`. An unavailable server isn't a removal.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import entries, errors, state, transactions
from bot.core.records import Json
from bot.core.schema import actor, binding, campaign, registered
from rules.effects import Moment
from rules.errors import nearest
from rules.subjects import name_key

UPDATE = "update"
"""The state's name for the current update, and the kind of entries that close one."""

CHARACTERS, LEVELS, PLACES, ORDERS = "characters", "levels", "places", "orders"
"""Values of `players_may` that aren't roll families."""

OTHERS = (CHARACTERS, LEVELS, PLACES, ORDERS)

SERVER_FIELDS = ("results_channel_id", "staff_channel_id", "game_master_role_id", "player_role_id")
PLAYERS, STAFF = "players", "staff"
PINGS: Mapping[str, frozenset[str]] = {
    "nobody": frozenset(),
    PLAYERS: frozenset({PLAYERS}),
    STAFF: frozenset({STAFF}),
    "all": frozenset({PLAYERS, STAFF}),
}

_OF_USER = (actor.c.campaign_id == sa.bindparam("campaign"), actor.c.user_id == sa.bindparam("user"))
_PSEUDONYM = sa.select(actor.c.pseudonym, actor.c.mentions, actor.c.bars).where(*_OF_USER)
_CHOOSE = actor.update().where(*_OF_USER)
_player = actor.alias("player")
_OF_PLAYERS = sa.select(_player.c.user_id).where(_player.c.campaign_id == sa.bindparam("campaign"))
_MUTED = _OF_PLAYERS.where(~_player.c.mentions)
_CALLED = _OF_PLAYERS.where(_player.c.mentions, _player.c.pseudonym.in_(sa.bindparam("players", expanding=True)))


class Campaign(Struct, frozen=True):
    """One game on one Discord server. `asks_outside`: random.org. `site`: its public site's name."""

    id: int
    uuid: str
    guild_id: int
    name: str
    books: tuple[str, ...]
    timezone: str
    results_channel_id: int
    staff_channel_id: int
    game_master_role_id: int
    player_role_id: int | None
    players_may: tuple[str, ...]
    created_at: datetime
    archived_at: datetime | None
    writeup_threads: bool = False
    pings: str = PLAYERS
    new_are_secret: bool = False
    dodges_wait: bool = False
    asks_outside: bool = False
    site: str | None = None
    site_on: bool = False
    site_indexed: bool = False

    def may_ping(self, whose: str) -> bool:
        """Return whether `PLAYERS` or `STAFF` may be pinged."""
        return whose in PINGS[self.pings]


_ASKS = campaign.c.outside_key.is_not(None).label("asks_outside")
_APART = {"name_key", "outside_key", "away_since"}
_COLUMNS = [*(column for column in campaign.c if column.name not in _APART), _ASKS]
_FIELDS = [column.name for column in _COLUMNS]
_BY_ID = sa.select(*_COLUMNS).where(campaign.c.id == sa.bindparam("campaign"))
_LOCKED = _BY_ID.with_for_update()
_HERE = sa.select(*_COLUMNS).where(campaign.c.guild_id == sa.bindparam("guild"))
_OF_GUILD = _HERE.order_by(campaign.c.name_key)
_NAMED = _HERE.where(campaign.c.name_key == sa.bindparam("key"))
_CHANNELS = (
    sa.select(binding.c.channel_id)
    .where(binding.c.campaign_id == sa.bindparam("campaign"))
    .order_by(binding.c.channel_id)
)
_LINKED = (
    sa.select(binding.c.channel_id, *_COLUMNS)
    .join(campaign, campaign.c.id == binding.c.campaign_id)
    .where(campaign.c.guild_id == sa.bindparam("guild"))
    .where(binding.c.channel_id.in_(sa.bindparam("channels", expanding=True)))
    .order_by(campaign.c.name_key)
)
_LINKED_LOCKED = _LINKED.with_for_update(of=campaign)


def _campaign(row: transactions.Row) -> Campaign:
    fields = dict(zip(_FIELDS, row[-len(_FIELDS) :], strict=True))
    return Campaign(**{**fields, "books": tuple(fields["books"]), "players_may": tuple(fields["players_may"])})


def add_campaign(tx: Connection, new: Campaign) -> Campaign:
    """Insert a campaign; return it with its id."""
    result = transactions.write(tx, campaign.insert().values(**_values(new)))
    key = result.inserted_primary_key
    return replace(new, id=key[0] if key else 0)


def save_campaign(tx: Connection, changed: Campaign) -> None:
    """Save all fields of a campaign."""
    transactions.write(tx, campaign.update().where(campaign.c.id == changed.id).values(**_values(changed)))


def delete_campaign(tx: Connection, campaign_id: int) -> None:
    """Delete a campaign and everything it owns."""
    transactions.write(tx, campaign.delete().where(campaign.c.id == campaign_id))


def get_campaign(tx: Connection, campaign_id: int, *, lock: bool = False) -> Campaign | None:
    """Return a campaign; None if deleted. `lock` locks its row until the transaction ends (PostgreSQL)."""
    found = transactions.read_rows(tx, _BY_ID, {"campaign": campaign_id}, _LOCKED if lock else None)
    return _campaign(found[0]) if found else None


def list_campaigns(tx: Connection, guild_id: int) -> list[Campaign]:
    """Return a server's campaigns by name, archived ones included."""
    return [_campaign(row) for row in tx.execute(_OF_GUILD, {"guild": guild_id})]


def find_campaign(tx: Connection, guild_id: int, name: str) -> Campaign | None:
    """Return a server's campaign by its name in any case; None if unknown."""
    row = tx.execute(_NAMED, {"guild": guild_id, "key": name_key(name)}).first()
    return _campaign(row) if row else None


def list_campaign_ids(tx: Connection, *, lock: bool = False) -> list[int]:
    """Return all campaigns' ids; `lock` as in `get_campaign`."""
    query = sa.select(campaign.c.id).order_by(campaign.c.id)
    return list(tx.scalars(query.with_for_update() if lock else query))


def get_outside_key(tx: Connection, campaign_id: int) -> str | None:
    """Return a campaign's encrypted key for random.org."""
    return tx.scalar(sa.select(campaign.c.outside_key).where(campaign.c.id == campaign_id))


def keep_outside_key(tx: Connection, campaign_id: int, sealed: str | None) -> None:
    """Save an encrypted key for random.org, or remove it."""
    transactions.write(tx, campaign.update().where(campaign.c.id == campaign_id).values(outside_key=sealed))


def link_channel(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Link a channel or category; return whether it's new."""
    if channel_id in list_linked_channels(tx, campaign_id):
        return False
    transactions.write(tx, binding.insert().values(campaign_id=campaign_id, channel_id=channel_id))
    return True


def unlink_channel(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Unlink a channel or category; return whether it existed."""
    query = binding.delete().where(binding.c.campaign_id == campaign_id, binding.c.channel_id == channel_id)
    return bool(transactions.write(tx, query).rowcount)


def list_linked_channels(tx: Connection, campaign_id: int) -> list[int]:
    """List linked channels and categories (ids)."""
    return list(tx.scalars(_CHANNELS, {"campaign": campaign_id}))


def find_linked(
    tx: Connection, guild_id: int, channel_ids: Sequence[int], *, lock: bool = False
) -> dict[int, list[Campaign]]:
    """Return campaigns by linked channel; `lock` as in `get_campaign`."""
    linked: dict[int, list[Campaign]] = {}
    asked = {"guild": guild_id, "channels": list(channel_ids)}
    for row in transactions.read_rows(tx, _LINKED, asked, _LINKED_LOCKED if lock else None):
        linked.setdefault(row.channel_id, []).append(_campaign(row))
    return linked


def open_campaign(tx: Connection, campaign_id: int, *, lock: bool = True, archived: bool = False) -> Campaign:
    """Return a campaign, its row locked; refuse if it's archived, unless `archived`."""
    campaign = get_campaign(tx, campaign_id, lock=lock)
    if campaign is None:
        raise errors.NotOpen("That campaign no longer exists.", "See /help.")
    if not archived:
        require_open(campaign)
    return campaign


def require_open(campaign: Campaign) -> None:
    """Refuse to change an archived campaign."""
    if campaign.archived_at is not None:
        what = f"{campaign.name} is archived: you can read its ledger but not add to it."
        raise errors.NotAsItIs(what, "A server manager can reopen it with /campaign archive restore:True.")


def current_update(tx: Connection, campaign_id: int) -> dict[str, Json]:
    """Return the current update: number, name, start (ISO, UTC)."""
    update: dict[str, Json] = state.get_value(tx, campaign_id, state.CAMPAIGN_STATE, UPDATE)
    return update


def require_update(tx: Connection, campaign_id: int, number: int) -> None:
    """Refuse if this update (number) is closed."""
    now = current_update(tx, campaign_id)
    if now["number"] != number:
        what = f"Update {number} is already closed. The current one is {now['name']} (number {now['number']})."
        raise errors.NotOpen(what, "See /update show.")


def find_update_entry(tx: Connection, campaign_id: int, update: int | None = None) -> int:
    """Return the number of the entry that began an update (the current one); 0 for the first update."""
    number = current_update(tx, campaign_id)["number"] if update is None else update
    return transactions.compute_once(tx, (UPDATE, campaign_id, number), partial(_find_opening, tx, campaign_id, number))


def _find_opening(tx: Connection, campaign_id: int, number: int) -> int:
    closings = entries.walk_back(tx, campaign_id, UPDATE)
    return next((item.number for item in closings if item.content()["opened"]["number"] == number), 0)


def locate_campaign(tx: Connection, guild_id: int, channels: Sequence[int], *, lock: bool = False) -> Campaign:
    """Return a channel's campaign. `channels` are thread, channel, category: the nearest counts."""
    linked = find_linked(tx, guild_id, channels, lock=lock)
    for channel in channels:
        candidates = linked.get(channel, [])
        playing = [campaign for campaign in candidates if campaign.archived_at is None] or candidates
        if len(playing) == 1:
            transactions.note_campaign(tx, playing[0].id)
            return playing[0]
        if playing:
            *others, last = [campaign.name for campaign in playing]
            what = f"This channel is linked to several campaigns: {', '.join(others)} and {last}."
            do = "Use another channel, or ask a server manager to unlink one with /campaign link unlink:True."
            raise errors.NoCampaign(what, do)
    do = "Use your campaign's channel, or ask a server manager to link this one with /campaign link. A new game starts with /campaign create."
    raise errors.NoCampaign("This channel isn't linked to a campaign.", do)


def require_campaign(tx: Connection, guild_id: int, name: str) -> Campaign:
    """Return a server's campaign by name, in any case."""
    if (found := find_campaign(tx, guild_id, name)) is not None:
        transactions.note_campaign(tx, found.id)
        return found
    close = nearest(name, [item.name for item in list_campaigns(tx, guild_id)])
    hint = f"Did you mean {close}?" if close else "Pick one that the option offers."
    raise errors.NoCampaign(f"This server has no campaign called {name!r}.", hint)


def require_campaign_or_here(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Return the campaign with this name; without one, the channel's. Raises NoCampaign."""
    return locate_campaign(tx, guild_id, channels) if name is None else require_campaign(tx, guild_id, name)


def make_moment(update: int, at: datetime, entry: int = 0, scene: str | None = None) -> Moment:
    """Return a moment for rules: update, time (aware), entry and scene."""
    return Moment(update, partial(_hence, at.astimezone(UTC)), entry, scene, _later)


def _hence(at: datetime, hours: float) -> str:
    return (at + timedelta(hours=hours)).isoformat()


def _later(at: str, hours: float) -> str:
    return _hence(datetime.fromisoformat(at), hours)


def require_on_server(tx: Connection, guild_id: int, campaign_id: int, *, lock: bool = False) -> Campaign:
    """Return the campaign that a button names, or refuse if it isn't on this server."""
    campaign = get_campaign(tx, campaign_id, lock=lock)
    if campaign is None or campaign.guild_id != guild_id:
        raise errors.NotOpen("That campaign isn't on this server.", "See /help.")
    transactions.note_campaign(tx, campaign.id)
    return campaign


def _values(item: Campaign) -> dict[str, Json]:
    values = asdict(item) | {"books": list(item.books), "players_may": list(item.players_may)}
    del values["id"], values["asks_outside"]
    return {**values, "name_key": name_key(item.name)}


def list_settings(campaign: Campaign) -> dict[str, Json]:
    """Return settings for the ledger, ids as text: JSON numbers are too short."""
    return {
        "name": campaign.name,
        "books": list(campaign.books),
        "timezone": campaign.timezone,
        "players_may": list(campaign.players_may),
        "writeup_threads": "on" if campaign.writeup_threads else "off",
        "pings": campaign.pings,
        "new_are_secret": "staff only" if campaign.new_are_secret else "players",
        "dodges_wait": "by the defender" if campaign.dodges_wait else "at once",
        **{field: str(getattr(campaign, field) or "") for field in SERVER_FIELDS},
    }


def compare_settings(before: Campaign, after: Campaign) -> dict[str, Json]:
    """Return differing settings as the ledger keeps them."""
    old, new = list_settings(before), list_settings(after)
    return {field: {"before": old[field], "after": new[field]} for field in old if old[field] != new[field]}


class AwayCampaign(NamedTuple):
    """A campaign, and the server that removed the bot."""

    campaign_id: int
    guild_id: int


def list_servers(tx: Connection) -> set[tuple[int, bool]]:
    """Return (server, away) pairs of all campaigns' servers."""
    query = sa.select(campaign.c.guild_id, campaign.c.away_since.is_not(None)).distinct()
    return {(guild_id, bool(away)) for guild_id, away in tx.execute(query)}


def mark_away(tx: Connection, guild_ids: Collection[int], at: datetime) -> list[int]:
    """Mark servers' campaigns as away and forget the commands there; return campaigns (ids) not away before."""
    there = campaign.c.guild_id.in_(guild_ids) & campaign.c.away_since.is_(None)
    gone = [*tx.scalars(sa.select(campaign.c.id).where(there).order_by(campaign.c.id).with_for_update())]
    tx.execute(
        registered.delete().where(registered.c.guild_id.in_(guild_ids))
    )  # Discord drops a bot's commands with it
    tx.execute(campaign.update().where(campaign.c.id.in_(gone)).values(away_since=at))
    return gone


def mark_back(tx: Connection, guild_ids: Collection[int]) -> None:
    """Mark servers' campaigns as back."""
    tx.execute(campaign.update().where(campaign.c.guild_id.in_(guild_ids)).values(away_since=None))


def list_away_since(tx: Connection, before: datetime) -> list[AwayCampaign]:
    """Return campaigns away since before a time."""
    query = sa.select(campaign.c.id, campaign.c.guild_id).where(campaign.c.away_since <= before)
    return [AwayCampaign(*row) for row in tx.execute(query)]


def find_pseudonym(tx: Connection, campaign_id: int, user_id: int) -> str | None:
    """Return a person's pseudonym, None before their first entry."""
    found = transactions.read_rows(tx, _PSEUDONYM, {"campaign": campaign_id, "user": user_id})
    return found[0].pseudonym if found else None


class Preferences(Struct, frozen=True):
    """What a person has chosen: whether messages mention them, and whether odds have bars."""

    mentions: bool = True
    bars: bool = True


def read_preferences(tx: Connection, campaign_id: int, user_id: int) -> Preferences:
    """Read a person's choices."""
    found = transactions.read_rows(tx, _PSEUDONYM, {"campaign": campaign_id, "user": user_id})
    return Preferences(found[0].mentions, found[0].bars) if found else Preferences()


def save_preferences(tx: Connection, campaign_id: int, user_id: int, chosen: Preferences) -> None:
    """Save a person's choices (by pseudonym)."""
    transactions.write(tx, _CHOOSE.values(**asdict(chosen)), {"campaign": campaign_id, "user": user_id})


def find_called(
    tx: Connection, campaign: Campaign, players: Iterable[str], by: int, users: Iterable[int] = ()
) -> tuple[int, ...]:
    """Return which of these players (pseudonyms) and `users` to mention.

    Those who want it, if the campaign does, and never `by`, who acts.
    """
    if not campaign.may_ping(PLAYERS):
        return ()
    key, wanted = {"campaign": campaign.id}, [*{*players}]
    asked = {*users}.difference(tx.scalars(_MUTED, key) if users else ())
    return tuple(sorted(asked.union(tx.scalars(_CALLED, {**key, "players": wanted}) if wanted else ()) - {by}))
