"""Effects that last: listed as far as a person may know of them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.effects import ending
from bot.core import knowledge, state, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.library import Library, effect_label
from bot.core.permissions import Person, now_of, unreadable
from bot.core.state import State
from bot.core.subjects import Subject, label, twins
from bot.core.visibility import Viewer, known_sides, require_part, suggested, viewer_of
from bot.ui import parsing
from rules.book import Effect
from rules.books.battlesystem.durations import event_ends
from rules.effects import EFFECT
from rules.ends import holds
from rules.subjects import name_key, number_of, subject_key


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


def listed(
    tx: Connection, library: Library, person: Person, campaign: Campaign, who: str | None = None
) -> list[LastingEffect]:
    """Return the effects that hold and that the person may know of, on everybody or on one, by bearer and age."""
    typed = None if who is None else parsing.names(who, "name", 1)[0]
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    bearer = None if typed is None else find_bearer(tx, viewer, typed)
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


def find_bearer(tx: Connection, viewer: Viewer, name: str) -> Subject | None:
    """Return whom a name means; None when nothing is kept of anybody of that name."""
    return subjects.meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))


def _names(tx: Connection, campaign: Campaign, effects: State) -> dict[int, str]:
    """Return the names of those who bear effects, by number."""
    return subjects.names(tx, campaign.id, {number_of(key) for key, _ in effects})


def _seen(tx: Connection, viewer: Viewer, kept: State, known: Mapping[str, Effect]) -> State:
    """Return those of these effects that the person may know of; players know no secret one."""
    if viewer.person.leads(viewer.campaign):
        return kept
    secret = {EFFECT + trait for trait, effect in known.items() if effect.secret}
    return {key: value for key, value in knowledge.values(tx, viewer, kept).items() if key[1] not in secret}
