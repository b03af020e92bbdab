"""Captives and the wounded: facts for rolls, escapes, consent, and `/roe wounds`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import discord
from discord.utils import format_dt
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roe.actors import find_acting
from bot.cogs.roe.fight_view import BOOK, find_characters, view_here
from bot.core import state, subjects, visibility
from bot.core.campaigns import locate_campaign, open_campaign
from bot.core.errors import BadInput, NotAsItIs
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, find_now
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, make_player_viewer, make_viewer, require_own
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import AnswerRules, Seat, SeatAnswer, Words
from bot.rolls.preview import identify
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from bot.ui import parsing
from bot.ui.text import COLOURS, plain, to_local
from rules.book import Book, Effect
from rules.books.campaign.captivity import CAPTIVE
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.turns import AN_HOUR, Timer
from rules.books.roe.wounds import HANGING, HEALTH, NAMES, WOUNDED, RollSubject, count_minutes, list_facts
from rules.effects import EFFECT
from rules.ends import Moment, is_current
from rules.modifiers import KnownFact, Origin
from rules.subjects import name_key

FACTS, VEHICLE = "facts", "vehicle"
"""Inputs of a part: facts someone typed, and whether a vehicle is taken."""
HELD = "captive"
TYPED = KnownFact(1, Origin("typed", "said"))
_TAKEN_WITH_IT = ("thing.vehicle", "thing.used-in-scene", "thing.crew-gone")
"""Facts that taking a vehicle implies."""


def find_aftermath_facts(tx: Connection, context: RollContext) -> list[dict[str, KnownFact]]:
    """Find typed and saved facts between actor and resister, such as wounds, part by part."""
    pairs = [{role: item for role, item in part if role in {ACTOR, RESISTER}} for part in context.everyone]
    own = {item.key for pair in pairs if ACTOR in pair for item in pair.values()}
    kept = {key: value for key, value in context.kept.items() if key[0] in own and key[1] in NAMES}
    asker = context.request.by or context.mine  # the person who asked, also after another agreed
    seen = visibility.see_values(tx, make_player_viewer(context.campaign, asker), kept) if kept else {}
    saved = [dict(part).get(RESISTER) for part in context.profiles_by_role]
    parts = zip(context.request.parts, pairs, saved, strict=True)
    return [
        dict(_find_said(part.inputs, context))
        | (dict(_find_vehicle_facts(context, there)) if part.inputs.get(VEHICLE) else {})
        | (dict(_find_people_facts(context, pair, kept, seen)) if ACTOR in pair else {})
        for part, pair, there in parts
    ]


def _read_held_hours(book: Book) -> float:
    return count_minutes(book, book.entries_of(Timer)[HELD]) / AN_HOUR


def _find_said(inputs: Mapping[str, Any], context: RollContext) -> Iterator[tuple[str, KnownFact]]:
    yield from ((fact, TYPED) for fact in inputs.get(FACTS, ()))
    if context.request.staff or context.request.led:
        yield f"{ACTOR}.watched", TYPED


def _find_vehicle_facts(context: RollContext, vehicle: Profile | None) -> Iterator[tuple[str, KnownFact]]:
    yield from ((fact, TYPED) for fact in _TAKEN_WITH_IT)
    if vehicle is not None:
        lost = context.kept.get((vehicle.key, HEALTH))
        full = vehicle.fields.get("hp")
        if lost is not None and full is not None and lost["lost"] >= full:
            yield "thing.wrecked", KnownFact(1, Origin("saved", vehicle.name), secret=vehicle.secret)


def _find_people_facts(
    context: RollContext, pair: Mapping[str, Subject], kept: State, seen: State
) -> Iterator[tuple[str, KnownFact]]:
    """Facts that players may not know are secret, unless a game master rolls."""
    led = context.secrets and (context.request.staff or context.request.led)
    hours, hidden = _read_held_hours(context.book), any(item.secret for item in pair.values())
    real, known = (
        list_facts(
            _make_subject(pair[ACTOR], values),
            _make_subject(pair[RESISTER], values) if RESISTER in pair else None,
            context.moment,
            hours,
            led=led,
        )
        for values in (kept, seen)
    )
    for fact in sorted(real):
        yield fact, KnownFact(1, Origin("saved", "as saved"), secret=not led and (hidden or fact not in known))


def _make_subject(item: Subject, values: State) -> RollSubject:
    return RollSubject(item.id, {name: value for (key, name), value in values.items() if key == item.key})


ESCAPE = "escape"
CAPTURES: Mapping[str, str] = {
    "detain": "after.detain",
    "cuff": "after.cuff",
    "pick": "after.pick",
    ESCAPE: "after.escape",
    "release": "after.release",
}
WAIT = f"{EFFECT}escape-wait"
ALONE = frozenset({"pick", ESCAPE})


def find_captivity(tx: Connection, viewer: Viewer, name: str) -> tuple[Subject, Mapping[str, Any]] | None:
    """Find a captive and their captivity, if the viewer knows both."""
    who = subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))
    kept = state.get_values_named(tx, viewer.campaign.id, {who.key}, {CAPTIVE}) if who else {}
    known = visibility.see_values(tx, viewer, kept)
    return (who, known[who.key, CAPTIVE]) if who and known else None


def _find_next_try(kept: Mapping[str, Any], book: Book, now: Moment) -> tuple[str, str] | None:
    """Return why an escape must wait, and until when (ISO)."""
    if CAPTIVE not in kept:
        return None
    hours, at = _read_held_hours(book), now.hence(0)
    first, again = now.later(kept[CAPTIVE]["since"], hours), kept.get(WAIT, {}).get("at", at)
    if first > at:
        return f"hasn't been held for {hours:g} hours yet", first
    return ("failed to escape recently", again) if again > at else None


def require_in_time(tx: Connection, viewer: Viewer, captive: Profile, book: Book, now: Moment) -> None:
    """Refuse an escape soon after the capture or a failed try that the viewer knows."""
    kept = state.get_values_named(tx, viewer.campaign.id, {captive.key}, {CAPTIVE, WAIT})
    kept = visibility.see_values(tx, viewer, kept)
    early = _find_next_try({name: value for (_, name), value in kept.items()}, book, now)
    if early is not None:
        when = f"The next try is possible on {to_local(datetime.fromisoformat(early[1]), viewer.campaign.timezone)}."
        hint = f"{when} Before that, the captor can release them with how:release."
        raise NotAsItIs(f"{captive.name} {early[0]}.", hint)


def find_hanging(change: Change) -> tuple[str, ...]:
    """Return prefixes of values that depend on a captivity, wound or handcuffs that began."""
    return HANGING.get(change.name, ()) if change.before is None else ()


def make_surrender() -> dict[str, Any]:
    """Make the inputs of a part whose target surrenders."""
    return {FACTS: [f"{RESISTER}.surrenders"]}


NOUN = "request"
LASTS = timedelta(hours=24)


def ask_consent(tx: Connection, resolver: Resolver, person: Person, command: RollCommand, how: str) -> PendingRoll:
    """Ask the captor to attend an escape, or the target to surrender."""
    campaign = open_campaign(tx, locate_campaign(tx, person.guild_id, command.channels, lock=True).id)
    viewer = make_viewer(tx, person, campaign)
    require_own(tx, campaign, person, [command.parts[0].subjects[ACTOR]])
    parts = identify(tx, viewer, [replace(command.parts[0], inputs={})])
    note = parsing.parse_text(command.note, "note")
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
    """Without a known captor, the game masters answer."""
    held = find_captivity(tx, viewer, captive)
    by = subjects.get_subjects(tx, viewer.campaign.id, [held[1]["by"]]).values() if held else ()
    return next((Seat(subject=item.id, name=item.name) for item in by), Seat())


def _find_other(tx: Connection, viewer: Viewer, part: PartRequest) -> Seat:
    (number,) = part.ids[RESISTER]
    found = subjects.get_subjects(tx, viewer.campaign.id, [number]).get(number) if number else None
    if found is None:
        what = f"I don't know a character called {part.subjects[RESISTER]!r}."
        raise BadInput(what, "See /character list for all characters.")
    return Seat(subject=found.id, name=found.name)


def _add_consent(request: RollRequest, place: int, _answer: SeatAnswer | None) -> RollRequest:
    part = request.parts[place]
    more = {FACTS: [f"{ACTOR}.watched"]} if RESISTER not in part.subjects else make_surrender()
    return request.with_part(place, replace(part, inputs={**part.inputs, **more}))


_SURRENDER = AnswerRules(_add_consent, {"yes": "Surrender"})
ANSWERING: Mapping[str, AnswerRules] = {
    CAPTURES["escape"]: AnswerRules(_add_consent, {"yes": "I'm present: roll"}),
    CAPTURES["cuff"]: _SURRENDER,
    CAPTURES["detain"]: _SURRENDER,
}

MORTAL = f"{EFFECT}mortally-wounded"


def show_wounds(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], named: str | None
) -> discord.Embed:
    """Show the state of the named or the person's own character."""
    viewer = view_here(tx, library, person, channels)
    campaign = viewer.campaign
    if named is None:
        item = find_acting(tx, library, person, channels, None).actor
    else:
        (item,) = find_characters(tx, viewer, [named])
    (item,) = visibility.see_saved(tx, viewer, [item], library.fields(tx, campaign))
    now, effects = find_now(tx, person, campaign), library.effects(tx, campaign)
    kept = state.get_values_named(tx, campaign.id, {item.key}, {HEALTH, CAPTIVE})
    kept |= state.get_values_beginning(tx, campaign.id, {item.key}, EFFECT)
    secret = set() if person.leads(campaign) else {EFFECT + trait for trait, one in effects.items() if one.secret}
    known = visibility.see_values(tx, viewer, kept)
    values = {name: value for (_, name), value in known.items() if is_current(value, now) and name not in secret}
    lines = [*_describe_wounds(item, values)]
    lines += _describe_captivity(tx, viewer, values, library.book(tx, campaign, BOOK), now)
    lines += _describe_effects(values, effects)
    colour = COLOURS["danger" if WOUNDED in values else "neutral"]
    description = "\n".join(lines or ["No wounds or effects."])
    embed = discord.Embed(title=plain(item.name), description=description, colour=colour)
    return embed.set_footer(text=campaign.name)


def _describe_wounds(item: Profile, values: Mapping[str, Any]) -> Iterator[str]:
    full, lost = item.fields.get("hp"), values.get(HEALTH, {}).get("lost", 0)
    if full is not None:
        yield f"**HP** {max(0, full - lost)} of {full}"
    elif lost:
        yield f"**HP** {lost} lost"
    wound = values.get(WOUNDED)
    if wound is not None:
        until = f" until {_show_time(wound['at'])}" if "at" in wound else ""
        yield f"**Wounded**{until}: no combat. Attacking or being attacked means going down again and staying Wounded for longer."
    if MORTAL in values:
        yield (
            "**Mortal Wound**: half of each stack in pocket 0, rounded up, goes to the attacker or is lost. Permanents are "
            "safe. Half of the credits go to the hospital, with how:hospital."
        )


def _describe_captivity(
    tx: Connection, viewer: Viewer, values: Mapping[str, Any], book: Book, now: Moment
) -> Iterator[str]:
    held = values.get(CAPTIVE)
    if held is None:
        return
    by = subjects.get_subjects(tx, viewer.campaign.id, [held["by"]]).get(held["by"])
    whose = plain(viewer.name_of(by)) if by else "someone unknown"
    yield f"**Captive** of {whose} since {_show_time(held['since'])}"
    early = _find_next_try(values, book, now)
    if early is not None:
        yield f"Next try to escape: {_show_time(early[1])}."


def _describe_effects(values: Mapping[str, Any], effects: Mapping[str, Effect]) -> Iterator[str]:
    for name, value in sorted(values.items()):
        if name.startswith(EFFECT) and name not in {WOUNDED, MORTAL}:
            label = label_effect(effects, name, value)
            count = f": {value['amount']}" if value.get("amount") else ""
            turns = value.get("turns", {}).get("left")
            ends = f" until {_show_time(value['at'])}" if isinstance(value.get("at"), str) else ""
            ends += f", {turns} turn{'' if turns == 1 else 's'} left" if turns else ""
            yield f"**{plain(label)}**{count}{ends}"


def _show_time(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{format_dt(at, 'f')} ({format_dt(at, 'R')})"
