"""Effects in the state: who knows them, their ends, and facts."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Literal

from discord.utils import format_dt
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import ledger, profiles, records, scenes, state, subjects, visibility
from bot.core.campaigns import Campaign, current_update, require_open
from bot.core.errors import BadInput, NotOpen
from bot.core.library import Library, label_effect
from bot.core.permissions import Person, find_now, find_unreadable, require_game_master
from bot.core.subjects import Subject, find_twins, label_subject
from bot.core.visibility import Viewer, list_known_sides, list_suggested, make_player_viewer, make_viewer, require_part
from bot.rolls.extension import Question, as_todo, open_questions
from bot.rolls.situation import RollContext
from bot.ui import parsing, receipt, reply, text
from bot.ui.text import COLOURS, DOT, plain
from rules import book, modifiers
from rules.books.battlesystem.state import event_ends
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, INJURED
from rules.effects import ANSWER, EFFECT, End, Key, Moment, is_current
from rules.scenes import Header
from rules.subjects import name_key, number_of, subject_key

Until = Literal["update", "cleared", "scene"]


class Ending(Struct, frozen=True):
    """How an effect ends: keys for its value in the state, and words for its entry's body."""

    keys: dict[str, records.Json]
    body: Mapping[str, records.Json]


def choose_end(effect: book.Effect, until: Until | None, hours: int | None, turns: int | None) -> End:
    """Return the end from typed options, else the usual end of this effect."""
    if hours and turns:
        raise BadInput("An effect can end after hours or turns, not both.", "Leave out hours: or turns:.")
    if turns:
        return End("turns", turns)
    return End("hours", hours) if hours else End(until) if until else effect.end


def begin_ending(
    tx: Connection, campaign: Campaign, now: Moment, bearer: Subject, whose: Subject | None, end: End
) -> Ending:
    """Return how an effect that begins now ends; turns count for `whose`, else the bearer."""
    if whose and end.until != "turns":
        raise BadInput("This effect doesn't end after turns.", "Set turns:, or leave out whose:.")
    if end.until not in {"turns", "scene"}:
        return Ending(end.expiry_keys(now), {})
    if end.of == "initiator" and whose is None:
        raise BadInput("This effect counts the turns of the one who causes it.", "Name them as whose:.")
    counted = whose or bearer
    at = scenes.find_stand(tx, campaign.id, counted.id)
    if at is None:
        what = f"{counted.name} isn't in a battle or scene that could end this effect."
        raise BadInput(what, "Use until: or hours:, or add them to a scene first.")
    body: dict[str, object] = {"scene": at.header.name}
    if end.until == "turns":
        body |= {"turns": end.count, "whose": counted.name}
        body |= {} if at.header.order else {"turn": at.header.turn}
    return Ending(end.expiry_keys(Moment(now.update, now.hence, now.entry, at.scene, now.later), counted.id), body)


def _count_turns(tx: Connection, viewer: Viewer, effects: state.State) -> Iterator[tuple[Key, str]]:
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
            who = "it" if own else name or "another"
            yield key, _describe_turns_left(header, turns["left"], who, None if own else name, later=later)


def _describe_turns_left(at: Header, left: int, who: str, leaves: str | None, *, later: bool) -> str:
    if at.order:
        where = f" in {at.name}" if at.name else ""
        uncounted = ", not counting the current one" * later
        return f"until {who} has had {left} more turn{'s' * (left > 1)}{where}{uncounted}"
    first = at.turn + later
    since = f", counted from turn {first}" if later else ""
    return f"until turn {first + left - 1} of {at.name} is over{since}{f', or {leaves} leaves' if leaves else ''}"


class LastingEffect(Struct, frozen=True):
    """An effect in force: bearer, since which entry, and its end: a time `at` (ISO, UTC) or in words; `key` names it."""

    who: str
    trait: str
    label: str
    since: int | None
    until: str | None
    ends: str | None = None
    at: str | None = None
    key: str = ""


KEY = reply.IdTemplate("{subject:int}:{entry:int}:{trait:rest}")
"""Names an effect in a select, as of the entry that set it."""


def list_effects(
    tx: Connection, library: Library, person: Person, campaign: Campaign, who: str | int | None = None
) -> list[LastingEffect]:
    """List known effects, all or one bearer's (name or number)."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    if who is None:
        return _find_lasting(tx, viewer, library.effects(tx, campaign))
    bearer = find_numbered(tx, viewer, who) if isinstance(who, int) else find_bearer(tx, viewer, who)
    if bearer is None:
        return []
    return _find_lasting(tx, viewer, library.effects(tx, campaign), bearer.id)


def find_settable(
    tx: Connection, library: Library, person: Person, campaign: Campaign, number: int
) -> tuple[Subject, Mapping[str, book.Effect]]:
    """Return the effect's bearer, and the books' effects, for game masters."""
    require_game_master(person, campaign, "set effects")
    require_open(campaign)
    bearer = find_numbered(tx, make_viewer(tx, person, campaign), number)
    if bearer is None:
        raise NotOpen("That was removed.", "See /unit.")
    return bearer, library.effects(tx, campaign)


def suggest_bearers(tx: Connection, person: Person, campaign: Campaign, wanted: str) -> list[str]:
    """Suggest known names that contain `wanted`: saved ones by use, then sides, then other bearers."""
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


def _find_lasting(
    tx: Connection, viewer: Viewer, known: Mapping[str, book.Effect], about: int | None = None
) -> list[LastingEffect]:
    campaign = viewer.campaign
    update = current_update(tx, campaign.id)
    now = find_now(tx, viewer.person, campaign)
    every = (
        state.find_values_beginning(tx, campaign.id, EFFECT)
        if about is None
        else state.get_values_beginning(tx, campaign.id, {subject_key(about)}, EFFECT)
    )
    holding = {key: value for key, value in every.items() if is_current(value, now)}
    if not viewer.person.leads(campaign):
        secret = {EFFECT + trait for trait, effect in known.items() if effect.secret}
        seen = visibility.see_values(tx, viewer, holding)  # as they were when the person last knew of them
        holding = {key: value for key, value in seen.items() if key[1] not in secret and is_current(value, now)}
    names = _names(tx, campaign, holding)
    bearers = [Subject(number, name) for number, name in names.items()]
    called = dict(zip([item.key for item in bearers], subjects.label_subjects(bearers), strict=True))
    ends = dict(_count_turns(tx, viewer, holding))
    effects = [
        LastingEffect(
            called[subject],
            name.removeprefix(EFFECT),
            label_effect(known, name, value),
            value["entry"],
            update["name"] if "update" in value else None,
            ends.get((subject, name)) or ("until its scene is over" if "scene" in value else event_ends(value)),
            value.get("at"),
            KEY.fill(subject=number_of(subject), entry=value["entry"], trait=name.removeprefix(EFFECT)),
        )
        for (subject, name), value in holding.items()
    ]
    effects.sort(key=lambda item: (name_key(item.who), item.since or 0, item.trait))
    hidden = find_unreadable(tx, viewer.person, campaign, viewer.mine, {item.since for item in effects if item.since})
    return [replace(item, since=None) if item.since in hidden else item for item in effects]


def find_numbered(tx: Connection, viewer: Viewer, number: int) -> Subject | None:
    """Return a stored subject by number, if the viewer knows it."""
    found = subjects.get_subjects(tx, viewer.campaign.id, [number]).get(number)
    return found if found is not None and viewer.knows(found) else None


def find_bearer(tx: Connection, viewer: Viewer, typed: str) -> Subject | None:
    """Return the stored subject that a typed name means for the viewer; None if nothing fits."""
    (name,) = parsing.names(typed, "name", 1)
    return subjects.find_meant(tx, viewer.campaign.id, [name], viewer.knows).get(name_key(name))


def _names(tx: Connection, campaign: Campaign, effects: state.State) -> dict[int, str]:
    return subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in effects})


NOTHING = "No effects that you can see."
ENDS_WITH: Mapping[str, str] = {"cracked": "until the captivity ends"}


def list_pages(effects: Iterable[LastingEffect], *, campaign: str) -> ledger.Pages:
    """Show all effects, bearer by bearer."""
    lines: list[str] = []
    for who, some in groupby(effects, key=lambda effect: effect.who):
        lines += [f"**{plain(who)}**", *map(describe_effect, some)]
    return text.paginate(text.fit_embeds("Effects", lines or [NOTHING], colour=COLOURS["neutral"], footer=campaign))


def describe_effect(effect: LastingEffect) -> str:
    """Return one effect: label, since, until."""
    ends = plain(effect.ends) if effect.ends else _until(effect.until, effect.at, effect.trait)
    since = [] if effect.since is None else [f"since entry #{effect.since}"]
    return f"\N{BULLET} {DOT.join([plain(effect.label), *since, ends])}"


def describe_end(body: ledger.Body) -> str:
    """Return an effect's end from its entry's body."""
    if "turns" in body:
        header = Header(body["scene"], (), 0, body.get("turn", 0), order=None if "turn" in body else "participants")
        leaves = None if body["whose"] == body["who"] else body["whose"]
        return plain(_describe_turns_left(header, body["turns"], body["whose"], leaves, later=True))
    if "scene" in body:
        return plain(f"until {body['scene']} is over")
    return _until(body["until"], body.get("at"), "")


def _until(update: str | None, at: str | None, trait: str) -> str:
    if at is not None:
        time = datetime.fromisoformat(at)
        return f"until {format_dt(time, 'f')} ({format_dt(time, 'R')})"
    if update is not None:
        return f"until the end of {plain(update)}"
    return ENDS_WITH.get(trait, "until it is cleared")


IN_CAPTIVITY = frozenset({CRACKED.removeprefix(EFFECT), INJURED.removeprefix(EFFECT), "seriously-injured", "resisting"})
"""Effects that the card's captivity already shows."""


def status(tx: Connection, library: Library, viewer: Viewer, profile: profiles.Profile) -> Iterator[str]:
    """Yield known effects for a card."""
    found = _find_lasting(tx, viewer, library.effects(tx, viewer.campaign), profile.id)
    may_know = viewer.person.leads(viewer.campaign) or viewer.owns(profile)
    if may_know and state.get_values_named(tx, viewer.campaign.id, {profile.key}, {CAPTIVE, FATE}):
        found = [item for item in found if item.trait not in IN_CAPTIVITY]
    if found:
        yield "\n".join(["**Effects:**", *map(describe_effect, found)])


def effect_facts(tx: Connection, context: RollContext) -> list[dict[str, modifiers.KnownFact]]:
    """Return, for each part, facts from effects in any role.

    Effects that only some enemies know (`by`) are left to the roll's own feature.
    """
    everyone = context.everyone
    kept = {key: value for key, value in context.kept.items() if key[1].startswith(EFFECT)}
    lasting = {
        key: value
        for key, value in kept.items()
        if is_current(value, context.moment) and "by" not in value and context.scenes.count(value)
    }
    viewer = make_player_viewer(context.campaign, context.mine)
    public = visibility.see_values(tx, viewer, lasting)
    begun = {value["entry"] for value in (*lasting.values(), *public.values())}
    hidden = set() if context.secrets else find_unreadable(tx, viewer.person, context.campaign, context.mine, begun)
    effects_of: dict[str, list[tuple[str, modifiers.KnownFact]]] = {}
    for (subject, name), value in lasting.items():
        seen = public.get((subject, name), {"update": 0})
        secret = not is_current(seen, context.moment)
        shown = value if secret else seen
        entry = shown["entry"]
        since = "lasting effect" if entry in hidden else f"since entry {entry}"
        known = modifiers.KnownFact(shown.get("amount") or 1, modifiers.Origin("effect", since, entry), secret=secret)
        effects_of.setdefault(subject, []).append((name.removeprefix(EFFECT), known))
    return [
        {f"{role}.{trait}": known for role, item in part for trait, known in effects_of.get(item.key, ())}
        for part in everyone
    ]


END = reply.IdTemplate("effect:{campaign:int}:end:{subject:int}:{entry:int}")


def find_unanswered(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield, as questions, effects in force that wait for an answer."""
    every = state.find_in_force(tx, campaign.id, EFFECT, now.update)
    kept = {key: value for key, value in every.items() if ANSWER in value and is_current(value, now)}
    names = subjects.name_subjects(tx, campaign.id, {number_of(key) for key, _ in kept})
    for (key, name), value in kept.items():
        number, who = number_of(key), names[number_of(key)]
        line = f"{plain(who)}: {plain(label_effect({}, name, value))} (entry #{value['entry']})"
        asked = END.fill(campaign=campaign.id, subject=number, entry=value["entry"])
        yield Question(value["entry"], who, line, f"{value[ANSWER]} #{value['entry']}: {who}", asked)


def to_answer(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[receipt.Todo]:
    """Yield effects that wait for a game master's answer."""
    if viewer.person.leads(viewer.campaign):
        found = open_questions((find_unanswered,), tx, viewer.campaign, find_now(tx, viewer.person, viewer.campaign))
        yield from as_todo("To settle", "thing{s} to settle", found, "/gm effect")
