"""What entries hold of a person: found by the pseudonym, and erased. Hashes stay, so the chain still verifies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import entries, reads
from bot.core.people import TEXT
from bot.core.records import VOID, SaltedText
from bot.core.schema import entry, entry_text

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


class Held(Struct):
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


class _Row(Struct, frozen=True):
    """One entry as it is looked at: its maker's pseudonym, and its body parsed."""

    number: int
    kind: str
    actor: str
    body: Mapping[str, Any]

    @property
    def texts(self) -> Mapping[str, str]:
        return self.body["texts"]  # type: ignore[no-any-return]

    @property
    def before(self) -> int:
        """The entry that it amends or takes back, whose texts it repeats; 0 where there is none."""
        number: int = self.body["entry"] if self.kind == VOID else self.body.get("amends", 0)
        return number


def find(tx: Connection, campaign_id: int, mine: str, found: Held | None = None) -> Held:
    """Return what entries hold of the person with a pseudonym; goes on behind what was `found` before.

    A person's are the texts of entries that they made or asked for, and the names under which they rolled, also where
    an entry repeats these because it amends another one or takes it back.
    """
    held = Held() if found is None else found
    asked = {"campaign": campaign_id, "after": held.upto, "mine": mine}
    for number, kind, actor, body in tx.execute(_WHERE_PEOPLE_STAND, asked):
        if actor == mine or mine in body or kind == VOID or '"amends":' in body:
            _look(tx, campaign_id, held, _Row(number, kind, actor, json.loads(body)), mine)
        held.upto = number
    return held


def erase(tx: Connection, campaign_id: int, found: Mapping[int, Mapping[str, str]]) -> None:
    """Erase texts and their salts, which are given as `Held` has them."""
    keys = [(number, key) for number, texts in found.items() for key in texts.values()]
    if keys:
        reads.write(tx, _ERASE, [{"campaign": campaign_id, "of": number, "key": key} for number, key in keys])


def _look(tx: Connection, campaign_id: int, held: Held, row: _Row, mine: str) -> None:
    """Note what one entry holds of a person."""
    own = {name for name in row.texts if _is_own(row, name, mine)}
    if row.before:
        again, theirs = _repeated(tx, campaign_id, row), held.texts.get(row.before, {})
        own = (own - again) | (theirs.keys() & again)
    if own:
        held.texts[row.number] = {name: row.texts[name] for name in own}
    elif row.kind == ROLL and mine in _standing(row.body):
        held.pointed.append(row.number)
    if row.actor != mine:
        held.others.add(row.number)


def _is_own(row: _Row, name: str, mine: str) -> bool:
    """Tell whether a text of an entry is a person's: what they typed, or the name under which they rolled."""
    author: str = row.body.get("asked", {}).get("by", row.actor)
    if not name.startswith(TEXT):
        return author == mine
    rolled: Mapping[str, str] = row.body.get("by", {})
    role = name.removeprefix(TEXT)
    if role in rolled:
        return rolled[role] == mine
    return not row.before and mine in {row.actor, *_standing(row.body)}


def _standing(body: Mapping[str, Any]) -> set[str | None]:
    """Return the pseudonyms of those to whom the body of a roll points."""
    asked = body.get("asked", {})
    return {*body.get("by", {}).values(), asked.get("by"), asked.get("closed"), *asked.get("answers", ())}


def _repeated(tx: Connection, campaign_id: int, row: _Row) -> set[str]:
    """Return the names of those texts of an entry that it has from the one which it amends or takes back: names of people, and what it says as that did."""
    before = entries.get(tx, campaign_id, row.before)
    names = {name for name in row.texts if name.startswith(TEXT)}
    if before is None or row.kind == VOID:
        return names
    kept, nothing = entries.texts_of(tx, campaign_id, [row.number])[row.number], SaltedText(None, None)
    alike = {name for name, key in row.texts.items() if kept.get(key, nothing).text == before.text(name)}
    return names | (alike - {AMENDED})
