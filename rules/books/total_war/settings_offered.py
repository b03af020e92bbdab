"""What a game master can set in a war as it stands, written out: of its own factions, panels, units and players, and only what changes something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, count, zip_longest

from rules.books.total_war.catalog import Piece, Switch, UnitClass
from rules.books.total_war.order_kinds import NOBODY
from rules.books.total_war.refusal import Refused
from rules.books.total_war.resolving import resolved
from rules.books.total_war.scenario import UnitModel, WarItem
from rules.books.total_war.settings_read import setting_of
from rules.books.total_war.thrown import no_die
from rules.books.total_war.war import Rules, War, ruled, taken_by
from rules.subjects import name_key

Offers = Iterator[str]
_NUMBER = re.compile(r"(?<![\w,-])[0-9]{1,7}(?![\w,])")
_MORE_GOLD = (50, 100, -50)
"""By how much a bank is offered to be otherwise, while no number is typed."""


def offers(rules: Rules, war: War, what: str, typed: str) -> Offers:
    """Yield what can be set, of all that holds each word that is typed; first what is typed itself, if it can be taken so."""
    rules, words = ruled(rules, war), name_key(typed).split()
    made = _KINDS.get(what)
    if made is None:
        return
    every = made(rules, war, next(iter(_NUMBER.findall(typed)[-1:]), None))
    fitting = (text for text in every if all(word in name_key(text) for word in words))
    if words:
        yield from _taken(rules, war, what, [typed.strip()])
    yield from _taken(rules, war, what, (text for text in fitting if name_key(text) != name_key(typed)))


def _taken(rules: Rules, war: War, what: str, texts: Iterable[str]) -> Offers:
    """Yield those of which the war becomes another one."""
    for text in texts:
        try:
            after = resolved(rules, war, setting_of(rules, war, what, text), no_die)
        except Refused:
            continue
        if after != war:
            yield text


def _owners(_rules: Rules, war: War, _number: str | None) -> Offers:
    names = [*_sides(war), "neutral"]
    return (f"{at} {name}" for at in sorted(war.panels) for name in names)


def _gold(_rules: Rules, war: War, number: str | None) -> Offers:
    for side in war.factions.values():
        banks = [number] if number else [max(0, side.gold + more) for more in _MORE_GOLD]
        yield from (f"{side.name} {bank}" for bank in banks)


def _units(rules: Rules, war: War, number: str | None) -> Offers:
    """Offer units that come to forces and garrisons, go, get kills and get pilots, one of each in turn."""
    units = [unit for force in war.forces.values() for unit in force.units]
    units += [unit for panel in war.panels.values() for unit in panel.garrison]
    pilots = [pilot.name for pilot in rules.scenario.pilots]
    kills = [number] if number else rules.terms.ace_kills
    manned = {key for key, piece in rules.terms.book.listed(Piece).items() if piece.attacks}
    forces = {item.name: item.faction for item in war.forces.values() if item.kind in manned}
    panels = {str(at): panel.owner for at, panel in sorted(war.panels.items()) if rules.kind(panel).stronghold}
    more = f"{number} " if number else ""
    return _in_turn(
        *(
            (f"{to} + {more}{model}" for to, owner in places.items() for model in _models(rules, owner))
            for places in (forces, panels)
        ),
        (f"- {unit.id}" for unit in units),
        (f"{unit.id} kills {each}" for unit in units for each in kills),
        (f"{unit.id} pilot {name}" for unit in units for name in (*pilots, NOBODY)),
    )


def _forces(rules: Rules, war: War, _number: str | None) -> Offers:
    """Offer forces that are put elsewhere, are new, and go, one of each in turn."""
    return _in_turn(
        (f"{name} to {at}" for name in war.forces for at in sorted(war.panels)),
        chain.from_iterable(_new(rules, war, faction) for faction in war.factions),
        (f"- {name}" for name in war.forces),
    )


def _new(rules: Rules, war: War, faction: str) -> Offers:
    """Offer a new force of each kind for a faction, with one unit, on the first panels of its own."""
    own = [at for at, panel in sorted(war.panels.items()) if panel.owner == faction]
    grunt = war.factions[faction].grunt
    ships = [name for name, item in _models(rules, faction).items() if _is_ship(rules, item)]
    for key, piece in rules.terms.book.listed(Piece).items():
        if piece.most:
            units = [grunt if key == "squadron" or not ships else ships[0]] if piece.attacks else []
            name = next(name for number in count(1) if taken_by(war, name := f"New {piece.label} {number}") is None)
            yield from ("; ".join([f"+ {name}", key, war.called(faction), str(at), *units]) for at in own)


def _ranks(rules: Rules, war: War, _number: str | None) -> Offers:
    return (f"{player} {rank.name}" for player in war.players for rank in rules.scenario.ranks)


def _posts(_rules: Rules, war: War, _number: str | None) -> Offers:
    for name, side in war.factions.items():
        own = [player for player, item in war.players.items() if item.faction == name]
        yield from (f"{side.name} {post} {who}" for post in ("leader", "delegate") for who in (*own, NOBODY))


def _prices(rules: Rules, _war: War, number: str | None) -> Offers:
    """Offer the number that is typed, else what others of their kind cost."""
    units, items = rules.scenario.units, rules.scenario.items
    of_each: tuple[tuple[str, Mapping[str, UnitModel | WarItem]], ...] = (("unit", units), ("item", items))
    for of, known in of_each:
        costs = sorted({item.cost for item in known.values() if item.cost is not None})
        for name in known:
            kind = f"{of} " if name in units and name in items else ""
            prices = [number] if number else [cost for cost in costs if cost != known[name].cost]
            yield from (f"{kind}{name} {cost}" for cost in prices)


def _switches(rules: Rules, _war: War, _number: str | None) -> Offers:
    for name, switch in rules.terms.book.listed(Switch).items():
        most = switch.most or 0
        values = switch.options or (("true", "false") if isinstance(switch.default, bool) else range(most + 1))
        now = rules.terms.switches.get(name, switch.default)
        yield from (f"{name} {value}" for value in values if str(value) != str(now).lower())


def _sides(war: War) -> list[str]:
    return [side.name for side in war.factions.values()]


def _models(rules: Rules, faction: str) -> dict[str, UnitModel]:
    """Return the models that a faction may have; all of one that has come since, or of nobody."""
    start = rules.scenario.factions.get(faction)
    return {
        name: item
        for name, item in rules.scenario.units.items()
        if start is None or (item.unit_class in start.classes and item.faction in {None, faction})
    }


def _is_ship(rules: Rules, item: UnitModel) -> bool:
    return bool(rules.terms.of(UnitClass, item.unit_class).lanes)


def _in_turn(*every: Iterator[str]) -> Offers:
    return (text for texts in zip_longest(*every) for text in texts if text is not None)


_KINDS: Mapping[str, Callable[[Rules, War, str | None], Offers]] = {
    "owner": _owners,
    "gold": _gold,
    "unit": _units,
    "force": _forces,
    "rank": _ranks,
    "post": _posts,
    "price": _prices,
    "switch": _switches,
}
