"""The ledger's numbered, hash-chained entries: their kinds, canonical form and seal. `proofs` verifies them.

The chain hashes headers. Body and free texts enter a header as salted hashes, so a body can be withheld and a text erased without
breaking the chain. Stored bytes are those that were hashed (RFC 8785, SHA-256).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import sqlalchemy as sa
from msgspec import Struct, field
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, draws, entries, records, schema, seeds, state, subjects
from bot.core.subjects import Numbered, Subject
from rules.subjects import NAME, REFERENCES, subject_number

if TYPE_CHECKING:
    import discord

SALT_BYTES = 16
FORMAT = 2
"""The format of bodies. Format 1, unmarked, had names of subjects without numbers."""

EntryAudience = str
"""Who may know an entry: `results`, `mixed`, `staff`, `maker` (staff and maker), `person` (maker only), or a group (`group:7`)."""

Randomness = Callable[[int], bytes]

SEALED_FIELDS = frozenset({"format", "changes", "texts", "names"})


class EntryDraft(Struct, frozen=True):
    """An entry before sealing.

    `subjects` are mentioned ones; changed ones are added. `draw` is its dice's record, hashed separately so parts can be shown separately.
    """

    kind: str
    audience: EntryAudience
    body: Mapping[str, records.Json]
    changes: tuple[records.Change, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    book: str | None = None
    subjects: Iterable[Numbered] = ()
    draw: str | None = None


def seal(draft: EntryDraft, link: records.Link, *, at: datetime, actor: str, randomness: Randomness) -> records.Entry:
    """Return the entry that follows a link: salted and hashed, at an aware UTC time, by a pseudonym."""
    if not SEALED_FIELDS.isdisjoint(draft.body):
        raise ValueError(f"{draft.kind}: {', '.join(sorted(SEALED_FIELDS & draft.body.keys()))}")
    keys = {name: f"t{place}" for place, name in enumerate(draft.texts)}
    changes = [change.record() for change in draft.changes]
    called = {str(item.id): item.name for item in draft.subjects}
    body = records.encode_canonical(
        {**draft.body, "format": FORMAT, "changes": changes, "texts": keys, "names": called}
    )
    body_salt = randomness(SALT_BYTES).hex()
    texts = {keys[name]: records.SaltedText(randomness(SALT_BYTES).hex(), text) for name, text in draft.texts.items()}
    hashes = {name: draws.hash_salted(item.salt or "", item.text or "") for name, item in texts.items()}
    draw_salt = None
    if draft.draw is not None:
        draw_salt = randomness(SALT_BYTES).hex()
        hashes = {
            **records.hide_among_others(body_salt, hashes),
            records.DRAW: draws.hash_record(draw_salt, draft.draw),
        }
    header = records.encode_canonical(
        {
            "version": 1,
            "campaign": link.campaign,
            "number": link.number + 1,
            "kind": draft.kind,
            "at": at.isoformat(),
            "previous": link.hash,
            "actor": actor,
            "book": draft.book,
            "body": draws.hash_salted(body_salt, body),
            "texts": hashes,
        }
    )
    return records.Entry(
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
    """Appends entries; `clock` gives aware UTC, `randomness` gives salts."""

    clock: Callable[[], datetime]
    randomness: Randomness

    def now(self) -> datetime:
        """Return the time now, aware, in UTC."""
        return self.clock()

    def random_id(self, size: int) -> str:
        """Return `size` random bytes as lower-case hex."""
        return self.randomness(size).hex()

    def enter(self, tx: Connection, campaign: campaigns.Campaign, user_id: int, draft: EntryDraft) -> records.Entry:
        """Append an entry made by a user (id), apply its changes to the state, and return it."""
        link = entries.find_link(tx, campaign.id, campaign.uuid)
        return self.append(tx, campaign.id, self.actor(tx, campaign, user_id), draft, link)

    def append(
        self, tx: Connection, campaign_id: int, actor: str, draft: EntryDraft, link: records.Link
    ) -> records.Entry:
        """Append an entry made by a pseudonym after a link, apply its changes, and return it."""
        named = replace(draft, subjects=_subjects(tx, campaign_id, draft))
        sealed = seal(named, link, at=self.now(), actor=actor, randomness=self.randomness)
        entries.append_entry(tx, campaign_id, sealed)
        state.apply_changes(tx, campaign_id, draft.changes)
        return sealed

    def actor(self, tx: Connection, campaign: campaigns.Campaign, user_id: int) -> str:
        """Return a person's pseudonym, created if needed."""
        name = campaigns.find_pseudonym(tx, campaign.id, user_id)
        if name is None:
            salt = self.random_id(SALT_BYTES)
            name = records.make_pseudonym(salt, user_id)
            entries.add_actor(tx, campaign.id, user_id, salt, name)
        return name


def next_number(tx: Connection, campaign: campaigns.Campaign) -> int:
    """Return the next entry's number, within this write transaction."""
    return entries.find_link(tx, campaign.id, campaign.uuid).number + 1


_NEWEST = entries.NEWEST.subquery()
EPOCH_COLUMNS = [column for column in schema.epoch.c if column.name != "campaign_id"]
_LINKED = (
    sa.select(_NEWEST.c.number.label("newest"), _NEWEST.c.hash, *EPOCH_COLUMNS)
    .select_from(sa.select(sa.literal(1)).subquery())
    .outerjoin(_NEWEST, sa.true())
    .outerjoin(
        schema.epoch,
        (schema.epoch.c.campaign_id == sa.bindparam("campaign"))
        & schema.epoch.c.first.is_not(None)
        & schema.epoch.c.closed_at.is_(None),
    )
)


class Epoch(Struct, frozen=True):
    """Secret, Merkle root (hex), and `first` and `last` entry once begun and closed."""

    number: int
    secret: str
    root: str
    first: int | None = None
    last: int | None = None
    closes_at: datetime | None = None
    closed_at: datetime | None = None

    def commitment(self, campaign: str) -> str:
        """Return the commitment (hex) for a campaign (UUID)."""
        return seeds.make_commitment(campaign, self.number, self.root)

    def slot(self, number: int) -> int:
        """Return an entry's slot from 0; `SLOTS` or more means that the epoch is full."""
        return number - (self.first or number)

    def seed(self, number: int) -> bytes:
        """Return an entry's seed."""
        return draws.derive_seed(bytes.fromhex(self.secret), self.slot(number))


def find_link_and_epoch(tx: Connection, campaign_id: int, uuid: str) -> tuple[records.Link, Epoch | None]:
    """Return the link for the next entry, and the running epoch (None without one)."""
    row = tx.execute(_LINKED, {"campaign": campaign_id}).one()
    link = records.Link(uuid) if row.newest is None else records.Link(uuid, row.newest, row.hash)
    return link, None if row.secret is None else Epoch(*row[2:])


def is_full(under_way: Epoch, number: int) -> bool:
    """Return whether an epoch has no slot left for this entry (number)."""
    return under_way.slot(number) >= seeds.SLOTS


def _subjects(tx: Connection, campaign_id: int, draft: EntryDraft) -> list[Subject]:
    called = {item.id: item.name for item in draft.subjects}
    new = {item.subject: item.after for item in draft.changes if item.name == NAME and item.before is None}
    called |= {number: name for subject, name in new.items() if (number := subject_number(subject)) is not None}
    others = {number for item in draft.changes for number in _list_numbers(item)} - called.keys()
    called |= subjects.name_subjects(tx, campaign_id, others)
    return [Subject(number, name) for number, name in called.items()]


def _list_numbers(change: records.Change) -> Iterator[int]:
    number = subject_number(change.subject)
    if number is not None:
        yield number
    for value in (change.before, change.after):
        for name in REFERENCES & value.keys() if isinstance(value, dict) else ():
            several = value[name] if isinstance(value[name], list) else [value[name]]
            yield from (number for number in several if isinstance(number, int))


View = Literal["staff", "public"]
Pages = list[list["discord.Embed"]]
Body = Mapping[str, records.Json]
About = tuple[str, str | int]
"""Search terms of an entry: a name, such as `family` or `region`, and a value; units by number."""

AudienceRule = Callable[[Body, Sequence[str]], str]
"""An entry's audience, from its body and earlier entries' audiences by number.

`proofs.BodyGist` lists the parts of a body that it may read.
"""


class Publication(Struct, frozen=True):
    """How a private roll became public.

    `rolls` counts its maker's private rolls in the `update` (0: unknown), `tries` anyone's earlier ones for the same.
    """

    update: int = 0
    rolls: int = 0
    tries: int = 0

    @classmethod
    def of(cls, kept: Body) -> Publication:
        """Return the publication in a state value."""
        return cls(**{name: kept[name] for name in cls.__struct_fields__ if name in kept})

    @property
    def counts(self) -> dict[str, int]:
        """The counts as an entry stores them; `tries` only if there are any."""
        return {"update": self.update, "rolls": self.rolls, **({"tries": self.tries} if self.tries else {})}


class Mark(Struct, frozen=True):
    """The entry that undid another, or `amended` it."""

    by: int
    amended: bool = False


class EntryView(Struct, frozen=True):
    """An entry for a reader; `people` are user ids by pseudonym."""

    entry: records.Entry
    campaign: str
    published: Publication | None = None
    voided: Mark | None = None
    people: Mapping[str, int] = field(default_factory=dict)


def _any_body(_body: Body) -> bool:
    return True


class EntryKind(Struct, frozen=True):
    """One kind of entry: audience, line, messages.

    - `matches` picks the feature by the body, if several write the kind.
    - `stays` says what to do instead of undoing.
    - `whole` shows all, if the messages summarize.
    - `results` are uncut lines, `about` search terms.
    - `too_large` says what exceeds limits, in imports.
    """

    name: str
    audience: str | AudienceRule
    sentence: Callable[[Body, View], str]
    pages: Callable[[EntryView, View], Pages]
    matches: Callable[[Body], bool] = _any_body
    stays: str | None = None
    whole: Callable[[EntryView, View], Pages] | None = None
    results: Callable[[Body, View], Sequence[str]] | None = None
    about: Callable[[Body, View], Iterable[About]] | None = None
    too_large: Callable[[Body], Iterable[str]] | None = None


EntryInspector = Callable[[records.Entry, Mapping[str, str], Mapping[int, records.Entry]], Iterable[str]]
"""Yield faults of an entry, from kept books by fingerprint and earlier entries; a module function."""


class EntryKinds:
    """All kinds of entries; of several with the same name, the first that matches the body counts."""

    def __init__(self, kinds: Sequence[EntryKind], inspect: EntryInspector | None = None) -> None:
        self.inspect = inspect
        self._kinds: dict[str, list[EntryKind]] = {}
        for kind in kinds:
            self._kinds.setdefault(kind.name, []).append(kind)

    @property
    def names(self) -> Collection[str]:
        """The names of all kinds."""
        return self._kinds.keys()

    @property
    def with_limits(self) -> Iterable[EntryKind]:
        """The kinds with size limits."""
        return (kind for kinds in self._kinds.values() for kind in kinds if kind.too_large is not None)

    def of(self, name: str, body: Body) -> EntryKind:
        """Return an entry's kind by name and body."""
        return next(kind for kind in self._kinds[name] if kind.matches(body))

    def audience(self, name: str, body: Body, before: Sequence[str]) -> str:
        """Return an entry's first audience; `before` has earlier entries'."""
        rule = self.of(name, body).audience
        return rule if isinstance(rule, str) else rule(body, before)

    def pages(self, shown: EntryView, view: View) -> Pages:
        """Return an entry's messages."""
        return self.of(shown.entry.kind, records.read_body(shown.entry)).pages(shown, view)

    def whole(self, shown: EntryView, view: View) -> Pages:
        """Return the messages that show everything."""
        kind = self.of(shown.entry.kind, records.read_body(shown.entry))
        return (kind.whole or kind.pages)(shown, view)

    def sentence(self, entry: records.Entry, view: View) -> str:
        """Return an entry in one line."""
        return self.line(entry, records.read_body(entry), view)

    def line(self, entry: records.Entry, body: Body, view: View) -> str:
        """Return an entry in one line, as published."""
        return self.of(entry.kind, body).sentence(_as_published(entry, body), view)

    def about(self, entry: records.Entry, body: Body, view: View) -> Iterable[About]:
        """Return an entry's search terms, as published."""
        kind = self.of(entry.kind, body)
        if kind.about is not None:
            return kind.about(_as_published(entry, body), view)
        units = entry.names() if view == "staff" else ()
        return [("family", entry.kind), *(("unit", number) for number in units)]

    def results(self, entry: records.Entry, body: Body, view: View) -> Sequence[str]:
        """Return a line per result, as published."""
        kind, shown = self.of(entry.kind, body), _as_published(entry, body)
        return kind.results(shown, view) if kind.results else [kind.sentence(shown, view)]


def _as_published(entry: records.Entry, body: Body) -> Body:
    everything = entry.kind == "roll" and entry.audience == "results"
    return {**body, "public": True} if everything else body


def is_published_late(entry: records.Entry) -> bool:
    """Return whether a roll had a private part and was published after it was made."""
    private = entry.kind == "roll" and any(part["audience"] != "results" for part in entry.content()["parts"])
    return private and entry.audience == "results"


def audience_of_voided(body: Body, before: Sequence[str]) -> str:
    """Return a void's audience: the voided entry's."""
    return before[body["entry"]]
