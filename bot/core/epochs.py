"""Epochs, called dice sets: runs of entries whose dice are fixed before anyone rolls.

A hash over an epoch's seeds is posted before it begins, the seeds of its public entries once it has closed: at the end of the day, or when
full. Those of private entries are proven one by one.

The next epoch always exists, already committed to, so a full one is followed in the same transaction.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.core import draws, seeds
from bot.core.ledger import EPOCH_COLUMNS, Epoch
from bot.core.schema import at_home, campaign, entry, epoch

_OF = epoch.c.campaign_id == sa.bindparam("campaign")
_EPOCHS = sa.select(*EPOCH_COLUMNS).where(_OF)
_WITH_ENTRY = _EPOCHS.where(epoch.c.first <= sa.bindparam("entry")).order_by(epoch.c.number.desc()).limit(1)
_NEWEST_CLOSED = _EPOCHS.where(epoch.c.closed_at.is_not(None)).order_by(epoch.c.number.desc()).limit(1)
_SECRETS = sa.select(epoch.c.first, epoch.c.secret, epoch.c.number).where(_OF, epoch.c.first.is_not(None))
_UNDER_WAY = (epoch.c.first.is_not(None), epoch.c.closed_at.is_(None), at_home(epoch.c.campaign_id))
_FULL = sa.exists().where(entry.c.campaign_id == epoch.c.campaign_id, entry.c.number >= epoch.c.first + seeds.SLOTS - 1)
_OVER = sa.union(
    sa.select(epoch.c.campaign_id).where(*_UNDER_WAY, (epoch.c.closes_at <= sa.bindparam("now")) | _FULL),
    sa.select(campaign.c.id).where(
        campaign.c.archived_at.is_(None),
        at_home(campaign.c.id),
        ~sa.exists().where(epoch.c.campaign_id == campaign.c.id),
    ),
)


class EpochStart(NamedTuple):
    """First entry, closing time, and source of secrets."""

    first: int
    closes_at: datetime
    random: Callable[[int], bytes]


class EpochEntry(NamedTuple):
    """An entry and its dice, if any."""

    number: int
    hash: str
    audience: str
    draw: str | None

    @property
    def is_open(self) -> bool:
        """Whether the entry's seed is public."""
        return draws.has_open_part(self.audience, self.draw)


def check_epochs(tx: Connection, campaign_id: int, roots: Mapping[str, str], named: Mapping[int, int]) -> Iterator[str]:
    """Yield missing epochs, wrong roots and gaps; `roots` are by secret, `named` first entries by epoch."""
    due = None
    kept = set(tx.scalars(sa.select(epoch.c.number).where(_OF), {"campaign": campaign_id}))
    for number in sorted(named.keys() - kept):
        yield f"Dice set {number}, in which the dice of entry {named[number]} were drawn, isn't kept."
    for row in tx.execute(_EPOCHS.order_by(epoch.c.number), {"campaign": campaign_id}).all():
        item = Epoch(*row)
        root = roots.get(item.secret)
        if root is None and _is_hash(item.secret):
            root = seeds.find_merkle_root(bytes.fromhex(item.secret))
        if root != item.root:
            yield f"Dice set {item.number}: its root is not that of its secret."
        if due is not None and item.first != due:
            yield f"Dice set {item.number} begins with entry {item.first}, not {due}."
        due = None if item.last is None else item.last + 1


def list_secrets(tx: Connection, campaign_id: int) -> seeds.Secrets:
    """Return the undamaged secrets of begun epochs."""
    rows = tx.execute(_SECRETS, {"campaign": campaign_id})
    return sorted((*row,) for row in rows if isinstance(row.first, int) and _is_hash(row.secret))


def find_newest_closed(tx: Connection, campaign_id: int) -> Epoch | None:
    """Return the newest closed epoch."""
    row = tx.execute(_NEWEST_CLOSED, {"campaign": campaign_id}).first()
    return None if row is None else Epoch(*row)


def read_epochs(tx: Connection, campaign_id: int, numbers: range) -> dict[int, Epoch]:
    """Return those of these that exist."""
    found = _EPOCHS.where(epoch.c.number.between(numbers.start, numbers.stop - 1))
    return {row.number: Epoch(*row) for row in tx.execute(found, {"campaign": campaign_id})}


def epoch_of_entry(tx: Connection, campaign_id: int, number: int) -> Epoch | None:
    """Return an entry's epoch; older entries have none."""
    row = tx.execute(_WITH_ENTRY, {"campaign": campaign_id, "entry": number}).first()
    return None if row is None else Epoch(*row)


def campaigns_with_ended(tx: Connection, now: datetime) -> list[int]:
    """Return campaigns whose epoch is over or missing."""
    return list(tx.scalars(_OVER, {"now": now}))


def begin_epoch(tx: Connection, campaign_id: int, begun: EpochStart, number: int = 1) -> tuple[Epoch, Epoch]:
    """Begin an epoch; return it and the next."""
    first = replace(_new(tx, campaign_id, number, begun.random), first=begun.first, closes_at=begun.closes_at)
    _save(tx, campaign_id, first)
    return first, _new(tx, campaign_id, number + 1, begun.random)


def close_epoch(
    tx: Connection, campaign_id: int, ending: Epoch, at: datetime, begun: EpochStart
) -> tuple[Epoch, Epoch, Epoch]:
    """Close an epoch; return it, the begun and a waiting one."""
    closed = replace(ending, last=begun.first - 1, closed_at=at)
    _save(tx, campaign_id, closed)
    number = ending.number + 1
    known = tx.execute(_EPOCHS.where(epoch.c.number == number), {"campaign": campaign_id}).first()
    waiting = Epoch(*known) if known else _new(tx, campaign_id, number, begun.random)
    under_way = replace(waiting, first=begun.first, closes_at=begun.closes_at)
    _save(tx, campaign_id, under_way)
    return closed, under_way, _new(tx, campaign_id, number + 1, begun.random)


def has_rolls(tx: Connection, campaign_id: int, under_way: Epoch) -> bool:
    """Return whether an epoch has any roll."""
    drawn = (entry.c.campaign_id == campaign_id, entry.c.number >= under_way.first, entry.c.draw.is_not(None))
    return tx.scalar(sa.select(sa.literal(1)).where(*drawn).limit(1)) is not None


def extend_epoch(tx: Connection, campaign_id: int, under_way: Epoch, closes_at: datetime) -> None:
    """Extend an epoch that has no rolls."""
    _save(tx, campaign_id, replace(under_way, closes_at=closes_at))


def list_epoch_entries(tx: Connection, campaign_id: int, ended: Epoch) -> list[EpochEntry]:
    """Return a closed epoch's entries in order."""
    mine = (entry.c.campaign_id == campaign_id, entry.c.number.between(ended.first, ended.last))
    query = sa.select(entry.c.number, entry.c.hash, entry.c.audience, entry.c.draw).where(*mine)
    return [EpochEntry(*row) for row in tx.execute(query.order_by(entry.c.number))]


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text) is not None


def _new(tx: Connection, campaign_id: int, number: int, random: Callable[[int], bytes]) -> Epoch:
    secret = random(seeds.SECRET_BYTES)
    made = Epoch(number, secret.hex(), seeds.find_merkle_root(secret))
    tx.execute(epoch.insert(), {"campaign_id": campaign_id, **asdict(made)})
    return made


def _save(tx: Connection, campaign_id: int, changed: Epoch) -> None:
    mine = (epoch.c.campaign_id == campaign_id, epoch.c.number == changed.number)
    tx.execute(epoch.update().where(*mine).values(**asdict(changed)))
