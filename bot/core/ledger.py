"""The ledger's numbered, hash-chained entries: their canonical form, their seal and its verification.

The chain hashes a header. Body and free texts lie beside it and enter the header as salted hashes, so that a body can be
withheld and a text or person erased without breaking the chain. Headers and bodies are stored as the bytes that were
hashed (RFC 8785, SHA-256) and are never computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, state, subjects
from bot.core.campaigns import Campaign
from bot.core.canonical import canonical
from bot.core.records import Change, Entry, Link, SaltedText
from bot.core.subjects import Numbered, Subject
from rules.subjects import NAME, REFERENCES, subject_number

SALT_BYTES = 16
FORMAT = 2
"""The format of bodies. A body without one is of format 1, which had names of subjects without their numbers."""

EntryAudience = Literal["results", "mixed", "staff", "person"]
Randomness = Callable[[int], bytes]

SEALED_FIELDS = frozenset({"format", "changes", "texts", "names"})
"""What a body has beside what its feature writes."""


class EntryDraft(Struct, frozen=True):
    """An entry before it is sealed: the body without its changes, the changes, and the free texts that people typed.

    `subjects` are those that it speaks of, as they are called now; those that it changes need not be named.
    """

    kind: str
    audience: EntryAudience
    body: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    book: str | None = None
    subjects: Iterable[Numbered] = ()


def salted_hash(salt: str, text: str) -> str:
    """Return the SHA-256 over the salt's bytes and the text, as lower-case hex."""
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def pseudonym(salt: str, user_id: int) -> str:
    """Return the pseudonym of a person in one campaign's headers."""
    return salted_hash(salt, str(user_id))


def seal(draft: EntryDraft, link: Link, *, at: datetime, actor: str, randomness: Randomness) -> Entry:
    """Number, salt and chain a draft. `at` is an aware UTC time, `actor` a pseudonym.

    Raises:
        ValueError: the body has a field of its own under a name that every body has.

    """
    if not SEALED_FIELDS.isdisjoint(draft.body):
        msg = f"{draft.kind}: {', '.join(sorted(SEALED_FIELDS & draft.body.keys()))}"
        raise ValueError(msg)
    keys = {name: f"t{place}" for place, name in enumerate(draft.texts)}
    changes = [change.record() for change in draft.changes]
    called = {str(item.id): item.name for item in draft.subjects}
    body = canonical({**draft.body, "format": FORMAT, "changes": changes, "texts": keys, "names": called})
    body_salt = randomness(SALT_BYTES).hex()
    texts = {keys[name]: SaltedText(randomness(SALT_BYTES).hex(), text) for name, text in draft.texts.items()}
    header = canonical(
        {
            "version": 1,
            "campaign": link.campaign,
            "number": link.number + 1,
            "kind": draft.kind,
            "at": at.isoformat(),
            "previous": link.hash,
            "actor": actor,
            "book": draft.book,
            "body": salted_hash(body_salt, body),
            "texts": {name: salted_hash(item.salt or "", item.text or "") for name, item in texts.items()},
        }
    )
    return Entry(
        number=link.number + 1,
        kind=draft.kind,
        at=at,
        actor=actor,
        book=draft.book,
        audience=draft.audience,
        previous=link.hash,
        hash=hashlib.sha256(header.encode()).hexdigest(),
        header=header,
        body=body,
        salt=body_salt,
        texts=texts,
    )


class Ledger(Struct, frozen=True):
    """Add entries to the chains of campaigns; `clock` gives the time now (aware), `randomness` gives salts."""

    clock: Callable[[], datetime]
    randomness: Randomness

    def now(self) -> datetime:
        """Return the time now, aware, in UTC."""
        return self.clock()

    def random_id(self, size: int) -> str:
        """Return `size` random bytes as lower-case hex."""
        return self.randomness(size).hex()

    def enter(
        self, tx: Connection, campaign: Campaign, user_id: int, draft: EntryDraft, link: Link | None = None
    ) -> Entry:
        """Append an entry by `user_id` to the campaign's chain and apply its changes, in a write transaction.

        `link` is the newest entry, where the caller has looked it up already.
        """
        actor = self.actor(tx, campaign, user_id)
        link = link or entries.newest(tx, campaign.id, campaign.uuid)
        named = replace(draft, subjects=_subjects(tx, campaign.id, draft))
        sealed = seal(named, link, at=self.now(), actor=actor, randomness=self.randomness)
        entries.append(tx, campaign.id, sealed)
        state.apply(tx, campaign.id, draft.changes)
        return sealed

    def actor(self, tx: Connection, campaign: Campaign, user_id: int) -> str:
        """Return the pseudonym of a person in a campaign, created when there is none yet."""
        name = entries.pseudonym_of(tx, campaign.id, user_id)
        if name is None:
            salt = self.random_id(SALT_BYTES)
            name = pseudonym(salt, user_id)
            entries.add_actor(tx, campaign.id, user_id, salt, name)
        return name


def next_number(tx: Connection, campaign: Campaign) -> int:
    """Return the number that the campaign's next entry will have; holds while the caller's write transaction lasts."""
    return entries.newest(tx, campaign.id, campaign.uuid).number + 1


def _subjects(tx: Connection, campaign_id: int, draft: EntryDraft) -> list[Subject]:
    """Return the subjects that a draft speaks of, changes or refers to, as they are called before it; new ones as it calls them."""
    called = {item.id: item.name for item in draft.subjects}
    new = {item.subject: item.after for item in draft.changes if item.name == NAME and item.before is None}
    called |= {number: name for subject, name in new.items() if (number := subject_number(subject)) is not None}
    others = {number for item in draft.changes for number in _numbers(item)} - called.keys()
    called |= subjects.names(tx, campaign_id, others)
    return [Subject(number, name) for number, name in called.items()]


def _numbers(change: Change) -> Iterator[int]:
    """Yield the numbers of the subjects in a change: whose value it is, and to whom the value refers."""
    number = subject_number(change.subject)
    if number is not None:
        yield number
    for value in (change.before, change.after):
        if isinstance(value, dict):
            fields = (value.get(field) for field in REFERENCES)
            referred = (field if isinstance(field, list) else [field] for field in fields)
            yield from (number for several in referred for number in several if isinstance(number, int))


def verify(campaign: str, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield every fault in a campaign's entries, which come in number order; nothing when the chain is whole."""
    link = Link(campaign)
    for entry in entries:
        for fault in _faults(entry, link):
            yield f"Entry {entry.number}: {fault}."
        link = Link(campaign, entry.number, entry.hash)


def _faults(entry: Entry, link: Link) -> Iterator[str]:
    """Yield what is wrong with one entry; no value of its fields makes this raise."""
    if entry.number != link.number + 1:
        yield f"number {link.number + 1} was expected"
    if hashlib.sha256(entry.header.encode()).hexdigest() != entry.hash:
        yield "the header does not match its hash"
    header = _header(entry)
    stored = {
        "campaign": link.campaign,
        "number": entry.number,
        "kind": entry.kind,
        "at": entry.at.isoformat(),
        "previous": link.hash,
        "actor": entry.actor,
        "book": entry.book,
        "body": _hash_or_none(entry.salt, entry.body),
    }
    yield from (f"{name} does not match the header" for name, value in stored.items() if header.get(name) != value)
    if entry.previous != link.hash:
        yield "it is not chained to the entry before"
    yield from _text_faults(entry, header.get("texts"))


def _text_faults(entry: Entry, hashes: object) -> Iterator[str]:
    if not isinstance(hashes, dict):
        yield "the header names no texts"
        return
    if set(hashes) != set(entry.texts):
        yield "its texts are not those that the header names"
    for name, item in entry.texts.items():
        erased = item.salt is None and item.text is None
        if not erased and _hash_or_none(item.salt, item.text) != hashes.get(name):
            yield f"text {name!r} does not match the header"


def _header(entry: Entry) -> dict[str, Any]:
    """Return the header, parsed; empty when what is stored is no JSON object."""
    try:
        header = json.loads(entry.header)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _hash_or_none(salt: str | None, text: str | None) -> str | None:
    """Return the salted hash; None where salt or text is missing, or the salt is no hex."""
    try:
        return None if salt is None or text is None else salted_hash(salt, text)
    except ValueError:
        return None
