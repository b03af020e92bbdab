"""What a command looks up before it rolls: its campaign, and the books that the campaign plays by."""

from __future__ import annotations

from collections.abc import Mapping

from bot.core import groups
from bot.core.campaigns import Campaign, locate
from bot.core.database import Database
from bot.outbox.delivery import Outbox
from bot.rolls.request import TO_LABELS, To
from bot.rolls.resolver import Resolver
from bot.ui.reply import AnyInteraction
from rules.procedure import Procedure
from rules.ruleset import RuleSet


class RollDesk:
    """What roll commands stand on, and what they look up."""

    def __init__(self, database: Database, resolver: Resolver, outbox: Outbox) -> None:
        self.database = database
        self.resolver = resolver
        self.outbox = outbox

    async def campaign(self, interaction: AnyInteraction) -> Campaign:
        """Return the campaign of the channel that a command was used in.

        Raises:
            NoCampaign: there is none, or more than one.

        """
        return await self.database.read(locate, interaction.guild_id or 0, channels(interaction))

    async def procedure(self, campaign: Campaign, book_id: str, family: str) -> tuple[RuleSet, Procedure]:
        """Return a roll family of a book that the campaign plays by, with the book."""
        book = await self.database.read(self.resolver.library.book, campaign, book_id)
        return book, book.procedure(family)

    async def whither(self, campaign: Campaign, *, leads: bool) -> Mapping[To, str]:
        """Return where a result may go, in words; who leads the campaign chooses among its groups too."""
        known = await self.database.read(groups.current, campaign.id) if leads else []
        return {**TO_LABELS, **{group.audience: f"to {group.name}" for group in known}}

    async def books(self, campaign: Campaign) -> list[RuleSet]:
        """Return the books that the campaign plays by."""
        return await self.database.read(self.resolver.library.played, campaign)


def desk_of(interaction: AnyInteraction) -> RollDesk:
    """Return the desk of the bot that an interaction is for."""
    client = interaction.client
    return RollDesk(client.database, client.resolver, client.outbox)


def channels(interaction: AnyInteraction) -> list[int]:
    """Return the ids under which a channel can be bound, nearest first: the thread or channel, its parent, its category."""
    channel = interaction.channel
    ids = [interaction.channel_id, getattr(channel, "parent_id", None)]
    outer = getattr(channel, "parent", None) or channel
    ids.append(getattr(outer, "category_id", None))
    return [item for item in ids if item is not None]
