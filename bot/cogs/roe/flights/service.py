"""Flights and calls for aid as they are tried: refused, asked about, or rolled at once where nobody can interrupt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe import turn_change
from bot.cogs.roe.actors import Acting, acting
from bot.cogs.roe.acts.named import TypedAct, act_named
from bot.cogs.roe.attacks.inputs import inputs_of
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, campaign_with_fights, find_characters, require_fit
from bot.cogs.roe.flights.answering import ANSWER, CALL, FLEE, NEAR_BASE, OTHERWISE, PUBLIC, against, alone
from bot.cogs.roe.waiting import require_nothing_waits
from bot.core import groups, profiles
from bot.core.campaigns import locate, moment
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.errors import BadInput, NotAsItIs
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Seat, Words
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from bot.ui.text import plain
from rules.books.roe.aim import ACTOR
from rules.books.roe.allowances import allowance
from rules.books.roe.arms import arms_of
from rules.books.roe.fleeing import beside_others, comlink_named
from rules.books.roe.interrupting import BESIDE, CHANNEL, COMLINK, COMLINK_M, RECIPIENTS
from rules.books.roe.marks import ACTIONS
from rules.effects import EFFECT
from rules.ends import Moment
from rules.fields import word_id
from rules.scenes import Participant
from rules.subjects import subject_key

HOURS = 24
"""How long others may say that they interrupt."""

WHO, CALLED, NEAR, WILLING = "who", "called", "near", "willing"
"""Inputs: who flees or calls (a number); of a call who is called (numbers), whether it is made near the faction's base, and who
of those called comes (numbers), since whoever calls says that for them too."""

MOST_CALLED, MOST_METRES = 9, 10_000
NOUNS = {FLEE: "flight", CALL: "call for aid", ANSWER: "com post"}
"""What each act is called that others may interrupt."""


def make(
    tx: Connection, resolver: Resolver, person: Person, channels: Sequence[int], typed: TypedAct
) -> PendingRoll | Rolled:
    """Try to flee or to call: whoever may interrupt is asked first; where nobody may, all of it is rolled at once."""
    campaign = campaign_with_fights(tx, resolver.library, person, locate(tx, person.guild_id, channels).id)
    who = acting(tx, resolver.library, person, channels, typed.character)
    act = act_named(who.book, typed.what).id
    seen = who.seen
    if typed.modifiers is not None:
        raise BadInput("You can't tick modifiers for something others can interrupt.", "Leave the modifiers out.")
    if seen is None:
        raise NotAsItIs(f"{who.actor.name} isn't in a fight.", FIGHTS.begin)
    require_nothing_waits(tx, seen, who.actor.id)
    inputs = {WHO: who.actor.id, **_inputs(tx, who, seen, act, typed)}
    now = moment(0, resolver.ledger.now())
    require_fit(tx, who.viewer, profiles.read(tx, campaign.id, inputs.get(CALLED, ())).values(), now)
    own = PartRequest(subjects={ACTOR: who.actor.name}, ids={ACTOR: (who.actor.id,)}, inputs=inputs)
    others = [] if COMLINK in inputs else [*_others(tx, who, seen, now)]
    asked = any(item.id in seen.open for item in others)
    request = RollRequest(
        book=BOOK,
        family=act,
        parts=tuple(against(own, item.id, item.name, _attacks(who, item)) for item in others)
        if asked
        else (alone(own),),
        note=parsing.text(typed.note, "note"),
        staff=seen.leads,
        by=None if seen.leads else who.viewer.mine,
    )
    if not asked:
        return _at_once(tx, resolver, who, request)
    seats = tuple(Seat(subject=item.id, name=item.name, unseen=item.id not in seen.open) for item in others)
    channel = int(seen.fight.header.channel or campaign.results_channel_id)
    ask = Ask(channel, request, seats, timedelta(hours=HOURS), _words(act, who.actor))
    return service.ask(tx, resolver, person, campaign, ask)


def _words(act: str, actor: Profile) -> Words:
    noun, name = NOUNS[act], plain(actor.name)
    return Words(
        noun, actor.name, ("asks", f"whether they interrupt **{name}**'s {noun}"), "/roe act", otherwise=OTHERWISE
    )


def _others(tx: Connection, who: Acting, seen: FightView, now: Moment) -> Iterator[Profile]:
    """Yield who may interrupt: fighters of another mind who know of the actor and have an Action to give (lines 137, 159)."""
    if who.actor.id not in seen.seen:
        return
    lasting = turn_change.read_lasting(tx, seen.campaign, now)
    alike = {who.actor.id, *(item.id for item in _allies(tx, who, seen))}
    for item in seen.fight.roster:
        if item.id not in alike and _able(who, item, lasting):
            yield seen.people[item.id]


def _allies(tx: Connection, who: Acting, seen: FightView) -> Iterator[Profile]:
    """Yield who fights and is of one mind with the actor: played by the same player, or played by nobody and in one group."""
    own = who.actor
    joined = [group.members for group in groups.current(tx, seen.campaign.id) if own.id in group.members]
    for item in seen.people.values():
        played = own.owner is not None or any(item.id in members for members in joined)
        if item.id != own.id and item.owner == own.owner and played:
            yield item


def _able(who: Acting, item: Participant, lasting: Mapping[tuple[str, str], Any]) -> bool:
    """Return whether a fighter has an Action to give on the next turn."""
    key = subject_key(item.id)
    traits = {name.removeprefix(EFFECT) for subject, name in lasting if subject == key}
    return bool(allowance(who.book, traits | {*item.marks})[ACTIONS])


def _attacks(who: Acting, item: Profile) -> list[dict[str, Any]]:
    """Return the attacks that somebody can make, one with each weapon."""
    arms = arms_of(who.book, item.fields.get("weapons", ()))
    return [inputs_of(who.book, [arm], None, None) for arm in arms]


def _inputs(tx: Connection, who: Acting, seen: FightView, act: str, typed: TypedAct) -> dict[str, Any]:
    """Return what a flight or a call is tried with."""
    if act == FLEE:
        options = [item.fields.get("option") for item in _allies(tx, who, seen)]
        return {BESIDE: beside_others(who.book, who.actor.fields.get("option"), options)}
    if act != CALL:
        return {}
    words = [word.strip() for word in (typed.value or "").split(",") if word.strip()]
    near = [word for word in words if word.casefold() == NEAR_BASE]
    comlink = dict(_comlink(words))
    channels = [] if comlink else [word for word in words if word not in near]
    if len(channels) > 1:
        raise BadInput("One call reaches one character or one group channel.", "Name one channel.")
    names = parsing.names(typed.target, "character", MOST_CALLED) if typed.target else []
    called = find_characters(tx, who.viewer, names)
    for item in called:
        if seen.shown.combatant(item.id) or seen.shown.unit(item.name):
            raise BadInput(f"{item.name} is already in {seen.fight.name}.", "Call someone else.")
    if comlink and not seen.leads:
        _require_summoned(tx, who, comlink[COMLINK], called)
    more = {CHANNEL: channels[0]} if channels else comlink
    return {
        RECIPIENTS: len(called) or len(channels),
        **more,
        CALLED: [item.id for item in called],
        WILLING: [item.id for item in called if who.viewer.owns(item) or (seen.leads and item.owner is None)],
        NEAR: bool(near),
    }


def _require_summoned(tx: Connection, who: Acting, typed: str, called: Sequence[Profile]) -> None:
    """Refuse players to summon by a public comlink whom it does not: it reaches a service, which they know as a group (line 151)."""
    service = comlink_named(who.book, typed)
    names, viewer = {word_id(name) for name in (service.label, *service.also)}, who.viewer
    known = [each for each in groups.current(tx, viewer.campaign.id) if not each.secret or each.id in viewer.groups]
    members = {number for each in known if word_id(each.name) in names for number in each.members}
    for item in called:
        if item.id not in members:
            what = f"A public comlink calls {service.label}, and {item.name} isn't known to belong to them."
            raise BadInput(what, "Leave the target out. A game master says who comes or adds them to that group.")


def _comlink(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield what is typed of a public comlink: whom it is to summon behind that word, and its distance as `2 m`."""
    found = next((word for word in words if word.casefold().startswith(PUBLIC)), None)
    if found is None:
        return
    service = found[len(PUBLIC) :].strip(" :")
    if not service:
        raise BadInput("Who should the public comlink call?", f"Add it after the word: {PUBLIC} CPD.")
    yield COMLINK, service
    for word in words:
        if word != found and word.casefold() != NEAR_BASE:
            yield COMLINK_M, parsing.whole(word.casefold().removesuffix("m"), "distance", 0, MOST_METRES)


def _at_once(tx: Connection, resolver: Resolver, who: Acting, request: RollRequest) -> Rolled:
    """Roll what nobody can interrupt."""
    campaign, leads = who.viewer.campaign, bool(request.staff)
    preview = resolver.preview(tx, campaign, request, None if leads else who.viewer, book=who.book)
    resolver.require_able(tx, who.viewer, preview)
    user, mine = who.viewer.person.user_id, who.viewer.mine
    return resolver.roll(tx, RollOrder(campaign.id, user, request, secrets=leads, preview=preview, actor=mine))
