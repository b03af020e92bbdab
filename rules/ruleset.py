"""A rule book joined with the procedures that roll on it, and parts made ready for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from msgspec import field
from msgspec.structs import replace

from rules.book import Book
from rules.effects import ConsequenceRule, as_declared
from rules.errors import UnknownFamily, UnknownModifier, UnknownOption
from rules.facts import Facts, Known
from rules.modifiers import BY_HAND, TICKED, Modifier, ModifierSet, Overruled
from rules.procedure import Part, Procedure


class RuleSet(Book, frozen=True, dict=True):
    """A book that can be rolled by: its data, and a procedure for each of its roll families."""

    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @cached_property
    def settles(self) -> dict[str, ConsequenceRule]:
        """The functions that say what deeds change, by id, in place of what is declared of them."""
        return {deed: rule for item in self.procedures.values() for deed, rule in item.settles.items()}

    def rule(self, deed: str) -> ConsequenceRule | None:
        """Return what says what a deed changes; None of one that changes nothing."""
        lasts = self.deeds[deed].effect is not None or self.deeds[deed].ends
        return self.settles.get(deed, as_declared if lasts else None)

    @cached_property
    def manual_modifiers(self) -> dict[str, ModifierSet]:
        """For each roll family, the modifiers that can be ticked by hand, over all of its tables and each once."""
        return {family: ModifierSet(self._tickable(procedure)) for family, procedure in self.procedures.items()}

    def procedure(self, family: str) -> Procedure:
        """Return the procedure of this roll family.

        Raises:
            UnknownFamily: the book has none.

        """
        try:
            return self.procedures[family]
        except KeyError:
            raise UnknownFamily(family, self.procedures) from None

    def _tickable(self, procedure: Procedure) -> tuple[Modifier, ...]:
        every: dict[str, Modifier] = {}
        method = procedure.method
        for modifier in (modifier for table in method.tables for modifier in self.table(table).modifiers):
            # Of one id on two tables, the line that is an alternative is the stricter.
            if modifier.id not in every or every[modifier.id].one_of is None:
                every[modifier.id] = modifier
        return tuple(modifier for modifier in every.values() if modifier.id not in method.decided_by_choice)


def prepare_part(part: Part, procedure: Procedure, rules: RuleSet) -> Part:
    """Return the part with its choices and ticks turned into facts, checked against every table of the procedure.

    Raises:
        UnknownOption: a choice is answered with what it does not offer.
        UnknownModifier: a mark names no modifier of these tables that can be ticked.
        BadCount, Contradiction: see `rules.modifiers.ModifierSet.check`.

    """
    for choice in procedure.choices:
        if part.choices.get(choice.id, choice.options[0]) not in choice.options:
            raise UnknownOption(part.choices[choice.id], choice.options)
    modifiers = rules.manual_modifiers[procedure.family]
    manual_facts = procedure.method.manual_facts
    for mark in [mark for mark in part.marks if mark not in modifiers.by_id]:
        if mark not in manual_facts:
            raise UnknownModifier(mark, (*modifiers.by_id, *manual_facts))
    modifiers.check(part.marks)
    facts = _with_ticks(part, rules) if part.marks else part.facts
    return procedure.prepare(replace(part, facts=facts))


def overruled(facts: Facts, marks: Mapping[str, int], procedure: Procedure, rules: RuleSet) -> Iterator[Overruled]:
    """Yield what is known by these facts and ticks by hand have taken away: unticked, counted less often, or outdone.

    Outdone is what gives way to an alternative that was ticked.
    """
    modifiers = rules.manual_modifiers[procedure.family]
    outdone = {modifiers.by_id[mark].one_of for mark, count in marks.items() if count and mark in modifiers.by_id}
    for item in modifiers.weigh(facts, {}) if marks else ():
        rival = item.modifier.one_of is not None and item.modifier.one_of in outdone
        if item.count > marks.get(item.modifier.id, 0 if rival else item.count):
            yield Overruled(item.modifier.label, item.secret, unticked=item.modifier.id in marks)
    for mark in procedure.method.manual_facts:
        if mark in facts and mark not in modifiers.places and marks.get(mark) == 0:
            yield Overruled(rules.facts[mark].label, facts[mark].secret or rules.facts[mark].secret, unticked=True)


def blind_unticks(
    facts: Facts, unseen: Collection[str], marks: Mapping[str, int], procedure: Procedure, rules: RuleSet
) -> set[str]:
    """Return the marks that take something away which is `unseen` among the facts: whoever cannot see it cannot know that it is not so."""
    zero = {mark for mark, count in marks.items() if not count}
    modifiers, seen = rules.manual_modifiers[procedure.family], {key: facts[key] for key in facts if key not in unseen}
    counted = [{item.modifier.id for item in modifiers.weigh(some, {}) if item.counted} for some in (facts, seen)]
    return zero & (counted[0] - counted[1] | {*unseen})


def _with_ticks(part: Part, rules: RuleSet) -> Facts:
    """Return the facts with what was ticked or unticked by hand, for ticks that are facts themselves."""
    facts = dict(part.facts)
    for mark, count in part.marks.items():
        # Unticking wins over a saved fact; ticking leaves a saved fact its origin and count.
        if not count:
            facts.pop(mark, None)
        elif mark in rules.facts:
            facts.setdefault(mark, TICKED if count == 1 else Known(count, BY_HAND))
    return facts
