"""Where a force can go in this turn, and what an order to move would come to, as plain facts and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.war.pictures.chart import Chart, Token
from bot.cogs.war.pictures.words import places
from rules.books.total_war.deeds import Move
from rules.books.total_war.land import course
from rules.books.total_war.marching import marched
from rules.books.total_war.moving import most_steps
from rules.books.total_war.options import reach_of
from rules.books.total_war.pledging import pledges
from rules.books.total_war.refusal import Refused
from rules.books.total_war.routes import mover_of, route
from rules.books.total_war.war import Force, Rules, War, land_of, require_free
from rules.geometry.hexes import Hex


class Ghost(Struct, frozen=True):
    """A force where an order would bring it: itself, or one that rides along."""

    token: Token
    to: Hex


class Reach(Struct, frozen=True):
    """Where a force can go: panels where its order can end, those of them where a fight begins, and what it would capture.

    With a way in mind, `way` is each panel on it, `ghosts` are the force and its followers at its end, and what is captured is
    so on that way. `why` says why a force can go nowhere, or not that way.
    """

    token: Token
    ends: tuple[Hex, ...]
    foes: frozenset[Hex]
    captured: tuple[Hex, ...]
    way: tuple[Hex, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    why: str | None = None


def reach_facts(rules: Rules, war: War, chart: Chart, name: str, path: Sequence[str] = ()) -> Reach:
    """Return where a force can go; with a path of directions, what that comes to."""
    force = war.force(name)
    token = next(token for token in chart.tokens if token.name == name)
    ends = tuple(sorted(reach_of(rules, war, force)))
    foes = land_of(rules, war, force.faction).enemies.intersection(ends)
    if path:
        return _planned(rules, war, chart, Reach(token, ends, foes, ()), path)
    taken = {at for end in ends for at in _taken(rules, war, Move(who=name, path=route(rules, war, name, str(end))))}
    return Reach(token, ends, foes, tuple(sorted(taken)), why=None if ends else _why(rules, war, force))


def reach_words(chart: Chart, reach: Reach) -> list[str]:
    """Return a reach line by line."""
    return [
        f"Where {reach.token.name} can move from {reach.token.at} in turn {chart.turn}.",
        *_told(chart, reach),
    ]


def _planned(rules: Rules, war: War, chart: Chart, reach: Reach, path: Sequence[str]) -> Reach:
    name = reach.token.name
    try:
        after = marched(rules, war, Move(who=name, path=tuple(path)))
    except Refused as refusal:
        return replace(reach, why=str(refusal))
    going = [war.force(name), *pledges(war, war.force(name))]
    tokens = {token.name: token for token in chart.tokens}
    ghosts = tuple(Ghost(tokens[item.name], after.forces[item.name].at) for item in going if item.name in after.forces)
    entered = course(reach.token.at, path)
    way = entered[: entered.index(ghosts[0].to) + 1]
    return replace(reach, captured=_captured(war, after), way=way, ghosts=ghosts)


def _taken(rules: Rules, war: War, order: Move) -> tuple[Hex, ...]:
    """Return what an order to move captures; one that is refused nothing."""
    try:
        return _captured(war, marched(rules, war, order))
    except Refused:
        return ()


def _captured(before: War, after: War) -> tuple[Hex, ...]:
    return tuple(sorted(at for at, panel in after.panels.items() if panel.owner != before.panels[at].owner))


def _why(rules: Rules, war: War, force: Force) -> str:
    """Return why a force can go nowhere."""
    try:
        require_free(war, force)
        most_steps(rules.terms, mover_of(force))
    except Refused as refusal:
        return str(refusal)
    return f"{force.name} can't reach a free panel."


def _told(chart: Chart, reach: Reach) -> Iterator[str]:
    free = [at for at in reach.ends if at not in reach.foes]
    if free:
        yield f"It can move to {places(free)}."
    if reach.foes:
        yield f"It starts a battle on {places(sorted(reach.foes))}."
    if reach.way:
        yield f"Planned path: {' > '.join(map(str, (reach.token.at, *reach.way)))}."
    for ghost in reach.ghosts[1:]:
        yield f"{ghost.token.name} rides along from {ghost.token.at} to {ghost.to}."
    if reach.captured:
        owner = chart.name(reach.token.faction)
        yield f"{'It captures' if reach.way else 'It can capture on the way'} for {owner}: {places(reach.captured)}."
    if reach.why is not None:
        yield reach.why
