"""Who acts by a command that leaves it open, with which weapons, and who sits in vehicles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from bot.core.subjects import Numbered
from bot.core.visibility import Viewer, require_acting
from bot.errors import BadInput, NotAsItIs, UserError
from bot.rolls.request import PartRequest
from bot.ui.text import listing
from rules.book import Book
from rules.books.roe.catalog import VehicleSeat
from rules.books.roe.characters import Arm, UnknownArm, find_arm, list_arms, read_arm
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.fights import PICKED, SEATED
from rules.books.roe.vehicles import PET, VEHICLE, slot_weapons
from rules.effects import EFFECT
from rules.fields import word_id
from rules.ruleset import RuleSet
from rules.scenes import MEMBER, Participant
from rules.subjects import subject_number


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
