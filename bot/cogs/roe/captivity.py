"""Captives and the wounded: what is true of them in rolls, when they may try to escape, who has to agree, and how they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import discord
from discord.utils import format_dt
from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.actors import find_acting
from bot.cogs.roe.fight_view import BOOK, find_characters, view_here
from bot.core import knowledge, state, subjects
from bot.core.campaigns import locate_campaign, open_campaign
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, find_now
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, make_player_viewer, make_viewer, require_own
from bot.errors import BadInput, NotAsItIs
from bot.rolls.cast import identify
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Answering, Seat, SeatAnswer, Words
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.text import local, plain
from rules.book import Book, Effect
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.turns import AN_HOUR, Timer
from rules.books.roe.wounds import HANGING, HEALTH, NAMES, WOUNDED, RollSubject, count_minutes, list_facts
from rules.effects import EFFECT
from rules.ends import Moment, holds
from rules.modifiers import Known, Origin
from rules.subjects import name_key

FACTS, VEHICLE = "facts", "vehicle"
"""The inputs of a part that name what was said to be true, and say that a vehicle is taken."""
HELD = "captive"
"""The timer of a captivity."""
TYPED = Known(1, Origin("typed", "said"))
_TAKEN_WITH_IT = ("thing.vehicle", "thing.used-in-scene", "thing.crew-gone")
"""What whoever takes a vehicle says with that."""


def find_aftermath_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return what was said, and what is kept of two in a roll, part by part."""
    pairs = [{role: item for role, item in part if role in {ACTOR, RESISTER}} for part in context.everyone]
    own = {item.key for pair in pairs if ACTOR in pair for item in pair.values()}
    kept = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in NAMES}
    asker = context.request.by or context.mine  # who has asked for it, also where another one has said yes
    seen = knowledge.see_values(tx, make_player_viewer(context.campaign, asker), kept) if kept else {}
    saved = [dict(part).get(RESISTER) for part in context.saved]
    parts = zip(context.request.parts, pairs, saved, strict=True)
    return [
        dict(_find_said(part.inputs, context))
        | (dict(_find_vehicle_facts(context, there)) if part.inputs.get(VEHICLE) else {})
        | (dict(_find_people_facts(context, pair, kept, seen)) if ACTOR in pair else {})
        for part, pair, there in parts
    ]


def read_held_hours(book: Book) -> float:
    """Return for how many hours a captive is held at least."""
    return count_minutes(book, book.listed(Timer)[HELD]) / AN_HOUR


def _find_said(inputs: Mapping[str, Any], context: RollContext) -> Iterator[tuple[str, Known]]:
    yield from ((fact, TYPED) for fact in inputs.get(FACTS, ()))
    if context.request.staff or context.request.led:
        yield f"{ACTOR}.watched", TYPED


def _find_vehicle_facts(context: RollContext, vehicle: Profile | None) -> Iterator[tuple[str, Known]]:
    yield from ((fact, TYPED) for fact in _TAKEN_WITH_IT)
    if vehicle is not None:
        lost = context.kept.get((vehicle.key, HEALTH))
        full = vehicle.fields.get("hp")
        if lost is not None and full is not None and lost["lost"] >= full:
            yield "thing.wrecked", Known(1, Origin("saved", vehicle.name), secret=vehicle.secret)


def _find_people_facts(
    context: RollContext, pair: Mapping[str, Subject], kept: State, seen: State
) -> Iterator[tuple[str, Known]]:
    """Yield what loot and captivity make true of two; what players may not know is secret, unless a game master rolls."""
    led = context.secrets and (context.request.staff or context.request.led)
    real, told = (_find_true(context, pair, values, led=led) for values in (kept, seen))
    hidden = any(item.secret for item in pair.values())
    for fact in sorted(real):
        yield fact, Known(1, Origin("saved", "as saved"), secret=not led and (hidden or fact not in told))


def _find_true(context: RollContext, pair: Mapping[str, Subject], values: State, *, led: bool) -> frozenset[str]:
    resister = _make_someone(pair[RESISTER], values) if RESISTER in pair else None
    return list_facts(
        _make_someone(pair[ACTOR], values), resister, context.moment, read_held_hours(context.book), led=led
    )


def _make_someone(item: Subject, values: State) -> RollSubject:
    return RollSubject(item.id, {name: value for (key, name), value in values.items() if key == item.key})


ESCAPE = "escape"
CAPTURES: Mapping[str, str] = {
    "detain": "after.detain",
    "cuff": "after.cuff",
    "pick": "after.pick",
    ESCAPE: "after.escape",
    "release": "after.release",
}
"""The roll families of `/roe capture`, by what is done."""
WAIT = f"{EFFECT}escape-wait"
"""The effect on a captive who failed to escape recently."""
ALONE = frozenset({"pick", ESCAPE})
"""What captives do themselves."""


def find_captivity(tx: Connection, viewer: Viewer, name: str) -> tuple[subjects.Subject, Mapping[str, Any]] | None:
    """Return somebody who is held captive, and what is kept of that, as far as the viewer may know."""
    who = subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))
    kept = state.get_values_named(tx, viewer.campaign.id, {who.key}, {CAPTIVE}) if who else {}
    known = knowledge.see_values(tx, viewer, kept)
    return (who, known[who.key, CAPTIVE]) if who and known else None


def find_next_try(kept: Mapping[str, Any], book: Book, now: Moment) -> tuple[str, str] | None:
    """Return what a captive's try to escape has to wait for, and until when (ISO); None where it need not.

    `kept` is what the viewer may know of that one, by name.
    """
    if CAPTIVE not in kept:
        return None
    hours, at = read_held_hours(book), now.hence(0)
    first, again = now.later(kept[CAPTIVE]["since"], hours), kept.get(WAIT, {}).get("at", at)
    if first > at:
        return f"hasn't been held for {hours:g} hours yet", first
    return ("failed to escape recently", again) if again > at else None


def require_in_time(tx: Connection, viewer: Viewer, captive: Profile, book: Book, now: Moment) -> None:
    """Refuse a try to escape that comes too early, with when it may be made, as far as the viewer may know of it."""
    kept = knowledge.see_values(
        tx, viewer, state.get_values_named(tx, viewer.campaign.id, {captive.key}, {CAPTIVE, WAIT})
    )
    early = find_next_try({name: value for (_, name), value in kept.items()}, book, now)
    if early is not None:
        when = f"The next try is possible on {local(datetime.fromisoformat(early[1]), viewer.campaign.timezone)}."
        raise NotAsItIs(
            f"{captive.name} {early[0]}.", f"{when} Before that, the captor can release them with how:release."
        )


def find_hanging(change: Change) -> tuple[str, ...]:
    """Return what hangs on a captivity, a wound or handcuffs that have begun: tries to escape, loot, a try at the lock."""
    return HANGING.get(change.name, ()) if change.before is None else ()


def make_surrender() -> dict[str, Any]:
    """Return the inputs of a part in which the other one surrenders."""
    return {FACTS: [f"{RESISTER}.surrenders"]}


NOUN = "request"
LASTS = timedelta(hours=24)
"""How long somebody has to say yes."""


def ask_consent(tx: Connection, resolver: Resolver, person: Person, command: RollCommand, how: str) -> PendingRoll:
    """Ask the captor to be present at an escape, or somebody to surrender; the post is the caller's to send."""
    campaign = open_campaign(tx, locate_campaign(tx, person.guild_id, command.channels, lock=True).id)
    viewer = make_viewer(tx, person, campaign)
    require_own(tx, campaign, person, [command.parts[0].subjects[ACTOR]])
    parts = identify(tx, viewer, [command.parts[0].model_copy(update={"inputs": {}})])
    note = parsing.text(command.note, "note")
    book, family = command.family
    request = RollRequest(book=book, family=family, parts=parts, note=note, by=viewer.mine)
    preview = resolver.preview(tx, campaign, _add_consent(request, 0, None), viewer)
    resolver.require_able(tx, viewer, preview)
    for item in preview.parts:
        item.procedure.method.check(item.part, item.book)
    who = parts[0].subjects[ACTOR]
    if how in ALONE:
        seat, asks = _find_captor(tx, viewer, who), f"to be present while **{plain(who)}** tries to escape"
    else:
        seat, asks = _find_other(tx, viewer, parts[0]), f"to surrender to **{plain(who)}**"
    words = Words(NOUN, who, ("asks", asks), f"/roe capture how:{how}")
    return service.ask(tx, resolver, person, campaign, Ask(command.channels[0], request, (seat,), LASTS, words))


def _find_captor(tx: Connection, viewer: Viewer, captive: str) -> Seat:
    """Return the seat of whoever plays the captor: the game masters', where nobody does or is known to."""
    held = find_captivity(tx, viewer, captive)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]).values() if held else ()
    return next((Seat(subject=item.id, name=item.name) for item in by), Seat())


def _find_other(tx: Connection, viewer: Viewer, part: PartRequest) -> Seat:
    (number,) = part.ids[RESISTER]
    found = subjects.get_subjects(tx, viewer.campaign.id, [number]).get(number) if number else None
    if found is None:
        raise BadInput(
            f"I don't know a character called {part.subjects[RESISTER]!r}.", "See /character list for all characters."
        )
    return Seat(subject=found.id, name=found.name)


def _add_consent(request: RollRequest, place: int, _answer: SeatAnswer | None) -> RollRequest:
    """Return the request once somebody has said yes: the captor is present, or the other one surrenders."""
    part = request.parts[place]
    said = {FACTS: [f"{ACTOR}.watched"]} if RESISTER not in part.subjects else make_surrender()
    return request.with_part(place, part.model_copy(update={"inputs": {**part.inputs, **said}}))


ANSWERING: Mapping[str, Answering] = {
    CAPTURES["escape"]: Answering(_add_consent, {"yes": "I'm present: roll"}),
    CAPTURES["cuff"]: Answering(_add_consent, {"yes": "Surrender"}),
    CAPTURES["detain"]: Answering(_add_consent, {"yes": "Surrender"}),
}
"""How these are answered."""


MORTAL = f"{EFFECT}mortally-wounded"


class ShownCharacter(Struct, frozen=True):
    """Somebody as seen by a viewer: what is kept of them that the viewer may know, when, and the book."""

    viewer: Viewer
    item: Profile
    kept: Mapping[str, Any]
    now: Moment
    book: Book
    effects: Mapping[str, Effect]


def show_wounds(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None
) -> discord.Embed:
    """Return how somebody is: who is named, or the person's own character."""
    seen = _read_character(tx, library, person, channels, named)
    lines = [*_describe_wounds(seen), *_describe_captivity(tx, seen), *_describe_effects(seen)] or [
        "No wounds or effects."
    ]
    wounded = WOUNDED in seen.kept
    colour = COLOURS["danger" if wounded else "neutral"]
    embed = discord.Embed(title=plain(seen.item.name), description="\n".join(lines), colour=colour)
    return embed.set_footer(text=seen.viewer.campaign.name)


def _read_character(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None
) -> ShownCharacter:
    viewer = view_here(tx, library, person, channels)
    campaign = viewer.campaign
    if named is None:
        item = find_acting(tx, library, person, channels, None).actor
    else:
        (item,) = find_characters(tx, viewer, [named])
    book = library.book(tx, campaign, BOOK)
    (item,) = knowledge.see_saved(tx, viewer, [item], library.fields(tx, campaign))
    now = find_now(tx, person, campaign)
    kept = state.get_values_named(tx, campaign.id, {item.key}, {HEALTH, CAPTIVE})
    kept |= state.get_values_beginning(tx, campaign.id, {item.key}, EFFECT)
    effects = library.effects(tx, campaign)
    secret = set() if person.leads(campaign) else {EFFECT + trait for trait, one in effects.items() if one.secret}
    told = knowledge.see_values(tx, viewer, kept)
    values = {name: value for (_, name), value in told.items() if holds(value, now) and name not in secret}
    return ShownCharacter(viewer, item, values, now, book, effects)


def _describe_wounds(seen: ShownCharacter) -> Iterator[str]:
    full, lost = seen.item.fields.get("hp"), seen.kept.get(HEALTH, {}).get("lost", 0)
    if full is not None:
        yield f"**HP** {max(0, full - lost)} of {full}"
    elif lost:
        yield f"**HP** {lost} lost"
    wound = seen.kept.get(WOUNDED)
    if wound is not None:
        until = f" until {_show_time(wound['at'])}" if "at" in wound else ""
        yield f"**Wounded**{until}: no combat. Attacking or being attacked means going down again and staying Wounded for longer."
    if MORTAL in seen.kept:
        yield (
            "**Mortal Wound**: half of each stack in pocket 0, rounded up, goes to the attacker or is lost. Permanents are "
            "safe. Half of the credits go to the hospital, with how:hospital."
        )


def _describe_captivity(tx: Connection, seen: ShownCharacter) -> Iterator[str]:
    held = seen.kept.get(CAPTIVE)
    if held is None:
        return
    campaign = seen.viewer.campaign
    by = subjects.get_subjects(tx, campaign.id, [held["by"]]).get(held["by"])
    whose = plain(seen.viewer.named(by)) if by else "someone unknown"
    yield f"**Captive** of {whose} since {_show_time(held['since'])}"
    early = find_next_try(seen.kept, seen.book, seen.now)
    if early is not None:
        yield f"Next try to escape: {_show_time(early[1])}."


def _describe_effects(seen: ShownCharacter) -> Iterator[str]:
    for name, value in sorted(seen.kept.items()):
        if name.startswith(EFFECT) and name not in {WOUNDED, MORTAL}:
            label = label_effect(seen.effects, name, value)
            count = f": {value['amount']}" if value.get("amount") else ""
            turns = value.get("turns", {}).get("left")
            ends = f" until {_show_time(value['at'])}" if isinstance(value.get("at"), str) else ""
            ends += f", {turns} turn{'' if turns == 1 else 's'} left" if turns else ""
            yield f"**{plain(label)}**{count}{ends}"


def _show_time(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{format_dt(at, 'f')} ({format_dt(at, 'R')})"
