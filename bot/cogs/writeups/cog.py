"""`/writeups`: battles and scenes that are to be written."""

import re
from typing import cast

from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.client import Interaction
from bot.cogs.writeups import battles, panel, service
from bot.cogs.writeups.bodies import Result
from bot.cogs.writeups.panel import SHOWN, UNWRITTEN
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.reply import person, say
from bot.ui.text import bare

STATES = [Choice(name=title, value=what) for what, (title, _) in SHOWN.items()]

RESULTS: list[Choice[str]] = [
    Choice(name=name.format(who="The one caught or attacked"), value=ended) for ended, name in panel.ENDINGS.items()
]


class NumberCompleter(Completed):
    """The number of a write-up in some states, offered with what it is about."""

    decorated = re.compile(r"^\d+ ")

    def __init__(self, *states: str) -> None:
        self._states = states

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the newest that hold what is typed."""
        who = person(at.interaction)
        known = await at.desk.database.read(service.suggest, who, at.campaign, current, self._states)
        return [(f"{item.number} {bare(item.gist)}", item.number) for item in known]


OpenNumber = Transform[str, NumberCompleter(OPEN)]
AnyNumber = Transform[str, NumberCompleter(OPEN, CLAIMED, DONE)]
UnwrittenNumber = Transform[str, NumberCompleter(OPEN, CLAIMED)]


@app_commands.guild_only()
class WriteupsCog(app_commands.Group, name="writeups", description="Battles and scenes to write up"):
    """Write-ups."""

    @app_commands.command(name="list")
    @describe(state="Which to list. Default: those still to write")
    @app_commands.choices(state=STATES)
    async def list_writeups(self, interaction: Interaction, state: str = UNWRITTEN) -> None:
        """List battles and scenes to write up, newest first."""
        campaign = await desk_of(interaction).campaign(interaction)
        await say(interaction, view=await panel.list_view(interaction, campaign, state, None))

    @app_commands.command()
    @describe(number="The write-up's number, such as 12 or 12.2")
    async def claim(self, interaction: Interaction, number: OpenNumber) -> None:
        """Claim a write-up to show that you're writing it."""
        bot, who = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        await panel.tell(interaction, await bot.database.write(service.claim, bot.ledger, who, campaign.id, number))

    @app_commands.command()
    @describe(number="The write-up's number, such as 12 or 12.2", link="A link to the message or page")
    async def done(self, interaction: Interaction, number: UnwrittenNumber, link: str | None = None) -> None:
        """Mark a write-up as done, and link to it."""
        bot, who = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        marked = await bot.database.write(service.finish, bot.ledger, who, campaign.id, number, link)
        await panel.tell(interaction, marked)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(number="The write-up's number, such as 12 or 12.2", result="How the battle ended")
    @app_commands.choices(result=RESULTS)
    async def result(self, interaction: Interaction, number: AnyNumber, result: str) -> None:
        """Enter how a battle ended."""
        bot, who = interaction.client, person(interaction)
        campaign = await desk_of(interaction).campaign(interaction)
        ended = cast("Result", result)
        marked = await bot.database.write(battles.enter_result, bot.ledger, who, campaign.id, number, ended)
        await panel.decided(interaction, marked)
