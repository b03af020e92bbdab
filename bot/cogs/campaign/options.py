"""The options of campaign commands that are completed or take a channel of any kind."""

from __future__ import annotations

import re
from typing import Annotated

import discord
from discord import app_commands

from bot.cogs.campaign import zones
from bot.rolls.options import ANYTHING, Completed, Completion, Offering, containing
from bot.ui.reply import AnyInteraction

AnyChannel = app_commands.AppCommandChannel | app_commands.AppCommandThread


class LinkableChannel(app_commands.Transformer):
    """A channel of any kind, also one that the bot does not know yet: only its id is wanted."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """A channel option that names no kinds, so that Discord offers all of them."""
        return discord.AppCommandOptionType.channel

    async def transform(self, _interaction: AnyInteraction, value: AnyChannel, /) -> AnyChannel:
        """Return the channel as Discord sent it."""
        return value


class TimezoneCompleter(Offering):
    """An IANA time zone."""

    decorated = re.compile(r" \(.*, UTC")

    async def offered(self, interaction: AnyInteraction, current: str) -> list[tuple[str, str]]:
        """Return those that what is typed may mean, each with its time now; a space counts as an underscore."""
        return zones.offered(current, interaction.client.ledger.now())


class BooksCompleter(Offering):
    """A rule book to begin with, found by its title or its id."""

    decorated = ANYTHING

    async def offered(self, interaction: AnyInteraction, current: str) -> list[tuple[str, str]]:
        """Return those whose titles contain what is typed; their ids are what is taken."""
        ids = {book.named: book.id for book in interaction.client.library.shipped.values()}
        return [(title, ids[title]) for title, _ in containing(current, ids)]


class BookChangeCompleter(Completed):
    """A rule book to add or to remove, found by its title or its id."""

    decorated = re.compile("^(Add|Remove) ")

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what can be done with each book: those that are on can be removed, the others added."""
        books = at.interaction.client.library.shipped.values()
        on = at.campaign.books
        done = {f"Remove {book.named}" if book.id in on else f"Add {book.named}": book.id for book in books}
        return [
            (label, f"-{done[label]}" if done[label] in on else done[label]) for label, _ in containing(current, done)
        ]


Linkable = Annotated[AnyChannel, LinkableChannel()]
Timezone = Annotated[str, TimezoneCompleter()]
Books = Annotated[str, BooksCompleter()]
BookChanges = Annotated[str, BookChangeCompleter()]
