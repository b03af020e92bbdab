"""How a roll is resolved: linked steps for each part (target, scouter, pair, check of a turn) of the roll.

A procedure says what a roll family is, and its method how a part is played: table by table (`rules.stages`), a check, a
contest, the events of a turn. The engine does the rest, once for every roll family of every book.
"""

from __future__ import annotations

from rules.dice import Dice
from rules.errors import UnknownModifier, UnknownOption
from rules.facts import Facts, Known
from rules.modifiers import BY_HAND
from rules.procedure import Part, PartResult, Procedure, Request, Resolution
from rules.ruleset import RuleSet

_TICKED = Known(1, BY_HAND)


def resolve(request: Request, rules: RuleSet, dice: Dice) -> Resolution:
    """Roll every part of the request in order, until a conclusion leaves nothing to roll for.

    Raises:
        UnknownFamily: the book has no such procedure.
        RollError: a part cannot be rolled as asked; checked for all parts before the first die is drawn.

    """
    procedure = rules.procedure(request.family)
    # All parts are checked before the first die: a roll that is refused halfway would have shown dice.
    parts = [prepare_part(part, procedure, rules) for part in request.parts]
    results: list[PartResult] = []
    stopped: str | None = None
    for part in parts:
        if stopped is not None:
            results.append(PartResult(part, (), None, unrolled=stopped))
            continue
        # Later parts see what earlier ones came to, so this cannot be done with the checks above.
        rolled = procedure.carry(part, results, rules)
        played = procedure.method.play(rolled, rules, dice)
        results.append(PartResult(rolled, played.steps, played.conclusion, record=played.record))
        stopped = played.conclusion.stops
    return Resolution(request.family, rules.id, rules.fingerprint, tuple(results), rules.cited)


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
    for mark in part.marks:
        if mark not in modifiers.places and mark not in manual_facts:
            raise UnknownModifier(mark, (*modifiers.places, *manual_facts))
    modifiers.check(part.marks)
    facts = _with_ticks(part, rules) if part.marks else part.facts
    return procedure.prepare(
        Part(part.key, part.subjects, facts, part.marks, part.adjustments, part.choices, part.inputs)
    )


def _with_ticks(part: Part, rules: RuleSet) -> Facts:
    """Return the facts with what was ticked or unticked by hand, for ticks that are facts themselves."""
    facts = dict(part.facts)
    for mark, count in part.marks.items():
        # Unticking wins over a saved fact; ticking leaves a saved fact its origin and count.
        if not count:
            facts.pop(mark, None)
        elif mark in rules.facts:
            facts.setdefault(mark, _TICKED if count == 1 else Known(count, BY_HAND))
    return facts
