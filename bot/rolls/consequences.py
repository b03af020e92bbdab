"""The consequences of a resolution, as values of the campaign's state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.core.state import State
from bot.core.subjects import names_of, subject_key, unit
from rules.effects import AppliedConsequence, ConsequenceRule, Moment
from rules.procedure import PartResult, Procedure, Resolution
from rules.tables import ConsequenceKind

ROLLED = "rolled."
"""The prefix of the names under which a subject keeps who rolled for it; family and actor follow."""

Rules = Mapping[ConsequenceKind, ConsequenceRule]


def consequences_of(
    resolution: Resolution, procedure: Procedure, moment: Moment, before: State, rules: Rules
) -> dict[tuple[str, str], Any]:
    """Return what a resolution sets, by subject and name; where two parts set the same, the later one stands.

    `before` is the state of the subjects; a part sees what the parts before it have set.
    """
    after: dict[tuple[str, str], Any] = {}
    for part in resolution.parts:
        for subject, name, value in _of_part(part, procedure, moment, {**before, **after}, rules):
            after[subject, name] = value
    return after


def rolled_name(family: str, actor: str) -> str:
    """Return the name under which a subject keeps that this actor has rolled for it."""
    return f"{ROLLED}{family}.{subject_key(actor)}"


def _of_part(
    part: PartResult, procedure: Procedure, moment: Moment, before: State, rules: Rules
) -> Iterator[tuple[str, str, Any]]:
    if part.conclusion is None or not procedure.policy.on_request:
        return
    names = part.part.subjects
    actor = names[procedure.actor]
    about = names.get(procedure.subject, actor) if procedure.policy.again == "pair" else actor
    if procedure.policy.again != "never":
        yield unit(about), rolled_name(procedure.family, actor), {"entry": moment.entry, "update": moment.update}
    for consequence in part.conclusion.consequences:
        rule = rules.get(consequence.do)
        if rule is None or consequence.to is None:
            continue
        for name in filter(None, names_of(names.get(consequence.to, ""))):
            values = {key: value for (subject, key), value in before.items() if subject == unit(name)}
            for bearer, key, value in rule(AppliedConsequence(consequence, name, moment, values)):
                yield unit(bearer), key, value
