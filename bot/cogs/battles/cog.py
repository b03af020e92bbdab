"""`/events`: battles with random events, their rosters, the check of each turn, and what is in force."""

from discord import app_commands
from discord.app_commands import Choice, Range

from bot.client import Interaction
from bot.cogs.battles import panel, service
from bot.cogs.battles import units as roster
from bot.cogs.battles.completions import BattleName, EventKey, RosterUnit, RosterUnits, SideName, how_of
from bot.cogs.battles.service import UseOptions
from bot.cogs.battles.transaction import FAMILY
from bot.cogs.battles.turn_check import CheckOptions
from bot.rolls.options import picked_fields
from bot.ui.commands import describe
from bot.ui.parsing import MAX_TEXT

BATTLE = "The battle; the only one there is when left out"
ACTIONS = [Choice(name=f"{action} a battle", value=action) for action in ("start", "end")]
ACTIONS.append(Choice(name="list all battles", value="list"))
MODES = [
    Choice(name="a die for each unit, a d100 for each 1", value="unit"),
    Choice(name="one d100 for each side", value="side"),
]
HOW = [
    Choice(name="by a token of the side (event 54)", value="token"),
    Choice(name="its condition has come about (events 4 and 45)", value="condition"),
    Choice(name="cancelled by the game master, with a reason", value="cancel"),
]
TAGS = {
    "missile": "Whether it can fire missiles",
    "flying": "Whether it flies",
    "caster": "Whether it has a caster",
    "spells": "How many spells its caster still has; leave it out where nobody counts",
}
Spells = Range[int, 0, 99]
Reason = Range[str, 1, MAX_TEXT]

OPENED = {"family": FAMILY}
"""Tells of a command that it comes with this roll, where that is open to players."""


@app_commands.guild_only()
class EventsCog(app_commands.Group, name="events", description="Random events of a battle's turns"):
    """Random events."""

    unit = app_commands.Group(name="unit", description="Who stands in a battle")

    @app_commands.command()
    @describe(action="What to do", name="What the battle is called", sides="Its two sides, parted by a comma: Zeon, EF")
    @app_commands.choices(action=ACTIONS)
    async def battle(
        self, interaction: Interaction, action: str, name: BattleName | None = None, sides: str | None = None
    ) -> None:
        """Begin or end a battle (game masters), or list all."""
        if action == "list":
            await panel.show_battles(interaction)
        elif action == "start":
            await panel.change(interaction, service.start, name, sides)
        else:
            await panel.end(interaction, name)

    @unit.command(extras=OPENED)
    @describe(units="One unit, or several alike parted by commas", side="Their side", battle=BATTLE, **TAGS)
    async def add(
        self,
        interaction: Interaction,
        units: str,
        side: SideName,
        battle: BattleName | None = None,
        *,
        missile: bool = False,
        flying: bool = False,
        caster: bool = False,
        spells: Spells | None = None,
    ) -> None:
        """Let units join a side of a battle."""
        fields = picked_fields(side=side, missile=missile, flying=flying, caster=caster, spells=spells)
        await panel.change(interaction, roster.add, battle, units, fields)

    @unit.command(extras=OPENED)
    @describe(
        unit="Which unit",
        side="Its side from now on",
        foe="The enemy that was closest when it was given its grudge (event 4), which ends with that enemy",
        battle=BATTLE,
        **TAGS,
    )
    async def edit(
        self,
        interaction: Interaction,
        unit: RosterUnit,
        battle: BattleName | None = None,
        side: SideName | None = None,
        foe: RosterUnit | None = None,
        *,
        missile: bool | None = None,
        flying: bool | None = None,
        caster: bool | None = None,
        spells: Spells | None = None,
    ) -> None:
        """Change the side, tags or spells of a unit."""
        fields = picked_fields(side=side, foe=foe, missile=missile, flying=flying, caster=caster, spells=spells)
        await panel.change(interaction, roster.edit, battle, unit, fields)

    @unit.command(extras=OPENED)
    @describe(units="One unit, or several parted by commas", battle=BATTLE)
    async def remove(self, interaction: Interaction, units: RosterUnits, battle: BattleName | None = None) -> None:
        """Take units off the roster that are destroyed or off the map, with all that is in force on them."""
        await panel.change(interaction, roster.remove, battle, units)

    @unit.command(name="list")
    @describe(battle=BATTLE)
    async def list_units(self, interaction: Interaction, battle: BattleName | None = None) -> None:
        """List who stands in a battle, in the order in which the units roll."""
        await panel.show_roster(interaction, battle)

    @app_commands.command(extras=OPENED)
    @describe(
        battle=BATTLE,
        mode="How it is rolled; a die for each unit when left out",
        side="Only the units of this side",
        faces="Dice of your own: 1 3 4 2, d100: 42 7, d8: 3; what you leave out I draw (game masters)",
        reason="Why a turn is checked once more (game masters)",
    )
    @app_commands.choices(mode=MODES)
    async def roll(
        self,
        interaction: Interaction,
        battle: BattleName | None = None,
        mode: str = "unit",
        side: SideName | None = None,
        faces: str | None = None,
        reason: Reason | None = None,
    ) -> None:
        """Check this turn's random events, for all units at once."""
        await panel.roll(interaction, CheckOptions(battle, mode, side, reason, faces))

    @app_commands.command()
    @describe(battle=BATTLE)
    async def active(self, interaction: Interaction, battle: BattleName | None = None) -> None:
        """Show what is in force on whom and for how long, the sums of ML, AR and AD, and the tokens held."""
        await panel.show_active(interaction, battle)

    @app_commands.command(extras=OPENED)
    @describe(
        event="An event that is in force, or what one has cost at once",
        battle=BATTLE,
        how="By a token of the side when left out; whoever may roll random events may spend it",
        reason="Why the game master cancels it; kept for the staff",
    )
    @app_commands.choices(how=HOW)
    async def use(
        self,
        interaction: Interaction,
        event: EventKey,
        battle: BattleName | None = None,
        how: str = "token",
        reason: Reason | None = None,
    ) -> None:
        """Let a side ignore an event by its token, or end an event otherwise."""
        await panel.use(interaction, battle, UseOptions(event, how_of(how), reason))

    @app_commands.command(extras=OPENED)
    @describe(battle=BATTLE, end_battle="Whether the battle is over with it (game masters)")
    async def turn(
        self, interaction: Interaction, battle: BattleName | None = None, *, end_battle: bool = False
    ) -> None:
        """End the turn of a battle and begin the next."""
        if end_battle:
            await panel.end(interaction, battle)
        else:
            await panel.end_turn(interaction, battle)

    @app_commands.command()
    @describe(number="The number on the d100; the whole table when left out")
    async def table(self, interaction: Interaction, number: Range[int, 1, 100] | None = None) -> None:
        """Look up an event, or page through all of them."""
        await panel.show_table(interaction, number)
