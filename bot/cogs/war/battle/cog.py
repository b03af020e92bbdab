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
from bot.rolls.options import CARD_OR_NOW
from bot.ui.commands import GAME_MASTERS
from bot.ui.form import Form, fill_form, option

LANE = option("The lane a warship fires down", default=None)
BATTLE = option("The battle's panel. Default: this thread's battle, or your only one", default=None)


class BattleActForm(Form):
    """The options of `/battle act`."""

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
        "Open a card with the odds, or roll now. A plain move needs no card", default=None, choices=CARD_OR_NOW
    )
    dice: str | None = option(
        "Game masters only: dice rolled by hand, such as 5 3 d100: 40 d2: 1 (1 is heads)", default=None
    )
    battle: Battle | None = BATTLE


class ShowBattleForm(Form):
    """The options of `/battle show`."""

    unit: ShownUnit | None = option("A unit, to see what it can do", default=None)
    to: Tile | None = option("A tile it would move to first", default=None)
    toward: Direction | None = LANE
    battle: Battle | None = BATTLE


class NextForm(Form):
    """The option of `/battle next`."""

    battle: Battle | None = BATTLE


class WithdrawForm(Form):
    """The options of `/battle withdraw`."""

    side: Side | None = option("The side. Default: yours. Game masters can pick any", default=None)
    battle: Battle | None = BATTLE


class RetreatForm(Form):
    """The options of `/battle retreat`."""

    to: Panel | None = option(
        "The panel to retreat to. If none is free, leave it empty: the force is lost", default=None
    )
    force: Force | None = option("The force. Default: your only one that must retreat", default=None)
    battle: Battle | None = BATTLE


class PlaceForm(Form):
    """The options of `/battle place`."""

    unit: AnyUnit = option("The unit to place")
    tile: FreeTile = option("A free tile")
    battle: Battle | None = BATTLE


class ConditionForm(Form):
    """The options of `/battle condition`."""

    side: Side = option("The side that met the condition")
    battle: Battle | None = BATTLE


@app_commands.guild_only()
class BattleCog(app_commands.Group, name="battle", description="Total War: battles on a board"):
    """Battles of a war."""

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: BattleActForm) -> None:
        """Move a unit, attack, or both, in its half of the turn."""
        where = Where.typed(interaction, form.battle)
        await acts.act(interaction, where, TypedAct(**form.picked("battle")))

    @app_commands.command()
    @fill_form
    async def show(self, interaction: Interaction, form: ShowBattleForm) -> None:
        """Show a battle's board and what you can do there."""
        reach = Reach(form.unit, form.to, form.toward)
        await panel.show(interaction, Where.typed(interaction, form.battle), reach)

    @app_commands.command(name="next")
    @fill_form
    async def next_(self, interaction: Interaction, form: NextForm) -> None:
        """End your side's half of the turn."""
        await panel.end_half(interaction, Where.typed(interaction, form.battle), typed.end_half, None, None)

    @app_commands.command()
    @fill_form
    async def withdraw(self, interaction: Interaction, form: WithdrawForm) -> None:
        """Withdraw your side from a battle."""
        await panel.ask_withdrawal(interaction, Where.typed(interaction, form.battle), form.side)

    @app_commands.command()
    @fill_form
    async def retreat(self, interaction: Interaction, form: RetreatForm) -> None:
        """Pick where a beaten force retreats to."""
        read = partial(typed.retreat, form.to, form.force)
        await panel.roll(interaction, Where.typed(interaction, form.battle), read)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def place(self, interaction: Interaction, form: PlaceForm) -> None:
        """Place a unit on a tile without using its move."""
        read = partial(typed.place, form.unit, form.tile)
        await panel.roll(interaction, Where.typed(interaction, form.battle), read)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def condition(self, interaction: Interaction, form: ConditionForm) -> None:
        """End a battle whose special condition a side has met."""
        await panel.roll(interaction, Where.typed(interaction, form.battle), partial(typed.condition, form.side))
