"""`/fight`: who fights in a channel, in which order, and whose turn it is."""

from collections.abc import Callable, Sequence
from functools import partial

import discord
from discord import app_commands, ui
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.roe import fight_messages, fights, turns
from bot.cogs.roe.fight_changes import FightChange
from bot.cogs.roe.fight_messages import ask_unspent, show_fight
from bot.cogs.roe.fights import Fighters, OwnCharacter, StartFightForm
from bot.cogs.roe.turn_card import show_turn
from bot.cogs.roe.turns import UnspentTurn
from bot.core.permissions import may_maker_read
from bot.core.scenes import SeenTurn
from bot.outbox.store import Post
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import channels, desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.colours import COLOURS
from bot.ui.components import Component, component
from bot.ui.form import GAME_MASTERS, Form, Text, describe, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain


async def change(
    interaction: Interaction,
    do: Callable[..., FightChange],
    *options: object,
    campaign: int | None = None,
    fight: int | None = None,
) -> None:
    """Change a fight, by default that of the channel, post that where it is fought, and show how it is now."""
    bot, who = interaction.client, person(interaction)
    campaign = await _campaign_id(interaction) if campaign is None else campaign
    entered, waits = await bot.database.write(
        fights.make_change, do, bot.resolver, who, campaign, fight, channels(interaction), *options
    )
    readable = may_maker_read(who, entered.campaign, entered.entry)
    done = f"Done: entry #{entered.entry.number}" if readable else "Done"
    await deliver(interaction, entered.posts, partial(_show_change, interaction, entered, done, waits), done=done)


async def _show_change(
    interaction: Interaction, entered: FightChange, done: str, waits: str | None, sent: Sequence[Post]
) -> None:
    leads, campaign = person(interaction).leads(entered.campaign), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if leads else []
    posts = [post for post in sent if post.entry_number == entered.entry.number]
    lines = [f"{done}.", *delivery_lines(campaign, [post for post in posts if post.kind == "results" or leads])]
    if entered.seen is None:
        await redraw(interaction, receipt("The fight is over", lines, buttons=own))
    else:
        await redraw(interaction, show_fight(entered.seen, waits, lines, own))


async def _campaign_id(interaction: Interaction) -> int:
    return (await desk_of(interaction).campaign(interaction)).id


@component(fight_messages.END)
async def end(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """End the fight that was asked about."""
    await change(interaction, fights.end, campaign=campaign, fight=fight)


@component(fight_messages.CHOOSE)
async def choose(interaction: Interaction, *, campaign: int, fight: int, mode: str) -> None:
    """Take what the defender has chosen."""
    await change(interaction, turns.choose, mode, campaign=campaign, fight=fight)


@component(fight_messages.TURN)
async def end_turn(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was seen, or ask first where something of it is unspent."""
    try:
        await change(interaction, turns.end_turn, SeenTurn(fight, turn, now), campaign=campaign, fight=fight)
    except UnspentTurn as asks:
        await say(interaction, view=ask_unspent(asks.seen, asks.left))


@component(fight_messages.SURE)
async def end_turn_anyway(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was asked about."""
    do = partial(turns.end_turn, sure=True)
    await change(interaction, do, SeenTurn(fight, turn, now), campaign=campaign, fight=fight)


@component(fight_messages.VOTE)
async def vote(interaction: Interaction, *, campaign: int, fight: int, proposed: int, word: str) -> None:
    """Take what somebody says to what is proposed."""
    await change(interaction, fights.vote, proposed, word, campaign=campaign, fight=fight)


@component(fight_messages.COME)
async def come(interaction: Interaction, *, campaign: int, fight: int, who: int) -> None:
    """Let somebody come who was called."""
    await change(interaction, turns.come, who, campaign=campaign, fight=fight)


COMPONENTS: tuple[Component, ...] = (end, choose, end_turn, end_turn_anyway, vote, come)


class JoinFightForm(Form):
    """The options of `/fight join`."""

    character: OwnCharacter = option("Who joins. Players pick their own character")
    how: str = option(
        "How they join. A called character can join a locked fight",
        default="claim",
        choices={"claim": "in the next round", "call": "called by com", "gunfire": "drawn by gunfire"},
    )
    distance: Range[int, 0, 1000] | None = option("Metres from the fight", default=None)


class ProposalForm(Form):
    """The option of commands that propose something to the fighters."""

    reason: Text | None = option("Game masters only: do it at once. Everyone sees this reason", default=None)


@app_commands.guild_only()
class FightCog(app_commands.Group, name="fight", description="Fights in turns"):
    """Fights."""

    @app_commands.command()
    @fill_form
    async def start(self, interaction: Interaction, form: StartFightForm) -> None:
        """Start a fight here. The defender picks dice or free-form."""
        await change(interaction, fights.start, form, getattr(interaction.channel, "name", ""))

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel."""
        bot, asked = interaction.client, (person(interaction), await _campaign_id(interaction), channels(interaction))
        await say(interaction, view=show_fight(*await bot.database.read(fights.view_with_details, bot.library, *asked)))

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinFightForm) -> None:
        """Bring a saved character into the fight in this channel."""
        await change(interaction, turns.join, form.character, form.how, form.distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """Show whose turn it is. Act in yours, or end it."""
        await show_turn(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(names="All fighters in their new order, separated by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Change the order of the fighters."""
        await change(interaction, turns.order, names)

    @app_commands.command()
    @fill_form
    async def mode(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose switching the fight here to dice or free-form."""
        await change(interaction, fights.change_mode, form.reason)

    @app_commands.command()
    @fill_form
    async def lock(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose that no one else joins the fight here."""
        await change(interaction, fights.lock, form.reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        bot, asked = interaction.client, (person(interaction), await _campaign_id(interaction), channels(interaction))
        seen = await bot.database.read(fights.view_to_end, bot.resolver, *asked)
        key = fight_messages.END.fill(campaign=seen.campaign.id, fight=seen.fight.header.entry)
        button: ui.Button[ui.LayoutView] = ui.Button(label="End fight", custom_id=key, style=discord.ButtonStyle.danger)
        line = "All fighters leave it. Effects that last for this fight end."
        await say(interaction, view=receipt(f"End {plain(seen.fight.name)}?", [line], COLOURS["neutral"], [button]))
