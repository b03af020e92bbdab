"""House rules: what files bring to the book `house`, or to one that they change."""

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from rules import items, phrases, ruleset, stages
from rules.book import HOUSE, HOUSE_TITLE, Act
from rules.documents import LONGEST_TEXT, Bounds, Document, Faults, Place, fill_defaults
from rules.draft import (
    KEPT_LISTS,
    BookDraft,
    BookFile,
    FactItem,
    GameItem,
    add_lists,
    gather_draft,
    parse,
)
from rules.errors import BookError, Fault
from rules.kinds import LARGEST
from rules.modifiers import Modifier
from rules.overlay import find_extended_book
from rules.procedure import Conclusion, FrozenMethod, Part, Policy, Procedure
from rules.tables import Consequence, ConsequenceKind, RollTable, TableAudience, TableRow

LONGEST: Mapping[str, int] = {"id": 50, "outcome": 50, "trait": 40, "group": 40, "one-of": 40, "per": 30, "title": 80}
LONGEST = {**LONGEST, "label": 80, "roles": 40, "when": 81, "text": LONGEST_TEXT, "note": 200, "cause": 80}
MOST: Mapping[str, int] = {"table": 20, "change": 40, "rows": 100, "modifiers": 100, "facts": 100, "roles": 20}
BOUNDS = Bounds(longest=LONGEST, most=MOST)
HIGHEST = 400
"""The highest total of several dice: odds are counted sum by sum."""
MAX_SELECTS, MAX_OPTIONS, MAX_COUNTS = 12, 25, 5
"""What a roll card has room for: lists to pick from, options in each, and modifiers with a count."""
_OF_BOOKS = frozenset(BookFile.__struct_fields__) - {"table", "facts", "game"}
"""Sections of a whole book that a file of tables can't have."""
_HEAD = f'[book]\nid = "{HOUSE}"\ntitle = "{HOUSE_TITLE}"\nsource = "The campaign itself"'


def read_house_file(name: str, data: bytes) -> Document:
    """Read a sent file; raise BookError with all faults."""
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
    """Check whether a file brings a game, or tables outside a book."""
    return is_game(document) or ("table" in document.data and _OF_BOOKS.isdisjoint(document.data))


def is_game(document: Document) -> bool:
    """Check whether a file is a whole game."""
    return "game" in document.data and "overlay" not in document.data


def find_book(document: Document) -> str:
    """Return the id of the book a file belongs to."""
    faults: list[Fault] = []
    book = find_extended_book(document, faults) if "overlay" in document.data else HOUSE
    if book is None:
        raise BookError(faults)
    return book


def draft_own_tables(documents: Sequence[Document], faults: list[Fault]) -> BookDraft:
    """Draft the book `house`, with the title of a game; repeated facts count once."""
    for document in documents:
        fill_defaults(document)
    draft = gather_draft([Document(HOUSE, _HEAD, tomllib.loads(_HEAD)), *documents], faults)
    games = [*filter(is_game, documents)]
    for document in games:
        _apply_game(draft, document, faults)
    for document in games[1:]:
        what = f"{games[0].name} is this campaign's game already: leave [game] out, or remove that file first"
        faults.append(Place(document, ("game",)).fault(what))
    seen: dict[tuple[str, str], items.PlacedItem[FactItem]] = {}
    # Files are written and switched on one by one, so each declares what it uses, also what another declares. A game names its own.
    declared = [fact for first in (True, False) for fact in draft.facts.items if is_game(fact.place.document) is first]
    facts = [kept for fact in declared if (kept := _drop_declared_roles(fact, seen)) is not None]
    draft.facts = replace(draft.facts, items=tuple(facts))
    return draft


def _apply_game(draft: BookDraft, document: Document, faults: list[Fault]) -> None:
    place, raw = Place(document, ("game",)), document.data["game"]
    game = items.read(GameItem, raw, place, faults)
    draft.facts += items.Items(whole=game is not None)
    if game is not None:
        (head,) = draft.heads
        if game.value.title == HOUSE_TITLE:
            faults.append(
                place.at("title").fault(f"{HOUSE_TITLE} is what all own tables are called: write the game's name")
            )
        about = replace(head.value, title=game.value.title, source=game.value.source or game.value.title)
        draft.heads = [replace(head, value=about)]
    add_lists(draft, ("facts", "conditions", *KEPT_LISTS), raw if isinstance(raw, dict) else {}, place, faults)


def expand_upkeep(draft: BookDraft) -> None:
    """Add the act, deed and fact of upkeep that changes a number."""
    labels = {item.id: item.label for item in draft.fields}
    for item, place in draft.upkeep.with_places():
        if (number := item.adds or item.takes) is None:
            continue
        deed = f"upkeep.{item.id}"
        label, amount = labels.get(number, number), item.by or item.times
        done = ConsequenceKind(
            deed,
            f"{{to}} {'gains' if item.adds else 'loses'} {{amount}} {label}",
            item.line,
            adds=item.adds,
            takes=item.takes,
            amount=amount,
            times=item.times if item.by else 1,
        )
        told = f"{{{ruleset.ROLLER}}}: {item.title.replace('{', '{{').replace('}', '}}')}"
        act = Act(item.id, item.title, told, item.title, item.line, actor=ruleset.ROLLER, subject=ruleset.TARGET)
        act = replace(act, then=(Consequence(deed, ruleset.ROLLER),))
        draft.deeds += items.Items((items.PlacedItem(done, place, frozenset()),))
        draft.acts += items.Items((items.PlacedItem(act, place, frozenset()),))
        if item.by and f"{ruleset.ROLLER}.{item.by}" not in draft.fact_ids():
            fact = FactItem(item.by, labels.get(item.by, item.by), (ruleset.ROLLER,))
            draft.facts += items.Items((items.PlacedItem(fact, place, frozenset()),))


def list_leads(draft: BookDraft, tables: Iterable[items.TableDraft]) -> dict[str, list[str]]:
    """Return the separate tables of these, with those that their rows roll on.

    Left out are tables of a contest or strikes that lack a number, or are in a game.
    """
    inner, skies, every = _list_inner(draft), {zone.table for zone in draft.zones}, [*tables]
    names = {
        table.id
        for table in every
        if table.id not in skies
        and (table.id not in inner or not (is_game(table.place.document) or lacks_number(table)))
    }
    return {table.id: [row.rolls for row in table.rows if row.rolls in names] for table in every if table.id in names}


def list_procedures(draft: BookDraft, leads: Mapping[str, Sequence[str]]) -> Iterator[Procedure]:
    """Make the procedures of separate tables, and of a game's contests and strikes that no act rolls."""
    heads = {table.id: table.head for table in draft.tables if table.head}
    for table in leads:
        chain = [heads[name] for name in stages.list_chain(table, leads) if name in heads]
        if table in heads:
            method = stages.TableMethod(tuple(item.id for item in chain), _conclude_on(chain))
            made = _make_procedure(table, chain[0].title, method, "{roller} rolls for {target}")
            pushes = any(item.pool and item.pool.push for item in chain)
            yield replace(made, choices=(stages.PUSH,)) if pushes else made
    rolled = {act.rolls for act in draft.acts}
    for contest, place in draft.contests.with_places():
        if is_game(place.document) and contest.id not in rolled:
            both = (contest.actor, contest.resister)
            duel = stages.contest_method(contest.id, both, _conclude_on(heads[it] for it in both if it in heads))
            what = contest.title.replace("{", "{{").replace("}", "}}")
            headline, alone = f"{what}: {{roller}} against {{target}}", f"{what}: {{roller}}"
            made = _make_procedure(contest.id, contest.title, duel, headline, alone)
            pool = contest.actor in heads and heads[contest.actor].pool
            yield replace(made, choices=(stages.PUSH,)) if pool and pool.push else made
    for strikes, place in draft.strikes.with_places():
        if is_game(place.document) and strikes.id not in rolled:
            tables = (*strikes.rolls, strikes.tally)
            conclude = _conclude_on(heads[it] for it in tables if it in heads)
            tries = stages.StrikesMethod(strikes.id, tables, conclude)
            yield _make_procedure(strikes.id, strikes.title, tries, "{roller} rolls for {target}")


def _conclude_on(tables: Iterable[RollTable]) -> stages.Conclude:
    audience: TableAudience = "staff" if any(table.audience == "staff" for table in tables) else "results"
    return partial(_conclude_for_named, stages.conclude_by_row(audience))


def _make_procedure(
    family: str, title: str, method: FrozenMethod, headline: str, alone: str = "{roller} rolls"
) -> Procedure:
    policy = Policy(again="never")
    return Procedure(family, title, ruleset.ROLLER, ruleset.TARGET, headline, method, alone, policy=policy)


def _conclude_for_named(by_row: stages.Conclude, part: Part, rows: Sequence[TableRow]) -> Conclusion:
    found = by_row(part, rows)
    done = tuple(item for item in found.consequences if item.to is None or item.to in part.subjects)
    return replace(found, consequences=done)


def _list_inner(draft: BookDraft) -> set[str]:
    read = {name for item in draft.contests for name in (item.actor, item.resister)}
    return read | {name for item in draft.strikes for name in (*item.rolls, item.tally)}


def lacks_number(table: items.TableDraft) -> bool:
    """Check whether a table is read against a number that it doesn't have."""
    return bool(table.head and table.head.against and table.head.against.value is None)


def find_table_faults(
    draft: BookDraft, tables: Iterable[items.TableDraft], others: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield faults of own tables: too large dice, ids taken by `others`, parts only books can have."""
    inner = _list_inner(draft)
    for table in tables:
        die = table.head.die if table.head else None
        if die is not None and die.count > 1 and die.high > HIGHEST:
            what = f"{die} goes up to {die.high}, and the limit is {HIGHEST}: write fewer or smaller dice"
            yield table.place.at("die").fault(f"table {table.id}: {what}")
        if table.id in others:
            yield table.place.at("id").fault(f"table {table.id}: {others[table.id]} has that name: give it another id")
        if lacks_number(table) and table.id not in inner:
            what = "it has no number to read: write value = 50, or leave against out"
            yield table.place.at("against").fault(f"table {table.id}: {what}")
        if table.letters.items:
            yield table.place.at("letters").fault(f"table {table.id}: letters are for random events: leave them out")
        for row, place in table.rows.with_places():
            if row.event is not None:
                yield table.where(place).fault(f"row {row.outcome}: event is for tables of random events: leave it out")


def find_consequence_faults(
    draft: BookDraft, printed: BookDraft, procedures: Collection[Procedure], documents: Collection[Document]
) -> Iterator[Fault]:
    """Yield roles, deeds or amounts that rows and acts in these files can't have."""
    deeds = draft.deeds_by_id()
    native = {table.id: {item.do for row in table.rows for item in row.then} for table in printed.tables}
    for table in draft.tables:
        rolls = [item for item in procedures if table.id in item.method.tables]
        roles = [role for role in dict.fromkeys(role for item in rolls for role in (item.actor, item.subject)) if role]
        if not rolls and is_game(table.place.document):  # an act rolls its contest or strikes
            roles = [ruleset.ROLLER, ruleset.TARGET]
        # An overlay may repeat what the printed table does, such as a row that it only moves.
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(table.id, ())}
        # A table that no roll knows has no roles to hold its rows against.
        for row, place in table.rows.with_places() if roles else ():
            done = row.then if place.document in documents else ()
            problems = (_problem(item, roles, deeds[item.do], known) for item in done if item.do in deeds)
            for what in filter(None, problems):
                yield place.fault(f"row {row.outcome}: {what}")
    native = {act.id: {item.do for item in act.then} for act in printed.acts}
    for act, place in ((act, place) for act, place in draft.acts.with_places() if place.document in documents):
        known = {name: deed for name, deed in deeds.items() if deed.house or name in native.get(act.id, ())}
        roles = [act.actor, act.subject]
        # `rules.lint` reports other roles.
        sets = (item for item in act.then if item.do in deeds and item.to in {None, *roles})
        problems = (_problem(item, roles, deeds[item.do], known) for item in sets)
        yield from (place.fault(f"act {act.id}: {what}") for what in problems if what)


def find_card_faults(draft: BookDraft, procedures: Iterable[Procedure], files: Collection[Document]) -> Iterator[Fault]:
    """Yield rolls that these files make too large for a roll card."""
    tables = {table.id: table for table in draft.tables}
    for item in procedures:
        of_roll = [tables[table] for table in item.method.tables if table in tables]
        # Of an id on several tables the first table's line counts, so they're reversed.
        every = {modifier.id: modifier for table in reversed(of_roll) for modifier in table.modifiers}
        tickable = [modifier for name, modifier in every.items() if name not in item.method.decided_by_choice]
        # One fault for a roll: the first of its tables that these files have touched is the one to mend.
        for place in (place for table in of_roll if (place := table.changed or table.place).document in files):
            yield from (place.fault(f"the {item.family} roll {what}") for what in _card_problems(item, tickable))
            break


def find_chain_faults(
    draft: BookDraft, leads: Mapping[str, Collection[str]], documents: Collection[Document]
) -> Iterator[Fault]:
    """Yield rows that can't roll on. `leads` are own tables."""
    read = _list_inner(draft)
    for table in draft.tables:
        for row, place in table.rows.with_places():
            if row.rolls and place.document in documents and (table.id not in leads or table.id in read):
                what = f"row {row.outcome}: only rows of a separate table can roll on: leave rolls out"
                yield place.at("rolls").fault(what)
            elif row.rolls in draft.table_ids() and row.rolls not in leads:
                what = f"row {row.outcome}: {row.rolls} is a table of the book: roll on a separate one"
                yield place.at("rolls").fault(what)


def _card_problems(item: Procedure, modifiers: Sequence[Modifier]) -> Iterator[str]:
    groups = Counter(modifier.group for modifier in modifiers)
    fixed = len(item.choices) + bool(item.method.manual_facts)
    selects = sum(-(-size // MAX_OPTIONS) for size in groups.values()) + fixed
    if selects > MAX_SELECTS:
        yield f"needs {selects} lists, and its card has room for {MAX_SELECTS}: use fewer groups"
    counted = sum(modifier.per is not None for modifier in modifiers)
    if counted > MAX_COUNTS:
        yield f"has {counted} modifiers with per, and its card room for {MAX_COUNTS}: leave some out"


def _section_faults(document: Document) -> Iterator[Fault]:
    if is_game(document) and "book" in document.data:
        yield Place(document, ("book",)).fault("book: [game] says what the book is: leave [book] out")
    if "overlay" in document.data or is_game(document):
        return
    for key in _OF_BOOKS & document.data.keys():
        what = "only a whole game has that: write [game] with a title above it, or [overlay] to change a book"
        yield Place(document, (key,)).fault(f"{key}: {what}")
    if document.data.get("table") in (None, []):
        what = "this file has no table: write [[table]], [game] for a whole game, or [overlay] to change a book"
        yield Place(document, ("table",)).fault(what)


def _problem(item: Consequence, roles: Sequence[str], deed: ConsequenceKind, known: Collection[str]) -> str | None:
    most = LARGEST if deed.most is None else deed.most
    if item.do not in known:
        return f"{item.do} is for a book's own rolls{phrases.list_known(sorted(known))}"
    ways = " or ".join(f'to = "{role}"' for role in roles)
    if item.to not in roles and not (item.to is None and deed.alone):
        return f"{item.do} to {item.to or 'nobody'}: write {ways}"
    if item.amount is not None and not 0 <= item.amount <= most:
        return f"{item.do} of {item.amount}: write amount = 0 to {most}"
    return None


def _drop_declared_roles(
    fact: items.PlacedItem[FactItem], seen: dict[tuple[str, str], items.PlacedItem[FactItem]]
) -> items.PlacedItem[FactItem] | None:
    item, document = fact.value, fact.place.document
    roles = []
    for role in item.roles:
        before = seen.setdefault((role, item.trait), fact)
        alike = (before.value.label, before.value.secret) == (item.label, item.secret)
        alike = alike or is_game(before.place.document)
        if before.place.document is document or not alike:
            roles.append(role)
    return replace(fact, value=replace(item, roles=tuple(roles))) if roles else None
