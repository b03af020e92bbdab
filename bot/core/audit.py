"""Check and rebuild: whether the chain is whole, and the campaign's state equals the sum of its entries."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import campaigns, damage, entries, epochs, library, state
from bot.core.campaigns import Campaign
from bot.core.damage import Damage, entry_columns
from bot.core.database import Database
from bot.core.encoding import Json
from bot.core.entry_kinds import EntryKinds
from bot.core.proofs import Looking, Prover, prover
from bot.core.records import make_pseudonym
from bot.core.schema import actor, book_version, document, entry, entry_text, epoch, subject
from bot.core.schema import campaign as campaign_row
from bot.core.schema import state as state_row
from bot.core.tally import (
    Everything,
    LedgerTally,
    Projection,
    UnreadableError,
    check_erased_texts,
    check_settings,
    prove_entries,
)
from rules.subjects import NAME, name_key, subject_key

_CHAIN: frozenset[sa.Table] = frozenset({campaign_row, entry, entry_text})
_PROJECTED: frozenset[sa.Table] = frozenset({state_row, subject})

_BOOKS: dict[str, str] = {}
"""The ids of books by fingerprint, as far as they were read."""

Progress = Callable[[int, int], object]
"""Is told how many entries have been read, and how many there are."""


class Audit(Struct, frozen=True):
    """The result for one campaign: its name, the number of entries, and every fault in words.

    When `whole`, its ledger still says all that it ever said, so that the state can be made from it. What belongs to no
    campaign is under `campaign_id` None.
    """

    campaign_id: int | None
    campaign: str
    entries: int
    faults: tuple[str, ...]
    whole: bool = True


async def check_ledgers(
    database: Database, kinds: EntryKinds, progress: Progress | None = None, processes: int | None = None
) -> list[Audit]:
    """Check every campaign's chain and projections; nothing is changed, and no value that stands there makes this raise.

    It is one pass over the entries; where they are many, by as many `processes` as there are cores, unless told how many.
    """
    return await database.read(check_within, kinds, progress, processes)


async def rebuild_states(
    database: Database, kinds: EntryKinds, progress: Progress | None = None, processes: int | None = None
) -> list[Audit]:
    """Rebuild every campaign's projections from its entries; return what was wrong with them before.

    Only what differs is written. A campaign whose ledger is not whole is left as it is: nobody knows what its entries once
    said.
    """
    return await database.write(_rebuild, kinds, progress, processes)


def _rebuild(tx: Connection, kinds: EntryKinds, progress: Progress | None, processes: int | None) -> list[Audit]:
    campaigns.list_campaign_ids(tx, lock=True)  # no entry may be added while they are summed up
    return check_within(tx, kinds, progress, processes, mend=True)


def check_within(
    tx: Connection,
    kinds: EntryKinds,
    progress: Progress | None = None,
    processes: int | None = None,
    *,
    mend: bool = False,
) -> list[Audit]:
    """Check every campaign as a transaction sees it; with `mend`, write what differs in projections of whole ledgers."""
    damaged: dict[int | None, list[Damage]] = {}
    for item in damage.find_damage(tx):
        damaged.setdefault(item.campaign_id, []).append(item)
    entries_in_all = tx.scalar(sa.select(sa.func.count()).select_from(entry)) or 0
    with prover(entries_in_all, processes, _looking(tx, kinds)) as prove:
        work = _Check(tx, kinds, prove, progress, entries_in_all)
        audits = [
            _audit(work, number, damaged.get(number, []), mend=mend) for number in campaigns.list_campaign_ids(tx)
        ]
    strays = tuple(item.fault for item in damaged.get(None, []))
    return [*audits, Audit(None, "No campaign", 0, strays, whole=False)] if strays else audits


def check_one(tx: Connection, kinds: EntryKinds, campaign_id: int) -> Audit:
    """Check one campaign as a transaction sees it, by the values that stand there: which of them are damaged is not looked for."""
    mine = sa.select(sa.func.count()).select_from(entry).where(entry.c.campaign_id == campaign_id)
    with prover(count := tx.scalar(mine) or 0, None, _looking(tx, kinds)) as prove:
        return _audit(_Check(tx, kinds, prove, None, count), campaign_id, (), mend=False)


def _looking(tx: Connection, kinds: EntryKinds) -> Looking:
    """Return by what entries are looked at; tables that are damaged are left out, and told elsewhere."""
    plain = sa.select(
        *(sa.type_coerce(book_version.c[name], sa.types.NullType()) for name in ("fingerprint", "content"))
    )
    try:
        rows: Any = tx.execute(plain).all()
    except sa.exc.OperationalError:  # a text isn't UTF-8
        rows = ()
    kept = {row[0]: row[1] for row in rows if isinstance(row[0], str) and isinstance(row[1], str)}
    return Looking(kinds.look, kept)


class _Check(Struct):
    """A check under way: of how many entries, and how many it has read."""

    tx: Connection
    kinds: EntryKinds
    prove: Prover
    progress: Progress | None
    entries: int
    read: int = 0

    def go_through(self, campaign: Campaign, tally: LedgerTally) -> None:
        """Read all entries of a campaign.

        Raises:
            UnreadableError: a value is damaged.

        """
        for proof in prove_entries(self.tx, campaign, self.prove):
            tally.add(proof)
            self.read += len(proof.seen)
            if self.progress is not None:
                self.progress(self.read, self.entries)


class _Ledger(Struct, frozen=True):
    """A campaign, what its entries add up to, and the tables in which something of it can't be read: those are left out."""

    tx: Connection
    campaign: Campaign
    tally: LedgerTally
    unreadable: frozenset[sa.Table]


def _audit(work: _Check, campaign_id: int, damaged: Sequence[Damage], *, mend: bool) -> Audit:
    told, tables = [item.fault for item in damaged], frozenset(item.table for item in damaged)
    found, tx = None, work.tx
    if tables.isdisjoint(_CHAIN):
        try:
            found = campaigns.get_campaign(tx, campaign_id)
        except (TypeError, ValueError) as error:
            told.append(f"Its settings can't be read: {error}.")
    if found is None:
        return _unread(tx, campaign_id, told)
    ledger = _Ledger(tx, found, _tally(work, found, tables), tables)
    try:
        work.go_through(found, ledger.tally)
    except UnreadableError as error:
        return _unread(tx, campaign_id, told, [f"Its entries can't be read: {error}."])
    comparison = _compare(ledger)
    broken = list(_broken(ledger, comparison.newest))
    faults = broken or list(_differences(ledger, comparison))
    whole = not broken and tables.isdisjoint(_ALTERED)
    if mend and whole and (told or faults):
        _mend(ledger, comparison)
    return Audit(campaign_id, found.name, ledger.tally.entries, (*told, *faults), whole=whole)


def _unread(tx: Connection, campaign_id: int, told: Sequence[str], why: Sequence[str] = ()) -> Audit:
    """Return the audit of a campaign whose chain cannot be proven: which of its values are damaged, or else why."""
    values = [item.fault for item in damage.find_damage_of_entries(tx, campaign_id)]
    faults = dict.fromkeys((*told, *(values or why)))
    return Audit(campaign_id, f"Campaign {campaign_id}", 0, tuple(faults), whole=False)


def _tally(work: _Check, campaign: Campaign, unreadable: frozenset[sa.Table]) -> LedgerTally:
    books: Container[str] = Everything()
    files: Container[str] = Everything()
    if book_version not in unreadable:
        books = {fingerprint for fingerprint, _, _ in entries.list_kept_books(work.tx, campaign.id)}
    if document not in unreadable:
        files = {file.fingerprint for file in library.each_file(work.tx, campaign.id) if file.kept}
    return LedgerTally(Projection(work.kinds), partial(_content, work.tx, campaign.id), books, files)


def _content(tx: Connection, campaign_id: int, number: int) -> Mapping[str, Json]:
    found = entries.get_entry(tx, campaign_id, number)
    return {} if found is None else found.content()


class _Comparison(Struct):
    """The stored state beside what the entries add up to.

    `newest` is the newest entry that a value names; `values` are those that differ, as they are and as they should be;
    `misnamed` are subjects that are looked up under another name than theirs, with number, name and key.
    """

    newest: int = 0
    values: dict[tuple[str, str], tuple[Json, Json]] = field(default_factory=dict)
    misnamed: list[tuple[int, str, str]] = field(default_factory=list)


def _compare(ledger: _Ledger) -> _Comparison:
    found, due = _Comparison(), ledger.tally.projection.state
    if not ledger.unreadable.isdisjoint(_PROJECTED):
        return found
    lacking = set(due)
    for key, value in state.each_value(ledger.tx, ledger.campaign.id):
        lacking.discard(key)
        found.newest = max(found.newest, _entry_named(value))
        if value != due.get(key):
            found.values[key] = (value, due.get(key))
    found.values |= {key: (None, due[key]) for key in lacking}
    rows = ledger.tx.execute(sa.select(subject).where(subject.c.campaign_id == ledger.campaign.id))
    found.misnamed = [(row.id, row.name, row.name_key) for row in rows if row.name_key != name_key(row.name)]
    return found


def _mend(ledger: _Ledger, comparison: _Comparison) -> None:
    """Write what differs from what the entries add up to; the whole state where it can't be read."""
    tx, campaign_id, due = ledger.tx, ledger.campaign.id, ledger.tally.projection.state
    if ledger.unreadable.isdisjoint(_PROJECTED):
        names = [(subject_key(number), NAME) for number, _, _ in comparison.misnamed]
        state.mend_state(tx, campaign_id, {key: due.get(key) for key in (*comparison.values, *names)})
    else:
        state.replace_state(tx, campaign_id, due)
    for number, _, audience in ledger.tally.audiences:
        entries.set_audience(tx, campaign_id, number, audience)


def _broken(ledger: _Ledger, named: int) -> Iterator[str]:
    """Yield what no rebuild can mend: a chain that is not whole, and people, books or files that are not those of their hashes."""
    chain = [*ledger.tally.faults, *_cut_off(ledger, named)]
    yield from chain
    for table, look in _ALTERED.items():
        if table not in ledger.unreadable:
            yield from look(ledger)
    if not chain and ledger.tally.unread is not None:
        yield ledger.tally.unread


def _cut_off(ledger: _Ledger, by_state: int) -> Iterator[str]:
    """Yield a fault for whatever names an entry after the newest: the end of the ledger is missing."""
    newest = ledger.tally.newest
    if not newest:
        yield "The campaign has no entries. It should begin with one."
    named: dict[str, int] = {}
    for column in entry_columns():
        if column.table not in ledger.unreadable:
            highest = sa.select(sa.func.max(column)).where(column.table.c.campaign_id == ledger.campaign.id)
            named[f"the table {column.table.name}"] = ledger.tx.scalar(highest) or 0
    for where, number in {**named, "the state": by_state}.items():
        if number > newest:
            yield f"The newest entry is {newest}, and {where} names entry {number}: the end of the ledger is missing."


def _entry_named(value: object) -> int:
    """Return the number of the entry from which a value of the state comes; 0 where it keeps none."""
    number = value.get("entry") if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def _altered_people(ledger: _Ledger) -> Iterator[str]:
    for user_id, salt, name in entries.list_actors(ledger.tx, ledger.campaign.id):
        if not _is_hex(salt) or make_pseudonym(salt, user_id) != name:
            yield f"Person {user_id} is not the one behind pseudonym {name[:12]}."


def _altered_books(ledger: _Ledger) -> Iterator[str]:
    for fingerprint, book, content in entries.list_kept_books(ledger.tx, ledger.campaign.id):
        if sha256(content.encode()).hexdigest() != fingerprint:
            yield f"The kept tables of book {fingerprint[:12]} do not match their fingerprint."
        elif _book_of(fingerprint, content) != book:
            yield f"The kept tables of book {fingerprint[:12]} are not of {book!r}."


def _book_of(fingerprint: str, content: str) -> str:
    """Return the id of the book that has this fingerprint, and so this content; it is read once."""
    if fingerprint not in _BOOKS:
        _BOOKS[fingerprint] = json.loads(content)["id"]
    return _BOOKS[fingerprint]


def _altered_files(ledger: _Ledger) -> Iterator[str]:
    for file in library.each_file(ledger.tx, ledger.campaign.id):
        if library.hash_file(file.text) != file.fingerprint:
            yield f"The kept file of house rules {file.fingerprint[:12]} does not match its fingerprint."


def _altered_settings(ledger: _Ledger) -> Iterator[str]:
    try:
        yield from check_settings(ledger.tx, ledger.campaign)
        yield from check_erased_texts(ledger.tx, ledger.campaign)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        yield f"What its entries say of its settings and erasures can't be read: {error!r}."


def _altered_epochs(ledger: _Ledger) -> Iterator[str]:
    return epochs.check_epochs(ledger.tx, ledger.campaign.id, ledger.tally.roots, ledger.tally.named)


_ALTERED: Mapping[sa.Table, Callable[[_Ledger], Iterator[str]]] = {
    actor: _altered_people,
    campaign_row: _altered_settings,
    book_version: _altered_books,
    document: _altered_files,
    epoch: _altered_epochs,
}
"""What does not match the chain, by table: people behind pseudonyms, settings and erased texts, books and files behind fingerprints, secrets behind roots."""


def _is_hex(salt: str) -> bool:
    try:
        return bool(bytes.fromhex(salt))
    except ValueError:
        return False


def _differences(ledger: _Ledger, comparison: _Comparison) -> Iterator[str]:
    """Yield what differs from what the entries say, in what is made from them and in what they name."""
    for subject_name, name in sorted(comparison.values):
        actual, expected = comparison.values[subject_name, name]
        yield f"State {subject_name!r} {name!r}: it is {actual!r}, and the entries add up to {expected!r}."
    for number, name, key in comparison.misnamed:
        yield f"Subject {number}: it is called {name!r}, and looked up as {key!r}."
    yield from ledger.tally.missing_books
    yield from ledger.tally.missing_files
    for number, kept, due in ledger.tally.audiences:
        yield f"Entry {number}: its audience is {kept}, not {due}."
