"""A campaign's house rules: which files it has and which are on, as its state keeps them, and the files as they were sent."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Self

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core import state
from bot.core.chores import forget_old
from bot.core.encoding import Json
from bot.core.schema import document
from bot.core.transactions import Row
from rules.subjects import name_key

MAX_WAITING = 20
"""How many files of a campaign that were never switched on are stored at once."""

FILES = "house"
"""The subject of all files; each stands under `FILE` and the key of its name, those of earlier versions under the key alone."""

FILE = "File:"
"""How the names of these values begin: people choose names of files, and one called `battle` would be taken for a battle. No key has a capital letter."""

forget_old_files = partial(forget_old, document.c.sent_at, only=[sa.not_(document.c.kept)])
"""The chore that deletes files that were never switched on, a day after they were sent."""


class HouseFile(Struct, frozen=True):
    """A file of house rules in its newest version, and whether it is on.

    `fingerprint` is that of its text, `file` its file name when it was sent, `extends` the id of the book that it changes
    or adds to, `tables` the tables that it adds, id to title. `entry` is the number of the entry that switched it on or
    off last; files count in the order of `since`, the number of the entry since which they have been on.
    """

    name: str
    version: int
    fingerprint: str
    file: str
    extends: str
    tables: Mapping[str, str]
    entry: int
    since: int
    on: bool

    @classmethod
    def of(cls, value: Mapping[str, Json]) -> Self:
        """Return the file from what the state keeps."""
        return cls(**value)

    def value(self) -> dict[str, Json]:
        """Return what the state keeps of the file."""
        return asdict(self) | {"tables": dict(self.tables)}

    @property
    def key(self) -> str:
        """The name under which it stands."""
        return name_key(self.name)

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} v{self.version}"


class SentFile(Struct, frozen=True):
    """A file as it was sent. Those never switched on are not `kept`: they expire."""

    fingerprint: str
    file: str
    text: str
    sent_at: datetime
    kept: bool


def hash_file(text: str) -> str:
    """Return the SHA-256 of a file's text, in hex."""
    return sha256(text.encode()).hexdigest()


def versions_subject(key: str) -> str:
    """Return the subject under which the state keeps all versions of a file."""
    return f"{FILES}:{key}"


def version_name(number: int) -> str:
    """Return the name under which the state keeps a version: its fingerprint, file name, and entry."""
    return f"v{number}"


def list_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return all files that a campaign ever had, in the order in which they count."""
    values = state.get_values(tx, campaign_id, {FILES}).values()
    return sorted(map(HouseFile.of, values), key=lambda file: (file.since, file.key))


def find_state_name(tx: Connection, campaign_id: int, key: str) -> str:
    """Return under which name the state keeps the file with a key, or is to keep it."""
    return f"{FILE}{key}" if state.get_value(tx, campaign_id, FILES, key) is None else key


def list_active_files(tx: Connection, campaign_id: int) -> list[HouseFile]:
    """Return the files that are on, in the order in which they count."""
    return [file for file in list_files(tx, campaign_id) if file.on]


def get_version(tx: Connection, campaign_id: int, key: str, number: int) -> dict[str, Json] | None:
    """Return what the state keeps of one version of a file."""
    value: dict[str, Json] | None = state.get_value(tx, campaign_id, versions_subject(key), version_name(number))
    return value


def store_file(tx: Connection, campaign_id: int, new: SentFile) -> None:
    """Store a file, or renew it when it was sent before; beyond 20 files never switched on, the oldest are deleted."""
    sent_again = document.update().where(_is_mine(campaign_id), document.c.fingerprint == new.fingerprint)
    if not (tx.execute(sent_again.values(file=new.file, sent_at=new.sent_at))).rowcount:
        tx.execute(document.insert(), {"campaign_id": campaign_id, **asdict(new)})
    is_new = document.c.fingerprint == new.fingerprint
    expiring = sa.select(document.c.fingerprint).where(*_expiring(campaign_id))
    newest = expiring.order_by(document.c.sent_at.desc(), is_new.desc()).limit(MAX_WAITING)
    tx.execute(document.delete().where(*_expiring(campaign_id), document.c.fingerprint.not_in(newest)))


def find_file(tx: Connection, campaign_id: int, prefix: str) -> SentFile | None:
    """Return the file whose fingerprint begins with a prefix."""
    query = sa.select(document).where(_is_mine(campaign_id), document.c.fingerprint.like(f"{prefix}%")).limit(1)
    row = tx.execute(query).first()
    return _sent_file(row) if row else None


def read_texts(tx: Connection, campaign_id: int, fingerprints: Collection[str]) -> dict[str, str]:
    """Return the texts of files, by fingerprint."""
    query = sa.select(document.c.fingerprint, document.c.text)
    rows = tx.execute(query.where(_is_mine(campaign_id), document.c.fingerprint.in_(fingerprints)))
    return {row.fingerprint: row.text for row in rows}


def each_file(tx: Connection, campaign_id: int) -> Iterator[SentFile]:
    """Return all files of a campaign."""
    return (_sent_file(row) for row in tx.execute(sa.select(document).where(_is_mine(campaign_id))))


def keep_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Mark a file as kept: it does not expire."""
    tx.execute(document.update().where(_is_mine(campaign_id), document.c.fingerprint == fingerprint).values(kept=True))


def drop_file(tx: Connection, campaign_id: int, fingerprint: str) -> None:
    """Delete a file that was never switched on."""
    tx.execute(document.delete().where(*_expiring(campaign_id), document.c.fingerprint == fingerprint))


def _is_mine(campaign_id: int) -> sa.ColumnElement[bool]:
    return document.c.campaign_id == campaign_id


def _expiring(campaign_id: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (_is_mine(campaign_id), sa.not_(document.c.kept))


def _sent_file(row: Row) -> SentFile:
    fields = row._mapping  # noqa: SLF001 - SQLAlchemy's public name for it
    return SentFile(**{name: fields[name] for name in SentFile.__struct_fields__})
