"""`/roe check` and `/roe odds`: skill rolls, and what they and attacks will come to."""

from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.roe.attacks.completions import AnyWeapon, Fire
from bot.cogs.roe.checks.asked import Asked, command
from bot.cogs.roe.checks.completers import Mine, Modifiers, SkillName
from bot.cogs.roe.checks.odds import AskedOdds, foreseen
from bot.cogs.roe.rolling import DICE, roll_as_picked
from bot.rolls import options
from bot.rolls.desk import channels, desk_of
from bot.ui.commands import describe
from bot.ui.reply import person, say

Target = Range[int, 1, 200]
Circumstances = Range[int, -100, 100]
Added = Range[int, -100, 100]
Metres = Range[float, 0, 10000]
Hp = Range[int, 0, 1000]


class Checks(app_commands.Group):
    """Skill rolls and odds."""

    @app_commands.command()
    @describe(
        skill="A skill from the book, or any other word",
        character="Who rolls. Default: who has the turn, or your only character",
        against="Opponents who roll too, separated by commas. Game masters can use any name",
        target="The target number. Default: 50",
        modifiers=options.SHARED["modifiers"],
        gm="Game masters only: a modifier for circumstances, such as -5",
        note=options.SHARED["note"],
        to=options.SHARED["to"],
        roll=options.SHARED["roll"],
        dice=DICE,
    )
    @app_commands.choices(roll=options.ROLL)
    async def check(
        self,
        interaction: Interaction,
        skill: SkillName,
        character: Mine | None = None,
        against: options.Names | None = None,
        target: Target | None = None,
        modifiers: Modifiers | None = None,
        gm: Circumstances | None = None,
        note: str | None = None,
        to: options.To = "auto",
        roll: str | None = None,
        dice: str | None = None,
    ) -> None:
        """Make a skill roll against a number or other characters."""
        bot, where = interaction.client, channels(interaction)
        asked = Asked(skill, character, against, target, modifiers, gm, note, to)
        made = await bot.database.read(command, bot.library, person(interaction), where, asked)
        await roll_as_picked(interaction, made, roll, dice)

    @app_commands.command()
    @describe(
        weapon="A weapon, or any token such as M_a_Rifle + Scope accuracy 5",
        skill="A skill instead of a weapon",
        character="Who acts. Default: who has the turn, or your only character",
        against="The target. Default: no one in particular",
        second="A second weapon, used at the same time",
        fire="Mode of fire: single, auto, suppress, or sneak for a sneak attack",
        range="Distance in metres. Default: 10, or 1 in melee",
        target="The skill's target number. Default: 50",
        mine="Extra modifier for the roll",
        theirs="Modifier for the other side's roll, such as a dodge of 12",
        damage="Extra damage",
        dr="Extra damage reduction of the target",
        hp="The target's HP. Default: its saved HP",
        aimed="True for an aimed shot",
    )
    async def odds(
        self,
        interaction: Interaction,
        weapon: AnyWeapon | None = None,
        skill: SkillName | None = None,
        character: Mine | None = None,
        against: options.Name | None = None,
        second: AnyWeapon | None = None,
        fire: Fire | None = None,
        range: Metres | None = None,  # noqa: A002 - what people read
        target: Target | None = None,
        mine: Added | None = None,
        theirs: Added | None = None,
        damage: Added | None = None,
        dr: Added | None = None,
        hp: Hp | None = None,
        aimed: bool = False,  # noqa: FBT001, FBT002 - an option
    ) -> None:
        """Show the exact odds of an attack or skill roll."""
        asked = AskedOdds(
            skill, weapon, second, fire, range, character, against, target, mine, theirs, damage, dr, hp, aimed
        )
        bot, where = interaction.client, channels(interaction)
        found = await bot.database.read(foreseen, desk_of(interaction).resolver, person(interaction), where, asked)
        for page in found.pages():
            await say(interaction, embeds=page)
