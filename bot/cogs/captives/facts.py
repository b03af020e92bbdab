"""Facts from captivity: who is held captive, and who tries to escape together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.captives.queries import ESCAPE, TRIED, trying
from bot.core import knowledge, profiles, state
from bot.core.subjects import Subject
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import CAPTIVE, Captivity, joint_escape, who_tried
from rules.effects import EFFECT
from rules.ends import holds
from rules.facts import Known, Origin
from rules.subjects import subject_key, subject_number

SURPRISE = "surprise-attack-today"
CAUGHT = Origin("captive", "held captive")


def captivity(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return the fact that somebody is held captive, in whatever role."""
    held = {key: value for key, value in context.kept.items() if key[1] == CAPTIVE}
    public = knowledge.values(tx, any_player(context.campaign, context.mine), held)
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=(item.key, CAPTIVE) not in public)
            for role, item in part
            if (item.key, CAPTIVE) in held
        }
        for part in context.everyone
    ]


def together(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    escaping = [
        next((item.key for role, item in part if role == "captive" and "interrogator" not in names), "")
        for part, names in zip(context.everyone, context.subjects, strict=True)
    ]
    if not any(escaping):
        return [{} for _ in escaping]
    attempts = state.naming(tx, context.campaign.id, TRIED)
    attempts = {key: value for key, value in attempts.items() if value["update"] == context.moment.update}
    others = who_tried(attempts, context.moment.update) | {key for key in escaping if key and context.is_secret(key)}
    others |= {subject_key(number) for number in trying(tx, context.campaign.id, context.moment)}
    public = who_tried(
        knowledge.values(tx, any_player(context.campaign, context.mine), attempts), context.moment.update
    )
    parts = zip(escaping, context.subjects, strict=True)
    names = {key: part["captive"] for key, part in parts if key and not context.is_secret(key)}
    return [joint_escape(key, names, others, public) if key else {} for key in escaping]


def surprised(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from surprise attacks that are to free captives: on their base, and for whom (lines 342, 344).

    Such an attack is kept of the captive, and is for all captives of the same player there. One that is kept of the base is
    for its captives where they have one player all together.
    """
    escaping = [_held(part) if context.request.family == ESCAPE else None for part in context.everyone]
    if not any(escaping):
        return [{} for _ in escaping]
    attacks = {
        key: value
        for key, value in state.of_name(tx, context.campaign.id, f"{EFFECT}{SURPRISE}").items()
        if holds(value, context.moment)
    }
    held = state.of_name(tx, context.campaign.id, CAPTIVE) if attacks else {}
    owners = {item.key: item.owner for item in profiles.read(tx, context.campaign.id, _numbers(held)).values()}
    return [_freeing(context, pair, attacks, held, owners) if pair else {} for pair in escaping]


def _held(part: Sequence[tuple[str, Subject]]) -> tuple[Subject, Subject] | None:
    """Return a captive and the base in a part; None where one of them is not there."""
    named = dict(part)
    return (named["captive"], named["base"]) if {"captive", "base"} <= named.keys() else None


def _freeing(
    context: RollContext,
    pair: tuple[Subject, Subject],
    attacks: Mapping[str, Mapping[str, Any]],
    held: Mapping[str, Captivity],
    owners: Mapping[str, str | None],
) -> dict[str, Known]:
    """Return what the surprise attacks of an update make true of a captive and the base."""
    captive, base = pair
    here = {key for key, captivity in held.items() if captivity["at"] == base.id}
    facts: dict[str, Known] = {}
    for key in (key for key in attacks if key in here or key == base.key):
        origin = Origin("effect", f"since entry {attacks[key]['entry']}")
        theirs = here if key == base.key else {key}
        one_player = len({owners.get(other) or other for other in {*theirs, captive.key}}) == 1
        # That somebody else's captive is to be freed there is nothing for this one's player.
        others = key != base.key and not one_player
        facts.setdefault(f"base.{SURPRISE}", Known(1, origin, secret=context.hides(base) or others))
        if one_player:
            facts[f"captive.{SURPRISE}"] = Known(1, origin, secret=any(map(context.hides, pair)))
    return facts


def _numbers(keys: Iterable[str]) -> list[int]:
    return [number for key in keys if (number := subject_number(key)) is not None]
