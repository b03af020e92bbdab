"""Loads rule books; reports all faults at once, with file and line."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from msgspec.structs import replace

from rules import acts, house, lint_games, modifiers, overlay, phrases
from rules.book import HOUSE, Score
from rules.books import kinds_of, procedures_of
from rules.documents import Document, Faults, Place
from rules.draft import BookDraft, gather_draft, read_catalog, read_document, read_documents
from rules.effects import End
from rules.errors import BookError, Fault, UnknownName
from rules.items import Items, TableDraft
from rules.kinds import Catalog, Kinds
from rules.lint import find_hidden_families, lint, lint_orders
from rules.orders import CATALOG as ORDERS
from rules.procedure import Procedure
from rules.ruleset import RuleSet, list_reserved_names, take_fingerprint
from rules.tables import ConsequenceKind, EventPart, RollTable, Source, TableRow


def _build_rules(draft: BookDraft, procedures: Sequence[Procedure], catalog: Catalog) -> RuleSet:
    every = (modifiers.Fact(role, item.trait, item.label, item.secret) for item in draft.facts for role in item.roles)
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
        # Cells of an outcome that an overlay took away stay, and are never read.
        zones={
            zone.id: replace(zone, climate={row.outcome: row.regions for row in climates[zone.id].cells})
            for zone in draft.zones
        },
        conditions={item.trait: replace(item, label=facts[f"weather.{item.trait}"].label) for item in draft.conditions},
        traits={item.id: item for item in draft.traits},
        fields={item.id: item for item in draft.fields},
        effects={
            item.trait: replace(item, secret=any(fact.secret for fact in facts.values() if fact.trait == item.trait))
            for item in draft.effects
        },
        deeds=deeds,
        contests={item.id: item for item in draft.contests},
        strikes={item.id: item for item in draft.strikes},
        acts={item.id: item for item in (*acts.list_order_acts(catalog), *draft.acts)},
        scores={
            it.id: Score(it.id, it.label, it.line, it.base, _modifiers(it.drawn, secrets), it.caps)
            for it in draft.scores
        },
        upkeep={item.id: item for item in draft.upkeep},
        catalog=catalog,
        source=head.value.source,
    )
    # What settles deeds of other books that this one's rows don't do is dropped.
    settled = ((item, {name: rule for name, rule in item.settles.items() if name in deeds}) for item in procedures)
    rules = acts.with_procedures(rules, [replace(item, settles=kept) for item, kept in settled])
    # The fingerprint covers the book's content, so it can only be taken of the finished book.
    return replace(rules, fingerprint=take_fingerprint(rules))


def _table(
    draft: TableDraft, head: RollTable, secrets: frozenset[str], deeds: Mapping[str, ConsequenceKind]
) -> RollTable:
    return replace(
        head,
        rows=tuple(_row(row, place, draft) for row, place in draft.rows.with_places()),
        modifiers=_modifiers(draft.modifiers, secrets),
        naturals=tuple(draft.naturals),
        numbers={number.id: number for number in draft.numbers},
        readings={reading.id: reading for reading in draft.readings},
        letters={letter.id: letter for letter in draft.letters},
        deeds={item.do: deeds[item.do] for row in draft.rows for item in row.then},
        files=tuple(dict.fromkeys((draft.place.document.name, *draft.changes))),
    )


def _row(row: TableRow, place: Place, draft: TableDraft) -> TableRow:
    document, event, source = place.document, row.event, None
    if event and not event.parts:
        event = replace(event, parts=(EventPart(row.text, event.lasts, event.changes),), changes={})
    if document is not draft.place.document and "overlay" in document.data:
        head = document.data["overlay"]["source"]
        source = Source(head["book"], head["section"])
    return replace(row, event=event, source=source)


def _modifiers(items: Items[modifiers.Modifier], secrets: frozenset[str]) -> tuple[modifiers.Modifier, ...]:
    """Make modifiers secret if they ask for a secret fact; denying one reveals nothing."""
    return tuple(replace(it, secret=any(fact in secrets for clause in it.when for fact in clause)) for it in items)


def _deeds(draft: BookDraft) -> dict[str, ConsequenceKind]:
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
    """No such book is shipped."""

    kind = "rule book"


def book_ids() -> tuple[str, ...]:
    """List the ids of the shipped books."""
    return tuple(sorted(head.parent.name for head in BOOKS.glob(f"*/{HEAD}")))


def load_book(book_id: str, *, overlays: Sequence[Path] = ()) -> RuleSet:
    """Load a shipped book with overlays."""
    return _load_shipped(book_id, tuple(overlays)) if overlays else _load_plain(book_id)


def load_books(overlays: Sequence[Path] = ()) -> dict[str, RuleSet]:
    """Load every shipped book with its overlays."""
    faults: list[Fault] = []
    overlays_of: dict[str, list[Path]] = {book: [] for book in book_ids()}
    for path in overlays:
        document = read_document(path, faults)
        book = document and _find_shipped_book(document, faults)
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
    lent: Mapping[str, ConsequenceKind] | None = None,
    kinds: Kinds | None = None,
) -> RuleSet:
    """Load a folder as a book, or raise BookError; `lent` are other books' deeds, `kinds` catalog types."""
    faults: list[Fault] = []
    draft = _read_folder(folder, faults)
    draft.lent = lent or {}
    for document in read_documents(overlays, faults):
        overlay.apply_overlay(draft, document, faults)
    return _finish(draft, procedures, kinds or {}, faults)


def load_with_house_rules(
    book_id: str, documents: Sequence[Document], *, others: Mapping[str, str], overlays: Sequence[Path] = ()
) -> RuleSet:
    """Load a shipped book under house rules, or the book `house`; raise BookError.

    `others` are taken table names and what has them; operators' `overlays` come before `documents`.
    """
    faults: list[Fault] = Faults()
    standalone = book_id == HOUSE
    printed, procedures = (BookDraft(), ()) if standalone else _read_shipped(book_id, tuple(overlays))
    if standalone:
        draft = house.draft_own_tables(documents, faults)
    else:
        draft = replace(printed, heads=[*printed.heads], tables=[*printed.tables])
        for document in documents:
            overlay.apply_overlay(draft, document, faults)
    own_tables = [table for table in draft.tables if table.place.document in documents]
    known = set(printed.table_ids())
    lenders = _lenders(book_id)
    own_deeds = {deed.id for deed, place in draft.deeds.with_places() if place.document in documents}
    draft.lent = {name: deed for name, deed in _list_lent_deeds(lenders).items() if name not in own_deeds}
    # Names of printed tables are left out: `rules.lint` reports those as duplicates.
    taken = {name: who for name, who in others.items() if name not in known}
    faults.extend(house.find_table_faults(draft, own_tables, taken))
    leads = house.list_leads(draft, own_tables)
    own = [*house.list_procedures(draft, leads), *(_list_own_weather(draft) if standalone else ())]
    every = _add_lent_deeds((*procedures, *own), lenders, own_deeds)
    faults.extend(house.find_consequence_faults(draft, printed, every, documents))
    faults.extend(house.find_card_faults(draft, every, documents))
    faults.extend(house.find_chain_faults(draft, leads, documents))
    faults.extend(lint_games.find_roll_faults(draft, taken))
    return _finish(draft, every, {} if standalone else kinds_of(book_id), faults)


def _list_own_weather(draft: BookDraft) -> Iterator[Procedure]:
    known = draft.table_ids()
    if tables := [zone.table for zone in draft.zones if zone.table in known]:
        from rules.books.campaign import weather  # noqa: PLC0415 - loads with a game that has weather

        yield weather.make_own_procedure(tables)


def check_path(path: Path) -> None:
    """Check a book's folder, file or overlay; raise BookError."""
    if path.is_dir():
        shipped = path.resolve().parent == BOOKS
        load_folder(path, procedures_of(path.name) if shipped else (), kinds=kinds_of(path.name) if shipped else None)
        return
    faults: list[Fault] = []
    document = read_document(path, faults)
    if document and "overlay" in document.data:
        book = _find_shipped_book(document, faults)
        if book:
            _check_house(path, book)
    elif document and (path.parent / HEAD).exists():
        draft = _read_folder(path.parent, faults)
        shipped = path.resolve().parents[1] == BOOKS
        name = path.parent.name
        _read_and_lint(draft, procedures_of(name) if shipped else (), kinds_of(name) if shipped else {}, faults)
        faults = [fault for fault in faults if fault.file == str(path)]
    elif document and house.is_standalone(document):
        _check_house(path, HOUSE)
    elif document:
        draft = gather_draft([document], faults)
        faults.extend(lint(draft))
    if faults:
        raise BookError(faults)


def _check_house(path: Path, book_id: str) -> None:
    document = house.read_house_file(str(path), path.read_bytes())
    load_with_house_rules(book_id, [document], others=list_reserved_names(load_books().values()))


def _find_shipped_book(document: Document, faults: list[Fault]) -> str | None:
    book = overlay.find_extended_book(document, faults)
    if book is None or book in book_ids():
        return book
    place = Place(document, ("overlay", "extends"))
    hint = phrases.suggestion(book, book_ids()) or phrases.list_known(book_ids())
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
    return load_folder(BOOKS / book_id, procedures, overlays, _list_lent_deeds(lenders), kinds_of(book_id))


def _lenders(book_id: str) -> list[RuleSet]:
    return [load_book(book) for book in book_ids() if book != book_id]


def _list_lent_deeds(lenders: Iterable[RuleSet]) -> dict[str, ConsequenceKind]:
    return {name: deed for book in lenders for name, deed in book.deeds.items()}


def _add_lent_deeds(
    procedures: Iterable[Procedure], lenders: Iterable[RuleSet], own: Collection[str] = ()
) -> list[Procedure]:
    settles = {name: rule for book in lenders for name, rule in book.settles.items() if name not in own}
    return [replace(item, settles={**settles, **item.settles}) for item in procedures]


@lru_cache(maxsize=32)
def _read_shipped(book_id: str, overlays: tuple[Path, ...]) -> tuple[BookDraft, Sequence[Procedure]]:
    if book_id not in book_ids():
        raise UnknownBook(book_id, book_ids())
    faults: list[Fault] = []
    draft = _read_folder(BOOKS / book_id, faults)
    for document in read_documents(overlays, faults):
        # The bot hands the same overlays to every book.
        if overlay.find_extended_book(document, faults) == book_id:
            overlay.apply_overlay(draft, document, faults)
    if faults:
        raise BookError(faults)
    return draft, procedures_of(book_id)


def _read_folder(folder: Path, faults: list[Fault]) -> BookDraft:
    paths = sorted(folder.glob("*.toml"))
    documents = read_documents(paths, faults)
    draft = gather_draft(documents, faults)
    # What a file that isn't TOML may contain is unknown, not wrong.
    draft.whole = draft.whole and len(documents) == len(paths)
    if folder / HEAD not in paths:
        faults.append(Fault(str(folder / HEAD), 1, "this file is missing: a book's folder needs one, with [book]"))
    elif draft.whole and not any("book" in document.data for document in documents):
        faults.append(Fault(str(folder / HEAD), 1, "missing [book]: write it with id, title and source"))
    return draft


def _unmet_needs(draft: BookDraft, procedures: Iterable[Procedure]) -> Iterator[Fault]:
    # What is missing may be in a file that couldn't be read.
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
            ("deed", procedure.settles, draft.deeds_by_id()),
        ):
            for name in needed:
                if name not in known:
                    what = f"the {procedure.family} roll needs {kind} {name}, which doesn't exist{phrases.suggestion(name, known)}"
                    yield from (head.place.fault(what) for head in draft.heads[:1])


def _finish(draft: BookDraft, procedures: Sequence[Procedure], kinds: Kinds, faults: list[Fault]) -> RuleSet:
    faults.extend(lint_games.find_upkeep_faults(draft, procedures))
    house.expand_upkeep(draft)
    catalog = _read_and_lint(draft, procedures, kinds, faults)
    faults.extend(find_hidden_families(draft, procedures))
    faults.extend(_unmet_needs(draft, procedures))
    if faults:
        raise BookError(faults)
    return _build_rules(draft, procedures, catalog)


def _read_and_lint(draft: BookDraft, procedures: Sequence[Procedure], kinds: Kinds, faults: list[Fault]) -> Catalog:
    faults.extend(lint(draft, [item.family for item in procedures]))
    unread: list[Fault] = []
    catalog = read_catalog(draft, {**ORDERS, **kinds}, unread)
    faults.extend(unread or lint_orders(draft, catalog, procedures))
    return catalog
