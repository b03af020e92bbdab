"""Campaigns and the channels that are linked to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import entries, state, transactions
from bot.core.encoding import Json
from bot.core.schema import binding, campaign
from bot.core.state import CAMPAIGN_STATE
from bot.core.transactions import Row, note_campaign
from bot.errors import NoCampaign, NotAsItIs, NotOpen
from rules.ends import Moment
from rules.errors import nearest
from rules.subjects import name_key

UPDATE = "update"
"""The name under which the state keeps the campaign's current update, and the kind of entries that close one."""

CHARACTERS, LEVELS, PLACES, ORDERS = "characters", "levels", "places", "orders"
"""The permissions beside roll families in `players_may`: editing their own characters, seeing others' levels and places, and giving orders."""

OTHERS = (CHARACTERS, LEVELS, PLACES, ORDERS)

SERVER_FIELDS = ("results_channel_id", "staff_channel_id", "game_master_role_id", "player_role_id")
"""The settings that belong to the server: who manages it changes them."""

PLAYERS, STAFF = "players", "staff"
PINGS: Mapping[str, frozenset[str]] = {
    "nobody": frozenset(),
    PLAYERS: frozenset({PLAYERS}),
    STAFF: frozenset({STAFF}),
    "all": frozenset({PLAYERS, STAFF}),
}
"""Whom a campaign lets be pinged, by what its setting is called: players whom something concerns, and the game masters."""


class Campaign(Struct, frozen=True):
    """One game on one Discord server. `writeup_threads` opens a thread under results that call for something to be written.

    `pings` is one of `PINGS`. Units and characters that are newly saved are the staff's alone where `new_are_secret`.
    Where `dodges_wait`, an attack waits for whoever plays its target. Where it `asks_outside`, it has a key for random.org.
    """

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
    pings: str = "nobody"
    new_are_secret: bool = False
    dodges_wait: bool = False
    asks_outside: bool = False

    def may_ping(self, whom: str) -> bool:
        """Return whether `PLAYERS` or `STAFF` are pinged."""
        return whom in PINGS[self.pings]


_ASKS = campaign.c.outside_key.is_not(None).label("asks_outside")
_APART = {"name_key", "outside_key", "away_since"}
_COLUMNS = [*(column for column in campaign.c if column.name not in _APART), _ASKS]
_FIELDS = [column.name for column in _COLUMNS]
_BY_ID = sa.select(*_COLUMNS).where(campaign.c.id == sa.bindparam("campaign"))
_LOCKED = _BY_ID.with_for_update()
_OF_GUILD = sa.select(*_COLUMNS).where(campaign.c.guild_id == sa.bindparam("guild")).order_by(campaign.c.name_key)
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


def _campaign(row: Row) -> Campaign:
    fields = dict(zip(_FIELDS, row[-len(_FIELDS) :], strict=True))
    return Campaign(**{**fields, "books": tuple(fields["books"]), "players_may": tuple(fields["players_may"])})


def add_campaign(tx: Connection, new: Campaign) -> Campaign:
    """Insert a campaign; its id is given by the database."""
    result = transactions.write(tx, campaign.insert().values(**_values(new)))
    key = result.inserted_primary_key
    return replace(new, id=key[0] if key else 0)


def save_campaign(tx: Connection, changed: Campaign) -> None:
    """Write all fields of a campaign back."""
    transactions.write(tx, campaign.update().where(campaign.c.id == changed.id).values(**_values(changed)))


def delete_campaign(tx: Connection, campaign_id: int) -> None:
    """Delete a campaign with all that is kept of it; backups and capsules that were made before still have it."""
    transactions.write(tx, campaign.delete().where(campaign.c.id == campaign_id))


def get_campaign(tx: Connection, campaign_id: int, *, lock: bool = False) -> Campaign | None:
    """Return a campaign by id; `lock` locks its row against other writers until the transaction ends (PostgreSQL)."""
    found = transactions.read_rows(tx, _BY_ID, {"campaign": campaign_id}, _LOCKED if lock else None)
    return _campaign(found[0]) if found else None


def list_campaigns(tx: Connection, guild_id: int) -> list[Campaign]:
    """Return all campaigns of a server, archived ones too, by name."""
    return [_campaign(row) for row in tx.execute(_OF_GUILD, {"guild": guild_id})]


def find_campaign(tx: Connection, guild_id: int, name: str) -> Campaign | None:
    """Return a campaign of a server by its name."""
    query = sa.select(*_COLUMNS).where(campaign.c.guild_id == guild_id, campaign.c.name_key == name_key(name))
    row = tx.execute(query).first()
    return _campaign(row) if row else None


def list_campaign_ids(tx: Connection, *, lock: bool = False) -> list[int]:
    """Return the ids of all campaigns of all servers, for the operator's command line only; `lock` as in `get_campaign`."""
    query = sa.select(campaign.c.id).order_by(campaign.c.id)
    return list(tx.scalars(query.with_for_update() if lock else query))


def get_outside_key(tx: Connection, campaign_id: int) -> str | None:
    """Return the encrypted key with which a campaign asks random.org; None where it has none."""
    return tx.scalar(sa.select(campaign.c.outside_key).where(campaign.c.id == campaign_id))


def keep_outside_key(tx: Connection, campaign_id: int, sealed: str | None) -> None:
    """Keep another encrypted key, or none any more."""
    transactions.write(tx, campaign.update().where(campaign.c.id == campaign_id).values(outside_key=sealed))


def link_channel(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Link a channel or category; return whether it was not linked before."""
    if channel_id in list_linked_channels(tx, campaign_id):
        return False
    transactions.write(tx, binding.insert().values(campaign_id=campaign_id, channel_id=channel_id))
    return True


def unlink_channel(tx: Connection, campaign_id: int, channel_id: int) -> bool:
    """Unlink a channel or category; return whether it was linked."""
    query = binding.delete().where(binding.c.campaign_id == campaign_id, binding.c.channel_id == channel_id)
    return bool(transactions.write(tx, query).rowcount)


def list_linked_channels(tx: Connection, campaign_id: int) -> list[int]:
    """Return the ids of the channels and categories linked to a campaign."""
    return list(tx.scalars(_CHANNELS, {"campaign": campaign_id}))


def find_linked(
    tx: Connection, guild_id: int, channel_ids: Sequence[int], *, lock: bool = False
) -> dict[int, list[Campaign]]:
    """Return the campaigns of a server that are linked to each of these channels; `lock` as in `get_campaign`."""
    linked: dict[int, list[Campaign]] = {}
    asked = {"guild": guild_id, "channels": list(channel_ids)}
    for row in transactions.read_rows(tx, _LINKED, asked, _LINKED_LOCKED if lock else None):
        linked.setdefault(row.channel_id, []).append(_campaign(row))
    return linked


def open_campaign(tx: Connection, campaign_id: int, *, lock: bool = True) -> Campaign:
    """Return the campaign when it can still be played, its row locked as `get_campaign` does; a read locks nothing."""
    campaign = get_campaign(tx, campaign_id, lock=lock)
    if campaign is None:
        raise NotOpen("That campaign no longer exists.", "See /campaign show.")
    require_open(campaign)
    return campaign


def require_open(campaign: Campaign) -> None:
    """Refuse to change an archived campaign, or to prepare a change of it."""
    if campaign.archived_at is not None:
        what = f"{campaign.name} is archived: you can read its ledger but not add to it."
        raise NotAsItIs(what, "A server manager can reopen it with /campaign archive restore:True.")


def current_update(tx: Connection, campaign_id: int) -> dict[str, Json]:
    """Return the campaign's current update: number, name, and since when (ISO, UTC)."""
    update: dict[str, Json] = state.get_value(tx, campaign_id, CAMPAIGN_STATE, UPDATE)
    return update


def require_update(tx: Connection, campaign_id: int, number: int) -> None:
    """Refuse what was asked about an update (number) that is closed by now."""
    now = current_update(tx, campaign_id)
    if now["number"] != number:
        what = f"Update {number} is already closed. The current one is {now['name']} (number {now['number']})."
        raise NotOpen(what, "See /update show.")


def find_update_entry(tx: Connection, campaign_id: int, update: int | None = None) -> int:
    """Return the number of the entry that began an update, the current one unless numbered; 0 for the first."""
    number = current_update(tx, campaign_id)["number"] if update is None else update
    return transactions.compute_once(tx, (UPDATE, campaign_id, number), partial(_opening, tx, campaign_id, number))


def _opening(tx: Connection, campaign_id: int, number: int) -> int:
    closings = entries.walk_back(tx, campaign_id, UPDATE)
    return next((item.number for item in closings if item.content()["opened"]["number"] == number), 0)


def locate_campaign(tx: Connection, guild_id: int, channels: Sequence[int], *, lock: bool = False) -> Campaign:
    """Return the campaign that a channel belongs to; the nearest link wins.

    `channels` are ids, nearest first: thread, channel, category. `lock` as in `get_campaign`.
    """
    linked = find_linked(tx, guild_id, channels, lock=lock)
    for channel in channels:
        candidates = linked.get(channel, [])
        playing = [campaign for campaign in candidates if campaign.archived_at is None] or candidates
        if len(playing) == 1:
            note_campaign(tx, playing[0].id)
            return playing[0]
        if playing:
            *others, last = [campaign.name for campaign in playing]
            names = f"{', '.join(others)} and {last}"
            raise NoCampaign(
                f"This channel is linked to several campaigns: {names}.",
                "Use another channel, or ask a server manager to unlink one with /campaign unlink.",
            )
    raise NoCampaign(
        "This channel isn't linked to a campaign.",
        "Use your campaign's channel, or ask a server manager to link this one with /campaign link. "
        "A new game starts with /campaign create.",
    )


def require_campaign(tx: Connection, guild_id: int, name: str) -> Campaign:
    """Return a campaign of a server by its name, in whatever case."""
    every = list_campaigns(tx, guild_id)
    for item in every:
        if name_key(item.name) == name_key(name):
            note_campaign(tx, item.id)
            return item
    close = nearest(name, [item.name for item in every])
    hint = f"Did you mean {close}?" if close else "See /campaign show."
    raise NoCampaign(f"This server has no campaign called {name!r}.", hint)


def require_campaign_or_here(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Return the campaign of a name, or without one the channel's."""
    return locate_campaign(tx, guild_id, channels) if name is None else require_campaign(tx, guild_id, name)


def make_moment(update: int, at: datetime, entry: int = 0, scene: str | None = None) -> Moment:
    """Return when something happens or is looked at, in an update (number) at a time (aware)."""
    return Moment(update, partial(_hence, at.astimezone(UTC)), entry, scene, _later)


def _hence(at: datetime, hours: float) -> str:
    return (at + timedelta(hours=hours)).isoformat()


def _later(at: str, hours: float) -> str:
    return _hence(datetime.fromisoformat(at), hours)


def find_server(tx: Connection, campaign_id: int) -> dict[int, int]:
    """Return the server of a campaign by the campaign's number; nothing when there is no such campaign."""
    found = get_campaign(tx, campaign_id)
    return {} if found is None else {found.id: found.guild_id}


def require_on_server(tx: Connection, guild_id: int, campaign_id: int, *, lock: bool = False) -> Campaign:
    """Return the campaign that a component names by its id, when it is one of the server's; `lock` as in `get_campaign`."""
    campaign = get_campaign(tx, campaign_id, lock=lock)
    if campaign is None or campaign.guild_id != guild_id:
        raise NotOpen("That campaign isn't on this server.", "See /campaign show.")
    note_campaign(tx, campaign.id)
    return campaign


def _values(item: Campaign) -> dict[str, Json]:
    values = asdict(item) | {"books": list(item.books), "players_may": list(item.players_may)}
    del values["id"], values["asks_outside"]
    return {**values, "name_key": name_key(item.name)}


def list_settings(campaign: Campaign) -> dict[str, Json]:
    """Return the settings as the ledger keeps them: ids as text, since they do not fit a JSON number."""
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
    """Return which settings of a campaign differ, as the ledger keeps them: before and after, by field."""
    old, new = list_settings(before), list_settings(after)
    return {field: {"before": old[field], "after": new[field]} for field in old if old[field] != new[field]}
