"""Flights, calls for aid, and who joins: who may interrupt, the roll, and who leaves or comes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe import actors, fight_messages, fight_view
from bot.cogs.roe.actors import ActingCharacter, NoSuchWeapon, TypedTurnAct
from bot.cogs.roe.fight_changes import ChangeDraft, FightChange, FightWork, UnseenTurn, enter_change
from bot.cogs.roe.fight_view import BOOK, FIGHTS, MOST, FightView, RoeAsker
from bot.cogs.roe.lasting import read_lasting
from bot.core import permissions, profiles, scenes, state, visibility
from bot.core.campaigns import Campaign, locate_campaign, make_moment
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.outbox.queue import Post
from bot.rolls.pending import service, store
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui import parsing, reply
from bot.ui.text import plain
from rules.books.roe import characters, fights, handling, hiding
from rules.books.roe.catalog import ACTOR, RESISTER, Arrival
from rules.effects import EFFECT, Moment
from rules.scenes import Participant
from rules.subjects import subject_key, word_id

FLEE, CALL, ANSWER = "turn.flee", "turn.call", "turn.answer"

NEAR_BASE, PUBLIC = "near base", "comlink"
"""Typed for calls near the faction's base, or over a public comlink."""

ARMS = "arms"
"""The input with an interrupter's attacks, one for each weapon."""

YES, NO = "interrupt", "no"
MOST_METRES = 10_000


def _add_interrupt(request: RollRequest, place: int, answer: store.SeatAnswer | None) -> RollRequest:
    part = _without(request.parts[place], hiding.STRIKE)
    if answer is None or answer.choice == NO:
        return request.with_part(place, part)
    typed = answer.fields
    attack = _find_attack(part.subjects[RESISTER], part.inputs[ARMS], typed.get("weapon", ""))
    metres = parsing.parse_whole(typed.get("metres"), "distance", 0, MOST_METRES, default=round(attack["range_m"]))
    inputs = {**part.inputs, hiding.STRIKE: {**attack, "range_m": metres}}
    return request.with_part(place, replace(part, inputs=inputs))


def _list_other_strikes(request: RollRequest, place: int) -> Iterator[tuple[str, RollRequest]]:
    part = request.parts[place]
    who, arms = part.subjects[RESISTER], part.inputs.get(ARMS, ())
    typed = part.inputs[hiding.STRIKE]["range_m"] if hiding.STRIKE in part.inputs else None
    ways = [{**attack, "range_m": typed} for attack in arms if typed is not None]
    for attack in (*ways, *(attack for attack in arms if attack["range_m"] != typed)):
        line = f"{who} can interrupt with {attack['names'][0]}, from {attack['range_m']:g} m."
        inputs = {**part.inputs, hiding.STRIKE: attack}
        yield line, request.with_part(place, replace(part, inputs=inputs))


def _drop_unanswered(request: RollRequest) -> RollRequest:
    struck = [_without(part, ARMS) for part in request.parts if hiding.STRIKE in part.inputs]
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
    yield reply.text_field("weapon", "Weapon", placeholder=hint, value=weapon, limit=60, needed=False)
    yield reply.text_field("metres", "Distance in metres", placeholder=far, value=metres, limit=5, needed=False)


NOUNS = {FLEE: "flight", CALL: "call for aid", ANSWER: "com post"}
INTERRUPTS: Mapping[str, store.AnswerRules] = dict.fromkeys(
    NOUNS,
    store.AnswerRules(
        _add_interrupt,
        {YES: "Interrupt", NO: "No"},
        _make_window,
        open=(YES,),
        made=_drop_unanswered,
        there=fight_view.select_fighting,
        others=_list_other_strikes,
    ),
)
WHO, CALLED, NEAR, WILLING = "who", "called", "near", "willing"
"""Inputs: who acts (number), who is called, whether near the base, and who comes at once.

The caller answers for the last ones.
"""


def try_act(
    tx: Connection, resolver: Resolver, person: permissions.Person, channels: Sequence[int], typed: TypedTurnAct
) -> service.PendingRoll | RollResult:
    """Ask those who may interrupt, or roll at once if no one may."""
    here, asker = locate_campaign(tx, person.guild_id, channels), RoeAsker(resolver.library, person, channels)
    campaign = fight_view.open_campaign_with_fights(tx, asker, here.id).campaign
    who = actors.find_acting(tx, asker, typed.character)
    act = actors.find_act(who.book, typed.what).id
    if typed.modifiers is not None:
        raise BadInput("You can't tick modifiers for something others can interrupt.", "Leave the modifiers out.")
    view = who.require_fight()
    fight_view.require_nothing_waits(tx, view, who.actor.id)
    inputs = {WHO: who.actor.id, **_make_inputs(tx, who, view, act, typed)}
    now = make_moment(0, resolver.ledger.now())
    called = profiles.read_profiles(tx, campaign.id, inputs.get(CALLED, ())).values()
    fight_view.require_fit(tx, who.viewer, called, now)
    own = actors.make_part(who.actor, inputs)
    others = [] if hiding.COMLINK in inputs else [*_list_interrupters(tx, who, view, now)]
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
        viewer = who.viewer
        preview = resolver.preview(tx, campaign, request, None if view.leads else viewer, book=who.book)
        resolver.require_able(tx, viewer, preview)
        order = (campaign.id, viewer.person.user_id, request)
        return resolver.roll(tx, RollOrder(*order, secrets=view.leads, preview=preview, actor=viewer.mine))
    seats = tuple(store.Seat(subject=item.id, name=item.name, unseen=item.id not in view.public) for item in others)
    channel = int(view.fight.header.channel or campaign.results_channel_id)
    asks = f"whether they interrupt **{plain(who.actor.name)}**'s {NOUNS[act]}"
    otherwise = "anyone who hasn't answered doesn't interrupt"
    words = store.Words(NOUNS[act], who.actor.name, ("asks", asks), "/roe act", otherwise=otherwise)
    asked_for = service.Ask(channel, request, seats, timedelta(hours=24), words)
    return service.ask(tx, resolver, person, campaign, asked_for)


def _list_interrupters(tx: Connection, who: ActingCharacter, view: FightView, now: Moment) -> Iterator[Profile]:
    """Yield non-allies who know the actor and have an Action to give (lines 137, 159)."""
    if who.actor.id not in view.visible:
        return
    lasting = read_lasting(tx, view.campaign, now)
    alike = {who.actor.id, *(item.id for item in _list_allies(tx, who, view))}
    for item in view.fight.roster:
        traits = {name.removeprefix(EFFECT) for subject, name in lasting if subject == subject_key(item.id)}
        if item.id not in alike and handling.count_allowance(who.book, traits | {*item.marks})[fights.ACTIONS]:
            yield view.people[item.id]


def _list_allies(tx: Connection, who: ActingCharacter, view: FightView) -> Iterator[Profile]:
    own = who.actor
    joined = [group.members for group in permissions.list_groups(tx, view.campaign.id) if own.id in group.members]
    for item in view.people.values():
        played = own.owner is not None or any(item.id in members for members in joined)
        if item.id != own.id and item.owner == own.owner and played:
            yield item


def _add_interrupter(who: ActingCharacter, part: PartRequest, item: Profile) -> PartRequest:
    arms = characters.list_arms(who.book, item.fields.get("weapons", ()))
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
        return {hiding.BESIDE: hiding.is_beside_others(who.book, who.actor.fields.get("option"), options)}
    if act != CALL:
        return {}
    words = [word.strip() for word in (typed.value or "").split(",") if word.strip()]
    near = [word for word in words if word.casefold() == NEAR_BASE]
    comlink = dict(_read_comlink(words))
    channels = [] if comlink else [word for word in words if word not in near]
    if len(channels) > 1:
        raise BadInput("One call reaches one character or one group channel.", "Name one channel.")
    names = parsing.names(typed.target, "character", 9) if typed.target else []
    called = fight_view.find_characters(tx, who.viewer, names)
    for item in called:
        if view.visible_fight.combatant(item.id) or view.visible_fight.unit(item.name):
            raise BadInput(f"{item.name} is already in {view.fight.name}.", "Call someone else.")
    if comlink and not view.leads:
        _require_summoned(tx, who, comlink[hiding.COMLINK], called)
    more = {hiding.CHANNEL: channels[0]} if channels else comlink
    return {
        hiding.RECIPIENTS: len(called) or len(channels),
        **more,
        CALLED: [item.id for item in called],
        WILLING: [item.id for item in called if who.viewer.owns(item) or (view.leads and item.owner is None)],
        NEAR: bool(near),
    }


def _require_summoned(tx: Connection, who: ActingCharacter, typed: str, called: Sequence[Profile]) -> None:
    # A public comlink reaches a service, which players know as a group (line 151).
    meant = hiding.find_comlink(who.book, typed)
    names, viewer = {word_id(name) for name in (meant.label, *meant.also)}, who.viewer
    groups = permissions.list_groups(tx, viewer.campaign.id)
    known = [each for each in groups if not each.secret or each.id in viewer.groups]
    members = {number for each in known if word_id(each.name) in names for number in each.members}
    for item in called:
        if item.id not in members:
            what = f"A public comlink calls {meant.label}, and {item.name} isn't known to belong to them."
            raise BadInput(what, "Leave the target out. A game master says who comes or adds them to that group.")


def _read_comlink(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    found = next((word for word in words if word.casefold().startswith(PUBLIC)), None)
    if found is None:
        return
    meant = found[len(PUBLIC) :].strip(" :")
    if not meant:
        raise BadInput("Who should the public comlink call?", f"Add it after the word: {PUBLIC} CPD.")
    yield hiding.COMLINK, meant
    for word in words:
        if word != found and word.casefold() != NEAR_BASE:
            yield hiding.COMLINK_M, parsing.parse_whole(word.casefold().removesuffix("m"), "distance", 0, MOST_METRES)


def follow_up(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Let a fleeing fighter leave, or a caller expect help, unless stopped by a hit."""
    body = entry.content()
    if any(part["record"].get(hiding.STOPPED) for part in body["parts"]):
        return ()
    part = body["parts"][0]
    number: int = part["inputs"][WHO]
    view = fight_view.find_fight_of(tx, fight_view.view_as_maker(tx, campaign, entry), number)
    if view is None:
        return ()
    if body["family"] == FLEE:
        draft = ChangeDraft("flee", {"who": number}, secret=number not in view.public)
        return enter_change(tx, resolver, view, fights.leave(view.fight, number), draft).posts
    return _enter_call(tx, resolver, view, part["inputs"])


def _enter_call(tx: Connection, resolver: Resolver, view: FightView, inputs: Mapping[str, Any]) -> Sequence[Post]:
    number = inputs[WHO]
    come = profiles.read_profiles(tx, view.campaign.id, inputs[CALLED])
    if not come:
        return ()
    turns = hiding.count_call_turns(resolver.library.book(tx, view.campaign, BOOK), near_base=inputs[NEAR])
    secret = number not in view.public or any(item.secret for item in come.values())
    willing = [item for item in come if item in inputs.get(WILLING, come)]
    asked = {item: come[item].name for item in come if item not in willing}
    body = {"who": number, "called": willing, "turns": turns, **({"asked": [*asked]} if asked else {})}
    offered = fight_messages.offer_coming(view.campaign.id, view.fight.header.entry, asked)
    draft = ChangeDraft("through", body, buttons=offered, asks=[*asked], secret=secret)
    expecting = fights.expect(view.fight, number, willing, turns, asked)
    return enter_change(tx, resolver, view.add_fighters(*come.values()), expecting, draft).posts


CALLER = "caller"
"""Called fighters come in behind this one, others behind the shooter."""


def come(work: FightWork, number: int) -> FightChange:
    """Let a called character (number) come into the fight."""
    view = work.view
    item = profiles.read_profiles(work.tx, work.campaign.id, [number]).get(number)
    caller = fights.find_caller(view.fight, number)
    if item is None or caller is None or not view.viewer.knows(item):
        raise NotOpen("This call has already been answered or is over.", "Use /fight join to join in another way.")
    if not (view.leads or view.viewer.owns(item)):
        raise NotAllowed(f"Only {item.name}'s player or a game master can do that.", FIGHTS.look)
    return _accept_call(work, item, caller)


def _accept_call(work: FightWork, item: Profile, caller: Participant) -> FightChange:
    view = work.view
    scenes.require_free(work.tx, work.campaign.id, view.visible_fight, [item])
    fight_view.require_fit(work.tx, view.viewer, [item], work.moment)
    turns = fights.count_turns_left(view.fight, caller, item.id)
    secret = item.secret or caller.id not in view.public
    draft = ChangeDraft("come", {"who": caller.id, "called": [item.id], "turns": turns}, secret=secret)
    return work.enter(fights.answer_call(view.fight, caller, item.id), draft, item)


SHOOTER = "shooter"


def _find_arrival(work: FightWork, metres: int | None) -> tuple[Arrival, int | None]:
    view = work.view
    noise = state.get_value(work.tx, work.campaign.id, view.fight.header.subject, hiding.NOISE)
    if noise is None and not view.leads:
        raise NotAsItIs(f"{view.fight.name} has made no noise that carries.", "Join in the next round instead.")
    if metres is None:
        raise BadInput("How far away is the fight?", "Add the distance in metres.")
    found = hiding.find_arrival(work.book, metres)
    if found is None:
        most = max(item.most_m for item in work.book.entries_of(Arrival).values())
        raise BadInput(f"The noise carries {most} m, not {metres} m.", FIGHTS.look)
    shooter = (noise or {}).get("by")
    now = view.visible_fight.now if isinstance(view.visible_fight.now, int) else None
    return found, shooter if shooter in view.public and view.fight.combatant(shooter) else now


def _expect_arrival(work: FightWork, item: Profile, behind: int | None, rounds: int) -> FightChange:
    if any(f"{fights.COMING}{item.id}" in fighter.marks for fighter in work.view.fight.roster):
        raise NotAsItIs(f"{item.name} is already on the way.", "They join automatically. See /fight show.")
    if behind is None:
        raise NotAsItIs("The first turn hasn't begun yet.", FIGHTS.look)
    draft = ChangeDraft("heard", {"who": behind, "called": [item.id], "turns": rounds}, secret=item.secret)
    return work.enter(fights.expect(work.view.fight, behind, [item.id], rounds), draft, item)


def join(work: FightWork, name: str, how: str, metres: int | None) -> FightChange:
    """Let a saved character join, by `how` they come and the distance in metres."""
    view = work.view
    (item,) = fight_view.find_characters(work.tx, view.viewer, parsing.names(name, "character", 1))
    visibility.require_acting(work.tx, view.viewer, item)
    scenes.require_free(work.tx, work.campaign.id, view.visible_fight, [item])
    fight_view.require_fit(work.tx, view.viewer, [item], work.moment)
    way = hiding.find_entrance(work.book, how, locked=view.fight.header.locked and not view.leads)
    if way is None:
        what = f"{view.fight.name} is locked, so {item.name} can't join."
        raise NotAsItIs(what, "If they were called by com or drawn by gunfire, set that as how.")
    if way.after == CALLER and (caller := fights.find_caller(view.fight, item.id)) is not None:
        return _accept_call(work, item, caller)
    if len(view.visible_fight.roster) >= MOST:
        raise BadInput(f"{view.fight.name} already has {MOST} fighters.", "Wait until one leaves.")
    marks = fight_view.mark_pet(item) | ({} if metres is None else {fights.METRES: metres})
    new = Participant(item.id, item.name, marks=marks)
    behind = view.visible_fight.now if way.after and isinstance(view.visible_fight.now, int) else None
    waits = behind is None or not view.leads
    if way.after == SHOOTER and not (view.leads and metres is None):
        arrival, behind = _find_arrival(work, metres)
        if arrival.rounds:
            return _expect_arrival(work, item, behind, arrival.rounds)
        waits = behind is None
    if not item.secret:
        _require_turn_of_all(work.resolver, view, waits=waits)
    draft = ChangeDraft("join", {"who": item.id, "how": how, "waits": waits}, secret=item.secret)
    return work.enter(fights.join(view.fight, new, behind, waits=waits), draft, item)


def _require_turn_of_all(resolver: Resolver, view: FightView, *, waits: bool) -> None:
    # Refuse to join where the place in the order would reveal a secret fighter's turn. That is at once, or next round
    # (`waits`) if others see it as begun. Those who know of that turn read that they must end it.
    fight, public = view.fight, view.public_fight
    if fight.header.mode is None or (public.header.turn == fight.header.turn and (waits or public.now == fight.now)):
        return
    if view.fight.now == view.visible_fight.now:  # a game master, or that fighter's player
        raise NotAsItIs("A fighter hidden from players has the turn.", "End that turn first: /fight turn.")
    raise UnseenTurn(resolver, view)
