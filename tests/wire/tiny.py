"""A tiny bot whose slash command `/go` does whatever a test gives it to do, in one simulated server."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import discord
import simcord
from discord import app_commands
from discord.ext import commands
from discord.http import Route

Interaction = discord.Interaction[discord.Client]
Action = Callable[[Interaction], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Scene:
    """A running bot, a channel it can read and write, and a person there."""

    tree: app_commands.CommandTree[commands.Bot]
    channel: simcord.ChannelHandle
    person: simcord.MemberActor

    async def go(self, what: str = "something") -> simcord.InteractionResult:
        """The person uses the command."""
        return await self.person.slash(self.channel, "go", what=what)


@asynccontextmanager
async def scene(action: Action, *, choices: int = 0) -> AsyncIterator[Scene]:
    """Start the bot and sync its command, which offers so many choices for its option."""
    bot = commands.Bot("!", intents=discord.Intents.default())

    @bot.tree.command(description="Go")
    async def go(interaction: Interaction, what: str) -> None:  # noqa: ARG001 - there for its autocomplete
        await action(interaction)

    @go.autocomplete("what")
    async def offer(_interaction: Interaction, _typed: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"Number {count}", value=str(count)) for count in range(choices)]

    async with simcord.run(bot, check_errors=False) as env:
        await bot.tree.sync()
        guild = env.create_guild()
        yield Scene(bot.tree, guild.create_text_channel("general"), guild.add_member(env.create_user("alice")))


def say(**message: Any) -> Action:  # noqa: ANN401 - discord.py's own many parameters
    """Answer with a message."""
    return lambda interaction: interaction.response.send_message(**message)


def answer(kind: int = 4, **data: object) -> Action:
    """Answer with this body, past the checks of discord.py."""

    async def act(interaction: Interaction) -> None:
        route = Route("POST", "/interactions/{id}/{token}/callback", id=interaction.id, token=interaction.token)
        await interaction.client.http.request(route, json={"type": kind, "data": data})

    return act


def sync(**command: object) -> Action:
    """Register this command alone, past the checks of discord.py."""

    async def act(interaction: Interaction) -> None:
        body: Any = [{"name": "fine", "description": "Fine", **command}]
        await interaction.client.http.bulk_upsert_global_commands(interaction.application_id, body)

    return act


def post(**body: object) -> Action:
    """Send this body into the channel, past the checks of discord.py."""

    async def act(interaction: Interaction) -> None:
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=interaction.channel_id)
        await interaction.client.http.request(route, json=body)

    return act


def picture(words: str | None = None) -> discord.File:
    """An upload by the name of a picture, with alt text or without."""
    return discord.File(io.BytesIO(b"picture"), "map.png", description=words)


def option(kind: int = 3, name: str = "what", **more: object) -> dict[str, object]:
    """An option of a command."""
    return {"type": kind, "name": name, "description": "What", **more}


def button(**more: object) -> dict[str, object]:
    """A button with an id and a label."""
    return {"type": 2, "style": 1, "custom_id": "press", "label": "Press", **more}


def select(*values: str, **more: object) -> dict[str, object]:
    """A select menu with these values."""
    return {"type": 3, "custom_id": "pick", "options": [{"label": "One", "value": value} for value in values], **more}


def row(*inner: object) -> dict[str, object]:
    """A row of components."""
    return {"type": 1, "components": list(inner)}


def display(text: str) -> dict[str, object]:
    """A text display."""
    return {"type": 10, "content": text}


class Panel(discord.ui.LayoutView):
    """A container with text, a section, a separator, buttons, a select menu and a gallery."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        buttons: discord.ui.ActionRow[Panel] = discord.ui.ActionRow(
            discord.ui.Button(label="Roll", custom_id="roll", emoji="🎲"),
            discord.ui.Button(label="Rules", url="https://example.org/rules"),
        )
        modifiers = [discord.SelectOption(label=f"Modifier {count}", value=str(count)) for count in range(25)]
        menu: discord.ui.ActionRow[Panel] = discord.ui.ActionRow(
            discord.ui.Select(custom_id="modifiers", placeholder="Modifiers", max_values=25, options=modifiers)
        )
        parts: list[discord.ui.Item[Panel]] = [
            discord.ui.TextDisplay("# Patrol"),
            discord.ui.Section("Odds: 3 in 20", accessory=discord.ui.Button(label="Why", custom_id="why")),
            discord.ui.Separator(),
            buttons,
            menu,
            discord.ui.MediaGallery(discord.MediaGalleryItem("attachment://map.png", description="A map")),
        ]
        self.add_item(discord.ui.Container(*parts, accent_colour=0x336699))


class Form(discord.ui.Modal, title="Modifiers"):
    """A form with each kind of input that cards use."""

    note = discord.ui.Label[discord.ui.Modal](text="Note", component=discord.ui.TextInput(custom_id="note"))
    ticked = discord.ui.Label[discord.ui.Modal](
        text="Ticked",
        description="What counts",
        component=discord.ui.CheckboxGroup(
            custom_id="ticked", options=[discord.CheckboxGroupOption(label=one, value=one) for one in ("fog", "storm")]
        ),
    )
    target = discord.ui.Label[discord.ui.Modal](
        text="Target",
        component=discord.ui.RadioGroup(
            custom_id="target", options=[discord.RadioGroupOption(label=one, value=one) for one in ("ship", "fleet")]
        ),
    )
    where = discord.ui.Label[discord.ui.Modal](
        text="Where",
        component=discord.ui.Select(custom_id="where", options=[discord.SelectOption(label="Orbit", value="orbit")]),
    )
