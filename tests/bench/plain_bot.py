"""The bot that a good developer writes in an afternoon: what Adjutant is compared with.

Discord.py, SQLAlchemy's asyncio with aiosqlite, one row added and one counted up in a transaction that is on the disk when it
commits, an embed, a private answer; and a card as large as ours, with fixed words, that a press edits.
"""

from __future__ import annotations

import os
from typing import Any

import discord
import sqlalchemy as sa
from discord import app_commands, ui
from discord.ext import commands
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

SELECTS = {"card:choice": 5, "card:tick:patrol:0": 11, "card:tick:target:0": 20}
"""The card's selects, and how many options each has: as many as ours of a patrol."""

BAR = "\N{FULL BLOCK}" * 5
ODDS = [f"`{BAR} ` **{chance}%** Caught, fights as if ambushed" for chance in (85, 15)]


class Base(DeclarativeBase):
    """The tables."""


class Roll(Base):
    """One roll."""

    __tablename__ = "roll"
    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int]
    patrol: Mapped[str]
    target: Mapped[str]
    face: Mapped[int]


class Member(Base):
    """How many rolls a person has made."""

    __tablename__ = "member"
    id: Mapped[int] = mapped_column(primary_key=True)
    rolls: Mapped[int]


class Card(ui.LayoutView):
    """A card with three selects and four buttons; a pick edits it."""

    def __init__(self, patrol: str, ticked: tuple[str, ...] = ()) -> None:
        super().__init__(timeout=None)
        self.patrol = patrol
        container: ui.Container[Card] = ui.Container(accent_colour=0x4A6FA5)
        head = f"## Patrol\n**{patrol}** against **Ghost** (hostile)\n-# Iron Sea \N{MIDDLE DOT} Update 1"
        container.add_item(ui.TextDisplay(head)).add_item(ui.TextDisplay("\n".join(["**Exact odds**", *ODDS])))
        row: ui.ActionRow[Card] = ui.ActionRow()
        for label in ("Roll", "Adjust", "Details", "More"):
            row.add_item(ui.Button(label=label, custom_id=f"card:1:000000000008:{label}"))
        container.add_item(row).add_item(ui.Separator())
        container.add_item(
            ui.TextDisplay("**Patrol table 1: caught or not** 1d20 + 0\n-# No modifiers yet. Tick what applies below.")
        )
        for key, size in SELECTS.items():
            container.add_item(ui.ActionRow(self._select(key, size, ticked)))
        self.add_item(container)

    def _select(self, key: str, size: int, ticked: tuple[str, ...]) -> ui.Select[Card]:
        select: ui.Select[Card] = ui.Select(
            custom_id=key, min_values=0, max_values=size, placeholder="Tick what applies"
        )
        for number in range(size):
            name = f"target.modifier-{number}"
            select.add_option(label=f"+{number} Target with a detector unit", value=name, default=name in ticked)
        select.callback = self._tick  # type: ignore[method-assign]
        return select

    async def _tick(self, interaction: discord.Interaction) -> None:
        data: Any = interaction.data
        await interaction.response.edit_message(view=Card(self.patrol, tuple(data["values"])))


class Patrols(commands.Cog):
    """The commands."""

    def __init__(self, bot: PlainBot) -> None:
        self.bot = bot

    @app_commands.command(description="Answer")
    async def ping(self, interaction: discord.Interaction) -> None:
        """Answer, in the words that ours has."""
        embed = discord.Embed(
            title="Adjutant 0.3.0", description="The database answers in 0.3 ms. No posts are waiting."
        )
        await interaction.response.send_message(embed=embed, ephemeral=True)

    @app_commands.command(description="Roll a patrol")
    async def patrol(self, interaction: discord.Interaction, patrol: str, target: str, roll: str = "card") -> None:
        """Roll and post, or show the card."""
        if roll != "now":
            await interaction.response.send_message(view=Card(patrol), ephemeral=True)
            return
        face = int.from_bytes(os.urandom(4)) % 20 + 1
        async with self.bot.session.begin() as session:
            made = Roll(user_id=interaction.user.id, patrol=patrol, target=target, face=face)
            session.add(made)
            counted = sa.update(Member).where(Member.id == interaction.user.id).values(rolls=Member.rolls + 1)
            await session.execute(counted)
            await session.flush()
            number = made.id
        embed = discord.Embed(title=f"{patrol} looks for {target}", description=f"1d20: **{face}**")
        embed.add_field(name="Result", value=ODDS[0]).set_footer(text=f"#{number}")
        channel = self.bot.get_partial_messageable(int(os.environ["RESULTS"]))
        await channel.send(embed=embed)
        await interaction.response.send_message(f"Rolled: entry #{number}", ephemeral=True)


class PlainBot(commands.Bot):
    """The bot."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(commands.when_mentioned, intents=discord.Intents(guilds=True), help_command=None)
        self.engine = engine
        self.session = async_sessionmaker(engine, expire_on_commit=False)

    async def setup_hook(self) -> None:
        """Create the tables, and register the commands."""
        async with self.engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)
        if member := os.environ.get("MEMBER"):
            async with self.session.begin() as session:
                await session.merge(Member(id=int(member), rolls=0))
        await self.add_cog(Patrols(self))
        await self.tree.sync()


def main() -> None:
    """Run the bot on `DATABASE_URL` with `DISCORD_TOKEN`."""
    engine = create_async_engine(os.environ["DATABASE_URL"].replace("sqlite:", "sqlite+aiosqlite:"))

    @sa.event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - aiosqlite's, within SQLAlchemy's
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    PlainBot(engine).run(os.environ["DISCORD_TOKEN"], log_handler=None)
