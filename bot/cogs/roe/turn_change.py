"""What ends, lasts and happens when a turn ends and the next begins."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import scene_entries, state, visibility
from bot.core.campaigns import Campaign
from bot.core.library import Library, label_effect
from bot.core.records import Change
from bot.core.scene_entries import count_down
from bot.core.state import State
from bot.core.visibility import make_player_viewer
from bot.rolls.request import PartRequest, RollRequest
from rules.books.roe.catalog import ACTOR
from rules.books.roe.explosives import ZONE
from rules.books.roe.fights import FIGHT, STARTED, TURN_NOTES, Fight, after, with_allowance
from rules.books.roe.handling import TURN, TURN_START, count_allowance, list_expired
from rules.books.roe.turns import LastingMark, Upkeep
from rules.books.roe.wounds import HEALTH
from rules.effects import EFFECT
from rules.ends import Moment, has_run_out, scene_of
from rules.ruleset import RuleSet
from rules.scenes import Participant, Replacement, find_passed
from rules.subjects import number_of, subject_key


class TurnChange(Struct, frozen=True):
    """Effects before a change, those that change (None: end), and those lost without upkeep or partner."""

    book: RuleSet
    lasting: State
    changed: State
    lost: tuple[Change, ...]

    @property
    def state_after(self) -> State:
        """The effects that still last after the change."""
        return {key: value for key, value in {**self.lasting, **self.changed}.items() if value is not None}

    def traits(self, number: int) -> set[str]:
        """Return the traits still on someone (number)."""
        key = subject_key(number)
        return {name.removeprefix(EFFECT) for subject, name in self.state_after if subject == key}


def find_turn_change(
    tx: Connection, campaign: Campaign, book: RuleSet, fight: Fight, replacements: Sequence[Replacement], now: Moment
) -> TurnChange:
    """Find which effects end or count down when a fight changes."""
    lasting = read_lasting(tx, campaign, now)
    gone = (*_find_lost(book, fight, replacements, lasting), *_find_left(book, fight, replacements, lasting))
    lost = tuple({(item.subject, item.name): item for item in gone}.values())
    ended = {(item.subject, item.name): item.after for item in (*count_down(lasting, fight, replacements), *lost)}
    return TurnChange(book, lasting, ended, lost)


def read_lasting(tx: Connection, campaign: Campaign, now: Moment) -> State:
    """Read effects that haven't run out by the clock."""
    return {
        key: value for key, value in scene_entries.find_effects(tx, campaign).items() if not has_run_out(value, now)
    }


def set_allowance(
    past: TurnChange, fight: Fight, replacements: Sequence[Replacement], number: int
) -> Sequence[Replacement]:
    """Return the replacements, with the Actions and so on of the fighter (number) whose turn begins."""
    item = after(fight, replacements).combatant(number)
    marks = count_allowance(past.book, past.traits(number) | {*(item.marks if item else ())})
    return with_allowance(fight, replacements, marks)


def describe_effects(
    tx: Connection, library: Library, campaign: Campaign, kept: State, *, whole: bool
) -> list[tuple[tuple[str, str], str, Any]]:
    """List effects as (key, label, value); only public ones unless `whole`."""
    if not kept:
        return []
    labels = library.effects(tx, campaign)
    if not whole:
        seen = visibility.see_values(tx, make_player_viewer(campaign), kept)
        secret = {EFFECT + trait for trait, effect in labels.items() if effect.secret}
        kept = {key: value for key, value in kept.items() if seen.get(key) == value and key[1] not in secret}
    found = sorted((number_of(key[0]), label_effect(labels, key[1], value), key) for key, value in kept.items())
    return [(key, label, kept[key]) for _, label, key in found]


def read_end(value: Mapping[str, Any]) -> tuple[int | None, str | None]:
    """Return an effect's turns left and its end (ISO), each or None."""
    at = value.get("at")
    return value.get("turns", {}).get("left"), at if isinstance(at, str) else None


def request_turn_start(
    tx: Connection, past: TurnChange, fight: Fight, campaign_id: int, number: int, turn: int
) -> RollRequest | None:
    """Request the roll of a turn's start; None if nothing happens, or it happened already."""
    item, ticking = (
        fight.combatant(number),
        {item.effect for item in past.book.entries_of(LastingMark).values() if item.takes},
    )
    if item is None or fight.header.mode != "dice":
        return None
    befallen = any(trait in ticking or trait.startswith(ZONE) for trait in past.traits(number))
    if not befallen and not state.get_value(tx, campaign_id, subject_key(number), HEALTH):
        return None
    started = state.get_value(tx, campaign_id, fight.header.subject, f"{STARTED}{number}")
    if started and started["turn"] == turn:
        return None
    part = PartRequest(subjects={ACTOR: item.name}, ids={ACTOR: (number,)}, inputs={TURN: turn})
    return RollRequest(book=past.book.id, family=TURN_START, parts=(part,), staff=True)


def find_hanging_on_turns(change: Change) -> tuple[str, ...]:
    """Return the prefix of turn starts if this change of a fight begins another turn."""
    if change.name != FIGHT or not (change.before and change.after):
        return ()
    return (STARTED,) if change.before.get("since") != change.after.get("since") else ()


def _find_lost(book: RuleSet, fight: Fight, replacements: Sequence[Replacement], lasting: State) -> Iterator[Change]:
    for number in find_passed(fight, replacements).turns:
        own = {name: value for (subject, name), value in lasting.items() if subject == subject_key(number)}
        for item in list_expired(
            book, (name.removeprefix(EFFECT) for name in own), _list_notes(fight.combatant(number))
        ):
            ended = [(number, own.get(EFFECT + trait), EFFECT + trait) for trait in item.ends]
            others = {value["other"] for _, value, _ in ended if value and value.get("other")}
            freed = [(other, EFFECT + trait) for other in others for trait in item.frees]
            ended += [(other, lasting.get((subject_key(other), name)), name) for other, name in freed]
            for of, value, name in ended:
                if value is not None and (of == number or value.get("other") == number):
                    yield Change(subject_key(of), name, value, None)


def _find_left(book: RuleSet, fight: Fight, replacements: Sequence[Replacement], lasting: State) -> Iterator[Change]:
    past = find_passed(fight, replacements)
    both = {EFFECT + trait for item in book.entries_of(Upkeep).values() for trait in (*item.ends, *item.frees)}
    for (subject, name), value in lasting.items():
        others = name in both and value.get("other") in past.left and number_of(subject) not in past.left
        if others and not past.over and scene_of(value) == past.scene:
            yield Change(subject, name, value, None)


def _list_notes(item: Participant | None) -> list[str]:
    return [mark for mark in (item.marks if item else ()) if mark.startswith(TURN_NOTES)]
