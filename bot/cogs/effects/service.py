"""Effects: what befalls units, characters and sides for a while, set and cleared by hand, listed whoever set it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.effects import ending
from bot.cogs.effects.bodies import EffectClearedBody, EffectSetBody
from bot.cogs.effects.ending import Ending, Until
from bot.core import knowledge, state, subjects
from bot.core.campaigns import Campaign, current_update, moment, open_campaign
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.library import Library, effect_label
from bot.core.name_warnings import unsaved
from bot.core.permissions import Person, now_of, require_game_master, unreadable
from bot.core.profiles import not_captive
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import Subject, label, twins
from bot.core.visibility import Viewer, known_sides, require_part, subjects_for, suggested, viewer_of
from bot.errors import BadInput
from bot.feature import Feature
from bot.rolls.extension import StateKey
from bot.ui import parsing
from rules.book import Effect
from rules.books.battlesystem.durations import event_ends
from rules.books.campaign.captivity import CAPTIVE, CRACKED
from rules.effects import EFFECT
from rules.ends import KEYS, Moment, holds
from rules.errors import nearest
from rules.subjects import name_key, number_of, subject_key

ENDS: Mapping[str, str] = {"hidden": "revealed"}
"""What an effect ends on its bearer: whoever hides anew is revealed no more."""

OWN_FIELDS = ("entry", *KEYS, "by")
"""What every effect keeps, and who has a hold of it; the rest, such as how badly somebody is injured, stays when it is set again."""


class LastingEffect(Struct, frozen=True):
    """An effect that holds: on whom, since which entry (None where the reader may not open it), and the update that it ends with, None when none ends it.

    `at` is when it ends by the clock (ISO, UTC); `ends` tells when it ends where it is bound to something else, such as the
    turn of a battle.
    """

    who: str
    trait: str
    label: str
    since: int | None
    until: str | None
    ends: str | None = None
    at: str | None = None


class EffectChange(Struct, frozen=True):
    """What was entered about an effect, and what may be slips."""

    campaign: Campaign
    entry: Entry
    name_warnings: tuple[str, ...] = ()


def set_effect(
    tx: Connection,
    ledger: Ledger,
    library: Library,
    features: Iterable[Feature],
    person: Person,
    campaign_id: int,
    who: str,
    effect: str,
    until: Until | None = None,
    note: str | None = None,
    hours: int | None = None,
    turns: int | None = None,
    whose: str | None = None,
) -> EffectChange:
    """Let an effect befall somebody; it ends by its own rule unless `hours` from now, `turns` or else `until` say otherwise.

    Turns are those of the bearer, or of the one named as `whose`.
    """
    (typed,), text = parsing.names(who, "name", 1), parsing.text(note, "note")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "set effects")
    known = library.effects(tx, campaign)
    wanted = _wanted(known, effect)
    update = current_update(tx, campaign.id)
    viewer = viewer_of(tx, person, campaign)
    people = subjects_for(tx, viewer)
    bearer = people.of(typed)
    counted = people.of(*parsing.names(whose, "whose", 1)) if whose else None
    kept = _kept(tx, campaign, bearer)
    _require_captive(kept, wanted, bearer)
    now = moment(update["number"], ledger.now(), next_number(tx, campaign))
    end = ending.begun(tx, campaign, now, bearer, counted, ending.wanted_end(wanted, until, hours, turns))
    changes = tuple(_befall(kept, bearer, wanted.trait, end, now))
    _require_new(changes[0], now, f"{bearer.name}: {wanted.label.lower()}")
    after = changes[0].after
    body: EffectSetBody = {
        "deed": "set",
        "who": bearer.name,
        "label": wanted.label,
        "until": update["name"] if "update" in after else None,
        "at": after.get("at"),
        "ended": [effect_label(known, item.name, item.before) for item in changes[1:]],
        **end.told,
    }
    further, told = _following(tx, library, features, campaign, (changes[0].subject, changes[0].name), now)
    texts, called = {"note": text} if text else {}, [item for item in (bearer, counted) if item]
    draft = EntryDraft("effect", "staff", body, (*people.changes, *changes, *further), texts, subjects=called)
    entry = ledger.enter(tx, campaign, person.user_id, draft)
    return EffectChange(campaign, entry, (*told, *unsaved(tx, viewer, bearer.name)))


def clear(
    tx: Connection,
    ledger: Ledger,
    library: Library,
    features: Iterable[Feature],
    person: Person,
    campaign_id: int,
    who: str,
    effect: str,
) -> EffectChange:
    """End an effect that holds on somebody, whatever set it."""
    (typed,) = parsing.names(who, "name", 1)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "clear effects")
    bearer = _bearer(tx, viewer_of(tx, person, campaign), typed)
    name, kept = (bearer.name if bearer else typed), (_kept(tx, campaign, bearer) if bearer else {})
    now = now_of(tx, person, campaign)
    holding = {
        name.removeprefix(EFFECT): value
        for (_, name), value in kept.items()
        if name.startswith(EFFECT) and holds(value, now)
    }
    known = library.effects(tx, campaign)
    labels = {trait: effect_label(known, trait, value) for trait, value in holding.items()}
    trait = _trait(labels, effect)
    if trait is None or bearer is None:
        there = f"Its effects: {', '.join(labels.values())}." if labels else "It has no effects."
        raise BadInput(f"{name} doesn't have the effect {effect[:60]!r}.", there)
    require_clearable(tx, features, campaign, (bearer.key, EFFECT + trait))
    change = Change(bearer.key, EFFECT + trait, holding[trait], None)
    return enter_end(tx, ledger, person, campaign, bearer, change, labels[trait])


def enter_end(
    tx: Connection, ledger: Ledger, person: Person, campaign: Campaign, bearer: Subject, change: Change, called: str
) -> EffectChange:
    """Enter that an effect, as it is `called`, ends on its bearer by this change."""
    body = EffectClearedBody(deed="clear", who=bearer.name, label=called)
    draft = EntryDraft("effect", "staff", body, (change,), subjects=(bearer,))
    return EffectChange(campaign, ledger.enter(tx, campaign, person.user_id, draft))


def listed(
    tx: Connection, library: Library, person: Person, campaign: Campaign, who: str | None = None
) -> list[LastingEffect]:
    """Return the effects that hold and that the person may know of, on everybody or on one, by bearer and age."""
    typed = None if who is None else parsing.names(who, "name", 1)[0]
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    bearer = None if typed is None else _bearer(tx, viewer, typed)
    if typed is not None and bearer is None:
        return []
    return lasting(tx, viewer, library.effects(tx, campaign), bearer.id if bearer else None)


def suggest_bearers(tx: Connection, person: Person, campaign: Campaign, wanted: str) -> list[str]:
    """Return names that an effect can befall and that the person may know of: saved ones by use, their sides, bearers."""
    viewer = viewer_of(tx, person, campaign)
    saved = [Subject(item.id, item.name) for item in suggested(tx, viewer)]
    bearing = _names(tx, campaign, state.naming(tx, campaign.id, EFFECT)) if person.leads(campaign) else {}
    bearers = [Subject(number, name) for number, name in bearing.items()]
    several = twins({item.id: item for item in (*saved, *bearers)}.values())
    called = [label(item) if item.id in several else item.name for item in (*saved, *bearers)]
    names = [*called[: len(saved)], *known_sides(tx, viewer), *called[len(saved) :]]
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(name_key(name), name)
    return [name for key, name in unique.items() if name_key(wanted) in key]


def lasting(
    tx: Connection, viewer: Viewer, known: Mapping[str, Effect], about: int | None = None
) -> list[LastingEffect]:
    """Return the effects that hold and that the person may know of, on everybody or on one subject, by bearer and age."""
    campaign = viewer.campaign
    update = current_update(tx, campaign.id)
    now = now_of(tx, viewer.person, campaign)
    every = (
        state.naming(tx, campaign.id, EFFECT)
        if about is None
        else state.beginning(tx, campaign.id, {subject_key(about)}, EFFECT)
    )
    every = {key: value for key, value in every.items() if holds(value, now)}
    seen = _seen(tx, viewer, every, known)
    holding = {key: value for key, value in seen.items() if holds(value, now)}
    names = _names(tx, campaign, holding)
    bearers = [Subject(number, name) for number, name in names.items()]
    several = twins(bearers)
    called = {item.key: label(item) if item.id in several else item.name for item in bearers}
    ends = dict(ending.counted(tx, viewer, holding))
    effects = [
        LastingEffect(
            called[subject],
            name.removeprefix(EFFECT),
            effect_label(known, name, value),
            value["entry"],
            update["name"] if "update" in value else None,
            ends.get((subject, name)) or ("until its scene is over" if "scene" in value else event_ends(value)),
            value.get("at"),
        )
        for (subject, name), value in holding.items()
    ]
    effects.sort(key=lambda item: (name_key(item.who), item.since or 0, item.trait))
    hidden = unreadable(tx, viewer.person, campaign, viewer.mine, {item.since for item in effects if item.since})
    return [replace(item, since=None) if item.since in hidden else item for item in effects]


def _bearer(tx: Connection, viewer: Viewer, name: str) -> Subject | None:
    """Return whom a name means; None when nothing is kept of anybody of that name."""
    return subjects.meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))


def _kept(tx: Connection, campaign: Campaign, bearer: Subject) -> State:
    """Return what the state keeps of somebody that effects look at, and all effects."""
    kept = state.named(tx, campaign.id, {bearer.key}, {CAPTIVE})
    return {**kept, **state.beginning(tx, campaign.id, {bearer.key}, EFFECT)}


def _names(tx: Connection, campaign: Campaign, effects: State) -> dict[int, str]:
    """Return the names of those who bear effects, by number."""
    return subjects.names(tx, campaign.id, {number_of(key) for key, _ in effects})


def _trait(labels: Mapping[str, str], given: str) -> str | None:
    """Return the trait of an effect by its id or its label."""
    wanted = name_key(given)
    by_label = (trait for trait, label in labels.items() if name_key(label) == wanted)
    return wanted if wanted in labels else next(by_label, None)


def _wanted(known: Mapping[str, Effect], given: str) -> Effect:
    """Return an effect by its id or its label."""
    labels = {trait: effect.label for trait, effect in known.items()}
    trait = _trait(labels, given)
    if trait is None:
        close = nearest(given[:60], [*labels, *labels.values()])
        hint = f"Did you mean {labels.get(close, close)}?" if close else f"Pick one of: {', '.join(labels.values())}."
        raise BadInput(f"I don't know the effect {given[:60]!r}.", hint)
    if (command := known[trait].command) is not None:
        raise BadInput(f"{labels[trait]} needs more than its name.", f"Use {command}.")
    return known[trait]


def _require_captive(kept: State, effect: Effect, bearer: Subject) -> None:
    """Refuse what only captives do: whoever is none has not cracked, and would not stop to have cracked either (line 314)."""
    if EFFECT + effect.trait == CRACKED and (bearer.key, CAPTIVE) not in kept:
        raise BadInput(*not_captive(bearer.name))


def require_clearable(tx: Connection, features: Iterable[Feature], campaign: Campaign, effect: StateKey) -> None:
    """Refuse to clear what a feature keeps, such as an event of a battle that is being fought."""
    for feature in features:
        reason = feature.keeps_effect(tx, campaign, effect) if feature.keeps_effect else None
        if reason is not None:
            raise BadInput(reason)


def _following(
    tx: Connection, library: Library, features: Iterable[Feature], campaign: Campaign, effect: StateKey, now: Moment
) -> tuple[list[Change], list[str]]:
    """Return what an effect that is set by hand brings about in other features, as changes and lines."""
    hooks = [feature.effect_set for feature in features if feature.effect_set is not None]
    follows = [item for hook in hooks for item in hook(tx, library, campaign, effect, now)]
    return [change for change, _ in follows], [line for _, line in follows if line]


def _befall(kept: State, bearer: Subject, trait: str, end: Ending, now: Moment) -> Iterator[Change]:
    """Yield the effect as it lasts from now on, then what it ends."""
    subject = bearer.key
    before = kept.get((subject, EFFECT + trait))
    rest = {field: value for field, value in (before or {}).items() if field not in OWN_FIELDS}
    yield Change(subject, EFFECT + trait, before, {**rest, "entry": now.entry, **end.keys})
    ended = EFFECT + ENDS.get(trait, "")
    if (subject, ended) in kept:
        yield Change(subject, ended, kept[subject, ended], None)


def _require_new(change: Change, now: Moment, what: str) -> None:
    """Refuse to set what lasts already and would end no other way.

    What only some enemies have a hold of (`by`) can be set for all of them, but not for an update alone: they would lose it.
    """
    before = change.before
    if before is None or not holds(before, now):
        return
    alike = all(before.get(key) == change.after.get(key) for key in KEYS)
    if alike != ("by" in before):
        raise BadInput(f"{what} is already set, by entry #{before['entry']}.", "End it with /effect clear.")


def _seen(tx: Connection, viewer: Viewer, kept: State, known: Mapping[str, Effect]) -> State:
    """Return those of these effects that the person may know of; players know no secret one."""
    if viewer.person.leads(viewer.campaign):
        return kept
    secret = {EFFECT + trait for trait, effect in known.items() if effect.secret}
    return {key: value for key, value in knowledge.values(tx, viewer, kept).items() if key[1] not in secret}
