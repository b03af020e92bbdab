"""Facts of a situation, and the printed modifiers that they switch on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rules.errors import BadCount, Contradiction
from rules.kinds import Line, Name, RuleItem, Tests, Text, Whole

JsonObject = Mapping[str, Any]
"""An object as JSON has it: numbers, words, lists and further objects by their names."""

When = tuple[tuple[str, ...], ...]
"""Any of the inner lists, all of its facts; a leading `!` negates."""


class Fact(Struct, frozen=True):
    """Something that can be true of one role of a roll, such as `target.newtype`.

    `trait` is what a saved unit or an effect carries; the same trait serves under every role that declares it.
    """

    role: str
    trait: str
    label: str
    secret: bool

    @property
    def id(self) -> str:
        """Role and trait: `target.newtype`."""
        return f"{self.role}.{self.trait}"


class Origin(Struct, frozen=True):
    """Where a fact was learnt: `kind` is one word for the machine, `label` is for people, `entry` is the ledger's that tells it."""

    kind: str
    label: str
    entry: int | None = None


class Known(Struct, frozen=True):
    """A fact that holds in a situation, how often (1 unless it is counted; of a saved number, that), and from where it is known.

    It is `secret` when players may not know that it holds, although it is of a kind that they may. With a count of 0 it does
    not hold, and players may not know that.
    """

    count: int
    origin: Origin
    secret: bool = False


Facts = Mapping[str, Known]
SELF = "self"
"""Who bears what is told of nobody in particular: it counts in whichever role somebody stands."""


def matching_facts(when: When, facts: Facts) -> tuple[str, ...] | None:
    """Return the facts that make `when` true (its first inner list that holds, without negations), or None."""
    for clause in when:
        for literal in clause:
            if (literal[1:] in facts) if literal[0] == "!" else (literal not in facts):
                break
        else:
            return tuple([literal for literal in clause if literal[0] != "!"])
    return None


def mentioned_facts(when: When) -> Iterator[str]:
    """Yield every fact id that `when` speaks of, negated or not."""
    for clause in when:
        for literal in clause:
            yield literal.removeprefix("!")


def fact_of_role(name: str, role: str) -> str:
    """Return the name of a fact, or one with `!` before it, with a role in the place of `self`."""
    bare = name.removeprefix("!")
    who, _, rest = bare.partition(".")
    return name if who != SELF else f"{name[: len(name) - len(bare)]}{role}.{rest}"


BY_HAND = Origin("typed", "ticked by hand")
TICKED = Known(1, BY_HAND)
"""A fact that is known by its tick alone."""
LACKING = "not true, though players believe it"


class Modifier(RuleItem, frozen=True):
    """One printed line that adds to or takes from a roll.

    `one_of` names the set of alternatives of which at most one counts; `per` names the unit of a line that multiplies;
    `times` names the fact whose number the value is taken times: what is saved of somebody, which may be below nought;
    `secret` is true when what it stands on is not for players; `note` tells of a reading that a game master should know.
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
    """A modifier as weighed in one step: whether it counted, how often, and why or why not.

    Never changed once made; not frozen, since dozens are made for each roll and freezing triples their cost.
    """

    modifier: Modifier
    count: int
    why: str
    origin: Origin | None
    secret: bool

    @property
    def counted(self) -> bool:
        """Whether it enters the sum."""
        return self.count > 0

    @property
    def hides(self) -> bool:
        """Whether the sum would tell players what they may not know: that it counted, or that it did not."""
        return self.secret and (self.count > 0 or self.why == LACKING)

    @property
    def amount(self) -> int:
        """What it adds to the sum."""
        return self.modifier.value * self.count

    def giving_way(self, winner: str) -> WeighedModifier:
        """Return the same, not counted because an alternative is."""
        return WeighedModifier(self.modifier, 0, f"{winner} counts instead", self.origin, self.secret)


class Adjustment(Struct, frozen=True):
    """A game master's own plus or minus with its reason; on `table`, or on the first table of the roll when None.

    `private` is true when the reason is for the staff alone.
    """

    value: int
    reason: str
    table: str | None = None
    private: bool = False


class OverruledFact(Struct, frozen=True):
    """What is known of a situation and was taken away by hand; `secret` when players may not know what it is.

    It is `unticked` or counted less often by a tick of its own, not outdone by another.
    """

    label: str
    secret: bool
    unticked: bool = False


class ModifierSet(Struct, frozen=True, dict=True):
    """The modifiers of a table in the order of the page, prepared for weighing: only what facts and ticks touch is looked at."""

    modifiers: tuple[Modifier, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each modifier stands."""
        return {modifier.id: place for place, modifier in enumerate(self.modifiers)}

    @cached_property
    def by_id(self) -> dict[str, Modifier]:
        """Each modifier by its id."""
        return {modifier.id: modifier for modifier in self.modifiers}

    @cached_property
    def places_by_fact(self) -> dict[str, tuple[int, ...]]:
        """Where the modifiers stand that a fact can change."""
        places_by_fact: dict[str, list[int]] = {}
        for place, modifier in enumerate(self.modifiers):
            for fact in mentioned_facts(modifier.when):
                places_by_fact.setdefault(fact, []).append(place)
        return {fact: tuple(places) for fact, places in places_by_fact.items()}

    @cached_property
    def other_places_by_fact(self) -> dict[str, tuple[int, ...]]:
        """Where the modifiers stand that a fact can change, but for the one of its own id."""
        by_fact, places = self.places_by_fact, self.places
        others = {fact: tuple(place for place in by_fact[fact] if place != places.get(fact)) for fact in by_fact}
        return {fact: found for fact, found in others.items() if found}

    @cached_property
    def alternatives(self) -> frozenset[int]:
        """Where the modifiers stand of which at most one of a set counts."""
        return frozenset(place for place, modifier in enumerate(self.modifiers) if modifier.one_of)

    @cached_property
    def baseline(self) -> tuple[WeighedModifier, ...]:
        """Every modifier as it is considered when nothing is known."""
        return tuple(_weigh(modifier, {}, {}) for modifier in self.modifiers)

    @cached_property
    def by_hand(self) -> tuple[WeighedModifier, ...]:
        """Every modifier as it is considered when it is ticked by hand, once, and nothing else stands behind it."""
        return tuple(WeighedModifier(modifier, 1, "", BY_HAND, modifier.secret) for modifier in self.modifiers)

    @cached_property
    def counted_by_default(self) -> frozenset[int]:
        """Where the modifiers stand that count when nothing is known, since they ask only for what is not so."""
        return frozenset(place for place, item in enumerate(self.baseline) if item.count)

    def check(self, marks: Mapping[str, int]) -> None:
        """Refuse ticks by hand that can never be right, whatever the facts."""
        ticked: dict[str, str] = {}
        by_id = self.by_id
        for mark, count in marks.items():
            modifier = by_id.get(mark)
            # A mark may be a bare fact, or stand on another table of the roll.
            if modifier is None:
                continue
            if count < 0 or (count > 1 and not (modifier.per or modifier.times)):
                raise BadCount(modifier.label, count, per=modifier.per)
            if count and modifier.one_of and ticked.setdefault(modifier.one_of, mark) != mark:
                raise Contradiction(self._rivals(modifier.one_of, marks))

    def weigh(self, facts: Facts, marks: Mapping[str, int]) -> tuple[WeighedModifier, ...]:
        """Consider every modifier once, in the order of the page.

        `marks` are ticks by hand, id to count, where 0 means unticked; they win over facts, and `check` has passed them.
        Of alternatives that only facts switch on, the one farthest from zero counts (the later one when equal), since it
        names the more particular case.
        """
        places, by_fact, others_by_fact = self.places, self.places_by_fact, self.other_places_by_fact
        # Only what a tick, a fact or a lack can change is weighed; the rest stays as it is when nothing is known.
        candidates = set(self.counted_by_default)
        for fact, known in facts.items():
            found = (others_by_fact if known is TICKED else by_fact).get(fact)
            if found:
                candidates.update(found)
        weighed = list(self.baseline)
        # The common case is prepared beforehand, for a card weighs all again at each tick: ticked once, and nothing else known.
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
        self._choose_alternatives(weighed, self.alternatives.intersection((*candidates, *ticked)), marks)
        return tuple(weighed)

    def weigh_lacking(self, facts: Facts, lacking: Facts, marks: Mapping[str, int]) -> tuple[WeighedModifier, ...]:
        """Consider every modifier as `weigh` does; what would count otherwise with facts that are lacking is secret."""
        pairs = zip(self.weigh(facts, marks), self.weigh({**lacking, **facts}, marks), strict=True)
        return tuple(
            item
            if item.count == seen.count
            else WeighedModifier(item.modifier, item.count, LACKING, item.origin, secret=True)
            for item, seen in pairs
        )

    def _choose_alternatives(
        self, weighed: list[WeighedModifier], candidates: Iterable[int], marks: Mapping[str, int]
    ) -> None:
        """Let one of each set of alternatives count, and the others give way."""
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
                        weighed[place] = weighed[place].giving_way(self.modifiers[best].id)

    def _rivals(self, one_of: str, marks: Mapping[str, int]) -> list[str]:
        return [item.label for item in self.modifiers if item.one_of == one_of and marks.get(item.id, 0)]


def _weigh(modifier: Modifier, facts: Facts, marks: Mapping[str, int]) -> WeighedModifier:
    clause = matching_facts(modifier.when, facts)
    secret = modifier.secret
    for fact in clause or ():
        secret = secret or facts[fact].secret
    marked = marks.get(modifier.id)
    if modifier.times and clause and marked in {None, 1}:
        modifier = replace(modifier, value=modifier.value * facts[modifier.times].count)
    if marked is not None:
        # A tick on what is known anyway keeps the better origin: the fact's own.
        by_hand = facts[clause[0]].origin if clause and marked else BY_HAND
        return WeighedModifier(modifier, marked, "" if marked else "unticked by hand", by_hand, secret)
    if clause is None:
        return WeighedModifier(modifier, 0, "not known to be true", None, modifier.secret)
    count = max((facts[fact].count for fact in clause), default=1) if modifier.per and not modifier.times else 1
    origin = facts[clause[0]].origin if clause else None
    return WeighedModifier(modifier, count, "", origin, secret)
