"""Rule books from their TOML files: every fault of every file is reported at once, each with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from msgspec.structs import replace

from rules import house, overlay
from rules.book import HOUSE
from rules.books import kinds as kinds_of
from rules.books import procedures as procedures_of
from rules.bounds import Faults
from rules.build import build_rules
from rules.catalog import Entry, Kinds
from rules.catalog_draft import read_catalog
from rules.draft import BookDraft, gather, read_document, read_documents
from rules.errors import BookError, Fault, UnknownName
from rules.lines import Document, Place
from rules.lint import lint
from rules.lint_acts import like_families
from rules.lint_orders import lint_orders
from rules.orders import CATALOG as ORDERS
from rules.own import reserved_names
from rules.phrases import known_list, suggestion
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.tables import Deed

BOOKS = Path(__file__).parent / "books"
HEAD = "book.toml"


class UnknownBook(UnknownName):
    """No rule book of this id is shipped."""

    kind = "rule book"


def book_ids() -> tuple[str, ...]:
    """Return the ids of the rule books that are shipped."""
    return tuple(sorted(head.parent.name for head in BOOKS.glob(f"*/{HEAD}")))


def load_book(book_id: str, *, overlays: Sequence[Path] = ()) -> RuleSet:
    """Load a shipped rule book, changed by the overlays in their order.

    Raises:
        BookError: the book or an overlay has faults.

    """
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
    for path in overlays:
        document = read_document(path, faults)
        if document is not None:
            overlay.apply(draft, document, faults)
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
    own_tables = house.tables_from(draft, documents)
    known = set(printed.table_ids())
    lenders = _lenders(book_id)
    draft.lent = _lent(lenders)
    # Names of printed tables are left out: `rules.lint` reports those as duplicates.
    faults.extend(house.table_faults(own_tables, {name: who for name, who in others.items() if name not in known}))
    own = (house.procedure(table.head) for table in own_tables if table.head)
    every = _settling((*procedures, *own), lenders)
    faults.extend(house.consequence_faults(draft, printed, every, documents))
    faults.extend(house.card_faults(draft, every, documents))
    return _finish(draft, every, {} if standalone else kinds_of(book_id), faults)


def check(path: Path) -> None:
    """Look for faults in a book's folder, in one file of a book, or in an overlay of a shipped book.

    A file in a book's folder is held against its whole book; a file that lies alone must declare the facts that it uses.

    Raises:
        BookError: there are faults.

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
        _held_together(draft, procedures_of(name) if shipped else (), kinds_of(name) if shipped else {}, faults)
        faults = [fault for fault in faults if fault.file == str(path)]
    elif document and house.is_standalone(document):
        _check_house(path, HOUSE)
    elif document:
        draft = gather([document], faults)
        faults.extend(lint(draft))
    if faults:
        raise BookError(faults)


def _check_house(path: Path, book_id: str) -> None:
    """Hold a file against all that a bot holds it against which is sent it."""
    document = house.read(str(path), path.read_bytes())
    load_with_house_rules(book_id, [document], others=reserved_names(load_books().values()))


def _extended_book(document: Document, faults: list[Fault]) -> str | None:
    """Return the shipped book that an overlay extends, or None and add a fault when there is none."""
    book = overlay.extends(document, faults)
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
    procedures = _settling(procedures_of(book_id), lenders)
    return load_folder(BOOKS / book_id, procedures, overlays, _lent(lenders), kinds_of(book_id))


def _lenders(book_id: str) -> list[RuleSet]:
    """Return the other shipped books: what their rows can do, those of files laid over this one can do too."""
    return [load_book(book) for book in book_ids() if book != book_id]


def _lent(lenders: Iterable[RuleSet]) -> dict[str, Deed]:
    return {name: deed for book in lenders for name, deed in book.deeds.items()}


def _settling(procedures: Iterable[Procedure], lenders: Iterable[RuleSet]) -> list[Procedure]:
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
        if overlay.extends(document, faults) == book_id:
            overlay.apply(draft, document, faults)
    if faults:
        raise BookError(faults)
    return draft, procedures_of(book_id)


def _read_folder(folder: Path, faults: list[Fault]) -> BookDraft:
    paths = sorted(folder.glob("*.toml"))
    documents = read_documents(paths, faults)
    draft = gather(documents, faults)
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
    catalog = _held_together(draft, procedures, kinds, faults)
    faults.extend(like_families(draft, procedures))
    faults.extend(_unmet_needs(draft, procedures))
    if faults:
        raise BookError(faults)
    return build_rules(draft, procedures, catalog)


def _held_together(
    draft: BookDraft, procedures: Sequence[Procedure], kinds: Kinds, faults: list[Fault]
) -> dict[str, dict[str, Entry]]:
    """Return the catalog of a draft, with the faults that show when its items are held against each other."""
    faults.extend(lint(draft, [item.family for item in procedures]))
    unread: list[Fault] = []
    catalog = read_catalog(draft, {**ORDERS, **kinds}, unread)
    faults.extend(unread or lint_orders(draft, catalog, procedures))
    return catalog
