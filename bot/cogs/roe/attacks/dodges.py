"""Attacks that wait for the dodge of whoever plays their target, where the campaign has chosen that."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.roe.attacks import ATTACK
from bot.cogs.roe.fights.looking import BOOK, Look, fight_of, viewer_of_fights
from bot.cogs.roe.fights.waiting import AsksFirst, all_standing, require_nothing_waits
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import one_of
from bot.errors import NotOpen
from bot.rolls.pending import service
from bot.rolls.pending.answering import Answer, Answering
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Seat, Words
from bot.rolls.request import RollCommand, RollRequest
from bot.rolls.requests import request_of
from bot.rolls.resolver import Resolver
from bot.ui.text import plain
from rules.books.roe.aim import ACTOR, RESISTER

HOURS = 24
"""How long an attack waits for the dodge."""

OTHERWISE = "I throw the dice of whoever has not dodged"


def require_no_wait(tx: Connection, library: Library, person: Person, command: RollCommand) -> None:
    """Raise `AsksFirst` where the campaign says so, and somebody else plays one of those who dodge an attack in a fight by dice."""
    if locate(tx, person.guild_id, command.channels).dodges_wait:
        seen = _fight(tx, library, person, command)
        if seen is not None and seen.fight.header.mode == "dice" and any(_dodging(seen, command)):
            raise AsksFirst(ask, command)


def ask(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> PendingRoll:
    """Let an attack wait for those who dodge it.

    Raises:
        UserError, RollError: it cannot be made so, or by this person, or another one of theirs waits.

    """
    place, request = request_of(tx, resolver, person, command)
    seen = _fight(tx, resolver.library, person, command)
    if seen is None:
        raise NotOpen("That fight is over.", "See /fight show.")
    actor = seen.people[_attacker(command)]
    require_nothing_waits(tx, seen, actor.id)
    seats = tuple(Seat(subject=item.id, name=item.name) for item in _dodging(seen, command))
    used = command.parts[0].inputs
    arms = " and ".join(map(plain, used["names"]))
    asks = (f"lets **{plain(actor.name)}** attack", f"with {arms} from {used['range_m']:g} m")
    words = Words("attack", actor.name, asks, "/roe attack", otherwise=OTHERWISE)
    channel = int(seen.fight.header.channel or place.campaign.results_channel_id)
    return service.ask(
        tx, resolver, person, place.campaign, Ask(channel, request, seats, timedelta(hours=HOURS), words)
    )


def _fight(tx: Connection, library: Library, person: Person, command: RollCommand) -> Look | None:
    """Return the fight in which whoever attacks stands, if any."""
    viewer = viewer_of_fights(tx, library, person, locate(tx, person.guild_id, command.channels))
    return fight_of(tx, viewer, _attacker(command))


def _attacker(command: RollCommand) -> int:
    return command.parts[0].ids[ACTOR][0] or 0


def _dodging(seen: Look, command: RollCommand) -> Iterator[Profile]:
    """Yield who is asked to dodge, each once: targets whom somebody else plays; nobody where not all may read of the attack."""
    attacker = seen.people[_attacker(command)]
    targets = [one_of(seen.shown.roster, part.subjects[RESISTER]) for part in command.parts]
    numbers = dict.fromkeys(item.id for item in targets if item is not None)
    if {attacker.id, *numbers} <= seen.seen:
        people = (seen.people[number] for number in numbers)
        yield from (item for item in people if item.owner is not None and item.owner != attacker.owner)


def _as_it_is(request: RollRequest, _place: int, _answer: Answer | None) -> RollRequest:
    return request


DODGES = {(BOOK, ATTACK): Answering(_as_it_is, {"dodge": "Dodge"}, there=all_standing)}
