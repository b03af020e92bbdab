"""Prove runs of entries: read a batch at a time, on all cores where there are many.

What proves a run is a plain function of raw rows, which processes of their own import without the bot.
"""

from __future__ import annotations

import gc
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
from typing import Any, NamedTuple, NotRequired, Required, TypedDict

from msgspec import DecodeError, Struct, msgpack
from msgspec.json import Decoder
from msgspec.structs import replace

from bot.core import draws
from bot.core.drawn import Secrets, epoch_named, seed_faults
from bot.core.packing import unpack
from bot.core.records import Entry, Link, SaltedText
from bot.core.seals import unannounced, verify
from bot.core.seeds import merkle_root

MANY = 20_000
"""Entries from which on it pays to start processes, which takes half a second."""

MOST = 4
"""Processes at most: one that reads keeps no more busy."""


class _Change(TypedDict):
    subject: str
    name: str
    after: Any


class _Part(TypedDict):
    audience: str
    secret: NotRequired[bool]


class _Situation(TypedDict, total=False):
    salt: str


class Gist(TypedDict, total=False):
    """What a check reads of a body, which is little of it: the rest is not even decoded, as that takes most of the time."""

    changes: Required[list[_Change]]
    audience: str
    parts: list[_Part]
    situation: _Situation
    entry: int
    family: str
    fingerprint: str


_GIST = Decoder(Gist)

_NONE = type(None)
_KINDS = frozenset(
    (int, str, at, str, book, str, str, str, str, bytes, str, draw, draw, interaction, step)
    for at in (str, datetime)
    for book in (str, _NONE)
    for draw in (str, _NONE)
    for interaction in (int, _NONE)
    for step in (int, _NONE)
)
"""The types of a row's values: SQLite has times as texts."""


class Run(Struct, frozen=True):
    """Entries that follow upon a link: their rows as the table of entries has them, with what stands behind it, and texts by number.

    `secrets` are those of the epochs that they belong to; `amended` are the rows of entries before them that they amend.
    """

    link: Link
    rows: Sequence[tuple[Any, ...]]
    texts: Mapping[int, Mapping[str, SaltedText]]
    secrets: Secrets = ()
    amended: Sequence[tuple[Any, ...]] = ()


class Looking(NamedTuple):
    """What tells more of entries than the chain, if anything, and the kept tables of books by fingerprint, by which it does."""

    look: Callable[[Entry, Mapping[str, str], Mapping[int, Entry]], Iterable[str]] | None = None
    books: Mapping[str, str] = {}


NOTHING = Looking()


class Seen(NamedTuple):
    """What a run's proof tells of an entry; `gist` is None where the body is of another form."""

    number: int
    kind: str
    book: str | None
    audience: str
    gist: Gist | None


class Proof(Struct, frozen=True):
    """The faults of a run, in words, what it adds up to, and the Merkle root of each secret whose epoch begins in it (hex).

    `named` has the epochs (numbers) that records of dice name, each with the first entry that does.
    """

    faults: Sequence[str]
    seen: Sequence[Seen]
    roots: Mapping[str, str]
    named: Mapping[int, int] = {}


_LOOKING: list[Looking] = []
"""What a process of its own looks at entries by; it is sent once, not with each run."""

_encode = msgpack.Encoder().encode
_RUN, _PROOF = msgpack.Decoder(Run), msgpack.Decoder(Proof)


Prover = Callable[[Iterable[Run]], Iterator[Proof]]
"""Who proves: yields the proofs of runs in their order, holding no more of them than a few."""


def prove(run: Run, looking: Looking = NOTHING) -> Proof:
    """Prove a run."""
    entries = [_entry(row, run.texts) for row in run.rows]
    seen = [_seen(entry) for entry in entries]
    drawn = (f"Entry {entry.number}: {fault}." for entry in entries for fault in seed_faults(entry, run.secrets))
    faults = [*verify(run.link, entries), *unannounced(run.link, entries), *drawn, *map(_shown, entries, seen)]
    faults += _looked_at(looking, entries, [_entry(row, {}) for row in run.amended])
    roots = {secret: merkle_root(bytes.fromhex(secret)) for first, secret, _ in run.secrets if first > run.link.number}
    named = {number: entry.number for entry in reversed(entries) if (number := epoch_named(entry)) is not None}
    return Proof([*filter(None, faults)], seen, roots, named)


def _looked_at(looking: Looking, entries: Sequence[Entry], amended: Sequence[Entry]) -> Iterator[str]:
    """Yield what else is wrong with entries, some of which amend others before them."""
    if looking.look is None:
        return
    before = {entry.number: entry for entry in amended}
    for entry in entries:
        yield from (f"Entry {entry.number}: {fault}." for fault in looking.look(entry, looking.books, before))
        before[entry.number] = entry


def _shown(entry: Entry, seen: Seen) -> str:
    """Return a fault where the record of an entry's dice lets others know of a part than its body says; nothing where it can't be read."""
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
def prover(entries: int, processes: int | None = None, looking: Looking = NOTHING) -> Iterator[Prover]:
    """Give what proves so many entries; `processes` are as many as there are cores, none of their own for few entries."""
    hands = min(os.cpu_count() or 1, MOST) if processes is None else processes
    if hands < 2 or (processes is None and entries < MANY):  # noqa: PLR2004 - one hand is this process
        yield partial(map, partial(prove, looking=looking))
        return
    with ProcessPoolExecutor(hands, get_context("spawn"), _settle, (looking,)) as pool, _uncollected():
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
    """Prove a run as it comes from another process: pickled, it would take four times as long on its way."""
    proof = prove(_RUN.decode(sent), _LOOKING[-1])
    try:
        return _encode(proof)
    except OverflowError:  # a forged body may hold a number of any length
        return _encode(replace(proof, seen=[_sendable(item) for item in proof.seen]))


def _sendable(seen: Seen) -> Seen:
    """Return what is seen of an entry, without a body that no entry of ours has and that cannot be sent."""
    try:
        _encode(seen)
    except OverflowError:
        return seen._replace(gist=None)
    return seen


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect no garbage meanwhile: proofs make none in circles, and to look for it takes longer than to read them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _settle(looking: Looking) -> None:
    """Leave Ctrl-C to the process that reads, which ends this one, collect no garbage, and keep by what entries are looked at."""
    _LOOKING.append(looking)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()


def _entry(row: Sequence[Any], texts: Mapping[int, Mapping[str, SaltedText]]) -> Entry:
    if tuple(map(type, row)) not in _KINDS:
        raise ValueError("a value is of another kind than its column")
    number, kind, at, actor, book, audience, previous, hash_, header, body, salt, draw, draw_salt, *_ = row
    told = (previous, hash_, header, unpack(body), salt, draw, draw_salt, texts.get(number, {}))
    return Entry(number, kind, _utc(at), actor, book, audience, *told)


def _utc(at: str | datetime) -> datetime:
    """Return a time as its column gives it, by what the database does."""
    time = datetime.fromisoformat(at) if isinstance(at, str) else at
    if time.tzinfo is None:
        return datetime.combine(time, time.time(), UTC)  # which takes a quarter of the time of `replace`
    return time.astimezone(UTC)


def _seen(entry: Entry) -> Seen:
    book = entry.book and intern(entry.book)
    try:
        gist = _GIST.decode(entry.body)
    except (DecodeError, RecursionError):
        gist = None
    return Seen(entry.number, intern(entry.kind), book, intern(entry.audience), gist)
