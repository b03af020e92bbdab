"""Why the rules ask for a reason before a roll: it was made already, or there is nothing left to roll for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import Connection

from bot.core import state
from bot.core.profiles import profile
from bot.core.state import CAMPAIGN_STATE, State
from bot.core.subjects import PartCast, everybody
from bot.rolls.request import PartRequest, RollRequest
from rules.effects import EFFECT, ROLLED
from rules.ends import Moment, holds
from rules.procedure import Procedure
from rules.scenes import MEMBER
from rules.subjects import PROFILE


def rolled_name(family: str, actor: int | str = "") -> str:
    """Return the name under which a subject keeps that this actor, a subject by its number, has rolled for it; how it begins without one."""
    return f"{ROLLED}{family}.{actor}"


def spent(procedure: Procedure) -> str:
    """Return the name under which somebody keeps that a roll has used them up; one that nobody has where none does."""
    return EFFECT + (procedure.policy.spends or "nothing")


def may_ask(procedure: Procedure, names: Iterable[str]) -> bool:
    """Tell whether the rules may ask for a reason where those in a roll keep values of these names; if not, `asks_reason` is None."""
    policy = procedure.policy
    telling = (rolled_name(procedure.family), *([EFFECT + policy.spends] if policy.spends else []))
    kept = any(name.startswith(telling) or (policy.writes is not None and name == PROFILE) for name in names)
    return kept and bool(policy.on_request) and policy.again != "never"


def asks_reason(
    values: State, request: RollRequest, procedure: Procedure, now: Moment, cast: Sequence[PartCast]
) -> str | None:
    """Return why the rules ask for a reason: the same roll again in one update, or a patrol whose stop is used up."""
    if not procedure.policy.on_request or procedure.policy.again == "never":
        return None
    for part, meant in zip(request.parts, cast, strict=True):
        (who,) = meant[procedure.actor]
        if who is None:
            continue
        actor, role = part.subjects[procedure.actor], _about(part, procedure)
        (whom,) = meant[role]
        before = values.get((whom.key, rolled_name(procedure.family, who.id))) if whom else None
        if before and (procedure.policy.again == "ever" or holds(before, now)):
            when = "" if procedure.policy.again == "ever" else " this update"
            past = "rolled" if role == procedure.actor else f"rolled for {part.subjects[role]}"
            past = past if procedure.policy.again == "pair" else "had one"
            return f"{actor} has already {past}{when} ({procedure.title}, entry #{before['entry']})."
        used = values.get((who.key, spent(procedure)))
        if used and holds(used, now):
            return f"{actor} has already used its stop this update (entry #{used['entry']})."
        saved = profile(values, who)
        if procedure.policy.writes and saved is not None and procedure.policy.writes in saved.fields:
            return f"{procedure.title}: already known for {saved.name}."
    return None


def _about(part: PartRequest, procedure: Procedure) -> str:
    """Return the role of whom a roll is about: the roller's, when nobody else is there or it does not matter who."""
    matters = procedure.policy.again == "pair" and procedure.subject in part.subjects
    return procedure.subject if matters else procedure.actor


def read_state(tx: Connection, campaign_id: int, procedure: Procedure, cast: Sequence[PartCast]) -> State:
    """Return what the state keeps of the campaign and of those in a roll; of who rolled for whom what the roll may repeat."""
    there = everybody(cast)
    keys, rolled = {item.key for item in there.values()}, [rolled_name(procedure.family, number) for number in there]
    members = [f"{MEMBER}{number}" for number in there]
    return state.all_but(tx, campaign_id, {CAMPAIGN_STATE, *keys}, ROLLED, rolled, members)


def known_rolls(procedure: Procedure, values: State, known: Callable[[State], State]) -> State:
    """Return these values without those rolls of a family and what they used up of which a person may not know; `known` returns what they may."""
    names = (spent(procedure), rolled_name(procedure.family))
    rolls = {key: value for key, value in values.items() if key[1].startswith(names)}
    others = {key: value for key, value in values.items() if key not in rolls}
    return {**others, **known(rolls)}
