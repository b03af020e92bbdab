"""A force's reach and what has changed hands, as facts and in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bot.cogs.war.pictures.chart import Chart, MapForce, places
from rules.books.total_war import catalog, movement
from rules.books.total_war.orders.movement import MoveForce, find_reachable, list_pledged, parse_route
from rules.books.total_war.war import Force, Rules, War
from rules.geometry import Hex


class Ghost(Struct, frozen=True):
    """A force where an order would bring it."""

    token: MapForce
    to: Hex


class Reach(Struct, frozen=True):
    """Where a force can go: `ends`, those with `foes`, and panels it would capture.

    With a path, `way` is each panel on it, `ghosts` the force and its followers at the end. `why` says why it can't go.
    """

    token: MapForce
    ends: tuple[Hex, ...]
    foes: frozenset[Hex]
    captured: tuple[Hex, ...]
    way: tuple[Hex, ...] = ()
    ghosts: tuple[Ghost, ...] = ()
    why: str | None = None


def reach_facts(rules: Rules, war: War, chart: Chart, name: str, path: Sequence[str] = ()) -> Reach:
    """Return a force's reach, or where a path of directions leads."""
    force = war.force(name)
    token = next(token for token in chart.tokens if token.name == name)
    ends = tuple(sorted(find_reachable(rules, war, force)))
    foes = movement.land_of(rules, war, force.faction).enemies.intersection(ends)
    if path:
        return _plan(rules, war, chart, Reach(token, ends, foes, ()), path)
    taken = {
        at
        for end in ends
        for at in _list_captured_by(rules, war, MoveForce(who=name, path=parse_route(rules, war, name, str(end))))
    }
    return Reach(token, ends, foes, tuple(sorted(taken)), why=None if ends else _explain_no_reach(rules, war, force))


def reach_words(chart: Chart, reach: Reach) -> list[str]:
    """Return a reach line by line."""
    title = f"Where {reach.token.name} can move from {reach.token.at} in turn {chart.turn}."
    return [title, *_reach_lines(chart, reach)]


def _plan(rules: Rules, war: War, chart: Chart, reach: Reach, path: Sequence[str]) -> Reach:
    name = reach.token.name
    try:
        after = MoveForce(who=name, path=tuple(path)).apply(rules, war)
    except catalog.Refused as refusal:
        return replace(reach, why=str(refusal))
    going = [war.force(name), *list_pledged(war, war.force(name))]
    tokens = {token.name: token for token in chart.tokens}
    ghosts = tuple(Ghost(tokens[item.name], after.forces[item.name].at) for item in going if item.name in after.forces)
    entered = movement.panels_on_path(reach.token.at, path)
    way = entered[: entered.index(ghosts[0].to) + 1]
    return replace(reach, captured=_list_captured(war, after), way=way, ghosts=ghosts)


def _list_captured_by(rules: Rules, war: War, order: MoveForce) -> tuple[Hex, ...]:
    try:
        return _list_captured(war, order.apply(rules, war))
    except catalog.Refused:
        return ()


def _list_captured(before: War, after: War) -> tuple[Hex, ...]:
    return tuple(sorted(at for at, panel in after.panels.items() if panel.owner != before.panels[at].owner))


def _explain_no_reach(rules: Rules, war: War, force: Force) -> str:
    try:
        war.require_free(force)
        movement.most_steps(rules.terms, force)
    except catalog.Refused as refusal:
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
    """A panel that changed hands: names of its old and new owner, the old one's letters, and any facility `lost`."""

    at: Hex
    was: str
    now: str
    letters: str
    lost: str | None


class Captures(Struct, frozen=True):
    """Panels that changed hands, and panels cut off or joined again, by owner's name."""

    flips: tuple[Capture, ...]
    cut_off: Mapping[str, tuple[Hex, ...]]
    joined: Mapping[str, tuple[Hex, ...]]

    @property
    def panels(self) -> list[Hex]:
        """All changed panels."""
        supply = [at for found in (self.cut_off, self.joined) for panels in found.values() for at in panels]
        return [*(flip.at for flip in self.flips), *supply]


NOBODY: Final = "neutral"
_NO_LETTERS: Final = "-"


def compare_captures(before: Chart, after: Chart) -> Captures:
    """Compare two maps of one war."""
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
    """Return what changed, line by line."""
    lines = [f"Map of {after.title}, turn {after.turn}: panels captured."]
    by_owners: dict[tuple[str, str], list[Hex]] = {}
    for flip in found.flips:
        by_owners.setdefault((flip.now, flip.was), []).append(flip.at)
    for (now, was), panels in by_owners.items():
        change = f"{was} lost (now neutral)" if now == NOBODY else f"{now} took ({was} before)"
        lines.append(f"{change}: {places(panels)}.")
    lines += [f"Lost on {flip.at}: {flip.lost}." for flip in found.flips if flip.lost]
    lines += [f"Newly cut off ({name}): {places(panels)}." for name, panels in found.cut_off.items()]
    lines += [f"Back in supply ({name}): {places(panels)}." for name, panels in found.joined.items()]
    return lines if lines[1:] else [*lines, "No panel was captured."]


def _owner(chart: Chart, owner: str | None) -> str:
    return chart.holders[owner].name if owner is not None and owner in chart.holders else NOBODY


def _by_owner(pairs: Iterator[tuple[str, Hex]]) -> dict[str, tuple[Hex, ...]]:
    found: dict[str, tuple[Hex, ...]] = {}
    for name, at in pairs:
        found[name] = (*found.get(name, ()), at)
    return found
