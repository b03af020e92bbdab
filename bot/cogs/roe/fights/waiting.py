"""What is under way in a fight: answers of others, before which nothing else is done in a turn, grenades and zones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.fights.fuses import burning_in, zones_in
from bot.cogs.roe.fights.looking import FIGHTS, Look
from bot.cogs.roe.fights.unanswered import what_waits
from bot.core import scenes, subjects
from bot.core.campaigns import Campaign
from bot.errors import NotAsItIs
from bot.rolls.request import RollRequest
from bot.ui.text import plain
from rules.books.roe.allowances import ACTOR
from rules.books.roe.marks import COMING
from rules.scenes import Slot


class AsksFirst(Exception):
    """A roll asks others before any die falls: `ask` is the transaction that asks them, with the resolver and the person first."""

    def __init__(self, ask: Callable[..., Any], *asked: object) -> None:
        super().__init__()
        self.ask, self.asked = ask, asked


def standing(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Return who of these (numbers) stands in the fight of whoever acts; None where it is that one's turn no more."""
    (number,) = request.parts[0].ids[ACTOR]
    fight = scenes.around(tx, campaign.id, FIGHTS, number or 0)
    return None if fight is None or fight.now != number else [item for item in asked if fight.combatant(item)]


def all_standing(
    tx: Connection, campaign: Campaign, request: RollRequest, asked: Collection[int]
) -> Collection[int] | None:
    """Return these, where all of them stand in that fight, as `standing` does; None where one does not."""
    there = standing(tx, campaign, request, asked)
    return None if there is None or len(there) < len(asked) else there


def require_nothing_waits(tx: Connection, seen: Look, number: Slot | None) -> None:
    """Refuse to go on with the turn of a fighter (number) while something that one does waits for answers, with NotAsItIs."""
    what = what_waits(tx, seen.campaign.id, number)
    if what is not None:
        raise NotAsItIs(what, "Withdraw it, or ask a game master to press Roll now: /update show.")


def laid_lines(tx: Connection, seen: Look) -> Iterator[str]:
    """Yield who comes into a fight and when, and its grenades and zones with when each explodes or ends, as far as its viewer may know."""
    called = {item.id: plain(item.name) for item in seen.shown.roster}
    yield from _coming(tx, seen)
    for fuse in burning_in(tx, seen.campaign, seen.fight, seen.viewer).values():
        user = called.get(fuse.of, "a fighter who has left")
        held = f", in {user}'s hand" if fuse.held else ""
        yield f"**{plain(fuse.charge.item)}**{held}: explodes at the end of {user}'s turn{fuse.when}"
    for zone in zones_in(tx, seen.viewer, seen.fight).values():
        left, whose = zone.turns["left"], called.get(zone.turns["of"], "its creator")
        yield f"**{plain(zone.charge.item)}** (zone): until {whose} has had {left} more turn{'' if left == 1 else 's'}"


def _coming(tx: Connection, seen: Look) -> Iterator[str]:
    """Yield who is expected, after how many turns of whom."""
    due = [
        (int(mark.removeprefix(COMING)), left, item)
        for item in seen.shown.roster
        for mark, left in item.marks.items()
        if mark.startswith(COMING)
    ]
    people = subjects.by_number(tx, seen.campaign.id, [number for number, _, _ in due]) if due else {}
    for number, left, behind in due:
        if seen.viewer.knows(people[number]):
            more = left - (behind.id == seen.shown.now)  # the turn of now is one of those left
            turns = f"{more} more turn{'' if more == 1 else 's'}" if more else "this turn"
            yield f"**{plain(people[number].name)}** joins after {turns} of {plain(behind.name)}"
