"""`/events` and `/gm-events`: battles, rosters, and each turn's random events."""

import re
from collections.abc import Sequence
from typing import Annotated, get_args

from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.battles import embed, entries, panel, service
from bot.cogs.battles import units as roster
from bot.core.ledger import Pages
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, Completions, complete_last, filter_labels
from bot.ui.parsing import GAME_MASTERS, Form, Text, describe, fill_form, option
from bot.ui.reply import person, say
from rules.books.battlesystem import effects, state
from rules.subjects import name_key


async def _complete_battle(at: Completion, current: str) -> Completions:
    return filter_labels(current, [item.name for item in await _fought(at)])


async def _complete_side(at: Completion, current: str) -> Completions:
    return filter_labels(current, dict.fromkeys(side for item in await _find_typed(at) for side in item.header.sides))


async def _complete_roster_unit(at: Completion, current: str) -> Completions:
    return filter_labels(current, [unit.name for item in await _find_typed(at) for unit in item.roster])


async def _complete_roster_units(at: Completion, current: str) -> Completions:
    return complete_last(current, [unit.name for item in await _find_typed(at) for unit in item.roster])


async def _complete_event(at: Completion, current: str) -> Completions:
    how, wanted = _how_of(at.read_option("how")), name_key(current)
    groups = [group for item in await _find_typed(at) for group in effects.list_endable(item, how)]
    labels = [(f"{', '.join(group.names)}: {group.label}", group.key) for group in groups]
    return [(label, key) for label, key in labels if wanted in name_key(label) or wanted == key]


BattleName = Annotated[str, Completed(_complete_battle)]
SideName = Annotated[str, Completed(_complete_side)]
RosterUnit = Annotated[str, Completed(_complete_roster_unit)]
RosterUnits = Annotated[str, Completed(_complete_roster_units)]
EventKey = Annotated[str, Completed(_complete_event, re.compile(": "))]


def _how_of(picked: str) -> state.How:
    return next((how for how in get_args(state.How) if how == picked), "token")


async def _fought(at: Completion) -> Sequence[state.Battle]:
    library = at.desk.resolver.library
    return await at.desk.database.read(service.list_fought, library, at.person, at.campaign)


async def _find_typed(at: Completion) -> Sequence[state.Battle]:
    named = name_key(at.read_option("battle"))
    return [item for item in await _fought(at) if named in {"", name_key(item.name)}]


BATTLE = option("The battle. Default: the only one", default=None)
OPENED = {"family": entries.FAMILY}  # says that a command opens together with the roll


class BattleForm(Form):
    """Options of `/gm-events battle`."""

    action: str = option("What to do", choices={"start": "start a battle", "end": "end a battle"})
    name: BattleName | None = option("The battle's name", default=None)
    sides: str | None = option("Its two sides, separated by a comma: Zeon, EF", default=None)


class OneBattleForm(Form):
    """The only option of commands that show a battle."""

    battle: BattleName | None = BATTLE


class EndTurnForm(Form):
    """Options of `/gm-events turn`."""

    battle: BattleName | None = BATTLE
    end_battle: bool = option("Game masters only: True ends the battle too", default=False)


class RemoveCombatantsForm(Form):
    """Options of `/gm-events unit remove`."""

    units: RosterUnits = option("Units, separated by commas")
    battle: BattleName | None = BATTLE


class TagsForm(Form):
    """What is kept of a unit for random events."""

    missile: bool | None = option("Whether it can fire missiles", default=None)
    flying: bool | None = option("Whether it flies", default=None)
    caster: bool | None = option("Whether it has a caster", default=None)
    spells: Range[int, 0, 99] | None = option(
        "How many spells its caster has left. Leave empty if you don't count them", default=None
    )


class AddCombatantsForm(TagsForm):
    """Options of `/gm-events unit add`."""

    units: str = option("Units of the same kind, separated by commas")
    side: SideName = option("The units' side")
    battle: BattleName | None = BATTLE
    missile: bool = False
    flying: bool = False
    caster: bool = False


class EditCombatantForm(TagsForm):
    """Options of `/gm-events unit edit`."""

    unit: RosterUnit = option("The unit")
    battle: BattleName | None = BATTLE
    side: SideName | None = option("Its new side", default=None)
    foe: RosterUnit | None = option(
        "The closest enemy when it got its grudge, event 4. It ends with that enemy", default=None
    )


class RollEventsForm(Form):
    """Options of `/gm-events roll`."""

    battle: BattleName | None = BATTLE
    mode: str = option(
        "How to roll. Default: a die for each unit",
        default="unit",
        choices={"unit": "a die for each unit, a d100 for each 1", "side": "one d100 for each side"},
    )
    side: SideName | None = option("Roll only for this side's units", default=None)
    faces: str | None = option(
        "Game masters only: dice rolled by hand: 1 3 4 2, d100: 42 7. I roll the rest", default=None
    )
    reason: Text | None = option("Game masters only: why you roll this turn again", default=None)


class UseEventForm(Form):
    """Options of `/gm-events use`."""

    event: EventKey = option("An active event, or what one cost at once")
    battle: BattleName | None = BATTLE
    how: str = option(
        "How to end it. Default: with the side's token",
        default="token",
        choices={
            "token": "with the side's token, event 54",
            "condition": "its condition was met, events 4 and 45",
            "cancel": "cancelled by a game master, with a reason",
        },
    )
    reason: Text | None = option("Why you cancel it. Only game masters see this", default=None)


async def _say_pages(interaction: Interaction, pages: Pages) -> None:
    for page in pages:
        await say(interaction, embeds=page)


class EventsCog(app_commands.Group, name="events", description="Random events in a battle's turns"):
    """What everyone looks up about random events."""

    @app_commands.command()
    async def battles(self, interaction: Interaction) -> None:
        """List battles with random events."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        found = await bot.database.read(service.list_battles, bot.library, person(interaction), campaign)
        await _say_pages(interaction, embed.list_pages(found, campaign=campaign.name))

    @app_commands.command()
    @fill_form
    async def units(self, interaction: Interaction, form: OneBattleForm) -> None:
        """List a battle's units in the order they roll."""
        campaign, battle = await panel.find_active(interaction, form.battle)
        await _say_pages(interaction, embed.roster_pages(battle, campaign=campaign.name))

    @app_commands.command()
    @fill_form
    async def active(self, interaction: Interaction, form: OneBattleForm) -> None:
        """Show active events with their modifiers and tokens."""
        campaign, battle = await panel.find_active(interaction, form.battle)
        commands = entries.may_command(person(interaction), campaign)
        await _say_pages(interaction, embed.active_pages(battle, campaign=campaign.name, commands=commands))

    @app_commands.command()
    @describe(number="A number from 1 to 100. Default: the whole table")
    async def table(self, interaction: Interaction, number: Range[int, 1, 100] | None = None) -> None:
        """Look up an event, or page through all of them."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        table = await bot.database.read(service.table, bot.library, person(interaction), campaign)
        if number is None:
            await say(interaction, view=embed.table_view(table, campaign.id, 0))
        else:
            row, _ = table.read(number, number)
            await say(interaction, embed=embed.row_embed(table, row, campaign=campaign.name))


class GmEventsCog(app_commands.Group, name="gm-events", description="Run battles with random events"):
    """What changes a battle."""

    unit = app_commands.Group(name="unit", description="Units in a battle")

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def battle(self, interaction: Interaction, form: BattleForm) -> None:
        """Start or end a battle with random events."""
        if form.action == "start":
            await panel.change(interaction, service.start, form.name, form.sides)
        else:
            await panel.end(interaction, form.name)

    @unit.command(extras=OPENED)
    @fill_form
    async def add(self, interaction: Interaction, form: AddCombatantsForm) -> None:
        """Add units to a side of a battle."""
        await panel.change(interaction, roster.add, form.battle, form.units, form.collect_values("units", "battle"))

    @unit.command(extras=OPENED)
    @fill_form
    async def edit(self, interaction: Interaction, form: EditCombatantForm) -> None:
        """Change a unit's side, tags or spells."""
        await panel.change(interaction, roster.edit, form.battle, form.unit, form.collect_values("unit", "battle"))

    @unit.command(extras=OPENED)
    @fill_form
    async def remove(self, interaction: Interaction, form: RemoveCombatantsForm) -> None:
        """Remove units from a battle, with all events on them."""
        await panel.change(interaction, roster.remove, form.battle, form.units)

    @app_commands.command(extras=OPENED)
    @fill_form
    async def roll(self, interaction: Interaction, form: RollEventsForm) -> None:
        """Roll this turn's random events for all units."""
        await panel.roll(interaction, service.CheckOptions(form.battle, form.mode, form.side, form.reason, form.faces))

    @app_commands.command(extras=OPENED)
    @fill_form
    async def use(self, interaction: Interaction, form: UseEventForm) -> None:
        """Ignore an event with a token, or end it another way."""
        await panel.use(interaction, form.battle, service.UseOptions(form.event, _how_of(form.how), form.reason))

    @app_commands.command(extras=OPENED)
    @fill_form
    async def turn(self, interaction: Interaction, form: EndTurnForm) -> None:
        """End a battle's turn and start the next."""
        if form.end_battle:
            await panel.end(interaction, form.battle)
        else:
            await panel.end_turn(interaction, form.battle)
