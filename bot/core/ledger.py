"""The ledger's numbered, hash-chained entries: their canonical form and their seal; `proofs` verifies it.

The chain hashes a header. Body and free texts lie beside it and enter the header as salted hashes, so that a body can be
withheld and a text or person erased without breaking the chain. Headers and bodies are stored as the bytes that were
hashed (RFC 8785, SHA-256) and are never computed again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import draws, entries, state, subjects
from bot.core.campaigns import Campaign
from bot.core.draws import salted_hash
from bot.core.encoding import Json, encode_canonical
from bot.core.records import DRAW, Change, Entry, Link, SaltedText, hide_among_others, make_pseudonym
from bot.core.subjects import Numbered, Subject
from rules.subjects import NAME, REFERENCES, subject_number

SALT_BYTES = 16
FORMAT = 2
"""The format of bodies. A body without one is of format 1, which had names of subjects without their numbers."""

EntryAudience = str
"""Who may know of an entry: `results`, `mixed`, `staff`, `maker` (the staff and its maker), `person` (its maker), or a group (`group:7`)."""

Randomness = Callable[[int], bytes]

SEALED_FIELDS = frozenset({"format", "changes", "texts", "names"})
"""What a body has beside what its feature writes."""


class EntryDraft(Struct, frozen=True):
    """An entry before it is sealed: the body without its changes, the changes, and the free texts that people typed.

    `subjects` are those that it speaks of, as they are called now; those that it changes need not be named. `draw` is the
    record of its dice, as `draws` stores it: it is hashed by itself, so that each part can be shown where the body is withheld.
    """

    kind: str
    audience: EntryAudience
    body: Mapping[str, Json]
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    book: str | None = None
    subjects: Iterable[Numbered] = ()
    draw: str | None = None


def seal(draft: EntryDraft, link: Link, *, at: datetime, actor: str, randomness: Randomness) -> Entry:
    """Number, salt and chain a draft. `at` is an aware UTC time, `actor` a pseudonym."""
    if not SEALED_FIELDS.isdisjoint(draft.body):
        msg = f"{draft.kind}: {', '.join(sorted(SEALED_FIELDS & draft.body.keys()))}"
        raise ValueError(msg)
    keys = {name: f"t{place}" for place, name in enumerate(draft.texts)}
    changes = [change.record() for change in draft.changes]
    called = {str(item.id): item.name for item in draft.subjects}
    body = encode_canonical({**draft.body, "format": FORMAT, "changes": changes, "texts": keys, "names": called})
    body_salt = randomness(SALT_BYTES).hex()
    texts = {keys[name]: SaltedText(randomness(SALT_BYTES).hex(), text) for name, text in draft.texts.items()}
    hashes = {name: salted_hash(item.salt or "", item.text or "") for name, item in texts.items()}
    draw_salt = None
    if draft.draw is not None:
        draw_salt = randomness(SALT_BYTES).hex()
        hashes = {**hide_among_others(body_salt, hashes), DRAW: draws.hash_record(draw_salt, draft.draw)}
    header = encode_canonical(
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
            "texts": hashes,
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
        draw=draft.draw,
        draw_salt=draw_salt,
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

    def enter(self, tx: Connection, campaign: Campaign, user_id: int, draft: EntryDraft) -> Entry:
        """Append an entry by `user_id` to the campaign's chain and apply its changes, in a write transaction."""
        link = entries.find_link(tx, campaign.id, campaign.uuid)
        return self.append(tx, campaign.id, self.actor(tx, campaign, user_id), draft, link)

    def append(self, tx: Connection, campaign_id: int, actor: str, draft: EntryDraft, link: Link) -> Entry:
        """Append an entry by whom this pseudonym means behind the newest one, as `enter` does."""
        named = replace(draft, subjects=_subjects(tx, campaign_id, draft))
        sealed = seal(named, link, at=self.now(), actor=actor, randomness=self.randomness)
        entries.append_entry(tx, campaign_id, sealed)
        state.apply_changes(tx, campaign_id, draft.changes)
        return sealed

    def actor(self, tx: Connection, campaign: Campaign, user_id: int) -> str:
        """Return the pseudonym of a person in a campaign, created when there is none yet."""
        name = entries.find_pseudonym(tx, campaign.id, user_id)
        if name is None:
            salt = self.random_id(SALT_BYTES)
            name = make_pseudonym(salt, user_id)
            entries.add_actor(tx, campaign.id, user_id, salt, name)
        return name


def next_number(tx: Connection, campaign: Campaign) -> int:
    """Return the number that the campaign's next entry will have; holds while the caller's write transaction lasts."""
    return entries.find_link(tx, campaign.id, campaign.uuid).number + 1


def _subjects(tx: Connection, campaign_id: int, draft: EntryDraft) -> list[Subject]:
    """Return the subjects that a draft speaks of, changes or refers to, as they are called before it; new ones as it calls them."""
    called = {item.id: item.name for item in draft.subjects}
    new = {item.subject: item.after for item in draft.changes if item.name == NAME and item.before is None}
    called |= {number: name for subject, name in new.items() if (number := subject_number(subject)) is not None}
    others = {number for item in draft.changes for number in _numbers(item)} - called.keys()
    called |= subjects.name_subjects(tx, campaign_id, others)
    return [Subject(number, name) for number, name in called.items()]


def _numbers(change: Change) -> Iterator[int]:
    """Yield the numbers of the subjects in a change: whose value it is, and to whom the value refers."""
    number = subject_number(change.subject)
    if number is not None:
        yield number
    for value in (change.before, change.after):
        for name in REFERENCES & value.keys() if isinstance(value, dict) else ():
            several = value[name] if isinstance(value[name], list) else [value[name]]
            yield from (number for number in several if isinstance(number, int))
