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

BATTLE = "The battle. Default: the only one"
ACTIONS = [Choice(name=f"{action} a battle", value=action) for action in ("start", "end")]
ACTIONS.append(Choice(name="list all battles", value="list"))
MODES = [
    Choice(name="a die for each unit, a d100 for each 1", value="unit"),
    Choice(name="one d100 for each side", value="side"),
]
HOW = [
    Choice(name="with the side's token, event 54", value="token"),
    Choice(name="its condition was met, events 4 and 45", value="condition"),
    Choice(name="cancelled by a game master, with a reason", value="cancel"),
]
TAGS = {
    "missile": "Whether it can fire missiles",
    "flying": "Whether it flies",
    "caster": "Whether it has a caster",
    "spells": "How many spells its caster has left. Leave empty if you don't count them",
}
Spells = Range[int, 0, 99]
Reason = Range[str, 1, MAX_TEXT]

OPENED = {"family": FAMILY}
"""Tells of a command that it comes with this roll, where that is open to players."""


@app_commands.guild_only()
class EventsCog(app_commands.Group, name="events", description="Random events in a battle's turns"):
    """Random events."""

    unit = app_commands.Group(name="unit", description="Units in a battle")

    @app_commands.command()
    @describe(action="What to do", name="The battle's name", sides="Its two sides, separated by a comma: Zeon, EF")
    @app_commands.choices(action=ACTIONS)
    async def battle(
        self, interaction: Interaction, action: str, name: BattleName | None = None, sides: str | None = None
    ) -> None:
        """Start, end or list battles with random events."""
        if action == "list":
            await panel.show_battles(interaction)
        elif action == "start":
            await panel.change(interaction, service.start, name, sides)
        else:
            await panel.end(interaction, name)

    @unit.command(extras=OPENED)
    @describe(units="Units of the same kind, separated by commas", side="The units' side", battle=BATTLE, **TAGS)
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
        """Add units to a side of a battle."""
        fields = picked_fields(side=side, missile=missile, flying=flying, caster=caster, spells=spells)
        await panel.change(interaction, roster.add, battle, units, fields)

    @unit.command(extras=OPENED)
    @describe(
        unit="The unit",
        side="Its new side",
        foe="The closest enemy when it got its grudge, event 4. It ends with that enemy",
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
        """Change a unit's side, tags or spells."""
        fields = picked_fields(side=side, foe=foe, missile=missile, flying=flying, caster=caster, spells=spells)
        await panel.change(interaction, roster.edit, battle, unit, fields)

    @unit.command(extras=OPENED)
    @describe(units="Units, separated by commas", battle=BATTLE)
    async def remove(self, interaction: Interaction, units: RosterUnits, battle: BattleName | None = None) -> None:
        """Remove units from a battle, with all events on them."""
        await panel.change(interaction, roster.remove, battle, units)

    @unit.command(name="list")
    @describe(battle=BATTLE)
    async def list_units(self, interaction: Interaction, battle: BattleName | None = None) -> None:
        """List a battle's units in the order they roll."""
        await panel.show_roster(interaction, battle)

    @app_commands.command(extras=OPENED)
    @describe(
        battle=BATTLE,
        mode="How to roll. Default: a die for each unit",
        side="Roll only for this side's units",
        faces="Game masters only: dice rolled by hand: 1 3 4 2, d100: 42 7. I roll the rest",
        reason="Game masters only: why you roll this turn again",
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
        """Roll this turn's random events for all units."""
        await panel.roll(interaction, CheckOptions(battle, mode, side, reason, faces))

    @app_commands.command()
    @describe(battle=BATTLE)
    async def active(self, interaction: Interaction, battle: BattleName | None = None) -> None:
        """Show active events with their modifiers and tokens."""
        await panel.show_active(interaction, battle)

    @app_commands.command(extras=OPENED)
    @describe(
        event="An active event, or what one cost at once",
        battle=BATTLE,
        how="How to end it. Default: with the side's token",
        reason="Why you cancel it. Only game masters see this",
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
        """Ignore an event with a token, or end it another way."""
        await panel.use(interaction, battle, UseOptions(event, how_of(how), reason))

    @app_commands.command(extras=OPENED)
    @describe(battle=BATTLE, end_battle="Game masters only: True ends the battle too")
    async def turn(
        self, interaction: Interaction, battle: BattleName | None = None, *, end_battle: bool = False
    ) -> None:
        """End a battle's turn and start the next."""
        if end_battle:
            await panel.end(interaction, battle)
        else:
            await panel.end_turn(interaction, battle)

    @app_commands.command()
    @describe(number="A number from 1 to 100. Default: the whole table")
    async def table(self, interaction: Interaction, number: Range[int, 1, 100] | None = None) -> None:
        """Look up an event, or page through all of them."""
        await panel.show_table(interaction, number)
