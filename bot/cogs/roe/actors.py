"""Who acts by a command that leaves it open, with which weapons, and whom an attack may be made on; who sits in vehicles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.fight_view import (
    BOOK,
    FIGHTS,
    FightView,
    find_characters,
    find_fight_of,
    list_known,
    view_fight,
    view_here,
)
from bot.core import profiles, scenes, state
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import Numbered, choose_named
from bot.core.visibility import Viewer, require_acting
from bot.errors import BadInput, NotAsItIs, UserError
from bot.rolls.request import PartRequest
from bot.ui.text import listing
from rules.book import Book
from rules.books.roe.aim import STRAYS
from rules.books.roe.catalog import ACTOR, RESISTER, Mode, VehicleSeat
from rules.books.roe.characters import Arm, UnknownArm, find_arm, find_option, list_arms, read_arm
from rules.books.roe.fights import BY, HIDDEN, PICKED, SEATED, SHIELDED, STRAY
from rules.books.roe.hiding import is_silenced
from rules.books.roe.vehicles import PET, VEHICLE, slot_weapons
from rules.books.roe.weapons import Weapon, find_mode, find_weapon, list_modes, reach_m
from rules.effects import EFFECT
from rules.errors import nearest
from rules.fields import word_id
from rules.ruleset import RuleSet
from rules.scenes import MEMBER, Participant
from rules.subjects import name_key, subject_key, subject_number


class Occupant(Struct, frozen=True):
    """Who sits in a vehicle, and in which seat."""

    who: Profile
    seat: VehicleSeat


def list_aboard(tx: Connection, campaign_id: int, book: Book, vehicle: int) -> list[Occupant]:
    """Return who sits in a vehicle (number); who has no seat of its own rides along."""
    kept = state.find_values_of_name(tx, campaign_id, SEATED)
    numbers = {subject_number(subject) for subject, value in kept.items() if value.get("other") == vehicle}
    people = profiles.read_profiles(tx, campaign_id, {number for number in numbers if number is not None})
    if not people:
        return []
    seats = {EFFECT + (book.deeds[seat.deed].effect or ""): seat for seat in book.listed(VehicleSeat).values()}
    taken = state.get_values_named(tx, campaign_id, {item.key for item in people.values()}, seats)
    by_key = {subject: seats[name] for subject, name in taken}
    last = [*seats.values()][-1]
    return [Occupant(item, by_key.get(item.key, last)) for item in people.values()]


def add_slot_weapons(
    tx: Connection, campaign_id: int, book: Book, item: Profile, seat: Mapping[str, Any] | None
) -> Profile:
    """Return somebody with the weapons of the vehicle whose weapon slot they have, before their own; `seat` is what is kept of that."""
    vehicle = (
        profiles.read_profiles(tx, campaign_id, {seat["other"]}).get(seat["other"])
        if seat and seat.get("other")
        else None
    )
    weapons = [] if vehicle is None else slot_weapons(book, vehicle.fields)
    own = item.fields.get("weapons", ())
    return replace(item, fields={**item.fields, "weapons": [*weapons, *own]}) if weapons else item


MOST_TOLD = 8
"""How many weapons are named to whoever types another one: a house default."""


class NoSuchWeapon(BadInput):
    """Somebody has no weapon of this name. It says which ones they have."""

    def __init__(self, who: str, typed: str, known: Sequence[str]) -> None:
        more = len(known) - MOST_TOLD
        told = [*known[:MOST_TOLD], *([f"{more} more"] if more > 0 else [])]
        super().__init__(f"{who} has no weapon called {typed!r}.", f"They have: {', '.join(told)}.")


class ActingCharacter(Struct, frozen=True):
    """Who acts, by which book, as whoever asks sees it; `seen` is the fight that they are in, if any.

    Whoever has a weapon slot of a vehicle has its weapons too.
    """

    viewer: Viewer
    book: RuleSet
    actor: Profile
    seen: FightView | None

    @property
    def others(self) -> list[Participant]:
        """All others in their fight of whom the person knows."""
        return [item for item in self.seen.shown.roster if item.id != self.actor.id] if self.seen else []

    def require_fight(self) -> FightView:
        """Return their fight; refuses who is in none."""
        if self.seen is None:
            raise NotAsItIs(f"{self.actor.name} isn't in a fight.", FIGHTS.begin)
        return self.seen


def make_part(who: Numbered, inputs: Mapping[str, Any], other: str | None = None) -> PartRequest:
    """Return the part of somebody who acts, alone or on another one of that name."""
    subjects = {ACTOR: who.name} if other is None else {ACTOR: who.name, RESISTER: other}
    return PartRequest(subjects=subjects, ids={ACTOR: (who.id,)}, inputs={**inputs})


def find_acting(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None
) -> ActingCharacter:
    """Return who acts in a channel (ids, nearest first): who is named, whoever has the turn there, or the person's one character.

    Raises:
        BadInput: nobody is named, and it could be several or none.

    """
    viewer = view_here(tx, library, person, channels)
    actor, seen = _find_actor(tx, viewer, channels, named)
    require_acting(tx, viewer, actor)
    return make_acting(
        tx, viewer, library.book(tx, viewer.campaign, BOOK), actor, seen or find_fight_of(tx, viewer, actor.id)
    )


def make_acting(
    tx: Connection, viewer: Viewer, book: RuleSet, actor: Profile, seen: FightView | None
) -> ActingCharacter:
    """Return somebody who acts, with the weapons of the vehicle whose slot they have; `seen` is the fight in which they stand."""
    number = viewer.campaign.id
    seat = seen.kept.get((actor.key, SEATED)) if seen else state.get_value(tx, number, actor.key, SEATED)
    return ActingCharacter(viewer, book, add_slot_weapons(tx, number, book, actor, seat), seen)


def find_carried_weapon(who: ActingCharacter, typed: str | None) -> Arm:
    """Return the weapon of somebody that is meant, the first one where none is.

    Raises:
        NoSuchWeapon: they have none that is called so.

    """
    words = _list_written(who)
    if typed is not None:
        try:
            return find_arm(who.book, words, typed)
        except UnknownArm as problem:
            raise NoSuchWeapon(who.actor.name, typed, [arm.name for arm in list_weapons(who)]) from problem
    return read_arm(who.book, words[0]) if words else list_weapons(who)[0]


def list_weapons(who: ActingCharacter) -> list[Arm]:
    """Return the weapons that somebody has."""
    return list_arms(who.book, _list_written(who))


def _list_written(who: ActingCharacter) -> list[str]:
    """Return the weapons that somebody has as they are written down: their own, and what they have picked up in the fight."""
    own = [*who.actor.fields.get("weapons", ())]
    fighter = who.seen and who.seen.shown.combatant(who.actor.id)
    for mark in fighter.marks if fighter else ():
        number, _, called = mark.removeprefix(PICKED).partition(".")
        if who.seen and mark.startswith(PICKED) and int(number) in who.seen.people:
            words = who.seen.people[int(number)].fields.get("weapons", ())
            own += [word for word in words if word_id(called) in {arm.id for arm in list_arms(who.book, [word])}]
    return own


def list_things(tx: Connection, who: ActingCharacter) -> list[Profile]:
    """Return the vehicles and pets that somebody knows of: they stand in no fight of their own."""
    return [item for item in list_known(tx, who.viewer) if {VEHICLE, PET} & item.fields.keys()]


def list_free(tx: Connection, who: ActingCharacter) -> list[Profile]:
    """Return the characters that somebody knows of who stand in no fight."""
    known = [item for item in list_known(tx, who.viewer) if item.is_character]
    taken = {
        name
        for _, name in state.find_values_named(tx, who.viewer.campaign.id, [f"{MEMBER}{item.id}" for item in known])
    }
    return [item for item in known if f"{MEMBER}{item.id}" not in taken]


def _find_actor(
    tx: Connection, viewer: Viewer, channels: Sequence[int], named: str | None
) -> tuple[Profile, FightView | None]:
    """Return who is named, whoever has the turn in the channel's fight, with that, or the one character that the person plays."""
    if named is not None:
        return find_characters(tx, viewer, [named])[0], None
    seen = None
    with suppress(UserError):  # no fight is under way there, or it is not told which
        fight = scenes.find_scene(tx, viewer.campaign.id, FIGHTS, None, channels)
        seen = view_fight(tx, viewer, fight)
        now = seen.shown.now
        if isinstance(now, int) and seen.acts_for(now):
            return seen.people[now], seen
    mine = [item for item in list_known(tx, viewer) if viewer.owns(item) and item.is_character]
    mine = [item for item in mine if seen and seen.shown.combatant(item.id)] or mine
    if len(mine) != 1:
        told = f" Yours are {listing([item.name for item in mine[:MOST_TOLD]])}." if mine else ""
        raise BadInput("Which character?", f"None of your characters has the turn here. Name the character.{told}")
    return mine[0], None


SNEAK = "sneak"
"""What is typed as fire for a sneak attack, in the usual mode of the weapon."""

ATTACK, BLAST, EXPLODE, THROW_BACK = "turn.attack", "turn.blast", "turn.explode", "turn.throw-back"
"""The acts by which somebody attacks, sets explosives off at once, lets a grenade explode, and throws one back."""


def find_shielder(who: ActingCharacter, named: Sequence[str]) -> str | None:
    """Return who in the fight shields the first of those named, as far as the attacker may know; None of the others, and of nobody."""
    if who.seen is None or (shielded := _fighter(who.seen, named[0])) is None:
        return None
    kept = who.seen.kept.get((subject_key(shielded.id), SHIELDED))
    guard = who.seen.shown.combatant(kept["other"]) if kept and kept.get("other") else None
    keys = {*map(name_key, (*named, who.actor.name))}
    return None if guard is None or name_key(guard.name) in keys else guard.name


def require_there(
    tx: Connection, who: ActingCharacter, names: Iterable[str], *, hidden: bool = False, anywhere: bool = False
) -> None:
    """Refuse what is done in a fight to somebody who neither stands in it nor is a vehicle or pet, as far as the player may know.

    Whoever is `hidden` stands in it only for what looks for that one, or refuses that one in words of its own. To players
    who stands nowhere does so as well, `anywhere`: what is answered would tell else who hides in the fight, and who has left it.
    """
    if who.seen is not None:
        known = [item for item in who.seen.fight.roster if who.viewer.knows(who.seen.people[item.id])]
        there = known if hidden else who.seen.shown.roster
        there = [*there, *(list_free(tx, who) if anywhere and not who.seen.leads else ())]
        for name in names:
            if choose_named(there, name) is None and choose_named(list_things(tx, who), name) is None:
                raise NotAsItIs(f"{name} isn't in this fight.", FIGHTS.members)


def list_strays(tx: Connection, who: ActingCharacter, target: str) -> list[tuple[int, str]]:
    """Return all others at whom an attack may go astray, by number and name, where the attacker's option has it so."""
    option = who.actor.fields.get("option")
    if who.seen is None or not option or STRAYS not in find_option(who.book, option).rules:
        return []
    fight = who.seen.shown
    own, meant = fight.combatant(who.actor.id), _fighter(who.seen, target)
    to = own.marks.get(STRAY) if own else None
    astray = fight.combatant(to) if to else None
    if astray and meant and astray.id != meant.id:
        raise NotAsItIs(
            f"This attack goes at {astray.name} instead: {option}.", f"Attack {astray.name}, or don't attack."
        )
    others = [] if astray else list_in_sight(tx, who, leads=False)
    # The one at whom it goes is told to all: nobody secret is chosen.
    return [(item.id, item.name) for item in others if meant and item.id != meant.id and item.id in who.seen.open]


def list_in_sight(tx: Connection, who: ActingCharacter, *, leads: bool) -> list[Participant]:
    """Return whom somebody in a fight can attack: all others of whom the viewer may know, but unless that one `leads` who is hidden from whoever acts."""
    others = who.others
    if leads:
        return others
    kept = state.get_values_named(tx, who.viewer.campaign.id, [subject_key(item.id) for item in others], {HIDDEN})
    unseen = {subject for (subject, _), value in kept.items() if who.actor.id not in value.get(BY, ())}
    return [item for item in others if subject_key(item.id) not in unseen]


def _fighter(seen: FightView, name: str) -> Participant | None:
    """Return who is meant by a name in a fight, behind which a number may stand where several have it."""
    return choose_named(seen.shown.roster, name)


def list_fuel(who: ActingCharacter, target: str) -> list[str]:
    """Return what a target in the fight is armed with whose fuel may explode, by what it is called."""
    fighter = None if who.seen is None else _fighter(who.seen, target)
    if who.seen is None or fighter is None:
        return []
    words = who.seen.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in list_arms(who.book, words) if find_weapon(who.book, arm.token).type.fuel]


BALANCED = "throwing"
"""The attachment of a weapon that is made to be thrown."""
CLOSE, REACHED = 10, 1
"""From how far away (m) an attack is made unless somebody says so: with what shoots, and in melee."""


def make_attack_inputs(book: Book, arms: Sequence[Arm], fire: str | None, metres: float | None) -> dict[str, Any]:
    """Return the inputs of an attack with weapons: how they fire, from how far (m), each as usual unless it is said."""
    weapon = find_weapon(book, arms[0].token)
    _require_fire(book, arms, fire)
    reach, named = reach_m(book, weapon), fire not in {None, SNEAK, *list_choosable_traits(weapon)}
    thrown = named and find_mode(book, weapon, fire).thrown
    usual = REACHED if reach is not None and reach < CLOSE and not thrown else CLOSE
    made = thrown and any(item.name.casefold() == BALANCED for item in arms[0].attachments)
    quiet = [is_silenced(book, arm) for arm in arms]
    inputs: dict[str, Any] = {
        "tokens": [arm.token for arm in arms],
        "names": [arm.name for arm in arms],
        "mods": [[list(mod) for mod in arm.mods] for arm in arms],
        **({"silenced": quiet} if any(quiet) else {}),
        "range_m": usual if metres is None else metres,
        **({"listed": True} if made else {}),
    }
    if fire == SNEAK:
        one = [mode.id for mode in book.listed(Mode).values() if weapon.handling in mode.of and mode.rolls == 1]
        return {**inputs, "sneak": True, **({"mode": one[0]} if len(arms) == 1 else {})}
    return inputs | ({"mode": fire} if named else {"trait": fire} if fire else {})


def _require_fire(book: Book, arms: Sequence[Arm], fire: str | None) -> None:
    weapons = [find_weapon(book, arm.token) for arm in arms]
    ways = {way: None for item in weapons for way in (*list_modes(book, item), *list_choosable_traits(item))}
    if fire not in {None, SNEAK, *ways}:
        names = " and ".join(arm.name for arm in arms)
        close = nearest(str(fire), [*ways, SNEAK])
        hint = f"Did you mean {close}? " if close else ""
        raise BadInput(
            f"{names} can't be used like that: {str(fire)[:40]!r}.", f"{hint}You can use: {', '.join([*ways, SNEAK])}."
        )


def list_choosable_traits(weapon: Weapon) -> Sequence[str]:
    """Return the traits of a weapon of which whoever attacks names one (A45); nothing where it has one at most."""
    return weapon.traits if len(weapon.traits) > 1 else ()
