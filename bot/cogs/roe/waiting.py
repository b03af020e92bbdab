"""What is open in a fight: answers of others, before which nothing else is done in a turn, grenades and zones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView
from bot.core import knowledge, scenes, state, subjects
from bot.core.campaigns import Campaign
from bot.core.visibility import Viewer
from bot.errors import NotAsItIs
from bot.rolls.pending import store
from bot.rolls.request import RollRequest
from bot.ui.text import plain
from rules.books.roe.catalog import ACTOR
from rules.books.roe.explosives import FUSE, ZONE, FightZone, Fuse, read_fuses, read_zones
from rules.books.roe.fights import COMING, TURN_NOTES, Fight
from rules.scenes import Slot


def list_fuses(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> Mapping[str, Fuse]:
    """Return the grenades of a fight, by their names there, as far as a viewer may know of them; all without one."""
    return read_fuses(_read_charges(tx, campaign, fight, viewer))


def list_zones(tx: Connection, viewer: Viewer, fight: Fight) -> Mapping[str, FightZone]:
    """Return the zones of a fight that a viewer may know of, by their names there."""
    return read_zones(_read_charges(tx, viewer.campaign, fight, viewer))


def read_due_fuses(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None = None) -> dict[str, Fuse]:
    """Return the grenades that explode at the end of the turn of now."""
    there = [item.id for item in fight.roster]
    burns = list_fuses(tx, campaign, fight, viewer)
    return {name: item for name, item in burns.items() if item.due(fight.header.turn, fight.now, there)}


def _read_charges(tx: Connection, campaign: Campaign, fight: Fight, viewer: Viewer | None) -> dict[str, object]:
    kept = state.get_values(tx, campaign.id, {fight.header.subject})
    own = {key: value for key, value in kept.items() if key[1].startswith((FUSE, ZONE))}
    known = own if viewer is None else knowledge.see_values(tx, viewer, own)
    return {name: value for (_, name), value in known.items()}


def describe_unanswered(tx: Connection, campaign_id: int, number: Slot | None) -> str | None:
    """Return what of the turn of a fighter (number) waits for answers, as a sentence; None where nothing does."""
    for item in store.still_open(tx, campaign_id):
        request = item.request
        in_turn = request.book == BOOK and request.family.startswith(TURN_NOTES)
        if in_turn and request.parts[0].ids.get(ACTOR) == (number,):
            return f"{item.words.name}'s {item.words.noun} is waiting for answers."
    return None


class UnaskedQuestion(Exception):
    """A roll asks others before any die falls: `ask` is the transaction that asks them, with the resolver and the person first."""

    def __init__(self, ask: Callable[..., Any], *asked: object) -> None:
        super().__init__()
        self.ask, self.asked = ask, asked


def select_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Return who of these (numbers) is in the fight of whoever acts; None where that one's turn is over."""
    (number,) = request.parts[0].ids[ACTOR]
    fight = scenes.find_scene_of(tx, campaign.id, FIGHTS, number or 0)
    return None if fight is None or fight.now != number else [item for item in asked if fight.combatant(item)]


def require_nothing_waits(tx: Connection, seen: FightView, number: Slot | None) -> None:
    """Refuse to go on with the turn of a fighter (number) while something that one does waits for answers, with NotAsItIs."""
    what = describe_unanswered(tx, seen.campaign.id, number)
    if what is not None:
        raise NotAsItIs(what, "Withdraw it, or ask a game master to press Roll now: /update show.")


def describe_laid(tx: Connection, seen: FightView) -> Iterator[str]:
    """Yield who comes into a fight and when, and its grenades and zones with when each explodes or ends, as far as its viewer may know."""
    called = {item.id: plain(item.name) for item in seen.shown.roster}
    yield from _describe_coming(tx, seen)
    for fuse in list_fuses(tx, seen.campaign, seen.fight, seen.viewer).values():
        user = called.get(fuse.of, "a fighter who has left")
        held = f", in {user}'s hand" if fuse.held else ""
        yield f"**{plain(fuse.charge.item)}**{held}: explodes at the end of {user}'s turn{fuse.when}"
    for zone in list_zones(tx, seen.viewer, seen.fight).values():
        left, whose = zone.turns["left"], called.get(zone.turns["of"], "its creator")
        yield f"**{plain(zone.charge.item)}** (zone): until {whose} has had {left} more turn{'' if left == 1 else 's'}"


def _describe_coming(tx: Connection, seen: FightView) -> Iterator[str]:
    due = [
        (int(mark.removeprefix(COMING)), left, item)
        for item in seen.shown.roster
        for mark, left in item.marks.items()
        if mark.startswith(COMING)
    ]
    people = subjects.get_subjects(tx, seen.campaign.id, [number for number, _, _ in due]) if due else {}
    for number, left, behind in due:
        if seen.viewer.knows(people[number]):
            more = left - (behind.id == seen.shown.now)  # the turn of now is one of those left
            turns = f"{more} more turn{'' if more == 1 else 's'}" if more else "this turn"
            yield f"**{plain(people[number].name)}** joins after {turns} of {plain(behind.name)}"
