"""Rolls about captives: plans, orders, and what captivity and death mean for rolls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn

import discord
from msgspec import structs
from sqlalchemy import Connection

from bot.cogs.captives import queries
from bot.core import entries, ledger, profiles, records, state, subjects, visibility
from bot.core.campaigns import PLACES, Campaign, open_campaign, require_on_server
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.core.permissions import Person, find_now, find_readable, require_game_master, require_roller
from bot.core.subjects import Subject, label_subject
from bot.core.visibility import Viewer, make_player_viewer, make_viewer, require_own, require_part
from bot.orders.giving import AskedOrder, GivenOrder, enter_order
from bot.orders.standing import find_ordered
from bot.outbox.queue import OutgoingMessage
from bot.rolls import consequences, desk, extension, situation
from bot.rolls.card import service, store
from bot.rolls.entry_body import headline
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing, receipt
from bot.ui.text import COLOURS, join_words, plain
from rules import effects
from rules.books.campaign import captivity
from rules.modifiers import KnownFact, Origin
from rules.phrases import percent
from rules.subjects import name_key, names_of, number_of, subject_key, subject_number

BOOK = "campaign"
MAX_CAPTIVES = MAX_INTERROGATORS = 10


RollPlan = tuple[tuple[PartRequest, ...], str | None]
"""A roll's parts, and its region if named."""


def interrogation(tx: Connection, person: Person, campaign: Campaign, captive: str, interrogators: str) -> RollPlan:
    """Plan an interrogation of one captive."""
    who = parsing.names(captive, "captive", 1)
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    parsing.refuse_both(who, by)
    require_roller(person, campaign, queries.INTERROGATION)
    viewer = make_viewer(tx, person, campaign)
    return _plan(tx, viewer, queries.find_captives(tx, viewer, who, own=False), interrogator=", ".join(by))


def interrogation_of(
    tx: Connection, person: Person, campaign_id: int, number: int, seen: int, interrogators: str
) -> RollPlan:
    """Plan an interrogation of a captive by number; refuse if entry `seen` isn't the captivity's newest."""
    by = parsing.names(interrogators, "interrogator", MAX_INTERROGATORS)
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, queries.INTERROGATION)
    status = queries.require_held(tx, person, campaign, number, seen)
    parsing.refuse_both([status.name], by)
    return _plan(tx, make_viewer(tx, person, campaign), [status], interrogator=", ".join(by))


def interrogation_again(tx: Connection, person: Person, campaign_id: int, entry_number: int) -> RollPlan:
    """Plan the same interrogation again."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    require_roller(person, campaign, queries.INTERROGATION)
    entry = find_readable(tx, person, campaign, entry_number, made=True)
    if entry is None or entry.kind != "roll" or entry.content()["family"] != queries.INTERROGATION:
        raise NotOpen(f"You don't know of an interrogation #{entry_number}.")
    called = entry.content()["parts"][0]["subjects"]
    number = next(number for number, name in entry.names().items() if name == called["captive"])
    held = [queries.require_held(tx, person, campaign, number)]
    return _plan(tx, make_viewer(tx, person, campaign), held, interrogator=called["interrogator"])


def foresee_again(
    tx: Connection, resolver: Resolver, person: Person, command: RollCommand
) -> tuple[str | None, list[str]]:
    """Return this update's reason for the same, or what to ask, with the odds."""
    place, request = desk.prepare_request(tx, resolver, person, command, lock=False)
    viewer = place.viewer
    if not viewer.leads:
        return None, []
    preview = resolver.preview(tx, viewer.campaign, request, viewer, book=place.book)
    if preview.asks_reason is None:
        return None, []
    before = entries.get_entry(tx, viewer.campaign.id, preview.repeats or 0)
    reason = before.text("reason") if before is not None and before.actor == viewer.mine else None
    odds = (f"**{percent(item.chance)}** {plain(item.conclusion.text)}" for part in preview.parts for item in part.odds)
    return reason, [f"{plain(preview.asks_reason)} Send your reason to roll.", *odds]


def escape_of(tx: Connection, person: Person, campaign_id: int, number: int, seen: int) -> tuple[Campaign, str]:
    """Return the campaign, and the captive's name as an escape's option takes it."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id, lock=False)
    return campaign, label_subject(queries.require_held(tx, person, campaign, number, seen))


def escape(
    tx: Connection, person: Person, campaign: Campaign, captives: str | None, region: str | None = None
) -> RollPlan:
    """Plan a joint escape; without names, of all captives with an open escape order."""
    typed = parsing.names(captives, "captive", MAX_CAPTIVES) if captives is not None else None
    require_roller(person, campaign, queries.ESCAPE)
    viewer = make_viewer(tx, person, campaign)
    if typed is None:
        require_game_master(person, campaign, "roll the escapes that are ordered")
        return _plan(tx, viewer, _find_ordered(tx, campaign, person), region)
    require_own(tx, campaign, person, typed)
    return _plan(tx, viewer, queries.find_captives(tx, viewer, typed), region)


def order_escapes(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, captives: str, note: str | None
) -> list[GivenOrder]:
    """Enter an escape order for each of a player's captives; refuse those without a base."""
    names = parsing.names(captives, "captive", MAX_CAPTIVES)
    campaign = open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    require_own(tx, campaign, person, names)
    held = queries.find_captives(tx, viewer, names)
    for item in held:
        if item.captivity and item.captivity.in_person:
            raise NotAsItIs(*queries.not_at_base(item.name))
    asked = (AskedOrder(queries.ESCAPE, label_subject(item), note=note) for item in held)
    return [enter_order(tx, resolver, person, campaign_id, item) for item in asked]


def open_ordered(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    note: str | None = None,
    region: str | None = None,
    week: int | None = None,
) -> list[store.CardView]:
    """Open cards for all ordered escapes, one or more per region."""
    text = parsing.parse_text(note, "note")
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "roll the escapes that are ordered")
    named = desk.region_of(resolver.library.book(tx, campaign, BOOK), region)
    ready = _find_ordered(tx, campaign, person)
    grouped = _by_region(tx, make_viewer(tx, person, campaign), ready) if named is None else {named: ready}
    asked = RollRequest(book=BOOK, family=queries.ESCAPE, parts=(), week=week, note=text, led=True)
    requests = [
        structs.replace(asked, parts=_parts(group[at : at + MAX_PARTS]), region=where)
        for where, group in grouped.items()
        for at in range(0, len(group), MAX_PARTS)
    ]
    return [service.open_card(tx, resolver, person, campaign, request) for request in requests]


def find_escaping(tx: Connection, campaign_id: int, now: effects.Moment) -> set[int]:
    """Return numbers of captives with an open escape order, or an escape declared this update and unrolled."""
    found = {number for number, value in find_ordered(tx, campaign_id, queries.ESCAPE).items() if not value["held"]}
    for key, value in state.find_values_of_name(tx, campaign_id, captivity.DECLARED).items():
        mark = state.get_value(tx, campaign_id, key, consequences.name_roll_mark(queries.ESCAPE, number_of(key)))
        if captivity.has_declared_escape(value, mark, now):
            found.add(number_of(key))
    held = state.find_values_of_name(tx, campaign_id, captivity.CAPTIVE) if found else {}
    return {number for number in found if subject_key(number) in held}


def _find_ordered(tx: Connection, campaign: Campaign, person: Person) -> list[queries.CaptiveStatus]:
    now = find_now(tx, person, campaign)
    waiting = [*queries.read_statuses(tx, campaign.id, find_escaping(tx, campaign.id, now), now).values()]
    if not waiting:
        raise NotAsItIs("No escapes to roll.", "Name who tries with captive.")
    return waiting


def _plan(
    tx: Connection, viewer: Viewer, captives: Sequence[queries.CaptiveStatus], region: str | None = None, **others: str
) -> RollPlan:
    open_places = viewer.person.leads(viewer.campaign) or PLACES in viewer.campaign.players_may
    grouped = _by_region(tx, viewer, captives) if open_places else _by_place(viewer, captives)
    if region is None and len(grouped) > 1:
        kind, none, how = ("region", "no region", "one as") if open_places else ("place", records.UNKNOWN_PLACE, "a")
        places = "; ".join(
            f"{place or none}: {', '.join(item.name for item in group)}" for place, group in grouped.items()
        )
        what = f"They're held in several {kind}s, but a roll has one weather: {places}."
        raise BadInput(what, f"Roll each {kind} separately, or name {how} region.")
    return _parts(captives, **others), region


def _by_place(
    viewer: Viewer, captives: Sequence[queries.CaptiveStatus]
) -> dict[str | None, list[queries.CaptiveStatus]]:
    held = [status.captivity.at if status.captivity else None for status in captives]
    return captivity.group_by_place(captives, [at.name if at and viewer.knows(at) else None for at in held])


def _by_region(
    tx: Connection, viewer: Viewer, captives: Sequence[queries.CaptiveStatus]
) -> dict[str | None, list[queries.CaptiveStatus]]:
    places = [status.captivity.at.id if status.captivity else 0 for status in captives]
    saved = profiles.read_profiles(tx, viewer.campaign.id, set(places))
    bases = map(saved.get, places)
    return captivity.group_by_place(captives, [base.region if base and not base.secret else None for base in bases])


def _parts(captives: Sequence[queries.CaptiveStatus], **others: str) -> tuple[PartRequest, ...]:
    return tuple(
        PartRequest(
            subjects={"captive": item.name, **others, "base": item.captivity.at.name},
            ids={"captive": (item.id,), "base": (item.captivity.at.id,)},
        )
        for item in captives
        if item.captivity is not None
    )


ANYHOW = frozenset({"captive", "character"})
"""Roles in which the dead are handled elsewhere: no captive is dead, and anyone's level can be rolled."""


def require_living(tx: Connection, _resolver: Resolver, viewer: Viewer, roll: extension.ConsideredRoll) -> None:
    """Refuse dead participants whose death the person knows."""
    named = {
        item.key: item
        for part in roll.cast
        for role, some in part.items()
        for item in some
        if item is not None and role not in ANYHOW
    }
    fates = {
        (key, captivity.FATE): roll.state[key, captivity.FATE] for key in named if (key, captivity.FATE) in roll.state
    }
    for (key, _), fate in visibility.see_values(tx, viewer, fates).items():
        if captivity.is_dead(fate):
            refuse_dead(tx, viewer, named[key], fate)


def refuse_dead(tx: Connection, viewer: Viewer, who: Subject, fate: captivity.EndedCaptivity) -> NoReturn:
    """Say how and when they died, if the person may know."""
    entry = entries.get_entry(tx, viewer.campaign.id, fate["entry"])
    shown = entry is not None and visibility.shows_value(tx, viewer, entry, who, captivity.FATE)
    how = next(_describe_deaths(entry, who), "") if entry is not None and shown else ""
    again = "Remove on /unit, then /roster add" if who.saved else "a new name"
    what = f"{who.name} is dead{how} (entry #{fate['entry']})."
    raise NotAsItIs(what, f"Was that a mistake? Use {again}.")


def _describe_deaths(entry: records.Entry, who: Subject) -> Iterator[str]:
    body, called = entry.content(), entry.names().get(who.id, who.name)
    for part in body.get("parts", ()):
        if any(item["do"] == "kill" and item["to"] == called for item in part["consequences"]):
            when = f"{body['update']['name']}, {entry.at.date().isoformat()}"
            yield f", killed in {when}: {headline(body, part, mark='')}"


def require_captive(tx: Connection, needed: extension.NeededValue) -> None:
    """Refuse a roll whose captive is free now or at another base."""
    held: captivity.Captivity | None = needed.value
    if held is None:
        raise NotAsItIs(*profiles.explain_not_captive(needed.name))
    if needed.family == queries.ESCAPE and captivity.is_held_in_person(held):
        raise NotAsItIs(*queries.not_at_base(needed.name))
    bases = needed.cast.get("base", ())
    if [base.id if base else None for base in bases] not in ([], [held["at"]]):
        place = subjects.get_subjects(tx, needed.campaign.id, [held["at"]])[held["at"]]
        where = f"at {place.name}" if subjects.is_open(place) else "somewhere else"
        raise NotOpen(f"{needed.name} is now held {where}.", "Start again with the command.")


NO_SIDE = "The captive has no side yet: add the effect to one with /gm effect."


def ask_for_passwords(
    campaign: Campaign, entry: records.Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Ask the staff to pass on passwords that a captive reveals."""
    body, names = entry.content(), entry.names()
    revealed = [
        (item, part["subjects"].get("interrogator", ""))
        for part in body["parts"]
        for item in part["consequences"]
        if item["do"] == "reveal-passwords"
    ]
    if not revealed:
        return messages
    known = [names[number_of(item["subject"])] for item in body["changes"] if item["name"] == captivity.PASSWORD_KNOWN]
    captives = {name_key(item["to"]) for item, _ in revealed}
    sides = [plain(name) for name in known if name_key(name) not in captives]
    count = f"Complications now count them against {join_words(sides)}." if sides else NO_SIDE
    lines = [line for item, interrogators in revealed for line in _describe_handover(item, interrogators)]
    text = "\n".join([*lines, f"I don't store passwords. {count}"])
    embed = discord.Embed(title="Passwords to pass on", description=text, colour=COLOURS["neutral"])
    embed.set_footer(text=receipt.entry_footer(ledger.EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]


def _describe_handover(item: Mapping[str, records.Json], interrogators: str) -> Iterator[str]:
    who = plain(item["to"])
    count = {None: "every board password", 1: "one board password"}.get(item["amount"], f"{item['amount']} passwords")
    to = join_words([plain(name) for name in names_of(interrogators) if name]) or "the interrogators"
    yield f"**{who}** has revealed **{count}**."
    it = "it" if item["amount"] == 1 else "them"
    yield f"Ask the player of {who} for {it} and pass {it} on to {to}."


SURPRISE = "surprise-attack-today"
CAUGHT = Origin("captive", "held captive")


def captivity_facts(tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part of a roll, facts that participants are captives, in any role."""
    held = {key: value for key, value in context.kept.items() if key[1] == captivity.CAPTIVE}
    public = visibility.see_values(tx, make_player_viewer(context.campaign, context.mine), held)
    return [
        {
            f"{role}.{captivity.CAPTIVE}": KnownFact(1, CAUGHT, secret=(item.key, captivity.CAPTIVE) not in public)
            for role, item in part
            if (item.key, captivity.CAPTIVE) in held
        }
        for part in context.everyone
    ]


def joint_escape_facts(tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, facts about other captives' escapes this update (line 341)."""
    escaping = [
        next((item.key for role, item in part if role == "captive" and "interrogator" not in names), "")
        for part, names in zip(context.everyone, context.subjects, strict=True)
    ]
    if not any(escaping):
        return [{} for _ in escaping]
    attempts = state.find_values_beginning(tx, context.campaign.id, queries.TRIED)
    attempts = {key: value for key, value in attempts.items() if value["update"] == context.moment.update}
    others = captivity.list_tried(attempts, context.moment.update) | {
        key for key in escaping if key and context.is_secret(key)
    }
    others |= {subject_key(number) for number in find_escaping(tx, context.campaign.id, context.moment)}
    seen = visibility.see_values(tx, make_player_viewer(context.campaign, context.mine), attempts)
    public = captivity.list_tried(seen, context.moment.update)
    parts = zip(escaping, context.subjects, strict=True)
    names = {key: part["captive"] for key, part in parts if key and not context.is_secret(key)}
    return [captivity.find_joint_escape(key, names, others, public) if key else {} for key in escaping]


def surprise_facts(tx: Connection, context: situation.RollContext) -> list[dict[str, KnownFact]]:
    """Return, for each part, facts from surprise attacks that free captives (lines 342, 344).

    An attack stored for a captive helps all of that player's captives there. Stored for the base, it helps if they all have one player.
    """
    escaping: list[tuple[Subject, Subject] | None] = []
    for part in map(dict, context.everyone):
        rolls = context.request.family == queries.ESCAPE and {"captive", "base"} <= part.keys()
        escaping.append((part["captive"], part["base"]) if rolls else None)
    if not any(escaping):
        return [{} for _ in escaping]
    attacks = {
        key: value
        for key, value in state.find_values_of_name(tx, context.campaign.id, f"{effects.EFFECT}{SURPRISE}").items()
        if effects.is_current(value, context.moment)
    }
    held = state.find_values_of_name(tx, context.campaign.id, captivity.CAPTIVE) if attacks else {}
    numbers = [number for key in held if (number := subject_number(key)) is not None]
    owners = {item.key: item.owner for item in profiles.read_profiles(tx, context.campaign.id, numbers).values()}
    return [_find_freeing(context, pair, attacks, held, owners) if pair else {} for pair in escaping]


def _find_freeing(
    context: situation.RollContext,
    pair: tuple[Subject, Subject],
    attacks: Mapping[str, Mapping[str, object]],
    held: Mapping[str, captivity.Captivity],
    owners: Mapping[str, str | None],
) -> dict[str, KnownFact]:
    captive, base = pair
    here = {key for key, value in held.items() if value["at"] == base.id}
    facts: dict[str, KnownFact] = {}
    for key in (key for key in attacks if key in here or key == base.key):
        origin = Origin("effect", f"since entry {attacks[key]['entry']}")
        theirs = here if key == base.key else {key}
        one_player = len({owners.get(other) or other for other in {*theirs, captive.key}}) == 1
        # This player may not learn that another player's captive is to be freed there.
        others = key != base.key and not one_player
        facts.setdefault(f"base.{SURPRISE}", KnownFact(1, origin, secret=context.hides(base) or others))
        if one_player:
            facts[f"captive.{SURPRISE}"] = KnownFact(1, origin, secret=any(map(context.hides, pair)))
    return facts
