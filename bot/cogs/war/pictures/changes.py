"""Where a force can go in this turn, and what an order to move would come to, as plain facts and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.war.pictures.chart import Chart, MapForce, holder_words, places
from rules.books.total_war.land import panels_on_path
from rules.books.total_war.movement import most_steps
from rules.books.total_war.orders.movement import Move, parse_route, pledges, reachable
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Force, Rules, War, land_of, require_free
from rules.geometry import Hex


class Ghost(Struct, frozen=True):
    """A force where an order would bring it: itself, or one that rides along."""

    token: MapForce
    to: Hex


class Reach(Struct, frozen=True):
    """Where a force can go: panels where its order can end, those of them where a fight begins, and what it would capture.

    With a way in mind, `way` is each panel on it, `ghosts` are the force and its followers at its end, and what is captured is
    so on that way. `why` says why a force can go nowhere, or not that way.
    """

    token: MapForce
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
    ends = tuple(sorted(reachable(rules, war, force)))
    foes = land_of(rules, war, force.faction).enemies.intersection(ends)
    if path:
        return _plan(rules, war, chart, Reach(token, ends, foes, ()), path)
    taken = {
        at
        for end in ends
        for at in _captured_by(rules, war, Move(who=name, path=parse_route(rules, war, name, str(end))))
    }
    return Reach(token, ends, foes, tuple(sorted(taken)), why=None if ends else _why(rules, war, force))


def reach_words(chart: Chart, reach: Reach) -> list[str]:
    """Return a reach line by line."""
    return [
        f"Where {reach.token.name} can move from {reach.token.at} in turn {chart.turn}.",
        *_reach_lines(chart, reach),
    ]


def _plan(rules: Rules, war: War, chart: Chart, reach: Reach, path: Sequence[str]) -> Reach:
    name = reach.token.name
    try:
        after = Move(who=name, path=tuple(path)).apply(rules, war)
    except Refused as refusal:
        return replace(reach, why=str(refusal))
    going = [war.force(name), *pledges(war, war.force(name))]
    tokens = {token.name: token for token in chart.tokens}
    ghosts = tuple(Ghost(tokens[item.name], after.forces[item.name].at) for item in going if item.name in after.forces)
    entered = panels_on_path(reach.token.at, path)
    way = entered[: entered.index(ghosts[0].to) + 1]
    return replace(reach, captured=_captured(war, after), way=way, ghosts=ghosts)


def _captured_by(rules: Rules, war: War, order: Move) -> tuple[Hex, ...]:
    """Return what an order to move captures; one that is refused nothing."""
    try:
        return _captured(war, order.apply(rules, war))
    except Refused:
        return ()


def _captured(before: War, after: War) -> tuple[Hex, ...]:
    return tuple(sorted(at for at, panel in after.panels.items() if panel.owner != before.panels[at].owner))


def _why(rules: Rules, war: War, force: Force) -> str:
    try:
        require_free(war, force)
        most_steps(rules.terms, force)
    except Refused as refusal:
        return str(refusal)
    return f"{force.name} can't reach a free panel."


def _reach_lines(chart: Chart, reach: Reach) -> Iterator[str]:
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


class Capture(Struct, frozen=True):
    """A panel that has changed hands: whose it was and whose it is (None: neutral), with what the maps of then and now call them.

    `letters` are those of whose it was. `lost` is the facility that stood there.
    """

    at: Hex
    was: str
    now: str
    letters: str
    lost: str | None


class Captures(Struct, frozen=True):
    """What has changed: panels by whose they were and are, and those that are newly cut off, or joined again, by their owners."""

    flips: tuple[Capture, ...]
    cut_off: Mapping[str, tuple[Hex, ...]]
    joined: Mapping[str, tuple[Hex, ...]]

    @property
    def panels(self) -> list[Hex]:
        """All panels of which anything has changed."""
        supply = [at for found in (self.cut_off, self.joined) for panels in found.values() for at in panels]
        return [*(flip.at for flip in self.flips), *supply]


NOBODY: Final = "neutral"
_NO_LETTERS: Final = "-"


def captures_of(before: Chart, after: Chart) -> Captures:
    """Return what has changed between two maps of one war."""
    then = {lot.at: lot for lot in before.lots}
    pairs = [(then[lot.at], lot) for lot in after.lots if lot.at in then]
    flips = tuple(
        Capture(
            now.at,
            _owner(before, was.owner),
            _owner(after, now.owner),
            before.letters(was.owner) or _NO_LETTERS,
            was.facility if now.facility is None and now.seen else None,
        )
        for was, now in pairs
        if was.owner != now.owner
    )
    cut = [now for was, now in pairs if now.cut_off and not (was.cut_off and was.owner == now.owner)]
    joined = [now for was, now in pairs if was.cut_off and was.owner == now.owner and not now.cut_off]
    return Captures(
        flips,
        _by_owner((_owner(after, lot.owner), lot.at) for lot in cut),
        _by_owner((_owner(after, lot.owner), lot.at) for lot in joined),
    )


def captures_words(after: Chart, found: Captures) -> list[str]:
    """Return what has changed, line by line."""
    lines = [f"Map of {after.title}, turn {after.turn}: panels captured."]
    by_owners: dict[tuple[str, str], list[Hex]] = {}
    for flip in found.flips:
        by_owners.setdefault((flip.now, flip.was), []).append(flip.at)
    lines += [_capture_line(now, was, panels) for (now, was), panels in by_owners.items()]
    lines += [f"Lost on {flip.at}: {flip.lost}." for flip in found.flips if flip.lost]
    lines += [f"Newly cut off ({name}): {places(panels)}." for name, panels in found.cut_off.items()]
    lines += [f"Back in supply ({name}): {places(panels)}." for name, panels in found.joined.items()]
    lines += [] if lines[1:] else ["No panel was captured."]
    return [
        *lines,
        *(f"{holder.name} ({holder.letters}): {holder_words(holder)}." for holder in after.holders.values()),
    ]


def _capture_line(now: str, was: str, panels: list[Hex]) -> str:
    if now == NOBODY:
        return f"{was} lost (now neutral): {places(panels)}."
    return f"{now} took ({was} before): {places(panels)}."


def _owner(chart: Chart, owner: str | None) -> str:
    return chart.holders[owner].name if owner is not None and owner in chart.holders else NOBODY


def _by_owner(pairs: Iterator[tuple[str, Hex]]) -> dict[str, tuple[Hex, ...]]:
    found: dict[str, tuple[Hex, ...]] = {}
    for name, at in pairs:
        found[name] = (*found.get(name, ()), at)
    return found
