"""`/privacy`: what Adjutant keeps of whoever asks, on this server."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.privacy import panel


@app_commands.guild_only()
class PrivacyCog(app_commands.Group, name="privacy", description="What Adjutant stores about you"):
    """Privacy. There is no option that names somebody: everybody asks for themselves."""

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show what Adjutant stores about you on this server."""
        await panel.show(interaction)

    @app_commands.command()
    async def export(self, interaction: Interaction) -> None:
        """Export what Adjutant stores about you as a file."""
        await panel.export(interaction)

    @app_commands.command()
    async def erase(self, interaction: Interaction) -> None:
        """Erase your names and texts. You confirm it twice."""
        await panel.ask(interaction)
