"""What is offered while something is typed about a battle: what the person can do there now, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.war import wars
from bot.cogs.war.battle.attacks import ORDERS, THEN_MOVE, TypedAct
from bot.cogs.war.battle.found import SeenBattle, Where, battle_of, beaten
from bot.core.campaigns import locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.rolls import options
from bot.rolls.desk import channels
from rules.books.total_war.rosters import in_order, meant
from rules.geometry.squares import Square

WAYS: Mapping[str, str] = {"shoot": "shot", "melee": "melee", "broadside": "fire"}
"""What each attack is to the rules, by what is picked."""
Offers = Iterable[tuple[str, str]]
"""What is shown and what it stands for."""


class Typed:
    """The options of a command that are typed so far."""

    def __init__(self, namespace: object) -> None:
        self._namespace = namespace

    def get(self, name: str) -> str | None:
        """Return an option; None where nothing is typed for it."""
        value = getattr(self._namespace, name, None)
        return str(value) if value else None


def _units(seen: SeenBattle, _typed: Typed, _word: str) -> Offers:
    """Offer the units that can still act, of the person's side in its half of the turn."""
    if seen.battle.fight.active not in seen.sides:
        return []
    return _labelled(seen, seen.choices.able())


def _shown(seen: SeenBattle, _typed: Typed, _word: str) -> Offers:
    return _labelled(seen, seen.battle.fight.units)


def _all_units(seen: SeenBattle, _typed: Typed, _word: str) -> Offers:
    return _labelled(seen, seen.battle.fight.units) if seen.seen.leads else []


def _tiles(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    unit = _unit(seen, typed)
    return [] if unit is None else [(str(tile), str(tile)) for tile in seen.choices.tiles(unit)]


def _free_tiles(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    unit = _unit(seen, typed) if seen.seen.leads else None
    return [] if unit is None else [(str(tile), str(tile)) for tile in seen.choices.free_tiles(unit)]


def _attacks(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    unit = _unit(seen, typed)
    able = () if unit is None else tuple(seen.choices.attacks(unit))
    return [(label, value) for value, label in ORDERS.items() if WAYS[value.removesuffix(THEN_MOVE)] in able]


def _targets(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    unit, way = _unit(seen, typed), WAYS.get(_act(typed).family, "shot")
    if unit is None or way == "fire":
        return []
    return _labelled(seen, seen.choices.targets(unit, way, _first_to(seen, typed)))


def _partners(seen: SeenBattle, typed: Typed, word: str) -> Offers:
    unit, target = _unit(seen, typed), _unit(seen, typed, "target")
    if unit is None or target is None:
        return []
    names, before = seen.labels(), word.rpartition(",")[0]
    chosen = [meant(names, seen.battle.fight, other) for other in before.split(",") if other.strip()]
    able = seen.choices.partners(unit, target, chosen, _first_to(seen, typed))
    return options.completing_last(word, (names[name] for name in sorted(able, key=in_order)))


def _calls(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    target = _unit(seen, typed, "target")
    return [] if target is None else [(call, call) for call in seen.choices.calls(target)]


def _directions(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    unit = _unit(seen, typed)
    if unit is None:
        return []
    return [(way, way) for way in seen.choices.directions(unit, _first_to(seen, typed))]


def _sides(seen: SeenBattle, _typed: Typed, _word: str) -> Offers:
    return [(seen.called(side), seen.called(side)) for side in seen.sides]


def _panels(seen: SeenBattle, typed: Typed, _word: str) -> Offers:
    """Offer where a beaten force can go, or where a game master can send it."""
    named = typed.get("force")
    forces = [item for item in beaten(seen) if named in {None, item.name}]
    free = {at for item in forces for at in seen.choices.retreats(item) or seen.choices.shelters(item)}
    return [(str(at), str(at)) for at in sorted(free)]


def _forces(seen: SeenBattle, _typed: Typed, _word: str) -> Offers:
    return [(item.name, item.name) for item in beaten(seen)]


def _labelled(seen: SeenBattle, units: Iterable[str]) -> Offers:
    """Return units by what they are called, shown with their tiles."""
    names, board = seen.labels(), seen.battle.fight.units
    ordered = sorted(units, key=in_order)
    return [(f"{names.get(name, name)} ({board[name].at})", names.get(name, name)) for name in ordered]


def _unit(seen: SeenBattle, typed: Typed, option: str = "unit") -> str | None:
    named = typed.get(option)
    return None if named is None else meant(seen.labels(), seen.battle.fight, named)


def _act(typed: Typed) -> TypedAct:
    given = {name: typed.get(name) for name in ("to", "attack", "target", "call", "toward")}
    return TypedAct(typed.get("unit") or "", **given)


def _first_to(seen: SeenBattle, typed: Typed) -> Square | None:
    """Return the tile to which a unit goes before it attacks, if any."""
    act = _act(typed)
    return None if act.to is None or act.attacks_first else seen.choices.tile(act.to)


class _Completer(options.Completed):
    """Something of a battle that is possible now; `whole` where the option is completed as one word."""

    def __init__(
        self,
        offers: Callable[[SeenBattle, Typed, str], Offers],
        decorated: re.Pattern[str] = re.compile(r"\)$"),
        *,
        whole: bool = True,
    ) -> None:
        super().__init__(partial(_complete, offers, whole=whole), decorated)


async def _complete(
    offers: Callable[[SeenBattle, Typed, str], Offers], at: options.Completion, current: str, *, whole: bool
) -> options.Completions:
    """Return what contains what is typed; where no battle or unit is meant so far, that is refused, and nothing is offered."""
    typed = Typed(at.interaction.namespace)
    where = Where.typed(at.interaction, typed.get("battle"))
    read = partial(_offered, where=where, typed=typed, word=current, offers=offers)
    shown = await at.desk.database.read(read, at.desk.resolver.library, at.person)
    wanted = current.casefold().strip() if whole else ""
    return [pair for pair in shown if wanted in pair[0].casefold()]


def _offered(
    tx: Connection,
    library: Library,
    who: Person,
    *,
    where: Where,
    typed: Typed,
    word: str,
    offers: Callable[[SeenBattle, Typed, str], Offers],
) -> Sequence[tuple[str, str]]:
    return [*offers(battle_of(where, tx, library, who), typed, word)]


async def _complete_battle(at: options.Completion, current: str) -> options.Completions:
    asked = at.desk.resolver.library, at.person, channels(at.interaction)
    shown = await at.desk.database.read(_battles, *asked)
    return [pair for pair in shown if current in pair[0]]


def _battles(tx: Connection, library: Library, who: Person, where: Sequence[int]) -> list[tuple[str, str]]:
    seen = wars.running(tx, library, who, locate(tx, who.guild_id, where))
    battles = {} if seen is None else seen.seen.battles
    return [(f"{at}: turn {battle.fight.turn}", str(at)) for at, battle in battles.items()]


Battle = Annotated[str, options.Completed(_complete_battle, re.compile(": "))]
Unit = Annotated[str, _Completer(_units)]
ShownUnit = Annotated[str, _Completer(_shown)]
AnyUnit = Annotated[str, _Completer(_all_units)]
Tile = Annotated[str, _Completer(_tiles)]
FreeTile = Annotated[str, _Completer(_free_tiles)]
Attack = Annotated[str, _Completer(_attacks, options.ANYTHING)]
Target = Annotated[str, _Completer(_targets)]
Partners = Annotated[str, _Completer(_partners, whole=False)]
Call = Annotated[str, _Completer(_calls)]
Direction = Annotated[str, _Completer(_directions)]
Side = Annotated[str, _Completer(_sides)]
Panel = Annotated[str, _Completer(_panels)]
Force = Annotated[str, _Completer(_forces)]
