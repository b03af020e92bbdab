"""Who acts by a command that leaves it open: whoever has the turn, or the one character that somebody plays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.aboard import armed_aboard
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, find_fight_of, view_fight, viewer_of_fights
from bot.core import profiles, scenes, state
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, find_known, require_acting
from bot.errors import BadInput, UserError
from bot.ui.text import listing
from rules.books.roe.arms import Arm, UnknownArm, arm_named, arm_of, arms_of
from rules.books.roe.hulls import PET, VEHICLE
from rules.books.roe.marks import PICKED, SEATED
from rules.fields import word_id
from rules.ruleset import RuleSet
from rules.scenes import MEMBER

MOST_TOLD = 8
"""How many weapons are named to whoever types another one: a house default."""


class NoSuchWeapon(BadInput):
    """Somebody has no weapon that is called so; told with those that they have."""

    def __init__(self, who: str, typed: str, known: Sequence[str]) -> None:
        more = len(known) - MOST_TOLD
        told = [*known[:MOST_TOLD], *([f"{more} more"] if more > 0 else [])]
        super().__init__(f"{who} has no weapon called {typed!r}.", f"They have: {', '.join(told)}.")


class Acting(Struct, frozen=True):
    """Who acts, by which book, as whoever asks sees it; `seen` is the fight in which that one stands, if any.

    Whoever has a weapon slot of a vehicle has its weapons too.
    """

    viewer: Viewer
    book: RuleSet
    actor: Profile
    seen: FightView | None


def acting(tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None) -> Acting:
    """Return who acts in a channel (ids, nearest first): who is named, whoever has the turn there, or the person's one character.

    Raises:
        NotAllowed: who is named is somebody else's, or the person takes no part.
        BadInput: nobody is named, and it could be several or none.

    """
    campaign = locate(tx, person.guild_id, channels)
    viewer = viewer_of_fights(tx, library, person, campaign)
    actor, seen = _on_turn(tx, viewer, channels) if named is None else (_named(tx, viewer, named), None)
    require_acting(tx, viewer, actor)
    return acting_as(tx, viewer, library.book(tx, campaign, BOOK), actor, seen or find_fight_of(tx, viewer, actor.id))


def acting_as(tx: Connection, viewer: Viewer, book: RuleSet, actor: Profile, seen: FightView | None) -> Acting:
    """Return somebody who acts, with the weapons of the vehicle whose slot they have; `seen` is the fight in which they stand."""
    number = viewer.campaign.id
    seat = seen.kept.get((actor.key, SEATED)) if seen else state.get(tx, number, actor.key, SEATED)
    return Acting(viewer, book, armed_aboard(tx, number, book, actor, seat), seen)


def weapon_of(who: Acting, typed: str | None) -> Arm:
    """Return the weapon of somebody that is meant, the first one where none is.

    Raises:
        NoSuchWeapon: they have none that is called so.

    """
    words = _written_down(who)
    if typed is not None:
        try:
            return arm_named(who.book, words, typed)
        except UnknownArm as problem:
            raise NoSuchWeapon(who.actor.name, typed, [arm.name for arm in weapons_of(who)]) from problem
    return arm_of(who.book, words[0]) if words else weapons_of(who)[0]


def weapons_of(who: Acting) -> list[Arm]:
    """Return the weapons that somebody has."""
    return arms_of(who.book, _written_down(who))


def _written_down(who: Acting) -> list[str]:
    """Return the weapons that somebody has as they are written down: their own, and what they have picked up in the fight."""
    own = [*who.actor.fields.get("weapons", ())]
    fighter = who.seen and who.seen.shown.combatant(who.actor.id)
    for mark in fighter.marks if fighter else ():
        number, _, called = mark.removeprefix(PICKED).partition(".")
        if who.seen and mark.startswith(PICKED) and int(number) in who.seen.people:
            words = who.seen.people[int(number)].fields.get("weapons", ())
            own += [word for word in words if word_id(called) in {arm.id for arm in arms_of(who.book, [word])}]
    return own


def things(tx: Connection, who: Acting) -> list[Profile]:
    """Return the vehicles and pets that somebody knows of: they stand in no fight of their own."""
    return [item for item in _known(tx, who.viewer) if {VEHICLE, PET} & item.fields.keys()]


def free(tx: Connection, who: Acting) -> list[Profile]:
    """Return the characters that somebody knows of who stand in no fight."""
    known = [item for item in _known(tx, who.viewer) if item.is_character]
    taken = {name for _, name in state.anywhere(tx, who.viewer.campaign.id, [f"{MEMBER}{item.id}" for item in known])}
    return [item for item in known if f"{MEMBER}{item.id}" not in taken]


def _named(tx: Connection, viewer: Viewer, name: str) -> Profile:
    return find_known(viewer, _known(tx, viewer), "character", name)


def _on_turn(tx: Connection, viewer: Viewer, channels: Sequence[int]) -> tuple[Profile, FightView | None]:
    """Return whoever has the turn in the channel's fight, with that, if the person acts for that one; or the one character that they play."""
    seen = None
    with suppress(UserError):  # no fight is under way there, or it is not told which
        fight = scenes.find(tx, viewer.campaign.id, FIGHTS, None, channels)
        seen = view_fight(tx, viewer, fight)
        now = seen.shown.now
        if isinstance(now, int) and seen.acts_for(now):
            return seen.people[now], seen
    mine = [item for item in _known(tx, viewer) if viewer.owns(item) and item.is_character]
    mine = [item for item in mine if seen and seen.shown.combatant(item.id)] or mine
    if len(mine) != 1:
        told = f" Yours are {listing([item.name for item in mine[:MOST_TOLD]])}." if mine else ""
        raise BadInput("Which character?", f"None of your characters has the turn here. Name the character.{told}")
    return mine[0], None


def _known(tx: Connection, viewer: Viewer) -> list[Profile]:
    return [item for item in profiles.everyone(tx, viewer.campaign.id) if viewer.knows(item)]
