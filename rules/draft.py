"""A book as written: the items of its files, each with its place, before they are held against each other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import replace

from rules.book import Act, Condition, Contest, Effect, Strikes, Trait, Zone
from rules.documents import Document, Place
from rules.errors import Fault
from rules.fields import Field
from rules.items import BookFile, BookItem, ClimateItem, ClimateRowItem, FactItem, Items, Placed, read, read_list
from rules.kinds import CatalogEntry, Kinds, RuleItem
from rules.phrases import suggestion
from rules.table_draft import Patterns, ScoreDraft, TableDraft, patterns_in, read_scores, read_tables, take_scores
from rules.tables import Deed

_HERE = "\0"
"""Stands in what is looked at where the parser stopped; no file can hold it."""

_UNEVEN = r'\n[^"\n]*"(?:[^"\n]*"[^"\n]*")*[^"\n]*\Z'
_GUESSES: Sequence[tuple[str, str]] = (
    (r"\0```", "leave out the line with ```"),
    (
        r"\0[\u2018-\u201f]|[“”„][^\n]*\0|\A(?:Illegal|Unterm)[^\n]*\n.*\n.*[“”]",
        'write straight quotes " instead of curly ones',
    ),
    (r"\0[\u2212\u2013\u2014]\d", "write the minus sign as -"),
    (r"=\s*\0(?:True|False)\b", "write true and false in small letters"),
    (r"(?i:=\s*\0?\d*\0?d\d)", 'put dice in quotes, as in die = "2d6"'),
    (r"=\s*[+-]?0\0\d", "write the number without a 0 in front"),
    (_UNEVEN, 'is a quote " missing on this line?'),
    (r'"\0[^\W_]', 'quotes within a text are written \\": or is a comma missing here?'),
    (r"\0\s*:", "write = instead of :"),
    (
        r"\A(?:Invalid value|Unclosed array)\n.*\n\s*\[{0,2}\0\[{0,2}[\w-]+\s*(?:=|\]|\.)",
        "is a ] missing on the line above?",
    ),
    (r"\AUnclosed array\n.*\}\s*\n\s*\0\{", "is a comma missing at the end of the line above?"),
    (r"\AUnclosed inline table\n.*\n.*\s\0[\w-]+\s*=", "is a comma missing here?"),
    (r",\s*\0\}", "leave out the comma before }"),
    (r"\{.*\0\s*\Z", "write what is in { } on one line: is a } missing at its end?"),
    (r"=\s*\0[^\W\d]", "put text in quotes"),
    (r"\ACannot declare [^\n]* twice", "write that header with double brackets, as in [[table]], or once"),
    (r"\A(?:Cannot overwrite a value|Duplicate inline table key)", "that key is there twice: leave one out"),
)


def guess(text: str, line: int, column: int, message: str) -> str:
    """Return what is likely wrong at this place, or else the parser's own `message`."""
    lines = text.split("\n")
    above = next((item for item in reversed(lines[: line - 1]) if item.split("#")[0].strip()), "")
    here = lines[line - 1].replace('\\"', "''") if line <= len(lines) else ""
    context = f"{message}\n{above}\n{here[: column - 1]}{_HERE}{here[column - 1 :]}"
    return next((what for pattern, what in _GUESSES if re.search(pattern, context)), message)


LISTS: Mapping[str, type[RuleItem]] = {
    "facts": FactItem,
    "zones": Zone,
    "conditions": Condition,
    "contests": Contest,
    "strikes": Strikes,
    "deeds": Deed,
    "acts": Act,
    "traits": Trait,
    "fields": Field,
    "effects": Effect,
}
"""What stands under the keys of a file that a draft has by the same names."""
KEPT_LISTS = ("traits", "fields", "effects")
"""The keys of what is kept of people and things."""


class BookDraft(Struct):
    """All items of a book's files. `whole` is false when one of the files could not be read at all.

    `entries` are those of its catalog, each with its kind and place. `lent` are the deeds of other books, which tables of one's own may do.
    """

    heads: list[Placed[BookItem]] = field(default_factory=list)
    facts: Items[FactItem] = field(default_factory=Items)
    tables: list[TableDraft] = field(default_factory=list)
    zones: Items[Zone] = field(default_factory=Items)
    conditions: Items[Condition] = field(default_factory=Items)
    climates: Items[ClimateItem] = field(default_factory=Items)
    contests: Items[Contest] = field(default_factory=Items)
    strikes: Items[Strikes] = field(default_factory=Items)
    acts: Items[Act] = field(default_factory=Items)
    traits: Items[Trait] = field(default_factory=Items)
    fields: Items[Field] = field(default_factory=Items)
    effects: Items[Effect] = field(default_factory=Items)
    deeds: Items[Deed] = field(default_factory=Items)
    scores: Items[ScoreDraft] = field(default_factory=Items)
    entries: list[tuple[str, Place, object]] = field(default_factory=list)
    lent: Mapping[str, Deed] = field(default_factory=dict)
    whole: bool = True

    def table_ids(self) -> list[str]:
        """Return the ids of its tables, in order."""
        return [table.id for table in self.tables]

    def known_deeds(self) -> dict[str, Deed]:
        """Return what its rows can do, by id."""
        return {**self.lent, **{item.id: item for item in self.deeds}}

    def fact_ids(self) -> list[str]:
        """Return the ids of its facts: one for each role that a trait is declared for."""
        return [f"{role}.{fact.trait}" for fact in self.facts for role in fact.roles]


def read_documents(paths: Iterable[Path], faults: list[Fault]) -> list[Document]:
    """Read the files that are TOML at all."""
    documents = (read_document(path, faults) for path in paths)
    return [document for document in documents if document is not None]


def read_document(path: Path, faults: list[Fault]) -> Document | None:
    """Read a file; return None and add a fault when it is missing, no text or no TOML."""
    try:
        return parse(str(path), path.read_bytes(), faults)
    except OSError as error:
        faults.append(Fault(str(path), 1, f"this file can't be read: {error.strerror}"))
    return None


def parse(name: str, data: bytes, faults: list[Fault]) -> Document | None:
    """Return what stands in a file of this name, or None and add a fault when it is no text or no TOML."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        faults.append(Fault(name, 1, "this isn't text: save it as UTF-8"))
        return None
    try:
        return Document(name, text, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        faults.append(_syntax_fault(name, text, error))
    except ValueError:
        faults.append(_endless_number(name, text))
    return None


def gather_draft(documents: Iterable[Document], faults: list[Fault]) -> BookDraft:
    """Read the items of a book's files."""
    draft = BookDraft()
    files = list(documents)
    patterns = patterns_in(files)
    for document in files:
        _add(draft, document, patterns, faults)
    take_scores(draft.tables, draft.scores, faults)
    return draft


def read_entries(raw: object, place: Place) -> Iterator[tuple[str, Place, object]]:
    """Yield the entries of a catalog as written, each with its kind and place."""
    for kind, items in raw.items() if isinstance(raw, dict) else ():
        if isinstance(items, list):
            yield from ((kind, place.at(kind, index), item) for index, item in enumerate(items))


def holds_facts(raw: object) -> bool:
    """Return whether facts stand under one of these headers, where nobody looks for them."""
    items = raw if isinstance(raw, list) else [raw]
    return any(isinstance(item, dict) and "facts" in item for item in items)


def _read_climates(raw: object, place: Place, faults: list[Fault]) -> Items[ClimateItem]:
    items = read_list(ClimateItem, raw, place, faults)
    return items.with_values(
        replace(item, cells=read_list(ClimateRowItem, item.rows, at.at("rows"), faults)) for item, at in items.placed()
    )


def _add(draft: BookDraft, document: Document, patterns: Patterns, faults: list[Fault]) -> None:
    place = Place(document)
    if read(BookFile, document.data, place, faults) is None:
        draft.whole = False
    data = document.data
    if not data:
        faults.append(place.fault("this file is empty: it needs [table], facts, [[zones]], [[climate]] or [book]"))
    if "book" in data and (head := read(BookItem, data["book"], place.at("book"), faults)):
        draft.heads.append(head)
    draft.tables.extend(read_tables(data.get("table", []), place.at("table"), patterns, faults))
    draft.scores += read_scores(data.get("scores", []), place.at("scores"), faults)
    draft.entries.extend(read_entries(data.get("catalog"), place.at("catalog")))

    # Facts under a table's header are lost there; while any are, no fact is called undeclared.
    draft.facts += Items(whole=not holds_facts(data.get("table")))
    add_lists(draft, ("facts", "zones", "conditions"), data, place, faults)
    draft.climates += _read_climates(data.get("climate", []), place.at("climate"), faults)
    add_lists(draft, ("contests", "strikes", "deeds", "acts", *KEPT_LISTS), data, place, faults)


def add_lists(
    draft: BookDraft, keys: Iterable[str], data: Mapping[str, object], place: Place, faults: list[Fault]
) -> None:
    """Add the items that a file or an overlay has under these keys."""
    for key in keys:
        setattr(draft, key, getattr(draft, key) + read_key(key, data, place, faults))


def read_key(key: str, data: Mapping[str, object], place: Place, faults: list[Fault]) -> Items[Any]:
    """Read the items that a file has under one of the keys of `LISTS`."""
    return read_list(LISTS[key], data.get(key, []), place.at(key), faults)


def _syntax_fault(file: str, text: str, error: Exception) -> Fault:
    match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    message = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition(" (at ")[0]
    if match is None:
        return Fault(file, text.count("\n") + 1, f"this isn't TOML: {message}")
    line, column = int(match[1]), int(match[2])
    return Fault(file, line, f"this isn't TOML at column {column}: {guess(text, line, column, message)}")


def _endless_number(file: str, text: str) -> Fault:
    """Say which number has more digits than Python reads: the longest."""
    number = max(re.finditer("[0-9][0-9_]*", text), key=_length)
    line = text.count("\n", 0, number.start()) + 1
    return Fault(file, line, f"this isn't TOML: a number has {_length(number)} digits, over the limit of 19")


def _length(number: re.Match[str]) -> int:
    return len(number[0].replace("_", ""))


def read_catalog(draft: BookDraft, kinds: Kinds, faults: list[Fault]) -> dict[str, dict[str, CatalogEntry]]:
    """Return the entries that a book lists; what is wrong with one is added to `faults`."""
    catalog: dict[str, dict[str, CatalogEntry]] = {kind: {} for kind in kinds}
    for kind, entry, fault in _entries(draft, kinds):
        if fault is not None:
            faults.append(fault)
        if entry is not None:
            catalog[kind][entry.id] = entry
    return {kind: entries for kind, entries in catalog.items() if entries}


def _entries(draft: BookDraft, kinds: Kinds) -> Iterator[tuple[str, CatalogEntry | None, Fault | None]]:
    known: set[tuple[str, str]] = set()
    for kind, place, raw in draft.entries:
        if kind not in kinds:
            yield kind, None, place.fault(f"catalog {kind}: unknown kind{suggestion(kind, kinds)}")
            continue
        try:
            entry = convert(raw, kinds[kind])
        except ValidationError as error:
            name = raw.get("id", "?") if isinstance(raw, dict) else "?"
            yield kind, None, place.fault(f"{kind} {name}: {error}")
            continue
        twice = (kind, entry.id) in known
        known.add((kind, entry.id))
        yield kind, entry, place.fault(f"{kind} {entry.id}: this id is used twice") if twice else None
