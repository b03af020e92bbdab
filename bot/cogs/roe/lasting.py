"""What lasts in a fight: effects, grenades, zones and arrivals, and what ends when a turn does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.roe.fight_view import FIGHTS, FightView
from bot.core import scene_entries, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.library import Library, label_effect
from bot.core.records import Change
from bot.core.scene_entries import count_down, leave_scenes
from bot.core.state import State
from bot.core.visibility import Viewer, make_player_viewer
from bot.rolls.request import PartRequest, RollRequest
from bot.ui.text import plain
from rules.books.roe import handling, turns, wounds
from rules.books.roe.catalog import ACTOR
from rules.books.roe.explosives import FUSE, ZONE, FightZone, Fuse, read_fuses, read_zones
from rules.books.roe.fights import COMING, FIGHT, STARTED, TURN_NOTES, Fight, after, leave, with_allowance
from rules.effects import EFFECT, Moment, has_run_out, scene_of
from rules.ruleset import RuleSet
from rules.scenes import Replacement, find_passed
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

    def set_allowance(self, fight: Fight, replacements: Sequence[Replacement], number: int) -> Sequence[Replacement]:
        """Return the replacements, with the Actions and so on of the fighter (number) whose turn begins."""
        item = after(fight, replacements).combatant(number)
        marks = handling.count_allowance(self.book, self.traits(number) | {*(item.marks if item else ())})
        return with_allowance(fight, replacements, marks)


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
    effects = scene_entries.find_effects(tx, campaign)
    return {key: value for key, value in effects.items() if not has_run_out(value, now)}


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
    item = fight.combatant(number)
    ticking = {mark.effect for mark in past.book.entries_of(turns.LastingMark).values() if mark.takes}
    if item is None or fight.header.mode != "dice":
        return None
    befallen = any(trait in ticking or trait.startswith(ZONE) for trait in past.traits(number))
    if not befallen and not state.get_value(tx, campaign_id, subject_key(number), wounds.HEALTH):
        return None
    started = state.get_value(tx, campaign_id, fight.header.subject, f"{STARTED}{number}")
    if started and started["turn"] == turn:
        return None
    part = PartRequest(subjects={ACTOR: item.name}, ids={ACTOR: (number,)}, inputs={handling.TURN: turn})
    return RollRequest(book=past.book.id, family=handling.TURN_START, parts=(part,), staff=True)


def find_hanging(change: Change) -> tuple[str, ...]:
    """Return prefixes of values that depend on a turn, captivity, wound or handcuffs that began."""
    if change.name == FIGHT and change.before and change.after:
        return (STARTED,) if change.before.get("since") != change.after.get("since") else ()
    return wounds.HANGING.get(change.name, ()) if change.before is None else ()


def _find_lost(book: RuleSet, fight: Fight, replacements: Sequence[Replacement], lasting: State) -> Iterator[Change]:
    for number in find_passed(fight, replacements).turns:
        own = {name: value for (subject, name), value in lasting.items() if subject == subject_key(number)}
        fighter = fight.combatant(number)
        notes = [mark for mark in (fighter.marks if fighter else ()) if mark.startswith(TURN_NOTES)]
        for item in handling.list_expired(book, (name.removeprefix(EFFECT) for name in own), notes):
            ended = [(number, own.get(EFFECT + trait), EFFECT + trait) for trait in item.ends]
            others = {value["other"] for _, value, _ in ended if value and value.get("other")}
            freed = [(other, EFFECT + trait) for other in others for trait in item.frees]
            ended += [(other, lasting.get((subject_key(other), name)), name) for other, name in freed]
            for of, value, name in ended:
                if value is not None and (of == number or value.get("other") == number):
                    yield Change(subject_key(of), name, value, None)


def _find_left(book: RuleSet, fight: Fight, replacements: Sequence[Replacement], lasting: State) -> Iterator[Change]:
    past = find_passed(fight, replacements)
    both = {EFFECT + trait for item in book.entries_of(turns.Upkeep).values() for trait in (*item.ends, *item.frees)}
    for (subject, name), value in lasting.items():
        others = name in both and value.get("other") in past.left and number_of(subject) not in past.left
        if others and not past.over and scene_of(value) == past.scene:
            yield Change(subject, name, value, None)


def list_fuses(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> Mapping[str, Fuse]:
    """List a fight's grenades by name; without a viewer, all."""
    return read_fuses(_read_fuses_and_zones(tx, campaign, fight, viewer))


def list_zones(tx: Connection, viewer: Viewer, fight: Fight) -> Mapping[str, FightZone]:
    """List the zones that a viewer may know."""
    return read_zones(_read_fuses_and_zones(tx, viewer.campaign, fight, viewer))


def read_due_fuses(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> dict[str, Fuse]:
    """List the grenades that explode when this turn ends, by name; without a viewer, all."""
    there = [item.id for item in fight.roster]
    burns = list_fuses(tx, campaign, fight, viewer)
    return {name: item for name, item in burns.items() if item.due(fight.header.turn, fight.now, there)}


def _read_fuses_and_zones(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None) -> dict[str, object]:
    kept = state.get_values(tx, campaign.id, {fight.header.subject})
    own = {key: value for key, value in kept.items() if key[1].startswith((FUSE, ZONE))}
    known = own if viewer is None else visibility.see_values(tx, viewer, own)
    return {name: value for (_, name), value in known.items()}


def describe_laid(tx: Connection, view: FightView) -> Iterator[str]:
    """Yield who comes when, and when grenades and zones end."""
    shown = view.visible_fight
    called = {item.id: plain(item.name) for item in shown.roster}
    marks = [(item, mark, left) for item in shown.roster for mark, left in item.marks.items()]
    due = [(int(mark.removeprefix(COMING)), left, item) for item, mark, left in marks if mark.startswith(COMING)]
    people = subjects.get_subjects(tx, view.campaign.id, [number for number, _, _ in due]) if due else {}
    for number, left, behind in due:
        if view.viewer.knows(people[number]):
            more = left - (behind.id == shown.now)  # the turn of now is one of those left
            when = f"{more} more turn{'' if more == 1 else 's'}" if more else "this turn"
            yield f"**{plain(people[number].name)}** joins after {when} of {plain(behind.name)}"
    for fuse in list_fuses(tx, view.campaign, view.fight, view.viewer).values():
        user = called.get(fuse.of, "a fighter who has left")
        held = f", in {user}'s hand" if fuse.held else ""
        yield f"**{plain(fuse.charge.item)}**{held}: explodes at the end of {user}'s turn{fuse.when}"
    for zone in list_zones(tx, view.viewer, view.fight).values():
        left, whose = zone.turns["left"], called.get(zone.turns["of"], "its creator")
        yield f"**{plain(zone.charge.item)}** (zone): until {whose} has had {left} more turn{'' if left == 1 else 's'}"


def take_out_removed(kept: State, number: int, entry: int) -> Iterator[Change]:
    """Yield the changes that take a removed subject out of fights.

    Its grenades and zones go too, and mutual effects such as a hold.
    """
    yield from leave_scenes(FIGHTS, leave, kept, number, entry)
    lasting = {key: value for key, value in kept.items() if key[1].startswith(EFFECT)}
    mutual = {value.get("other") for (who, _), value in lasting.items() if who == subject_key(number)}
    for key, value in lasting.items():
        if "scene" in value and value.get("other") == number and number_of(key[0]) in mutual:
            yield Change(*key, value, None)
    for key, value in kept.items():
        if key[1].startswith((FUSE, ZONE)) and number in {value.get("of"), value.get("turns", {}).get("of")}:
            yield Change(*key, value, None)
