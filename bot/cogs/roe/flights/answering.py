"""How somebody interrupts a flight or a call: by a weapon and from how far, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from discord import ui

from bot.cogs.roe.actors import NoSuchWeapon
from bot.cogs.roe.waiting import select_fighting
from bot.rolls.pending.answering import Answer, Answering
from bot.rolls.request import PartRequest, RollRequest
from bot.ui import parsing
from bot.ui.reply import text_field
from rules.books.roe.aim import ACTOR, RESISTER
from rules.books.roe.interrupting import STRIKE
from rules.fields import word_id

FLEE, CALL, ANSWER = "turn.flee", "turn.call", "turn.answer"
"""The acts that others may interrupt."""

NEAR_BASE, PUBLIC = "near base", "comlink"
"""What is typed where a call is made near the faction's base, or over a public emergency comlink, with whom that summons."""

ARMS = "arms"
"""The input of a part with the attacks that whoever may interrupt can make, one with each weapon, the usual one first."""

OTHERWISE = "anyone who hasn't answered doesn't interrupt"
YES, NO = "interrupt", "no"
_FARTHEST_M = 10_000


def interrupted(request: RollRequest, place: int, answer: Answer | None) -> RollRequest:
    """Return the request with the attack of whoever interrupts; as it is where they do not."""
    part = _without(request.parts[place], STRIKE)
    if answer is None or answer.choice == NO:
        return request.with_part(place, part)
    typed = answer.fields
    attack = _meant(part.subjects[RESISTER], part.inputs[ARMS], typed.get("weapon", ""))
    metres = parsing.whole(typed.get("metres"), "distance", 0, _FARTHEST_M, default=round(attack["range_m"]))
    inputs = {**part.inputs, STRIKE: {**attack, "range_m": metres}}
    return request.with_part(place, part.model_copy(update={"inputs": inputs}))


def other_strikes(request: RollRequest, place: int) -> Iterator[tuple[str, RollRequest]]:
    """Yield how else whoever interrupts might: with each weapon, from as far away as was typed, then from as far as is usual with it."""
    part = request.parts[place]
    who, arms = part.subjects[RESISTER], part.inputs.get(ARMS, ())
    typed = part.inputs[STRIKE]["range_m"] if STRIKE in part.inputs else None
    ways = [{**attack, "range_m": typed} for attack in arms if typed is not None]
    for attack in (*ways, *(attack for attack in arms if attack["range_m"] != typed)):
        told = f"{who} can interrupt with {attack['names'][0]}, from {attack['range_m']:g} m."
        inputs = {**part.inputs, STRIKE: attack}
        yield told, request.with_part(place, part.model_copy(update={"inputs": inputs}))


def as_answered(request: RollRequest) -> RollRequest:
    """Return what is rolled: a part for each who interrupts, or one for whoever nobody does."""
    struck = [_without(part, ARMS) for part in request.parts if STRIKE in part.inputs]
    return request.model_copy(update={"parts": tuple(struck) or (alone(request.parts[0]),)})


def alone(part: PartRequest) -> PartRequest:
    """Return the part of whoever nobody interrupts."""
    only = {"subjects": {ACTOR: part.subjects[ACTOR]}, "ids": {ACTOR: part.ids[ACTOR]}}
    return _without(part, ARMS).model_copy(update=only)


def against(part: PartRequest, number: int, name: str, attacks: Sequence[Mapping[str, Any]]) -> PartRequest:
    """Return the part with somebody (number and name) who may interrupt by one of these attacks."""
    who: dict[str, Any] = {"subjects": {**part.subjects, RESISTER: name}, "ids": {**part.ids, RESISTER: (number,)}}
    return part.model_copy(update={**who, "inputs": {**part.inputs, ARMS: [*attacks]}})


def _without(part: PartRequest, name: str) -> PartRequest:
    return part.model_copy(update={"inputs": {key: value for key, value in part.inputs.items() if key != name}})


def _meant(who: str, attacks: Sequence[dict[str, Any]], typed: str) -> dict[str, Any]:
    """Return the attack of somebody (their name) with the weapon that is meant: the usual one where none is."""
    if not typed:
        return attacks[0]
    for item in attacks:
        if word_id(typed) in {word_id(item["names"][0]), word_id(item["tokens"][0])}:
            return item
    raise NoSuchWeapon(who, typed, [item["names"][0] for item in attacks])


def _window(draft: Mapping[str, str], _own: str) -> Iterator[ui.Label[ui.Modal]]:
    """Yield the fields of the window for an interrupt."""
    weapon, metres = draft.get("weapon") or None, draft.get("metres") or None
    hint, far = "The character's first weapon", "10, or 1 in melee"
    yield text_field("weapon", "Weapon", placeholder=hint, value=weapon, limit=60, needed=False)
    yield text_field("metres", "Distance in metres", placeholder=far, value=metres, limit=5, needed=False)


_INTERRUPT = Answering(
    interrupted,
    {YES: "Interrupt", NO: "No"},
    _window,
    open=(YES,),
    made=as_answered,
    there=select_fighting,
    others=other_strikes,
)
INTERRUPTS: Mapping[str, Answering] = dict.fromkeys((FLEE, CALL, ANSWER), _INTERRUPT)
