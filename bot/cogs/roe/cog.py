"""`/roe` and `/fight`: commands of fights and rolls."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands, ui
from discord.app_commands import Range
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.roe import act_commands, aftermath, fight_messages, fights, turns
from bot.cogs.roe.actors import TypedTurnAct
from bot.cogs.roe.aftermath import CaptureForm, TakeForm, WoundsForm
from bot.cogs.roe.attacks import AttackForm, read_attack
from bot.cogs.roe.blasts import BlastForm, read_blast
from bot.cogs.roe.captivity import ask_consent, show_wounds
from bot.cogs.roe.fight_changes import FightChange
from bot.cogs.roe.fight_messages import ask_unspent, show_fight
from bot.cogs.roe.fights import Fighters, OwnCharacter, StartFightForm
from bot.cogs.roe.odds import RoeOddsForm, find_odds
from bot.cogs.roe.options import CheckForm, RolledForm, read_check
from bot.cogs.roe.reference import complete_topic, look_up
from bot.cogs.roe.turn_card import show_turn
from bot.cogs.roe.turns import UnspentTurn
from bot.cogs.roe.waiting import UnaskedQuestion
from bot.core.errors import BadInput
from bot.core.permissions import may_maker_read
from bot.core.scenes import SeenTurn
from bot.outbox.queue import Post
from bot.rolls.answers import DoubtedRoll, begin, finish
from bot.rolls.card import layout
from bot.rolls.desk import TypedRoll, channels, desk_of
from bot.rolls.entries import take_back_button
from bot.rolls.options import Completed
from bot.rolls.pending.panel import make
from bot.rolls.receipts import deliver, delivery_lines
from bot.rolls.request import RollCommand, read_faces
from bot.rolls.resolver import RollResult
from bot.ui import reply
from bot.ui.parsing import GAME_MASTERS, MAX_TEXT, Form, Text, describe, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, plain


async def _change(
    interaction: Interaction,
    do: Callable[..., FightChange],
    *options: object,
    campaign: int | None = None,
    fight: int | None = None,
) -> None:
    bot, who = interaction.client, reply.person(interaction)
    campaign = await _campaign_id(interaction) if campaign is None else campaign
    asked = (bot.resolver, who, campaign, fight, channels(interaction))
    entered, waits = await bot.database.write(fights.make_change, do, *asked, *options)
    readable = may_maker_read(who, entered.campaign, entered.entry)
    done = f"Done: entry #{entered.entry.number}" if readable else "Done"
    await deliver(interaction, entered.posts, partial(_show_change, interaction, entered, done, waits), done=done)


async def _show_change(
    interaction: Interaction, entered: FightChange, done: str, waits: str | None, sent: Sequence[Post]
) -> None:
    leads, campaign = reply.person(interaction).leads(entered.campaign), entered.campaign
    own = [take_back_button(campaign.id, entered.entry.number)] if leads else []
    posts = [post for post in sent if post.entry_number == entered.entry.number]
    lines = [f"{done}.", *delivery_lines(campaign, [post for post in posts if post.kind == "results" or leads])]
    if entered.view is None:
        await reply.redraw(interaction, receipt("The fight is over", lines, buttons=own))
    else:
        await reply.redraw(interaction, show_fight(entered.view, waits, lines, own))


async def _campaign_id(interaction: Interaction) -> int:
    return (await desk_of(interaction).campaign(interaction)).id


@reply.component(fight_messages.END)
async def _end(interaction: Interaction, *, campaign: int, fight: int) -> None:
    await _change(interaction, fights.end, campaign=campaign, fight=fight)


@reply.component(fight_messages.CHOOSE)
async def _choose(interaction: Interaction, *, campaign: int, fight: int, mode: str) -> None:
    await _change(interaction, turns.choose, mode, campaign=campaign, fight=fight)


@reply.component(fight_messages.TURN)
async def _end_turn(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    try:
        await _change(interaction, turns.end_turn, SeenTurn(fight, turn, now), campaign=campaign, fight=fight)
    except UnspentTurn as asks:
        await reply.say(interaction, view=ask_unspent(asks.view, asks.left))


@reply.component(fight_messages.SURE)
async def _end_turn_anyway(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    do = partial(turns.end_turn, sure=True)
    await _change(interaction, do, SeenTurn(fight, turn, now), campaign=campaign, fight=fight)


@reply.component(fight_messages.VOTE)
async def _vote(interaction: Interaction, *, campaign: int, fight: int, proposed: int, word: str) -> None:
    await _change(interaction, fights.vote, proposed, word, campaign=campaign, fight=fight)


@reply.component(fight_messages.COME)
async def _come(interaction: Interaction, *, campaign: int, fight: int, who: int) -> None:
    await _change(interaction, turns.come, who, campaign=campaign, fight=fight)


@reply.component(fight_messages.ACT)
async def _pick_act(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int) -> None:
    act = next(iter(reply.read_picked(interaction)), "")
    if act not in act_commands.NEEDED:
        await _act(interaction, campaign, SeenTurn(fight, turn, now), left, TypedTurnAct(act))
        return
    needed = act_commands.NEEDED[act]
    key = fight_messages.TYPED.fill(campaign=campaign, fight=fight, turn=turn, now=now, left=left, act=act)
    form = ui.Modal(title="One more detail", custom_id=key)
    for name, label, hint in needed:
        form.add_item(reply.text_field(name, label, placeholder=hint, limit=MAX_TEXT, needed=len(needed) == 1))
    await reply.ask(interaction, form)


@reply.modal(fight_messages.TYPED)
async def _act_as_typed(
    interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int, left: int, act: str
) -> None:
    fields = {name: str(value or "").strip() or None for name, value in reply.read_submitted(interaction).items()}
    typed = TypedTurnAct(act, fields.get("target"), fields.get("value"))
    await _act(interaction, campaign, SeenTurn(fight, turn, now), left, typed)


async def _act(interaction: Interaction, campaign: int, turn: SeenTurn, left: int, typed: TypedTurnAct) -> None:
    bot = interaction.client
    asked = (reply.person(interaction), campaign, turn, left, typed, channels(interaction))
    try:
        made = await bot.database.write(act_commands.carry_out, bot.resolver, *asked)
    except UnaskedQuestion as first:
        await make(interaction, first.ask, *first.asked)
        return
    if isinstance(made, RollResult):
        await finish(interaction, made)
    elif isinstance(made, DoubtedRoll):
        await reply.say(interaction, view=layout.question(made.view, made.lines))
    else:
        await reply.say(interaction, view=layout.draw(made, 0))


COMPONENTS: tuple[reply.Component, ...] = (_end, _choose, _end_turn, _end_turn_anyway, _vote, _come, _pick_act)
MODALS: tuple[reply.ModalForm, ...] = (_act_as_typed,)


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
    """The option of proposals to the fighters."""

    reason: Text | None = option("Game masters only: do it at once. Everyone sees this reason", default=None)


@app_commands.guild_only()
class FightCog(app_commands.Group, name="fight", description="Fights in turns"):
    """The commands of fights."""

    @app_commands.command()
    @fill_form
    async def start(self, interaction: Interaction, form: StartFightForm) -> None:
        """Start a fight here. The defender picks dice or free-form."""
        await _change(interaction, fights.start, form, getattr(interaction.channel, "name", ""))

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel."""
        bot, asked = (
            interaction.client,
            (reply.person(interaction), await _campaign_id(interaction), channels(interaction)),
        )
        await reply.say(
            interaction, view=show_fight(*await bot.database.read(fights.view_with_details, bot.library, *asked))
        )

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinFightForm) -> None:
        """Bring a saved character into the fight in this channel."""
        await _change(interaction, turns.join, form.character, form.how, form.distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """Show whose turn it is. Act in yours, or end it."""
        await show_turn(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(names="All fighters in their new order, separated by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Change the order of the fighters."""
        await _change(interaction, turns.order, names)

    @app_commands.command()
    @fill_form
    async def mode(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose switching the fight here to dice or free-form."""
        await _change(interaction, fights.change_mode, form.reason)

    @app_commands.command()
    @fill_form
    async def lock(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose that no one else joins the fight here."""
        await _change(interaction, fights.lock, form.reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        bot, asked = (
            interaction.client,
            (reply.person(interaction), await _campaign_id(interaction), channels(interaction)),
        )
        view = await bot.database.read(fights.view_to_end, bot.resolver, *asked)
        key = fight_messages.END.fill(campaign=view.campaign.id, fight=view.fight.header.entry)
        button: ui.Button[ui.LayoutView] = ui.Button(label="End fight", custom_id=key, style=discord.ButtonStyle.danger)
        line = "All fighters leave it. Effects that last for this fight end."
        await reply.say(
            interaction, view=receipt(f"End {plain(view.fight.name)}?", [line], COLOURS["neutral"], [button])
        )


Topic = Annotated[str, Completed(complete_topic)]

SIDES = 100
"""The die of typed faces before the first die is named."""


async def _roll_as_typed(
    interaction: Interaction, read: Callable[..., RollCommand], form: RolledForm, *, at_once: bool = False
) -> None:
    where = channels(interaction)
    try:
        typed = TypedRoll(where, partial(read, channels=where, typed=form))
        await _roll_as_picked(interaction, typed, form.roll, form.dice, at_once=at_once)
    except UnaskedQuestion as first:
        await _ask_first(interaction, first, form.dice)


async def _roll_as_picked(
    interaction: Interaction,
    command: RollCommand | TypedRoll,
    roll: str | None,
    dice: str | None,
    *,
    at_once: bool = False,
) -> None:
    faces = None if dice is None else read_faces(dice, SIDES)
    at_once = roll == "now" if roll else at_once or faces is not None
    await begin(interaction, replace(command, faces=faces), at_once=at_once)


async def _ask_first(interaction: Interaction, first: UnaskedQuestion, dice: str | None) -> None:
    if dice is not None:
        raise BadInput("This waits for answers before any dice are rolled.", "Leave the dice out.")
    await make(interaction, first.ask, *first.asked)


@app_commands.guild_only()
class RoeCog(app_commands.Group, name="roe", description="Rolls, actions and rules of RoE"):
    """The commands of `/roe`."""

    @app_commands.command()
    @describe(what="A racial option, weapon token, trait, stance, vehicle, action, effect or number")
    async def rules(self, interaction: Interaction, what: Topic) -> None:
        """Look up any line of RoE as this campaign plays it."""
        await look_up(interaction, what)

    @app_commands.command()
    @fill_form
    async def take(self, interaction: Interaction, form: TakeForm) -> None:
        """Loot, steal, search or operate, all in one roll."""
        await _roll_as_typed(interaction, aftermath.read_take, form)

    @app_commands.command()
    @fill_form
    async def capture(self, interaction: Interaction, form: CaptureForm) -> None:
        """Detain, cuff, pick a lock, escape or release a captive."""
        bot, who, where = interaction.client, reply.person(interaction), channels(interaction)
        leads = who.leads(await desk_of(interaction).campaign(interaction))
        command = await bot.database.read(aftermath.read_capture, bot.library, who, where, form)
        if aftermath.needs_consent(form) and not leads:
            await make(interaction, ask_consent, command, form.how)
        else:
            await _roll_as_picked(interaction, command, form.roll, form.dice)

    @app_commands.command()
    @fill_form
    async def wounds(self, interaction: Interaction, form: WoundsForm) -> None:
        """Show or treat wounds, or pay the hospital."""
        bot, who, where = interaction.client, reply.person(interaction), channels(interaction)
        if form.how == "show":
            await reply.say(
                interaction, embed=await bot.database.read(show_wounds, bot.library, who, where, form.character)
            )
            return
        command = await bot.database.read(aftermath.read_recovery, bot.library, who, where, form)
        await begin(interaction, command, at_once=True)

    @app_commands.command()
    @fill_form
    async def check(self, interaction: Interaction, form: CheckForm) -> None:
        """Make a skill roll against a number or other characters."""
        await _roll_as_typed(interaction, read_check, form)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: RoeOddsForm) -> None:
        """Show the exact odds of an attack or skill roll."""
        bot, where = interaction.client, channels(interaction)
        for page in await bot.database.read(find_odds, bot.resolver, reply.person(interaction), where, form):
            await reply.say(interaction, embeds=page)

    @app_commands.command()
    @fill_form
    async def blast(self, interaction: Interaction, form: BlastForm) -> None:
        """Throw, hold, launch or set off an explosive, or lay a zone."""
        await _roll_as_typed(interaction, read_blast, form, at_once=not form.throws)

    @app_commands.command()
    @fill_form
    async def attack(self, interaction: Interaction, form: AttackForm) -> None:
        """Attack: accuracy, dodge, damage and traits in one roll."""
        await _roll_as_typed(interaction, read_attack, form)

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: act_commands.ActForm) -> None:
        """Move, take cover, reload, hide, grab and more in a turn."""
        bot, who, where = interaction.client, reply.person(interaction), channels(interaction)
        typed = TypedTurnAct(form.what, form.target, form.value, form.character, form.modifiers, form.note)
        try:
            command, throws = await bot.database.read(act_commands.read_act, bot.library, who, where, typed)
        except UnaskedQuestion as first:
            await _ask_first(interaction, first, form.dice)
        else:
            await _roll_as_picked(interaction, command, form.roll, form.dice, at_once=not throws)
