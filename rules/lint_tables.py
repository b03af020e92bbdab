"""Faults within a table: gaps, overlaps and unknown names."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from msgspec.structs import replace

from rules import documents, modifiers, phrases
from rules.book import Trait
from rules.dice import TablePool
from rules.errors import Fault
from rules.items import Items, ItemT, PlacedItem, TableDraft
from rules.tables import ADJUSTED, RollTable, TableRow

_PlacedRow = tuple[TableRow, documents.Place]
_ENDLESS = 10**9
MAX_POOL_SIDES = 20
"""Of a pool's die: its odds are counted face by face."""


def lint_table(table: TableDraft, facts: Collection[str] | None) -> Iterator[Fault]:
    """Yield a table's faults; `facts` is None if unknown."""
    lists: list[Items[Any]] = [table.rows, table.naturals, table.numbers, table.letters, table.modifiers]
    for items in lists:
        yield from find_twice([replace(item, place=table.where(item.place)) for item in items.items])
    if table.rows.whole:
        yield from _check_coverage(table)
        yield from _check_outcomes(table)
    yield from _check_die(table)
    yield from _check_events(table)
    if table.modifiers.whole:
        yield from _check_groups(table)
        yield from _check_caps(table)
        yield from find_lone_alternatives((item, table.where(place)) for item, place in table.modifiers.with_places())
    if facts is not None:
        yield from _find_undeclared_facts(table, facts)


def find_twice(items: Sequence[PlacedItem[ItemT]]) -> Iterator[Fault]:
    """Yield a fault for each item with the name of an earlier one."""
    for item in items[:1]:
        yield from find_duplicates(item.value.noun, item.value.key, ((each.name, each.place) for each in items))


def find_duplicates(kind: str, key: str, named: Iterable[tuple[str, documents.Place]]) -> Iterator[Fault]:
    """Yield a fault for each (name, place) that repeats a name; `kind` and `key` are words for it."""
    first: dict[str, documents.Place] = {}
    for name, place in named:
        if name in first:
            before = first[name]
            there = f"{before.document.name}:{before.line}"
            where = f"line {before.line}" if before.document is place.document else there
            yield place.fault(f"{kind} {name}: duplicate {key}, already at {where}: give one of them another {key}")
        first.setdefault(name, place)


def _check_coverage(table: TableDraft) -> Iterator[Fault]:
    if not table.rows.items:
        if table.head:
            yield table.where().fault(f"table {table.id}: no rows: write at least one, with an outcome and a text")
        return
    # A slip is reported once and mended here, so that it doesn't also show as gap or overlap.
    meant = [*table.rows.with_places()]
    for index, end in _row_slips([*table.rows]):
        row, place = meant[index]
        if len(end) > 1:
            what = f"never reached, since {row.min} is above {row.max}"
        else:
            what = f"it has no {next(iter(end))}, so it overlaps other rows"
        mend = ", ".join(f"{key} = {value}" for key, value in end.items())
        yield table.where(place).fault(f"row {row.outcome}: {what}: write {mend}")
        meant[index] = replace(row, **end), place
    rows = sorted(meant, key=lambda item: (_low(item[0]), _high(item[0])))
    yield from _check_ends(table, rows[0], max(rows, key=_top))
    yield from _check_seams(table, rows)


def _row_slips(rows: Sequence[TableRow]) -> Iterator[tuple[int, dict[str, int]]]:
    for place, row in enumerate(rows):
        if row.min is not None and row.max is not None and row.min > row.max:
            yield place, {"min": row.max, "max": row.min}
    for place, (row, following) in enumerate(pairwise(rows)):
        if row.max is None and following.min is not None and _low(row) < following.min:
            yield place, {"max": following.min - 1}
        if following.min is None and row.max is not None and row.max < _high(following):
            yield place + 1, {"min": row.max + 1}


def _check_ends(table: TableDraft, lowest: _PlacedRow, highest: _PlacedRow) -> Iterator[Fault]:
    row, place = lowest
    if row.min is not None:
        what = f"no row covers {row.min - 1} or less: leave out min = {row.min} here"
        yield table.where(place).fault(f"row {row.outcome}: {what}")
    row, place = highest
    if row.max is not None:
        what = f"no row covers {row.max + 1} or more: leave out max = {row.max} here"
        yield table.where(place).fault(f"row {row.outcome}: {what}")


def _check_seams(table: TableDraft, rows: list[_PlacedRow]) -> Iterator[Fault]:
    under = rows[0]
    for over in rows[1:]:
        (below, _), (row, place) = under, over
        if _low(row) <= _high(below):
            yield _overlap(table, under, over)
        elif _low(row) > _high(below) + 1:
            gap = _span(_high(below) + 1, _low(row) - 1)
            mend = f"end row {below.outcome} at {_low(row) - 1} or begin this one at {_high(below) + 1}"
            yield table.where(place).fault(f"row {row.outcome}: a gap before it, no row covers {gap}: {mend}")
        under = max(under, over, key=_top)


def _overlap(table: TableDraft, under: _PlacedRow, over: _PlacedRow) -> Fault:
    written = [item.place for item in table.rows.items]
    (below, _), (row, _) = under, over
    # `RollTable.read` takes the first row with a total, so the later one loses shared totals.
    (first, _), (later, place) = sorted((under, over), key=lambda item: written.index(item[1]))
    if _low(first) <= _low(later) and _high(later) <= _high(first):
        what = f"never reached, since row {first.outcome} covers all of {_span(_low(later), _high(later))}: make room there"
        return table.where(place).fault(f"row {later.outcome}: {what}")
    shared = _span(max(_low(below), _low(row)), min(_high(below), _high(row)))
    mends = []
    if _low(below) < _low(row):
        mends.append(f"end row {below.outcome} at {_low(row) - 1}")
    if _high(below) < _high(row):
        mends.append(f"begin row {row.outcome} at {_high(below) + 1}")
    other = first.outcome
    what = f"an overlap, row {other} also covers {shared}: {' or '.join(mends)}"
    return table.where(place).fault(f"row {later.outcome}: {what}")


def _check_outcomes(table: TableDraft) -> Iterator[Fault]:
    known = [row.outcome for row in table.rows]
    for natural, place in table.naturals.with_places():
        yield from table.where(place).unknown(f"natural {natural.face}: unknown outcome", natural.outcome, known)
    for reading, place in table.readings.with_places():
        for outcome in chain(reading.rows, reading.rows.values()):
            yield from table.where(place, "rows").unknown(f"reading {reading.id}: unknown outcome", outcome, known)


def _check_die(table: TableDraft) -> Iterator[Fault]:
    if table.head is None:
        return
    die = table.head.die
    for natural, place in table.naturals.with_places():
        if not die.low <= natural.face <= die.high:
            what = f"{die} does not show {natural.face}: write a face from {die.low} to {die.high}"
            yield table.where(place).fault(f"natural {natural.face}: {what}")
    if table.head.pool is not None:
        yield from _check_pool(table, table.head, table.head.pool)
    outcomes = [row.outcome for row in table.rows]
    for outcome in (*table.head.doubles, *table.head.doubles.values()) if table.rows.whole else ():
        yield from table.where(None, "doubles").unknown("doubles: unknown outcome", outcome, outcomes)
    if table.head.doubles and (die.count, die.sides, table.head.pool) != (1, 100, None):
        yield table.where(None, "doubles").fault(f"table {table.id}: only a d100 has doubles: write die = 100")
    number = table.head.against is not None and table.head.against.reads == "number"
    if number and die.count:
        what = f"it reads a number, and throws {die}: write die = 0"
        yield table.where(None, "die").fault(f"table {table.id}: {what}")
    if not number and not die.count:
        what = 'it has no die, and no number to read: write a die, or against = { reads = "number", line = 1 }'
        yield table.where(None, "die").fault(f"table {table.id}: {what}")


def _check_pool(table: TableDraft, head: RollTable, pool: TablePool) -> Iterator[Fault]:
    die, against, at = head.die, head.against, table.where(None, "pool")
    if die.count != 1 or die.sides > MAX_POOL_SIDES:
        what = f"a pool throws one die several times: write die = 6, or another up to {MAX_POOL_SIDES}"
        yield table.where(None, "die").fault(f"table {table.id}: {what}")
        return
    if against is not None and against.reads != "reach":
        yield at.fault(f'table {table.id}: a pool is read alone, or against a number with reads = "reach"')
    if table.naturals.items:
        yield at.fault(f"table {table.id}: a face of a pool decides nothing alone: leave naturals out")
    counts, high = pool.reads == "count", pool.reads == "highest"
    if counts and pool.target is None:
        yield at.fault(f"table {table.id}: a pool that counts needs a target: write for example target = {die.sides}")
    for name, given, fits in (
        ("target", pool.target, counts),
        ("twice", pool.twice, counts),
        ("ones", pool.ones, counts),
        ("pair", pool.pair, high),
        ("zero", pool.zero, not counts),
    ):
        if given and not fits:
            yield at.fault(f"table {table.id}: {name} is for pools that read another way: leave it out")
    if pool.target and pool.twice and pool.twice < pool.target:
        yield at.fault(f"table {table.id}: twice is below target: write twice = {pool.target} or more")
    faces = [face for face in (pool.target, pool.twice, *(pool.push.keep if pool.push else ())) if face is not None]
    for face in faces:
        if face > die.sides:
            yield at.fault(f"table {table.id}: {die} doesn't show {face}: write a face from 1 to {die.sides}")


def _check_caps(table: TableDraft) -> Iterator[Fault]:
    known = {ADJUSTED, *(modifier.group for modifier in table.modifiers)}
    caps = [(cap, table.where(None, "caps", place)) for place, cap in enumerate(table.head.caps if table.head else ())]
    for modifier, place in table.modifiers.with_places() if caps else ():
        if modifier.group == ADJUSTED:
            what = f"group {ADJUSTED} is what game masters add by hand: name it otherwise"
            yield table.where(place, "group").fault(f"modifier {modifier.id}: {what}")
    yield from find_duplicates("cap", "group", ((cap.group or "of all", place) for cap, place in caps))
    for cap, place in caps:
        name = f"cap {cap.group}" if cap.group else "cap"
        if cap.group is not None:
            yield from place.unknown(f"{name}: unknown group", cap.group, known)
        if cap.low is None and cap.high is None:
            yield place.fault(f"{name}: it limits nothing: write low, high or both")
        if cap.low is not None and cap.high is not None and cap.low > cap.high:
            yield place.fault(f"{name}: {cap.low} is above {cap.high}: write low = {cap.high}, high = {cap.low}")


def _check_groups(table: TableDraft) -> Iterator[Fault]:
    known = {modifier.group for modifier in table.modifiers}
    for reading, place in table.readings.with_places():
        for group in reading.without:
            yield from table.where(place, "without").unknown(f"reading {reading.id}: unknown group", group, known)


def find_lone_alternatives(items: Iterable[tuple[modifiers.Modifier | Trait, documents.Place]]) -> Iterator[Fault]:
    """Yield items whose `one_of` has no other member."""
    every = [*items]
    sizes = Counter(item.one_of for item, _ in every if item.one_of)
    for item, place in every:
        if item.one_of and sizes[item.one_of] == 1:
            hint = phrases.suggestion(item.one_of, sizes.keys() - {item.one_of})
            mend = hint or ": leave it out, or give it to the alternatives too"
            yield place.fault(f"{item.noun} {item.id}: one-of {item.one_of} has no other member{mend}")


def _find_undeclared_facts(table: TableDraft, known: Collection[str]) -> Iterator[Fault]:
    for item in table.modifiers.items:
        for fact in dict.fromkeys(modifiers.list_mentioned_facts(item.value.when)):
            if fact not in known:
                mend = phrases.suggestion(fact, known) or ": declare it under facts, with trait, label and roles"
                own = "" if "when" in item.written else " (without when, a modifier uses the fact with its own id)"
                yield table.where(item.place).fault(f"modifier {item.name}: undeclared fact {fact}{mend}{own}")


def _check_events(table: TableDraft) -> Iterator[Fault]:
    letters = [letter.id for letter in table.letters]
    events = [(row, row.event, place) for row, place in table.rows.with_places() if row.event]
    for modifier in table.modifiers.items[:1] if events else ():
        what = f"modifier {modifier.name}: nothing adds to a roll for an event: leave it out"
        yield table.where(modifier.place).fault(what)
    for row, event, place in events:
        if event.letter and event.letter not in letters and table.letters.whole:
            what = f"undeclared letter {event.letter}: declare it under letters, with tag and line"
            yield table.where(place).fault(f"row {row.outcome}: {what}")
        if event.parts and event.changes:
            what = "changes next to parts: write them in the part they belong to"
            yield table.where(place).fault(f"row {row.outcome}: {what}")


def _low(row: TableRow) -> int:
    return -_ENDLESS if row.min is None else row.min


def _high(row: TableRow) -> int:
    return _ENDLESS if row.max is None else row.max


def _top(item: _PlacedRow) -> int:
    return _high(item[0])


def _span(low: int, high: int) -> str:
    return phrases.span(None if low == -_ENDLESS else low, None if high == _ENDLESS else high)
