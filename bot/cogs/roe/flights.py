"""Flights and calls for aid: who may interrupt, the roll, and who leaves or comes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import actors, fight_messages, fight_view, turn_change
from bot.cogs.roe.actors import ActingCharacter, NoSuchWeapon, TypedTurnAct
from bot.cogs.roe.fight_changes import ChangeDraft, enter_change
from bot.cogs.roe.fight_view import BOOK, FightView
from bot.cogs.roe.waiting import require_nothing_waits, select_fighting
from bot.core import permissions, profiles
from bot.core.campaigns import Campaign, locate_campaign, make_moment
from bot.core.errors import BadInput
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.outbox.queue import Post
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import AnswerRules, Seat, SeatAnswer, Words
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui import parsing
from bot.ui.reply import text_field
from bot.ui.text import plain
from rules.books.roe import fights as steps
from rules.books.roe import flights
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.characters import list_arms
from rules.books.roe.fights import ACTIONS
from rules.books.roe.flights import BESIDE, CHANNEL, COMLINK, COMLINK_M, RECIPIENTS, STOPPED, STRIKE
from rules.books.roe.handling import count_allowance
from rules.books.roe.hiding import count_call_turns
from rules.effects import EFFECT
from rules.ends import Moment
from rules.subjects import subject_key, word_id

FLEE, CALL, ANSWER = "turn.flee", "turn.call", "turn.answer"

NEAR_BASE, PUBLIC = "near base", "comlink"
"""Typed for calls near the faction's base, or over a public comlink."""

ARMS = "arms"
"""The input with an interrupter's attacks, one for each weapon."""

OTHERWISE = "anyone who hasn't answered doesn't interrupt"
YES, NO = "interrupt", "no"
_FARTHEST_M = 10_000


def _add_interrupt(request: RollRequest, place: int, answer: SeatAnswer | None) -> RollRequest:
    part = _without(request.parts[place], STRIKE)
    if answer is None or answer.choice == NO:
        return request.with_part(place, part)
    typed = answer.fields
    attack = _find_attack(part.subjects[RESISTER], part.inputs[ARMS], typed.get("weapon", ""))
    metres = parsing.parse_whole(typed.get("metres"), "distance", 0, _FARTHEST_M, default=round(attack["range_m"]))
    inputs = {**part.inputs, STRIKE: {**attack, "range_m": metres}}
    return request.with_part(place, replace(part, inputs=inputs))


def _list_other_strikes(request: RollRequest, place: int) -> Iterator[tuple[str, RollRequest]]:
    part = request.parts[place]
    who, arms = part.subjects[RESISTER], part.inputs.get(ARMS, ())
    typed = part.inputs[STRIKE]["range_m"] if STRIKE in part.inputs else None
    ways = [{**attack, "range_m": typed} for attack in arms if typed is not None]
    for attack in (*ways, *(attack for attack in arms if attack["range_m"] != typed)):
        line = f"{who} can interrupt with {attack['names'][0]}, from {attack['range_m']:g} m."
        inputs = {**part.inputs, STRIKE: attack}
        yield line, request.with_part(place, replace(part, inputs=inputs))


def _drop_unanswered(request: RollRequest) -> RollRequest:
    struck = [_without(part, ARMS) for part in request.parts if STRIKE in part.inputs]
    return replace(request, parts=tuple(struck) or (_make_uninterrupted(request.parts[0]),))


def _make_uninterrupted(part: PartRequest) -> PartRequest:
    only = {"subjects": {ACTOR: part.subjects[ACTOR]}, "ids": {ACTOR: part.ids[ACTOR]}}
    return replace(_without(part, ARMS), **only)


def _without(part: PartRequest, name: str) -> PartRequest:
    return replace(part, inputs={key: value for key, value in part.inputs.items() if key != name})


def _find_attack(who: str, attacks: Sequence[dict[str, Any]], typed: str) -> dict[str, Any]:
    if not typed:
        return attacks[0]
    for item in attacks:
        if word_id(typed) in {word_id(item["names"][0]), word_id(item["tokens"][0])}:
            return item
    raise NoSuchWeapon(who, typed, [item["names"][0] for item in attacks])


def _make_window(draft: Mapping[str, str], _own: str) -> Iterator[ui.Label[ui.Modal]]:
    weapon, metres = draft.get("weapon") or None, draft.get("metres") or None
    hint, far = "The character's first weapon", "10, or 1 in melee"
    yield text_field("weapon", "Weapon", placeholder=hint, value=weapon, limit=60, needed=False)
    yield text_field("metres", "Distance in metres", placeholder=far, value=metres, limit=5, needed=False)


_INTERRUPT = AnswerRules(
    _add_interrupt,
    {YES: "Interrupt", NO: "No"},
    _make_window,
    open=(YES,),
    made=_drop_unanswered,
    there=select_fighting,
    others=_list_other_strikes,
)
INTERRUPTS: Mapping[str, AnswerRules] = dict.fromkeys((FLEE, CALL, ANSWER), _INTERRUPT)

HOURS = 24

WHO, CALLED, NEAR, WILLING = "who", "called", "near", "willing"
"""Inputs: who acts (number), who is called, whether near the base, and who comes at once.

The caller answers for the last ones.
"""

MOST_CALLED, MOST_METRES = 9, 10_000
NOUNS = {FLEE: "flight", CALL: "call for aid", ANSWER: "com post"}


def try_act(
    tx: Connection, resolver: Resolver, person: Person, channels: Sequence[int], typed: TypedTurnAct
) -> PendingRoll | RollResult:
    """Ask those who may interrupt, or roll at once if no one may."""
    campaign = fight_view.open_campaign_with_fights(
        tx, resolver.library, person, locate_campaign(tx, person.guild_id, channels).id
    ).campaign
    who = actors.find_acting(tx, resolver.library, person, channels, typed.character)
    act = actors.find_act(who.book, typed.what).id
    if typed.modifiers is not None:
        raise BadInput("You can't tick modifiers for something others can interrupt.", "Leave the modifiers out.")
    view = who.require_fight()
    require_nothing_waits(tx, view, who.actor.id)
    inputs = {WHO: who.actor.id, **_make_inputs(tx, who, view, act, typed)}
    now = make_moment(0, resolver.ledger.now())
    called = profiles.read_profiles(tx, campaign.id, inputs.get(CALLED, ())).values()
    fight_view.require_fit(tx, who.viewer, called, now)
    own = actors.make_part(who.actor, inputs)
    others = [] if COMLINK in inputs else [*_list_interrupters(tx, who, view, now)]
    asked = any(item.id in view.public for item in others)
    parts = [_add_interrupter(who, own, item) for item in others] if asked else [_make_uninterrupted(own)]
    request = RollRequest(
        book=BOOK,
        family=act,
        parts=tuple(parts),
        note=parsing.parse_text(typed.note, "note"),
        staff=view.leads,
        by=None if view.leads else who.viewer.mine,
    )
    if not asked:
        return _roll_at_once(tx, resolver, who, request)
    seats = tuple(Seat(subject=item.id, name=item.name, unseen=item.id not in view.public) for item in others)
    channel = int(view.fight.header.channel or campaign.results_channel_id)
    asks = f"whether they interrupt **{plain(who.actor.name)}**'s {NOUNS[act]}"
    words = Words(NOUNS[act], who.actor.name, ("asks", asks), "/roe act", otherwise=OTHERWISE)
    return service.ask(tx, resolver, person, campaign, Ask(channel, request, seats, timedelta(hours=HOURS), words))


def _list_interrupters(tx: Connection, who: ActingCharacter, view: FightView, now: Moment) -> Iterator[Profile]:
    """Yield non-allies who know the actor and have an Action to give (lines 137, 159)."""
    if who.actor.id not in view.visible:
        return
    lasting = turn_change.read_lasting(tx, view.campaign, now)
    alike = {who.actor.id, *(item.id for item in _list_allies(tx, who, view))}
    for item in view.fight.roster:
        traits = {name.removeprefix(EFFECT) for subject, name in lasting if subject == subject_key(item.id)}
        if item.id not in alike and count_allowance(who.book, traits | {*item.marks})[ACTIONS]:
            yield view.people[item.id]


def _list_allies(tx: Connection, who: ActingCharacter, view: FightView) -> Iterator[Profile]:
    own = who.actor
    joined = [group.members for group in permissions.list_groups(tx, view.campaign.id) if own.id in group.members]
    for item in view.people.values():
        played = own.owner is not None or any(item.id in members for members in joined)
        if item.id != own.id and item.owner == own.owner and played:
            yield item


def _add_interrupter(who: ActingCharacter, part: PartRequest, item: Profile) -> PartRequest:
    arms = list_arms(who.book, item.fields.get("weapons", ()))
    attacks = [actors.make_attack_inputs(who.book, [arm], None, None) for arm in arms]
    return PartRequest(
        subjects={**part.subjects, RESISTER: item.name},
        ids={**part.ids, RESISTER: (item.id,)},
        inputs={**part.inputs, ARMS: attacks},
    )


def _make_inputs(
    tx: Connection, who: ActingCharacter, view: FightView, act: str, typed: TypedTurnAct
) -> dict[str, Any]:
    if act == FLEE:
        options = [item.fields.get("option") for item in _list_allies(tx, who, view)]
        return {BESIDE: flights.is_beside_others(who.book, who.actor.fields.get("option"), options)}
    if act != CALL:
        return {}
    words = [word.strip() for word in (typed.value or "").split(",") if word.strip()]
    near = [word for word in words if word.casefold() == NEAR_BASE]
    comlink = dict(_read_comlink(words))
    channels = [] if comlink else [word for word in words if word not in near]
    if len(channels) > 1:
        raise BadInput("One call reaches one character or one group channel.", "Name one channel.")
    names = parsing.names(typed.target, "character", MOST_CALLED) if typed.target else []
    called = fight_view.find_characters(tx, who.viewer, names)
    for item in called:
        if view.visible_fight.combatant(item.id) or view.visible_fight.unit(item.name):
            raise BadInput(f"{item.name} is already in {view.fight.name}.", "Call someone else.")
    if comlink and not view.leads:
        _require_summoned(tx, who, comlink[COMLINK], called)
    more = {CHANNEL: channels[0]} if channels else comlink
    return {
        RECIPIENTS: len(called) or len(channels),
        **more,
        CALLED: [item.id for item in called],
        WILLING: [item.id for item in called if who.viewer.owns(item) or (view.leads and item.owner is None)],
        NEAR: bool(near),
    }


def _require_summoned(tx: Connection, who: ActingCharacter, typed: str, called: Sequence[Profile]) -> None:
    """A public comlink reaches a service, which players know as a group (line 151)."""
    service = flights.find_comlink(who.book, typed)
    names, viewer = {word_id(name) for name in (service.label, *service.also)}, who.viewer
    known = [
        each for each in permissions.list_groups(tx, viewer.campaign.id) if not each.secret or each.id in viewer.groups
    ]
    members = {number for each in known if word_id(each.name) in names for number in each.members}
    for item in called:
        if item.id not in members:
            what = f"A public comlink calls {service.label}, and {item.name} isn't known to belong to them."
            raise BadInput(what, "Leave the target out. A game master says who comes or adds them to that group.")


def _read_comlink(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    found = next((word for word in words if word.casefold().startswith(PUBLIC)), None)
    if found is None:
        return
    service = found[len(PUBLIC) :].strip(" :")
    if not service:
        raise BadInput("Who should the public comlink call?", f"Add it after the word: {PUBLIC} CPD.")
    yield COMLINK, service
    for word in words:
        if word != found and word.casefold() != NEAR_BASE:
            yield COMLINK_M, parsing.parse_whole(word.casefold().removesuffix("m"), "distance", 0, MOST_METRES)


def _roll_at_once(tx: Connection, resolver: Resolver, who: ActingCharacter, request: RollRequest) -> RollResult:
    campaign, leads = who.viewer.campaign, bool(request.staff)
    preview = resolver.preview(tx, campaign, request, None if leads else who.viewer, book=who.book)
    resolver.require_able(tx, who.viewer, preview)
    user, mine = who.viewer.person.user_id, who.viewer.mine
    return resolver.roll(tx, RollOrder(campaign.id, user, request, secrets=leads, preview=preview, actor=mine))


def follow_up(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Let a fleeing fighter leave, or a caller expect help, unless stopped by a hit."""
    body = entry.content()
    if any(part["record"].get(STOPPED) for part in body["parts"]):
        return ()
    part = body["parts"][0]
    number: int = part["inputs"][WHO]
    view = fight_view.find_fight_of(tx, fight_view.view_as_maker(tx, campaign, entry), number)
    if view is None:
        return ()
    if body["family"] == FLEE:
        draft = ChangeDraft("flee", {"who": number}, secret=number not in view.public)
        return enter_change(tx, resolver, view, steps.leave(view.fight, number), draft).posts
    return _enter_call(tx, resolver, view, part["inputs"])


def _enter_call(tx: Connection, resolver: Resolver, view: FightView, inputs: Mapping[str, Any]) -> Sequence[Post]:
    number = inputs[WHO]
    come = profiles.read_profiles(tx, view.campaign.id, inputs[CALLED])
    if not come:
        return ()
    turns = count_call_turns(resolver.library.book(tx, view.campaign, BOOK), near_base=inputs[NEAR])
    secret = number not in view.public or any(item.secret for item in come.values())
    willing = [item for item in come if item in inputs.get(WILLING, come)]
    asked = {item: come[item].name for item in come if item not in willing}
    body = {"who": number, "called": willing, "turns": turns, **({"asked": [*asked]} if asked else {})}
    offered = fight_messages.offer_coming(view.campaign.id, view.fight.header.entry, asked)
    draft = ChangeDraft("through", body, buttons=offered, asks=[*asked], secret=secret)
    expecting = steps.expect(view.fight, number, willing, turns, asked)
    return enter_change(tx, resolver, view.add_fighters(*come.values()), expecting, draft).posts
