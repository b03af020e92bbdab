"""What comes after a fight as it is typed: made into the parts of a roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, acting
from bot.cogs.roe.after.facts import FACTS, VEHICLE
from bot.cogs.roe.after.held import ALONE, CAPTURES, ESCAPE, captivity_of, require_in_time, surrendering
from bot.cogs.roe.fights.looking import BOOK, campaign_with_fights
from bot.core import subjects
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person, now_of
from bot.core.visibility import viewer_of
from bot.errors import BadInput, NotAllowed
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand
from bot.ui import parsing
from rules.books.roe.afterwards import SIZE, WITNESS
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.recovery import CREDITS, HOURS, HP
from rules.books.roe.rows import TOOLS

TAKES: Mapping[str, str] = {
    "body": "may.loot",
    "pocket": "may.pickpocket",
    "surgery": "after.surgery",
    "install": "after.install",
    "frisk": "after.frisk",
    "captor": "after.captor",
    "vehicle": "may.loot",
}
"""The roll families of `/roe take`, by how something is taken."""
SIZED = frozenset({"body", "pocket", "vehicle"})
OPERATING = frozenset({"surgery", "install"})
HOSPITAL, TREAT = "after.hospital", "after.treat"
ORDINARY = "ordinary"


class TypedTake(Struct, frozen=True):
    """How something is taken from whom, of a stack of which size and kind, by which character."""

    how: str
    victim: str
    size: int | None = None
    stack: str = ORDINARY
    character: str | None = None
    modifiers: str | None = None
    note: str | None = None


class TypedCapture(Struct, frozen=True):
    """What is done to whom by which character; `surrenders` says that the one does not resist."""

    how: str
    who: str | None
    character: str | None
    surrenders: bool = False
    note: str | None = None


class TypedTreatment(Struct, frozen=True):
    """Who is treated or pays, by how many HP, hours or credits, and who heals."""

    character: str | None
    how: str
    amount: int | None
    hours: float | None
    healer: str | None
    note: str | None = None


def take(tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedTake) -> RollCommand:
    """Return the roll by which something is taken."""
    who = acting(tx, library, person, channels, typed.character)
    names = parsing.names(typed.victim, "name", MAX_PARTS if typed.how == "pocket" else 1)
    parsing.refuse_both((who.actor.name,), names)
    inputs = _taking(typed)
    parts = [_part(who, names[0], inputs), *(_part(who, name, {WITNESS: True}) for name in names[1:])]
    family = (BOOK, TAKES[typed.how])
    return RollCommand(channels, family, parts, modifiers=typed.modifiers, note=typed.note)


def capture(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedCapture
) -> RollCommand:
    """Return the roll by which somebody is captured, escapes or is let go."""
    family = (BOOK, CAPTURES[typed.how])
    if typed.how in ALONE:
        who = acting(tx, library, person, channels, typed.character or typed.who)
        if typed.how == ESCAPE:
            require_in_time(tx, who.viewer, who.actor, who.book, now_of(tx, person, who.viewer.campaign))
        return RollCommand(channels, family, [_alone(who, {})], note=typed.note)
    if typed.who is None:
        raise BadInput("Who is the target?", "Name them as who.")
    (name,) = parsing.names(typed.who, "name", 1)
    if typed.how == "release":
        return RollCommand(channels, family, [_release(tx, library, person, channels, name)], note=typed.note)
    who = acting(tx, library, person, channels, typed.character)
    parsing.refuse_both((who.actor.name,), (name,))
    return RollCommand(
        channels, family, [_part(who, name, surrendering() if typed.surrenders else {})], note=typed.note
    )


def needs_yes(typed: TypedCapture) -> bool:
    """Tell whether another one has to agree to what a player does."""
    return typed.how == ESCAPE or (typed.surrenders and typed.how in {"cuff", "detain"})


def recovery(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: TypedTreatment
) -> RollCommand:
    """Return the roll by which somebody is treated, or pays the hospital."""
    who = acting(tx, library, person, channels, typed.character)
    if typed.how == "hospital":
        if typed.amount is None or typed.hours is not None or typed.healer is not None:
            raise BadInput(
                "The hospital takes half of the credits.", "Type how many credits there are as amount, or 0."
            )
        return RollCommand(channels, (BOOK, HOSPITAL), [_alone(who, {CREDITS: typed.amount})], note=typed.note)
    if (typed.amount is None) == (typed.hours is None):
        raise BadInput("A treatment restores HP or shortens being Wounded.", "Type an amount of HP, or hours.")
    inputs = {HP: typed.amount} if typed.hours is None else {HOURS: typed.hours}
    if typed.healer is None:
        return RollCommand(channels, (BOOK, TREAT), [_alone(who, inputs)], note=typed.note)
    (healer,) = parsing.names(typed.healer, "name", 1)
    parsing.refuse_both((who.actor.name,), (healer,))
    return RollCommand(channels, (BOOK, TREAT), [_part(who, healer, inputs)], note=typed.note)


def _release(tx: Connection, library: Library, person: Person, channels: Sequence[int], name: str) -> PartRequest:
    """Return the release of a captive by whoever holds them; players release captives of characters of theirs."""
    campaign = campaign_with_fights(tx, library, person, locate(tx, person.guild_id, channels).id, lock=False)
    viewer = viewer_of(tx, person, campaign)
    held = captivity_of(tx, viewer, name)
    by = subjects.by_number(tx, campaign.id, [held[1]["by"]]) if held else {}
    captor = next((item for item in by.values() if viewer.knows(item)), None)
    if held is None or captor is None:
        raise BadInput(f"You don't know of a captive called {name}.", "See /roe wounds for a character's state.")
    if not (viewer.person.leads(campaign) or viewer.owns(captor)):
        raise NotAllowed(
            f"{held[0].name} is a captive of {captor.name}.",
            "Only the captor's player or a game master can release them.",
        )
    if not captor.saved:
        raise BadInput(f"{held[0].name} is a captive of {captor.name}, who isn't saved.", "Use /captive release.")
    names = {ACTOR: captor.name, RESISTER: held[0].name}
    return PartRequest(subjects=names, ids={ACTOR: (captor.id,), RESISTER: (held[0].id,)})


def _taking(typed: TypedTake) -> dict[str, Any]:
    """Return the inputs of a taking."""
    if typed.how in OPERATING:
        if typed.size is None:
            raise BadInput("Surgery uses Medical_Tools.", "Type how many there are as size.")
        return {TOOLS: typed.size}
    if typed.how not in SIZED:
        if typed.size is not None:
            raise BadInput(f"{typed.how} takes no size.", "Leave the size out.")
        return {}
    facts = {} if typed.stack == ORDINARY else {FACTS: [f"thing.{typed.stack}"]}
    sized = {} if typed.size is None else {SIZE: typed.size}
    return {**facts, **sized, **({VEHICLE: True} if typed.how == "vehicle" else {})}


def _part(who: Acting, name: str, inputs: Mapping[str, Any]) -> PartRequest:
    return PartRequest(
        subjects={ACTOR: who.actor.name, RESISTER: name}, ids={ACTOR: (who.actor.id,)}, inputs=dict(inputs)
    )


def _alone(who: Acting, inputs: Mapping[str, Any]) -> PartRequest:
    return PartRequest(subjects={ACTOR: who.actor.name}, ids={ACTOR: (who.actor.id,)}, inputs=dict(inputs))
