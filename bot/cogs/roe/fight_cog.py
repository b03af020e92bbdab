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
from bot.cogs.roe.fights import Characters, Fighters, OwnCharacter, Start
from bot.cogs.roe.turn_card import show_turn
from bot.cogs.roe.turns import Unspent
from bot.core.permissions import readable_by_maker
from bot.core.scenes import SeenTurn
from bot.outbox.store import Post
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import channels, desk_of
from bot.rolls.receipts import deliver, delivery_lines
from bot.ui.colours import COLOURS
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.components import Component, component
from bot.ui.form import Form, Text, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain


async def start(interaction: Interaction, who: str, light: str | None, weather: int | None, name: str | None) -> None:
    """Begin a fight in the channel."""
    typed = Start(who, light, weather, name, channels(interaction), getattr(interaction.channel, "name", ""))
    await change(interaction, fights.start, await _campaign_id(interaction), typed)


async def show(interaction: Interaction) -> None:
    """Show how the channel's fight stands."""
    bot, where, campaign = interaction.client, channels(interaction), await _campaign_id(interaction)
    shown = await bot.database.read(fights.view_with_details, bot.library, person(interaction), campaign, where)
    await say(interaction, view=show_fight(*shown))


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
    await change(interaction, fights.change_mode, await _campaign_id(interaction), reason, channels(interaction))


async def lock(interaction: Interaction, reason: str | None) -> None:
    """Propose that nobody else comes into the channel's fight, or decide it; open one that is locked."""
    await change(interaction, fights.lock, await _campaign_id(interaction), reason, channels(interaction))


async def ask_end(interaction: Interaction) -> None:
    """Ask whether a fight is over."""
    bot, where, campaign = interaction.client, channels(interaction), await _campaign_id(interaction)
    seen = await bot.database.read(fights.view_to_end, bot.resolver, person(interaction), campaign, where)
    key = fight_messages.END.fill(campaign=seen.campaign.id, fight=seen.fight.header.entry)
    button: ui.Button[ui.LayoutView] = ui.Button(label="End fight", custom_id=key, style=discord.ButtonStyle.danger)
    line = "All fighters leave it. Effects that last for this fight end."
    await say(interaction, view=receipt(f"End {plain(seen.fight.name)}?", [line], COLOURS["neutral"], [button]))


@component(fight_messages.END)
async def end(interaction: Interaction, *, campaign: int, fight: int) -> None:
    """End the fight that was asked about."""
    await change(interaction, fights.end, campaign, fight)


async def change(
    interaction: Interaction, transaction: Callable[..., FightChange], campaign_id: int, *options: object
) -> None:
    """Change a fight, post that where it is fought, and show how it stands."""
    bot = interaction.client
    asked = (bot.resolver, person(interaction), campaign_id, *options)
    entered, waits = await bot.database.write(fights.make_change, transaction, *asked)
    told = readable_by_maker(person(interaction), entered.campaign, entered.entry)
    done = f"Done: entry #{entered.entry.number}" if told else "Done"
    show = partial(_show_entered, interaction, entered, done, waits)
    await deliver(interaction, [*entered.settled, *entered.posts], show, done=done)


async def _show_entered(
    interaction: Interaction, entered: FightChange, done: str, waits: str | None, sent: Sequence[Post]
) -> None:
    who, campaign = person(interaction), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if who.leads(campaign) else []
    told = [post for post in sent if post.entry_number == entered.entry.number]
    visible = [post for post in told if post.kind == "results" or who.leads(campaign)]
    lines = [f"{done}.", *delivery_lines(campaign, visible)]
    if entered.seen is None:
        await redraw(interaction, receipt("The fight is over", lines, buttons=own))
    else:
        await redraw(interaction, show_fight(entered.seen, waits, lines, own))


@component(fight_messages.CHOOSE)
async def choose(interaction: Interaction, *, campaign: int, fight: int, mode: str) -> None:
    """Take what the defender has chosen."""
    await change(interaction, turns.choose, campaign, fight, mode)


@component(fight_messages.TURN)
async def end_turn(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was seen, or ask first where something of it is unspent."""
    try:
        await change(interaction, turns.end_turn, campaign, SeenTurn(fight, turn, now))
    except Unspent as asks:
        await say(interaction, view=ask_unspent(asks.seen, asks.left))


@component(fight_messages.SURE)
async def end_all_the_same(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    """End the turn that was asked about."""
    await change(interaction, partial(turns.end_turn, sure=True), campaign, SeenTurn(fight, turn, now))


@component(fight_messages.VOTE)
async def vote(interaction: Interaction, *, campaign: int, fight: int, proposed: int, word: str) -> None:
    """Take what somebody says to what is proposed."""
    await change(interaction, fights.vote, campaign, fight, proposed, word)


@component(fight_messages.COME)
async def come(interaction: Interaction, *, campaign: int, fight: int, who: int) -> None:
    """Let somebody come who was called."""
    await change(interaction, turns.come, campaign, fight, who)


COMPONENTS: tuple[Component, ...] = (end, choose, end_turn, end_all_the_same, vote, come)


async def _campaign_id(interaction: Interaction) -> int:
    return (await desk_of(interaction).campaign(interaction)).id


class StartFightForm(Form):
    """The options of `/fight start`."""

    who: Characters = option("Fighters, separated by commas. Yours attacks; game masters put the defender first")
    light: str | None = option(
        "Day or night, for the whole fight", default=None, choices={"day": "by day", "night": "by night"}
    )
    weather: Range[int, -50, 50] | None = option("The weather number that the HUD shows", default=None)
    name: Range[str, 1, 60] | None = option("The fight's name. Default: the channel's name", default=None)


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
        await start(interaction, form.who, form.light, form.weather, form.name)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel."""
        await show(interaction)

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinFightForm) -> None:
        """Bring a saved character into the fight in this channel."""
        await join(interaction, form.character, form.how, form.distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """Show whose turn it is. Act in yours, or end it."""
        await show_turn(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(names="All fighters in their new order, separated by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Change the order of the fighters."""
        await order(interaction, names)

    @app_commands.command()
    @fill_form
    async def mode(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose switching the fight here to dice or free-form."""
        await change_mode(interaction, form.reason)

    @app_commands.command()
    @fill_form
    async def lock(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose that no one else joins the fight here."""
        await lock(interaction, form.reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        await ask_end(interaction)
