"""Prove entries: seals, pseudonyms, the chain, and long ledgers on all cores.

Proving a run needs no database, so worker processes load it without the bot.
"""

import gc
import hashlib
import json
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from sys import intern
from typing import NamedTuple, NotRequired, Required, TypedDict

from msgspec import DecodeError, Struct, msgpack
from msgspec.json import Decoder, Encoder
from msgspec.structs import replace

from bot.core import draws, seeds
from bot.core.records import DRAW, Entry, Json, Link, SaltedText, hide_among_others, unpack

_encode_sorted = Encoder(order="sorted").encode


def verify_chain(link: Link, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield faults in entries that follow a link."""
    for entry in entries:
        for fault in _list_faults(entry, link):
            yield f"Entry {entry.number}: {fault}."
        link = Link(link.campaign, entry.number, entry.hash)


def check_intents(link: Link, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield faults of rolls that name an intent entry whose hash differs."""
    hashes = {link.number: link.hash}
    for entry in entries:
        hashes[entry.number] = entry.hash
        intent = _read_intent(entry)
        if intent is not None and hashes.get(intent[0], intent[1]) != intent[1]:
            yield f"Entry {entry.number}: the intent that it names is not entry {intent[0]}."


def _read_intent(entry: Entry) -> tuple[int, str] | None:
    if entry.draw is None or '"intent":' not in entry.draw:  # so that other records are not parsed
        return None
    try:
        intent = json.loads(draws.read_record(entry.draw).of_all)["outside"]["intent"]
        return int(intent["number"]), hashlib.sha256(intent["header"].encode()).hexdigest()
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None


def _list_faults(entry: Entry, link: Link) -> Iterator[str]:
    """Yield an entry's faults; never raises."""
    if entry.number != link.number + 1:
        yield f"number {link.number + 1} was expected"
    sealed = entry.header.encode()
    if hashlib.sha256(sealed).hexdigest() != entry.hash:
        yield "the header does not match its hash"
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
    texts = _text_hashes(entry)
    # To build the header again and compare takes a third of the time of parsing it.
    if _encode_sorted({**stored, "texts": texts, "version": 1}) != sealed:
        try:
            header = json.loads(entry.header)
        except (ValueError, RecursionError):
            header = None
        header = header if isinstance(header, dict) else {}
        yield from (f"{name} does not match the header" for name, value in stored.items() if header.get(name) != value)
        yield from _text_faults(entry, texts, header.get("texts"))
    if entry.previous != link.hash:
        yield "it is not chained to the entry before"


def _text_faults(entry: Entry, texts: Mapping[str, str | None], hashes: object) -> Iterator[str]:
    if not isinstance(hashes, dict):
        yield "the header names no texts"
        return
    if set(hashes) != set(texts):
        yield "its texts are not those that the header names"
    erased = {name for name, item in entry.texts.items() if item.salt is None and item.text is None}
    for name in texts.keys() - erased:
        if texts[name] != hashes.get(name):
            yield f"text {name!r} does not match the header"


def _text_hashes(entry: Entry) -> dict[str, str | None]:
    texts = {name: _hash_or_none(item.salt, item.text) for name, item in entry.texts.items()}
    if entry.draw is None:
        return texts
    try:
        drawn = None if entry.draw_salt is None else draws.hash_record(entry.draw_salt, entry.draw)
        return {**(hide_among_others(entry.salt, texts) if draws.has_parts(entry.draw) else texts), DRAW: drawn}
    except ValueError:
        return {**texts, DRAW: None}


def _hash_or_none(salt: str | None, text: str | None) -> str | None:
    try:
        return None if salt is None or text is None else draws.hash_salted(salt, text)
    except ValueError:
        return None


MANY = 20_000
"""Entries from which worker processes pay off; they take half a second to start."""

MOST = 4


class _Change(TypedDict):
    subject: str
    name: str
    after: Json


class _GistPart(TypedDict):
    audience: str
    secret: NotRequired[bool]


class _Situation(TypedDict, total=False):
    salt: str


class BodyGist(TypedDict, total=False):
    """What a check reads of a body, for speed."""

    changes: Required[list[_Change]]
    audience: str
    parts: list[_GistPart]
    situation: _Situation
    entry: int
    family: str
    fingerprint: str


_GIST = Decoder(BodyGist)

_NONE = type(None)
_KINDS = frozenset(
    (int, str, at, str, book, str, str, str, str, bytes, str, draw, draw, interaction, step)
    for at in (str, datetime)
    for book in (str, _NONE)
    for draw in (str, _NONE)
    for interaction in (int, _NONE)
    for step in (int, _NONE)
)


class Run(Struct, frozen=True):
    """Entries that follow a link: raw rows, texts by number, secrets of their epochs, amended rows."""

    link: Link
    rows: Sequence[tuple[Json, ...]]
    texts: Mapping[int, Mapping[str, SaltedText]]
    secrets: seeds.Secrets = ()
    amended: Sequence[tuple[Json, ...]] = ()


class Inspection(NamedTuple):
    """Another inspection of entries, and books by fingerprint."""

    inspect: Callable[[Entry, Mapping[str, str], Mapping[int, Entry]], Iterable[str]] | None = None
    books: Mapping[str, str] = {}


NOTHING = Inspection()


class ProvenEntry(NamedTuple):
    """An entry whose hashes were checked; `gist` is None if its body has an unknown form."""

    number: int
    kind: str
    book: str | None
    audience: str
    gist: BodyGist | None


class Proof(Struct, frozen=True):
    """A run's faults, Merkle roots by secret, and first entries by epoch."""

    faults: Sequence[str]
    seen: Sequence[ProvenEntry]
    roots: Mapping[str, str]
    named: Mapping[int, int] = {}


_LOOKING: list[Inspection] = []
_encode = msgpack.Encoder().encode
_RUN, _PROOF = msgpack.Decoder(Run), msgpack.Decoder(Proof)

Prover = Callable[[Iterable[Run]], Iterator[Proof]]
"""Yields proofs of runs in order, keeping only a few in memory."""


def prove(run: Run, looking: Inspection = NOTHING) -> Proof:
    """Return the proof of a run: check its entries, dice and audiences."""
    entries = [_entry(row, run.texts) for row in run.rows]
    seen = [_look_at(entry) for entry in entries]
    drawn = (f"Entry {entry.number}: {fault}." for entry in entries for fault in seeds.check_dice(entry, run.secrets))
    chained = [*verify_chain(run.link, entries), *check_intents(run.link, entries)]
    faults = [*chained, *drawn, *map(_check_audiences, entries, seen)]
    faults += _find_other_faults(looking, entries, [_entry(row, {}) for row in run.amended])
    begun = [secret for first, secret, _ in run.secrets if first > run.link.number]
    roots = {secret: seeds.find_merkle_root(bytes.fromhex(secret)) for secret in begun}
    numbered = ((seeds.read_epoch_number(entry), entry.number) for entry in reversed(entries))
    named = {epoch: first for epoch, first in numbered if epoch is not None}
    return Proof([*filter(None, faults)], seen, roots, named)


def _find_other_faults(looking: Inspection, entries: Sequence[Entry], amended: Sequence[Entry]) -> Iterator[str]:
    if looking.inspect is None:
        return
    before = {entry.number: entry for entry in amended}
    for entry in entries:
        yield from (f"Entry {entry.number}: {fault}." for fault in looking.inspect(entry, looking.books, before))
        before[entry.number] = entry


def _check_audiences(entry: Entry, seen: ProvenEntry) -> str:
    if seen.gist is None or not draws.has_parts(entry.draw):
        return ""
    parts, salt = seen.gist.get("parts", []), seen.gist.get("situation", {}).get("salt", "")
    due = [draws.STAFF_ALONE if part.get("secret") else part["audience"] for part in parts]
    try:
        fits = draws.are_known_to(entry.draw or "", salt, due)
    except ValueError:
        return ""  # the chain's own check names it
    return "" if fits else f"Entry {entry.number}: who may know its dice is not what it says."


@contextmanager
def prover(entries: int, processes: int | None = None, looking: Inspection = NOTHING) -> Iterator[Prover]:
    """Yield a prover, with worker processes for many entries."""
    hands = min(os.cpu_count() or 1, MOST) if processes is None else processes
    if hands < 2 or (processes is None and entries < MANY):  # noqa: PLR2004 - one hand is this process
        yield partial(map, partial(prove, looking=looking))
        return
    with ProcessPoolExecutor(hands, get_context("spawn"), _settle, (looking,)) as pool, _pause_collection():
        yield partial(_side_by_side, pool, 2 * hands)


def _side_by_side(pool: ProcessPoolExecutor, most: int, runs: Iterable[Run]) -> Iterator[Proof]:
    under_way: deque[Future[bytes]] = deque()
    for run in runs:
        under_way.append(pool.submit(_prove_sent, _encode(run)))
        if len(under_way) > most:
            yield _PROOF.decode(under_way.popleft().result())
    while under_way:
        yield _PROOF.decode(under_way.popleft().result())


def _prove_sent(sent: bytes) -> bytes:
    proof = prove(_RUN.decode(sent), _LOOKING[-1])
    try:
        return _encode(proof)
    except OverflowError:  # a forged body may hold a number of any length
        return _encode(replace(proof, seen=[_sendable(item) for item in proof.seen]))


def _sendable(seen: ProvenEntry) -> ProvenEntry:
    try:
        _encode(seen)
    except OverflowError:
        return seen._replace(gist=None)
    return seen


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Pause garbage collection: proofs make no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _settle(looking: Inspection) -> None:
    _LOOKING.append(looking)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _entry(row: Sequence[Json], texts: Mapping[int, Mapping[str, SaltedText]]) -> Entry:
    if tuple(map(type, row)) not in _KINDS:
        raise ValueError("a value is of another kind than its column")
    number, kind, at, actor, book, audience, previous, hash_, header, body, salt, draw, draw_salt, *_ = row
    fields = (previous, hash_, header, unpack(body), salt, draw, draw_salt, texts.get(number, {}))
    return Entry(number, kind, _utc(at), actor, book, audience, *fields)


def _utc(at: str | datetime) -> datetime:
    time = datetime.fromisoformat(at) if isinstance(at, str) else at
    if time.tzinfo is None:
        return datetime.combine(time, time.time(), UTC)  # which takes a quarter of the time of `replace`
    return time.astimezone(UTC)


def _look_at(entry: Entry) -> ProvenEntry:
    book = entry.book and intern(entry.book)
    try:
        gist = _GIST.decode(entry.body)
    except (DecodeError, RecursionError):
        gist = None
    return ProvenEntry(entry.number, intern(entry.kind), book, intern(entry.audience), gist)
