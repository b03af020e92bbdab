"""`/roe attack` as it is typed, the options it shares, and attacks that wait for the target's dodge."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Annotated, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from discord.app_commands import Range
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe import actors, fight_view
from bot.cogs.roe.actors import SNEAK, ActingCharacter
from bot.cogs.roe.fight_view import ATTACK, BLAST, BOOK, EXPLODE, PET, FightView, RoeAsker, UnaskedQuestion
from bot.core import state, subjects
from bot.core.campaigns import Campaign, locate_campaign
from bot.core.errors import BadInput, NotOpen, UserError
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.rolls import desk, options
from bot.rolls.options import CARD_OR_NOW, HOW, MODIFIERS, NOTE, Completed, Completion, Completions, Name
from bot.rolls.pending import service, store
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.parsing import Form, option
from bot.ui.text import plain
from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, Mode, WeaponToken
from rules.books.roe.characters import Arm
from rules.books.roe.vehicles import LEVEL, OWNER, TYPE, bring_pet
from rules.books.roe.weapons import Weapon, attack_rolls, counts_as_automatic, find_mode, find_weapon
from rules.effects import EFFECT
from rules.subjects import name_key

P = ParamSpec("P")
T = TypeVar("T")

NO_CARD = "Open a card with the odds, or roll now. No card without dice"
Metres = Range[float, 0, 10000]

ROLL = option(HOW, default=None, choices=CARD_OR_NOW)
DICE = option("Game masters only: dice rolled by hand, in order, such as 42 7 d20: 9", default=None)


class RolledForm(Form):
    """The last options of all `/roe` rolls."""

    roll: str | None = ROLL
    dice: str | None = DICE


class TurnForm(RolledForm):
    """The last options of rolls in a turn."""

    family: ClassVar[tuple[str, str]]
    modifiers: str | None = MODIFIERS
    note: str | None = NOTE


async def read_acting(
    at: Completion, read: Callable[Concatenate[Connection, ActingCharacter, P], T], *more: P.args, **_: P.kwargs
) -> T:
    """Read something about the actor of the command being typed."""
    asker = RoeAsker(at.desk.resolver.library, at.person, desk.channels(at.interaction))
    return await at.desk.database.read(_read_acting, read, asker, at.read_option("character") or None, *more)


def _read_acting(tx: Connection, read: Callable[..., T], asker: RoeAsker, named: str | None, *more: object) -> T:
    return read(tx, actors.find_acting(tx, asker, named), *more)


Suggest = Callable[[Connection, ActingCharacter], Sequence[str]]


async def complete_one(suggest: Suggest, at: Completion, current: str) -> Completions:
    """Offer what `suggest` lists for the actor."""
    return options.filter_labels(current, await read_acting(at, suggest))


async def complete_several(suggest: Suggest, at: Completion, current: str) -> Completions:
    """Complete the last of several names with what `suggest` lists for the actor."""
    return options.complete_last(current, await read_acting(at, suggest))


NAMED_WITH_TOKEN = re.compile(r"\)$")


async def _complete_arms(at: Completion, current: str) -> Completions:
    arms = await read_acting(at, _suggest_arms)
    return [(_label_arm(arm), arm.name) for arm in arms if current.casefold() in _label_arm(arm).casefold()]


async def _complete_any_weapon(at: Completion, current: str) -> Completions:
    own: Completions = []
    with suppress(UserError):
        own = await _complete_arms(at, current)
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    tokens = options.filter_labels(current, [token.label for token in book.entries_of(WeaponToken).values()])
    return [*own, *(item for item in tokens if item not in own)]


def _suggest_arms(_tx: Connection, who: ActingCharacter) -> list[Arm]:
    return actors.list_weapons(who)


def _suggest_fire(_tx: Connection, who: ActingCharacter) -> list[str]:
    weapons = [find_weapon(who.book, arm.token) for arm in actors.list_weapons(who)]
    ways = {item.handling for item in weapons}
    modes = [mode.id for mode in who.book.entries_of(Mode).values() if ways & {*mode.of}]
    traits = dict.fromkeys(trait for item in weapons for trait in actors.list_choosable_traits(item))
    return [*modes, *traits, SNEAK]


def _suggest_targets(tx: Connection, who: ActingCharacter) -> list[str]:
    leads = who.view is not None and who.view.leads
    others: list[subjects.Numbered] = [*actors.list_in_sight(tx, who, leads=leads), *actors.list_things(tx, who)]
    return subjects.label_subjects(others)


ArmName = Annotated[str, Completed(_complete_arms, NAMED_WITH_TOKEN)]
AnyWeapon = Annotated[str, Completed(_complete_any_weapon, NAMED_WITH_TOKEN)]
Fire = Annotated[str, Completed(partial(complete_one, _suggest_fire))]
Targets = Annotated[str, Completed(partial(complete_several, _suggest_targets))]


def _label_arm(arm: Arm) -> str:
    return arm.name if arm.name == arm.token else f"{arm.name} ({arm.token})"


DODGED = {ATTACK: "/roe attack", BLAST: "/roe blast", EXPLODE: "/roe blast"}


def require_no_wait(tx: Connection, asker: RoeAsker, command: RollCommand) -> None:
    """Raise `UnaskedQuestion` if another player must dodge first."""
    campaign = locate_campaign(tx, asker.person.guild_id, asker.channels)
    if command.family[1] in DODGED and _find_waiting(tx, asker, campaign, command.parts) is not None:
        raise UnaskedQuestion(_ask_command, command)


def _ask_command(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> service.PendingRoll:
    place, request = desk.prepare_request(tx, resolver, person, command)
    made = ask_dodges(tx, resolver, person, place.viewer.campaign, request)
    if made is None:
        raise NotOpen("That fight is over.", "See /fight show.")
    return made


def ask_dodges(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, request: RollRequest
) -> service.PendingRoll | None:
    """Ask the targets for their dodges before an attack is rolled; None if no one has to be asked."""
    asker = RoeAsker(resolver.library, person, ())
    view = None if request.amends else _find_waiting(tx, asker, campaign, request.parts)
    if view is None:
        return None
    actor = view.people[_attacker(request.parts)]
    fight_view.require_nothing_waits(tx, view, actor.id)
    seats = tuple(store.Seat(subject=item.id, name=item.name) for item in _list_dodging(view, request.parts))
    used = request.parts[0].inputs
    arms = " and ".join(map(plain, used.get("names", ()))) or plain(used["charge"]["item"])
    far = f" from {used['range_m']:g} m" if used.get("range_m") is not None else ""
    asks = (f"has **{plain(actor.name)}** attack", f"with {arms}{far}")
    otherwise = "I roll the dodge for anyone who hasn't answered"
    words = store.Words("attack", actor.name, asks, DODGED[request.family], otherwise=otherwise)
    channel = int(view.fight.header.channel or campaign.results_channel_id)
    asked = service.Ask(channel, request, seats, timedelta(hours=24), words)
    return service.ask(tx, resolver, person, campaign, asked)


def _find_waiting(
    tx: Connection, asker: RoeAsker, campaign: Campaign, parts: Sequence[PartRequest]
) -> FightView | None:
    if not campaign.dodges_wait:
        return None
    view = fight_view.find_fight_of(tx, fight_view.view_campaign(tx, asker, campaign), _attacker(parts))
    waits = view is not None and view.fight.header.mode == "dice" and any(_list_dodging(view, parts))
    return view if waits else None


def _attacker(parts: Sequence[PartRequest]) -> int:
    return parts[0].ids[ACTOR][0] or 0


def _list_dodging(view: FightView, parts: Sequence[PartRequest]) -> Iterator[Profile]:
    # Targets of other players dodge; no one does if some fighter isn't seen by all.
    attacker = view.people.get(_attacker(parts))
    names = [part.subjects[RESISTER] for part in parts if RESISTER in part.subjects]
    targets = [subjects.choose_named(view.visible_fight.roster, name) for name in names]
    numbers = dict.fromkeys(item.id for item in targets if item is not None)
    if attacker is not None and {attacker.id, *numbers} <= view.visible:
        people = (view.people[number] for number in numbers)
        yield from (item for item in people if item.owner is not None and item.owner != attacker.owner)


def _keep(request: RollRequest, _place: int, _answer: store.SeatAnswer | None) -> RollRequest:
    return request


def _select_if_all_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    there = fight_view.select_fighting(tx, campaign, request, asked)
    return None if there is None or len(there) < len(asked) else there


DODGES = dict.fromkeys(
    DODGED, store.AnswerRules(_keep, {"dodge": "Dodge"}, there=_select_if_all_fighting, ask=ask_dodges)
)

MAX_TARGETS, PAIR = 9, 2


class AttackForm(TurnForm):
    """Options of `/roe attack`; the range is in metres."""

    family = (BOOK, ATTACK)
    target: Targets = option("The target. After commas: who is next to it, in the line of fire or hit too")
    weapon: ArmName | None = option("The weapon. Default: the character's first", default=None)
    second: ArmName | None = option("A second weapon, used at the same time", default=None)
    fire: Fire | None = option("Mode of fire: single, auto, suppress, throw, or sneak for a sneak attack", default=None)
    range: Metres | None = option("Distance in metres. Default: 10, or 1 in melee", default=None)
    character: Name | None = option("Who attacks, or a pet. Default: who has the turn", default=None)


class TypedAttack(Struct, frozen=True):
    """An attack as typed; `names` says how often each target is named."""

    names: Mapping[str, int]
    arms: Sequence[Arm]
    weapon: Weapon
    mode: Mode
    inputs: Mapping[str, Any]


def read_attack(tx: Connection, asker: RoeAsker, typed: AttackForm) -> RollCommand:
    """Read the roll of an attack, by a pet if one is named as character.

    Raises:
        UnaskedQuestion: it would roll at once, but waits for dodges.

    """
    pet = _send_pet(tx, asker, typed)
    if pet is not None:
        family, parts = (BOOK, PET_ATTACK), [pet]
    else:
        who = actors.find_acting(tx, asker, typed.character)
        attack = _read_typed(who, typed)
        actors.require_there(tx, who, attack.names)
        family, parts = typed.family, [*_make_parts(tx, who, attack)]
    command = RollCommand(asker.channels, family, parts, modifiers=typed.modifiers, note=typed.note)
    if typed.roll == "now" and typed.dice is None:  # a card asks later, typed dice never wait
        require_no_wait(tx, asker, command)
    return command


def _read_typed(who: ActingCharacter, typed: AttackForm) -> TypedAttack:
    names = parsing.split_names(typed.target, "target", MAX_TARGETS)
    counts, spelled = Counter(map(name_key, names)), {name_key(name): name for name in reversed(names)}
    arms = [actors.find_carried_weapon(who, typed.weapon)]
    if typed.second is not None:
        arms.append(actors.find_carried_weapon(who, typed.second))
        if arms[1].id == arms[0].id:
            raise BadInput(f"You can't use {arms[0].name} twice at once.", "Name another weapon as the second one.")
    weapon = find_weapon(who.book, arms[0].token)
    inputs = actors.make_attack_inputs(who.book, arms, typed.fire, typed.range)
    mode = find_mode(who.book, weapon, inputs.get("mode") if len(arms) == 1 else None)
    return TypedAttack({spelled[key]: count for key, count in counts.items()}, arms, weapon, mode, inputs)


def _make_parts(tx: Connection, who: ActingCharacter, attack: TypedAttack) -> Iterator[PartRequest]:
    guard = actors.find_shielder(who, [*attack.names])
    others = actors.list_strays(tx, who, next(iter(attack.names)))
    first = ({"covered": True} if guard else {}) | ({"strays": others} if others else {})
    for place, (name, more) in enumerate([*_share_out(who.book, attack)]):
        yield _make_part(who, attack, name, more if place else {**more, **first})
    same = {"sneak": False, **({"only": 0} if len(attack.arms) > 1 and len(attack.names) > 1 else {})}
    if guard and _spreads(who.book, attack):
        yield _make_part(who, attack, guard, {"beside": True, **same})
    if guard:
        yield _make_part(who, attack, guard, {"past": "taken", **same})


def _make_part(who: ActingCharacter, attack: TypedAttack, name: str, more: Mapping[str, Any]) -> PartRequest:
    fuel = actors.list_fuel(who, name)
    return actors.make_part(who.actor, {**attack.inputs, **more, **({"fuel": fuel} if fuel else {})}, name)


def _share_out(book: Book, attack: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each target with its share of the attack (lines 275, 319, 340, 377)."""
    names, several = [*attack.names], len(attack.names) > 1
    if len(attack.arms) > 1:
        if len(names) > PAIR:
            raise BadInput("Two weapons can attack at most two targets.", "Name one target per weapon.")
        yield from ((name, {"only": place} if several else {}) for place, name in enumerate(names))
    elif _spreads(book, attack):
        yield from ((name, {"beside": True, "sneak": False} if place else {}) for place, name in enumerate(names))
    elif attack.weapon.gun or attack.mode.thrown:
        yield names[0], {"covered": True} if several else {}
        yield from ((name, {"past": "dodged", "sneak": False}) for name in names[1:])
    else:
        yield from _share_swings(book, attack)


def _share_swings(book: Book, attack: TypedAttack) -> Iterator[tuple[str, dict[str, Any]]]:
    most, asked = attack_rolls(book, attack.weapon, attack.mode, attack.inputs["range_m"]), sum(attack.names.values())
    if asked > most:
        what = f"{attack.arms[0].name} has {most} {'swing' if most == 1 else 'swings'} in one Action, not {asked}."
        raise BadInput(what, "Name one target per swing. Repeat a name to strike it again.")
    several = len(attack.names) > 1
    for name, count in attack.names.items():
        yield name, {"rolls": count, "parted": several} if asked > 1 else {}


def _spreads(book: Book, attack: TypedAttack) -> bool:
    fire = attack.weapon.type.id if attack.weapon.type.far_rolls and not attack.mode.thrown else attack.mode.id
    return counts_as_automatic(book, fire, attack.inputs["range_m"])


PET_ATTACK = "pet.attack"
IS_PET, KIND = "pet-level", "pet-type"
OUT = f"{EFFECT}out"
USUAL: Mapping[str, float] = {"melee": 1, "ranged": 10}
"""Default distance (m) of a pet's attack."""


def _send_pet(tx: Connection, asker: RoeAsker, typed: AttackForm) -> PartRequest | None:
    found = _find_pet(tx, asker, typed.character) if typed.character else None
    if found is None:
        return None
    if typed.weapon or typed.second or typed.fire:
        raise BadInput("A pet has its own attack and no weapons.", "Leave weapon, second and fire out.")
    pet, owner = found
    who = actors.find_acting(tx, asker, subjects.label_subject(owner))
    others = state.find_values_of_name(tx, who.viewer.campaign.id, OUT).items()
    out = sum(value.get("other") == who.actor.id for subject, value in others if subject != pet.key)
    level, kind = bring_pet(who.book, pet.fields[IS_PET], pet.fields.get(KIND), owner.fields.get("option"), out)
    (target,) = parsing.split_names(typed.target, "target", 1)
    actors.require_there(tx, who, [target])
    metres = USUAL[kind.attack] if typed.range is None else typed.range
    return PartRequest(
        subjects={OWNER: owner.name, ACTOR: pet.name, RESISTER: target},
        ids={OWNER: (owner.id,), ACTOR: (pet.id,)},
        inputs={LEVEL: level.level, TYPE: kind.id, "range_m": metres},
    )


def _find_pet(tx: Connection, asker: RoeAsker, named: str) -> tuple[Profile, Profile] | None:
    viewer = fight_view.view_here(tx, asker)
    known = fight_view.list_known(tx, viewer)
    pet = subjects.choose_named((item for item in known if IS_PET in item.fields), named)
    if pet is None:
        return None
    owners = [item for item in known if name_key(pet.name) in map(name_key, item.fields.get(PET, ()))]
    owners.sort(key=lambda item: not viewer.owns(item))
    if not owners:
        hint = f"Save it with its owner: /roster edit, fields: pets: {pet.name}."
        raise BadInput(f"{pet.name} has no owner.", hint)
    return pet, owners[0]
