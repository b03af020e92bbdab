"""What may stand in a rule file about acts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from rules.facts import When
from rules.items import Item
from rules.kinds import Line, Literal, Name, Text
from rules.schema import ConsequenceItem
from rules.tables import TableAudience


class RefusalItem(Item):
    """What makes an act impossible."""

    kind = "refusal"
    when: Annotated[list[list[Literal]], Field(min_length=1)]
    words: Text
    line: Line

    @property
    def tests(self) -> When:
        """The tests, as values."""
        return tuple(tuple(clause) for clause in self.when)


class CostItem(Item):
    """How much of a mark an act takes."""

    kind = "cost"
    mark: Name
    amount: Annotated[int, Field(ge=0, le=1000)]
    label: Text
    line: Line
    unless: Annotated[list[list[Literal]], Field(default_factory=list)]
    whole: bool = False

    @property
    def tests(self) -> When:
        """The tests under which it is free, as values."""
        return tuple(tuple(clause) for clause in self.unless)


class VariantItem(Item):
    """How an act goes otherwise."""

    kind = "variant"
    when: Annotated[list[list[Literal]], Field(min_length=1)]
    line: Line
    rolled: bool = True
    effect: Name = "now"

    @property
    def tests(self) -> When:
        """The tests, as values."""
        return tuple(tuple(clause) for clause in self.when)


class ActItem(Item):
    """`[[acts]]`: what is done in a turn or to a thing."""

    kind = "act"
    linked = frozenset({"id", "actor"})
    id: Name
    title: Text
    headline: Text
    text: Text
    line: Line
    actor: Name = "actor"
    subject: Name = "target"
    headline_alone: str = ""
    rolls: Name | None = None
    audience: TableAudience = "results"
    refused: Annotated[list[RefusalItem], Field(default_factory=list)]
    costs: Annotated[list[CostItem], Field(default_factory=list)]
    then: Annotated[list[ConsequenceItem], Field(default_factory=list)]
    variants: Annotated[list[VariantItem], Field(default_factory=list)]
    own: bool = False
    takes: Name | None = None
    by: Name | None = None
    beside: Name | None = None
    bound: Name | None = None
    loud: bool = False
    examples: ClassVar[Mapping[str, str]] = {
        "id": 'id = "reload"',
        "headline": 'headline = "{actor} reloads"',
        "text": 'text = "The weapon is loaded"',
        "rolls": 'rolls = "toy.climb"',
        "refused": 'refused = [{ when = [["actor.stunned"]], words = "{actor} is stunned.", line = 1 }]',
        "variants": 'variants = [{ when = [["actor.waived"]], rolled = false, line = 1 }]',
        "costs": 'costs = [{ mark = "actions", amount = 1, label = "actions", line = 1 }]',
    }
