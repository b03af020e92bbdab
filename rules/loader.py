"""Rule books from their TOML files: every fault of every file is reported at once, each with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from msgspec.structs import replace

from rules import house
from rules.acts import with_procedures
from rules.book import HOUSE, Effect, Zone
from rules.books import kinds_of, procedures_of
from rules.documents import Document, Faults, Place
from rules.draft import BookDraft, gather_draft, read_catalog, read_document, read_documents
from rules.ends import End
from rules.errors import BookError, Fault, UnknownName
from rules.items import ClimateItem, Items
from rules.kinds import Catalog, Kinds
from rules.lint import find_hidden_families, lint, lint_orders
from rules.modifiers import Fact, Modifier
from rules.orders import CATALOG as ORDERS
from rules.phrases import known_list, suggestion
from rules.procedure import Procedure
from rules.ruleset import RuleSet, reserved_names, take_fingerprint
from rules.table_draft import ScoreDraft, TableDraft
from rules.tables import Deed, Event, EventPart, RollTable, Score, Source, TableRow


def build_rules(draft: BookDraft, procedures: Sequence[Procedure], catalog: Catalog) -> RuleSet:
    """Return the book of a draft that has no faults, under its fingerprint."""
    every = (Fact(role, item.trait, item.label, item.secret) for item in draft.facts for role in item.roles)
    facts = {fact.id: fact for fact in every}
    secrets = frozenset(fact.id for fact in facts.values() if fact.secret)
    climates = {climate.zone: climate for climate in draft.climates}
    (head,) = draft.heads
    deeds = _deeds(draft)
    rules = RuleSet(
        id=head.value.id,
        title=head.value.title,
        fingerprint="",
        facts=facts,
        tables={table.id: _table(table, table.head, secrets, deeds) for table in draft.tables if table.head},
        zones={zone.id: _zone(zone, climates[zone.id]) for zone in draft.zones},
        conditions={item.trait: replace(item, label=facts[f"weather.{item.trait}"].label) for item in draft.conditions},
        traits={item.id: item for item in draft.traits},
        fields={item.id: item for item in draft.fields},
        effects={item.trait: _effect(item, facts) for item in draft.effects},
        deeds=deeds,
        contests={item.id: item for item in draft.contests},
        strikes={item.id: item for item in draft.strikes},
        acts={item.id: item for item in draft.acts},
        scores={score.id: _score(score, secrets) for score in draft.scores},
        catalog=catalog,
        source=head.value.source,
    )
    rules = with_procedures(rules, [_drop_missing_deeds(item, deeds) for item in procedures])
    # The fingerprint covers the book's content, so it can only be taken of the finished book.
    return replace(rules, fingerprint=take_fingerprint(rules))


def _drop_missing_deeds(procedure: Procedure, deeds: Mapping[str, Deed]) -> Procedure:
    """Return a procedure without what settles deeds of other books that this one's rows do not do."""
    settles = {name: rule for name, rule in procedure.settles.items() if name in deeds}
    return procedure if len(settles) == len(procedure.settles) else replace(procedure, settles=settles)


def _table(draft: TableDraft, head: RollTable, secrets: frozenset[str], deeds: Mapping[str, Deed]) -> RollTable:
    return replace(
        head,
        rows=tuple(_row(row, place, draft) for row, place in draft.rows.placed()),
        modifiers=_modifiers(draft.modifiers, secrets),
        naturals=tuple(draft.naturals),
        numbers={number.id: number for number in draft.numbers},
        readings={reading.id: reading for reading in draft.readings},
        letters={letter.id: letter for letter in draft.letters},
        deeds={item.do: deeds[item.do] for row in draft.rows for item in row.then},
        files=tuple(dict.fromkeys((draft.place.document.name, *draft.changes))),
    )


def _score(draft: ScoreDraft, secrets: frozenset[str]) -> Score:
    return Score(draft.id, draft.label, draft.line, draft.base, _modifiers(draft.drawn, secrets), draft.caps)


def _row(row: TableRow, place: Place, draft: TableDraft) -> TableRow:
    event = _event(row.event, row.text) if row.event else None
    return replace(row, event=event, source=_overlay_source(place, draft))


def _overlay_source(place: Place, draft: TableDraft) -> Source | None:
    """Return where a row is printed that came with an overlay of its table; None for the table's own rows."""
    document = place.document
    if document is draft.place.document or "overlay" not in document.data:
        return None
    source = document.data["overlay"]["source"]
    return Source(source["book"], source["section"])


def _event(event: Event, text: str) -> Event:
    """Return an event; where it does one thing only, that is what the row's `text` says."""
    if event.parts:
        return event
    part = EventPart(text, event.lasts, event.changes)
    return replace(event, parts=(part,), changes={})


def _modifiers(items: Items[Modifier], secrets: frozenset[str]) -> tuple[Modifier, ...]:
    """Return modifiers, secret by the facts that they ask for, not by those that they deny: everybody would think a secret fact absent."""
    return tuple(
        replace(item, secret=any(literal in secrets for clause in item.when for literal in clause)) for item in items
    )


def _zone(zone: Zone, climate: ClimateItem) -> Zone:
    # Cells of an outcome that an overlay took away stay, and are never read.
    return replace(zone, climate={row.outcome: row.regions for row in climate.cells})


def _effect(effect: Effect, facts: Mapping[str, Fact]) -> Effect:
    """Return an effect, secret when its fact is so in any role."""
    return replace(effect, secret=any(fact.secret for fact in facts.values() if fact.trait == effect.trait))


def _deeds(draft: BookDraft) -> dict[str, Deed]:
    """Return the deeds of a book, and those of others that its rows do; each ends as its effect does unless it says when."""
    done = {item.do for table in draft.tables for row in table.rows for item in row.then}
    ends: dict[str | None, End] = {item.trait: item.end for item in draft.effects}
    lent = {name: deed for name, deed in draft.lent.items() if name in done}
    return lent | {
        deed.name: deed.value
        if "end" in deed.written
        else replace(deed.value, end=ends.get(deed.value.effect, deed.value.end))
        for deed in draft.deeds.items
    }


BOOKS = Path(__file__).parent / "books"
HEAD = "book.toml"


class UnknownBook(UnknownName):
    """No rule book of this id is shipped."""

    kind = "rule book"


def book_ids() -> tuple[str, ...]:
    """Return the ids of the rule books that are shipped."""
    return tuple(sorted(head.parent.name for head in BOOKS.glob(f"*/{HEAD}")))


def load_book(book_id: str, *, overlays: Sequence[Path] = ()) -> RuleSet:
    """Load a shipped rule book, changed by the overlays in their order."""
    return _load_shipped(book_id, tuple(overlays)) if overlays else _load_plain(book_id)


def load_books(overlays: Sequence[Path] = ()) -> dict[str, RuleSet]:
    """Load every shipped rule book by its id, each changed by the overlays that extend it, in their order."""
    faults: list[Fault] = []
    overlays_of: dict[str, list[Path]] = {book: [] for book in book_ids()}
    for path in overlays:
        document = read_document(path, faults)
        book = document and _extended_book(document, faults)
        if book:
            overlays_of[book].append(path)
    books = {}
    for book, paths in overlays_of.items():
        try:
            books[book] = load_book(book, overlays=paths)
        except BookError as error:
            faults.extend(error.faults)
    if faults:
        raise BookError(faults)
    return books


def load_folder(
    folder: Path,
    procedures: Sequence[Procedure] = (),
    overlays: Sequence[Path] = (),
    lent: Mapping[str, Deed] | None = None,
    kinds: Kinds | None = None,
) -> RuleSet:
    """Load the rule book of a folder: all its TOML files, changed by the overlays in their order.

    `lent` are deeds of other books, `kinds` what the entries of its catalog hold.
    """
    faults: list[Fault] = []
    draft = _read_folder(folder, faults)
    draft.lent = lent or {}
    for document in read_documents(overlays, faults):
        house.apply_overlay(draft, document, faults)
    return _finish(draft, procedures, kinds or {}, faults)


def load_with_house_rules(
    book_id: str, documents: Sequence[Document], *, others: Mapping[str, str], overlays: Sequence[Path] = ()
) -> RuleSet:
    """Load a book with house rules: the one that tables of one's own make up, or a shipped one with files laid over it in order.

    The tables that the files bring are rolled on by themselves. `others` are the names that these cannot have, and who has
    them; `overlays` are laid over the shipped book first, as far as they extend it.
    """
    faults: list[Fault] = Faults()
    standalone = book_id == HOUSE
    printed, procedures = (BookDraft(), ()) if standalone else _read_shipped(book_id, tuple(overlays))
    draft = (
        house.draft_own_tables(documents, faults)
        if standalone
        else house.draft_with_overlays(printed, documents, faults)
    )
    own_tables = [table for table in draft.tables if table.place.document in documents]
    known = set(printed.table_ids())
    lenders = _lenders(book_id)
    draft.lent = _lent(lenders)
    # Names of printed tables are left out: `rules.lint` reports those as duplicates.
    faults.extend(house.find_table_faults(own_tables, {name: who for name, who in others.items() if name not in known}))
    own = (house.make_procedure(table.head) for table in own_tables if table.head)
    every = _add_lent_deeds((*procedures, *own), lenders)
    faults.extend(house.find_consequence_faults(draft, printed, every, documents))
    faults.extend(house.find_card_faults(draft, every, documents))
    return _finish(draft, every, {} if standalone else kinds_of(book_id), faults)


def check_path(path: Path) -> None:
    """Look for faults in a book's folder, in one file of a book, or in an overlay of a shipped book.

    A file in a book's folder is held against its whole book; a file that lies alone must declare the facts that it uses.
    """
    if path.is_dir():
        shipped = path.resolve().parent == BOOKS
        load_folder(path, procedures_of(path.name) if shipped else (), kinds=kinds_of(path.name) if shipped else None)
        return
    faults: list[Fault] = []
    document = read_document(path, faults)
    if document and "overlay" in document.data:
        book = _extended_book(document, faults)
        if book:
            _check_house(path, book)
    elif document and (path.parent / HEAD).exists():
        draft = _read_folder(path.parent, faults)
        shipped = path.resolve().parents[1] == BOOKS
        name = path.parent.name
        _read_catalog_and_lint(draft, procedures_of(name) if shipped else (), kinds_of(name) if shipped else {}, faults)
        faults = [fault for fault in faults if fault.file == str(path)]
    elif document and house.is_standalone(document):
        _check_house(path, HOUSE)
    elif document:
        draft = gather_draft([document], faults)
        faults.extend(lint(draft))
    if faults:
        raise BookError(faults)


def _check_house(path: Path, book_id: str) -> None:
    """Hold a file against all that a bot holds it against which is sent it."""
    document = house.read_house_file(str(path), path.read_bytes())
    load_with_house_rules(book_id, [document], others=reserved_names(load_books().values()))


def _extended_book(document: Document, faults: list[Fault]) -> str | None:
    """Return the shipped book that an overlay extends, or None and add a fault when there is none."""
    book = house.find_extended_book(document, faults)
    if book is None or book in book_ids():
        return book
    place = Place(document, ("overlay", "extends"))
    hint = suggestion(book, book_ids()) or known_list(book_ids())
    faults.append(place.fault(f"unknown rule book {book}{hint}"))
    return None


@cache
def _load_plain(book_id: str) -> RuleSet:
    return _load_shipped(book_id, ())


def _load_shipped(book_id: str, overlays: Sequence[Path]) -> RuleSet:
    if book_id not in book_ids():
        raise UnknownBook(book_id, book_ids())
    lenders = _lenders(book_id) if overlays else []
    procedures = _add_lent_deeds(procedures_of(book_id), lenders)
    return load_folder(BOOKS / book_id, procedures, overlays, _lent(lenders), kinds_of(book_id))


def _lenders(book_id: str) -> list[RuleSet]:
    """Return the other shipped books: what their rows can do, those of files laid over this one can do too."""
    return [load_book(book) for book in book_ids() if book != book_id]


def _lent(lenders: Iterable[RuleSet]) -> dict[str, Deed]:
    return {name: deed for book in lenders for name, deed in book.deeds.items()}


def _add_lent_deeds(procedures: Iterable[Procedure], lenders: Iterable[RuleSet]) -> list[Procedure]:
    """Return procedures by which the deeds of the lenders are settled as in their own books."""
    settles = {name: rule for book in lenders for name, rule in book.settles.items()}
    return [replace(item, settles={**settles, **item.settles}) for item in procedures]


@lru_cache(maxsize=32)
def _read_shipped(book_id: str, overlays: tuple[Path, ...]) -> tuple[BookDraft, Sequence[Procedure]]:
    """Read a shipped book as written, under those of the overlays that extend it."""
    if book_id not in book_ids():
        raise UnknownBook(book_id, book_ids())
    faults: list[Fault] = []
    draft = _read_folder(BOOKS / book_id, faults)
    for document in read_documents(overlays, faults):
        # The bot hands the same overlays to every book.
        if house.find_extended_book(document, faults) == book_id:
            house.apply_overlay(draft, document, faults)
    if faults:
        raise BookError(faults)
    return draft, procedures_of(book_id)


def _read_folder(folder: Path, faults: list[Fault]) -> BookDraft:
    paths = sorted(folder.glob("*.toml"))
    documents = read_documents(paths, faults)
    draft = gather_draft(documents, faults)
    # A file that is no TOML makes everything that it may hold unknown, not wrong.
    draft.whole = draft.whole and len(documents) == len(paths)
    if folder / HEAD not in paths:
        faults.append(Fault(str(folder / HEAD), 1, "this file is missing: a book's folder needs one, with [book]"))
    elif draft.whole and not any("book" in document.data for document in documents):
        faults.append(Fault(str(folder / HEAD), 1, "missing [book]: write it with id, title and source"))
    return draft


def _unmet_needs(draft: BookDraft, procedures: Iterable[Procedure]) -> Iterator[Fault]:
    """Check that what the procedures roll on, ask for, look for or settle is there."""
    # What is missing here may stand in what could not be read.
    if not draft.whole or not draft.facts.whole:
        return
    tables = {table.id: table for table in draft.tables if table.rows.whole}
    for procedure in procedures:
        for table, outcome in procedure.method.required_rows:
            if table in tables and outcome not in [row.outcome for row in tables[table].rows]:
                what = f"the {procedure.family} roll needs row {outcome} of table {table}, which doesn't exist"
                yield tables[table].where().fault(f"{what}: keep it, or give its id to another row")
        for kind, needed, known in (
            ("table", procedure.method.tables, draft.table_ids()),
            ("fact", procedure.method.manual_facts, draft.fact_ids()),
            ("deed", procedure.settles, draft.known_deeds()),
        ):
            for name in needed:
                if name not in known:
                    what = (
                        f"the {procedure.family} roll needs {kind} {name}, which doesn't exist{suggestion(name, known)}"
                    )
                    yield from (head.place.fault(what) for head in draft.heads[:1])


def _finish(draft: BookDraft, procedures: Sequence[Procedure], kinds: Kinds, faults: list[Fault]) -> RuleSet:
    """Build the book of a draft, unless there are faults, and more of them between its items."""
    catalog = _read_catalog_and_lint(draft, procedures, kinds, faults)
    faults.extend(find_hidden_families(draft, procedures))
    faults.extend(_unmet_needs(draft, procedures))
    if faults:
        raise BookError(faults)
    return build_rules(draft, procedures, catalog)


def _read_catalog_and_lint(
    draft: BookDraft, procedures: Sequence[Procedure], kinds: Kinds, faults: list[Fault]
) -> Catalog:
    """Return the catalog of a draft, with the faults that show when its items are held against each other."""
    faults.extend(lint(draft, [item.family for item in procedures]))
    unread: list[Fault] = []
    catalog = read_catalog(draft, {**ORDERS, **kinds}, unread)
    faults.extend(unread or lint_orders(draft, catalog, procedures))
    return catalog
