"""Completions for wars and battles: only what the person sees and can do."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Annotated

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war import battles, sheets, wars
from bot.core.errors import MissingInput
from bot.core.library import Library
from bot.core.permissions import Person
from bot.rolls import options
from bot.ui import parsing
from rules.books.total_war.battles import find_unit, unit_sort_key
from rules.geometry import Square

Pairs = Iterable[tuple[str, str]]
"""Shown text and its meaning."""


async def _complete_war(
    offered: Callable[[wars.RunningWar, options.Completion], Iterable[str]],
    at: options.Completion,
    current: str,
    *,
    fits: bool = False,
) -> options.Completions:
    seen = await at.desk.database.read(wars.find_war, at.desk.resolver.library, at.person, at.campaign)
    labels = offered(seen, at) if seen else ()
    return _pairs(labels) if fits else options.filter_labels(current, labels)


def _factions(seen: wars.RunningWar, _at: options.Completion) -> Iterable[str]:
    return (item.name for item in seen.seen.factions.values())


def _forces(seen: wars.RunningWar, _at: options.Completion) -> Iterable[str]:
    return seen.seen.forces


def _sheets(seen: wars.RunningWar, _at: options.Completion) -> Iterable[str]:
    return sheets.names(seen)


def _values(seen: wars.RunningWar, at: options.Completion) -> Iterable[str]:
    if not seen.leads:
        return ()
    list_settings = import_module("rules.books.total_war.actions").list_settings  # loads with the first setting
    fitting = list_settings(seen.rules, seen.war, at.read_option("what"), at.read_option("to"))
    return islice((text for text in fitting if len(text) <= parsing.MAX_CHOICE), parsing.MAX_CHOICES)


def _pairs(items: Iterable[object]) -> list[tuple[str, str]]:
    return [(str(item), str(item)) for item in items]


async def _complete_battle(at: options.Completion, current: str) -> options.Completions:
    seen = await at.desk.database.read(wars.find_war, at.desk.resolver.library, at.person, at.campaign)
    fought = seen.seen.battles if seen else {}
    shown = [(f"{place}: turn {battle.fight.turn}", str(place)) for place, battle in fought.items()]
    return [pair for pair in shown if current in pair[0]]


WAYS: Mapping[str, str] = {"shoot": "shot", "melee": "melee", "broadside": "fire"}
"""The attack for the rules, by what is picked."""


class TypedBattleCommand(Struct, frozen=True):
    """A battle command being typed: the battle, options so far, and the word."""

    seen: battles.SeenBattle
    at: options.Completion
    word: str

    def unit(self, option: str = "unit") -> str:
        """Return an option's unit id; nothing is offered before that."""
        named = self.at.read_option(option)
        if not named:
            raise MissingInput("Which unit?")
        return self.seen.unit(named)

    @property
    def act(self) -> battles.UnitActRequest:
        """The unit's act so far."""
        given = {name: self.at.read_option(name) or None for name in ("to", "attack", "target", "call", "toward")}
        return battles.UnitActRequest(self.at.read_option("unit"), **given)

    @property
    def first_to(self) -> Square | None:
        """The tile it moves to before attacking."""
        act = self.act
        tile: Square | None = None if act.to is None or act.attacks_first else self.seen.choices.tile(act.to)
        return tile

    def label_units(self, units: Iterable[str]) -> Pairs:
        """Return units by label, with their tiles."""
        names, board = self.seen.labels(), self.seen.battle.fight.units
        ordered = sorted(units, key=unit_sort_key)
        return [(f"{names.get(name, name)} ({board[name].at})", names.get(name, name)) for name in ordered]


def _able_units(typing: TypedBattleCommand) -> Pairs:
    seen = typing.seen
    return typing.label_units(seen.choices.able()) if seen.battle.fight.active in seen.sides else []


def _board_units(typing: TypedBattleCommand) -> Pairs:
    return typing.label_units(typing.seen.battle.fight.units)


def _all_units(typing: TypedBattleCommand) -> Pairs:
    return _board_units(typing) if typing.seen.running.leads else []


def _tiles(typing: TypedBattleCommand) -> Pairs:
    return _pairs(typing.seen.choices.tiles(typing.unit()))


def _free_tiles(typing: TypedBattleCommand) -> Pairs:
    return _pairs(typing.seen.choices.free_tiles(typing.unit())) if typing.seen.running.leads else []


def _attacks(typing: TypedBattleCommand) -> Pairs:
    able = tuple(typing.seen.choices.attacks(typing.unit()))
    return [
        (label, value) for value, label in battles.ORDERS.items() if WAYS[value.removesuffix(battles.THEN_MOVE)] in able
    ]


def _targets(typing: TypedBattleCommand) -> Pairs:
    unit, way = typing.unit(), WAYS.get(typing.act.family, "shot")
    return [] if way == "fire" else typing.label_units(typing.seen.choices.targets(unit, way, typing.first_to))


def _partners(typing: TypedBattleCommand) -> Pairs:
    seen, unit, target = typing.seen, typing.unit(), typing.unit("target")
    names, before = seen.labels(), typing.word.rpartition(",")[0]
    chosen = [find_unit(names, seen.battle.fight, other) for other in before.split(",") if other.strip()]
    able = seen.choices.partners(unit, target, chosen, typing.first_to)
    return options.complete_last(typing.word, (names[name] for name in sorted(able, key=unit_sort_key)))


def _calls(typing: TypedBattleCommand) -> Pairs:
    return _pairs(typing.seen.choices.calls(typing.unit("target")))


def _directions(typing: TypedBattleCommand) -> Pairs:
    return _pairs(typing.seen.choices.directions(typing.unit(), typing.first_to))


def _sides(typing: TypedBattleCommand) -> Pairs:
    return _pairs(map(typing.seen.side_label, typing.seen.sides))


def _panels(typing: TypedBattleCommand) -> Pairs:
    named, choices = typing.at.read_option("force"), typing.seen.choices
    forces = [item for item in battles.own_beaten(typing.seen) if named in {"", item.name}]
    return _pairs(sorted({at for item in forces for at in choices.retreats(item) or choices.shelters(item)}))


def _beaten_forces(typing: TypedBattleCommand) -> Pairs:
    return _pairs(item.name for item in battles.own_beaten(typing.seen))


async def _complete_act(
    offers: Callable[[TypedBattleCommand], Pairs], at: options.Completion, current: str, *, whole: bool = True
) -> options.Completions:
    where = battles.BattlePlace.read(at.interaction, at.read_option("battle") or None)
    read = partial(_read_offers, offers, where, at, current)
    shown = await at.desk.database.read(read, at.desk.resolver.library, at.person)
    wanted = current.casefold().strip() if whole else ""
    return [pair for pair in shown if wanted in pair[0].casefold()]


def _read_offers(
    offers: Callable[[TypedBattleCommand], Pairs],
    where: battles.BattlePlace,
    at: options.Completion,
    word: str,
    tx: Connection,
    library: Library,
    who: Person,
) -> Sequence[tuple[str, str]]:
    return [*offers(TypedBattleCommand(battles.battle_of(where, tx, library, who), at, word))]


_TILE_BEHIND = re.compile(r"\)$")
Faction = Annotated[str, options.Completed(partial(_complete_war, _factions))]
Force = Annotated[str, options.Completed(partial(_complete_war, _forces))]
What = Annotated[str, options.Completed(partial(_complete_war, _sheets))]
Value = Annotated[str, options.Completed(partial(_complete_war, _values, fits=True))]
Battle = Annotated[str, options.Completed(_complete_battle, re.compile(": "))]
Unit = Annotated[str, options.Completed(partial(_complete_act, _able_units), _TILE_BEHIND)]
ShownUnit = Annotated[str, options.Completed(partial(_complete_act, _board_units), _TILE_BEHIND)]
AnyUnit = Annotated[str, options.Completed(partial(_complete_act, _all_units), _TILE_BEHIND)]
Tile = Annotated[str, options.Completed(partial(_complete_act, _tiles), _TILE_BEHIND)]
FreeTile = Annotated[str, options.Completed(partial(_complete_act, _free_tiles), _TILE_BEHIND)]
Attack = Annotated[str, options.Completed(partial(_complete_act, _attacks), options.ANYTHING)]
Target = Annotated[str, options.Completed(partial(_complete_act, _targets), _TILE_BEHIND)]
Partners = Annotated[str, options.Completed(partial(_complete_act, _partners, whole=False), _TILE_BEHIND)]
Call = Annotated[str, options.Completed(partial(_complete_act, _calls), _TILE_BEHIND)]
Direction = Annotated[str, options.Completed(partial(_complete_act, _directions), _TILE_BEHIND)]
Side = Annotated[str, options.Completed(partial(_complete_act, _sides), _TILE_BEHIND)]
Panel = Annotated[str, options.Completed(partial(_complete_act, _panels), _TILE_BEHIND)]
BeatenForce = Annotated[str, options.Completed(partial(_complete_act, _beaten_forces), _TILE_BEHIND)]
