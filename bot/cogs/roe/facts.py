"""What is true of those in a roll, and the acts they can't do."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.fight_changes import require_own_turn
from bot.cogs.roe.fight_view import FIGHTS, THROW_BACK, find_fight_of, require_nothing_waits
from bot.core import profiles, state, subjects, visibility
from bot.core.errors import NotAllowed, NotAsItIs
from bot.core.profiles import Profile
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, make_player_viewer
from bot.rolls.extension import ConsideredRoll
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui.text import to_local
from rules.book import OTHER, Act, Book
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe import fights, handling, turns, vehicles, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, VehicleSeat
from rules.effects import EFFECT, Moment, is_current, scene_of
from rules.errors import RollError
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part
from rules.subjects import name_key, subject_number


def find_turn_facts(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find effects between people in the roll, what the actor has done this turn, and who is hidden from them.

    In an act of a turn, characters outside all fights count as hidden: a name would reveal who is there.
    """
    in_turn = context.procedure.family.startswith(fights.TURN_NOTES)
    people = {item.id for part in context.profiles_by_role for _, item in part if in_turn and item.is_character}
    return [
        dict(_find_mutual_effects(context, part))
        | dict(_find_turn_marks(context, part))
        | dict(_find_unseen(context, part, people))
        for part in context.everyone
    ]


def _find_mutual_effects(context: RollContext, part: Sequence[tuple[str, Subject]]) -> Iterator[tuple[str, KnownFact]]:
    roles, by_key = {item.id: role for role, item in part}, {item.key: (role, item) for role, item in part}
    for (subject, name), value in context.kept.items():
        if subject in by_key and name.startswith(EFFECT):
            role, item = by_key[subject]
            if roles.get(value.get("other"), role) != role and is_current(value, context.moment):
                known = KnownFact(1, Origin("effect", "", value["entry"]), secret=context.hides(item))
                yield f"{role}.{name.removeprefix(EFFECT)}{OTHER}", known


def _find_turn_marks(context: RollContext, part: Sequence[tuple[str, Subject]]) -> Iterator[tuple[str, KnownFact]]:
    for role, item in part:
        at = context.scenes.standing.get(item.id)
        if at and role == context.procedure.actor and context.knows(item):
            origin, secret = Origin("scene", at.header.name, at.header.entry), context.hides(item)
            notes = ((mark, count) for mark, count in at.marks.items() if mark.startswith(fights.TURN_NOTES))
            yield from ((mark, KnownFact(count, origin, secret=secret)) for mark, count in notes)


def _find_unseen(
    context: RollContext, part: Sequence[tuple[str, Subject]], people: Collection[int]
) -> Iterator[tuple[str, KnownFact]]:
    acting = {item.id for role, item in part if role == context.procedure.actor}
    there = {at.scene for _, item in part if (at := context.scenes.standing.get(item.id))}
    others = [(role, item) for role, item in part if item.id not in acting]
    for role, item in others if there else ():
        if item.id in people and item.id not in context.scenes.standing:
            yield f"{role}.unseen", KnownFact(1, Origin("effect", ""), secret=context.hides(item))
    for role, item in others:
        value = context.kept.get((item.key, fights.HIDDEN))
        if value and scene_of(value) in there and not acting & {*value.get(fights.BY, ())}:
            yield f"{role}.unseen", KnownFact(1, Origin("effect", "", value["entry"]), secret=context.hides(item))


_OPENED = f"{EFFECT}opened"


def find_vehicle_facts(tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find facts about vehicles, pets, crews and riders, part by part."""
    seated = {
        item.id: value["other"]
        for part in context.everyone
        for _, item in part
        if (value := context.kept.get((item.key, fights.SEATED))) and value.get("other") is not None
    }
    ridden = profiles.read_profiles(tx, context.campaign.id, {*seated.values()})
    keys = {item.key for item in ridden.values()}
    opened = state.get_values_named(tx, context.campaign.id, keys, {_OPENED}) if keys else {}
    found = []
    for part in context.profiles_by_role:
        facts: dict[str, KnownFact] = {}
        for role, item in part:
            vehicle = ridden.get(seated.get(item.id, 0))
            if vehicle is None:
                facts |= _find_own_facts(tx, context, role, item)
            else:
                facts |= _find_rider_facts(context, role, item, vehicle, opened)
        found.append(facts)
    return found


def _find_rider_facts(
    context: RollContext, role: str, item: Profile, vehicle: Profile, opened: state.State
) -> dict[str, KnownFact]:
    known = KnownFact(1, Origin("vehicle", vehicle.name), secret=item.secret or vehicle.secret)
    kind = vehicles.vehicle_class(context.book, vehicle.fields)
    if kind is None:
        return {}
    facts = {f"{role}.carried-m": replace(known, count=kind.metres)} if kind.metres else {}
    true = {
        "vehicle": True,
        "cover": True,
        "wheeled": kind.wheeled,
        "protected": kind.protected and (vehicle.key, _OPENED) not in opened,
        "slot": kind.slots > 0,
    }
    return facts | {f"{role}.{name}": known for name, holds in true.items() if holds}


def _find_own_facts(tx: Connection, context: RollContext, role: str, item: Profile) -> dict[str, KnownFact]:
    facts, saved = {}, Origin("saved", item.name)
    hp = vehicles.usual_hp(context.book, item.fields)
    if hp is not None and "hp" not in item.fields:
        facts[f"{role}.hp"] = KnownFact(hp, saved, secret=item.secret)
    if vehicles.vehicle_class(context.book, item.fields) is not None:
        crew: dict[str, list[Profile]] = {}
        for who, seat in list_aboard(tx, context.campaign.id, context.book, item.id):
            if context.knows(who):
                crew.setdefault("driven" if seat.moves else "manned" if seat.may_fire else "aboard", []).append(who)
        for name, some in crew.items():
            secret = item.secret or any(who.secret for who in some)
            facts[f"{role}.{name}"] = KnownFact(len(some), saved, secret=secret)
    return facts


def list_aboard(tx: Connection, campaign_id: int, book: Book, vehicle: int) -> list[tuple[Profile, VehicleSeat]]:
    """Without a known seat, someone rides in the last one."""
    kept = state.find_values_of_name(tx, campaign_id, fights.SEATED)
    numbers = {subject_number(subject) for subject, value in kept.items() if value.get("other") == vehicle}
    people = profiles.read_profiles(tx, campaign_id, {number for number in numbers if number is not None})
    if not people:
        return []
    seats = {EFFECT + (book.deeds[seat.deed].effect or ""): seat for seat in book.entries_of(VehicleSeat).values()}
    taken = state.get_values_named(tx, campaign_id, {item.key for item in people.values()}, seats)
    by_key = {subject: seats[name] for subject, name in taken}
    last = [*seats.values()][-1]
    return [(item, by_key.get(item.key, last)) for item in people.values()]


def find_grenades_in_reach(_tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find that a grenade is in reach, unless it's thrown back from farther away."""
    known, reach = KnownFact(1, Origin("typed", "as typed")), context.book.number("melee-reach-m")
    back = context.procedure.family == THROW_BACK
    away = [part.inputs.get("range_m") or 0 if back else 0 for part in context.request.parts]
    return [{f"{ACTOR}.at-grenade": known} if metres <= reach else {} for metres in away]


FACTS, VEHICLE = "facts", "vehicle"
"""Inputs of a part: facts someone typed, and whether a vehicle is taken."""
TYPED = KnownFact(1, Origin("typed", "said"))
_TAKEN_WITH_IT = ("thing.vehicle", "thing.used-in-scene", "thing.crew-gone")
"""Facts that taking a vehicle implies."""


def find_aftermath_facts(tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find typed and saved facts between actor and resister, such as wounds, part by part."""
    pairs = [{role: item for role, item in part if role in {ACTOR, RESISTER}} for part in context.everyone]
    own = {item.key for pair in pairs if ACTOR in pair for item in pair.values()}
    kept = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in wounds.NAMES}
    asker = context.request.by or context.mine  # the person who asked, also after another agreed
    seen = visibility.see_values(tx, make_player_viewer(context.campaign, asker), kept) if kept else {}
    saved = [dict(part).get(RESISTER) for part in context.profiles_by_role]
    parts = zip(context.request.parts, pairs, saved, strict=True)
    return [
        dict(_find_said(part.inputs, context))
        | (dict(_find_taken_facts(context, there)) if part.inputs.get(VEHICLE) else {})
        | (dict(_find_people_facts(context, pair, kept, seen)) if ACTOR in pair else {})
        for part, pair, there in parts
    ]


def _read_held_hours(book: Book) -> float:
    return wounds.count_minutes(book, book.entries_of(turns.Timer)["captive"]) / turns.AN_HOUR


def _find_said(inputs: Mapping[str, Any], context: RollContext) -> Iterator[tuple[str, KnownFact]]:
    yield from ((fact, TYPED) for fact in inputs.get(FACTS, ()))
    if context.request.staff or context.request.led:
        yield f"{ACTOR}.watched", TYPED


def _find_taken_facts(context: RollContext, vehicle: Profile | None) -> Iterator[tuple[str, KnownFact]]:
    yield from ((fact, TYPED) for fact in _TAKEN_WITH_IT)
    if vehicle is not None:
        lost = context.kept.get((vehicle.key, wounds.HEALTH))
        full = vehicle.fields.get("hp")
        if lost is not None and full is not None and lost["lost"] >= full:
            yield "thing.wrecked", KnownFact(1, Origin("saved", vehicle.name), secret=vehicle.secret)


def _find_people_facts(
    context: RollContext, pair: Mapping[str, Subject], kept: state.State, seen: state.State
) -> Iterator[tuple[str, KnownFact]]:
    # Facts that players may not know are secret, unless a game master rolls.
    led = context.secrets and (context.request.staff or context.request.led)
    hours, hidden = _read_held_hours(context.book), any(item.secret for item in pair.values())
    sides = [{role: _make_subject(item, values) for role, item in pair.items()} for values in (kept, seen)]
    real, known = (wounds.list_facts(side[ACTOR], side.get(RESISTER), context.moment, hours, led=led) for side in sides)
    for fact in sorted(real):
        yield fact, KnownFact(1, Origin("saved", "as saved"), secret=not led and (hidden or fact not in known))


def _make_subject(item: Subject, values: state.State) -> wounds.RollSubject:
    return wounds.RollSubject(item.id, {name: value for (key, name), value in values.items() if key == item.key})


def require_possible_act(tx: Connection, resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse impossible acts, also before a card opens.

    Only the fighter whose turn it is acts in it; outside fights only game masters roll acts.
    """
    act = roll.book.acts.get(roll.procedure.family)
    if act is None or not (act.id.startswith(fights.TURN_NOTES) or act.costs):
        return
    actors = {item.id: item for cast in roll.cast for item in cast.get(act.actor, ()) if item}
    for actor in actors.values():
        view = find_fight_of(tx, viewer, actor.id, roll.state)
        if view is not None:
            if view.fight.header.mode == "freeform":
                what = f"{view.fight.name} is free-form, so nothing is rolled."
                raise NotAsItIs(what, "Propose dice in /fight show.")
            own = view.fight.combatant(actor.id)
            if not (own and own.marks.get(fights.LATE) and view.acts_for(actor.id)):
                require_own_turn(resolver, view)
                if view.visible_fight.now != actor.id:
                    raise NotAllowed(f"It isn't {actor.name}'s turn.", FIGHTS.look)
            require_nothing_waits(tx, view, actor.id)
        elif not viewer.leads:
            raise NotAsItIs(f"{actor.name} isn't in a fight.", FIGHTS.begin)
    for part in roll.parts:
        _require_possible(roll, act, part)


def _require_possible(roll: ConsideredRoll, act: Act, part: Part) -> None:
    who, bar = part.subjects[act.actor], handling.find_bar(roll.book, act, part.facts)
    if bar is not None:
        raise NotAsItIs(f"{who}: {bar.label}", "See /fight turn for what's left.")
    try:
        roll.procedure.method.check(part, roll.book)
    except RollError as problem:
        if who in str(problem):
            raise
        raise RollError(f"{who}: {problem}") from problem  # the command may name no one


WAIT = f"{EFFECT}escape-wait"


def find_captivity(tx: Connection, viewer: Viewer, name: str) -> tuple[Subject, Mapping[str, Any]] | None:
    """Find a captive and their captivity, if the viewer knows both."""
    who = subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))
    kept = state.get_values_named(tx, viewer.campaign.id, {who.key}, {CAPTIVE}) if who else {}
    known = visibility.see_values(tx, viewer, kept)
    return (who, known[who.key, CAPTIVE]) if who and known else None


def find_next_try(kept: Mapping[str, Any], book: Book, now: Moment) -> tuple[str, str] | None:
    """Return why an escape must wait, and until when (ISO)."""
    if CAPTIVE not in kept:
        return None
    hours, at = _read_held_hours(book), now.hence(0)
    first, again = now.later(kept[CAPTIVE]["since"], hours), kept.get(WAIT, {}).get("at", at)
    if first > at:
        return f"hasn't been held for {hours:g} hours yet", first
    return ("failed to escape recently", again) if again > at else None


def require_in_time(tx: Connection, viewer: Viewer, captive: Profile, book: Book, now: Moment) -> None:
    """Refuse an escape soon after the capture or a failed try that the viewer knows."""
    kept = state.get_values_named(tx, viewer.campaign.id, {captive.key}, {CAPTIVE, WAIT})
    kept = visibility.see_values(tx, viewer, kept)
    early = find_next_try({name: value for (_, name), value in kept.items()}, book, now)
    if early is not None:
        when = f"The next try is possible on {to_local(datetime.fromisoformat(early[1]), viewer.campaign.timezone)}."
        hint = f"{when} Before that, the captor can release them with how:release."
        raise NotAsItIs(f"{captive.name} {early[0]}.", hint)
