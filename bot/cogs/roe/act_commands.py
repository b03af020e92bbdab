"""`/roe act` as it is typed or picked on a turn card."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import actors, flights, turn_card
from bot.cogs.roe.actors import AMMUNITION, ITEM, WEAPON, WEAPONS, ActingCharacter, TypedTurnAct
from bot.cogs.roe.attacks import NO_CARD, TurnForm, read_acting
from bot.cogs.roe.fight_changes import FightWork, require_own_turn
from bot.cogs.roe.fight_view import BOOK, FIGHTS, MOST, RoeAsker, UnaskedQuestion
from bot.core import profiles, scenes, state, subjects, visibility
from bot.core.errors import BadInput, NotOpen, UserError
from bot.rolls import options
from bot.rolls.answers import DoubtedRoll, open_roll, roll_now
from bot.rolls.card.store import CardView
from bot.rolls.options import CARD_OR_NOW, AnyModifiersCompleter, Completed, Completion, Completions, Name
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Resolver, RollResult
from bot.ui import parsing, reply
from bot.ui.parsing import option
from rules import acts, modifiers, stages
from rules.book import Act
from rules.books.roe import catalog, fights, vehicles, weapons
from rules.effects import EFFECT
from rules.errors import RollError
from rules.procedure import Part
from rules.subjects import name_key

AT_HAND = (fights.DRAWN, fights.LYING)
"""How marks of drawn weapons and of things on the ground begin."""


async def _complete_what(at: Completion, current: str) -> Completions:
    with suppress(UserError):  # the actor isn't known yet
        found = await read_acting(at, _suggest_acts, at.desk.resolver)
        return [item for item in found if name_key(current) in name_key(item[0])]
    return []


async def _complete_others(at: Completion, current: str) -> Completions:
    found = await read_acting(at, _suggest_others, at.read_option("what"), current.rpartition(",")[2])
    return options.complete_last(current, found)


async def _complete_value(at: Completion, current: str) -> Completions:
    values = await read_acting(at, suggest_values, at.read_option("what"), at.read_option("target") or None)
    return options.filter_labels(current, values)


async def _find_modifiers(at: Completion) -> Mapping[str, stages.Tickable]:
    book = await at.desk.database.read(at.desk.resolver.library.book, at.campaign, BOOK)
    procedure = book.procedure(actors.find_act(book, at.read_option("what")).id)
    return stages.family_tickables(procedure, book)


ActName = Annotated[str, Completed(_complete_what, re.compile(r"\)$|: "))]
Others = Annotated[str, Completed(_complete_others)]
Value = Annotated[str, Completed(_complete_value)]


class ActForm(TurnForm):
    """Options of `/roe act`."""

    what: ActName = option("The action. What you can do now comes first")
    target: Others | None = option(
        "The target, or who you call. Not needed for a hold or for all who could see you", default=None
    )
    value: Value | None = option("A weapon or metres. For a call: a channel, near base or comlink CPD", default=None)
    character: Name | None = option("Who acts. Default: who has the turn", default=None)
    modifiers: Annotated[str, AnyModifiersCompleter(_find_modifiers)] | None = None
    roll: str | None = option(NO_CARD, default=None, choices=CARD_OR_NOW)


def _suggest_acts(tx: Connection, who: ActingCharacter, resolver: Resolver) -> list[tuple[str, str]]:
    part = actors.preview_actor(tx, resolver, who)
    acts = [(act, actors.explain_refusal(who.book, act, part)) for act in actors.list_offered(who.book)]
    possible = [(_add_cost(act, part), act.title) for act, why in acts if why is None]
    return possible + [(f"{act.title}: {why}", act.title) for act, why in acts if why is not None]


def _add_cost(act: Act, part: Part) -> str:
    paid = ", ".join(actors.describe_costs(act, part))
    return f"{act.title} ({paid})" if paid else act.title


def _suggest_others(tx: Connection, who: ActingCharacter, what: str, current: str) -> list[str]:
    act = actors.find_act(who.book, what) if what else None
    if act is not None and act.id == flights.CALL:
        there = {item.id for item in who.view.visible_fight.roster} if who.view else set()
        known = visibility.list_suggested(tx, who.viewer, current.strip())
        return subjects.label_subjects(item for item in known if item.is_character and item.id not in there)
    return subjects.label_subjects(list_others(tx, who, act))


def list_others(tx: Connection, who: ActingCharacter, act: Act | None) -> list[subjects.Numbered]:
    """List known targets of an act."""
    others: list[subjects.Numbered] = [*who.others, *actors.list_things(tx, who)]
    if act is not None and act.takes == vehicles.SEAT:
        others = [item for item in actors.list_things(tx, who) if vehicles.VEHICLE in item.fields]
    if act is not None and act.bound:
        bound = actors.list_bound(tx, who, act)
        others = [item for item in others if (item.id in bound) is not bool(act.beside)]
    return others


def suggest_values(_tx: Connection, who: ActingCharacter, what: str, target: str | None) -> list[str]:
    """List an act's possible values."""
    act = actors.find_act(who.book, what)
    if act.id == flights.CALL:
        services = [entry.label for entry in who.book.entries_of(catalog.Comlink).values()]
        return [flights.NEAR_BASE, *(f"{flights.PUBLIC} {service}" for service in services)]
    if act.takes == vehicles.SEAT:
        return [*who.book.entries_of(catalog.VehicleSeat)]
    if act.takes in {WEAPON, WEAPONS}:
        return [arm.name for arm in actors.list_weapons(who)]
    if act.takes == AMMUNITION:
        guns = [arm.name for arm in actors.list_weapons(who) if weapons.find_weapon(who.book, arm.token).gun]
        return [f"{name}: {kind.label}" for name in guns for kind in who.book.entries_of(catalog.Ammo).values()]
    fight = who.view.visible_fight if who.view and act.takes == ITEM else None
    fighter = fight and (fight.combatant(who.actor.id) if target is None else fight.unit(target))
    marks = fighter.marks if fighter else {}
    return [mark.partition(".")[2] for mark, count in marks.items() if count and mark.startswith(AT_HAND)]


Cast = tuple[dict[str, str], dict[str, tuple[int | None, ...]]]
"""The name in each role, and the numbers where they are known."""


def read_act(tx: Connection, asker: RoeAsker, typed: TypedTurnAct) -> tuple[RollCommand, bool]:
    """Return the roll of an act, and whether it throws dice.

    Raises:
        UnaskedQuestion: others may interrupt it.

    """
    who = actors.find_acting(tx, asker, typed.character)
    act = actors.find_act(who.book, typed.what)
    if act.id in flights.NOUNS:
        raise UnaskedQuestion(flights.try_act, asker.channels, typed)
    me, ids, inputs = {act.actor: who.actor.name}, {act.actor: (who.actor.id,)}, _make_inputs(who, act, typed.value)
    parts = [
        PartRequest(subjects={**me, **names}, ids={**ids, **numbers}, inputs=inputs)
        for names, numbers in _list_others(tx, who, act, typed.target)
    ]
    command = RollCommand(asker.channels, (BOOK, act.id), parts, modifiers=typed.modifiers, note=typed.note)
    return command, bool(who.book.procedure(act.id).method.tables)


def _make_inputs(who: ActingCharacter, act: Act, value: str | None) -> dict[str, Any]:
    if act.takes in {WEAPON, WEAPONS, AMMUNITION}:
        return _make_weapon_inputs(who, act.takes, value)
    if act.takes is None and value is not None:
        raise BadInput(f"{act.title} takes no value.", "Leave it out.")
    if act.takes is None or value is None:
        return {}
    if act.takes == "metres":
        return {act.takes: parsing.parse_whole(value, act.takes, 0, 10_000)}
    return {act.takes: parsing.parse_text(value, act.takes)}


def _make_weapon_inputs(who: ActingCharacter, takes: str, value: str | None) -> dict[str, Any]:
    if takes == WEAPONS:
        names = [actors.find_carried_weapon(who, name).name for name in (value.split(",") if value else [None])]
        return {WEAPON: ", ".join(names)}
    if takes == WEAPON:
        arm = actors.find_carried_weapon(who, value)
        return {WEAPON: arm.name, "token": arm.token}
    weapon, _, kind = (value or "").rpartition(":")
    if not kind.strip():
        raise BadInput("What is loaded?", "Type it as the value, such as Rifle: AP.")
    arm = actors.find_carried_weapon(who, weapon.strip() or None)
    return {WEAPON: arm.name, "token": arm.token, AMMUNITION: parsing.parse_text(kind, "ammunition")}


def _list_others(tx: Connection, who: ActingCharacter, act: Act, typed: str | None) -> Iterator[Cast]:
    if not act.has_other:
        if typed is not None:
            raise BadInput(f"{act.title} takes no target.", "Leave the target out.")
        yield {}, {}
        return
    each = who.book.procedure(act.id).method.find_shared_die(who.book) is not None
    numbers = [item.id for item in who.others] if each else actors.list_bound(tx, who, act)
    known = profiles.read_profiles(tx, who.viewer.campaign.id, numbers)
    first: list[Cast] = [({act.subject: known[number].name}, {act.subject: (number,)}) for number in numbers]
    named: list[Cast] = []
    if typed is not None:
        names, ids = _find_beside(act, first)
        typed_names = parsing.split_names(typed, "target", MOST if each else 1)
        unseen = f"{act.subject}.unseen"
        looks = any(unseen in fact for refusal in act.refused for fact in modifiers.list_mentioned_facts(refusal.when))
        actors.require_there(tx, who, typed_names, hidden=True, anywhere=looks)
        named = [({act.subject: name, **names}, ids) for name in typed_names]
    if not (named or first or act.headline_alone) or (act.beside and not named):
        _require_bound(tx, who, act)
        raise BadInput(f"{act.title} needs a target.", "Name the target.")
    yield from [*first, *named] if act.beside else named or first or [({}, {})]


def _require_bound(tx: Connection, who: ActingCharacter, act: Act) -> None:
    if state.get_value(tx, who.viewer.campaign.id, who.actor.key, f"{EFFECT}{act.bound}") is None:
        unbound = (f"!{act.actor}.{act.bound}",)
        for refusal in act.refused:
            if unbound in refusal.when:
                raise RollError(refusal.words.format_map({act.actor: who.actor.name, act.subject: acts.OTHER_ONE}))


def _find_beside(act: Act, first: Sequence[Cast]) -> Cast:
    if not act.beside or not first:
        return {}, {}
    ((names, ids),) = first
    return {act.beside: names[act.subject]}, {act.beside: ids[act.subject]}


NEEDED: Mapping[str, Sequence[tuple[str, str, str]]] = {
    flights.CALL: [
        ("target", "Who is called", "A character who isn't in the fight"),
        ("value", "Channel or way", "A channel, near base, or comlink CPD"),
    ],
    **dict.fromkeys(("turn.fall", "turn.throw-off"), (("value", "How far down, in metres", "6"),)),
}
"""What a window asks for: option of `/roe act`, label and example; one alone is required."""


def carry_out(
    tx: Connection,
    resolver: Resolver,
    asker: RoeAsker,
    campaign_id: int,
    seen: tuple[scenes.SeenTurn, int],
    meant: TypedTurnAct,
) -> RollResult | DoubtedRoll | CardView:
    """Do a picked act, or open its card, if the turn and what's left of it are as they were `seen`.

    Raises:
        UnaskedQuestion: others may interrupt it.

    """
    turn, left = seen
    work = FightWork(tx, resolver, asker, campaign_id, turn.scene)
    scenes.require_turn(work.view.visible_fight, turn, FIGHTS)
    require_own_turn(resolver, work.view)
    item = work.view.on_turn
    act_id, _, value = meant.what.removeprefix(fights.TURN_NOTES).partition(":")
    if item is None or not act_id:
        raise NotOpen(*reply.STALE)
    turn_card.require_left(tx, resolver, work.view, work.book, left)
    who = subjects.label_subject(work.view.people[item.id])
    act = TypedTurnAct(act_id, meant.target, value or meant.value, who)
    command, dice = read_act(tx, asker, act)
    return (open_roll if dice else roll_now)(tx, resolver, asker.person, replace(command, campaign=campaign_id))
