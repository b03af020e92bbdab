"""What is kept about a person, and how it's erased.

Erasing removes a person's texts with their salts and keeps the hashes: the chain still verifies, and no guess can be checked. Some limits count per pseudonym, and a person who comes back gets a new one. So a tombstone stays until the update or
the person's war is over: the old pseudonym, and a hash of the user id under a separate salt.
"""

import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries, transactions
from bot.core.records import NAME_TEXT, VOID, Json, SaltedText, make_pseudonym
from bot.core.schema import actor, asked_search, card, digest_reader, entry, entry_text, import_draft, post, tombstone

ROLL, AMENDED = "roll", "amended"
"""The kind of entries that name people other than their makers, and the text of an amendment that is its maker's."""

_AT_ONCE = 200
_ABOUT_PEOPLE = (
    sa.select(entry.c.number, entry.c.kind, entry.c.actor, entry.c.body)
    .where(
        entry.c.campaign_id == sa.bindparam("campaign"),
        entry.c.number > sa.bindparam("after"),
        entry.c.kind.in_((ROLL, VOID)) | (entry.c.actor == sa.bindparam("mine")),
    )
    .order_by(entry.c.number)
    .execution_options(yield_per=_AT_ONCE)
)
_ERASE = (
    entry_text.update()
    .where(
        entry_text.c.campaign_id == sa.bindparam("campaign"),
        entry_text.c.number == sa.bindparam("of"),
        entry_text.c.name == sa.bindparam("key"),
    )
    .values(salt=None, text=None)
)


class PersonalTexts(Struct):
    """Text keys by entry and name, and entries that only point to a person; `others` made them."""

    upto: int = 0
    texts: dict[int, dict[str, str]] = field(default_factory=dict)
    pointed: list[int] = field(default_factory=list)
    others: set[int] = field(default_factory=set)

    @property
    def entries(self) -> list[int]:
        """All entries that may name the person."""
        return sorted({*self.texts, *self.pointed})


class _PersonalEntry(Struct, frozen=True):
    number: int
    kind: str
    actor: str
    body: Mapping[str, Json]

    @property
    def texts(self) -> Mapping[str, str]:
        texts: Mapping[str, str] = self.body["texts"]
        return texts

    @property
    def before(self) -> int:
        number: int = self.body["entry"] if self.kind == VOID else self.body.get("amends", 0)
        return number


def find_texts(tx: Connection, campaign_id: int, mine: str, found: PersonalTexts | None = None) -> PersonalTexts:
    """Return a person's texts, names and their copies, continuing `found`."""
    known = PersonalTexts() if found is None else found
    asked = {"campaign": campaign_id, "after": known.upto, "mine": mine}
    for number, kind, maker, body in tx.execute(_ABOUT_PEOPLE, asked):
        if maker == mine or mine in body or kind == VOID or '"amends":' in body:
            _add_texts(tx, campaign_id, known, _PersonalEntry(number, kind, maker, json.loads(body)), mine)
        known.upto = number
    return known


def erase_texts(tx: Connection, campaign_id: int, found: Mapping[int, Mapping[str, str]]) -> None:
    """Erase texts and their salts, by keys of `PersonalTexts`."""
    keys = [(number, key) for number, texts in found.items() for key in texts.values()]
    if keys:
        transactions.write(tx, _ERASE, [{"campaign": campaign_id, "of": number, "key": key} for number, key in keys])


def _add_texts(tx: Connection, campaign_id: int, known: PersonalTexts, row: _PersonalEntry, mine: str) -> None:
    own = {name for name in row.texts if _is_own(row, name, mine)}
    if row.before:
        again, theirs = _find_repeated(tx, campaign_id, row), known.texts.get(row.before, {})
        own = (own - again) | (theirs.keys() & again)
    if own:
        known.texts[row.number] = {name: row.texts[name] for name in own}
    elif row.kind == ROLL and mine in _list_people(row.body):
        known.pointed.append(row.number)
    if row.actor != mine:
        known.others.add(row.number)


def _is_own(row: _PersonalEntry, name: str, mine: str) -> bool:
    author: str = row.body.get("asked", {}).get("by", row.actor)
    if not name.startswith(NAME_TEXT):
        return author == mine
    rolled: Mapping[str, str] = row.body.get("by", {})
    role = name.removeprefix(NAME_TEXT)
    if role in rolled:
        return rolled[role] == mine
    return not row.before and mine in {row.actor, *_list_people(row.body)}


def _list_people(body: Mapping[str, Json]) -> set[str | None]:
    asked = body.get("asked", {})
    return {*body.get("by", {}).values(), asked.get("by"), asked.get("closed"), *asked.get("answers", ())}


def _find_repeated(tx: Connection, campaign_id: int, row: _PersonalEntry) -> set[str]:
    before = entries.get_entry(tx, campaign_id, row.before)
    names = {name for name in row.texts if name.startswith(NAME_TEXT)}
    if before is None or row.kind == VOID:
        return names
    kept, nothing = entries.read_entry_texts(tx, campaign_id, [row.number])[row.number], SaltedText(None, None)
    alike = {name for name, key in row.texts.items() if kept.get(key, nothing).text == before.text(name)}
    return names | (alike - {AMENDED})


ROWS = {actor: actor.c.user_id, card: card.c.owner_id, import_draft: import_draft.c.user_id}
ROWS |= {asked_search: asked_search.c.asker_id, digest_reader: digest_reader.c.user_id, post: post.c.channel_id}
"""The tables of which whole rows are a person's, and the column that says whose: a letter's channel is its reader."""


class EntryCount(Struct, frozen=True):
    """Entries for one audience, and first and last time."""

    audience: str
    count: int
    first: datetime
    last: datetime


def count_entries(tx: Connection, campaign_id: int, mine: str) -> list[EntryCount]:
    """Return a person's entries by audience."""
    query = sa.select(entry.c.audience, sa.func.count(), sa.func.min(entry.c.at), sa.func.max(entry.c.at))
    query = query.where(entry.c.campaign_id == campaign_id, entry.c.actor == mine).group_by(entry.c.audience)
    return [EntryCount(*row) for row in tx.execute(query)]


def list_rows(tx: Connection, campaign_id: int, user_id: int, table: sa.Table) -> list[dict[str, Json]]:
    """Return a person's rows in a table of `ROWS`."""
    found = tx.execute(sa.select(table).where(table.c.campaign_id == campaign_id, ROWS[table] == user_id))
    return [dict(row) for row in found.mappings()]


def delete_rows(tx: Connection, campaign_id: int, user_id: int) -> None:
    """Delete a person's rows, and all searches, which may name them."""
    for table, column in ROWS.items():
        whose = sa.true() if table is asked_search else column == user_id
        transactions.write(tx, table.delete().where(table.c.campaign_id == campaign_id, whose))


def drop_amending_cards(tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
    """Delete cards that amend these entries and contain their texts."""
    mine = card.c.campaign_id == campaign_id
    cards = tx.execute(sa.select(card.c.id, card.c.request).where(mine))
    gone = [key for key, request in cards if (request["now"].get("amends") or {}).get("number") in numbers]
    if gone:
        transactions.write(tx, card.delete().where(mine, card.c.id.in_(gone)))


def leave_tombstone(tx: Connection, campaign_id: int, user_id: int, mine: str, salt: str) -> None:
    """Save a person's tombstone under a fresh salt."""
    values = {"pseudonym": mine, "salt": salt, "digest": make_pseudonym(salt, user_id)}
    transactions.write(tx, tombstone.insert().values(campaign_id=campaign_id, **values))


def find_earlier_pseudonyms(tx: Connection, campaign_id: int, user_id: int) -> frozenset[str]:
    """Return a person's pseudonyms from before an erasure."""
    rows = tx.execute(sa.select(tombstone).where(tombstone.c.campaign_id == campaign_id))
    return frozenset(row.pseudonym for row in rows if make_pseudonym(row.salt, user_id) == row.digest)


def find_all_pseudonyms(tx: Connection, campaign_id: int, mine: str) -> frozenset[str]:
    """Return all of a person's pseudonyms, from any."""
    people = tx.execute(sa.select(actor.c.user_id, actor.c.pseudonym).where(actor.c.campaign_id == campaign_id))
    for user_id, current in people.all():
        every = find_earlier_pseudonyms(tx, campaign_id, user_id) | {current}
        if mine in every:
            return every
    return frozenset({mine})


def clear_tombstones(tx: Connection, campaign_id: int, is_needed: Callable[[str], bool]) -> None:
    """Delete a campaign's tombstones, except for pseudonyms still needed."""
    here = tombstone.c.campaign_id == campaign_id
    noted = tx.scalars(sa.select(tombstone.c.pseudonym).where(here)).all()
    over = [pseudonym for pseudonym in noted if not is_needed(pseudonym)]
    if over:
        transactions.write(tx, tombstone.delete().where(here, tombstone.c.pseudonym.in_(over)))
