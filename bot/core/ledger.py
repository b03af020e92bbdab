"""The ledger's numbered, hash-chained entries: their canonical form, their seal and its verification.

The chain hashes a header. Body and free texts lie beside it and enter the header as salted hashes, so that a body can be
withheld and a text or person erased without breaking the chain. Headers and bodies are stored as the bytes that were
hashed (RFC 8785, SHA-256) and are never computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import rfc8785
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign
from bot.core.records import Change, Entry, Link, SaltedText

SALT_BYTES = 16

Kind = Literal[
    "campaign",
    "update",
    "roll",
    "publication",
    "weather",
    "void",
    "schedule",
    "unit",
    "effect",
    "captive",
    "writeup",
    "battle",
    "house",
]
EntryAudience = Literal["results", "mixed", "staff", "person"]
Randomness = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be entered: the body without its changes, the changes, and the free texts that people typed."""

    kind: Kind
    audience: EntryAudience
    body: Mapping[str, Any]
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    book: str | None = None


def canonical(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The canonical JSON text of a value (RFC 8785)."""
    return rfc8785.dumps(value).decode()


def salted_hash(salt: str, text: str) -> str:
    """SHA-256 over the salt's bytes and the text, as lower-case hex."""
    return hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def pseudonym(salt: str, user_id: int) -> str:
    """The name under which a person stands in one campaign's headers."""
    return salted_hash(salt, str(user_id))


def seal(statement: Statement, link: Link, *, at: datetime, actor: str, randomness: Randomness) -> Entry:
    """Number, salt and chain a statement. `at` is an aware UTC time, `actor` a pseudonym."""

    def salt() -> str:
        return randomness(SALT_BYTES).hex()

    keys = {name: f"t{place}" for place, name in enumerate(statement.texts)}
    changes = [change.record() for change in statement.changes]
    body = canonical({**statement.body, "changes": changes, "texts": keys})
    body_salt = salt()
    texts = {keys[name]: SaltedText(salt(), text) for name, text in statement.texts.items()}
    header = canonical(
        {
            "version": 1,
            "campaign": link.campaign,
            "number": link.number + 1,
            "kind": statement.kind,
            "at": at.isoformat(),
            "previous": link.hash,
            "actor": actor,
            "book": statement.book,
            "body": salted_hash(body_salt, body),
            "texts": {name: salted_hash(item.salt or "", item.text or "") for name, item in texts.items()},
        }
    )
    return Entry(
        number=link.number + 1,
        kind=statement.kind,
        at=at,
        actor=actor,
        book=statement.book,
        audience=statement.audience,
        previous=link.hash,
        hash=hashlib.sha256(header.encode()).hexdigest(),
        header=header,
        body=body,
        salt=body_salt,
        texts=texts,
    )


def enter(  # noqa: PLR0913 - a ledger entry is just these things
    tx: Connection,
    campaign: Campaign,
    statement: Statement,
    *,
    at: datetime,
    user_id: int,
    randomness: Randomness,
    link: Link | None = None,
) -> Entry:
    """Append a statement to the campaign's chain and carry its changes out, in the caller's write transaction.

    `link` is the newest entry, where the caller has looked it up already.
    """
    actor = actor_of(tx, campaign, user_id, randomness)
    link = link or entries.newest(tx, campaign.id, campaign.uuid)
    sealed = seal(statement, link, at=at, actor=actor, randomness=randomness)
    entries.append(tx, campaign.id, sealed)
    state.apply(tx, campaign.id, statement.changes)
    return sealed


def actor_of(tx: Connection, campaign: Campaign, user_id: int, randomness: Randomness) -> str:
    """The pseudonym of a person in a campaign, given now to whoever has none yet."""
    known = entries.pseudonym_of(tx, campaign.id, user_id)
    if known is None:
        salt = randomness(SALT_BYTES).hex()
        known = pseudonym(salt, user_id)
        entries.add_actor(tx, campaign.id, user_id, salt, known)
    return known


def verify(campaign: str, entries: Iterable[Entry]) -> Iterator[str]:
    """Every fault in a campaign's entries, which come in number order; nothing when the chain is whole."""
    link = Link(campaign)
    for entry in entries:
        for fault in _faults(entry, link):
            yield f"Entry {entry.number}: {fault}."
        link = Link(campaign, entry.number, entry.hash)


def _faults(entry: Entry, link: Link) -> Iterator[str]:
    """What is wrong with one entry; whatever stands in its fields is told and never raised."""
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
    yield from _text_faults(entry, header.get("texts", {}))


def _text_faults(entry: Entry, hashes: Mapping[str, str]) -> Iterator[str]:
    if set(hashes) != set(entry.texts):
        yield "its texts are not those that the header names"
    for name, item in entry.texts.items():
        erased = item.salt is None and item.text is None
        if not erased and _hash_or_none(item.salt, item.text) != hashes.get(name):
            yield f"text {name!r} does not match the header"


def _header(entry: Entry) -> dict[str, Any]:
    """The header, parsed; empty when what is stored is no header at all."""
    try:
        header = json.loads(entry.header)
    except ValueError:
        return {}
    return header if isinstance(header, dict) else {}


def _hash_or_none(salt: str | None, text: str | None) -> str | None:
    """The salted hash; None where there is no salt or text, or the salt is no hex."""
    try:
        return None if salt is None or text is None else salted_hash(salt, text)
    except ValueError:
        return None
