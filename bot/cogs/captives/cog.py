"""`/captive`, `/interrogate` and `/escape`."""

from typing import Annotated

from discord import app_commands, ui

from bot.actions import action_command, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.captives import embed, queries, rolls
from bot.cogs.captives.actions import Captives, Escaping, Move, Release, Take, ask_note, ask_place, move, release
from bot.cogs.captives.queries import ESCAPE, INTERROGATION, CaptiveStatus
from bot.cogs.captives.rolls import RollPlan
from bot.core.campaigns import Campaign, require_update
from bot.core.errors import BadInput
from bot.orders import panel as orders
from bot.rolls.answers import begin, begin_form
from bot.rolls.card import layout
from bot.rolls.desk import channels, desk_of
from bot.rolls.entries import take_back_button
from bot.rolls.options import CARD_OR_NOW, NOTE, ModifiersCompleter, Names, Region, RollForm, Week
from bot.rolls.request import RollCommand
from bot.ui.components import Component, ModalForm, component, modal, read_picked, with_buttons
from bot.ui.parsing import MAX_CHOICES, Form, describe, fill_form, option
from bot.ui.receipt import picker
from bot.ui.reply import ask, person, read_submitted, say, text_field
from bot.ui.reply import number as number_of
from bot.ui.text import shorten

MAX_SELECTS = 5


async def show_list(interaction: Interaction) -> None:
    """List captives to pick from, and former ones."""
    campaign = await desk_of(interaction).campaign(interaction)
    everyone = await interaction.client.database.read(queries.list_captives, person(interaction), campaign)
    *before, last = embed.list_pages(everyone, campaign=campaign.name)
    for page in before:
        await say(interaction, embeds=page)
    hint = "Interrogate, move, release ..." if person(interaction).leads(campaign) else "See a captive ..."
    held = embed.list_held(embed.label_namesakes(everyone))
    below = ui.View(timeout=None)
    for place, start in enumerate(range(0, min(len(held), MAX_SELECTS * MAX_CHOICES), MAX_CHOICES)):
        key = embed.PICK.fill(campaign=campaign.id, _place=place)
        for select in picker(key, hint, held[start : start + MAX_CHOICES]):
            below.add_item(select)
    below.stop()
    await say(interaction, embeds=last, **({"view": below} if below.children else {}))


@component(embed.PICK)
async def pick(interaction: Interaction, *, campaign: int, _place: int) -> None:
    """Show the captive picked from a list."""
    read, who = interaction.client.database.read, person(interaction)
    here = await find_pressed_campaign(interaction, campaign)
    await _show(
        interaction, here, await read(queries.pick, who, here, number_of(next(iter(read_picked(interaction)), "")))
    )


async def _show(interaction: Interaction, campaign: Campaign, status: CaptiveStatus) -> None:
    who = person(interaction)
    steps = list(embed.captive_buttons(status, campaign, who))
    steps += [take_back_button(campaign.id, status.newest)] if who.leads(campaign) else []
    below = {"view": with_buttons(*steps)} if steps else {}
    await say(interaction, embed=embed.status_embed(status, footer=campaign.name), **below)


@component(embed.INTERROGATE)
async def ask_interrogators(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Ask who interrogates a captive."""
    read, who = interaction.client.database.read, person(interaction)
    here = await find_pressed_campaign(interaction, campaign)
    status = await read(queries.require_held, who, here, subject, newest)
    key = embed.INTERROGATE.fill(campaign=campaign, subject=subject, newest=newest)
    form = ui.Modal(title=shorten(f"Interrogate {status.name}", 45), custom_id=key)
    hint = "Names separated by commas; one roll for all"
    await ask(interaction, form.add_item(text_field("interrogators", "Who interrogates", placeholder=hint, limit=600)))


@modal(embed.INTERROGATE)
async def open_interrogation(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Open a card for an interrogation."""
    typed = str(read_submitted(interaction).get("interrogators") or "")
    asked = (person(interaction), campaign, subject, newest, typed)
    await _open_interrogation_card(
        interaction, campaign, await interaction.client.database.read(rolls.interrogation_of, *asked)
    )


@component(embed.AGAIN)
async def interrogate_again(interaction: Interaction, *, campaign: int, entry: int) -> None:
    """Open a card for the same interrogation again."""
    read = interaction.client.database.read
    plan = await read(rolls.interrogation_again, person(interaction), campaign, entry)
    await _open_interrogation_card(interaction, campaign, plan)


async def _open_interrogation_card(interaction: Interaction, campaign: int, plan: RollPlan) -> None:
    family = (rolls.BOOK, INTERROGATION)
    command = RollCommand(channels(interaction), family, plan.parts, plan.region, campaign=campaign)
    await begin(interaction, command, at_once=False)


class InterrogateForm(RollForm):
    """Options of `/interrogate`."""

    family = (rolls.BOOK, INTERROGATION)
    captive: Captives = option("The captive")
    interrogators: Names = option("Interrogators, separated by commas: one roll for all")


@app_commands.command(extras={"family": INTERROGATION})
@app_commands.guild_only()
@fill_form
async def interrogate(interaction: Interaction, form: InterrogateForm) -> None:
    """Roll to interrogate a captive."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    plan = await bot.database.read(rolls.interrogation, who, campaign, form.captive, form.interrogators)
    await begin_form(interaction, form, plan.parts, plan.region)


@app_commands.guild_only()
class CaptiveCog(app_commands.Group, name="captive", description="Captives: who, where and by which captor"):
    """Captives."""

    take = action_command(Take)
    move = action_command(Move)
    release = action_command(Release)

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List current and former captives."""
        await show_list(interaction)

    @app_commands.command()
    @describe(captive="The captive. Players can pick their own characters and captives")
    async def show(self, interaction: Interaction, captive: Captives) -> None:
        """Show a captive's status."""
        campaign = await desk_of(interaction).campaign(interaction)
        status = await interaction.client.database.read(queries.show, person(interaction), campaign, captive)
        await _show(interaction, campaign, status)


COMPONENTS: tuple[Component, ...] = (pick, ask_interrogators, interrogate_again, ask_place, ask_note)
MODALS: tuple[ModalForm, ...] = (open_interrogation, move, release)


FAMILY = (rolls.BOOK, ESCAPE)


class EscapeForm(Form):
    """Options of `/escape`; most only matter to a roll."""

    captive: Escaping | None = option(
        "Who tries, separated by commas. Default for game masters: all with escape orders", default=None
    )
    region: Region | None = option("Only when you roll: a weather region or any place name", default=None)
    week: Week | None = option("Only when you roll: the week whose weather counts", default=None)
    modifiers: Annotated[str, ModifiersCompleter(*FAMILY)] | None = option(
        "Only when you roll: ids or labels, separated by commas", default=None
    )
    note: str | None = NOTE
    roll: str = option("Only when you roll: open a card first, or roll now", default="card", choices=CARD_OR_NOW)


@app_commands.command()
@app_commands.guild_only()
@fill_form
async def escape(interaction: Interaction, form: EscapeForm) -> None:
    """Order your captive character's escape, or roll escapes."""
    await _escape(interaction, await desk_of(interaction).campaign(interaction), form)


async def _escape(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    who = person(interaction)
    if form.captive is not None and (who.leads(campaign) or ESCAPE in campaign.players_may):
        await _roll(interaction, campaign, form)
        return
    await desk_of(interaction).procedure(campaign, *FAMILY)
    if form.modifiers:
        when = "on the card" if who.leads(campaign) else "when a game master rolls"
        raise BadInput(f"Modifiers are picked {when}.", "Leave them out and say what counts in the note.")
    if form.captive is not None and (form.region or form.week is not None):
        raise BadInput("The region and week are picked when it's rolled.", "Leave them out and use the note.")
    if form.captive is not None:
        asked = (interaction.client.resolver, who, campaign.id, form.captive, form.note)
        await orders.show_given(interaction, *await interaction.client.database.write(rolls.order_escapes, *asked))
    elif not who.leads(campaign):
        raise BadInput("I need at least one captive.", "Name a captive character of yours.")
    elif form.roll == "now":
        await _roll(interaction, campaign, form)
    else:
        await _open_ordered(interaction, campaign.id, form)


@component(embed.BREAK_OUT)
async def break_out(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Do what `/escape` does, for one captive."""
    asked = (person(interaction), campaign, subject, newest)
    here, captive = await interaction.client.database.read(rolls.escape_of, *asked)
    await _escape(interaction, here, EscapeForm(captive=captive))


@component(embed.ROLL_ESCAPES)
async def open_escapes(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Open a card for the update's ordered escapes."""
    await interaction.client.database.read(require_update, campaign, number)
    await _open_ordered(interaction, campaign, EscapeForm())


async def _roll(interaction: Interaction, campaign: Campaign, form: EscapeForm) -> None:
    who, read = person(interaction), interaction.client.database.read
    plan = await read(rolls.escape, who, campaign, form.captive, form.region)
    where = (channels(interaction), FAMILY, plan.parts, plan.region, form.week)
    roll = RollCommand(*where, form.modifiers, form.note, campaign=campaign.id)
    await begin(interaction, roll, at_once=form.roll == "now")


async def _open_ordered(interaction: Interaction, campaign_id: int, form: EscapeForm) -> None:
    bot, asked = interaction.client, (campaign_id, form.note, form.region, form.week)
    for view in await bot.database.write(rolls.open_ordered, bot.resolver, person(interaction), *asked):
        await say(interaction, view=layout.draw(view, 0))
