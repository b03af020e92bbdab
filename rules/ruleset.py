"""A rule book with procedures, and how a roll is resolved."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from msgspec import Struct, field
from msgspec.structs import replace

from rules import effects, errors
from rules.book import Book, Zone
from rules.climate import Climate
from rules.dice import SHARED, Dice, DiceTerm
from rules.modifiers import BY_HAND, TICKED, Facts, JsonObject, KnownFact, Modifier, ModifierSet, OverruledFact
from rules.procedure import (
    Part,
    PartResult,
    Procedure,
    Request,
    Resolution,
    apply_as_declared,
    set_amounts,
    with_changes,
)
from rules.tables import ConsequenceKind, ConsequenceRule, Event, RollTable, TableRow


class RuleSet(Book, frozen=True, dict=True):
    """A book with a procedure for each family."""

    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @cached_property
    def settles(self) -> dict[str, ConsequenceRule]:
        """Functions that carry out deeds otherwise than declared, by deed."""
        return {deed: rule for item in self.procedures.values() for deed, rule in item.settles.items()}

    def rule(self, deed: str) -> ConsequenceRule | None:
        """Return the function that yields a deed's changes; None if it changes nothing."""
        declared = self.deeds[deed]
        if deed in self.settles:
            return self.settles[deed]
        if declared.counts is not None:
            return partial(apply_as_declared, number=self.fields.get(declared.counts))
        return apply_as_declared if declared.effect is not None or declared.ends else None

    @cached_property
    def manual_modifiers(self) -> dict[str, ModifierSet]:
        """Tickable modifiers by family, each once."""
        return {family: ModifierSet(self._tickable(procedure)) for family, procedure in self.procedures.items()}

    def procedure(self, family: str) -> Procedure:
        """Return a family's procedure; raise UnknownFamily."""
        try:
            return self.procedures[family]
        except KeyError:
            raise errors.UnknownFamily(family, self.procedures) from None

    def _tickable(self, procedure: Procedure) -> tuple[Modifier, ...]:
        every: dict[str, Modifier] = {}
        method = procedure.method
        for modifier in (modifier for table in method.tables for modifier in self.table(table).modifiers):
            # Of one id on two tables, the line that is an alternative is the stricter.
            if modifier.id not in every or every[modifier.id].one_of is None:
                every[modifier.id] = modifier
        return tuple(modifier for modifier in every.values() if modifier.id not in method.decided_by_choice)


def prepare_part(part: Part, procedure: Procedure, rules: RuleSet) -> Part:
    """Check a part's choices and ticks, and return it with the facts they make."""
    for choice in procedure.choices:
        if part.choices.get(choice.id, choice.options[0]) not in choice.options:
            raise errors.UnknownOption(part.choices[choice.id], choice.options)
    modifiers = rules.manual_modifiers[procedure.family]
    manual_facts = procedure.method.manual_facts
    for mark in [mark for mark in part.marks if mark not in modifiers.by_id]:
        if mark not in manual_facts:
            raise errors.UnknownModifier(mark, (*modifiers.by_id, *manual_facts))
    modifiers.check(part.marks)
    if part.marks:
        facts = dict(part.facts)
        for mark, count in part.marks.items():
            # Unticking wins over a saved fact; ticking leaves a saved fact its origin and count.
            if not count:
                facts.pop(mark, None)
            elif mark in rules.facts:
                facts.setdefault(mark, TICKED if count == 1 else KnownFact(count, BY_HAND))
        part = replace(part, facts=facts)
    return procedure.prepare(part)


def find_overruled(facts: Facts, marks: Mapping[str, int], roll: Procedure, rules: RuleSet) -> Iterator[OverruledFact]:
    """Yield facts that ticks took away, reduced or replaced."""
    modifiers = rules.manual_modifiers[roll.family]
    outdone = {modifiers.by_id[mark].one_of for mark, count in marks.items() if count and mark in modifiers.by_id}
    for item in modifiers.weigh(facts, {}) if marks else ():
        rival = item.modifier.one_of is not None and item.modifier.one_of in outdone
        if item.count > marks.get(item.modifier.id, 0 if rival else item.count):
            yield OverruledFact(item.modifier.label, item.secret, unticked=item.modifier.id in marks)
    for mark in roll.method.manual_facts:
        if mark in facts and mark not in modifiers.places and marks.get(mark) == 0:
            yield OverruledFact(rules.facts[mark].label, facts[mark].secret or rules.facts[mark].secret, unticked=True)


def blind_unticks(
    facts: Facts, unseen: Collection[str], marks: Mapping[str, int], procedure: Procedure, rules: RuleSet
) -> set[str]:
    """Return the unticked marks whose facts the person can't see (`unseen`)."""
    zero = {mark for mark, count in marks.items() if not count}
    modifiers, seen = rules.manual_modifiers[procedure.family], {key: facts[key] for key in facts if key not in unseen}
    counted = [{item.modifier.id for item in modifiers.weigh(some, {}) if item.count} for some in (facts, seen)]
    return zero & (counted[0] - counted[1] | {*unseen})


def resolve(request: Request, rules: RuleSet, dice: Dice | Sequence[Dice], asked: Sequence[Part] = ()) -> Resolution:
    """Roll every part until a conclusion stops it.

    `dice` are for all parts or one each. `asked` is what the requester knows: it decides refusals, since they're
    answers.
    """
    procedure = rules.procedure(request.family)
    # All parts are checked before the first die: a roll that is refused halfway would have shown dice.
    parts = [prepare_part(part, procedure, rules) for part in request.parts]
    for part in asked or parts:
        procedure.method.check(part, rules)
    shared = procedure.method.find_shared_die(rules)
    results: list[PartResult] = []
    changes: list[effects.Change] = []
    stopped: str | None = None
    for part, thrown in zip(parts, dice if isinstance(dice, Sequence) else [dice] * len(parts), strict=True):
        if stopped is not None:
            results.append(PartResult(part, (), None, unrolled=stopped))
            continue
        # Later parts see what earlier ones came to, so this cannot be done with the checks above.
        seeing = replace(part, kept=with_changes(part.kept, changes)) if changes else part
        rolled = procedure.carry(seeing, results, rules)
        if shared is not None:
            who = procedure.thrower(part, shared)
            mine = (item for item in results if procedure.thrower(item.part, shared) == who)
            steps = [step for item in mine for step in item.on_tables if step.table.id == shared[0]]
            if steps:
                rolled = replace(rolled, inputs={**rolled.inputs, SHARED: {shared[0]: [*steps[0].roll.faces]}})
        played = procedure.method.play(rolled, rules, thrown)
        # Without the dice of earlier parts, which may fall otherwise when the roll is amended.
        asked_for = replace(rolled, inputs=part.inputs)
        conclusion = set_amounts(played.conclusion, played.steps, rules.deeds, rolled.facts)
        results.append(PartResult(asked_for, played.steps, conclusion, None, played.record, played.changes))
        changes += played.changes
        stopped = conclusion.stops
    return Resolution(request.family, rules.id, rules.fingerprint, tuple(results), rules.page_titles, rules.deeds)


_OPTIONAL = {
    "event",
    "letters",
    "audience",
    "source",
    "against",
    "caps",
    "plain",
    "times",
    "turns",
    "command",
    "pool",
    "doubles",
}
"""What only some tables and rows have; it's left out of the fingerprint if empty."""
_BESIDE = ("contests", "strikes", "fields", "deeds", "acts", "scores", "upkeep", "catalog")
"""What only some books have."""
_COUNTING = {"adds", "takes", "amount", "per", "times"}
"""What only deeds that change numbers have."""
_LEFT_OUT = {"files", "deeds"}
"""What changes neither a roll nor its wording."""


def dump_book(book: RuleSet) -> JsonObject:
    """Return the tables as JSON; open ends are None."""
    return {"id": book.id, "fingerprint": book.fingerprint, "tables": [_table(table) for table in book.tables.values()]}


def canonical_book(book: RuleSet) -> str:
    """Return as sorted JSON what can change a roll or its wording, without the fingerprint."""
    procedures = {family: procedure.version for family, procedure in book.procedures.items()}
    content = {"id": book.id, "title": book.title, "facts": book.facts, "tables": book.tables, "zones": book.zones}
    content |= {"conditions": book.conditions, "traits": book.traits, "effects": book.effects}
    content |= {name: items for name in _BESIDE if (items := getattr(book, name))}
    content["procedures"] = procedures
    return json.dumps(content, default=_canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def take_fingerprint(book: RuleSet) -> str:
    """Return the canonical book's SHA-256 in hex."""
    return hashlib.sha256(canonical_book(book).encode()).hexdigest()


def _canonical(value: object) -> object:
    if isinstance(value, DiceTerm):
        return str(value)
    if isinstance(value, Struct):
        values = {name: getattr(value, name) for name in value.__struct_fields__ if name not in _LEFT_OUT}
        if isinstance(value, TableRow) and value.rolls is None:
            del values["rolls"]
        if isinstance(value, ConsequenceKind) and value.counts is None:
            values = {name: item for name, item in values.items() if name not in _COUNTING}
        if isinstance(value, Event):
            values = {"cause": value.cause, "parts": value.parts, **values}
            del values["changes"]  # its parts have them
        # Leaving out what is empty keeps the fingerprints from before such a field was there.
        return {name: value for name, value in values.items() if value or name not in _OPTIONAL}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


def _table(table: RollTable) -> dict[str, object]:
    letters: dict[str, object] = {"letters": _json(list(table.letters.values()))} if table.letters else {}
    return letters | {
        "id": table.id,
        "die": table.die.sides if table.die.count == 1 else str(table.die),
        "source": _pick(table.source, "book", "section"),
        "rows": [
            _pick(row, "min", "max", "outcome", "text", "line")
            | ({"event": _json(row.event)} if row.event else {})
            | ({"rolls": row.rolls} if row.rolls else {})
            for row in table.rows
        ],
        **({"pool": _json(table.pool)} if table.pool else {}),
        "naturals": [_pick(natural, "face", "outcome", "line") for natural in table.naturals],
        "modifiers": [_modifier(modifier) for modifier in table.modifiers],
    }


def _modifier(modifier: Modifier) -> dict[str, object]:
    times: dict[str, object] = {"times": modifier.times} if modifier.times else {}
    found = _pick(modifier, "id", "value", "label", "group", "one_of", "per", "when", "line")
    return times | found | {"when": [list(clause) for clause in modifier.when]}


def _pick(item: Struct, *names: str) -> dict[str, object]:
    return {name: getattr(item, name) for name in names}


def _json(value: object) -> object:
    return json.loads(json.dumps(value, default=_canonical))


OPENED = ("characters", "levels", "places")
"""What a campaign opens to players besides rolls."""
ROLLER, TARGET = "roller", "target"
"""Who rolls on a table of one's own, and who it is about."""


def list_reserved_names(books: Iterable[RuleSet]) -> dict[str, str]:
    """Return taken table names and their owners."""
    owners = dict.fromkeys(OPENED, "what players may do or see")
    for book in books:
        owners |= dict.fromkeys(book.tables, f"a table of the book {book.id}")
        owners |= dict.fromkeys(book.procedures, f"a roll of the book {book.id}")
    return owners


def amend_climate(rules: RuleSet, climate: Climate) -> RuleSet:
    """Return the book with a campaign's climate; unknown names are skipped."""
    cells = {cell: traits for cell, traits in climate.cells.items() if set(traits) <= rules.conditions.keys()}
    zones = {}
    for zone in rules.zones.values():
        amended = {
            outcome: {region: cells.get((outcome, region), traits) for region, traits in regions.items()}
            for outcome, regions in zone.climate.items()
        }
        zones[zone.id] = replace(settle_land(zone, climate.land), climate=amended)
    changed = replace(rules, zones=zones)
    return rules if zones == rules.zones else replace(changed, fingerprint=take_fingerprint(changed))


def settle_land(zone: Zone, land: Mapping[str, bool]) -> Zone:
    """Return the zone with regions (ids) set as land or sea; others stay."""
    return replace(zone, regions=tuple(replace(item, land=land.get(item.id, item.land)) for item in zone.regions))
