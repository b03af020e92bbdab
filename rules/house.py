"""House rules: files of a game master's own, held to the rules of the books and to what can be shown of them.

A file changes a book (`[overlay]`) or brings tables of its own (`[[table]]` and facts), which make up the book `house`.
What a file may hold is bounded before anything is made of it (`rules.bounds`).
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from rules import overlay
from rules.book import HOUSE
from rules.bounds import LONGEST_TEXT, Bounds, Faults
from rules.defaults import fill
from rules.draft import BookDraft, gather, parse
from rules.errors import BookError, Fault
from rules.items import Placed
from rules.lines import Document, Place
from rules.modifiers import Modifier
from rules.own import ROLLER, TARGET
from rules.phrases import known_list
from rules.procedure import Conclusion, Part, Policy, Procedure
from rules.schema import BookFile, FactItem
from rules.stages import TableMethod
from rules.table_draft import TableDraft
from rules.tables import Consequence, Deed, RollTable, TableRow

LONGEST: Mapping[str, int] = {"id": 50, "outcome": 50, "trait": 40, "group": 40, "one-of": 40, "per": 30, "title": 80}
LONGEST = {**LONGEST, "label": 80, "roles": 40, "when": 81, "text": LONGEST_TEXT, "note": 200, "cause": 80}
"""Characters of texts, by their key."""
MOST: Mapping[str, int] = {"table": 20, "change": 40, "rows": 100, "modifiers": 100, "facts": 100, "roles": 20}
"""Items of lists, by their key."""
BOUNDS = Bounds(longest=LONGEST, most=MOST)
HIGHEST = 400
"""What several dice may come to: their odds are counted sum by sum."""

MAX_SELECTS, MAX_OPTIONS, MAX_COUNTS = 12, 25, 5
"""What a roll card has room for: lists to pick from, options in each, and modifiers with a count."""

_OF_BOOKS = frozenset(BookFile.__struct_fields__) - {"table", "facts"}
"""Sections that only the files of a whole book have, and overlays in their own way."""
LARGEST_AMOUNT = 1000
"""The largest amount of deeds that say none themselves."""
_HEAD = '[book]\nid = "house"\ntitle = "House rules"\nsource = "The campaign itself"'


def read(name: str, data: bytes) -> Document:
    """Read a file as it was sent; `name` is how faults speak of it.

    Raises:
        BookError: it is too large, no text, no TOML, or holds more or longer things than it may.

    """
    faults = Faults()
    faults.extend(BOUNDS.before_parsing(name, data))
    document = None if faults else parse(name, data, faults)
    if document is not None:
        faults.extend(BOUNDS.after_parsing(document))
        faults.extend(_section_faults(document))
    if document is None or faults:
        raise BookError(faults)
    return document


def is_standalone(document: Document) -> bool:
    """Return whether a file that lies in no book's folder has tables of one's own, and is no piece of a whole book."""
    return "table" in document.data and _OF_BOOKS.isdisjoint(document.data)


def extends(document: Document) -> str:
    """Return the id of the book that a file changes, or adds to.

    Raises:
        BookError: it is an overlay and does not say.

    """
    faults: list[Fault] = []
    book = overlay.extends(document, faults) if "overlay" in document.data else HOUSE
    if book is None:
        raise BookError(faults)
    return book


def draft_own_tables(documents: Sequence[Document], faults: list[Fault]) -> BookDraft:
    """Return the book `house` as written in these files; what they declare alike counts once."""
    for document in documents:
        fill(document)
    draft = gather([Document(HOUSE, _HEAD, tomllib.loads(_HEAD)), *documents], faults)
    seen: dict[tuple[str, str], Placed[FactItem]] = {}
    # Files are written and switched on one by one, so each declares what it uses, also what another declares.
    facts = [kept for fact in draft.facts.items if (kept := _drop_declared_roles(fact, seen)) is not None]
    draft.facts = replace(draft.facts, items=tuple(facts))
    return draft


def draft_with_overlays(printed: BookDraft, documents: Iterable[Document], faults: list[Fault]) -> BookDraft:
    """Return a book as written, with overlays over it in their order; the one that was handed in stays as it is."""
    draft = replace(printed, heads=[*printed.heads], tables=[*printed.tables])
    for document in documents:
        overlay.apply(draft, document, faults)
    return draft


def tables_from(draft: BookDraft, documents: Collection[Document]) -> list[TableDraft]:
    """Return the tables of a draft that stand in these files."""
    return [table for table in draft.tables if any(table.place.document is document for document in documents)]


def procedure(head: RollTable) -> Procedure:
    """Return how a table is rolled on by itself: somebody rolls, for somebody perhaps, and its row says what follows."""

    def conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
        (row,) = rows
        consequences = tuple(item for item in row.then if item.to is None or item.to in part.subjects)
        return Conclusion(row.outcome, row.text, row.tone, head.audience or "results", consequences)

    return Procedure(
        family=head.id,
        title=head.title,
        actor=ROLLER,
        subject=TARGET,
        headline=f"{{{ROLLER}}} rolls for {{{TARGET}}}",
        headline_alone=f"{{{ROLLER}}} rolls",
        method=TableMethod((head.id,), conclude),
        policy=Policy(again="never"),
    )


def table_faults(tables: Iterable[TableDraft], others: Mapping[str, str]) -> Iterator[Fault]:
    """Yield what is wrong with tables that are rolled on by themselves; `others` are the names that are taken."""
    for table in tables:
        die = table.head.die if table.head else None
        if die is not None and die.count > 1 and die.high > HIGHEST:
            what = f"{die} goes up to {die.high}, and the limit is {HIGHEST}: write fewer or smaller dice"
            yield table.place.at("die").fault(f"table {table.id}: {what}")
        if table.id in others:
            yield table.place.at("id").fault(f"table {table.id}: {others[table.id]} has that name: give it another id")
        if table.head and table.head.against and table.head.against.value is None:
            what = "it has no number to read: write value = 50, or leave against out"
            yield table.place.at("against").fault(f"table {table.id}: {what}")
        if table.letters.items:
            yield table.place.at("letters").fault(f"table {table.id}: letters are for random events: leave them out")
        for row, place in table.rows.placed():
            if row.event is not None:
                yield table.where(place).fault(f"row {row.outcome}: event is for tables of random events: leave it out")


def consequence_faults(
    draft: BookDraft, printed: BookDraft, procedures: Collection[Procedure], documents: Collection[Document]
) -> Iterator[Fault]:
    """Yield what is wrong with the consequences of rows and acts in these files: to somebody whom no roll knows, or of no use there."""
    deeds = draft.known_deeds()
    native = {table.id: {item.do for row in table.rows for item in row.then} for table in printed.tables}
    for table in draft.tables:
        rolls = [item for item in procedures if table.id in item.method.tables]
        roles = [role for role in dict.fromkeys(role for item in rolls for role in (item.actor, item.subject)) if role]
        # An overlay may repeat what the printed table does, such as a row that it only moves.
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(table.id, ())}
        # A table that no roll knows has no roles to hold its rows against.
        for row, place in table.rows.placed() if roles else ():
            done = row.then if place.document in documents else ()
            problems = (_problem(item, roles, deeds[item.do], known) for item in done if item.do in deeds)
            for what in filter(None, problems):
                yield place.fault(f"row {row.outcome}: {what}")
    native = {act.id: {item.do for item in act.then} for act in printed.acts}
    for act, place in ((act, place) for act, place in draft.acts.placed() if place.document in documents):
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(act.id, ())}
        roles = [act.actor, act.subject]
        # To whom else it may be done is for `rules.lint_acts` to say.
        sets = (item for item in act.then if item.do in deeds and item.to in {None, *roles})
        problems = (_problem(item, roles, deeds[item.do], known) for item in sets)
        yield from (place.fault(f"act {act.id}: {what}") for what in problems if what)


def card_faults(draft: BookDraft, procedures: Iterable[Procedure], documents: Collection[Document]) -> Iterator[Fault]:
    """Yield what these files make too much for a roll card."""
    tables = {table.id: table for table in draft.tables}
    for item in procedures:
        of_roll = [tables[table] for table in item.method.tables if table in tables]
        # Of an id on several tables the first table's line counts, hence the reversed order.
        every = {modifier.id: modifier for table in reversed(of_roll) for modifier in table.modifiers}
        tickable = [modifier for name, modifier in every.items() if name not in item.method.decided_by_choice]
        # One fault for a roll: the first of its tables that these files have touched is the one to mend.
        for place in (place for table in of_roll if (place := table.changed or table.place).document in documents):
            yield from (place.fault(f"the {item.family} roll {what}") for what in _card_problems(item, tickable))
            break


def _card_problems(item: Procedure, modifiers: Sequence[Modifier]) -> Iterator[str]:
    groups = Counter(modifier.group for modifier in modifiers)
    selects = (
        sum(-(-size // MAX_OPTIONS) for size in groups.values()) + len(item.choices) + bool(item.method.manual_facts)
    )
    if selects > MAX_SELECTS:
        yield f"needs {selects} lists, and its card has room for {MAX_SELECTS}: use fewer groups"
    counted = sum(modifier.per is not None for modifier in modifiers)
    if counted > MAX_COUNTS:
        yield f"has {counted} modifiers with per, and its card room for {MAX_COUNTS}: leave some out"


def _section_faults(document: Document) -> Iterator[Fault]:
    """Yield the sections that a file has without need or lacks: one that changes no book holds tables and their facts."""
    if "overlay" in document.data:
        return
    for key in _OF_BOOKS & document.data.keys():
        what = "only a whole book has that: write [[table]] and facts, or [overlay] to change a book"
        yield Place(document, (key,)).fault(f"{key}: {what}")
    if document.data.get("table") in (None, []):
        yield Place(document, ("table",)).fault(
            "this file has no table: write [[table]], or [overlay] to change a book"
        )


def _problem(item: Consequence, roles: Sequence[str], deed: Deed, known: Collection[str]) -> str | None:
    """Return what is wrong with one consequence, where these roles and deeds are known."""
    most = LARGEST_AMOUNT if deed.most is None else deed.most
    if item.do not in known:
        return f"{item.do} is for a book's own rolls{known_list(sorted(known))}"
    ways = " or ".join(f'to = "{role}"' for role in roles)
    if item.to not in roles and not (item.to is None and deed.alone):
        return f"{item.do} to {item.to or 'nobody'}: write {ways}"
    if item.amount is not None and not 0 <= item.amount <= most:
        return f"{item.do} of {item.amount}: write amount = 0 to {most}"
    return None


def _drop_declared_roles(
    fact: Placed[FactItem], seen: dict[tuple[str, str], Placed[FactItem]]
) -> Placed[FactItem] | None:
    """Return a fact without the roles for which another file declares just the same; None where none is left."""
    item, document = fact.value, fact.place.document
    roles = []
    for role in item.roles:
        before = seen.setdefault((role, item.trait), fact)
        alike = (before.value.label, before.value.secret) == (item.label, item.secret)
        if before.place.document is document or not alike:
            roles.append(role)
    return replace(fact, value=replace(item, roles=tuple(roles))) if roles else None
