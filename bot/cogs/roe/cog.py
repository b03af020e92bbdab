"""`/roe` and `/fight`: commands of fights and rolls."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import discord
from discord import app_commands, ui
from discord.app_commands import Range
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.roe import act_commands, aftermath, blasts, checks, fight_messages, fights, flights, reference, turn_card
from bot.cogs.roe.actors import TypedTurnAct, read_typed
from bot.cogs.roe.attacks import AttackForm, RolledForm, read_attack
from bot.cogs.roe.fight_changes import FightChange
from bot.cogs.roe.fight_view import FightView, RoeAsker, UnaskedQuestion, view_meant
from bot.cogs.roe.turn_card import find_asker
from bot.core import permissions, scenes, subjects
from bot.core.errors import BadInput
from bot.outbox.queue import Post
from bot.rolls import answers, desk, entries, options, request
from bot.rolls.pending.panel import make
from bot.rolls.pending.service import PendingRoll
from bot.rolls.receipts import deliver, delivery_lines
from bot.rolls.request import RollCommand
from bot.ui import reply
from bot.ui.parsing import MAX_TEXT, Form, describe, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import ask
from bot.ui.text import COLOURS, plain

REASON = "Decide it now, because"


async def _change(
    interaction: Interaction, do: Callable[..., FightChange], *options: object, at: tuple[int, int] | None = None
) -> None:
    bot, asker = interaction.client, find_asker(interaction)
    campaign, fight = at or (await _campaign_id(interaction), None)
    asked = (bot.resolver, asker, campaign, fight)
    entered, waits = await bot.database.write(fights.make_change, do, *asked, *options)
    readable = permissions.may_maker_read(asker.person, entered.campaign, entered.entry)
    done = f"Done: entry #{entered.entry.number}" if readable else "Done"
    await deliver(interaction, entered.posts, partial(_show_change, interaction, entered, done, waits), done=done)


async def _show_change(
    interaction: Interaction, entered: FightChange, done: str, waits: str | None, sent: Sequence[Post]
) -> None:
    leads, campaign = reply.person(interaction).leads(entered.campaign), entered.campaign
    own = [entries.take_back_button(campaign.id, entered.entry.number)] if leads else []
    posts = [post for post in sent if post.entry_number == entered.entry.number]
    lines = [f"{done}.", *delivery_lines(campaign, [post for post in posts if post.kind == "results" or leads])]
    if entered.view is None:
        await reply.redraw(interaction, receipt("The fight is over", lines, buttons=own))
    else:
        await reply.redraw(interaction, fight_messages.show_fight(entered.view, waits, lines, own))


async def _campaign_id(interaction: Interaction) -> int:
    return (await desk.desk_of(interaction).campaign(interaction)).id


@reply.component(fight_messages.END)
async def _end(interaction: Interaction, *, campaign: int, fight: int) -> None:
    await _change(interaction, fights.end, at=(campaign, fight))


@reply.component(fight_messages.CHOOSE)
async def _choose(interaction: Interaction, *, campaign: int, fight: int, mode: str) -> None:
    await _change(interaction, fights.choose, mode, at=(campaign, fight))


@reply.component(fight_messages.TURN)
async def _end_turn(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    try:
        await _change(interaction, fights.end_turn, scenes.SeenTurn(fight, turn, now), at=(campaign, fight))
    except fights.UnspentTurn as asks:
        await reply.say(interaction, view=fight_messages.ask_unspent(asks.view, asks.left))


@reply.component(fight_messages.SURE)
async def _end_turn_anyway(interaction: Interaction, *, campaign: int, fight: int, turn: int, now: int) -> None:
    do = partial(fights.end_turn, sure=True)
    await _change(interaction, do, scenes.SeenTurn(fight, turn, now), at=(campaign, fight))


@reply.component(fight_messages.VOTE)
async def _vote(interaction: Interaction, *, campaign: int, fight: int, proposed: int, word: str) -> None:
    await _change(interaction, fights.vote, proposed, word, at=(campaign, fight))


@reply.component(fight_messages.PROPOSE)
async def _press_proposal(interaction: Interaction, *, campaign: int, fight: int, aim: str) -> None:
    view = await _view_pressed(interaction, campaign, fight)
    if not view.leads or aim not in fight_messages.AIMS:
        await _change(interaction, fights.propose, aim, at=(campaign, fight))
        return
    key = fight_messages.PROPOSE.fill(campaign=campaign, fight=fight, aim=aim)
    form = ui.Modal(title=fight_messages.AIMS[aim], custom_id=key)
    hint = "Leave it empty to ask the fighters" if aim != "open" else "Everyone sees it"
    await ask(
        interaction, form.add_item(reply.text_field("reason", REASON, placeholder=hint, limit=MAX_TEXT, needed=False))
    )


@reply.modal(fight_messages.PROPOSE)
async def _send_proposal(interaction: Interaction, *, campaign: int, fight: int, aim: str) -> None:
    reason = str(reply.read_submitted(interaction).get("reason") or "")
    await _change(interaction, fights.propose, aim, reason, at=(campaign, fight))


@reply.component(fight_messages.ORDER)
async def _ask_turn_order(interaction: Interaction, *, campaign: int, fight: int) -> None:
    view = await _view_pressed(interaction, campaign, fight)
    permissions.require_game_master(view.viewer.person, view.campaign, "change the turn order")
    form = ui.Modal(title="Turn order", custom_id=fight_messages.ORDER.fill(campaign=campaign, fight=fight))
    names = ", ".join(subjects.label_subjects(view.fight.roster))
    await ask(
        interaction, form.add_item(reply.text_field("names", "All fighters, first to last", value=names, limit=4000))
    )


@reply.modal(fight_messages.ORDER)
async def _send_order(interaction: Interaction, *, campaign: int, fight: int) -> None:
    names = str(reply.read_submitted(interaction).get("names") or "")
    await _change(interaction, fights.order, names, at=(campaign, fight))


async def _view_pressed(interaction: Interaction, campaign: int, fight: int) -> FightView:
    return await interaction.client.database.read(view_meant, find_asker(interaction), campaign, fight)


@reply.component(fight_messages.COME)
async def _come(interaction: Interaction, *, campaign: int, fight: int, who: int) -> None:
    await _change(interaction, flights.come, who, at=(campaign, fight))


COMPONENTS: tuple[reply.Component | reply.ModalForm, ...] = (
    _end,
    _choose,
    _end_turn,
    _end_turn_anyway,
    _vote,
    _press_proposal,
    _ask_turn_order,
    _come,
    _send_proposal,
    _send_order,
)


class JoinFightForm(Form):
    """Options of `/fight join`."""

    character: fights.OwnCharacter = option("Who joins. Players pick their own character")
    how: str = option(
        "How they join. A called character can join a locked fight",
        default="claim",
        choices={"claim": "in the next round", "call": "called by com", "gunfire": "drawn by gunfire"},
    )
    distance: Range[int, 0, 1000] | None = option("Metres from the fight", default=None)


class FightCog(app_commands.Group, name="fight", description="Fights in turns"):
    """The commands of fights."""

    @app_commands.command()
    @fill_form
    async def start(self, interaction: Interaction, form: fights.StartFightForm) -> None:
        """Start a fight here. The defender picks dice or free-form."""
        await _change(interaction, fights.start, form, getattr(interaction.channel, "name", ""))

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel: whose turn, and proposals."""
        asked = (find_asker(interaction), await _campaign_id(interaction))
        view, waits, laid = await interaction.client.database.read(fights.view_with_details, *asked)
        buttons = [*fight_messages.offer_proposals(view)]
        await reply.say(interaction, view=fight_messages.show_fight(view, waits, laid, buttons))

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinFightForm) -> None:
        """Bring a saved character into the fight in this channel."""
        await _change(interaction, flights.join, form.character, form.how, form.distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """Show whose turn it is. Act in yours, or end it."""
        await turn_card.show_turn(interaction)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        bot, asked = interaction.client, (find_asker(interaction), await _campaign_id(interaction))
        view = await bot.database.read(fights.view_to_end, bot.resolver, *asked)
        key = fight_messages.END.fill(campaign=view.campaign.id, fight=view.fight.header.entry)
        button: ui.Button[ui.LayoutView] = ui.Button(label="End fight", custom_id=key, style=discord.ButtonStyle.danger)
        line = "All fighters leave it. Effects that last for this fight end."
        await reply.say(
            interaction, view=receipt(f"End {plain(view.fight.name)}?", [line], COLOURS["neutral"], [button])
        )


Topic = Annotated[str, options.Completed(reference.complete_topic)]


SIDES = 100
"""The die of typed faces before the first die is named."""


async def _roll_as_typed(
    interaction: Interaction, read: Callable[..., RollCommand], form: RolledForm, *, at_once: bool = False
) -> None:
    asker = RoeAsker(interaction.client.library, reply.person(interaction), desk.channels(interaction))
    try:
        typed = desk.TypedRoll(asker.channels, partial(read_typed, read, asker, form))
        await _roll_as_picked(interaction, typed, form, at_once=at_once)
    except UnaskedQuestion as first:
        await _ask_first(interaction, first, form.dice)


async def _roll_as_picked(
    interaction: Interaction,
    command: RollCommand | desk.TypedRoll,
    form: RolledForm,
    *,
    at_once: bool = False,
) -> None:
    faces = None if form.dice is None else request.read_faces(form.dice, SIDES)
    at_once = form.roll == "now" if form.roll else at_once or faces is not None
    await answers.begin(interaction, replace(command, faces=faces), at_once=at_once)


async def _ask_first(interaction: Interaction, first: UnaskedQuestion, dice: str | None) -> None:
    if dice is not None:
        raise BadInput("This waits for answers before any dice are rolled.", "Leave the dice out.")
    await make(interaction, first.ask, *first.asked)


async def _roll_with_consent(
    interaction: Interaction, read: Callable[..., RollCommand], form: RolledForm, ask: Callable[..., PendingRoll] | None
) -> None:
    asker = find_asker(interaction)
    leads = asker.person.leads(await desk.desk_of(interaction).campaign(interaction))
    command = await interaction.client.database.read(read, asker, form)
    if ask is not None and not leads:
        await make(interaction, ask, command)
    else:
        await _roll_as_picked(interaction, command, form)


async def begin_spoil(interaction: Interaction, form: aftermath.TakeForm | aftermath.CaptureForm) -> None:
    """Open the card, or ask who must agree first."""
    if isinstance(form, aftermath.TakeForm):
        await _roll_as_typed(interaction, aftermath.read_take, form)
    else:
        await _roll_with_consent(interaction, aftermath.read_capture, form, aftermath.find_consent(form))


class RoeCog(app_commands.Group, name="roe", description="Rolls, actions and rules of RoE"):
    """The commands of `/roe`."""

    @app_commands.command()
    @describe(what="A racial option, weapon token, trait, stance, vehicle, action, effect or number")
    async def rules(self, interaction: Interaction, what: Topic) -> None:
        """Look up any line of RoE as this campaign plays it."""
        await reference.look_up(interaction, what)

    @app_commands.command()
    @fill_form
    async def take(self, interaction: Interaction, form: aftermath.TakeForm) -> None:
        """Loot, steal, search or operate, all in one roll."""
        await begin_spoil(interaction, form)

    @app_commands.command()
    @fill_form
    async def capture(self, interaction: Interaction, form: aftermath.CaptureForm) -> None:
        """Detain, cuff, pick a lock, escape or release a captive."""
        await begin_spoil(interaction, form)

    @app_commands.command()
    @fill_form
    async def wounds(self, interaction: Interaction, form: aftermath.WoundsForm) -> None:
        """Show or treat wounds, or pay the hospital."""
        bot, asker = interaction.client, find_asker(interaction)
        if form.how == "show":
            await reply.say(interaction, embed=await bot.database.read(aftermath.show_wounds, asker, form.character))
            return
        command = await bot.database.read(aftermath.read_recovery, asker, form)
        await answers.begin(interaction, command, at_once=True)

    @app_commands.command()
    @fill_form
    async def check(self, interaction: Interaction, form: checks.CheckForm) -> None:
        """Make a skill roll against a number or other characters."""
        await _roll_as_typed(interaction, checks.read_check, form)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: checks.RoeOddsForm) -> None:
        """Show the exact odds of an attack or skill roll."""
        bot = interaction.client
        for page in await bot.database.read(checks.find_odds, bot.resolver, find_asker(interaction), form):
            await reply.say(interaction, embeds=page)

    @app_commands.command()
    @fill_form
    async def blast(self, interaction: Interaction, form: blasts.BlastForm) -> None:
        """Throw, hold, launch or set off an explosive, or lay a zone."""
        await _roll_as_typed(interaction, blasts.read_blast, form, at_once=not form.throws)

    @app_commands.command()
    @fill_form
    async def attack(self, interaction: Interaction, form: AttackForm) -> None:
        """Attack: accuracy, dodge, damage and traits in one roll."""
        await _roll_as_typed(interaction, read_attack, form)

    @app_commands.command()
    @fill_form
    async def act(self, interaction: Interaction, form: act_commands.ActForm) -> None:
        """Move, take cover, reload, hide, grab and more in a turn."""
        typed = TypedTurnAct(form.what, form.target, form.value, form.character, form.modifiers, form.note)
        try:
            asked = (find_asker(interaction), typed)
            command, throws = await interaction.client.database.read(act_commands.read_act, *asked)
        except UnaskedQuestion as first:
            await _ask_first(interaction, first, form.dice)
        else:
            await _roll_as_picked(interaction, command, form, at_once=not throws)
