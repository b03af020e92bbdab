"""`/privacy`: what Adjutant keeps of whoever asks, on this server."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.privacy import panel


@app_commands.guild_only()
class PrivacyCog(app_commands.Group, name="privacy", description="What Adjutant keeps of you on this server"):
    """Privacy. There is no option that names somebody: everybody asks for themselves."""

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """See what Adjutant keeps of you, in all campaigns of this server."""
        await panel.show(interaction)

    @app_commands.command()
    async def export(self, interaction: Interaction) -> None:
        """Get what Adjutant keeps of you as a file."""
        await panel.export(interaction)

    @app_commands.command()
    async def erase(self, interaction: Interaction) -> None:
        """Have your names and texts erased, after you have confirmed it twice."""
        await panel.ask(interaction)
