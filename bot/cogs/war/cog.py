"""`/war` and `/battle`: a war on a map, and acts in its battles."""

from collections.abc import Callable

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.war import boards, completions, maps, rulings, scenarios, sheets
from bot.cogs.war.battles import BattlePlace, UnitActRequest
from bot.cogs.war.wars import Layer
from bot.rolls.options import CARD_OR_NOW
from bot.rolls.request import RollCommand
from bot.ui.parsing import GAME_MASTERS, Form, Text, describe, fill_form, option
from rules.books.total_war.order_kinds import EXAMPLES


class JoinForm(Form):
    """The options of `/war join`."""

    faction: completions.Faction = option("The faction to join")
    player: discord.Member | None = option("Who joins. Default: you. Game masters can add others", default=None)
    callsign: Range[str, 1, 60] | None = option(
        "The character. Default: your only one. A new name is saved", default=None
    )


class MapForm(Form):
    """The options of `/war map`."""

    layer: Layer = option("What the map shows. captured: panels that changed hands this update", default="control")
    force: completions.Force | None = option("A force, to see where it can go and what it would capture", default=None)
    faction: completions.Faction | None = option("Game masters only: show what this faction sees", default=None)


class SetForm(Form):
    """The options of `/war set`."""

    what: str = option("What to set", choices=[*EXAMPLES])
    to: completions.Value = option("The new value. Suggestions fit this war")
    reason: Text = option("Your reason, kept in the ledger")


@app_commands.guild_only()
class WarCog(app_commands.Group, name="war", description="Total War: factions, forces and panels on a map"):
    """Wars."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(scenario="A scenario as a TOML file, up to 128 KiB. Default: the bot's example")
    async def new(self, interaction: Interaction, scenario: discord.Attachment | None = None) -> None:
        """Preview a scenario with its map, then start the war."""
        await scenarios.new(interaction, scenario)

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinForm) -> None:
        """Join a faction. Its first player leads it and its forces."""
        await rulings.join(interaction, form.faction, form.player, form.callsign)

    @app_commands.command()
    @describe(what="A faction, force, player, pilot or panel such as 4,-1. Default: the whole war")
    async def show(self, interaction: Interaction, what: completions.What | None = None) -> None:
        """Show the war, or a faction, force, player or panel."""
        await sheets.show(interaction, what)

    @app_commands.command(name="map")
    @fill_form
    async def map_(self, interaction: Interaction, form: MapForm) -> None:
        """Show the strategy map as you see it."""
        await maps.show_map(interaction, form.layer, form.force, form.faction)

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


LANE = option("The lane a warship fires down", default=None)


class WarBattleForm(Form):
    """The option that battle commands share."""

    battle: completions.Battle | None = option(
        "The battle's panel. Default: this thread's battle, or your only one", default=None
    )

    def where(self, interaction: Interaction) -> BattlePlace:
        """Return where it was typed, and the named battle."""
        return BattlePlace.read(interaction, self.battle)

    async def answer(self, interaction: Interaction, made: Callable[..., RollCommand]) -> None:
        """Answer with the roll of the other options."""
        await boards.roll(interaction, self.where(interaction), made, **self.collect_values("battle"))


class UnitActForm(WarBattleForm):
    """The options of `/battle act`."""

    unit: completions.Unit = option("The unit, such as u12")
    to: completions.Tile | None = option("The tile to move to", default=None)
    attack: completions.Attack | None = option("Kind of attack, and whether it comes before the move", default=None)
    target: completions.Target | None = option("The unit to attack", default=None)
    others: completions.Partners | None = option(
        "Units next to the target that add their attack, separated by commas", default=None, name="with"
    )
    call: completions.Call | None = option("Heads or tails, for the coin in melee", default=None)
    toward: completions.Direction | None = LANE
    roll: str | None = option(
        "Open a card with the odds, or roll now. A plain move needs no card", default=None, choices=CARD_OR_NOW
    )
    dice: str | None = option(
        "Game masters only: dice rolled by hand, such as 5 3 d100: 40 d2: 1 (1 is heads)", default=None
    )


class BoardForm(WarBattleForm):
    """The options of `/battle show`."""

    unit: completions.ShownUnit | None = option("A unit, to see what it can do", default=None)
    to: completions.Tile | None = option("A tile it would move to first", default=None)
    toward: completions.Direction | None = LANE


class WithdrawForm(WarBattleForm):
    """The options of `/battle withdraw`."""

    side: completions.Side | None = option("The side. Default: yours. Game masters can pick any", default=None)


class RetreatForm(WarBattleForm):
    """The options of `/battle retreat`."""

    to: completions.Panel | None = option(
        "The panel to retreat to. If none is free, leave it empty: the force is lost", default=None
    )
    force: completions.BeatenForce | None = option("The force. Default: your only one that must retreat", default=None)


class PlaceForm(WarBattleForm):
    """The options of `/battle place`."""

    unit: completions.AnyUnit = option("The unit to place")
    tile: completions.FreeTile = option("A free tile")


class ConditionForm(WarBattleForm):
    """The options of `/battle condition`."""

    side: completions.Side = option("The side that met the condition")


@app_commands.guild_only()
class BattleCog(app_commands.Group, name="battle", description="Total War: battles on a board"):
    """Battles of a war."""

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: UnitActForm) -> None:
        """Move a unit, attack, or both, in its half of the turn."""
        await boards.act(interaction, form.where(interaction), UnitActRequest(**form.collect_values("battle")))

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
