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
from bot.ui.commands import describe

WHICH = "Which battle, by its panel; that of this thread, or your only one, when left out"


@app_commands.guild_only()
class BattleCog(app_commands.Group, name="battle", description="Total War: battles on a board, act by act"):
    """Battles of a war."""

    @app_commands.command()
    @app_commands.rename(others="with")
    @describe(
        unit="The unit that acts",
        to="The tile to which it goes",
        attack="How it attacks, and whether it moves after that",
        target="Whom it attacks",
        others="Units beside the target that add their attack to it, parted by commas",
        call="What is called for the coin in melee",
        toward="Down which lane a warship fires",
        roll="A card with the odds, or at once; what only moves is done at once",
        dice="Faces rolled by hand: 5 3 d100: 40 d2: 1, which is heads (game masters); rolls at once",
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
        """Let a unit move, attack, or both, in its side's half of the turn."""
        asked = TypedAct(unit, to, attack, target, others, call, toward, roll, dice)
        await acts.act(interaction, Where.typed(interaction, battle), asked)

    @app_commands.command()
    @describe(
        unit="Show what this unit can do",
        to="Where it goes first",
        toward="Down which lane a warship fires",
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
        """Show the board of a battle, and what you can do there."""
        await panel.show(interaction, Where.typed(interaction, battle), Reach(unit, to, toward))

    @app_commands.command(name="next")
    @describe(battle=WHICH)
    async def next_(self, interaction: Interaction, battle: Battle | None = None) -> None:
        """End your side's half of the turn."""
        await panel.end_half(interaction, Where.typed(interaction, battle), typed.end_half, None, None)

    @app_commands.command()
    @describe(side="Which side; yours when left out (others: game masters)", battle=WHICH)
    async def withdraw(self, interaction: Interaction, side: Side | None = None, battle: Battle | None = None) -> None:
        """Withdraw from a battle, at any time; you are asked once."""
        await panel.ask_withdrawal(interaction, Where.typed(interaction, battle), side)

    @app_commands.command()
    @describe(
        to="The panel to which it goes; none where no panel is free, which gives it up",
        force="The force; your only one that has to retreat when left out",
        battle=WHICH,
    )
    async def retreat(
        self,
        interaction: Interaction,
        to: Panel | None = None,
        force: Force | None = None,
        battle: Battle | None = None,
    ) -> None:
        """Say where a beaten force goes."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.retreat, to, force))

    @app_commands.command()
    @describe(unit="The unit", tile="The tile", battle=WHICH)
    async def place(
        self, interaction: Interaction, unit: AnyUnit, tile: FreeTile, battle: Battle | None = None
    ) -> None:
        """Put a unit on another tile, which is no move of its (game masters)."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.place, unit, tile))

    @app_commands.command()
    @describe(side="The side that has met it", battle=WHICH)
    async def condition(self, interaction: Interaction, side: Side, battle: Battle | None = None) -> None:
        """End a battle whose special condition a side has met (game masters)."""
        await panel.roll(interaction, Where.typed(interaction, battle), partial(typed.condition, side))
