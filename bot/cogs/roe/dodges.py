"""Attacks that wait for the target's dodge, in campaigns that chose so."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.roe import fight_view
from bot.cogs.roe.fight_view import ATTACK, BLAST, EXPLODE, FightView
from bot.cogs.roe.waiting import UnaskedQuestion, require_nothing_waits, select_fighting
from bot.core.campaigns import Campaign, locate_campaign
from bot.core.errors import NotOpen
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import choose_named
from bot.rolls.desk import prepare_request
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import AnswerRules, Seat, SeatAnswer, Words
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui.text import plain
from rules.books.roe.catalog import ACTOR, RESISTER

HOURS = 24
"""How long an attack waits for the dodge."""

DODGED = {ATTACK: "/roe attack", BLAST: "/roe blast", EXPLODE: "/roe blast"}

OTHERWISE = "I roll the dodge for anyone who hasn't answered"


def require_no_wait(tx: Connection, library: Library, person: Person, command: RollCommand) -> None:
    """Raise `UnaskedQuestion` if another player must dodge first."""
    campaign = locate_campaign(tx, person.guild_id, command.channels)
    if command.family[1] in DODGED and _find_waiting(tx, library, person, campaign, command.parts) is not None:
        raise UnaskedQuestion(_ask_command, command)


def _ask_command(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> PendingRoll:
    place, request = prepare_request(tx, resolver, person, command)
    made = ask_dodges(tx, resolver, person, place.viewer.campaign, request)
    if made is None:
        raise NotOpen("That fight is over.", "See /fight show.")
    return made


def ask_dodges(
    tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, request: RollRequest
) -> PendingRoll | None:
    """Ask the targets for their dodges before an attack is rolled; None if no one has to be asked."""
    view = None if request.amends else _find_waiting(tx, resolver.library, person, campaign, request.parts)
    if view is None:
        return None
    actor = view.people[_attacker(request.parts)]
    require_nothing_waits(tx, view, actor.id)
    seats = tuple(Seat(subject=item.id, name=item.name) for item in _list_dodging(view, request.parts))
    used = request.parts[0].inputs
    arms = " and ".join(map(plain, used.get("names", ()))) or plain(used["charge"]["item"])
    far = f" from {used['range_m']:g} m" if used.get("range_m") is not None else ""
    asks = (f"has **{plain(actor.name)}** attack", f"with {arms}{far}")
    words = Words("attack", actor.name, asks, DODGED[request.family], otherwise=OTHERWISE)
    channel = int(view.fight.header.channel or campaign.results_channel_id)
    return service.ask(tx, resolver, person, campaign, Ask(channel, request, seats, timedelta(hours=HOURS), words))


def _find_waiting(
    tx: Connection, library: Library, person: Person, campaign: Campaign, parts: Sequence[PartRequest]
) -> FightView | None:
    if not campaign.dodges_wait:
        return None
    view = fight_view.find_fight_of(tx, fight_view.view_campaign(tx, library, person, campaign), _attacker(parts))
    waits = view is not None and view.fight.header.mode == "dice" and any(_list_dodging(view, parts))
    return view if waits else None


def _attacker(parts: Sequence[PartRequest]) -> int:
    return parts[0].ids[ACTOR][0] or 0


def _list_dodging(view: FightView, parts: Sequence[PartRequest]) -> Iterator[Profile]:
    """Targets of other players dodge; no one does if some fighter isn't seen by all."""
    attacker = view.people.get(_attacker(parts))
    targets = [
        choose_named(view.visible_fight.roster, part.subjects[RESISTER]) for part in parts if RESISTER in part.subjects
    ]
    numbers = dict.fromkeys(item.id for item in targets if item is not None)
    if attacker is not None and {attacker.id, *numbers} <= view.visible:
        people = (view.people[number] for number in numbers)
        yield from (item for item in people if item.owner is not None and item.owner != attacker.owner)


def _keep(request: RollRequest, _place: int, _answer: SeatAnswer | None) -> RollRequest:
    return request


def _select_if_all_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    there = select_fighting(tx, campaign, request, asked)
    return None if there is None or len(there) < len(asked) else there


DODGES = dict.fromkeys(DODGED, AnswerRules(_keep, {"dodge": "Dodge"}, there=_select_if_all_fighting, ask=ask_dodges))
