"""`/battle`: what units do on a board, act by act; how a board stands; what game masters do there."""

from functools import partial

from discord import app_commands

from bot.client import Interaction
from bot.cogs.war.battle import acts, panel, typed
from bot.cogs.war.battle.attacks import TypedAct
from bot.cogs.war.battle.completions import (
    AnyUnit,
    Attack,
    Battle,
    Call,
    Direction,
    Force,
    FreeTile,
    Panel,
    Partners,
    ShownUnit,
    Side,
    Target,
    Tile,
    Unit,
)
from bot.cogs.war.battle.found import Where
from bot.cogs.war.battle.panel import Reach
from bot.rolls import options
from bot.ui.commands import GAME_MASTERS, describe

WHICH = "The battle's panel. Default: this thread's battle, or your only one"


@app_commands.guild_only()
class BattleCog(app_commands.Group, name="battle", description="Total War: battles on a board"):
    """Battles of a war."""

    @app_commands.command()
    @app_commands.rename(others="with")
    @describe(
        unit="The unit, such as u12",
        to="The tile to move to",
        attack="Kind of attack, and whether it comes before the move",
        target="The unit to attack",
        others="Units next to the target that add their attack, separated by commas",
        call="Heads or tails, for the coin in melee",
        toward="The lane a warship fires down",
        roll="Open a card with the odds, or roll now. A plain move needs no card",
        dice="Game masters only: dice rolled by hand, such as 5 3 d100: 40 d2: 1 (1 is heads)",
        battle=WHICH,
    )
    @app_commands.choices(roll=options.ROLL)
    async def act(
        self,
        interaction: Interaction,
        unit: Unit,
        to: Tile | None = None,
        attack: Attack | None = None,
        target: Target | None = None,
        others: Partners | None = None,
        call: Call | None = None,
        toward: Direction | None = None,
        roll: str | None = None,
        dice: str | None = None,
        battle: Battle | None = None,
    ) -> None:
        """Move a unit, attack, or both, in its half of the turn."""
        asked = TypedAct(unit, to, attack, target, others, call, toward, roll, dice)
        await acts.act(interaction, Where.typed(interaction, battle), asked)

    @app_commands.command()
    @describe(
        unit="A unit, to see what it can do",
        to="A tile it would move to first",
        toward="The lane a warship fires down",
        battle=WHICH,
    )
    async def show(
        self,
        interaction: Interaction,
        unit: ShownUnit | None = None,
        to: Tile | None = None,
        toward: Direction | None = None,
        battle: Battle | None = None,
    ) -> None:
        """Show a battle's board and what you can do there."""
        await panel.show(interaction, Where.typed(interaction, battle), Reach(unit, to, toward))

    @app_commands.command(name="next")
    @describe(battle=WHICH)
    async def next_(self, interaction: Interaction, battle: Battle | None = None) -> None:
        """End your side's half of the turn."""
        await panel.end_half(interaction, Where.typed(interaction, battle), typed.end_half, None, None)

    @app_commands.command()
    @describe(side="The side. Default: yours. Game masters can pick any", battle=WHICH)
    async def withdraw(self, interaction: Interaction, side: Side | None = None, battle: Battle | None = None) -> None:
        """Withdraw your side from a battle."""
        await panel.ask_withdrawal(interaction, Where.typed(interaction, battle), side)

    @app_commands.command()
    @describe(
        to="The panel to retreat to. If none is free, leave it empty: the force is lost",
        force="The force. Default: your only one that must retreat",
        battle=WHICH,
    )
    async def retreat(
        self,
        interaction: Interaction,
        to: Panel | None = None,
        force: Force | None = None,
        battle: Battle | None = None,
    ) -> None:
        """Pick where a beaten force retreats to."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.retreat, to, force))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(unit="The unit to place", tile="A free tile", battle=WHICH)
    async def place(
        self, interaction: Interaction, unit: AnyUnit, tile: FreeTile, battle: Battle | None = None
    ) -> None:
        """Place a unit on a tile without using its move."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.place, unit, tile))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(side="The side that met the condition", battle=WHICH)
    async def condition(self, interaction: Interaction, side: Side, battle: Battle | None = None) -> None:
        """End a battle whose special condition a side has met."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.condition, side))
