"""Facts of what comes after a fight: what was typed of a thing, who has downed, looted or holds whom, and who is present."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import knowledge
from bot.core.profiles import Profile
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import any_player
from bot.rolls.situation import RollContext
from rules.book import Book
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.health import HEALTH
from rules.books.roe.lasting_rules import AN_HOUR
from rules.books.roe.prisoners import NAMES, Someone, true_of
from rules.books.roe.turn_catalog import Timer
from rules.books.roe.wounds import minutes
from rules.facts import Known, Origin

FACTS, VEHICLE = "facts", "vehicle"
"""The inputs of a part that name what was said to be true, and say that a vehicle is taken."""
HELD = "captive"
"""The timer of a captivity."""
TYPED = Known(1, Origin("typed", "said"))
_TAKEN_WITH_IT = ("thing.vehicle", "thing.used-in-scene", "thing.crew-gone")
"""What whoever takes a vehicle says with that."""


class Pair(Struct, frozen=True):
    """Who acts in a part, and on whom, if on somebody of whom something is kept."""

    actor: Subject
    resister: Subject | None


def after_fights(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what was said, and what is kept of two in a roll, part by part."""
    pairs = [_pair(dict(part)) for part in context.everyone]
    own = {item.key for pair in pairs if pair for item in (pair.actor, pair.resister) if item}
    kept = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in NAMES}
    asker = context.request.by or context.mine  # who has asked for it, also where another one has said yes
    seen = knowledge.values(tx, any_player(context.campaign, asker), kept) if kept else {}
    saved = [dict(part).get(RESISTER) for part in context.saved]
    parts = zip(context.request.parts, pairs, saved, strict=True)
    return [
        dict(_said(part.inputs, context))
        | (dict(_of_vehicle(context, there)) if part.inputs.get(VEHICLE) else {})
        | (dict(_of_people(context, pair, kept, seen)) if pair else {})
        for part, pair, there in parts
    ]


def held_hours(book: Book) -> float:
    """Return for how many hours a captive is held at least."""
    return minutes(book, book.listed(Timer)[HELD]) / AN_HOUR


def _said(inputs: Mapping[str, Any], context: RollContext) -> Iterator[tuple[str, Known]]:
    yield from ((fact, TYPED) for fact in inputs.get(FACTS, ()))
    if context.request.staff or context.request.led:
        yield f"{ACTOR}.watched", TYPED


def _of_vehicle(context: RollContext, vehicle: Profile | None) -> Iterator[tuple[str, Known]]:
    """Yield what is true of a vehicle that is taken."""
    yield from ((fact, TYPED) for fact in _TAKEN_WITH_IT)
    if vehicle is not None:
        lost = context.kept.get((vehicle.key, HEALTH))
        full = vehicle.fields.get("hp")
        if lost is not None and full is not None and lost["lost"] >= full:
            yield "thing.wrecked", Known(1, Origin("saved", vehicle.name), secret=vehicle.secret)


def _of_people(context: RollContext, pair: Pair, kept: State, seen: State) -> Iterator[tuple[str, Known]]:
    """Yield what loot and captivity make true of two; what players may not know is secret, unless a game master rolls."""
    led = context.secrets and (context.request.staff or context.request.led)
    real, told = (_true(context, pair, values, led=led) for values in (kept, seen))
    hidden = pair.actor.secret or bool(pair.resister and pair.resister.secret)
    for fact in sorted(real):
        yield fact, Known(1, Origin("saved", "as saved"), secret=not led and (hidden or fact not in told))


def _true(context: RollContext, pair: Pair, values: State, *, led: bool) -> frozenset[str]:
    resister = None if pair.resister is None else _someone(pair.resister, values)
    return true_of(_someone(pair.actor, values), resister, context.moment, held_hours(context.book), led=led)


def _someone(item: Subject, values: State) -> Someone:
    return Someone(item.id, {name: value for (key, name), value in values.items() if key == item.key})


def _pair(part: Mapping[str, Subject]) -> Pair | None:
    return Pair(part[ACTOR], part.get(RESISTER)) if ACTOR in part else None
