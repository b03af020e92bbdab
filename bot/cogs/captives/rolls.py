"""Rolls about captives: whom an interrogation or escape is rolled for, and escapes that players order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.captives.queries import (
    ESCAPE,
    INTERROGATION,
    CaptiveStatus,
    by_place,
    by_region,
    find_captives,
    find_escaping,
    not_at_base,
    require_held,
    statuses,
)
from bot.core.campaigns import PLACES, Campaign, open_campaign, require_on_server
from bot.core.permissions import Person, find_now, find_readable, require_game_master, require_roller
from bot.core.records import UNKNOWN_PLACE
from bot.core.subjects import label_subject
from bot.core.visibility import Viewer, make_viewer, require_own, require_part
from bot.errors import BadInput, NotAsItIs, NotOpen
from bot.orders.service import AskedOrder, GivenOrder, enter_order
from bot.rolls.card.service import open_card
from bot.rolls.card.store import CardView
from bot.rolls.desk import region_of
from bot.rolls.request import MAX_PARTS, PartRequest, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing

BOOK = "campaign"
MAX_CAPTIVES = MAX_INTERROGATORS = 10


class RollPlan(Struct, frozen=True):
    """Whom a roll is made for, and the region that is named for it, if one is."""

    parts: tuple[PartRequest, ...]
    region: str | None


def interrogation(tx: Connection, person: Person, campaign: Campaign, captive: str, interrogators: str) -> RollPlan:
    """Return the roll for one captive, however many interrogate, where the captive is held."""
    who = parsing.names(captive, "captive", 1)
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    parsing.refuse_both(who, by)
    require_roller(person, campaign, INTERROGATION)
    viewer = make_viewer(tx, person, campaign)
    return _plan(tx, viewer, find_captives(tx, viewer, who, own=False), interrogator=", ".join(by))


def interrogation_of(
    tx: Connection, person: Person, campaign_id: int, number: int, seen: int, interrogators: str
) -> RollPlan:
    """Return the roll for a captive (number) who is held as by the entry that was `seen`, whoever is typed interrogates."""
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, INTERROGATION)
    status = require_held(tx, person, campaign, number, seen)
    parsing.refuse_both([status.name], by)
    return _plan(tx, make_viewer(tx, person, campaign), [status], interrogator=", ".join(by))


def interrogation_again(tx: Connection, person: Person, campaign_id: int, entry_number: int) -> RollPlan:
    """Return the roll by which those who have interrogated a captive in an entry do so again."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, INTERROGATION)
    entry = find_readable(tx, person, campaign, entry_number, made=True)
    if entry is None or entry.kind != "roll" or entry.content()["family"] != INTERROGATION:
        raise NotOpen(f"You don't know of an interrogation #{entry_number}.")
    called = entry.content()["parts"][0]["subjects"]
    number = next(number for number, name in entry.names().items() if name == called["captive"])
    held = [require_held(tx, person, campaign, number)]
    return _plan(tx, make_viewer(tx, person, campaign), held, interrogator=called["interrogator"])


def escape_of(tx: Connection, person: Person, campaign_id: int, number: int, seen: int) -> tuple[Campaign, str]:
    """Return what is typed for a captive (number) who is held as by the entry that was `seen`, with the campaign."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    return campaign, label_subject(require_held(tx, person, campaign, number, seen))


def escape(
    tx: Connection, person: Person, campaign: Campaign, captives: str | None, region: str | None = None
) -> RollPlan:
    """Return the roll for captives who try to escape together: a game master's choice, a player's own, or None for all who are ordered to.

    A region that is named holds for all of them.
    """
    typed = parsing.names(captives, "captive", MAX_CAPTIVES) if captives is not None else None
    require_roller(person, campaign, ESCAPE)
    viewer = make_viewer(tx, person, campaign)
    if typed is None:
        require_game_master(person, campaign, "roll the escapes that are ordered")
        return _plan(tx, viewer, _waiting(tx, campaign, person), region)
    require_own(tx, campaign, person, typed)
    return _plan(tx, viewer, find_captives(tx, viewer, typed), region)


def order(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, captives: str, note: str | None
) -> list[GivenOrder]:
    """Enter for each of a player's own captives the order to escape in this update.

    Raises:
        NotAllowed: the person takes no part, or one of them is not the person's own.
        BadInput: a name or the note cannot be used, or one is no captive.
        NotOpen: orders are locked, or the campaign is archived.

    """
    names = parsing.names(captives, "captive", MAX_CAPTIVES)
    campaign = open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    require_own(tx, campaign, person, names)
    held = find_captives(tx, viewer, names)
    for item in held:
        if item.captivity and item.captivity.in_person:
            raise NotAsItIs(*not_at_base(item.name))
    asked = (AskedOrder(ESCAPE, label_subject(item), note=note) for item in held)
    return [enter_order(tx, resolver, person, campaign_id, item) for item in asked]


def open_ordered(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    note: str | None = None,
    region: str | None = None,
    week: int | None = None,
) -> list[CardView]:
    """Open a card for all escapes that are ordered.

    One for each region, since a roll has one weather, unless a region is named, which then holds for all.
    """
    text = parsing.text(note, "note")
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "roll the escapes that are ordered")
    named = region_of(resolver.library.book(tx, campaign, BOOK), region)
    ready = _waiting(tx, campaign, person)
    grouped = by_region(tx, make_viewer(tx, person, campaign), ready) if named is None else {named: ready}
    asked = RollRequest(book=BOOK, family=ESCAPE, parts=(), week=week, note=text, led=True)
    requests = [
        asked.model_copy(update={"parts": _parts(group[at : at + MAX_PARTS]), "region": where})
        for where, group in grouped.items()
        for at in range(0, len(group), MAX_PARTS)
    ]
    return [open_card(tx, resolver, person, campaign, request) for request in requests]


def _waiting(tx: Connection, campaign: Campaign, person: Person) -> list[CaptiveStatus]:
    """Return whose escape is ordered, in the order of names."""
    now = find_now(tx, person, campaign)
    waiting = [*statuses(tx, campaign.id, find_escaping(tx, campaign.id, now), now).values()]
    if not waiting:
        raise NotAsItIs("No escapes to roll.", "Name who tries with captive.")
    return waiting


def _plan(
    tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus], region: str | None = None, **others: str
) -> RollPlan:
    """Return one part for each captive, in a region that is named, or else where they are held."""
    open_places = viewer.person.leads(viewer.campaign) or PLACES in viewer.campaign.players_may
    grouped = (by_region if open_places else by_place)(tx, viewer, captives)
    if region is None and len(grouped) > 1:
        kind, none, how = ("region", "no region", "one as") if open_places else ("place", UNKNOWN_PLACE, "a")
        places = "; ".join(f"{place or none}: {_names(group)}" for place, group in grouped.items())
        what = f"They're held in several {kind}s, but a roll has one weather: {places}."
        raise BadInput(what, f"Roll each {kind} separately, or name {how} region.")
    return RollPlan(_parts(captives, **others), region)


def _parts(captives: Sequence[CaptiveStatus], **others: str) -> tuple[PartRequest, ...]:
    return tuple(
        PartRequest(
            subjects={"captive": item.name, **others, "base": item.captivity.at.name},
            ids={"captive": (item.id,), "base": (item.captivity.at.id,)},
        )
        for item in captives
        if item.captivity is not None
    )


def _names(captives: Sequence[CaptiveStatus]) -> str:
    return ", ".join(item.name for item in captives)
