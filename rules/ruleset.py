"""A rule book joined with the procedures that roll on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rules.book import Book
from rules.errors import UnknownFamily
from rules.modifiers import Modifier, ModifierSet
from rules.procedure import Procedure


@dataclass(frozen=True)
class RuleSet(Book):
    """A book that can be rolled by: its data, and a procedure for each of its roll families."""

    procedures: Mapping[str, Procedure] = field(default_factory=dict)

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
