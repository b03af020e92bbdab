"""Names that look alike are one: the keys that names are compared by are made anew.

Battles and files of house rules are kept under such keys, so their values move, and the ledger says so. Where two become
one, both are kept: the later one gets a number behind its name. Of units and characters that become one in name, `Name #7`
says which is meant, as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

from migrations.ledger import enter
from rules.subjects import name_key

revision = "0009"
down_revision = "0008"

State = dict[tuple[str, str], Any]

MAX_NAME, MAX_FILE_NAME = 56, 28
"""Characters of a name that gets a number, which may have four more."""

_META = sa.MetaData()
_CAMPAIGN = sa.Table(
    "campaign",
    _META,
    sa.Column("id", sa.Integer),
    sa.Column("uuid", sa.String),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("name", sa.String),
    sa.Column("name_key", sa.String),
)
_STATE = sa.Table(
    "state",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("subject", sa.String),
    sa.Column("name", sa.String),
    sa.Column("value", sa.JSON),
)
_SUBJECT = sa.Table(
    "subject",
    _META,
    sa.Column("campaign_id", sa.Integer),
    sa.Column("id", sa.Integer),
    sa.Column("name", sa.String),
    sa.Column("name_key", sa.String),
)


def upgrade() -> None:
    """Make all keys of names anew; none is longer than 200 characters any more."""
    _rekey(op.get_bind())
    with op.batch_alter_table("subject", schema=None) as batch_op:
        batch_op.alter_column("name_key", existing_type=sa.String(length=400), type_=sa.String(length=200))


def downgrade() -> None:
    """Let keys be longer again, and leave them as they are: names in plain ASCII have the same ones as before."""
    with op.batch_alter_table("subject", schema=None) as batch_op:
        batch_op.alter_column("name_key", existing_type=sa.String(length=200), type_=sa.String(length=400))


def _rekey(tx: sa.Connection) -> None:
    for row in tx.execute(sa.select(_SUBJECT)).all():
        if row.name_key != (key := name_key(row.name)):
            one = (_SUBJECT.c.campaign_id == row.campaign_id, _SUBJECT.c.id == row.id)
            tx.execute(_SUBJECT.update().where(*one).values(name_key=key))
    every = tx.execute(sa.select(_CAMPAIGN).order_by(_CAMPAIGN.c.id)).all()
    names = _names_of_campaigns(every)
    changed = [item for item in every if (item.name, item.name_key) != (names[item.id], name_key(names[item.id]))]
    for item in changed:  # keys are unique: none of before may be in the way of a new one
        _call(tx, item.id, item.name, f"#{item.id}")
    for item in changed:
        _call(tx, item.id, names[item.id], name_key(names[item.id]))
    for item in every:
        _rekey_state(tx, item, {item.name: names[item.id]} if names[item.id] != item.name else {})


def _names_of_campaigns(every: Iterable[sa.Row[Any]]) -> dict[int, str]:
    """Return what each campaign is called from now on, by id; the later one of two on a server gets a number."""
    taken: dict[int, set[str]] = {}
    names = {}
    for item in every:
        keys = taken.setdefault(item.guild_id, set())
        names[item.id] = _free(item.name, keys, MAX_NAME)
        keys.add(name_key(names[item.id]))
    return names


def _call(tx: sa.Connection, campaign_id: int, name: str, key: str) -> None:
    tx.execute(_CAMPAIGN.update().where(_CAMPAIGN.c.id == campaign_id).values(name=name, name_key=key))


def _rekey_state(tx: sa.Connection, campaign: sa.Row[Any], renamed: dict[str, str]) -> None:
    mine = _STATE.c.campaign_id == campaign.id
    rows = tx.execute(sa.select(_STATE.c.subject, _STATE.c.name, _STATE.c.value).where(mine)).all()
    before = {(row.subject, row.name): row.value for row in rows}
    after = _rekeyed(before, renamed)
    changes = [
        {"subject": key[0], "name": key[1], "before": before.get(key), "after": after.get(key)}
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    if not changes and not renamed:
        return
    for change in changes:
        tx.execute(_STATE.delete().where(mine, _STATE.c.subject == change["subject"], _STATE.c.name == change["name"]))
    new = [
        {"campaign_id": campaign.id, "subject": item["subject"], "name": item["name"], "value": item["after"]}
        for item in changes
        if item["after"] is not None
    ]
    if new:
        tx.execute(_STATE.insert(), new)
    body = {"format": 2, "renamed": renamed, "changes": changes, "texts": {}, "names": {}}
    enter(tx, campaign.id, campaign.uuid, body)


def _rekeyed(state: State, renamed: dict[str, str]) -> State:
    """Return a state with battles and files under the keys of their names; `renamed` takes in names that get a number."""
    battles = {subject: value for (subject, name), value in state.items() if name == "battle"}
    files = {name: value for (subject, name), value in state.items() if subject == "house"}
    names = {
        **dict(_apart(battles, "entry", MAX_NAME, renamed)),
        **dict(_apart(files, "since", MAX_FILE_NAME, renamed)),
    }
    return dict(_moved(state, names))


def _apart(
    items: Mapping[str, Mapping[str, Any]], since: str, most: int, renamed: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the old key of each item with the name that it has from now on, the earlier ones first."""
    taken: set[str] = set()
    for key, value in sorted(items.items(), key=lambda item: item[1][since]):
        name = _free(value["name"], taken, most)
        taken.add(name_key(name))
        if name != value["name"]:
            renamed[value["name"]] = name
        yield key, name


def _moved(state: State, names: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the values with where they stand from now on; `names` are those of battles and files by their old keys."""
    for (subject, name), value in state.items():
        if subject.startswith("battle:") and subject in names:
            header = {**value, "name": names[subject]} if name == "battle" else value
            yield (f"battle:{name_key(names[subject])}", name), header
        elif subject == "house":
            yield (subject, name_key(names[name])), {**value, "name": names[name]}
        elif subject.startswith("house:") and (key := subject.removeprefix("house:")) in names:
            yield (f"house:{name_key(names[key])}", name), value
        elif name.startswith("effect.event-") and (battle := f"battle:{_old_key(value['battle'])}") in names:
            yield (subject, name), {**value, "battle": names[battle]}
        else:
            yield (subject, name), value


def _old_key(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip().casefold()


def _free(name: str, taken: set[str], most: int) -> str:
    """Return a name, with a number behind it where its key is taken."""
    number, free = 1, name
    while name_key(free) in taken:
        number += 1
        free = f"{name[:most].rstrip()} {number}"
    return free
