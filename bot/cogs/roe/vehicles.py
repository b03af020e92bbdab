"""Vehicles in rolls: what is true of those in them, who is aboard, and what becomes of them with it (lines 502 to 539)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.aboard import Aboard, aboard
from bot.cogs.roe.quiet import hiding
from bot.core import profiles, state
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.situation import RollContext
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import plain
from rules.books.roe.health import HEALTH
from rules.books.roe.hulls import usual_hp, vehicle_class
from rules.books.roe.injury import wound_of
from rules.books.roe.marks import SEATED
from rules.effects import EFFECT, AppliedConsequence
from rules.facts import Known, Origin
from rules.procedure import Part

OPENED = f"{EFFECT}opened"
"""The effect on a vehicle whose hatch is open."""
WRECK, LEAVE, GO_DOWN = "wreck", "get-out", "wound"
"""The deeds of a vehicle that is destroyed, and of those who are thrown out of it."""
THROWN = "thrown_out"
"""What the entry of a roll has of those who are thrown out: a line for each of whom everybody may know."""
_WHO = "actor"


def facts_of_vehicles(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what is true of vehicles and pets by what they are, of vehicles by who is aboard, and of people by their vehicle."""
    parts = context.everyone
    seated = {
        item.id: value["other"]
        for part in parts
        for _, item in part
        if (value := context.kept.get((item.key, SEATED))) and value.get("other") is not None
    }
    vehicles = profiles.read(tx, context.campaign.id, {*seated.values()})
    open_ = state.named(tx, context.campaign.id, {item.key for item in vehicles.values()}, {OPENED}) if vehicles else {}
    found = []
    for part in context.saved:
        facts: dict[str, Known] = {}
        for role, item in part:
            vehicle = vehicles.get(seated.get(item.id, 0))
            facts |= _of_itself(tx, context, role, item) if vehicle is None else {}
            facts |= _of_rider(context, role, item, vehicle, opened=(vehicle.key, OPENED) in open_) if vehicle else {}
        found.append(facts)
    return found


def _of_rider(context: RollContext, role: str, item: Profile, vehicle: Profile, *, opened: bool) -> dict[str, Known]:
    """Return what is true of whoever sits in a vehicle."""
    known = Known(1, Origin("vehicle", vehicle.name), secret=item.secret or vehicle.secret)
    kind = vehicle_class(context.book, vehicle.fields)
    if kind is None:
        return {}
    facts = {f"{role}.carried-m": replace(known, count=kind.metres)} if kind.metres else {}
    true = {
        "vehicle": True,
        "cover": True,
        "wheeled": kind.wheeled,
        "protected": kind.protected and not opened,
        "slot": kind.slots > 0,
    }
    return facts | {f"{role}.{name}": known for name, holds in true.items() if holds}


def _of_itself(tx: Connection, context: RollContext, role: str, item: Profile) -> dict[str, Known]:
    """Return the HP of a vehicle or pet by what it is, where none are saved, and who is known to be aboard."""
    facts, saved = {}, Origin("saved", item.name)
    hp = usual_hp(context.book, item.fields)
    if hp is not None and "hp" not in item.fields:
        facts[f"{role}.hp"] = Known(hp, saved, secret=item.secret)
    if vehicle_class(context.book, item.fields) is not None:
        crew = [each for each in aboard(tx, context.campaign.id, context.book, item.id) if context.knows(each.who)]
        for name, some in _by_seat(crew).items():
            secret = item.secret or any(each.who.secret for each in some)
            facts[f"{role}.{name}"] = Known(len(some), saved, secret=secret)
    return facts


def _by_seat(crew: Sequence[Aboard]) -> Mapping[str, Sequence[Aboard]]:
    found: dict[str, list[Aboard]] = {}
    for each in crew:
        name = "driven" if each.seat.moves else "manned" if each.seat.may_fire else "aboard"
        found.setdefault(name, []).append(each)
    return found


def throw_out(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return what becomes of those who sit in vehicles that a roll destroys: they are out of them, with HP less, and may go down."""
    thrown = [*who_is_thrown_out(tx, roll)]
    changes = {(who.key, name): value for who, values in thrown for name, value in values.items()}
    unseen = hiding(tx, roll.campaign.id, [who.id for who, _ in thrown])
    told = [_told(who, values) for who, values in thrown if not who.secret and who.id not in unseen]
    return ExtraChanges(changes, {THROWN: told} if told else {})


def who_is_thrown_out(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[Profile, Mapping[str, Any]]]:
    """Yield those who sit in vehicles that a roll destroys, each with what changes of them, by the names of the values."""
    for vehicle in _wrecked(roll):
        for each in aboard(tx, roll.campaign.id, roll.book, vehicle):
            yield each.who, _thrown_out(tx, roll, each.who)


def tell_thrown_out(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add a message about those whom a destroyed vehicle has thrown out, where its roll is told; of whoever is secret or hides it says nothing."""
    told = entry.content().get(THROWN)
    if not told or not messages:
        return messages
    embed = discord.Embed(title="Thrown out", description="\n".join(map(plain, told)), colour=COLOURS["failure"])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", messages[0].channel_id, [embed])]


def _told(who: Profile, values: Mapping[str, Any]) -> str:
    full, lost = who.fields.get("hp"), values[HEALTH]["lost"]
    left = f": {full - lost} of {full} HP left" if full is not None else f": {lost} HP lost by now"
    return f"{who.name} is thrown out{left}"


def _wrecked(roll: ResolvedRoll) -> list[int]:
    """Return the vehicles (numbers) that a roll destroys."""
    pairs = zip(roll.resolution.parts, roll.request.parts, strict=True)
    return [
        number
        for result, part in pairs
        for done in (result.conclusion.consequences if result.conclusion else ())
        if done.do == WRECK and done.to
        for number in part.ids.get(done.to, ())
        if number is not None
    ]


def _thrown_out(tx: Connection, roll: ResolvedRoll, who: Profile) -> dict[str, Any]:
    """Return what changes of somebody whom a vehicle throws out, by the names of the values."""
    book, moment = roll.book, roll.moment
    kept = {name: value for (_, name), value in state.of_subjects(tx, roll.campaign.id, {who.key}).items()}
    changes: dict[str, Any] = {EFFECT + trait: None for trait in book.deeds[LEAVE].ends}
    full, lost = who.fields.get("hp"), (kept.get(HEALTH) or {}).get("lost", 0) + book.number("ejected-hp")
    changes[HEALTH] = {"lost": lost if full is None else min(full, lost), "entry": moment.entry}
    rule = book.rule(GO_DOWN)
    if full is not None and lost >= full and rule is not None:
        true = {
            f"{_WHO}.{trait}": Known(count, Origin("saved", who.name))
            for trait, count in who.known(book.fields).items()
        }
        wound = wound_of(book, Part(GO_DOWN, {_WHO: who.name}, true), _WHO)
        applied = AppliedConsequence(wound, book.deeds[GO_DOWN], who.name, moment, kept, whose=who.id)
        changes |= {name: value for _, name, value in rule(applied)}
    return {name: value for name, value in changes.items() if value is not None or name in kept}
