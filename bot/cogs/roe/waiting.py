"""What is open in a fight: answers a turn waits for, grenades and zones."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView
from bot.core import scenes, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.errors import NotAsItIs
from bot.core.visibility import Viewer
from bot.rolls.pending import store
from bot.rolls.request import RollRequest
from bot.ui.text import plain
from rules.books.roe.catalog import ACTOR
from rules.books.roe.explosives import FUSE, ZONE, FightZone, Fuse, read_fuses, read_zones
from rules.books.roe.fights import COMING, TURN_NOTES, Fight
from rules.scenes import Slot


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


def describe_unanswered(tx: Connection, campaign_id: int, number: Slot | None) -> str | None:
    """Say which of a fighter's acts waits for answers, or None."""
    for item in store.list_open(tx, campaign_id):
        request = item.request
        in_turn = request.book == BOOK and request.family.startswith(TURN_NOTES)
        if in_turn and request.parts[0].ids.get(ACTOR) == (number,):
            return f"{item.words.name}'s {item.words.noun} is waiting for answers."
    return None


class UnaskedQuestion(Exception):
    """Others must answer before the roll; `ask` is the transaction that asks them."""

    def __init__(self, ask: Callable[..., Any], *asked: object) -> None:
        super().__init__()
        self.ask, self.asked = ask, asked


def select_fighting(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Select the `asked` fighters (numbers) still in the actor's fight; None if the actor's turn is over."""
    (number,) = request.parts[0].ids[ACTOR]
    fight = scenes.find_scene_of(tx, campaign.id, FIGHTS, number or 0)
    return None if fight is None or fight.now != number else [item for item in asked if fight.combatant(item)]


def require_nothing_waits(tx: Connection, view: FightView, number: Slot | None) -> None:
    """Refuse with NotAsItIs while a fighter's act waits for answers."""
    what = describe_unanswered(tx, view.campaign.id, number)
    if what is not None:
        raise NotAsItIs(what, "Withdraw it, or ask a game master to press Roll now: /update show.")


def describe_laid(tx: Connection, view: FightView) -> Iterator[str]:
    """Yield who comes when, and when grenades and zones end."""
    called = {item.id: plain(item.name) for item in view.visible_fight.roster}
    yield from _describe_coming(tx, view)
    for fuse in list_fuses(tx, view.campaign, view.fight, view.viewer).values():
        user = called.get(fuse.of, "a fighter who has left")
        held = f", in {user}'s hand" if fuse.held else ""
        yield f"**{plain(fuse.charge.item)}**{held}: explodes at the end of {user}'s turn{fuse.when}"
    for zone in list_zones(tx, view.viewer, view.fight).values():
        left, whose = zone.turns["left"], called.get(zone.turns["of"], "its creator")
        yield f"**{plain(zone.charge.item)}** (zone): until {whose} has had {left} more turn{'' if left == 1 else 's'}"


def _describe_coming(tx: Connection, view: FightView) -> Iterator[str]:
    due = [
        (int(mark.removeprefix(COMING)), left, item)
        for item in view.visible_fight.roster
        for mark, left in item.marks.items()
        if mark.startswith(COMING)
    ]
    people = subjects.get_subjects(tx, view.campaign.id, [number for number, _, _ in due]) if due else {}
    for number, left, behind in due:
        if view.viewer.knows(people[number]):
            more = left - (behind.id == view.visible_fight.now)  # the turn of now is one of those left
            turns = f"{more} more turn{'' if more == 1 else 's'}" if more else "this turn"
            yield f"**{plain(people[number].name)}** joins after {turns} of {plain(behind.name)}"
