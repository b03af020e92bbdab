"""Methods of rolls on tables, contests and repeated tries."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate
from operator import mul

from msgspec import Struct

from rules import errors, procedure
from rules.book import MAX_TRIES, Book, Strikes
from rules.dice import SHARED, Dice, Roll, ScriptedDice, throw
from rules.modifiers import Adjustment, Modifier, WeighedModifier
from rules.odds import count_ways, table_odds, table_spans
from rules.tables import TableRow, hold_within_caps

Conclude = Callable[[procedure.Part, Sequence[TableRow]], procedure.Conclusion]
Throws = tuple[int, int] | None
"""A range of a shared die's throws, from the lowest: first, and one after the last; None: all."""
Path = tuple[tuple[TableRow, ...], Fraction, Throws]
"""The rows of one possible course, its chance, and the throws it needs."""
PUSH = procedure.Choice("push", "Too low", ("it stays", "push once"), asked=False)
"""Whether a pool is thrown again; told with the result."""
ALSO = "also true"
"""The group of facts that can be ticked without a modifier."""


class Tickable(Struct, frozen=True):
    """Something to tick; `values` are what it adds on each table that has it."""

    id: str
    label: str
    group: str
    values: tuple[int, ...]
    one_of: str | None = None
    per: str | None = None
    note: str | None = None


class TableMethod(procedure.FrozenMethod, frozen=True):
    """Rolls table by table; outcomes may lead to the next.

    `plan` gives the first stage, by default of `tables[0]`; `shares` finds the shared die.
    """

    tables: tuple[str, ...]
    conclude: Conclude
    plan: Callable[[procedure.Part, Book], procedure.Stage] | None = None
    required_rows: tuple[tuple[str, str], ...] = ()
    manual_facts: tuple[str, ...] = ()
    decided_by_choice: frozenset[str] = frozenset()
    shares: Callable[[Book], procedure.SharedDie | None] | None = None

    def first_stage(self, part: procedure.Part, book: Book) -> procedure.Stage:
        """Return the first stage, with later ones."""
        stage = stage_of(self.tables[0], part, book) if self.plan is None else self.plan(part, book)
        stage.require_numbers()
        return stage

    def play(self, part: procedure.Part, book: Book, dice: Dice) -> procedure.MethodResult:
        """Roll on one table after the other."""
        stage: procedure.Stage | None = self.first_stage(part, book)
        steps: list[procedure.Step] = []
        shared = part.inputs.get(SHARED, {})
        while stage is not None:
            step = roll_stage(weigh_stage(stage, part, first=not steps), dice, shared.get(stage.table.id, ()))
            steps.append(step)
            stage = stage.after(step.row.outcome, step.total)
        return procedure.MethodResult(tuple(steps), self.conclude(part, [step.row for step in steps]))

    def stages(self, part: procedure.Part, book: Book) -> tuple[procedure.WeighedStage, ...]:
        """List possible stages, weighed, each set of modifiers once."""
        stages: list[procedure.WeighedStage] = []
        waiting = [self.first_stage(part, book)]
        seen: set[tuple[str, frozenset[str]]] = set()
        while waiting:
            stage = waiting.pop(0)
            key = (stage.table.id, stage.reading.without if stage.reading else frozenset())
            if key not in seen:
                stages.append(weigh_stage(stage, part, first=not stages))
            seen.add(key)
            # Breadth first, as a reader goes through the page: all second tables before any third.
            waiting.extend(stage.then.values())
        return tuple(stages)

    def odds(self, part: procedure.Part, book: Book) -> tuple[procedure.Chance, ...]:
        """List each outcome's chance, in row order."""
        shared, _ = self.find_shared_die(book) or (None, None)
        paths = _list_paths(self.first_stage(part, book), part, shared, (), {})
        conclusions: dict[str, procedure.Conclusion] = {}
        if shared is None:
            chances: dict[str, Fraction] = {}
            for rows, chance, _ in paths:
                conclusion = self.conclude(part, rows)
                conclusions[conclusion.outcome] = conclusion
                before = chances.get(conclusion.outcome)
                chances[conclusion.outcome] = chance if before is None else before + chance
            return tuple(procedure.Chance(conclusions[key], chances[key], ()) for key in conclusions)
        falls = [*book.table(shared).die.ways().values()]
        rises: dict[str, list[Fraction]] = {}
        for rows, chance, throws in paths:
            conclusion = self.conclude(part, rows)
            conclusions[conclusion.outcome] = conclusion
            # The same under many throws: added where they begin, and taken away after they end.
            rise = rises.setdefault(conclusion.outcome, [Fraction(0)] * (len(falls) + 1))
            start, stop = throws or (0, len(falls))
            rise[start] += chance
            rise[stop] -= chance
        unders = {outcome: tuple(accumulate(rise[:-1])) for outcome, rise in rises.items()}
        chances = {outcome: sum(map(mul, under, falls), Fraction(0)) / sum(falls) for outcome, under in unders.items()}
        return tuple(procedure.Chance(conclusions[key], chances[key], unders[key]) for key in conclusions)

    def find_shared_die(self, book: Book) -> procedure.SharedDie | None:
        """Return the table whose die is shared."""
        return self.shares and self.shares(book)


def stage_of(table: str, part: procedure.Part, book: Book) -> procedure.Stage:
    """Return a table's stage with its number from `values`, and what its rows roll on."""
    found = book.table(table)
    found = found.push_pool() if part.choices.get(PUSH.id) == PUSH.options[1] else found
    then = {row.outcome: stage_of(row.rolls, part, book) for row in found.rows if row.rolls}
    return procedure.Stage(found, value=part.inputs.get("values", {}).get(table), then=then)


def list_chain(table: str, leads: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Return a table and all that it leads to."""
    found = [table]
    for name in found:
        found += [other for other in dict.fromkeys(leads.get(name, ())) if other not in found]
    return tuple(found)


@cache  # so that procedures built twice are equal
def conclude_by_row(audience: procedure.Audience) -> Conclude:
    """Return a function that makes the last row a part's result, for this audience."""
    return partial(_conclude_by_row, audience)


def weigh_stage(stage: procedure.Stage, part: procedure.Part, *, first: bool) -> procedure.WeighedStage:
    """Weigh modifiers and adjustments of a stage."""
    printed = stage.table.modifier_set(stage.reading)
    if part.lacking:
        modifiers = printed.weigh_lacking(part.facts, part.lacking, part.marks)
    else:
        modifiers = printed.weigh(part.facts, part.marks)
    table = stage.table.id
    total = sum([item.modifier.value * item.count for item in modifiers if item.count])
    adjustments: tuple[Adjustment, ...] = ()
    if part.adjustments:
        adjustments = tuple([it for it in part.adjustments if it.table == table or (first and it.table is None)])
        total += sum([item.value for item in adjustments])
    within = hold_within_caps(stage.table.caps, modifiers, adjustments, total) if stage.table.caps else total
    return procedure.WeighedStage(stage, modifiers, adjustments, within, total)


def with_modifiers(weighed: procedure.WeighedStage, more: Iterable[WeighedModifier]) -> procedure.WeighedStage:
    """Add modifiers from elsewhere, such as weapons, within caps."""
    modifiers = (*weighed.modifiers, *more)
    total = weighed.uncapped + sum(item.amount for item in modifiers[len(weighed.modifiers) :])
    caps = weighed.stage.table.caps
    within = hold_within_caps(caps, modifiers, weighed.adjustments, total) if caps else total
    return procedure.WeighedStage(weighed.stage, modifiers, weighed.adjustments, within, total)


def list_tickables(modifiers: Iterable[Modifier], family: procedure.Procedure, book: Book) -> dict[str, Tickable]:
    """List what people can tick; facts come last."""
    by_id: dict[str, Tickable] = {}
    for modifier in modifiers:
        if modifier.when and modifier.id not in family.method.decided_by_choice:  # what is always so is not ticked
            before = by_id[modifier.id].values if modifier.id in by_id else ()
            shown = (modifier.id, modifier.label, modifier.group, (*before, modifier.value), modifier.one_of)
            by_id[modifier.id] = Tickable(*shown, modifier.per, modifier.note)
    for fact in family.method.manual_facts:
        by_id[fact] = Tickable(fact, book.facts[fact].label, ALSO, ())
    return by_id


def family_tickables(family: procedure.Procedure, book: Book) -> dict[str, Tickable]:
    """List what people can tick in a family."""
    lines = (line for table in family.method.tables for line in book.table(table).modifiers)
    return list_tickables(lines, family, book)


def roll_stage(weighed: procedure.WeighedStage, dice: Dice, shared: Sequence[int] = ()) -> procedure.Step:
    """Throw a stage's die, or take `shared` faces, and read the row."""
    stage, table, added = weighed.stage, weighed.stage.table, weighed.sum
    if table.pool is not None:
        table, added = table.with_added(added)
    number = stage.number if table.against else None
    if shared:
        roll = Roll(table.die, tuple(shared), SHARED)
    else:
        roll = throw(dice, table.die) if stage.table.pool or not table.die.count else dice.roll(table.die)
    total, score = table.score(roll.total, added, number)
    row, natural = table.read(roll.total, score, stage.reading)
    counted = weighed.modifiers, weighed.adjustments, weighed.sum
    return procedure.Step(stage.table, roll, *counted, total, row, natural, weighed.uncapped, number)


def _conclude_by_row(
    audience: procedure.Audience, _part: procedure.Part, rows: Sequence[TableRow]
) -> procedure.Conclusion:
    row = rows[-1]
    if len(rows) == 1 or not rows[-2].rolls:
        return procedure.Conclusion(row.outcome, row.text, row.tone, audience, row.then)
    tones = [item.tone for item in rows if item.tone != "neutral"]
    outcome, text = ">".join(item.outcome for item in rows), ": ".join(item.text for item in rows)
    then = tuple(consequence for item in rows for consequence in item.then)
    return procedure.Conclusion(outcome, text, tones[-1] if tones else "neutral", audience, then)


def _list_paths(
    stage: procedure.Stage,
    part: procedure.Part,
    shared: str | None,
    before: tuple[TableRow, ...],
    weighed: dict[tuple[str, str | None, bool], procedure.WeighedStage],
) -> Iterator[Path]:
    # What counts on a table doesn't depend on earlier dice, except on a roll's first table; what it's read against may.
    key = (stage.table.id, stage.reading.id if stage.reading else None, not before)
    if key not in weighed:
        weighed[key] = weigh_stage(stage, part, first=not before)
    for outcome, total, chance, throws in _list_falls(stage, weighed[key].sum, shared=stage.table.id == shared):
        rows = (*before, stage.table.row(outcome))
        following = stage.after(outcome, total)
        if following is None:
            yield rows, chance, throws
        else:
            for path, further, later in _list_paths(following, part, shared, rows, weighed):
                yield path, chance * further, throws or later


def _list_falls(stage: procedure.Stage, modifiers: int, *, shared: bool) -> Iterator[tuple[str, int, Fraction, Throws]]:
    (table, modifiers), certain = stage.table.with_added(modifiers), Fraction(1)
    if any(following.opposes for following in stage.then.values()):
        for place, (face, ways) in enumerate(table.die.ways().items()):
            total, score = table.score(face, modifiers, stage.number)
            chance = certain if shared else Fraction(ways, table.die.cases)
            row, _ = table.read(face, score, stage.reading)
            yield row.outcome, total, chance, (place, place + 1) if shared else None
    elif shared:
        for outcome, low, high in table_spans(table, modifiers, stage.reading, stage.number):
            yield outcome, 0, certain, (low - table.die.low, high + 1 - table.die.low)
    else:
        for outcome, chance in table_odds(table, modifiers, stage.reading, stage.number).items():
            if chance:
                yield outcome, 0, chance, None


@cache  # so that procedures built twice are equal
def contest_method(contest: str, tables: tuple[str, str], conclude: Conclude) -> TableMethod:
    """Make a contest's method; `tables` are known before the book is loaded."""
    return TableMethod(tables, conclude, partial(_first_stage, contest), shares=partial(_shares, contest))


def _first_stage(contest: str, part: procedure.Part, book: Book) -> procedure.Stage:
    declared = book.contests[contest]
    actor, resister = stage_of(declared.actor, part, book), book.table(declared.resister)
    plain = procedure.Stage(resister, opposes=True)
    then = {row.outcome: plain for row in actor.table.rows}
    for outcome, reading in declared.against.items():
        then[outcome] = procedure.Stage(resister, resister.readings[reading], opposes=True)
    return procedure.Stage(actor.table, then=then, value=actor.value)


def _shares(contest: str, book: Book) -> procedure.SharedDie | None:
    declared = book.contests[contest]
    if declared.each is None:
        return None
    return (declared.actor, "actor") if declared.each == "actor" else (declared.resister, "subject")


class StrikesMethod(procedure.FrozenMethod, frozen=True):
    """Tries until enough hit; a table reads the hits.

    Inputs may set `tries` and `values`; `tables` are known before the book is loaded.
    """

    strikes: str
    tables: tuple[str, ...]
    conclude: Conclude

    def play(self, part: procedure.Part, book: Book, dice: Dice) -> procedure.MethodResult:
        """Try until enough tries hit or none are left, then read the hits on the tally."""
        declared, stages = book.strikes[self.strikes], self.stages(part, book)
        steps: list[procedure.Step] = []
        hits = 0
        for _ in range(_tries(declared, part)):
            if hits == declared.until:
                break
            hits += _try(declared, stages, dice, steps)
        tally = _tally(declared, part, book, hits)
        return procedure.MethodResult((*steps, tally), self.conclude(part, [tally.row]), {"hits": hits})

    def check(self, part: procedure.Part, book: Book) -> None:
        """Refuse missing tries or numbers."""
        _tries(book.strikes[self.strikes], part)
        self.stages(part, book)

    def stages(self, part: procedure.Part, book: Book) -> tuple[procedure.WeighedStage, ...]:
        """List the tables of one try, weighed."""
        stages = [stage_of(table, part, book) for table in book.strikes[self.strikes].rolls]
        for stage in stages:
            stage.require_numbers()
        return tuple(weigh_stage(stage, part, first=not place) for place, stage in enumerate(stages))

    def odds(self, part: procedure.Part, book: Book) -> tuple[procedure.Chance, ...]:
        """List chances, fewest hits first."""
        declared, tries = book.strikes[self.strikes], _tries(book.strikes[self.strikes], part)
        hit = Fraction(1)
        for weighed in self.stages(part, book):
            odds = table_odds(weighed.stage.table, weighed.sum, weighed.stage.reading, weighed.stage.number)
            hit *= sum((chance for outcome, chance in odds.items() if outcome in declared.hits), Fraction(0))
        counts, most = count_ways([hit.numerator] * tries, hit.denominator), min(declared.until or tries, tries)
        chances: dict[str, procedure.Chance] = {}
        for hits, ways in enumerate((*counts[:most], sum(counts[most:]))):
            conclusion = self.conclude(part, [_tally(declared, part, book, hits).row])
            before = chances[conclusion.outcome].chance if conclusion.outcome in chances else Fraction(0)
            if ways:
                chance = before + Fraction(ways, hit.denominator**tries)
                chances[conclusion.outcome] = procedure.Chance(conclusion, chance)
        return tuple(chances.values())


def _tries(declared: Strikes, part: procedure.Part) -> int:
    tries = part.inputs.get("tries", declared.tries)
    if tries is None or not 1 <= tries <= MAX_TRIES:
        raise errors.RollError(f"{declared.title} takes 1 to {MAX_TRIES} tries, not {tries or 'none'}.")
    return int(tries)


def _try(declared: Strikes, stages: Sequence[procedure.WeighedStage], dice: Dice, steps: list[procedure.Step]) -> bool:
    for weighed in stages:
        steps.append(roll_stage(weighed, dice))
        if steps[-1].row.outcome not in declared.hits:
            return False
    return True


def _tally(declared: Strikes, part: procedure.Part, book: Book, hits: int) -> procedure.Step:
    tally = procedure.Stage(book.table(declared.tally), value=hits)
    return roll_stage(weigh_stage(tally, part, first=not declared.rolls), ScriptedDice(()))
