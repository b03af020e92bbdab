"""What becomes of factions and players, as it is told: gold, works, models, posts, ranks, rogues, answers, and the war's end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rules.books.total_war import deeds
from rules.books.total_war.sight import UNKNOWN
from rules.books.total_war.tale import Tale, in_words
from rules.books.total_war.war import Side, Works
from rules.phrases import starting

LEADERLESS = "{} {} no leader{}: a game master appoints one."
"""What is told of a faction whose leader is gone."""


def _factions(tale: Tale) -> Iterator[str]:
    """Tell which factions are new, gone, or called otherwise, and who leads them."""
    for name, side in tale.after.factions.items():
        old = tale.before.factions.get(name)
        if old is None:
            yield f"New faction: {side.name}{f', led by {side.leader}' if side.leader else ''}. Its leader may order a name and colour."
            continue
        if (side.name, side.colour) != (old.name, old.colour):
            yield f"{old.name} {tale.verb('is now')} called {side.name} (colour {side.colour})."
        yield from _posts(tale, side, old)
        if side.source != old.source:
            yield f"{side.name} is now supplied from {f'{side.source} too' if side.source else 'its capitol only'}."
    for name, old in tale.before.factions.items():
        if name not in tale.after.factions:
            yield f"{old.name} lost its last stronghold and dissolves: its land is neutral, its players are lone rogues."


def _posts(tale: Tale, side: Side, old: Side) -> Iterator[str]:
    if side.leader != old.leader:
        led = f"{side.leader} {tale.verb('now leads')} {side.name}."
        yield led if side.leader else LEADERLESS.format(side.name, tale.verb("has"), "" if tale.foreseen else " now")
    if side.delegate != old.delegate:
        who = starting(side.delegate or "only the leader")
        yield f"{who} {tale.verb('can now')} assign new units of {side.name}."


def _gold(tale: Tale) -> Iterator[str]:
    """Tell which new units wait for a force and what factions know, then what they are paid and pay: purchases come first."""
    for name, side in tale.after.factions.items():
        old = tale.before.factions.get(name, Side("", "", 0, ""))
        for model, count in side.pool.items():
            if count > old.pool.get(model, 0):
                waiting = "to assign" if tale.foreseen else f"({count} to assign)"
                yield f"{side.name} gets {count - old.pool.get(model, 0)} {model} {waiting}."
        if side.models - old.models:
            yield f"{side.name} {tale.verb('can now')} use {in_words(sorted(side.models - old.models))}."
        if side.gold != old.gold and isinstance(tale.deed, deeds.SetGold):
            yield f"{side.name} {tale.verb('has')} {side.gold} gold {tale.instead_of(str(old.gold))}."
        elif side.gold > old.gold:
            yield f"{side.name} gets {side.gold - old.gold} gold ({side.gold} in the bank)."
        elif side.gold < old.gold:
            yield f"{side.name} pays {old.gold - side.gold} gold{'' if tale.foreseen else f' ({side.gold} left)'}."


def _works(tale: Tale) -> Iterator[str]:
    """Tell what is begun, and what is lost before it is done."""
    for works in tale.after.works:
        if works not in tale.before.works and works.at not in tale.hidden:
            number = f"{works.number} " if works.number > 1 else ""
            yield f"{tale.side(works.faction)} starts {number}{_what(tale, works)} (ready in turn {works.done})."
    for works in tale.before.works:
        if works not in tale.after.works and works.done > tale.after.turn and works.at not in tale.hidden:
            yield f"{tale.side(works.faction)} loses an unfinished project: {_what(tale, works)}."


def _what(tale: Tale, works: Works) -> str:
    model = f" ({works.model})" if works.model else ""
    return f"research of {works.item}" if works.at is None else f"{tale.item(works.item)}{model} on {works.at}"


def _players(tale: Tale) -> Iterator[str]:
    """Tell who joins, changes sides and ranks, and who wishes to be taken in."""
    for name, player in tale.after.players.items():
        old = tale.before.players.get(name)
        if old is None:
            yield f"{name} joins {tale.side(player.faction or name)}."
            continue
        if player.faction != old.faction:
            where = "a lone rogue" if player.faction is None else f"with {tale.side(player.faction)}"
            yield f"{name} {tale.verb('is now')} {where}."
        if player.rank != old.rank and UNKNOWN not in {player.rank, old.rank}:
            yield f"{name} {tale.verb('is now')} {player.rank} {tale.instead_of(old.rank)}."
        if player.petition is not None and player.petition != old.petition:
            yield f"{name} asks to join {tale.side(player.petition)}. Its leader answers with an order."
        elif old.petition is not None and player.petition is None and player.faction is None:
            yield f"{tale.side(old.petition)} turns {name} down."


def _outcome(tale: Tale) -> Iterator[str]:
    """Tell what is asked and answered about a captured capitol, and who has won the war."""
    before, after = tale.before, tale.after
    if after.asked is not None and after.asked != before.asked:
        by = tale.rules.scenario.victory.asks[after.asked]
        leaders = f"The leaders of {tale.side(after.asked)} and {tale.side(by)}"
        yield f"The capitol of {tale.side(after.asked)} has fallen. {leaders} decide with an order whether the war ends."
    for name, answer in after.answers.items():
        if before.answers.get(name) != answer:
            yield f"{tale.side(name)} answers: the war {'ends' if answer == 'end' else 'goes on'}."
    if before.asked is not None and after.asked is None and after.winner is None:
        second = tale.rules.scenario.second
        yield f"The war goes on with the scenario {second}. A game master starts it." if second else "The war goes on."
    if after.winner is not None and before.winner is None:
        yield f"The war is over: {tale.side(after.winner)} has won."
    if isinstance(tale.deed, deeds.SetOwner):
        seats = (side.name for name, side in before.factions.items() if _loses_seat(tale, name))
        yield from (f"{seat} lost its capitol by a setting, not by capture. The war goes on." for seat in seats)


def _loses_seat(tale: Tale, faction: str) -> bool:
    """Return whether a faction has held its capitol, and does no more."""
    seat = tale.before.factions[faction].seat
    if seat is None or not {seat} <= tale.before.panels.keys() & tale.after.panels.keys():
        return False
    return tale.before.panels[seat].owner == faction != tale.after.panels[seat].owner


def _settings(tale: Tale) -> Iterator[str]:
    """Tell prices and switches that are set, and the turn that begins."""
    for name, cost in tale.after.prices.items():
        if tale.before.prices.get(name) != cost:
            of, _, what = name.partition(".")
            yield f"The {of} {what} now costs {cost} gold."
    for name, value in tale.after.switches.items():
        if tale.before.switches.get(name) != value:
            said = in_words(value) if isinstance(value, tuple) else str(value).lower()
            yield f"The switch {name} is now {said}."
    if isinstance(tale.deed, deeds.Advance) and tale.after.turn != tale.before.turn:
        yield f"Turn {tale.after.turn} begins."


AFFAIRS: Sequence[Callable[[Tale], Iterator[str]]] = (_factions, _players, _works, _gold, _outcome, _settings)
"""What tells of factions and players, in this order."""
