"""`/roe take`, `/roe capture` and `/roe wounds`: what comes after a fight."""

from discord import app_commands
from discord.app_commands import Choice, Range, Transform

from bot.client import Interaction
from bot.cogs.roe.after import asking, show, typed
from bot.cogs.roe.after.completions import Actor, Anyone, Others
from bot.cogs.roe.after.typed import TypedCapture, TypedTake, TypedTreatment
from bot.cogs.roe.rolling import DICE, roll_as_picked
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels, desk_of
from bot.rolls.pending.panel import make
from bot.ui.commands import describe
from bot.ui.parsing import MAX_TEXT
from bot.ui.reply import person, say

HOWS = {
    "body": "body: loot a downed target",
    "pocket": "pocket: steal from a pocket, unseen",
    "surgery": "surgery: remove an implant from a helpless target",
    "install": "install: put in an implant for a willing target",
    "frisk": "frisk: search and seizure by the police",
    "captor": "captor: take one thing from your captive",
    "vehicle": "vehicle: take one that its crew left",
}
STACKS = {
    "ordinary": "an ordinary stack",
    "permanent": "a permanent",
    "installed": "installed: a cybernetic or implant",
    "stored": "in a backpack or container",
    "mega-credit": "Mega_Credits",
    "licence-chip": "a licence chip",
    "clearance-chip": "a clearance chip",
    "id-chip": "an ID chip",
    "racial": "a racial option",
    "pet": "a pet",
}
CAPTURES = {
    "detain": "detain: take a captive",
    "cuff": "cuff: handcuff a captive",
    "pick": "pick: pick the lock of the handcuffs",
    "escape": "escape: try to break out",
    "release": "release: free a captive",
}
WOUNDS = {
    "show": "show: how a character is",
    "treat": "treat: restore HP or shorten Wounded, game masters only",
    "hospital": "hospital: pay after a Mortal Wound",
}
Size = Range[int, 0, 1_000_000]
Hours = Range[float, 0.5, 100.0]
Note = Range[str, 1, MAX_TEXT]
Modifiers = Transform[str, options.ModifiersCompleter("roe", "may.loot")]


def _choices(words: dict[str, str]) -> list[Choice[str]]:
    return [Choice(name=name, value=value) for value, name in words.items()]


class Afterwards(app_commands.Group):
    """What comes after a fight."""

    @app_commands.command()
    @app_commands.rename(from_="from")
    @describe(
        how="How to take it",
        from_="The target. For a pocket, add who is watching after a comma",
        size="How many are in the stack. For surgery: how many Medical_Tools",
        stack="What you take. Default: an ordinary stack",
        character="Who acts. Default: your character, or who has the turn",
        modifiers=options.SHARED["modifiers"],
        note=options.SHARED["note"],
        roll=options.SHARED["roll"],
        dice=DICE,
    )
    @app_commands.choices(how=_choices(HOWS), stack=_choices(STACKS), roll=options.ROLL)
    async def take(
        self,
        interaction: Interaction,
        how: str,
        from_: Others,
        size: Size | None = None,
        stack: str = "ordinary",
        character: Actor | None = None,
        modifiers: Modifiers | None = None,
        note: Note | None = None,
        roll: str | None = None,
        dice: str | None = None,
    ) -> None:
        """Loot, steal, search or operate, all in one roll."""
        asked = TypedTake(how, from_, size, stack, character, modifiers, note)
        await _take(interaction, asked, roll, dice)

    @app_commands.command()
    @describe(
        how="What to do",
        who="The target. Or who picks the lock or escapes",
        character="Who acts. Default: your character, or who has the turn",
        surrenders="Whether the target surrenders. Game masters decide; for players I ask",
        note=options.SHARED["note"],
        roll=options.SHARED["roll"],
        dice=DICE,
    )
    @app_commands.choices(how=_choices(CAPTURES), roll=options.ROLL)
    async def capture(
        self,
        interaction: Interaction,
        how: str,
        who: Others | None = None,
        character: Actor | None = None,
        note: Note | None = None,
        roll: str | None = None,
        dice: str | None = None,
        *,
        surrenders: bool | None = None,
    ) -> None:
        """Detain, cuff, pick a lock, escape or release a captive."""
        await _capture(interaction, TypedCapture(how, who, character, bool(surrenders), note), roll, dice)

    @app_commands.command()
    @describe(
        character="The character. Default: yours",
        how="What to do. Default: show",
        amount="HP to restore, or credits for the hospital",
        hours="Hours of Wounded to remove, instead of HP",
        by="The healer, whose options count",
        note=options.SHARED["note"],
    )
    @app_commands.choices(how=_choices(WOUNDS))
    async def wounds(
        self,
        interaction: Interaction,
        character: Anyone | None = None,
        how: str = "show",
        amount: Size | None = None,
        hours: Hours | None = None,
        by: Anyone | None = None,
        note: Note | None = None,
    ) -> None:
        """Show or treat wounds, or pay the hospital."""
        await _wounds(interaction, TypedTreatment(character, how, amount, hours, by, note))


async def _take(interaction: Interaction, asked: TypedTake, roll: str | None, dice: str | None) -> None:
    """Take something from somebody."""
    bot = interaction.client
    command = await bot.database.read(typed.take, bot.library, person(interaction), channels(interaction), asked)
    await roll_as_picked(interaction, command, roll, dice)


async def _capture(interaction: Interaction, asked: TypedCapture, roll: str | None, dice: str | None) -> None:
    """Capture somebody, escape or let go; where somebody else has to agree, that one is asked first."""
    bot, who, where = interaction.client, person(interaction), channels(interaction)
    leads = who.leads(await desk_of(interaction).campaign(interaction))
    command = await bot.database.read(typed.capture, bot.library, who, where, asked)
    if typed.needs_yes(asked) and not leads:
        await make(interaction, asking.ask, command, asked.how)
    else:
        await roll_as_picked(interaction, command, roll, dice)


async def _wounds(interaction: Interaction, asked: TypedTreatment) -> None:
    """Show how somebody is, treat them, or let them pay the hospital."""
    bot, who, where = interaction.client, person(interaction), channels(interaction)
    if asked.how == "show":
        await say(interaction, embed=await bot.database.read(show.shown, bot.library, who, where, asked.character))
        return
    command = await bot.database.read(typed.recovery, bot.library, who, where, asked)
    await begin(interaction, command, at_once=True)
