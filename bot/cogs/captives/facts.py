"""What captivity and death make true of rolls: facts, what rolls need, and what they owe the staff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from sqlalchemy import Connection

from bot.cogs.captives.embed import handover
from bot.cogs.captives.queries import ESCAPE, TRIED, find_escaping, not_at_base
from bot.core import entries, knowledge, profiles, state, subjects
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryView
from bot.core.profiles import explain_not_captive
from bot.core.records import Entry
from bot.core.subjects import Subject
from bot.core.visibility import Viewer, make_player_viewer
from bot.errors import NotAsItIs, NotOpen
from bot.outbox.queue import OutgoingMessage
from bot.rolls.extension import ConsideredRoll, NeededValue
from bot.rolls.headline import headline
from bot.rolls.resolver import Resolver
from bot.rolls.situation import RollContext
from rules.books.campaign.captivity import (
    CAPTIVE,
    FATE,
    Captivity,
    Fate,
    find_joint_escape,
    is_dead,
    is_held_in_person,
    list_tried,
)
from rules.effects import EFFECT
from rules.ends import holds
from rules.modifiers import Known, Origin
from rules.subjects import subject_key, subject_number

ANYHOW = frozenset({"captive", "character"})
"""The roles in which the dead are asked for otherwise: no captive is dead, and a level can be rolled for anybody."""


def require_living(tx: Connection, _resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse a roll with a participant who is dead, if the person may know that."""
    named = {
        item.key: item
        for part in roll.cast
        for role, some in part.items()
        for item in some
        if item is not None and role not in ANYHOW
    }
    fates = {(key, FATE): roll.state[key, FATE] for key in named if (key, FATE) in roll.state}
    for (key, _), fate in knowledge.see_values(tx, viewer, fates).items():
        if is_dead(fate):
            refuse_dead(tx, viewer, named[key], fate)


def refuse_dead(tx: Connection, viewer: Viewer, who: Subject, fate: Fate) -> NoReturn:
    """Refuse what the dead cannot do, and tell who killed that one and when, where that was for the person."""
    entry = entries.get_entry(tx, viewer.campaign.id, fate["entry"])
    shown = entry is not None and knowledge.tells_of(tx, viewer, entry, who, FATE)
    told = next(_tellings(entry, who), "") if entry is not None and shown else ""
    again = "/character remove, then /character add" if who.saved else "a new name"
    what = f"{who.name} is dead{told} (entry #{fate['entry']})."
    raise NotAsItIs(what, f"Was that a mistake? Use {again}.")


def _tellings(entry: Entry, who: Subject) -> Iterator[str]:
    """Yield how and when somebody died in an entry."""
    body, called = entry.content(), entry.names().get(who.id, who.name)
    for part in body.get("parts", ()):
        if any(deed["do"] == "kill" and deed["to"] == called for deed in part["consequences"]):
            when = f"{body['update']['name']}, {entry.at.date().isoformat()}"
            yield f", killed in {when}: {headline(body, part, mark='')}"


def require_captive(tx: Connection, needed: NeededValue) -> None:
    """Refuse a roll about a character who isn't a captive, or is held elsewhere now."""
    captivity: Captivity | None = needed.value
    if captivity is None:
        raise NotAsItIs(*explain_not_captive(needed.name))
    if needed.family == ESCAPE and is_held_in_person(captivity):
        raise NotAsItIs(*not_at_base(needed.name))
    bases = needed.cast.get("base", ())
    if [base.id if base else None for base in bases] not in ([], [captivity["at"]]):
        place = subjects.get_subjects(tx, needed.campaign.id, [captivity["at"]])[captivity["at"]]
        where = f"at {place.name}" if subjects.is_open(place) else "somewhere else"
        raise NotOpen(f"{needed.name} is now held {where}.", "Start again with the command.")


def ask_for_passwords(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a message to the staff where a captive gives passwords away, which they hand over."""
    embed = handover(EntryView(entry, campaign.name))
    return messages if embed is None else [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]


SURPRISE = "surprise-attack-today"
CAUGHT = Origin("captive", "held captive")


def captivity_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return the fact that somebody is held captive, in whatever role."""
    held = {key: value for key, value in context.kept.items() if key[1] == CAPTIVE}
    public = knowledge.see_values(tx, make_player_viewer(context.campaign, context.mine), held)
    return [
        {
            f"{role}.{CAPTIVE}": Known(1, CAUGHT, secret=(item.key, CAPTIVE) not in public)
            for role, item in part
            if (item.key, CAPTIVE) in held
        }
        for part in context.everyone
    ]


def joint_escape_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from captives who are not the only ones to escape: in the same roll, or in the same update (line 341)."""
    escaping = [
        next((item.key for role, item in part if role == "captive" and "interrogator" not in names), "")
        for part, names in zip(context.everyone, context.subjects, strict=True)
    ]
    if not any(escaping):
        return [{} for _ in escaping]
    attempts = state.find_values_beginning(tx, context.campaign.id, TRIED)
    attempts = {key: value for key, value in attempts.items() if value["update"] == context.moment.update}
    others = list_tried(attempts, context.moment.update) | {key for key in escaping if key and context.is_secret(key)}
    others |= {subject_key(number) for number in find_escaping(tx, context.campaign.id, context.moment)}
    public = list_tried(
        knowledge.see_values(tx, make_player_viewer(context.campaign, context.mine), attempts), context.moment.update
    )
    parts = zip(escaping, context.subjects, strict=True)
    names = {key: part["captive"] for key, part in parts if key and not context.is_secret(key)}
    return [find_joint_escape(key, names, others, public) if key else {} for key in escaping]


def surprise_facts(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from surprise attacks that are to free captives: on their base, and for whom (lines 342, 344).

    Such an attack is kept of the captive, and is for all captives of the same player there. One that is kept of the base is
    for its captives where they have one player all together.
    """
    escaping = [_held(part) if context.request.family == ESCAPE else None for part in context.everyone]
    if not any(escaping):
        return [{} for _ in escaping]
    attacks = {
        key: value
        for key, value in state.find_values_of_name(tx, context.campaign.id, f"{EFFECT}{SURPRISE}").items()
        if holds(value, context.moment)
    }
    held = state.find_values_of_name(tx, context.campaign.id, CAPTIVE) if attacks else {}
    owners = {item.key: item.owner for item in profiles.read_profiles(tx, context.campaign.id, _numbers(held)).values()}
    return [_freeing(context, pair, attacks, held, owners) if pair else {} for pair in escaping]


def _held(part: Sequence[tuple[str, Subject]]) -> tuple[Subject, Subject] | None:
    """Return a captive and the base in a part; None where one of them is not there."""
    named = dict(part)
    return (named["captive"], named["base"]) if {"captive", "base"} <= named.keys() else None


def _freeing(
    context: RollContext,
    pair: tuple[Subject, Subject],
    attacks: Mapping[str, Mapping[str, object]],
    held: Mapping[str, Captivity],
    owners: Mapping[str, str | None],
) -> dict[str, Known]:
    """Return what the surprise attacks of an update make true of a captive and the base."""
    captive, base = pair
    here = {key for key, captivity in held.items() if captivity["at"] == base.id}
    facts: dict[str, Known] = {}
    for key in (key for key in attacks if key in here or key == base.key):
        origin = Origin("effect", f"since entry {attacks[key]['entry']}")
        theirs = here if key == base.key else {key}
        one_player = len({owners.get(other) or other for other in {*theirs, captive.key}}) == 1
        # That somebody else's captive is to be freed there is nothing for this one's player.
        others = key != base.key and not one_player
        facts.setdefault(f"base.{SURPRISE}", Known(1, origin, secret=context.hides(base) or others))
        if one_player:
            facts[f"captive.{SURPRISE}"] = Known(1, origin, secret=any(map(context.hides, pair)))
    return facts


def _numbers(keys: Iterable[str]) -> list[int]:
    return [number for key in keys if (number := subject_number(key)) is not None]
