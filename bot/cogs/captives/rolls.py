"""Rolls about captives: whom an interrogation or escape is rolled for, and escapes declared by players."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.captives.bodies import DeclarationBody
from bot.cogs.captives.buttons import TOPIC
from bot.cogs.captives.embed import declared_pages
from bot.cogs.captives.queries import (
    ESCAPE,
    INTERROGATION,
    CaptiveStatus,
    by_place,
    by_region,
    captured,
    declared,
    declared_by,
    held_still,
)
from bot.core import entries, state, voiding
from bot.core.campaigns import PLACES, STAFF, Campaign, current_update, moment, on_server, open_campaign
from bot.core.entry_kinds import EntryView
from bot.core.ledger import EntryDraft, next_number
from bot.core.permissions import Person, now_of, readable, require_game_master, require_roller
from bot.core.records import Change, Entry
from bot.core.subjects import label
from bot.core.visibility import UNKNOWN_PLACE, Viewer, require_own, require_part, viewer_of
from bot.core.voiding import changes_of
from bot.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.outbox.queue import OutgoingMessage, Pings, pinging
from bot.rolls import void
from bot.rolls.card.service import open_card
from bot.rolls.card.view import CardView
from bot.rolls.repeats import rolled_name
from bot.rolls.request import MAX_PARTS, PartRequest, RollRequest
from bot.rolls.requests import region_of
from bot.rolls.resolver import Resolver, Rolled
from bot.rolls.void import TakenBack
from bot.ui import parsing
from bot.ui.text import listing
from rules.books.campaign.captivity import DECLARED, declare_escape, settled_escapes
from rules.subjects import number_of, subject_key

BOOK = "campaign"
DECLARATION = "escape"
WITHDRAWN = "Withdrawn by whoever declared it"
MAX_CAPTIVES = MAX_INTERROGATORS = 10


class DeclaredAlready(BadInput):
    """An escape is declared already; `entry` is the declaration where it is the person's own to withdraw."""

    def __init__(self, name: str, entry: int | None) -> None:
        super().__init__(f"The escape of {name} is declared already.", "A game master rolls it.")
        self.entry = entry


class RollPlan(Struct, frozen=True):
    """Whom a roll is made for, and the region that is named for it, if one is."""

    parts: tuple[PartRequest, ...]
    region: str | None


def interrogation(tx: Connection, person: Person, campaign: Campaign, captive: str, interrogators: str) -> RollPlan:
    """Return the roll for one captive, however many interrogate, where the captive is held.

    Raises:
        NotAllowed: the person may not roll this.
        BadInput: a name cannot be used, or that one is no captive.

    """
    who = parsing.names(captive, "captive", 1)
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    parsing.refuse_both(who, by)
    require_roller(person, campaign, INTERROGATION)
    viewer = viewer_of(tx, person, campaign)
    return _plan(tx, viewer, captured(tx, viewer, who, own=False), interrogator=", ".join(by))


def interrogation_of(
    tx: Connection, person: Person, campaign_id: int, number: int, seen: int, interrogators: str
) -> RollPlan:
    """Return the roll for a captive (number) who is held as by the entry that was `seen`, whoever is typed interrogates.

    Raises:
        NotAllowed: the person may not roll this.
        BadInput: a name cannot be used.
        NotOpen: the captive is none any more, or is held otherwise; or the campaign is archived or another server's.

    """
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, INTERROGATION)
    status = held_still(tx, person, campaign, number, seen)
    parsing.refuse_both([status.name], by)
    return _plan(tx, viewer_of(tx, person, campaign), [status], interrogator=", ".join(by))


def interrogation_again(tx: Connection, person: Person, campaign_id: int, entry_number: int) -> RollPlan:
    """Return the roll by which those who have interrogated a captive in an entry do so again.

    Raises:
        NotAllowed: the person may not roll this.
        NotOpen: there is no such interrogation that the person may know of, its captive is none any more, or the campaign
            is archived or another server's.

    """
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, INTERROGATION)
    entry = readable(tx, person, campaign, entry_number, made=True)
    if entry is None or entry.kind != "roll" or entry.content()["family"] != INTERROGATION:
        raise NotOpen(f"Entry #{entry_number} is no interrogation that you may know of.")
    called = entry.content()["parts"][0]["subjects"]
    number = next(number for number, name in entry.names().items() if name == called["captive"])
    held = [held_still(tx, person, campaign, number)]
    return _plan(tx, viewer_of(tx, person, campaign), held, interrogator=called["interrogator"])


def escape_of(tx: Connection, person: Person, campaign_id: int, number: int, seen: int) -> tuple[Campaign, str]:
    """Return what is typed for a captive (number) who is held as by the entry that was `seen`, with the campaign.

    Raises:
        NotOpen: the captive is none any more, or is held otherwise; or the campaign is archived or another server's.

    """
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id, lock=False)
    return campaign, label(held_still(tx, person, campaign, number, seen))


def escape(
    tx: Connection, person: Person, campaign: Campaign, captives: str | None, region: str | None = None
) -> RollPlan:
    """Return the roll for captives who try to escape together: a game master's choice, a player's own, or None for all declared ones.

    A region that is named holds for all of them.

    Raises:
        NotAllowed: the person may not roll this, or not for one of them.
        BadInput: a name cannot be used, one of them is no captive, or they are held in several regions.
        NotOpen: none is declared.

    """
    typed = parsing.names(captives, "captive", MAX_CAPTIVES) if captives is not None else None
    require_roller(person, campaign, ESCAPE)
    viewer = viewer_of(tx, person, campaign)
    if typed is None:
        require_game_master(person, campaign, "roll declared escapes")
        return _plan(tx, viewer, _waiting(tx, campaign, person), region)
    require_own(tx, campaign, person, typed)
    return _plan(tx, viewer, captured(tx, viewer, typed), region)


def declare(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, captives: str, note: str | None
) -> Rolled:
    """Enter that a player's own captives mean to escape in this update; a note for the staff is the caller's to send.

    Raises:
        NotAllowed: the person takes no part, or one of them is not the person's own.
        BadInput: a name or the note cannot be used, or one is no captive or has declared it already.
        NotOpen: the campaign is archived.

    """
    names, text = parsing.names(captives, "captive", MAX_CAPTIVES), parsing.text(note, "note")
    campaign = open_campaign(tx, campaign_id)
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    require_own(tx, campaign, person, names)
    trying = captured(tx, viewer, names)
    _require_undeclared(tx, viewer, trying)
    body = DeclarationBody(deed="declare", captive=", ".join(item.name for item in trying))
    changes = _declarations(tx, campaign, trying)
    draft = EntryDraft(DECLARATION, "maker", body, changes, {"note": text} if text else {})
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    pages = declared_pages(EntryView(entry, campaign.name), person.user_id, trying)
    messages = [OutgoingMessage("notice", campaign.staff_channel_id, page, TOPIC) for page in pages]
    if campaign.may_ping(STAFF):
        messages = pinging(messages, Pings(roles=(campaign.game_master_role_id,)))
    return Rolled(campaign, entry, tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def withdraw(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> TakenBack:
    """Take back escapes that the person has declared in an entry, as long as they wait; the posts are the caller's to send.

    Raises:
        NotAllowed: the person has declared none there.
        NotOpen: none of them waits any more, a later entry has changed one, or the campaign is archived or another server's.

    """
    campaign = open_campaign(tx, on_server(tx, person.guild_id, campaign_id).id)
    entry, mine = readable(tx, person, campaign, number, made=True), viewer_of(tx, person, campaign).mine
    if entry is None or entry.kind != DECLARATION or entry.actor != mine:
        raise NotAllowed(f"Entry #{number} is no escape that you have declared.", "See /captive list.")
    mark = voiding.voided_by(tx, campaign.id, number)
    if mark is not None:
        raise voiding.refusal(number, mark)
    if number not in {item.declared for item in declared(tx, campaign.id, now_of(tx, person, campaign))}:
        raise _waits_no_more(tx, campaign, number)
    planned = void.plan_of(tx, resolver, person, campaign, entry)
    if planned.upto:
        raise NotAsItIs(f"The escape of entry #{number} was changed by a later entry.", "Ask a game master.")
    return void.void_all(tx, resolver, person, planned, WITHDRAWN)


def open_declared(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    note: str | None = None,
    seen: int | None = None,
    region: str | None = None,
    week: int | None = None,
) -> list[CardView]:
    """Open a card for all escapes that are declared in this update.

    One for each region, since a roll has one weather, unless a region is named, which then holds for all.

    `seen` is the entry of the declaration that is asked for, which must be among them.

    Raises:
        NotAllowed: the person is no game master of the campaign.
        NotOpen: none is declared, or not the one asked for, or the campaign is archived or another server's.
        BadInput: the note or region is too long, or the week is not known.

    """
    text = parsing.text(note, "note")
    on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "roll declared escapes")
    named = region_of(resolver.library.book(tx, campaign, BOOK), region)
    if seen is not None and seen not in {
        item.declared for item in declared(tx, campaign.id, now_of(tx, person, campaign))
    }:
        raise _waits_no_more(tx, campaign, seen)
    waiting = _waiting(tx, campaign, person)
    grouped = by_region(tx, viewer_of(tx, person, campaign), waiting) if named is None else {named: waiting}
    asked = RollRequest(book=BOOK, family=ESCAPE, parts=(), week=week, note=text, led=True)
    requests = [
        asked.model_copy(update={"parts": _parts(group[at : at + MAX_PARTS]), "region": where})
        for where, group in grouped.items()
        for at in range(0, len(group), MAX_PARTS)
    ]
    return [open_card(tx, resolver, person, campaign, request) for request in requests]


def settled(tx: Connection, campaign: Campaign, roll: Entry) -> set[int]:
    """Return the declarations of its update (entries) that a roll has settled: whose escapes were tried in it, and none waits any more."""
    body = roll.content()
    if body["family"] != ESCAPE:
        return set()
    kept = state.named(tx, campaign.id, {subject_key(number) for number in roll.names()}, {DECLARED})
    freed = (item.before for item in changes_of(roll) if item.name == DECLARED)
    update = body["update"]["number"]
    waiting = [item.declared for item in declared(tx, campaign.id, moment(update, roll.at))]
    return settled_escapes((*kept.values(), *freed), waiting, update)


def _waits_no_more(tx: Connection, campaign: Campaign, number: int) -> NotOpen:
    """Return the refusal of a declared escape (entry) that waits no more, with the rolls in which it was tried."""
    entry = entries.get(tx, campaign.id, number)
    trying = {item.subject for item in changes_of(entry) if item.name == DECLARED} if entry else set()
    names = {rolled_name(ESCAPE, number_of(subject)) for subject in trying}
    tried = {value["entry"] for value in state.named(tx, campaign.id, trying, names).values()}
    by = listing([f"entry #{item}" for item in sorted(tried) if item > number])
    why = f"was rolled by {by}" if by else "waits no more: its update or the captivity is over"
    return NotOpen(f"The escape of entry #{number} {why}.", "/escape rolls those that wait.")


def must_declare(person: Person, campaign: Campaign) -> bool:
    """Tell whether the person's escapes wait for a game master, because the campaign does not let players roll them."""
    return not person.leads(campaign) and ESCAPE not in campaign.players_may


def _declarations(tx: Connection, campaign: Campaign, trying: Sequence[CaptiveStatus]) -> tuple[Change, ...]:
    update, number = current_update(tx, campaign.id)["number"], next_number(tx, campaign)
    keys = [subject_key(item.id) for item in trying]
    before = state.named(tx, campaign.id, keys, {DECLARED})
    made = (declare_escape(key, number, update) for key in keys)
    return tuple(Change(key, name, before.get((key, name)), after) for key, name, after in made)


def _waiting(tx: Connection, campaign: Campaign, person: Person) -> list[CaptiveStatus]:
    """Return whose escape is declared.

    Raises:
        NotOpen: nobody's.

    """
    waiting = declared(tx, campaign.id, now_of(tx, person, campaign))
    if not waiting:
        raise NotAsItIs("No escape waits to be rolled.", "Name who tries, with captive.")
    return waiting


def _plan(
    tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus], region: str | None = None, **others: str
) -> RollPlan:
    """Return one part for each captive, in a region that is named, or else where they are held.

    Raises:
        BadInput: they are held in several regions, whose weather one roll cannot have; for those who may not know the
            regions, in several places.

    """
    open_places = viewer.person.leads(viewer.campaign) or PLACES in viewer.campaign.players_may
    grouped = (by_region if open_places else by_place)(tx, viewer, captives)
    if region is None and len(grouped) > 1:
        kind, none, how = ("region", "no region", "one as") if open_places else ("place", UNKNOWN_PLACE, "a")
        places = "; ".join(f"{place or none}: {_names(group)}" for place, group in grouped.items())
        what = f"They are held in several {kind}s, and one roll has one weather. {places}."
        raise BadInput(what, f"Roll them {kind} by {kind}, or name {how} region.")
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


def _require_undeclared(tx: Connection, viewer: Viewer, captives: Sequence[CaptiveStatus]) -> None:
    for item in captives:
        if item.declared is not None:
            raise DeclaredAlready(item.name, next(iter(declared_by(tx, viewer, [item])), None))
