"""What whoever acts in a war reads in their receipt beside the outcome, and what they can press next."""

from __future__ import annotations

from discord import ui

from bot.cogs.war import wars
from bot.cogs.war.battle.threads import FOUGHT
from bot.cogs.war.joining import welcome
from bot.cogs.war.settling import all_of_it
from bot.orders.ids import PLAN
from bot.rolls.extension import Afterwards
from bot.rolls.resolver import Rolled
from bot.ui.reply import AnyInteraction, person
from rules.books.total_war.order_kinds import JOIN, RULE, SET

ENDS = "No battle is left, so the turn can end."


async def tell_all(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Tell whoever has set or ruled something all that it has brought, who joins what comes next, and a game master that the last battle of a turn is over."""
    bot, body = interaction.client, rolled.entry.content()
    if body["family"] in {SET, RULE}:
        return Afterwards(lines=tuple(all_of_it(body)))
    if FOUGHT in body:
        return await _after_act(interaction, rolled)
    if body["family"] != JOIN:
        return Afterwards()
    seen = await bot.database.read(wars.on, bot.library, person(interaction), rolled.campaign)
    return Afterwards(lines=tuple(welcome(seen, body["parts"][0]["subjects"]["player"])))


async def _after_act(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Return what leads on once no battle is left: to a game master, since others may not know that there is none."""
    bot, body, who = interaction.client, rolled.entry.content(), person(interaction)
    record = body["parts"][0]["record"]
    if record.get("halves") or record.get("retreats") or not who.leads(rolled.campaign):
        return Afterwards()
    seen = await bot.database.read(wars.running, bot.library, who, rolled.campaign)
    update = body["update"]["number"]
    if seen is None or seen.war.winner is not None or seen.war.update == update:  # a turn ends once in an update
        return Afterwards()
    key = PLAN.fill(campaign=rolled.campaign.id, number=update)
    return Afterwards(lines=(ENDS,), steps=(ui.Button(label="Resolve", custom_id=key),))
