"""What rolls bring besides their rows: noise, ended effects, people thrown out of vehicles."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import discord
from sqlalchemy import Connection

from bot.cogs.roe.facts import list_aboard
from bot.cogs.roe.fight_view import BOOK
from bot.core import library, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.ledger import Body, EntryView
from bot.core.profiles import Profile
from bot.core.records import Change, Entry
from bot.outbox.queue import OutgoingMessage
from bot.rolls.entry_body import home_of
from bot.rolls.extension import ExtraChanges, ResolvedRoll, StateKey
from bot.rolls.request import PartRequest
from bot.rolls.resolver import Resolver
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, plain
from rules.book import Book
from rules.books.roe import fights, hiding, turns, wounds
from rules.books.roe.catalog import ACTOR
from rules.effects import EFFECT, Moment
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part, PartResult, Throw
from rules.subjects import number_of, subject_key, subject_number
from rules.tables import AppliedConsequence, Tone

HEARD = "heard"
"""Body key of a roll's noise, in words."""

HIDDEN_TRAIT = fights.HIDDEN.removeprefix(EFFECT)


def keep_quiet(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Keep a roll quiet if it involves hidden fighters and reveals none; note its noise.

    Someone hidden who is attacked stays hidden from all but the attacker, who had seen them.
    """
    act = roll.book.acts.get(roll.resolution.family)
    deeds = roll.resolution.deeds
    shown = {number for do, number in _list_all_done(roll) if HIDDEN_TRAIT in deeds[do].ends}
    quiet = not (act is not None and act.loud) and not {*_list_hiding(roll)} <= shown
    heard = [*_list_noises(tx, roll)]
    return ExtraChanges(body={HEARD: heard} if heard else {}, quiet=quiet)


def add_noise_message(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Post a noise to everyone who doesn't read it elsewhere (line 163).

    An amendment makes no second noise, and a roll kept from everyone stays quiet.
    """
    body = entry.content()
    heard = body.get(HEARD)
    if not heard or body["to"] != "auto" or "amends" in body or _is_read(body, heard):
        return messages
    embed = discord.Embed(description="\n".join(map(plain, heard)), colour=COLOURS["neutral"])
    embed.set_footer(text=campaign.name)
    return [*messages, OutgoingMessage("notice", home_of(entry) or campaign.results_channel_id, [embed])]


def _list_noises(tx: Connection, roll: ResolvedRoll) -> Iterator[str]:
    loud = {item.label for item in roll.book.entries_of(turns.Noise).values()}
    for part in roll.resolution.parts:
        makers = {value["by"] for _, name, value in part.changes if name == hiding.NOISE and value}
        if any(item.secret for item in subjects.get_subjects(tx, roll.campaign.id, makers).values()):
            continue
        throws = (step for step in part.steps if isinstance(step, Throw) and step.title in loud)
        yield from (f"{step.title}: {step.text}" for step in throws)


def _is_read(body: Body, heard: Sequence[str]) -> bool:
    public = [part for part in body["parts"] if part["audience"] == "results" and not part["secret"]]
    return {f"{step['title']}: {step.get('text')}" for part in public for step in part["steps"]}.issuperset(heard)


def _find_hiding(tx: Connection, campaign_id: int, numbers: Collection[int]) -> set[int]:
    kept = state.get_values_named(tx, campaign_id, [*map(subject_key, numbers)], {fights.HIDDEN}) if numbers else {}
    return {number_of(subject) for (subject, _), value in kept.items() if value.get("scene")}


def _list_hiding(roll: ResolvedRoll) -> Iterator[int]:
    actor = roll.book.procedure(roll.resolution.family).actor
    for part in roll.request.parts:
        acting = {*part.ids.get(actor, ())}
        for number in (number for some in part.ids.values() for number in some if number is not None):
            value = roll.before.get((subject_key(number), fights.HIDDEN))
            if value and value.get("scene") and acting & {number, *value.get(fights.BY, ())}:
                yield number


def _list_done(asked: PartRequest, made: PartResult) -> Iterator[tuple[str, int]]:
    for item in made.conclusion.consequences if made.conclusion else ():
        yield from ((item.do, number) for number in asked.ids.get(item.to or "", ()) if number is not None)


def _list_all_done(roll: ResolvedRoll) -> Iterator[tuple[str, int]]:
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        yield from _list_done(asked, made)


WRECK, LEAVE, GO_DOWN = "wreck", "get-out", "wound"
"""What happens to a destroyed vehicle, and to those thrown out."""
THROWN = "thrown_out"
"""Body key of those thrown out, as public lines."""


def throw_out(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """Throw people out of destroyed vehicles: they lose HP and may go down."""
    thrown = [*_list_thrown_out(tx, roll)]
    changes = {(who.key, name): value for who, values in thrown for name, value in values.items()}
    unseen = _find_hiding(tx, roll.campaign.id, [who.id for who, _ in thrown])
    lines = [_describe_thrown(who, values) for who, values in thrown if not who.secret and who.id not in unseen]
    return ExtraChanges(changes, {THROWN: lines} if lines else {})


def _list_thrown_out(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[Profile, Mapping[str, Any]]]:
    for vehicle in [number for do, number in _list_all_done(roll) if do == WRECK]:
        for who, _ in list_aboard(tx, roll.campaign.id, roll.book, vehicle):
            yield who, _find_thrown_changes(tx, roll, who)


def _describe_thrown(who: Profile, values: Mapping[str, Any]) -> str:
    full, lost = who.fields.get("hp"), values[wounds.HEALTH]["lost"]
    left = f": {full - lost} of {full} HP left" if full is not None else f": {lost} HP lost by now"
    return f"{who.name} is thrown out{left}"


def _find_thrown_changes(tx: Connection, roll: ResolvedRoll, who: Profile) -> dict[str, Any]:
    book, moment = roll.book, roll.moment
    kept = {name: value for (_, name), value in state.get_values(tx, roll.campaign.id, {who.key}).items()}
    changes: dict[str, Any] = {EFFECT + trait: None for trait in book.deeds[LEAVE].ends}
    full, lost = who.fields.get("hp"), (kept.get(wounds.HEALTH) or {}).get("lost", 0) + book.number("ejected-hp")
    changes[wounds.HEALTH] = {"lost": lost if full is None else min(full, lost), "entry": moment.entry}
    rule = book.rule(GO_DOWN)
    if full is not None and lost >= full and rule is not None:
        saved = Origin("saved", who.name)
        facts = {f"{ACTOR}.{trait}": KnownFact(count, saved) for trait, count in who.count_traits(book.fields).items()}
        wound = wounds.make_wound(book, Part(GO_DOWN, {ACTOR: who.name}, facts), ACTOR)
        applied = AppliedConsequence(wound, book.deeds[GO_DOWN], who.name, moment, kept, whose=who.id)
        changes |= {name: value for _, name, value in rule(applied)}
    return {name: value for name, value in changes.items() if value is not None or name in kept}


BROKEN = "broken"
"""Body key of what a roll has ended, in words."""


def break_holds(tx: Connection, roll: ResolvedRoll) -> ExtraChanges:
    """End at once what a roll's new effects break, such as a hold, on both sides."""
    ended = {
        key: value
        for number, trait in _list_begun(tx, roll)
        for key, value in _list_broken(tx, roll.campaign.id, roll.book, number, trait)
    }
    if not ended:
        return ExtraChanges()
    unseen = _find_hiding(tx, roll.campaign.id, {number_of(subject) for subject, _ in ended})
    seen = {key: value for key, value in ended.items() if number_of(key[0]) not in unseen}
    known = visibility.see_values(tx, visibility.make_player_viewer(roll.campaign), seen)
    called = subjects.get_subjects(tx, roll.campaign.id, {number_of(key[0]) for key in known})
    lines = [
        f"{called[number_of(subject)].name}: {library.label_effect(roll.book.effects, name, value)}"
        for (subject, name), value in known.items()
    ]
    return ExtraChanges(dict.fromkeys(ended), {BROKEN: lines} if lines else {})


def break_by_hand(
    tx: Connection, resolver: Resolver, campaign: Campaign, effect: StateKey, _now: Moment
) -> Iterator[tuple[Change, str]]:
    """Yield (change, line) for each effect, such as a hold, that a game master's effect breaks."""
    number = subject_number(effect[0])
    if BOOK not in campaign.books or number is None:
        return
    book = resolver.library.book(tx, campaign, BOOK)
    ended = dict(_list_broken(tx, campaign.id, book, number, effect[1].removeprefix(EFFECT)))
    called = subjects.get_subjects(tx, campaign.id, {number_of(subject) for subject, _ in ended})
    for (subject, name), before in ended.items():
        who, what = called[number_of(subject)].name, library.label_effect(book.effects, name, before)
        yield Change(subject, name, before, None), f"Ended at once: {who}: {what}"


def _add_message(
    name: str, title: str, tone: Tone, campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    lines = entry.content().get(name)
    if not lines or not messages:
        return messages
    embed = discord.Embed(title=title, description="\n".join(map(plain, lines)), colour=COLOURS[tone])
    embed.set_footer(text=entry_footer(EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", messages[0].channel_id, [embed])]


add_thrown_out_message = partial(_add_message, THROWN, "Thrown out", "failure")
add_broken_message = partial(_add_message, BROKEN, "Ended at once", "neutral")


def _list_broken(
    tx: Connection, campaign_id: int, book: Book, number: int, trait: str
) -> Iterator[tuple[StateKey, dict[str, Any]]]:
    for item in book.entries_of(turns.Upkeep).values():
        own = _read_effects(tx, campaign_id, number, item.ends) if trait in item.breaks else {}
        yield from own.items()
        for other in {value["other"] for value in own.values() if value.get("other")}:
            theirs = _read_effects(tx, campaign_id, other, item.frees)
            yield from ((key, value) for key, value in theirs.items() if value.get("other") == number)


def _read_effects(
    tx: Connection, campaign_id: int, number: int, traits: Sequence[str]
) -> dict[StateKey, dict[str, Any]]:
    return state.get_values_named(tx, campaign_id, {subject_key(number)}, {EFFECT + trait for trait in traits})


def _list_begun(tx: Connection, roll: ResolvedRoll) -> Iterator[tuple[int, str]]:
    deeds = roll.resolution.deeds
    for asked, made in zip(roll.request.parts, roll.resolution.parts, strict=True):
        called = {asked.subjects[role]: ids for role, ids in asked.ids.items() if role in asked.subjects}
        for who, name, value in made.changes:
            if name.startswith(EFFECT) and value is not None:
                yield from ((number, name.removeprefix(EFFECT)) for number in called.get(who, ()) if number is not None)
        yield from ((number, trait) for do, number in _list_done(asked, made) if (trait := deeds[do].effect))
    for thrown, values in _list_thrown_out(tx, roll):
        begun = [name for name, value in values.items() if name.startswith(EFFECT) and value is not None]
        yield from ((thrown.id, name.removeprefix(EFFECT)) for name in begun)
