"""`/events`: battles with random events, their rosters, the check of each turn, and what is in force."""

from __future__ import annotations

from collections.abc import Sequence

from discord import app_commands
from discord.app_commands import Choice, Range
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.battles.panel import EventsPanel
from bot.cogs.battles.service import Events, How, Use, endable
from bot.cogs.battles.store import Battle
from bot.cogs.battles.turn_check import Check
from bot.cogs.battles.units import Ranks
from bot.core.subjects import subject_key
from bot.errors import UserError
from bot.rolls import options
from bot.rolls.desk import RollDesk
from bot.ui.parsing import MAX_CHOICE, MAX_TEXT
from bot.ui.reply import person
from bot.ui.text import shorten

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


@app_commands.guild_only()
class EventsCog(commands.GroupCog, group_name="events", group_description="Random events of a battle's turns"):
    """Random events."""

    unit = app_commands.Group(name="unit", description="Who stands in a battle")

    def __init__(self, desk: RollDesk, panel: EventsPanel, events: Events, ranks: Ranks) -> None:
        self._desk = desk
        self._panel = panel
        self._events = events
        self._ranks = ranks

    @app_commands.command()
    @app_commands.describe(
        action="What to do", name="What the battle is called", sides="Its two sides, parted by a comma: Zeon, EF"
    )
    @app_commands.choices(action=ACTIONS)
    async def battle(
        self, interaction: Interaction, action: str, name: str | None = None, sides: str | None = None
    ) -> None:
        """Begin or end a battle (game masters), or list all."""
        campaign = await self._desk.campaign(interaction)
        if action == "list":
            await self._panel.battles(interaction, campaign)
        elif action == "start":
            done = await self._events.start(person(interaction), campaign.id, name, sides)
            await self._panel.tell(interaction, done)
        else:
            await self._panel.tell(interaction, await self._events.end(person(interaction), campaign.id, name))

    @unit.command()
    @app_commands.describe(
        units="One unit, or several alike parted by commas", side="Their side", battle=BATTLE, **TAGS
    )
    async def add(
        self,
        interaction: Interaction,
        units: str,
        side: str,
        battle: str | None = None,
        *,
        missile: bool = False,
        flying: bool = False,
        caster: bool = False,
        spells: Spells | None = None,
    ) -> None:
        """Let units join a side of a battle."""
        campaign = await self._desk.campaign(interaction)
        given = options.picked_fields(side=side, missile=missile, flying=flying, caster=caster, spells=spells)
        done = await self._ranks.add(person(interaction), campaign.id, battle, units, given)
        await self._panel.tell(interaction, done)

    @unit.command()
    @app_commands.describe(unit="Which unit", side="Its side from now on", battle=BATTLE, **TAGS)
    async def edit(
        self,
        interaction: Interaction,
        unit: str,
        battle: str | None = None,
        side: str | None = None,
        *,
        missile: bool | None = None,
        flying: bool | None = None,
        caster: bool | None = None,
        spells: Spells | None = None,
    ) -> None:
        """Change the side, tags or spells of a unit."""
        campaign = await self._desk.campaign(interaction)
        given = options.picked_fields(side=side, missile=missile, flying=flying, caster=caster, spells=spells)
        done = await self._ranks.edit(person(interaction), campaign.id, battle, unit, given)
        await self._panel.tell(interaction, done)

    @unit.command()
    @app_commands.describe(units="One unit, or several parted by commas", battle=BATTLE)
    async def remove(self, interaction: Interaction, units: str, battle: str | None = None) -> None:
        """Take units off the roster that are destroyed or off the map, with all that is in force on them."""
        campaign = await self._desk.campaign(interaction)
        done = await self._ranks.remove(person(interaction), campaign.id, battle, units)
        await self._panel.tell(interaction, done)

    @unit.command(name="list")
    @app_commands.describe(battle=BATTLE)
    async def list_units(self, interaction: Interaction, battle: str | None = None) -> None:
        """List who stands in a battle, in the order in which the units roll."""
        await self._panel.units(interaction, await self._desk.campaign(interaction), battle)

    @app_commands.command()
    @app_commands.describe(
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
        battle: str | None = None,
        mode: str = "unit",
        side: str | None = None,
        faces: str | None = None,
        reason: Reason | None = None,
    ) -> None:
        """Check this turn's random events, for all units at once."""
        await self._panel.roll(interaction, Check(battle, mode, side, reason, faces))

    @app_commands.command()
    @app_commands.describe(battle=BATTLE)
    async def active(self, interaction: Interaction, battle: str | None = None) -> None:
        """Show what is in force on whom and for how long, the sums of ML, AR and AD, and the tokens held."""
        await self._panel.active(interaction, await self._desk.campaign(interaction), battle)

    @app_commands.command()
    @app_commands.describe(
        event="An event that is in force, or what one has cost at once",
        battle=BATTLE,
        how="By a token of the side when left out; whoever may roll random events may spend it",
        reason="Why the game master cancels it; kept for the staff",
    )
    @app_commands.choices(how=HOW)
    async def use(
        self,
        interaction: Interaction,
        event: str,
        battle: str | None = None,
        how: str = "token",
        reason: Reason | None = None,
    ) -> None:
        """Let a side ignore an event by its token, or end an event otherwise."""
        campaign = await self._desk.campaign(interaction)
        done = await self._events.use(person(interaction), campaign.id, battle, Use(event, _how(how), reason))
        await self._panel.tell(interaction, done)

    @app_commands.command()
    @app_commands.describe(battle=BATTLE, end_battle="Whether the battle is over with it (game masters)")
    async def turn(self, interaction: Interaction, battle: str | None = None, *, end_battle: bool = False) -> None:
        """End the turn of a battle and begin the next."""
        campaign = await self._desk.campaign(interaction)
        if end_battle:
            await self._panel.tell(interaction, await self._events.end(person(interaction), campaign.id, battle))
        else:
            await self._panel.turn(interaction, await self._events.turn(person(interaction), campaign.id, battle))

    @app_commands.command()
    @app_commands.describe(number="The number on the d100; the whole table when left out")
    async def table(self, interaction: Interaction, number: Range[int, 1, 100] | None = None) -> None:
        """Look up an event, or page through all of them."""
        await self._panel.table(interaction, await self._desk.campaign(interaction), number)

    @battle.autocomplete("name")
    @add.autocomplete("battle")
    @edit.autocomplete("battle")
    @remove.autocomplete("battle")
    @list_units.autocomplete("battle")
    @roll.autocomplete("battle")
    @active.autocomplete("battle")
    @use.autocomplete("battle")
    @turn.autocomplete("battle")
    async def _battle(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return _holding(current, [item.name for item in await self._fought(interaction)])

    @add.autocomplete("side")
    @edit.autocomplete("side")
    @roll.autocomplete("side")
    async def _side(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        found = await self._meant(interaction)
        return _holding(current, list(dict.fromkeys(side for item in found for side in item.header.sides)))

    @edit.autocomplete("unit")
    async def _unit(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        found = await self._meant(interaction)
        return _holding(current, [unit.name for item in found for unit in item.roster])

    @remove.autocomplete("units")
    async def _units(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        before, comma, word = current.rpartition(",")
        kept = f"{before}{comma} " if comma else ""
        taken = {subject_key(name) for name in before.split(",")}
        names = [unit.name for item in await self._meant(interaction) for unit in item.roster]
        fitting = [
            kept + name for name in names if subject_key(name) not in taken and subject_key(word) in subject_key(name)
        ]
        return options.offer([(name, name) for name in fitting if len(name) <= MAX_CHOICE])

    @use.autocomplete("event")
    async def _event(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        how = _how(str(getattr(interaction.namespace, "how", "") or ""))
        every = [group for item in await self._meant(interaction) for group in endable(item, how)]
        told = [(f"{', '.join(item.names)}: {item.label}", item.key) for item in every]
        wanted = subject_key(current)
        return options.offer(
            [(shorten(label, MAX_CHOICE), key) for label, key in told if wanted in subject_key(label) or wanted == key]
        )

    async def _fought(self, interaction: Interaction) -> Sequence[Battle]:
        """The battles that are being fought; none for whom or where there is nothing to see."""
        try:
            return await self._events.fought(person(interaction), await self._desk.campaign(interaction))
        except UserError:
            return ()

    async def _meant(self, interaction: Interaction) -> Sequence[Battle]:
        """The battle that is named beside it, else all."""
        named = subject_key(str(getattr(interaction.namespace, "battle", "") or ""))
        return [item for item in await self._fought(interaction) if named in {"", subject_key(item.name)}]


def _holding(current: str, names: Sequence[str]) -> list[Choice[str]]:
    wanted = subject_key(current)
    return options.offer([(name, name) for name in names if wanted in subject_key(name)])


def _how(picked: str) -> How:
    """What was picked; Discord lets only the choices through."""
    return "condition" if picked == "condition" else "cancel" if picked == "cancel" else "token"
