"""Attacks that wait for the dodge of whoever plays their target, where the campaign has chosen that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.roe.actors import (
    ATTACK,
    BLAST,
    EXPLODE,
)
from bot.cogs.roe.fight_view import FightView, find_fight_of, view_campaign
from bot.cogs.roe.waiting import UnaskedQuestion, require_nothing_waits, select_fighting
from bot.core.campaigns import Campaign, locate_campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import choose_named
from bot.errors import NotOpen
from bot.rolls.desk import request_of
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Answering, Seat, SeatAnswer, Words
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui.text import plain
from rules.books.roe.catalog import ACTOR, RESISTER

HOURS = 24
"""How long an attack waits for the dodge."""

DODGED = {ATTACK: "/roe attack", BLAST: "/roe blast", EXPLODE: "/roe blast"}
"""The acts that are dodged, each with its command."""

OTHERWISE = "I roll the dodge for anyone who hasn't answered"


def require_no_wait(tx: Connection, library: Library, person: Person, command: RollCommand) -> None:
    """Raise `UnaskedQuestion` where the campaign says so, and somebody else plays one of those who dodge an attack in a fight by dice."""
    campaign = locate_campaign(tx, person.guild_id, command.channels)
    if command.family[1] in DODGED and _find_waiting(tx, library, person, campaign, command.parts) is not None:
        raise UnaskedQuestion(ask_command, command)


def ask_command(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> PendingRoll:
    """Let an attack wait for those who dodge it."""
    place, request = request_of(tx, resolver, person, command)
    made = ask_dodges(tx, resolver, person, place.campaign, request)
    if made is None:
        raise NotOpen("That fight is over.", "See /fight show.")
    return made


def ask_dodges(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, request: RollRequest
) -> PendingRoll | None:
    """Let an attack or an explosion wait for those who dodge it; None where nobody is asked."""
    seen = None if request.amends else _find_waiting(tx, resolver.library, person, campaign, request.parts)
    if seen is None:
        return None
    actor = seen.people[_attacker(request.parts)]
    require_nothing_waits(tx, seen, actor.id)
    seats = tuple(Seat(subject=item.id, name=item.name) for item in _list_dodging(seen, request.parts))
    used = request.parts[0].inputs
    arms = " and ".join(map(plain, used.get("names", ()))) or plain(used["charge"]["item"])
    far = f" from {used['range_m']:g} m" if used.get("range_m") is not None else ""
    asks = (f"has **{plain(actor.name)}** attack", f"with {arms}{far}")
    words = Words("attack", actor.name, asks, DODGED[request.family], otherwise=OTHERWISE)
    channel = int(seen.fight.header.channel or campaign.results_channel_id)
    return service.ask(tx, resolver, person, campaign, Ask(channel, request, seats, timedelta(hours=HOURS), words))


def _find_waiting(
    tx: Connection, library: Library, person: Person, campaign: Campaign, parts: Sequence[PartRequest]
) -> FightView | None:
    """Return the fight by dice in which an attack waits for somebody; None where it waits for nobody."""
    if not campaign.dodges_wait:
        return None
    seen = find_fight_of(tx, view_campaign(tx, library, person, campaign), _attacker(parts))
    waits = seen is not None and seen.fight.header.mode == "dice" and any(_list_dodging(seen, parts))
    return seen if waits else None


def _attacker(parts: Sequence[PartRequest]) -> int:
    return parts[0].ids[ACTOR][0] or 0


def _list_dodging(seen: FightView, parts: Sequence[PartRequest]) -> Iterator[Profile]:
    """Yield who is asked to dodge, each once: targets whom somebody else plays; nobody where not all may read of the attack."""
    attacker = seen.people.get(_attacker(parts))
    targets = [choose_named(seen.shown.roster, part.subjects[RESISTER]) for part in parts if RESISTER in part.subjects]
    numbers = dict.fromkeys(item.id for item in targets if item is not None)
    if attacker is not None and {attacker.id, *numbers} <= seen.seen:
        people = (seen.people[number] for number in numbers)
        yield from (item for item in people if item.owner is not None and item.owner != attacker.owner)


def _keep(request: RollRequest, _place: int, _answer: SeatAnswer | None) -> RollRequest:
    return request


def select_if_all_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Return these, where all of them are in that fight, as `select_fighting` does; None where one isn't."""
    there = select_fighting(tx, campaign, request, asked)
    return None if there is None or len(there) < len(asked) else there


DODGES = dict.fromkeys(DODGED, Answering(_keep, {"dodge": "Dodge"}, there=select_if_all_fighting))
