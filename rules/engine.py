"""How a roll is resolved: linked steps for each part (target, scouter, pair, check of a turn) of the roll.

A procedure says what a roll family is, and its method how a part is played: table by table (`rules.stages`), a check, a
contest, the events of a turn. The engine does the rest, once for every roll family of every book.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rules.dice import SHARED, Dice
from rules.effects import Change, with_changes
from rules.procedure import Part, PartResult, Request, Resolution, Shared
from rules.ruleset import RuleSet, prepare_part


def resolve(request: Request, rules: RuleSet, dice: Dice | Sequence[Dice], asked: Sequence[Part] = ()) -> Resolution:
    """Roll every part of the request in order, until a conclusion leaves nothing to roll for.

    `dice` are those of all parts, or one for each part by itself. `asked` are the parts as whoever asks knows
    them, where that is less: by these the roll is refused, since a refusal is an answer.
    """
    procedure = rules.procedure(request.family)
    # All parts are checked before the first die: a roll that is refused halfway would have shown dice.
    parts = [prepare_part(part, procedure, rules) for part in request.parts]
    for part in asked or parts:
        procedure.method.check(part, rules)
    shared = procedure.method.shared(rules)
    results: list[PartResult] = []
    changes: list[Change] = []
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
            rolled = _sharing(rolled, shared, [item for item in results if procedure.thrower(item.part, shared) == who])
        played = procedure.method.play(rolled, rules, thrown)
        # What it was asked for with is kept, without the dice of earlier parts: those may fall otherwise when it is amended.
        asked_for = replace(rolled, inputs=part.inputs)
        results.append(
            PartResult(asked_for, played.steps, played.conclusion, record=played.record, changes=played.changes)
        )
        changes += played.changes
        stopped = played.conclusion.stops
    return Resolution(request.family, rules.id, rules.fingerprint, tuple(results), rules.cited, rules.deeds)


def _sharing(part: Part, shared: Shared, before: Sequence[PartResult]) -> Part:
    """Return a part with the die that was thrown in earlier parts by whoever throws it in this one, if any was."""
    steps = [step for item in before for step in item.on_tables if step.table.id == shared[0]]
    return replace(part, inputs={**part.inputs, SHARED: {shared[0]: [*steps[0].roll.faces]}}) if steps else part
