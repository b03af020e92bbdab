"""What refuses an act before its dice: another one has the turn, the turn has nothing left for it (lines 80, 94 to 110), or it cannot be done so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from bot.cogs.roe.fight_view import FIGHTS, FightView, find_fight_of
from bot.cogs.roe.turns import require_own_turn
from bot.cogs.roe.waiting import require_nothing_waits
from bot.core.subjects import Subject
from bot.core.visibility import Viewer
from bot.errors import NotAllowed, NotAsItIs
from bot.rolls.extension import ConsideredRoll
from bot.rolls.resolver import Resolver
from rules.book import Act
from rules.books.roe.marks import LATE
from rules.books.roe.turn import ACTS, barring
from rules.errors import RollError


def require_turn(tx: Connection, resolver: Resolver, viewer: Viewer, roll: ConsideredRoll) -> None:
    """Refuse an act of a turn to whoever does not have it, or has nothing left in it; out of fights game masters alone roll it.

    What cannot be done so is refused as well: no card opens for a weapon that owes a reload.
    """
    act = roll.book.acts.get(roll.procedure.family)
    if act is None or not (act.id.startswith(ACTS) or act.costs):
        return
    for actor in _actors(roll, act):
        seen = find_fight_of(tx, viewer, actor.id, roll.state)
        if seen is not None:
            _require_dice(seen)
            own = seen.fight.combatant(actor.id)
            if not (own and own.marks.get(LATE) and seen.acts_for(actor.id)):
                require_own_turn(resolver, seen)
                if seen.shown.now != actor.id:
                    raise NotAllowed(f"It isn't {actor.name}'s turn.", FIGHTS.look)
            require_nothing_waits(tx, seen, actor.id)
        elif not viewer.person.leads(viewer.campaign):
            raise NotAsItIs(f"{actor.name} isn't in a fight.", FIGHTS.begin)
    for part in roll.parts:
        who = part.subjects[act.actor]
        bar = barring(roll.book, act, part.facts)
        if bar is not None:
            raise NotAsItIs(f"{who}: {bar.label}", "See /fight turn for what's left.")
        with of(who):
            roll.procedure.method.check(part, roll.book)


@contextmanager
def of(who: str) -> Iterator[None]:
    """Let what the rules refuse say whose deed it is, where they do not say so themselves: whoever has the turn acts for a command that names nobody.

    Raises:
        RollError: it is refused.

    """
    try:
        yield
    except RollError as problem:
        if who in str(problem):
            raise
        raise RollError(f"{who}: {problem}") from problem


def _actors(roll: ConsideredRoll, act: Act) -> Iterator[Subject]:
    """Yield who does an act, each once."""
    found = {item.id: item for cast in roll.cast for item in cast.get(act.actor, ()) if item}
    yield from found.values()


def _require_dice(seen: FightView) -> None:
    if seen.fight.header.mode == "freeform":
        raise NotAsItIs(f"{seen.fight.name} is free-form, so nothing is rolled.", "Propose dice with /fight mode.")
