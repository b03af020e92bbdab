"""Who acts, with which weapons, at which targets, and in which acts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import fight_view
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, RoeAsker
from bot.core import profiles, state, subjects
from bot.core.errors import BadInput, NotAsItIs, UserError, unknown_name
from bot.core.profiles import Profile
from bot.core.visibility import Viewer, require_acting
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui.text import join_words
from rules import acts, errors, phrases
from rules.book import Act, Book
from rules.books.roe import aim, fights, handling, hiding
from rules.books.roe.catalog import ACTOR, RESISTER, Mode
from rules.books.roe.characters import Arm, UnknownArm, find_arm, find_option, list_arms, read_arm
from rules.books.roe.fights import BY, HIDDEN, PICKED, SEATED, TURN_NOTES
from rules.books.roe.vehicles import PET, VEHICLE, slot_weapons
from rules.books.roe.weapons import Weapon, find_mode, find_weapon, list_modes, reach_m
from rules.effects import EFFECT
from rules.procedure import Part
from rules.ruleset import RuleSet
from rules.scenes import Participant
from rules.subjects import name_key, subject_key, word_id

MOST_NAMED = 8


class NoSuchWeapon(BadInput):
    """Someone has no weapon of that name."""

    def __init__(self, who: str, typed: str, known: Sequence[str]) -> None:
        more = len(known) - MOST_NAMED
        names = [*known[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]
        super().__init__(f"{who} has no weapon called {typed!r}.", f"They have: {', '.join(names)}.")


class ActingCharacter(Struct, frozen=True):
    """The actor as the asking person sees them; `view` is the actor's fight, if any."""

    viewer: Viewer
    book: RuleSet
    actor: Profile
    view: FightView | None

    @property
    def others(self) -> list[Participant]:
        """The other fighters that the person may know; empty outside of a fight."""
        return [item for item in self.view.visible_fight.roster if item.id != self.actor.id] if self.view else []

    def require_fight(self) -> FightView:
        """Return the actor's fight, or refuse."""
        if self.view is None:
            raise NotAsItIs(f"{self.actor.name} isn't in a fight.", FIGHTS.begin)
        return self.view


def make_part(who: subjects.Numbered, inputs: Mapping[str, Any], other: str | None = None) -> PartRequest:
    """Make a roll's part for an actor, against the name `other` if given."""
    subjects = {ACTOR: who.name} if other is None else {ACTOR: who.name, RESISTER: other}
    return PartRequest(subjects=subjects, ids={ACTOR: (who.id,)}, inputs={**inputs})


def find_acting(tx: Connection, asker: RoeAsker, named: str | None) -> ActingCharacter:
    """Find the named actor, the fighter who has the turn here, or the person's only character.

    Raises:
        BadInput: no name is given, and several or none fit.

    """
    viewer = fight_view.view_here(tx, asker)
    actor, view = _find_actor(tx, viewer, asker.channels, named)
    require_acting(tx, viewer, actor)
    view = view or fight_view.find_fight_of(tx, viewer, actor.id)
    return make_acting(tx, viewer, asker.library.book(tx, viewer.campaign, BOOK), actor, view)


def read_typed(
    read: Callable[..., RollCommand], asker: RoeAsker, form: object, tx: Connection, *_: object
) -> RollCommand:
    """Read a command's roll in its transaction."""
    return read(tx, asker, form)


def make_acting(
    tx: Connection, viewer: Viewer, book: RuleSet, actor: Profile, view: FightView | None
) -> ActingCharacter:
    """Make an acting character; in a vehicle, its weapons come before their own."""
    number = viewer.campaign.id
    seat = view.kept.get((actor.key, SEATED)) if view else state.get_value(tx, number, actor.key, SEATED)
    other = (seat or {}).get("other")
    vehicle = profiles.read_profiles(tx, number, {other}).get(other) if other else None
    if vehicle is not None and (weapons := slot_weapons(book, vehicle.fields)):
        own = actor.fields.get("weapons", ())
        actor = replace(actor, fields={**actor.fields, "weapons": [*weapons, *own]})
    return ActingCharacter(viewer, book, actor, view)


def find_carried_weapon(who: ActingCharacter, typed: str | None) -> Arm:
    """Find the actor's weapon by its typed name, by default the first.

    Raises:
        NoSuchWeapon: none has that name.

    """
    words = _list_weapon_words(who)
    if typed is not None:
        try:
            return find_arm(who.book, words, typed)
        except UnknownArm as problem:
            raise NoSuchWeapon(who.actor.name, typed, [arm.name for arm in list_weapons(who)]) from problem
    return read_arm(who.book, words[0]) if words else list_weapons(who)[0]


def list_weapons(who: ActingCharacter) -> list[Arm]:
    """List the actor's weapons, also picked-up and bare ones."""
    return list_arms(who.book, _list_weapon_words(who))


def _list_weapon_words(who: ActingCharacter) -> list[str]:
    own = [*who.actor.fields.get("weapons", ())]
    fighter = who.view and who.view.visible_fight.combatant(who.actor.id)
    for mark in fighter.marks if fighter else ():
        number, _, called = mark.removeprefix(PICKED).partition(".")
        if who.view and mark.startswith(PICKED) and int(number) in who.view.people:
            words = who.view.people[int(number)].fields.get("weapons", ())
            own += [word for word in words if word_id(called) in {arm.id for arm in list_arms(who.book, [word])}]
    return own


def list_things(tx: Connection, who: ActingCharacter) -> list[Profile]:
    """List known vehicles and pets, which are in no fight themselves."""
    return [item for item in fight_view.list_known(tx, who.viewer) if {VEHICLE, PET} & item.fields.keys()]


def _find_actor(
    tx: Connection, viewer: Viewer, channels: Sequence[int], named: str | None
) -> tuple[Profile, FightView | None]:
    if named is not None:
        return fight_view.find_characters(tx, viewer, [named])[0], None
    view = None
    with suppress(UserError):  # no fight runs there, or several do
        view = fight_view.find_fight(tx, viewer, None, channels)
        now = view.visible_fight.now
        if isinstance(now, int) and view.acts_for(now):
            return view.people[now], view
    mine = [item for item in fight_view.list_known(tx, viewer) if viewer.owns(item) and item.is_character]
    mine = [item for item in mine if view and view.visible_fight.combatant(item.id)] or mine
    if len(mine) != 1:
        own = f" Yours are {join_words([item.name for item in mine[:MOST_NAMED]])}." if mine else ""
        raise BadInput("Which character?", f"None of your characters has the turn here. Name the character.{own}")
    return mine[0], None


SNEAK = "sneak"


def require_there(
    tx: Connection, who: ActingCharacter, names: Iterable[str], *, hidden: bool = False, anywhere: bool = False
) -> None:
    """Refuse targets that aren't in the fight, nor a vehicle or pet the player knows.

    `hidden` allows hidden fighters, for acts that look for or refuse them. `anywhere` lets players
    name characters outside the fight too: a refusal would reveal who hides in it and who has left.
    """
    if who.view is None:
        return
    known = [item for item in who.view.fight.roster if who.viewer.knows(who.view.people[item.id])]
    there: list[subjects.Numbered] = [*(known if hidden else who.view.visible_fight.roster)]
    if anywhere and not who.view.leads:
        there += fight_view.list_free(tx, who.viewer, fight_view.list_known(tx, who.viewer))
    for name in names:
        if subjects.choose_named(there, name) is None and subjects.choose_named(list_things(tx, who), name) is None:
            raise NotAsItIs(f"{name} isn't in this fight.", FIGHTS.members)


def list_in_sight(tx: Connection, who: ActingCharacter, *, leads: bool) -> list[Participant]:
    """List the fighters an actor can attack; with `leads`, hidden ones too."""
    others = who.others
    if leads:
        return others
    kept = state.get_values_named(tx, who.viewer.campaign.id, [subject_key(item.id) for item in others], {HIDDEN})
    unseen = {subject for (subject, _), value in kept.items() if who.actor.id not in value.get(BY, ())}
    return [item for item in others if subject_key(item.id) not in unseen]


def list_choosable_traits(weapon: Weapon) -> Sequence[str]:
    """List the traits an attacker chooses from (A45); none if there's one at most."""
    return weapon.traits if len(weapon.traits) > 1 else ()


WEAPON, WEAPONS, AMMUNITION = "weapon", "weapons", "ammunition"
"""The kinds of values about the actor's weapons: one, several, one with its ammunition."""

ITEM = "item"


class TypedTurnAct(Struct, frozen=True):
    """An act as typed; targets are separated by commas."""

    what: str
    target: str | None = None
    value: str | None = None
    character: str | None = None
    modifiers: str | None = None
    note: str | None = None


def list_own_acts(book: RuleSet) -> list[Act]:
    """List the acts of a turn that fighters do themselves."""
    return [act for act in book.acts.values() if act.id.startswith(TURN_NOTES) and act.own]


def list_offered(book: RuleSet) -> list[Act]:
    """List fighters' own acts that have no separate command."""
    return [act for act in list_own_acts(book) if act.by is None]


def find_act(book: RuleSet, typed: str) -> Act:
    """Find an act by title or id; refuse those with a separate command."""
    own = list_own_acts(book)
    named = {word_id(name): act for act in own for name in (act.id.removeprefix(TURN_NOTES), act.title)}
    act = named.get(word_id(typed))
    if act is None:
        titles = [item.title for item in list_offered(book)]
        what = f"I don't know an action called {typed[:60]!r}."
        raise unknown_name(what, typed, titles, "Pick one from the list.")
    if act.by is not None:
        raise BadInput(f"{act.title} has a separate command.", f"Use /roe {act.by}.")
    return act


def preview_actor(tx: Connection, resolver: Resolver, who: ActingCharacter) -> Part:
    """Preview what is true of the actor, as the viewer knows it."""
    act = next(act for act in list_offered(who.book) if act.rolls is None)
    viewer, alone = who.viewer, PartRequest(subjects={act.actor: who.actor.name}, ids={act.actor: (who.actor.id,)})
    request = RollRequest(book=who.book.id, family=act.id, parts=(alone,), staff=viewer.leads)
    return resolver.preview(tx, viewer.campaign, request, viewer, book=who.book).parts[0].part


def explain_refusal(book: RuleSet, act: Act, part: Part) -> str | None:
    """Say why an act is impossible now, or None."""
    bar = handling.find_bar(book, act, part.facts)
    if bar is not None:
        return bar.label
    try:
        acts.require_possible(book, act, part, alone=True)
    except errors.RollError as error:
        return str(error)
    counts = act.rolls is not None or act.id in book.facts  # as a sprint does, whatever else it ends
    idle = not counts and act.then and not acts.list_consequences(act, part, book)
    return f"{part.subjects[act.actor]} has no effect that this would end." if idle else None


def describe_costs(act: Act, part: Part) -> Iterator[str]:
    """Yield what an act costs now."""
    for cost in acts.list_costs(act, part.facts):
        if cost.amount:
            yield f"all {cost.label}" if cost.whole else phrases.format_count(cost.amount, cost.label)


def list_bound(tx: Connection, who: ActingCharacter, act: Act) -> list[int]:
    """List who (number) is bound to the actor by the act's effect, such as a hold; empty if unknown."""
    kept = state.get_value(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") if act.bound else None
    other = (kept or {}).get("other")
    known = {number for number, item in (who.view.people if who.view else {}).items() if who.viewer.knows(item)}
    return [other] if other in known else []


BALANCED = "throwing"
CLOSE, REACHED = 10, 1
"""Default distance (m) of shots, and in melee."""


def make_attack_inputs(book: Book, arms: Sequence[Arm], fire: str | None, metres: float | None) -> dict[str, Any]:
    """Make the inputs of an attack, with defaults for fire and distance (m)."""
    weapon = find_weapon(book, arms[0].token)
    _require_fire(book, arms, fire)
    reach, named = reach_m(book, weapon), fire not in {None, SNEAK, *list_choosable_traits(weapon)}
    thrown = named and find_mode(book, weapon, fire).thrown
    usual = REACHED if reach is not None and reach < CLOSE and not thrown else CLOSE
    made = thrown and any(item.name.casefold() == BALANCED for item in arms[0].attachments)
    quiet = [hiding.is_silenced(book, arm) for arm in arms]
    inputs: dict[str, Any] = {
        "tokens": [arm.token for arm in arms],
        "names": [arm.name for arm in arms],
        "mods": [[list(mod) for mod in arm.mods] for arm in arms],
        **({"silenced": quiet} if any(quiet) else {}),
        "range_m": usual if metres is None else metres,
        **({"listed": True} if made else {}),
    }
    if fire == SNEAK:
        one = [mode.id for mode in book.entries_of(Mode).values() if weapon.handling in mode.of and mode.rolls == 1]
        return {**inputs, "sneak": True, **({"mode": one[0]} if len(arms) == 1 else {})}
    return inputs | ({"mode": fire} if named else {"trait": fire} if fire else {})


def _require_fire(book: Book, arms: Sequence[Arm], fire: str | None) -> None:
    weapons = [find_weapon(book, arm.token) for arm in arms]
    ways = {way: None for item in weapons for way in (*list_modes(book, item), *list_choosable_traits(item))}
    if fire not in {None, SNEAK, *ways}:
        names = " and ".join(arm.name for arm in arms)
        known = [*ways, SNEAK]
        close = errors.nearest(str(fire), known)
        hint = f"{f'Did you mean {close}? ' if close else ''}You can use: {', '.join(known)}."
        raise BadInput(f"{names} can't be used like that: {str(fire)[:40]!r}.", hint)


def find_shielder(who: ActingCharacter, named: Sequence[str]) -> str | None:
    """Find who is known to shield the first target; None if they're a target too, or the attacker."""
    if who.view is None or (shielded := subjects.choose_named(who.view.visible_fight.roster, named[0])) is None:
        return None
    kept = who.view.kept.get((subject_key(shielded.id), fights.SHIELDED))
    guard = who.view.visible_fight.combatant(kept["other"]) if kept and kept.get("other") else None
    keys = {*map(name_key, (*named, who.actor.name))}
    return None if guard is None or name_key(guard.name) in keys else guard.name


def list_strays(tx: Connection, who: ActingCharacter, target: str) -> list[tuple[int, str]]:
    """List who (number, name) a stray attack may hit, if the actor's can stray."""
    option = who.actor.fields.get("option")
    if who.view is None or not option or aim.STRAYS not in find_option(who.book, option).rules:
        return []
    fight = who.view.visible_fight
    own, meant = fight.combatant(who.actor.id), subjects.choose_named(fight.roster, target)
    to = own.marks.get(fights.STRAY) if own else None
    astray = fight.combatant(to) if to else None
    if astray and meant and astray.id != meant.id:
        what = f"This attack goes at {astray.name} instead: {option}."
        raise NotAsItIs(what, f"Attack {astray.name}, or don't attack.")
    others = [] if astray else list_in_sight(tx, who, leads=False)
    # Everyone reads who was hit, so no secret fighter is chosen.
    return [(item.id, item.name) for item in others if meant and item.id != meant.id and item.id in who.view.public]


def list_fuel(who: ActingCharacter, target: str) -> list[str]:
    """List the names of the target's weapons whose fuel may explode."""
    if who.view is None or (fighter := subjects.choose_named(who.view.visible_fight.roster, target)) is None:
        return []
    words = who.view.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in list_arms(who.book, words) if find_weapon(who.book, arm.token).type.fuel]
