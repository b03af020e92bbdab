"""What is kept of a person, in entries and beside the ledger, and how it is erased.

Entries hold texts that are somebody's, found by the person's pseudonym. Erasing takes each text with its salt and leaves its hash,
so that the chain still verifies; without the salt nobody can try out what a text said. Rows beside the ledger, such as who a
pseudonym is, are deleted. Some limits are counted for each person, by pseudonym, and whoever comes back after an erasure has a
new one. So a tombstone stays until the update is over, or the war in which the person commanded: the old pseudonym, and a hash
of the user id under a salt of its own, which connects the two only for those who already have the user id to try.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries, transactions
from bot.core.encoding import Json
from bot.core.records import NAME_TEXT, VOID, SaltedText, make_pseudonym
from bot.core.schema import actor, asked_search, card, entry, entry_text, import_draft, tombstone

ROLL, AMENDED = "roll", "amended"
"""The kind of entries in whose bodies others than their makers stand, and the text of an amendment that is its maker's own."""

_AT_ONCE = 200
_WHERE_PEOPLE_STAND = (
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
    """What the entries up to a number hold of a person.

    `texts` are the keys of the texts that are the person's, by entry (number) and name; `pointed` are the entries whose
    bodies point to the person without such a text. `others` are those of all these that somebody else has made. A text that
    was erased before is still named.
    """

    upto: int = 0
    texts: dict[int, dict[str, str]] = field(default_factory=dict)
    pointed: list[int] = field(default_factory=list)
    others: set[int] = field(default_factory=set)

    @property
    def entries(self) -> list[int]:
        """The numbers of all entries whose messages may name the person, in order."""
        return sorted({*self.texts, *self.pointed})


class _PersonalEntry(Struct, frozen=True):
    """One entry as it is looked at: its maker's pseudonym, and its body parsed."""

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
        """The entry that it amends or takes back, whose texts it repeats; 0 where there is none."""
        number: int = self.body["entry"] if self.kind == VOID else self.body.get("amends", 0)
        return number


def find_texts(tx: Connection, campaign_id: int, mine: str, found: PersonalTexts | None = None) -> PersonalTexts:
    """Return what entries hold of the person with a pseudonym; goes on behind what was `found` before.

    A person's are the texts of entries that they made or asked for, and the names under which they rolled, also where
    an entry repeats these because it amends another one or takes it back.
    """
    held = PersonalTexts() if found is None else found
    asked = {"campaign": campaign_id, "after": held.upto, "mine": mine}
    for number, kind, maker, body in tx.execute(_WHERE_PEOPLE_STAND, asked):
        if maker == mine or mine in body or kind == VOID or '"amends":' in body:
            _look(tx, campaign_id, held, _PersonalEntry(number, kind, maker, json.loads(body)), mine)
        held.upto = number
    return held


def erase_texts(tx: Connection, campaign_id: int, found: Mapping[int, Mapping[str, str]]) -> None:
    """Erase texts and their salts, which are given as `PersonalTexts` has them."""
    keys = [(number, key) for number, texts in found.items() for key in texts.values()]
    if keys:
        transactions.write(tx, _ERASE, [{"campaign": campaign_id, "of": number, "key": key} for number, key in keys])


def _look(tx: Connection, campaign_id: int, held: PersonalTexts, row: _PersonalEntry, mine: str) -> None:
    own = {name for name in row.texts if _is_own(row, name, mine)}
    if row.before:
        again, theirs = _find_repeated(tx, campaign_id, row), held.texts.get(row.before, {})
        own = (own - again) | (theirs.keys() & again)
    if own:
        held.texts[row.number] = {name: row.texts[name] for name in own}
    elif row.kind == ROLL and mine in _list_people(row.body):
        held.pointed.append(row.number)
    if row.actor != mine:
        held.others.add(row.number)


def _is_own(row: _PersonalEntry, name: str, mine: str) -> bool:
    """Tell whether a text of an entry is a person's: what they typed, or the name under which they rolled."""
    author: str = row.body.get("asked", {}).get("by", row.actor)
    if not name.startswith(NAME_TEXT):
        return author == mine
    rolled: Mapping[str, str] = row.body.get("by", {})
    role = name.removeprefix(NAME_TEXT)
    if role in rolled:
        return rolled[role] == mine
    return not row.before and mine in {row.actor, *_list_people(row.body)}


def _list_people(body: Mapping[str, Json]) -> set[str | None]:
    """Return the pseudonyms of those to whom the body of a roll points."""
    asked = body.get("asked", {})
    return {*body.get("by", {}).values(), asked.get("by"), asked.get("closed"), *asked.get("answers", ())}


def _find_repeated(tx: Connection, campaign_id: int, row: _PersonalEntry) -> set[str]:
    """Return the names of those texts of an entry that it has from the one which it amends or takes back: names of people, and what it says as that did."""
    before = entries.get_entry(tx, campaign_id, row.before)
    names = {name for name in row.texts if name.startswith(NAME_TEXT)}
    if before is None or row.kind == VOID:
        return names
    kept, nothing = entries.read_entry_texts(tx, campaign_id, [row.number])[row.number], SaltedText(None, None)
    alike = {name for name, key in row.texts.items() if kept.get(key, nothing).text == before.text(name)}
    return names | (alike - {AMENDED})


ROWS = {actor: actor.c.user_id, card: card.c.owner_id, import_draft: import_draft.c.user_id}
ROWS |= {asked_search: asked_search.c.asker_id}
"""The tables of which whole rows are a person's, and the column that says whose."""

_COUNTED = (
    sa.select(entry.c.audience, sa.func.count(), sa.func.min(entry.c.at), sa.func.max(entry.c.at))
    .where(entry.c.campaign_id == sa.bindparam("campaign"), entry.c.actor == sa.bindparam("mine"))
    .group_by(entry.c.audience)
)
_CARDS = sa.select(card.c.id, card.c.request).where(card.c.campaign_id == sa.bindparam("campaign"))


class EntryCount(Struct, frozen=True):
    """How many entries for one audience somebody has made, and when the first and the last."""

    audience: str
    count: int
    first: datetime
    last: datetime


def count_entries(tx: Connection, campaign_id: int, mine: str) -> list[EntryCount]:
    """Return what the person with a pseudonym has entered, by audience."""
    return [EntryCount(*row) for row in tx.execute(_COUNTED, {"campaign": campaign_id, "mine": mine})]


def list_rows(tx: Connection, campaign_id: int, user_id: int, table: sa.Table) -> list[dict[str, Json]]:
    """Return the rows of a person in a table, of those in `ROWS`."""
    found = tx.execute(sa.select(table).where(table.c.campaign_id == campaign_id, ROWS[table] == user_id))
    return [dict(row) for row in found.mappings()]


def delete_rows(tx: Connection, campaign_id: int, user_id: int) -> None:
    """Delete all rows of a person, and everybody's searches, which may name them: nothing tells any more who the pseudonym was."""
    for table, column in ROWS.items():
        whose = sa.true() if table is asked_search else column == user_id
        transactions.write(tx, table.delete().where(table.c.campaign_id == campaign_id, whose))


def drop_amending_cards(tx: Connection, campaign_id: int, numbers: Collection[int]) -> None:
    """Delete the cards, whoever's they are, that amend one of these entries: they hold what was typed for it."""
    gone = [key for key, number in _amending(tx, campaign_id) if number in numbers]
    if gone:
        transactions.write(tx, card.delete().where(card.c.campaign_id == campaign_id, card.c.id.in_(gone)))


def _amending(tx: Connection, campaign_id: int) -> Iterator[tuple[str, int]]:
    for key, request in tx.execute(_CARDS, {"campaign": campaign_id}):
        amends = request["now"].get("amends")
        if amends:
            yield key, amends["number"]


def leave_tombstone(tx: Connection, campaign_id: int, user_id: int, mine: str, salt: str) -> None:
    """Note that the person with a pseudonym is being erased, under a fresh salt."""
    values = {"pseudonym": mine, "salt": salt, "digest": make_pseudonym(salt, user_id)}
    transactions.write(tx, tombstone.insert().values(campaign_id=campaign_id, **values))


def find_earlier_pseudonyms(tx: Connection, campaign_id: int, user_id: int) -> frozenset[str]:
    """Return the pseudonyms that a person had before they were erased, in the current update or war."""
    rows = tx.execute(sa.select(tombstone).where(tombstone.c.campaign_id == campaign_id))
    return frozenset(row.pseudonym for row in rows if make_pseudonym(row.salt, user_id) == row.digest)


def find_all_pseudonyms(tx: Connection, campaign_id: int, mine: str) -> frozenset[str]:
    """Return all pseudonyms of the person with this one, which may be an earlier one or the current one."""
    people = tx.execute(sa.select(actor.c.user_id, actor.c.pseudonym).where(actor.c.campaign_id == campaign_id))
    for user_id, current in people.all():
        every = find_earlier_pseudonyms(tx, campaign_id, user_id) | {current}
        if mine in every:
            return every
    return frozenset({mine})


def clear_tombstones(tx: Connection, campaign_id: int, is_needed: Callable[[str], bool]) -> None:
    """Delete what is noted in a campaign, except the pseudonyms that are still needed."""
    here = tombstone.c.campaign_id == campaign_id
    noted = tx.scalars(sa.select(tombstone.c.pseudonym).where(here)).all()
    over = [pseudonym for pseudonym in noted if not is_needed(pseudonym)]
    if over:
        transactions.write(tx, tombstone.delete().where(here, tombstone.c.pseudonym.in_(over)))
