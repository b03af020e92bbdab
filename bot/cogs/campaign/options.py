"""The options of campaign commands that are completed or take a channel of any kind."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.cogs.campaign.zones import offered
from bot.rolls.options import AnyText, Completed, Completion, containing, offer
from bot.ui.reply import AnyInteraction

AnyChannel = app_commands.AppCommandChannel | app_commands.AppCommandThread


class BindableChannel(app_commands.Transformer):
    """A channel of any kind, also one that the bot does not know yet: only its id is wanted."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """A channel option that names no kinds, so that Discord offers all of them."""
        return discord.AppCommandOptionType.channel

    async def transform(self, _interaction: AnyInteraction, value: AnyChannel, /) -> AnyChannel:
        """Return the channel as Discord sent it."""
        return value


class TimezoneCompleter(AnyText):
    """An IANA time zone."""

    async def autocomplete(self, interaction: AnyInteraction, value: str, /) -> list[Choice[str]]:  # type: ignore[override] # text only
        """Return those that what is typed may mean, each with its time now; a space counts as an underscore."""
        return offer(offered(value, interaction.client.ledger.now()))


class BooksCompleter(AnyText):
    """A rule book to begin with, found by its title or its id."""

    async def autocomplete(self, interaction: AnyInteraction, value: str, /) -> list[Choice[str]]:  # type: ignore[override] # text only
        """Return those whose titles contain what is typed; their ids are what is taken."""
        ids = {book.named: book.id for book in interaction.client.library.shipped.values()}
        return offer([(title, ids[title]) for title, _ in containing(value, ids)])


class BookChangeCompleter(Completed):
    """A rule book to add or to take away, found by its title or its id."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what can be done with each book: those that are on can be taken away, the others added."""
        books = at.interaction.client.library.shipped.values()
        on = at.campaign.books
        done = {f"Take {book.named} away" if book.id in on else f"Add {book.named}": book.id for book in books}
        return [
            (label, f"-{done[label]}" if done[label] in on else done[label]) for label, _ in containing(current, done)
        ]


Bindable = Transform[AnyChannel, BindableChannel]
Timezone = Transform[str, TimezoneCompleter]
Books = Transform[str, BooksCompleter]
BookChanges = Transform[str, BookChangeCompleter]
