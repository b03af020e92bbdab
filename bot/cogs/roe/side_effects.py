"""What rolls bring besides their rows: noise, holds that break, and people thrown out of vehicles."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.actors import THROW_BACK, Occupant, list_aboard
from bot.cogs.roe.fight_view import BOOK
from bot.core import knowledge, profiles, state
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body, EntryView
from bot.core.library import label_effect
from bot.core.profiles import Profile
from bot.core.records import Change, Entry
from bot.core.subjects import get_subjects
from bot.core.visibility import make_player_viewer
from bot.outbox.queue import OutgoingMessage
from bot.rolls.entry_body import home_of
from bot.rolls.extension import ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import PartRequest
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import plain
from rules.book import Book
from rules.books.roe.fights import BY, HIDDEN, SEATED
from rules.books.roe.hiding import NOISE
from rules.books.roe.turns import Noise, Upkeep
from rules.books.roe.vehicles import usual_hp, vehicle_class
from rules.books.roe.wounds import HEALTH, make_wound
from rules.effects import EFFECT, AppliedConsequence
from rules.ends import Moment
from rules.modifiers import Known, Origin
from rules.procedure import Part, PartResult, Throw
from rules.subjects import number_of, subject_key, subject_number
from rules.tables import Tone

HEARD = "heard"
"""Under which name the body of a roll tells the noise that it has made, in words."""

HIDDEN_TRAIT = HIDDEN.removeprefix(EFFECT)


def keep_quiet(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return that a roll is quiet in which somebody hides in a fight whose hiding it does not end, and what noise it has made.

    What is done to somebody hidden is so where whoever does it has seen that one: the others have not.
    """
    act = roll.book.acts.get(roll.resolution.family)
    deeds = roll.resolution.deeds
    shown = {number for do, number in _list_all_done(roll) if HIDDEN_TRAIT in deeds[do].ends}
    quiet = not (act is not None and act.loud) and not {*_list_hiding(roll)} <= shown
    heard = [*_list_noises(tx, roll)]
    return ExtraChanges(body={HEARD: heard} if heard else {}, quiet=quiet)


def tell_noise(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add a message to all about the noise of what they do not read else, with just that information (line 163).

    What is amended was heard when it was made: all would read of another shot. What was kept from all by whoever rolled it stays so.
    """
    body = entry.content()
    heard = body.get(HEARD)
    if not heard or body["to"] != "auto" or "amends" in body or _is_read(body, heard):
        return messages
    embed = discord.Embed(description="\n".join(map(plain, heard)), colour=COLOURS["neutral"])
    embed.set_footer(text=campaign.name)
    return [*messages, OutgoingMessage("notice", home_of(entry) or campaign.results_channel_id, [embed])]


def _list_noises(tx: Connection, roll: ResolvedRoll) -> Iterator[str]:
    """Yield the noises that a roll has made, in words; none of somebody secret, of whom nobody hears either."""
    loud = {item.label for item in roll.book.listed(Noise).values()}
    for part in roll.resolution.parts:
        makers = {value["by"] for _, name, value in part.changes if name == NOISE and value}
        if any(item.secret for item in get_subjects(tx, roll.campaign.id, makers).values()):
            continue
        yield from (_noise(step) for step in part.steps if isinstance(step, Throw) and step.title in loud)


def _noise(step: Throw) -> str:
    return f"{step.title}: {step.text}"


def _is_read(body: Body, heard: Sequence[str]) -> bool:
    """Return whether all read of these noises in the parts of a roll that are public."""
    public = [part for part in body["parts"] if part["audience"] == "results" and not part["secret"]]
    told = {f"{step['title']}: {step.get('text')}" for part in public for step in part["steps"]}
    return told.issuperset(heard)


def find_hiding(tx: Connection, campaign_id: int, numbers: Collection[int]) -> set[int]:
    """Return who of these (numbers) hides in a fight, for whatever is told to all."""
    kept = state.get_values_named(tx, campaign_id, [*map(subject_key, numbers)], {HIDDEN}) if numbers else {}
    return {number_of(subject) for (subject, _), value in kept.items() if _hides(value)}


def _hides(value: Mapping[str, Any] | None) -> bool:
    return bool(value and value.get("scene"))


def _list_hiding(roll: ResolvedRoll) -> Iterator[int]:
    """Yield who hides (numbers) and acts, or is known to whoever acts."""
    actor = roll.book.procedure(roll.resolution.family).actor
    for part in roll.request.parts:
        acting = {*part.ids.get(actor, ())}
        for number in (number for some in part.ids.values() for number in some if number is not None):
            value = roll.before.get((subject_key(number), HIDDEN))
            if value and _hides(value) and acting & {number, *value.get(BY, ())}:
                yield number


def _list_done(asked: PartRequest, made: PartResult) -> Iterator[tuple[str, int]]:
    """Yield the deeds that follow from a part, each with whom (a number) it is done to."""
    for item in made.conclusion.consequences if made.conclusion else ():
        yield from ((item.do, number) for number in asked.ids.get(item.to or "", ()) if number is not None)


def _list_all_done(roll: ResolvedRoll) -> Iterator[tuple[str, int]]:
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        yield from _list_done(asked, made)


OPENED = f"{EFFECT}opened"
"""The effect on a vehicle whose hatch is open."""
WRECK, LEAVE, GO_DOWN = "wreck", "get-out", "wound"
"""The deeds of a vehicle that is destroyed, and of those who are thrown out of it."""
THROWN = "thrown_out"
"""What the entry of a roll has of those who are thrown out: a line for each of whom everybody may know."""
_WHO = "actor"


def find_vehicle_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what is true of vehicles and pets by what they are, of vehicles by who is aboard, and of people by their vehicle."""
    parts = context.everyone
    seated = {
        item.id: value["other"]
        for part in parts
        for _, item in part
        if (value := context.kept.get((item.key, SEATED))) and value.get("other") is not None
    }
    vehicles = profiles.read_profiles(tx, context.campaign.id, {*seated.values()})
    open_ = (
        state.get_values_named(tx, context.campaign.id, {item.key for item in vehicles.values()}, {OPENED})
        if vehicles
        else {}
    )
    found = []
    for part in context.saved:
        facts: dict[str, Known] = {}
        for role, item in part:
            vehicle = vehicles.get(seated.get(item.id, 0))
            facts |= _find_own_facts(tx, context, role, item) if vehicle is None else {}
            facts |= (
                _find_rider_facts(context, role, item, vehicle, opened=(vehicle.key, OPENED) in open_)
                if vehicle
                else {}
            )
        found.append(facts)
    return found


def _find_rider_facts(
    context: RollContext, role: str, item: Profile, vehicle: Profile, *, opened: bool
) -> dict[str, Known]:
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


def _find_own_facts(tx: Connection, context: RollContext, role: str, item: Profile) -> dict[str, Known]:
    """Return the HP of a vehicle or pet by what it is, where none are saved, and who is known to be aboard."""
    facts, saved = {}, Origin("saved", item.name)
    hp = usual_hp(context.book, item.fields)
    if hp is not None and "hp" not in item.fields:
        facts[f"{role}.hp"] = Known(hp, saved, secret=item.secret)
    if vehicle_class(context.book, item.fields) is not None:
        crew = [each for each in list_aboard(tx, context.campaign.id, context.book, item.id) if context.knows(each.who)]
        for name, some in _group_by_seat(crew).items():
            secret = item.secret or any(each.who.secret for each in some)
            facts[f"{role}.{name}"] = Known(len(some), saved, secret=secret)
    return facts


def _group_by_seat(crew: Sequence[Occupant]) -> Mapping[str, Sequence[Occupant]]:
    found: dict[str, list[Occupant]] = {}
    for each in crew:
        name = "driven" if each.seat.moves else "manned" if each.seat.may_fire else "aboard"
        found.setdefault(name, []).append(each)
    return found


_REACHED = "actor.at-grenade"


def find_grenades_in_reach(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return that whoever throws a grenade back reaches it, unless it was said to lie farther away."""
    known, reach = Known(1, Origin("typed", "as typed")), context.book.number("melee-reach-m")
    back = context.procedure.family == THROW_BACK
    away = [part.inputs.get("range_m") or 0 if back else 0 for part in context.request.parts]
    return [{_REACHED: known} if metres <= reach else {} for metres in away]


def throw_out(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return what becomes of those who sit in vehicles that a roll destroys: they are out of them, with HP less, and may go down."""
    thrown = [*list_thrown_out(tx, roll)]
    changes = {(who.key, name): value for who, values in thrown for name, value in values.items()}
    unseen = find_hiding(tx, roll.campaign.id, [who.id for who, _ in thrown])
    told = [_describe_thrown(who, values) for who, values in thrown if not who.secret and who.id not in unseen]
    return ExtraChanges(changes, {THROWN: told} if told else {})


def list_thrown_out(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[Profile, Mapping[str, Any]]]:
    """Yield those who sit in vehicles that a roll destroys, each with what changes of them, by the names of the values."""
    for vehicle in [number for do, number in _list_all_done(roll) if do == WRECK]:
        for each in list_aboard(tx, roll.campaign.id, roll.book, vehicle):
            yield each.who, _find_thrown_changes(tx, roll, each.who)


def _describe_thrown(who: Profile, values: Mapping[str, Any]) -> str:
    full, lost = who.fields.get("hp"), values[HEALTH]["lost"]
    left = f": {full - lost} of {full} HP left" if full is not None else f": {lost} HP lost by now"
    return f"{who.name} is thrown out{left}"


def _find_thrown_changes(tx: Connection, roll: ResolvedRoll, who: Profile) -> dict[str, Any]:
    book, moment = roll.book, roll.moment
    kept = {name: value for (_, name), value in state.get_values(tx, roll.campaign.id, {who.key}).items()}
    changes: dict[str, Any] = {EFFECT + trait: None for trait in book.deeds[LEAVE].ends}
    full, lost = who.fields.get("hp"), (kept.get(HEALTH) or {}).get("lost", 0) + book.number("ejected-hp")
    changes[HEALTH] = {"lost": lost if full is None else min(full, lost), "entry": moment.entry}
    rule = book.rule(GO_DOWN)
    if full is not None and lost >= full and rule is not None:
        true = {
            f"{_WHO}.{trait}": Known(count, Origin("saved", who.name))
            for trait, count in who.known(book.fields).items()
        }
        wound = make_wound(book, Part(GO_DOWN, {_WHO: who.name}, true), _WHO)
        applied = AppliedConsequence(wound, book.deeds[GO_DOWN], who.name, moment, kept, whose=who.id)
        changes |= {name: value for _, name, value in rule(applied)}
    return {name: value for name, value in changes.items() if value is not None or name in kept}


BROKEN = "broken"
"""Under which name the body of a roll tells what it has broken, in words."""


def break_holds(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Return what ends at once by what befalls those in a roll, on them and on those with whom they have it."""
    ended = dict(_list_broken(tx, roll))
    if not ended:
        return ExtraChanges()
    unseen = find_hiding(tx, roll.campaign.id, {number_of(subject) for subject, _ in ended})
    seen = {key: value for key, value in ended.items() if number_of(key[0]) not in unseen}
    known = knowledge.see_values(tx, make_player_viewer(roll.campaign), seen)
    called = get_subjects(tx, roll.campaign.id, {number_of(key[0]) for key in known})
    told = [f"{called[number_of(key[0])].name}: {label_effect(roll.book.effects, key[1], known[key])}" for key in known]
    return ExtraChanges(dict.fromkeys(ended), {BROKEN: told} if told else {})


def break_by_hand(
    tx: Connection, resolver: Resolver, campaign: Campaign, effect: StateKey, _now: Moment
) -> Iterator[tuple[Change, str]]:
    """Give what an effect that a game master sets breaks at once, such as a hold by a stun."""
    number = subject_number(effect[0])
    if BOOK not in campaign.books or number is None:
        return
    book = resolver.library.book(tx, campaign, BOOK)
    ended = dict(_list_broken_by(tx, campaign.id, book, number, effect[1].removeprefix(EFFECT)))
    called = get_subjects(tx, campaign.id, {number_of(subject) for subject, _ in ended})
    for (subject, name), before in ended.items():
        who, what = called[number_of(subject)].name, label_effect(book.effects, name, before)
        yield Change(subject, name, before, None), f"Ended at once: {who}: {what}"


def _tell(
    name: str, title: str, tone: Tone, campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a message with the lines of this name in the body of a roll, where it is shown."""
    told = entry.content().get(name)
    if not told or not messages:
        return messages
    embed = discord.Embed(title=title, description="\n".join(map(plain, told)), colour=COLOURS[tone])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", messages[0].channel_id, [embed])]


tell_thrown_out = partial(_tell, THROWN, "Thrown out", "failure")
tell_broken = partial(_tell, BROKEN, "Ended at once", "neutral")


def _list_broken(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[StateKey, dict[str, Any]]]:
    for number, trait in _list_begun(tx, roll):
        yield from _list_broken_by(tx, roll.campaign.id, roll.book, number, trait)


def _list_broken_by(
    tx: Connection, campaign_id: int, book: Book, number: int, trait: str
) -> Iterator[tuple[StateKey, dict[str, Any]]]:
    """Yield what is broken by an effect (its trait) that befalls somebody (number)."""
    for item in book.listed(Upkeep).values():
        own = _kept(tx, campaign_id, number, item.ends) if trait in item.breaks else {}
        others = {value["other"] for value in own.values() if value.get("other")}
        theirs = {key: value for other in others for key, value in _kept(tx, campaign_id, other, item.frees).items()}
        yield from own.items()
        yield from ((key, value) for key, value in theirs.items() if value.get("other") == number)


def _kept(tx: Connection, campaign_id: int, number: int, traits: Sequence[str]) -> dict[StateKey, dict[str, Any]]:
    return state.get_values_named(tx, campaign_id, {subject_key(number)}, {EFFECT + trait for trait in traits})


def _list_begun(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[int, str]]:
    """Yield whom (numbers) something befalls by a roll, and what, by its trait: by what follows, by a zone, or out of a vehicle."""
    deeds = roll.resolution.deeds
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        called = {asked.subjects[role]: ids for role, ids in asked.ids.items() if role in asked.subjects}
        for who, name, value in made.changes:
            if name.startswith(EFFECT) and value is not None:
                yield from ((number, name.removeprefix(EFFECT)) for number in called.get(who, ()) if number is not None)
        yield from ((number, trait) for do, number in _list_done(asked, made) if (trait := deeds[do].effect))
    for thrown, values in list_thrown_out(tx, roll):
        begun = [name for name, value in values.items() if name.startswith(EFFECT) and value is not None]
        yield from ((thrown.id, name.removeprefix(EFFECT)) for name in begun)
