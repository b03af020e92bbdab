"""The options of campaign commands that are completed or take a channel of any kind."""

from __future__ import annotations

import re
from typing import Annotated

import discord
from discord import app_commands

from bot.cogs.campaign import zones
from bot.rolls.options import ANYTHING, Completed, Completion, Completions, Offering, containing
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


async def _offer_timezone(interaction: AnyInteraction, current: str) -> Completions:
    return zones.offered(current, interaction.client.ledger.now())


async def _offer_books(interaction: AnyInteraction, current: str) -> Completions:
    """Offer books by title; their ids are what is taken."""
    ids = {book.named: book.id for book in interaction.client.library.shipped.values()}
    return [(title, ids[title]) for title, _ in containing(current, ids)]


async def _complete_book_change(at: Completion, current: str) -> Completions:
    """Offer to remove books that are on, and to add the others."""
    books = at.interaction.client.library.shipped.values()
    on = at.campaign.books
    done = {f"Remove {book.named}" if book.id in on else f"Add {book.named}": book.id for book in books}
    return [(label, f"-{done[label]}" if done[label] in on else done[label]) for label, _ in containing(current, done)]


Linkable = Annotated[AnyChannel, LinkableChannel()]
Timezone = Annotated[str, Offering(_offer_timezone, re.compile(r" \(.*, UTC"))]
Books = Annotated[str, Offering(_offer_books, ANYTHING)]
BookChanges = Annotated[str, Completed(_complete_book_change, re.compile("^(Add|Remove) "))]
