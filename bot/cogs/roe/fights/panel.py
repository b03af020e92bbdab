"""Fights in Discord: how one stands is shown, and what somebody has done to one is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.roe.fights import buttons, called, service, turns, votes
from bot.cogs.roe.fights.service import Start
from bot.cogs.roe.fights.transaction import Entered
from bot.cogs.roe.fights.turns import Unspent
from bot.cogs.roe.fights.views import fight_view, unspent_view
from bot.core.permissions import readable_by_maker
from bot.core.scenes import SeenTurn
from bot.outbox.store import Post
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import channels, desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain


async def start(interaction: Interaction, who: str, light: str | None, weather: int | None, name: str | None) -> None:
    """Begin a fight in the channel."""
    typed = Start(who, light, weather, name, channels(interaction), getattr(interaction.channel, "name", ""))
    await change(interaction, service.start, await _campaign_id(interaction), typed)


async def show(interaction: Interaction) -> None:
    """Show how the channel's fight stands."""
    bot, where, campaign = interaction.client, channels(interaction), await _campaign_id(interaction)
    shown = await bot.database.read(service.shown, bot.library, person(interaction), campaign, where)
    await say(interaction, view=fight_view(*shown))


async def order(interaction: Interaction, names: str) -> None:
    """Put those who fight in the channel in another order."""
    await change(interaction, turns.order, await _campaign_id(interaction), names, channels(interaction))


async def join(interaction: Interaction, character: str, how: str, metres: int | None) -> None:
    """Let a character come into the channel's fight."""
    await change(
        interaction, turns.join, await _campaign_id(interaction), character, how, metres, channels(interaction)
    )


async def change_mode(interaction: Interaction, reason: str | None) -> None:
    """Propose the other mode for the channel's fight, or decide it."""
    await change(interaction, votes.change_mode, await _campaign_id(interaction), reason, channels(interaction))


async def lock(interaction: Interaction, reason: str | None) -> None:
    """Propose that nobody else comes into the channel's fight, or decide it; open one that is locked."""
    await change(interaction, votes.lock, await _campaign_id(interaction), reason, channels(interaction))


async def ask_end(interaction: Interaction) -> None:
    """Ask whether a fight is over."""
    bot, where, campaign = interaction.client, channels(interaction), await _campaign_id(interaction)
    seen = await bot.database.read(service.to_end, bot.resolver, person(interaction), campaign, where)
    key = buttons.END.fill(campaign=seen.campaign.id, fight=seen.fight.header.entry)
    button: ui.Button[ui.LayoutView] = ui.Button(label="End fight", custom_id=key, style=discord.ButtonStyle.danger)
    line = "All fighters leave it. Effects that last for this fight end."
    await say(interaction, view=receipt(f"End {plain(seen.fight.name)}?", [line], COLOURS["neutral"], [button]))


@component(buttons.END)
async def end(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """End the fight that was asked about."""
    await change(interaction, service.end, campaign, fight)


async def change(
    interaction: Interaction, transaction: Callable[..., Entered], campaign_id: int, *options: object
) -> None:
    """Change a fight, post that where it is fought, and show how it stands."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), campaign_id, *options)
    entered, waits = await bot.database.write(service.changed, transaction, *asked)
    told = readable_by_maker(person(interaction), entered.campaign, entered.entry)
    done = f"Done: entry #{entered.entry.number}" if told else "Done"
    show = partial(_show_entered, interaction, entered, done, waits)
    await deliver(interaction, [*entered.settled, *entered.posts], show, done=done)


async def _show_entered(
    interaction: Interaction, entered: Entered, done: str, waits: str | None, sent: Sequence[Post]
) -> None:
    who, campaign = person(interaction), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if who.leads(campaign) else []
    told = [post for post in sent if post.entry_number == entered.entry.number]
    visible = [post for post in told if post.kind == "results" or who.leads(campaign)]
    lines = [f"{done}.", *delivery_lines(campaign, visible)]
    if entered.look is None:
        await redraw(interaction, receipt("The fight is over", lines, buttons=own))
    else:
        await redraw(interaction, fight_view(entered.look, waits, lines, own))


@component(buttons.CHOOSE)
async def choose(interaction: Interaction, *, campaign: int, fight: int, mode: str) -> None:
    """Take what the defender has chosen."""
    await change(interaction, turns.choose, campaign, fight, mode)


@component(buttons.TURN)
async def end_turn(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was seen, or ask first where something of it is unspent."""
    try:
        await change(interaction, turns.end_turn, campaign, SeenTurn(fight, turn, now))
    except Unspent as asks:
        await say(interaction, view=unspent_view(asks.seen, asks.left))


@component(buttons.SURE)
async def end_all_the_same(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was asked about."""
    await change(interaction, partial(turns.end_turn, sure=True), campaign, SeenTurn(fight, turn, now))


@component(buttons.VOTE)
async def vote(interaction: Interaction, *, campaign: int, fight: int, proposed: int, word: str) -> None:
    """Take what somebody says to what is proposed."""
    await change(interaction, votes.vote, campaign, fight, proposed, word)


@component(buttons.COME)
async def come(interaction: Interaction, *, campaign: int, fight: int, who: int) -> None:
    """Let somebody come who was called."""
    await change(interaction, called.come, campaign, fight, who)


COMPONENTS: tuple[Component, ...] = (end, choose, end_turn, end_all_the_same, vote, come)


async def _campaign_id(interaction: Interaction) -> int:
    return (await desk_of(interaction).campaign(interaction)).id
