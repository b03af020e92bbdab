"""Check the chain and the state against all entries; rebuild the state."""

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import campaigns, entries, epochs, library, proofs, records, schema, state, tally
from bot.core.database import Database
from bot.core.ledger import EntryKinds
from rules.subjects import NAME, name_key, subject_key

_CHAIN: frozenset[sa.Table] = frozenset({schema.campaign, schema.entry, schema.entry_text})
_PROJECTED: frozenset[sa.Table] = frozenset({schema.state, schema.subject})

_BOOKS: dict[str, str] = {}
Progress = Callable[[int, int], object]


class Audit(Struct, frozen=True):
    """One campaign's check, or that of stray rows (id None). `whole`: its state can be rebuilt."""

    campaign_id: int | None
    campaign: str
    entries: int
    faults: tuple[str, ...]
    whole: bool = True


async def check_ledgers(
    database: Database, kinds: EntryKinds, progress: Progress | None = None, processes: int | None = None
) -> list[Audit]:
    """Check every campaign in one pass; never raises for damage."""
    return await database.read(check_within, kinds, progress, processes)


async def rebuild_states(
    database: Database, kinds: EntryKinds, progress: Progress | None = None, processes: int | None = None
) -> list[Audit]:
    """Rebuild states from entries where the ledger is whole; return the faults before."""
    return await database.write(check_within, kinds, progress, processes, mend=True)


def check_within(
    tx: Connection,
    kinds: EntryKinds,
    progress: Progress | None = None,
    processes: int | None = None,
    *,
    mend: bool = False,
) -> list[Audit]:
    """Check every campaign; `mend` also corrects states."""
    numbers = campaigns.list_campaign_ids(tx, lock=mend)  # no entry may be added while they are summed up
    damaged: dict[int | None, list[tally.Damage]] = {}
    for item in tally.find_damage(tx):
        damaged.setdefault(item.campaign_id, []).append(item)
    entries_in_all = tx.scalar(sa.select(sa.func.count()).select_from(schema.entry)) or 0
    with proofs.prover(entries_in_all, processes, _make_looking(tx, kinds)) as prove:
        work = _Check(tx, kinds, prove, progress, entries_in_all)
        audits = [_audit(work, number, damaged.get(number, []), mend=mend) for number in numbers]
    strays = tuple(item.fault for item in damaged.get(None, []))
    return [*audits, Audit(None, "No campaign", 0, strays, whole=False)] if strays else audits


def check_one(tx: Connection, kinds: EntryKinds, campaign_id: int) -> Audit:
    """Check one campaign, but don't look for damaged values."""
    mine = sa.select(sa.func.count()).select_from(schema.entry).where(schema.entry.c.campaign_id == campaign_id)
    with proofs.prover(count := tx.scalar(mine) or 0, None, _make_looking(tx, kinds)) as prove:
        return _audit(_Check(tx, kinds, prove, None, count), campaign_id, (), mend=False)


def _make_looking(tx: Connection, kinds: EntryKinds) -> proofs.Inspection:
    columns = (schema.book_version.c.fingerprint, schema.book_version.c.content)
    plain = sa.select(*(sa.type_coerce(column, sa.types.NullType()) for column in columns))
    try:
        rows: Any = tx.execute(plain).all()
    except sa.exc.OperationalError:  # a text isn't UTF-8
        rows = ()
    kept = {row[0]: row[1] for row in rows if isinstance(row[0], str) and isinstance(row[1], str)}
    return proofs.Inspection(kinds.inspect, kept)


class _Check(Struct):
    tx: Connection
    kinds: EntryKinds
    prove: proofs.Prover
    progress: Progress | None
    entries: int
    read: int = 0


class _Ledger(Struct, frozen=True):
    tx: Connection
    campaign: campaigns.Campaign
    totals: tally.LedgerTally
    unreadable: frozenset[sa.Table]


def _audit(work: _Check, campaign_id: int, damaged: Sequence[tally.Damage], *, mend: bool) -> Audit:
    known, tables = [item.fault for item in damaged], frozenset(item.table for item in damaged)
    found, tx = None, work.tx
    if tables.isdisjoint(_CHAIN):
        try:
            found = campaigns.get_campaign(tx, campaign_id)
        except (TypeError, ValueError) as error:
            known.append(f"Its settings can't be read: {error}.")
    if found is None:
        return _unread(tx, campaign_id, known)
    ledger = _Ledger(tx, found, _tally(work, found, tables), tables)
    try:
        for proof in tally.prove_entries(tx, found, work.prove):
            ledger.totals.add(proof)
            work.read += len(proof.seen)
            if work.progress is not None:
                work.progress(work.read, work.entries)
    except tally.UnreadableError as error:
        return _unread(tx, campaign_id, known, [f"Its entries can't be read: {error}."])
    comparison = _compare(ledger)
    broken = list(_list_broken(ledger, comparison.newest))
    faults = broken or list(_list_differences(ledger, comparison))
    whole = not broken and tables.isdisjoint(_CHECKS)
    if mend and whole and (known or faults):
        _mend(ledger, comparison)
    return Audit(campaign_id, found.name, ledger.totals.entries, (*known, *faults), whole=whole)


def _unread(tx: Connection, campaign_id: int, known: Sequence[str], why: Sequence[str] = ()) -> Audit:
    values = [item.fault for item in tally.find_damage_of_entries(tx, campaign_id)]
    faults = dict.fromkeys((*known, *(values or why)))
    return Audit(campaign_id, f"Campaign {campaign_id}", 0, tuple(faults), whole=False)


def _tally(work: _Check, campaign: campaigns.Campaign, unreadable: frozenset[sa.Table]) -> tally.LedgerTally:
    books: Container[str] = tally.EveryKey()
    files: Container[str] = tally.EveryKey()
    if schema.book_version not in unreadable:
        books = {fingerprint for fingerprint, _, _ in entries.list_kept_books(work.tx, campaign.id)}
    if schema.document not in unreadable:
        files = {file.fingerprint for file in library.each_file(work.tx, campaign.id) if file.kept}
    return tally.LedgerTally(tally.Projection(work.kinds), partial(_content, work.tx, campaign.id), books, files)


def _content(tx: Connection, campaign_id: int, number: int) -> Mapping[str, records.Json]:
    found = entries.get_entry(tx, campaign_id, number)
    return {} if found is None else found.content()


class _Comparison(Struct):
    """Newest entry named, (stored, due) values, wrongly keyed subjects."""

    newest: int = 0
    values: dict[tuple[str, str], tuple[records.Json, records.Json]] = field(default_factory=dict)
    misnamed: list[tuple[int, str, str]] = field(default_factory=list)


def _compare(ledger: _Ledger) -> _Comparison:
    found, due = _Comparison(), ledger.totals.projection.state
    if not ledger.unreadable.isdisjoint(_PROJECTED):
        return found
    lacking = set(due)
    for key, value in state.each_value(ledger.tx, ledger.campaign.id):
        lacking.discard(key)
        named = value.get("entry") if isinstance(value, dict) else None
        found.newest = max(found.newest, named if isinstance(named, int) else 0)
        if value != due.get(key):
            found.values[key] = (value, due.get(key))
    found.values |= {key: (None, due[key]) for key in lacking}
    rows = ledger.tx.execute(sa.select(schema.subject).where(schema.subject.c.campaign_id == ledger.campaign.id))
    found.misnamed = [(row.id, row.name, row.name_key) for row in rows if row.name_key != name_key(row.name)]
    return found


def _mend(ledger: _Ledger, comparison: _Comparison) -> None:
    tx, campaign_id, due = ledger.tx, ledger.campaign.id, ledger.totals.projection.state
    if ledger.unreadable.isdisjoint(_PROJECTED):
        names = [(subject_key(number), NAME) for number, _, _ in comparison.misnamed]
        state.mend_state(tx, campaign_id, {key: due.get(key) for key in (*comparison.values, *names)})
    else:
        state.replace_state(tx, campaign_id, due)
    for number, _, audience in ledger.totals.audiences:
        entries.set_audience(tx, campaign_id, number, audience)


def _list_broken(ledger: _Ledger, named: int) -> Iterator[str]:
    chain = [*ledger.totals.faults, *_cut_off(ledger, named)]
    yield from chain
    for table, look in _CHECKS.items():
        if table not in ledger.unreadable:
            yield from look(ledger)
    if not chain and ledger.totals.unread is not None:
        yield ledger.totals.unread


def _cut_off(ledger: _Ledger, by_state: int) -> Iterator[str]:
    newest = ledger.totals.newest
    if not newest:
        yield "The campaign has no entries. It should begin with one."
    named: dict[str, int] = {}
    for column in tally.entry_columns():
        if column.table not in ledger.unreadable:
            highest = sa.select(sa.func.max(column)).where(column.table.c.campaign_id == ledger.campaign.id)
            named[f"the table {column.table.name}"] = ledger.tx.scalar(highest) or 0
    for where, number in {**named, "the state": by_state}.items():
        if number > newest:
            yield f"The newest entry is {newest}, and {where} names entry {number}: the end of the ledger is missing."


def _check_people(ledger: _Ledger) -> Iterator[str]:
    for user_id, salt, name in entries.list_actors(ledger.tx, ledger.campaign.id):
        try:
            known = records.make_pseudonym(salt, user_id) if bytes.fromhex(salt) else None
        except ValueError:
            known = None
        if known != name:
            yield f"Person {user_id} is not the one behind pseudonym {name[:12]}."


def _check_books(ledger: _Ledger) -> Iterator[str]:
    for fingerprint, book, content in entries.list_kept_books(ledger.tx, ledger.campaign.id):
        if sha256(content.encode()).hexdigest() != fingerprint:
            yield f"The kept tables of book {fingerprint[:12]} do not match their fingerprint."
        elif _book_of(fingerprint, content) != book:
            yield f"The kept tables of book {fingerprint[:12]} are not of {book!r}."


def _book_of(fingerprint: str, content: str) -> str:
    if fingerprint not in _BOOKS:
        _BOOKS[fingerprint] = json.loads(content)["id"]
    return _BOOKS[fingerprint]


def _check_files(ledger: _Ledger) -> Iterator[str]:
    for file in library.each_file(ledger.tx, ledger.campaign.id):
        if library.hash_file(file.text) != file.fingerprint:
            yield f"The kept file of house rules {file.fingerprint[:12]} does not match its fingerprint."


def _check_settings(ledger: _Ledger) -> Iterator[str]:
    try:
        yield from tally.check_settings(ledger.tx, ledger.campaign)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        yield f"What its entries say of its settings and erasures can't be read: {error!r}."


def _check_epochs(ledger: _Ledger) -> Iterator[str]:
    return epochs.check_epochs(ledger.tx, ledger.campaign.id, ledger.totals.roots, ledger.totals.named)


_CHECKS: Mapping[sa.Table, Callable[[_Ledger], Iterator[str]]] = {
    schema.actor: _check_people,
    schema.campaign: _check_settings,
    schema.book_version: _check_books,
    schema.document: _check_files,
    schema.epoch: _check_epochs,
}
"""The check of each table whose values hashes or entries prove."""


def _list_differences(ledger: _Ledger, comparison: _Comparison) -> Iterator[str]:
    for subject_name, name in sorted(comparison.values):
        actual, expected = comparison.values[subject_name, name]
        yield f"State {subject_name!r} {name!r}: it is {actual!r}, and the entries add up to {expected!r}."
    for number, name, key in comparison.misnamed:
        yield f"Subject {number}: it is called {name!r}, and looked up as {key!r}."
    yield from ledger.totals.missing_books
    yield from ledger.totals.missing_files
    for number, kept, due in ledger.totals.audiences:
        yield f"Entry {number}: its audience is {kept}, not {due}."
