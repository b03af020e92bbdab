"""What whoever acts in a war reads in their receipt beside the outcome."""

from __future__ import annotations

from bot.cogs.war import wars
from bot.cogs.war.joining import welcome
from bot.cogs.war.settling import all_of_it
from bot.cogs.war.wars import BOOK
from bot.rolls.extension import Afterwards
from bot.rolls.resolver import Rolled
from bot.ui.reply import AnyInteraction, person
from rules.books.total_war.order_kinds import JOIN, RULE, SET


async def tell_all(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Tell whoever has set or ruled something all that it has brought, and who joins what comes next."""
    bot, body = interaction.client, rolled.entry.content()
    if body["book"] != BOOK:
        return Afterwards()
    if body["family"] in {SET, RULE}:
        return Afterwards(lines=tuple(all_of_it(body)))
    if body["family"] != JOIN:
        return Afterwards()
    seen = await bot.database.read(wars.on, bot.library, person(interaction), rolled.campaign)
    return Afterwards(lines=tuple(welcome(seen, body["parts"][0]["subjects"]["player"])))
