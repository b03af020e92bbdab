"""Facts, and the printed modifiers they switch on."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.errors import BadCount, Contradiction
from rules.kinds import Line, Name, RuleItem, Tests, Text, Whole

JsonObject = Mapping[str, Any]
When = tuple[tuple[str, ...], ...]
"""Any of the inner lists, all of its facts; a leading `!` negates."""


class Fact(Struct, frozen=True):
    """What can be true of a role, such as `target.newtype`."""

    role: str
    trait: str
    label: str
    secret: bool

    @property
    def id(self) -> str:
        """Role and trait: `target.newtype`."""
        return f"{self.role}.{self.trait}"


class Origin(Struct, frozen=True):
    """Where a fact comes from; `kind` is for code."""

    kind: str
    label: str
    entry: int | None = None


class KnownFact(Struct, frozen=True):
    """A true fact, its count or number, and its origin.

    Players may not know a `secret` one. With a count of 0 it's secretly false; a saved 0 is `zero`.
    """

    count: int
    origin: Origin
    secret: bool = False
    zero: bool = False

    @property
    def number(self) -> int:
        """The number to multiply with."""
        return 0 if self.zero else self.count


Facts = Mapping[str, KnownFact]
SELF = "self"
"""The role in facts of a score; it counts in whichever role its bearer has."""


def find_matching_facts(when: When, facts: Facts) -> tuple[str, ...] | None:
    """Return the first true inner list, without negated facts; None if none is."""
    for clause in when:
        for literal in clause:
            if (literal[1:] in facts) if literal[0] == "!" else (literal not in facts):
                break
        else:
            return tuple([literal for literal in clause if literal[0] != "!"])
    return None


def list_mentioned_facts(when: When) -> Iterator[str]:
    """Yield every fact id, negated or not."""
    for clause in when:
        for literal in clause:
            yield literal.removeprefix("!")


def fact_of_role(name: str, role: str) -> str:
    """Replace `self` in a fact by a role."""
    bare = name.removeprefix("!")
    who, _, rest = bare.partition(".")
    return name if who != SELF else f"{name[: len(name) - len(bare)]}{role}.{rest}"


BY_HAND = Origin("typed", "ticked by hand")
TICKED = KnownFact(1, BY_HAND)
"""A fact that's only known from its tick."""
LACKING = "not true, though players believe it"


class Modifier(RuleItem, frozen=True):
    """One printed line that adds to or takes from a roll.

    At most one of a `one_of` counts; `per` and `times` (a fact) multiply; `note` is for game masters.
    """

    noun = "modifier"
    linked = frozenset({"id", "group", "one-of", "when"})
    derived = frozenset({"secret"})
    id: Name
    value: Whole
    label: Text
    group: Name
    line: Line
    one_of: Name | None = None
    per: Text | None = None
    times: Name | None = None
    when: Tests = ()
    secret: bool = False
    note: Text | None = None


class WeighedModifier(Struct):
    """How often a modifier counts, and why.

    Never changed; not frozen, since that triples the cost of making dozens per roll.
    """

    modifier: Modifier
    count: int
    why: str
    origin: Origin | None
    secret: bool

    @property
    def hides(self) -> bool:
        """Whether the sum would reveal a secret."""
        return self.secret and (self.count > 0 or self.why == LACKING)

    @property
    def amount(self) -> int:
        """What it adds to the sum."""
        return self.modifier.value * self.count


class Adjustment(Struct, frozen=True):
    """A game master's plus or minus; `table` None is the first."""

    value: int
    reason: str
    table: str | None = None
    private: bool = False


class OverruledFact(Struct, frozen=True):
    """A known fact that a person's ticks overrule; `unticked` if its own tick is off."""

    label: str
    secret: bool
    unticked: bool = False


class ModifierSet(Struct, frozen=True, dict=True):
    """A table's modifiers, prepared so that only changes are weighed."""

    modifiers: tuple[Modifier, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Each modifier's index."""
        return {modifier.id: place for place, modifier in enumerate(self.modifiers)}

    @cached_property
    def by_id(self) -> dict[str, Modifier]:
        """Each modifier by its id."""
        return {modifier.id: modifier for modifier in self.modifiers}

    @cached_property
    def places_by_fact(self) -> dict[str, tuple[int, ...]]:
        """Indexes of the modifiers that a fact can change, by fact id."""
        places_by_fact: dict[str, list[int]] = {}
        for place, modifier in enumerate(self.modifiers):
            for fact in list_mentioned_facts(modifier.when):
                places_by_fact.setdefault(fact, []).append(place)
        return {fact: tuple(places) for fact, places in places_by_fact.items()}

    @cached_property
    def other_places_by_fact(self) -> dict[str, tuple[int, ...]]:
        """As `places_by_fact`, without the modifier whose id is the fact."""
        by_fact, places = self.places_by_fact, self.places
        others = {fact: tuple(place for place in by_fact[fact] if place != places.get(fact)) for fact in by_fact}
        return {fact: found for fact, found in others.items() if found}

    @cached_property
    def alternatives(self) -> frozenset[int]:
        """Indexes of modifiers with a `one_of`."""
        return frozenset(place for place, modifier in enumerate(self.modifiers) if modifier.one_of)

    @cached_property
    def baseline(self) -> tuple[WeighedModifier, ...]:
        """All as weighed without facts."""
        return tuple(_weigh(modifier, {}, {}) for modifier in self.modifiers)

    @cached_property
    def by_hand(self) -> tuple[WeighedModifier, ...]:
        """Each modifier as if ticked once by hand, without any facts."""
        return tuple(WeighedModifier(_multiply(item, {}), 1, "", BY_HAND, item.secret) for item in self.modifiers)

    @cached_property
    def default_places(self) -> frozenset[int]:
        """Indexes of modifiers that count without facts."""
        return frozenset(place for place, item in enumerate(self.baseline) if item.count)

    def check(self, marks: Mapping[str, int]) -> None:
        """Refuse impossible counts, and several ticked alternatives; ids of other tables are ignored."""
        ticked: dict[str, str] = {}
        by_id = self.by_id
        for mark, count in marks.items():
            modifier = by_id.get(mark)
            # A mark may be a bare fact, or a modifier of another table of the roll.
            if modifier is None:
                continue
            if count < 0 or (count > 1 and not (modifier.per or modifier.times)):
                raise BadCount(modifier.label, count, per=modifier.per)
            if count and modifier.one_of and ticked.setdefault(modifier.one_of, mark) != mark:
                rivals = (item for item in self.modifiers if item.one_of == modifier.one_of and marks.get(item.id, 0))
                raise Contradiction([item.label for item in rivals])

    def weigh(self, facts: Facts, marks: Mapping[str, int]) -> tuple[WeighedModifier, ...]:
        """Weigh every modifier, in page order.

        `marks` are checked ticks (0: unticked) and beat facts. Of untouched alternatives the one farthest from zero
        counts, or the later of equals, as the more specific case.
        """
        places, by_fact, others_by_fact = self.places, self.places_by_fact, self.other_places_by_fact
        # Only what a tick, a fact or a lack can change is weighed; the rest stays as it is when nothing is known.
        candidates = set(self.default_places)
        for fact, known in facts.items():
            found = (others_by_fact if known is TICKED else by_fact).get(fact)
            if found:
                candidates.update(found)
        weighed = list(self.baseline)
        # Ticked once and nothing else known is prepared, since a card weighs all again at each tick.
        ticked: list[int] = []
        for mark, count in marks.items():
            place = places.get(mark)
            if place is None:
                continue
            if count != 1 or place in candidates:
                candidates.add(place)
            else:
                weighed[place] = self.by_hand[place]
                ticked.append(place)
        for place in candidates:
            weighed[place] = _weigh(self.modifiers[place], facts, marks)
        self._choose(weighed, self.alternatives.intersection((*candidates, *ticked)), marks)
        return tuple(weighed)

    def weigh_lacking(self, facts: Facts, lacking: Facts, marks: Mapping[str, int]) -> tuple[WeighedModifier, ...]:
        """Weigh as `weigh` does; a modifier that `lacking` facts would change is secret."""
        pairs = zip(self.weigh(facts, marks), self.weigh({**lacking, **facts}, marks), strict=True)
        return tuple(
            item
            if (item.count, item.amount) == (seen.count, seen.amount)
            else WeighedModifier(item.modifier, item.count, LACKING, item.origin, secret=True)
            for item, seen in pairs
        )

    def _choose(self, weighed: list[WeighedModifier], candidates: Iterable[int], marks: Mapping[str, int]) -> None:
        rivals: dict[str, list[int]] = {}
        for place in candidates:
            if weighed[place].count:
                rivals.setdefault(self.modifiers[place].one_of or "", []).append(place)
        for places in rivals.values():
            if len(places) > 1:
                # A tick by hand outranks facts; `check` has refused two ticks of one set.
                best = max(
                    places,
                    key=lambda place: (self.modifiers[place].id in marks, abs(weighed[place].modifier.value), place),
                )
                for place in places:
                    if place != best:
                        lost, why = weighed[place], f"{self.modifiers[best].id} counts instead"
                        weighed[place] = WeighedModifier(lost.modifier, 0, why, lost.origin, lost.secret)


def _multiply(modifier: Modifier, facts: Facts) -> Modifier:
    if not modifier.times:
        return modifier
    known = facts.get(modifier.times)
    number = 0 if known is None or known is TICKED else known.number
    return replace(
        modifier, value=modifier.value * number, secret=modifier.secret or (known is not None and known.secret)
    )


def _weigh(modifier: Modifier, facts: Facts, marks: Mapping[str, int]) -> WeighedModifier:
    clause = find_matching_facts(modifier.when, facts)
    marked = marks.get(modifier.id)
    if marked == 1 or (marked is None and clause):
        modifier = _multiply(modifier, facts)
    secret = modifier.secret
    for fact in clause or ():
        secret = secret or facts[fact].secret
    if marked is not None:
        # A tick on what is known anyway keeps the better origin: the fact's own.
        by_hand = facts[clause[0]].origin if clause and marked else BY_HAND
        return WeighedModifier(modifier, marked, "" if marked else "unticked by hand", by_hand, secret)
    if clause is None:
        return WeighedModifier(modifier, 0, "not known to be true", None, modifier.secret)
    if modifier.times:
        count = int(modifier.value != 0)
    else:
        count = max((facts[fact].number for fact in clause), default=1) if modifier.per else 1
    origin = facts[clause[0]].origin if clause else None
    return WeighedModifier(modifier, count, "", origin, secret)
