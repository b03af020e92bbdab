"""Effects that last: how they end, which of them a person may know of, and how they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Literal

from discord.utils import format_dt
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, scenes, state, subjects
from bot.core.campaigns import Campaign, current_update
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, Pages
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, find_now, find_unreadable
from bot.core.profiles import Profile
from bot.core.state import State
from bot.core.subjects import Subject, find_twins, label_subject
from bot.core.visibility import Viewer, list_known_sides, list_suggested, make_viewer, require_part
from bot.errors import BadInput
from bot.ui import parsing, text
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain
from rules.book import Effect
from rules.books.battlesystem.state import event_ends
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, INJURED
from rules.effects import EFFECT
from rules.ends import End, Key, Moment, holds
from rules.scenes import Header
from rules.subjects import name_key, number_of, subject_key

Until = Literal["update", "cleared", "scene"]


class Ending(Struct, frozen=True):
    """How an effect ends: by these keys of its value, and what its entry says of the scene."""

    keys: dict[str, Json]
    told: Mapping[str, Json]


def wanted_end(effect: Effect, until: Until | None, hours: int | None, turns: int | None) -> End:
    """Return the end that is asked for; that of the effect's own rule where none is."""
    if hours and turns:
        raise BadInput("An effect can end after hours or turns, not both.", "Leave out hours: or turns:.")
    if turns:
        return End("turns", turns)
    return End("hours", hours) if hours else End(until) if until else effect.end


def begin_ending(
    tx: Connection, campaign: Campaign, now: Moment, bearer: Subject, whose: Subject | None, end: End
) -> Ending:
    """Return how an effect ends that begins now on its bearer, counted in the turns of `whose`, or in the bearer's own."""
    if whose and end.until != "turns":
        raise BadInput("This effect doesn't end after turns.", "Set turns:, or leave out whose:.")
    if end.until not in {"turns", "scene"}:
        return Ending(end.begun(now), {})
    if end.of == "initiator" and whose is None:
        raise BadInput("This effect counts the turns of the one who causes it.", "Name them as whose:.")
    counted = whose or bearer
    at = scenes.find_stand(tx, campaign.id, counted.id)
    if at is None:
        what = f"{counted.name} isn't in a battle or scene that could end this effect."
        raise BadInput(what, "Use until: or hours:, or add them to a scene first.")
    told: dict[str, object] = {"scene": at.header.name}
    if end.until == "turns":
        told |= {"turns": end.count, "whose": counted.name}
        told |= {} if at.header.order else {"turn": at.header.turn}
    return Ending(end.begun(Moment(now.update, now.hence, now.entry, at.scene, now.later), counted.id), told)


def count_turns(tx: Connection, viewer: Viewer, effects: State) -> Iterator[tuple[Key, str]]:
    """Yield when those of these effects end that turns of a scene do; who counts is named to those who may know of that one.

    In a scene with turns, players may not know of the scene or whose turn it is, so only game masters see that.
    """
    ending = {key: value["turns"] for key, value in effects.items() if "turns" in value}
    headers = {
        scene: scenes.find_header(tx, viewer.campaign.id, scene)
        for scene in {item["scene"] for item in ending.values()}
    }
    by = subjects.get_subjects(tx, viewer.campaign.id, {item["of"] for item in ending.values()})
    for key, turns in ending.items():
        header, whose = headers[turns["scene"]], by[turns["of"]]
        name = whose.name if viewer.knows(whose) else None
        own = subject_key(whose.id) == key[0]
        if header is not None:
            later = turns.get("since", effects[key]["entry"]) > (header.since or header.entry)
            if header.order and not viewer.person.leads(viewer.campaign):
                header, later = replace(header, name=""), False
            yield (
                key,
                _left(header, turns["left"], "it" if own else name or "another", None if own else name, later=later),
            )


def describe_end(body: Mapping[str, Json], who: str) -> str:
    """Return when an effect on somebody (a name) ends that is bound to a scene, as its entry says."""
    if "turns" not in body:
        return f"until {body['scene']} is over"
    header = Header(body["scene"], (), 0, body.get("turn", 0), order=None if "turn" in body else "participants")
    return _left(header, body["turns"], body["whose"], None if body["whose"] == who else body["whose"], later=True)


def _left(at: Header, left: int, who: str, leaves: str | None, *, later: bool) -> str:
    """Return how long an effect lasts by turns that are `left`, those after the running one where they are counted `later`.

    Where everybody has the same turns it also ends when the other one `leaves` of whom they are counted.
    """
    if at.order:
        where = f" in {at.name}" if at.name else ""
        return (
            f"until {who} has had {left} more turn{'s' * (left > 1)}{where}{', not counting the current one' * later}"
        )
    first = at.turn + later
    since = f", counted from turn {first}" if later else ""
    return f"until turn {first + left - 1} of {at.name} is over{since}{f', or {leaves} leaves' if leaves else ''}"


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


def list_effects(
    tx: Connection, library: Library, person: Person, campaign: Campaign, who: str | None = None
) -> list[LastingEffect]:
    """Return the effects that hold and that the person may know of, on everybody or on one, by bearer and age."""
    typed = None if who is None else parsing.names(who, "name", 1)[0]
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    bearer = None if typed is None else find_bearer(tx, viewer, typed)
    if typed is not None and bearer is None:
        return []
    return find_lasting(tx, viewer, library.effects(tx, campaign), bearer.id if bearer else None)


def suggest_bearers(tx: Connection, person: Person, campaign: Campaign, wanted: str) -> list[str]:
    """Return names that an effect can befall and that the person may know of: saved ones by use, their sides, bearers."""
    viewer = make_viewer(tx, person, campaign)
    saved = [Subject(item.id, item.name) for item in list_suggested(tx, viewer)]
    bearing = (
        _names(tx, campaign, state.find_values_beginning(tx, campaign.id, EFFECT)) if person.leads(campaign) else {}
    )
    bearers = [Subject(number, name) for number, name in bearing.items()]
    several = find_twins({item.id: item for item in (*saved, *bearers)}.values())
    called = [label_subject(item) if item.id in several else item.name for item in (*saved, *bearers)]
    names = [*called[: len(saved)], *list_known_sides(tx, viewer), *called[len(saved) :]]
    unique: dict[str, str] = {}
    for name in names:
        unique.setdefault(name_key(name), name)
    return [name for key, name in unique.items() if name_key(wanted) in key]


def find_lasting(
    tx: Connection, viewer: Viewer, known: Mapping[str, Effect], about: int | None = None
) -> list[LastingEffect]:
    """Return the effects that hold and that the person may know of, on everybody or on one subject, by bearer and age."""
    campaign = viewer.campaign
    update = current_update(tx, campaign.id)
    now = find_now(tx, viewer.person, campaign)
    every = (
        state.find_values_beginning(tx, campaign.id, EFFECT)
        if about is None
        else state.get_values_beginning(tx, campaign.id, {subject_key(about)}, EFFECT)
    )
    every = {key: value for key, value in every.items() if holds(value, now)}
    seen = _seen(tx, viewer, every, known)
    holding = {key: value for key, value in seen.items() if holds(value, now)}
    names = _names(tx, campaign, holding)
    bearers = [Subject(number, name) for number, name in names.items()]
    several = find_twins(bearers)
    called = {item.key: label_subject(item) if item.id in several else item.name for item in bearers}
    ends = dict(count_turns(tx, viewer, holding))
    effects = [
        LastingEffect(
            called[subject],
            name.removeprefix(EFFECT),
            label_effect(known, name, value),
            value["entry"],
            update["name"] if "update" in value else None,
            ends.get((subject, name)) or ("until its scene is over" if "scene" in value else event_ends(value)),
            value.get("at"),
        )
        for (subject, name), value in holding.items()
    ]
    effects.sort(key=lambda item: (name_key(item.who), item.since or 0, item.trait))
    hidden = find_unreadable(tx, viewer.person, campaign, viewer.mine, {item.since for item in effects if item.since})
    return [replace(item, since=None) if item.since in hidden else item for item in effects]


def find_bearer(tx: Connection, viewer: Viewer, name: str) -> Subject | None:
    """Return whom a name means; None when nothing is kept of anybody of that name."""
    return subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))


def _names(tx: Connection, campaign: Campaign, effects: State) -> dict[int, str]:
    """Return the names of those who bear effects, by number."""
    return subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in effects})


def _seen(tx: Connection, viewer: Viewer, kept: State, known: Mapping[str, Effect]) -> State:
    """Return those of these effects that the person may know of; players know no secret one."""
    if viewer.person.leads(viewer.campaign):
        return kept
    secret = {EFFECT + trait for trait, effect in known.items() if effect.secret}
    return {key: value for key, value in knowledge.see_values(tx, viewer, kept).items() if key[1] not in secret}


NOTHING = "No effects that you can see."
ENDS_WITH: Mapping[str, str] = {"cracked": "until the captivity ends"}
"""What an effect without a fixed end ends with, beside being cleared."""


def list_pages(effects: Iterable[LastingEffect], *, campaign: str) -> Pages:
    """Return all effects that hold, bearer by bearer; none is left out."""
    lines = list(_lines(effects)) or [NOTHING]
    return text.paginate(text.fit_embeds("Effects", lines, colour=COLOURS["neutral"], footer=campaign))


def line(effect: LastingEffect) -> str:
    """Return one effect: what it is, since when and until when."""
    ends = plain(effect.ends) if effect.ends else _until(effect.until, effect.at, effect.trait)
    since = [] if effect.since is None else [f"since entry #{effect.since}"]
    return f"\N{BULLET} {DOT.join([plain(effect.label), *since, ends])}"


def _lines(effects: Iterable[LastingEffect]) -> Iterator[str]:
    bearer = None
    for effect in effects:
        if effect.who != bearer:
            bearer = effect.who
            yield f"**{plain(bearer)}**"
        yield line(effect)


def until(body: Body) -> str:
    """Return when an effect ends that an entry (its body) has set."""
    if "scene" in body:
        return plain(describe_end(body, body["who"]))
    return _until(body["until"], body.get("at"), "")


def _until(update: str | None, at: str | None, trait: str) -> str:
    if at is not None:
        time = datetime.fromisoformat(at)
        return f"until {format_dt(time, 'f')} ({format_dt(time, 'R')})"
    if update is not None:
        return f"until the end of {plain(update)}"
    return ENDS_WITH.get(trait, "until it is cleared")


IN_CAPTIVITY = frozenset({CRACKED.removeprefix(EFFECT), INJURED.removeprefix(EFFECT), "seriously-injured", "resisting"})
"""The effects that the captivity of somebody tells already, to whoever may know of it."""


def status(tx: Connection, library: Library, viewer: Viewer, profile: Profile) -> Iterator[str]:
    """Yield the effects that hold on somebody and that the person may know of."""
    found = find_lasting(tx, viewer, library.effects(tx, viewer.campaign), profile.id)
    if _shows_captivity(tx, viewer, profile):
        found = [item for item in found if item.trait not in IN_CAPTIVITY]
    if found:
        yield "\n".join(["**Effects:**", *map(line, found)])


def _shows_captivity(tx: Connection, viewer: Viewer, profile: Profile) -> bool:
    """Tell whether the card shows a captivity beside the effects."""
    may_know = viewer.person.leads(viewer.campaign) or viewer.owns(profile)
    return may_know and bool(state.get_values_named(tx, viewer.campaign.id, {profile.key}, {CAPTIVE, FATE}))
