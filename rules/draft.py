"""A book as written: its items with places, before they're checked together."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import replace

from rules import items, phrases, subjects
from rules.book import Act, Condition, Contest, Effect, Strikes, Trait, Zone
from rules.documents import Document, Place
from rules.errors import Fault
from rules.kinds import CatalogEntry, Kinds, Name, RuleItem, Text
from rules.tables import ConsequenceKind, Source
from rules.upkeep import UpkeepRule

_HERE = "\0"
"""Marks where the parser stopped; no file can contain it."""
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
    """Return the likely mistake here, else the parser's `message`."""
    lines = text.split("\n")
    above = next((item for item in reversed(lines[: line - 1]) if item.split("#")[0].strip()), "")
    here = lines[line - 1].replace('\\"', "''") if line <= len(lines) else ""
    context = f"{message}\n{above}\n{here[: column - 1]}{_HERE}{here[column - 1 :]}"
    return next((what for pattern, what in _GUESSES if re.search(pattern, context)), message)


Raws = tuple[object, ...]


class BookItem(RuleItem, frozen=True):
    """`[book]`: what the book is."""

    noun = "book"
    id: Name
    title: Text
    source: Text


class FactItem(RuleItem, frozen=True):
    """A trait that subjects in these roles can have: a fact per role."""

    noun = "fact"
    linked = frozenset({"trait", "roles"})
    trait: Name
    label: Text
    roles: Annotated[tuple[Name, ...], Meta(min_length=1)]
    secret: bool = False


class ClimateRowItem(RuleItem, frozen=True):
    """The conditions of each region under one outcome."""

    noun = "row"
    key = "outcome"
    examples: ClassVar[Mapping[str, str]] = {
        "outcome": 'outcome = "category-1"',
        "regions": 'regions = { india = ["storms"] }',
    }
    outcome: Name
    regions: Mapping[Name, tuple[Name, ...]]


class ClimateItem(RuleItem, frozen=True):
    """`[[climate]]`: conditions by outcome and region."""

    noun = "climate"
    key = "zone"
    linked = frozenset({"zone", "rows"})
    examples: ClassVar[Mapping[str, str]] = {
        "zone": 'zone = "south-asia"',
        "rows": 'rows = [{ outcome = "category-1", regions = { india = ["storms"] } }]',
    }
    derived = frozenset({"cells"})
    zone: Name
    rows: Raws
    cells: items.Items[ClimateRowItem] = items.Items()


class ClimateChangeItem(RuleItem, frozen=True):
    """`[[climate]]` of an overlay: changed cells and land."""

    noun = "climate"
    linked = ClimateItem.linked
    examples = ClimateItem.examples
    zone: Name
    rows: Raws = ()
    land: Mapping[Name, bool] = field(default_factory=dict)


class BookFile(RuleItem, frozen=True):
    """What a book's file may contain."""

    noun = "file"
    book: object = None
    game: object = None
    facts: Raws = ()
    table: object = None
    scores: Raws = ()
    catalog: Mapping[Name, Raws] = field(default_factory=dict)
    contests: Raws = ()
    strikes: Raws = ()
    acts: Raws = ()
    upkeep: Raws = ()
    zones: Raws = ()
    conditions: Raws = ()
    climate: Raws = ()
    traits: Raws = ()
    fields: Raws = ()
    effects: Raws = ()
    deeds: Raws = ()


class _HeadItem(RuleItem, frozen=True, kw_only=True):
    facts: Raws = ()
    conditions: Raws = ()
    traits: Raws = ()
    fields: Raws = ()
    effects: Raws = ()
    deeds: Raws = ()


class OverlayItem(_HeadItem, frozen=True):
    """`[overlay]`: its id and the book it changes."""

    noun = "overlay"
    id: Name
    extends: Name
    source: Source


class GameItem(_HeadItem, frozen=True):
    """`[game]`: a file that is a whole book, and where its rules are from."""

    noun = "game"
    examples: ClassVar[Mapping[str, str]] = {
        "title": 'title = "Sails and Silver"',
        "source": 'source = "Sails and Silver, 2nd edition"',
    }
    title: Text
    source: Text | None = None


class ChangeItem(RuleItem, frozen=True):
    """`[[change]]`: rows and modifiers that an overlay adds to, or removes from, a table."""

    noun = "change"
    table: Name
    remove_modifiers: tuple[Name, ...] = ()
    remove_rows: tuple[Name, ...] = ()
    rows: Raws = ()
    modifiers: Raws = ()


class OverlayFile(RuleItem, frozen=True):
    """What an overlay file may contain."""

    noun = "file"
    overlay: object
    change: object = None
    table: object = None
    climate: object = None
    scores: Raws = ()
    catalog: Mapping[Name, Raws] = field(default_factory=dict)
    contests: Raws = ()
    strikes: Raws = ()
    acts: Raws = ()
    upkeep: Raws = ()


LISTS: Mapping[str, type[RuleItem]] = {
    "facts": FactItem,
    "zones": Zone,
    "conditions": Condition,
    "contests": Contest,
    "strikes": Strikes,
    "deeds": ConsequenceKind,
    "acts": Act,
    "upkeep": UpkeepRule,
    "traits": Trait,
    "fields": subjects.Field,
    "effects": Effect,
}
"""What the keys of a file list, by the draft's fields of the same names."""
KEPT_LISTS = ("traits", "fields", "effects", "deeds")


class BookDraft(Struct):
    """A book's items; `whole` is false if a file couldn't be read.

    `entries` is the catalog: kind, place, raw. `lent` is other books' deeds for house tables.
    """

    heads: list[items.PlacedItem[BookItem]] = field(default_factory=list)
    facts: items.Items[FactItem] = field(default_factory=items.Items)
    tables: list[items.TableDraft] = field(default_factory=list)
    zones: items.Items[Zone] = field(default_factory=items.Items)
    conditions: items.Items[Condition] = field(default_factory=items.Items)
    climates: items.Items[ClimateItem] = field(default_factory=items.Items)
    contests: items.Items[Contest] = field(default_factory=items.Items)
    strikes: items.Items[Strikes] = field(default_factory=items.Items)
    acts: items.Items[Act] = field(default_factory=items.Items)
    upkeep: items.Items[UpkeepRule] = field(default_factory=items.Items)
    traits: items.Items[Trait] = field(default_factory=items.Items)
    fields: items.Items[subjects.Field] = field(default_factory=items.Items)
    effects: items.Items[Effect] = field(default_factory=items.Items)
    deeds: items.Items[ConsequenceKind] = field(default_factory=items.Items)
    scores: items.Items[items.ScoreDraft] = field(default_factory=items.Items)
    entries: list[tuple[str, Place, object]] = field(default_factory=list)
    lent: Mapping[str, ConsequenceKind] = field(default_factory=dict)
    whole: bool = True

    def table_ids(self) -> list[str]:
        """List the ids of the draft's tables, in order."""
        return [table.id for table in self.tables]

    def deeds_by_id(self) -> dict[str, ConsequenceKind]:
        """Return all deeds that rows can use by id, with `lent` ones."""
        return {**self.lent, **{item.id: item for item in self.deeds}}

    def fact_ids(self) -> list[str]:
        """List fact ids, one per role."""
        return [f"{role}.{fact.trait}" for fact in self.facts for role in fact.roles]


def read_documents(paths: Iterable[Path], faults: list[Fault]) -> list[Document]:
    """Read files in order, without those that can't be read, which add a fault."""
    documents = (read_document(path, faults) for path in paths)
    return [document for document in documents if document is not None]


def read_document(path: Path, faults: list[Fault]) -> Document | None:
    """Read a file; None and a fault if that fails."""
    try:
        return parse(str(path), path.read_bytes(), faults)
    except OSError as error:
        faults.append(Fault(str(path), 1, f"this file can't be read: {error.strerror}"))
    return None


def parse(name: str, data: bytes, faults: list[Fault]) -> Document | None:
    """Parse a file's bytes; None and a fault if that fails."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        faults.append(Fault(name, 1, "this isn't text: save it as UTF-8"))
        return None
    try:
        return Document(name, text, tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition(" (at ")[0]
        line, at = text.count("\n") + 1, ""
        if match := re.search(r"\(at line (\d+), column (\d+)\)", str(error)):
            line, at = int(match[1]), f" at column {match[2]}"
            message = guess(text, line, int(match[2]), message)
        faults.append(Fault(name, line, f"this isn't TOML{at}: {message}"))
    except ValueError:  # a number with more digits than Python reads: the longest
        longest, start = max((len(it[0].replace("_", "")), -it.start()) for it in re.finditer("[0-9][0-9_]*", text))
        what = f"this isn't TOML: a number has {longest} digits, over the limit of 19"
        faults.append(Fault(name, text.count("\n", 0, -start) + 1, what))
    return None


def gather_draft(documents: Iterable[Document], faults: list[Fault]) -> BookDraft:
    """Read the items of a book's files."""
    draft = BookDraft()
    files = list(documents)
    patterns = items.patterns_in(files)
    for document in files:
        _add(draft, document, patterns, faults)
    items.take_scores(draft.tables, draft.scores, faults)
    return draft


def read_entries(raw: object, place: Place) -> Iterator[tuple[str, Place, object]]:
    """Yield (kind, place, raw entry) for each entry of a catalog."""
    for kind, raws in raw.items() if isinstance(raw, dict) else ():
        if isinstance(raws, list):
            yield from ((kind, place.at(kind, index), item) for index, item in enumerate(raws))


def holds_facts(raw: object) -> bool:
    """Check whether facts are written under these tables or changes, where they can't be."""
    raws = raw if isinstance(raw, list) else [raw]
    return any(isinstance(item, dict) and "facts" in item for item in raws)


def _add(draft: BookDraft, document: Document, patterns: items.Patterns, faults: list[Fault]) -> None:
    place = Place(document)
    if items.read(BookFile, document.data, place, faults) is None:
        draft.whole = False
    data = document.data
    if not data:
        faults.append(place.fault("this file is empty: it needs [table], facts, [[zones]], [[climate]] or [book]"))
    if "book" in data and (head := items.read(BookItem, data["book"], place.at("book"), faults)):
        draft.heads.append(head)
    draft.tables.extend(items.read_tables(data.get("table", []), place.at("table"), patterns, faults))
    draft.scores += items.read_scores(data.get("scores", []), place.at("scores"), faults)
    draft.entries.extend(read_entries(data.get("catalog"), place.at("catalog")))

    # Facts under a table's header are lost there; while any are, no fact is called undeclared.
    draft.facts += items.Items(whole=not holds_facts(data.get("table")))
    add_lists(draft, ("facts", "zones", "conditions"), data, place, faults)
    climates = items.read_list(ClimateItem, data.get("climate", []), place.at("climate"), faults)
    draft.climates += climates.with_values(
        replace(item, cells=items.read_list(ClimateRowItem, item.rows, at.at("rows"), faults))
        for item, at in climates.with_places()
    )
    add_lists(draft, ("contests", "strikes", "acts", "upkeep", *KEPT_LISTS), data, place, faults)


def add_lists(draft: BookDraft, keys: Iterable[str], raw: Mapping[str, object], at: Place, faults: list[Fault]) -> None:
    """Add a file's items under these keys."""
    for key in keys:
        setattr(draft, key, getattr(draft, key) + read_key(key, raw, at, faults))


def read_key(key: str, data: Mapping[str, object], place: Place, faults: list[Fault]) -> items.Items[Any]:
    """Read the items under one key of `LISTS`."""
    return items.read_list(LISTS[key], data.get(key, []), place.at(key), faults)


def read_catalog(draft: BookDraft, kinds: Kinds, faults: list[Fault]) -> dict[str, dict[str, CatalogEntry]]:
    """Return the catalog's entries by kind and id; mistakes go to `faults`."""
    catalog: dict[str, dict[str, CatalogEntry]] = {kind: {} for kind in kinds}
    for kind, place, raw in draft.entries:
        if kind not in kinds:
            faults.append(place.fault(f"catalog {kind}: unknown kind{phrases.suggestion(kind, kinds)}"))
            continue
        entry = _read_entry(kinds[kind], place, raw, faults)
        if entry is not None:
            if entry.id in catalog[kind]:
                faults.append(place.fault(f"{kind} {entry.id}: this id is used twice"))
            catalog[kind][entry.id] = entry
    return {kind: entries for kind, entries in catalog.items() if entries}


def _read_entry(model: type[CatalogEntry], place: Place, raw: object, faults: list[Fault]) -> CatalogEntry | None:
    if model.noun:
        read = items.read(model, raw, place, faults)
        return None if read is None else read.value
    try:
        return convert(raw, model)
    except ValidationError as error:
        name = raw.get("id", "?") if isinstance(raw, dict) else "?"
        faults.append(place.fault(f"{model.kind} {name}: {error}"))
        return None
