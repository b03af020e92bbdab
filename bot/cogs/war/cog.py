"""`/war`, `/battle` and `/gm-war`: a war on a map and its battles; completions offer only what the person sees and can do."""

import asyncio
import re
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Annotated

import discord
from discord import app_commands
from discord.app_commands import Range
from msgspec import Struct

from bot.client import Interaction
from bot.cogs.war import battles, boards, maps, rulings, scenarios, sheets, wars
from bot.core.errors import MissingInput
from bot.rolls import options, request
from bot.rolls.desk import desk_of
from bot.ui import parsing
from bot.ui.parsing import GAME_MASTERS, Form, Text, describe, fill_form, option
from rules.books.total_war.battles import find_unit, unit_sort_key
from rules.books.total_war.order_kinds import EXAMPLES
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
        (label, value)
        for value, label in battles.ORDERS.items()
        if battles.WAYS[value.removesuffix(battles.THEN_MOVE)] in able
    ]


def _targets(typing: TypedBattleCommand) -> Pairs:
    unit, way = typing.unit(), battles.WAYS.get(typing.act.family, "shot")
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
    seen = await at.desk.database.read(partial(battles.battle_of, where), at.desk.resolver.library, at.person)
    shown = await asyncio.to_thread(offers, TypedBattleCommand(seen, at, current))
    wanted = current.casefold().strip() if whole else ""
    return [pair for pair in shown if wanted in pair[0].casefold()]


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


class JoinForm(Form):
    """Options of `/war join`."""

    faction: Faction = option("The faction to join")
    player: discord.Member | None = option("Who joins. Default: you. Game masters can add others", default=None)
    callsign: Range[str, 1, 60] | None = option(
        "The character. Default: your only one. A new name is saved", default=None
    )


class MapForm(Form):
    """Options of `/war map`."""

    layer: wars.Layer = option("What the map shows. captured: panels that changed hands this update", default="control")
    force: Force | None = option("A force, to see where it can go and what it would capture", default=None)
    faction: Faction | None = option("Game masters only: show what this faction sees", default=None)


class SetForm(Form):
    """Options of `/gm-war set`."""

    what: str = option("What to set", choices=[*EXAMPLES])
    to: Value = option("The new value. Suggestions fit this war")
    reason: Text = option("Your reason, kept in the ledger")


class WarCog(app_commands.Group, name="war", description="Total War: factions, forces and panels on a map"):
    """Wars."""

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinForm) -> None:
        """Join a faction. Its first player leads it and its forces."""
        await rulings.join(interaction, form.faction, form.player, form.callsign)

    @app_commands.command()
    @describe(what="A faction, force, player, pilot or panel such as 4,-1. Default: the whole war")
    async def show(self, interaction: Interaction, what: What | None = None) -> None:
        """Show the war, or a faction, force, player or panel."""
        await sheets.show(interaction, what)

    @app_commands.command(name="map")
    @fill_form
    async def map_(self, interaction: Interaction, form: MapForm) -> None:
        """Show the strategy map as you see it."""
        campaign = await desk_of(interaction).campaign(interaction)
        await maps.show_map(interaction, campaign, form.layer, form.force, form.faction)


LANE = option("The lane a warship fires down", default=None)


class WarBattleForm(Form):
    """The option that battle commands share."""

    battle: Battle | None = option("The battle's panel. Default: this thread's battle, or your only one", default=None)

    def where(self, interaction: Interaction) -> battles.BattlePlace:
        """Return where it was typed, and the named battle."""
        return battles.BattlePlace.read(interaction, self.battle)

    async def answer(self, interaction: Interaction, made: Callable[..., request.RollCommand]) -> None:
        """Answer with the options' roll."""
        await boards.roll(interaction, self.where(interaction), made, **self.collect_values("battle"))


class UnitActForm(WarBattleForm):
    """Options of `/battle act`."""

    unit: Unit = option("The unit, such as u12")
    to: Tile | None = option("The tile to move to", default=None)
    attack: Attack | None = option("Kind of attack, and whether it comes before the move", default=None)
    target: Target | None = option("The unit to attack", default=None)
    others: Partners | None = option(
        "Units next to the target that add their attack, separated by commas", default=None, name="with"
    )
    call: Call | None = option("Heads or tails, for the coin in melee", default=None)
    toward: Direction | None = LANE
    roll: str | None = option(
        "Open a card with the odds, or roll now. A plain move needs no card", default=None, choices=options.CARD_OR_NOW
    )
    dice: str | None = option(
        "Game masters only: dice rolled by hand, such as 5 3 d100: 40 d2: 1 (1 is heads)", default=None
    )


class BoardForm(WarBattleForm):
    """Options of `/battle show`."""

    unit: ShownUnit | None = option("A unit, to see what it can do", default=None)
    to: Tile | None = option("A tile it would move to first", default=None)
    toward: Direction | None = LANE


class WithdrawForm(WarBattleForm):
    """Options of `/battle withdraw`."""

    side: Side | None = option("The side. Default: yours. Game masters can pick any", default=None)


class RetreatForm(WarBattleForm):
    """Options of `/battle retreat`."""

    to: Panel | None = option(
        "The panel to retreat to. If none is free, leave it empty: the force is lost", default=None
    )
    force: BeatenForce | None = option("The force. Default: your only one that must retreat", default=None)


class PlaceForm(WarBattleForm):
    """Options of `/gm-war place`."""

    unit: AnyUnit = option("The unit to place")
    tile: FreeTile = option("A free tile")


class ConditionForm(WarBattleForm):
    """Options of `/gm-war condition`."""

    side: Side = option("The side that met the condition")


class BattleCog(app_commands.Group, name="battle", description="Total War: battles on a board"):
    """Battles of a war."""

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: UnitActForm) -> None:
        """Move a unit, attack, or both, in its half of the turn."""
        await boards.act(interaction, form.where(interaction), battles.UnitActRequest(**form.collect_values("battle")))

    @app_commands.command()
    @fill_form
    async def show(self, interaction: Interaction, form: BoardForm) -> None:
        """Show a battle's board and what you can do there."""
        await boards.show(interaction, form.where(interaction), form.unit, form.to, form.toward)

    @app_commands.command(name="next")
    @fill_form
    async def next_(self, interaction: Interaction, form: WarBattleForm) -> None:
        """End your side's half of the turn."""
        await boards.end_half(interaction, form.where(interaction))

    @app_commands.command()
    @fill_form
    async def withdraw(self, interaction: Interaction, form: WithdrawForm) -> None:
        """Withdraw your side from a battle."""
        await boards.ask_withdrawal(interaction, form.where(interaction), form.side)

    @app_commands.command()
    @fill_form
    async def retreat(self, interaction: Interaction, form: RetreatForm) -> None:
        """Pick where a beaten force retreats to."""
        await form.answer(interaction, boards.roll_retreat)


class GmWarCog(app_commands.Group, name="gm-war", description="Total War: start and rule a war"):
    """What game masters do in wars and battles."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(scenario="A scenario as a TOML file, up to 128 KiB. Default: the bot's example")
    async def new(self, interaction: Interaction, scenario: discord.Attachment | None = None) -> None:
        """Preview a scenario with its map, then start the war."""
        await scenarios.new(interaction, scenario)

    @app_commands.command(name="set", extras=GAME_MASTERS)
    @fill_form
    async def set_(self, interaction: Interaction, form: SetForm) -> None:
        """Set an owner, gold, a unit, a force, a rank and more."""
        await rulings.apply_setting(interaction, "set", form.reason, form.what, form.to)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(text="The ruling. To remove things, end it with remove: u12, u13 and 2,-1")
    async def rule(self, interaction: Interaction, text: Text) -> None:
        """Record a ruling, such as a superweapon's strike."""
        await rulings.apply_setting(interaction, "rule", text)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def place(self, interaction: Interaction, form: PlaceForm) -> None:
        """Place a unit on a tile without using its move."""
        await form.answer(interaction, boards.roll_placing)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def condition(self, interaction: Interaction, form: ConditionForm) -> None:
        """End a battle whose special condition a side has met."""
        await form.answer(interaction, boards.roll_condition)
