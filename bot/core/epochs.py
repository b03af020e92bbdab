"""Epochs, which people know as dice sets: runs of a campaign's entries whose dice are settled before anybody rolls.

Each epoch has a secret. A seed follows from it for each of the epoch's entries, and from the seed the faces of that entry's
dice. First comes the commitment: before an epoch begins, a hash over all its seeds is posted, so that no dice can be changed
afterwards. While the epoch lasts, its seeds are secret, or people could foresee dice. Then they are revealed: an epoch in
which somebody rolled is closed at the end of the day, or earlier when it is full, and the seeds of entries that are public are
posted. With these anyone draws the dice again and compares the seeds with the commitment. Seeds of private entries stay
hidden, and are proven one by one when such an entry is shown.

There is always one epoch more than the one under way, and it is committed to already. So the next can begin in the very
transaction that finds the current one full, without waiting for a post.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import entries
from bot.core.draws import has_open_part
from bot.core.records import Link
from bot.core.schema import at_home, campaign, entry, epoch
from bot.core.seeds import SECRET_BYTES, SLOTS, Secrets, derive_seed, find_merkle_root, make_commitment

_COLUMNS = [column for column in epoch.c if column.name != "campaign_id"]
_OF = epoch.c.campaign_id == sa.bindparam("campaign")
_EPOCHS = sa.select(*_COLUMNS).where(_OF)
_NEWEST = entries.NEWEST.subquery()
_LINKED = (
    sa.select(_NEWEST.c.number.label("newest"), _NEWEST.c.hash, *_COLUMNS)
    .select_from(sa.select(sa.literal(1)).subquery())
    .outerjoin(_NEWEST, sa.true())
    .outerjoin(epoch, _OF & epoch.c.first.is_not(None) & epoch.c.closed_at.is_(None))
)
_NUMBERED = _EPOCHS.where(epoch.c.number == sa.bindparam("of"))
_WITH_ENTRY = _EPOCHS.where(epoch.c.first <= sa.bindparam("entry")).order_by(epoch.c.number.desc()).limit(1)
_NEWEST_CLOSED = _EPOCHS.where(epoch.c.closed_at.is_not(None)).order_by(epoch.c.number.desc()).limit(1)
_SECRETS = sa.select(epoch.c.first, epoch.c.secret, epoch.c.number).where(_OF, epoch.c.first.is_not(None))
_UNDER_WAY = (epoch.c.first.is_not(None), epoch.c.closed_at.is_(None), at_home(epoch.c.campaign_id))
_FULL = sa.exists().where(entry.c.campaign_id == epoch.c.campaign_id, entry.c.number >= epoch.c.first + SLOTS - 1)
_OVER = sa.union(
    sa.select(epoch.c.campaign_id).where(*_UNDER_WAY, (epoch.c.closes_at <= sa.bindparam("now")) | _FULL),
    sa.select(campaign.c.id).where(
        campaign.c.archived_at.is_(None),
        at_home(campaign.c.id),
        ~sa.exists().where(epoch.c.campaign_id == campaign.c.id),
    ),
)


class Epoch(Struct, frozen=True):
    """An epoch: its secret and the Merkle root over its seeds (hex).

    `first` is the number of the entry that has its first slot, None before it begins; `last` that of its last entry once it
    is closed. When there are rolls in it at `closes_at`, the end of a day, it is closed.
    """

    number: int
    secret: str
    root: str
    first: int | None = None
    last: int | None = None
    closes_at: datetime | None = None
    closed_at: datetime | None = None

    def commitment(self, campaign: str) -> str:
        """Return the commitment (hex) to its seeds; `campaign` is the UUID."""
        return make_commitment(campaign, self.number, self.root)

    def slot(self, number: int) -> int:
        """Return the slot of an entry, by its number; beyond the last slot where the epoch is full."""
        return number - (self.first or number)

    def seed(self, number: int) -> bytes:
        """Return the seed of an entry, by its number."""
        return derive_seed(bytes.fromhex(self.secret), self.slot(number))


class EpochStart(NamedTuple):
    """With which entry (number) an epoch begins, when it is to be closed, and whence the secrets of new ones come."""

    first: int
    closes_at: datetime
    random: Callable[[int], bytes]


class EpochEntry(NamedTuple):
    """An entry of an epoch: its number, hash, audience, and the record of its dice, where it has any."""

    number: int
    hash: str
    audience: str
    draw: str | None

    @property
    def is_open(self) -> bool:
        """Whether everybody may know something of its dice, and so its seed."""
        return has_open_part(self.audience, self.draw)


def find_link_and_epoch(tx: Connection, campaign_id: int, uuid: str) -> tuple[Link, Epoch | None]:
    """Return the link that the campaign's next entry is chained to, and the epoch that is under way."""
    row = tx.execute(_LINKED, {"campaign": campaign_id}).one()
    link = Link(uuid) if row.newest is None else Link(uuid, row.newest, row.hash)
    return link, None if row.secret is None else Epoch(*row[2:])


def check_epochs(tx: Connection, campaign_id: int, roots: Mapping[str, str], named: Mapping[int, int]) -> Iterator[str]:
    """Yield what is wrong with the epochs of a campaign: one that isn't kept, a root that is not that of its secret, or a run of entries with a gap.

    `roots` has the Merkle roots of secrets (hex), as far as they are known; `named` the epochs that dice were drawn in, each
    with the first such entry.
    """
    due = None
    kept = set(tx.scalars(sa.select(epoch.c.number).where(_OF), {"campaign": campaign_id}))
    for number in sorted(named.keys() - kept):
        yield f"Dice set {number}, in which the dice of entry {named[number]} were drawn, isn't kept."
    for row in tx.execute(_EPOCHS.order_by(epoch.c.number), {"campaign": campaign_id}).all():
        item = Epoch(*row)
        root = roots.get(item.secret) or (
            find_merkle_root(bytes.fromhex(item.secret)) if _is_hash(item.secret) else None
        )
        if root != item.root:
            yield f"Dice set {item.number}: its root is not that of its secret."
        if due is not None and item.first != due:
            yield f"Dice set {item.number} begins with entry {item.first}, not {due}."
        due = None if item.last is None else item.last + 1


def list_secrets(tx: Connection, campaign_id: int) -> Secrets:
    """Return the secrets of all epochs of a campaign that have begun; without those of which something is damaged."""
    found = tx.execute(_SECRETS, {"campaign": campaign_id})
    return sorted(
        (first, secret, number) for first, secret, number in found if isinstance(first, int) and _is_hash(secret)
    )


def find_epoch(tx: Connection, campaign_id: int, number: int) -> Epoch | None:
    """Return an epoch by its number."""
    row = tx.execute(_NUMBERED, {"campaign": campaign_id, "of": number}).first()
    return None if row is None else Epoch(*row)


def find_newest_closed(tx: Connection, campaign_id: int) -> Epoch | None:
    """Return the newest epoch that is closed; None where there is none."""
    row = tx.execute(_NEWEST_CLOSED, {"campaign": campaign_id}).first()
    return None if row is None else Epoch(*row)


def epoch_of_entry(tx: Connection, campaign_id: int, number: int) -> Epoch | None:
    """Return the epoch to which an entry belongs, by its number; None of one from before all epochs."""
    row = tx.execute(_WITH_ENTRY, {"campaign": campaign_id, "entry": number}).first()
    return None if row is None else Epoch(*row)


def campaigns_with_ended(tx: Connection, now: datetime) -> list[int]:
    """Return the ids of the campaigns, of all servers, in which an epoch is to be closed by now, or the first to begin."""
    return list(tx.scalars(_OVER, {"now": now}))


def begin_epoch(tx: Connection, campaign_id: int, begun: EpochStart, number: int = 1) -> tuple[Epoch, Epoch]:
    """Begin an epoch of a campaign in which none is under way, the first unless numbered; return it, and the one behind it."""
    first = replace(_new(tx, campaign_id, number, begun.random), first=begun.first, closes_at=begun.closes_at)
    _save(tx, campaign_id, first)
    return first, _new(tx, campaign_id, number + 1, begun.random)


def close_epoch(
    tx: Connection, campaign_id: int, ending: Epoch, at: datetime, begun: EpochStart
) -> tuple[Epoch, Epoch, Epoch]:
    """Close an epoch, begin the next, and make one more; return these three.

    The next was committed to when this one began, so that it is known before its first roll, also where that finds this
    one full.
    """
    closed = replace(ending, last=begun.first - 1, closed_at=at)
    _save(tx, campaign_id, closed)
    number = ending.number + 1
    waiting = find_epoch(tx, campaign_id, number) or _new(tx, campaign_id, number, begun.random)
    under_way = replace(waiting, first=begun.first, closes_at=begun.closes_at)
    _save(tx, campaign_id, under_way)
    return closed, under_way, _new(tx, campaign_id, number + 1, begun.random)


def has_rolls(tx: Connection, campaign_id: int, under_way: Epoch) -> bool:
    """Return whether anything was rolled in an epoch."""
    drawn = (entry.c.campaign_id == campaign_id, entry.c.number >= under_way.first, entry.c.draw.is_not(None))
    return tx.scalar(sa.select(sa.literal(1)).where(*drawn).limit(1)) is not None


def prolong(tx: Connection, campaign_id: int, under_way: Epoch, closes_at: datetime) -> None:
    """Let an epoch without rolls go on."""
    _save(tx, campaign_id, replace(under_way, closes_at=closes_at))


def is_full(under_way: Epoch, number: int) -> bool:
    """Return whether an epoch has no slot left for the entry of this number."""
    return under_way.slot(number) >= SLOTS


def list_epoch_entries(tx: Connection, campaign_id: int, ended: Epoch) -> list[EpochEntry]:
    """Return all entries of a closed epoch, in their order."""
    query = sa.select(entry.c.number, entry.c.hash, entry.c.audience, entry.c.draw).where(
        entry.c.campaign_id == campaign_id, entry.c.number.between(ended.first, ended.last)
    )
    return [EpochEntry(*row) for row in tx.execute(query.order_by(entry.c.number))]


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) is not None


def _new(tx: Connection, campaign_id: int, number: int, random: Callable[[int], bytes]) -> Epoch:
    secret = random(SECRET_BYTES)
    made = Epoch(number, secret.hex(), find_merkle_root(secret))
    tx.execute(epoch.insert(), {"campaign_id": campaign_id, **asdict(made)})
    return made


def _save(tx: Connection, campaign_id: int, changed: Epoch) -> None:
    mine = (epoch.c.campaign_id == campaign_id, epoch.c.number == changed.number)
    tx.execute(epoch.update().where(*mine).values(**asdict(changed)))
