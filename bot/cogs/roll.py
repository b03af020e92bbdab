"""`/roll`: free dice; and open roll cards, with their buttons and windows."""

import asyncio
from functools import partial
from typing import Any

import discord
from discord import app_commands
from msgspec import structs

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.core import campaigns, draws, errors
from bot.kernel import Chore, Feature
from bot.rolls import answers, desk, embed, todo
from bot.rolls.card import layout, panel, service, store
from bot.rolls.options import CARD_OR_NOW, HERE, ToOrHere, route
from bot.rolls.receipts import fault_embed
from bot.rolls.request import RollCommand, label_part
from bot.ui import answering, parsing
from bot.ui.parsing import Form, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import component, own_name, person, say
from bot.ui.text import COLOURS, fit_embeds, paginate, plain
from rules import library
from rules.expression import BadExpression, Expression
from rules.procedure import Part


@component(layout.LISTED)
async def list_cards(interaction: Interaction, *, campaign: int) -> None:
    """List your open roll cards, to open one again."""
    here = await find_pressed_campaign(interaction, campaign)
    found = await interaction.client.database.read(service.list_open, person(interaction), here)
    if not found:
        hint = "Roll commands open cards. They're listed here until you roll or cancel them."
        await say(interaction, view=receipt("No open cards", [hint]))
        return
    selects = todo.card_picker(here, found, partial(_name, interaction))
    await say(interaction, view=receipt("Open cards", [f"{len(found)} of {plain(here.name)}"], selects=selects))


def _name(interaction: Interaction, user_id: int) -> str:
    if user_id == interaction.user.id:
        return "yours"
    member: discord.Member | None = interaction.guild.get_member(user_id) if interaction.guild else None
    return f"by {member.display_name if member else 'someone else'}"


@component(layout.DISCARD)
async def discard(interaction: Interaction, *, campaign: int, card: str) -> None:
    """Discard cards up to the newest one shown."""
    count = await interaction.client.database.write(service.discard, person(interaction), campaign, card)
    cards = f"{count} open card{'s' if count > 1 else ''}"
    await say(interaction, view=receipt(f"Discarded: {cards}", ["Nothing was rolled."], COLOURS["failure"]))


UNRECORDED = "This channel isn't linked to a campaign, so the roll isn't recorded."
FAMILY = (library.FREE_DICE.id, library.FREE_ROLL.family)


class DiceForm(Form):
    """Options of `/roll`."""

    expression: str = option("Dice such as 2d6+3, 4d6kh3, 2d20kl, 5d6!, 8d6 >= 5 or 3x 2d6, then any label")
    note: str | None = option("A note on the result", default=None)
    to: ToOrHere = option(HERE, default="here")
    roll: str = option("Roll now, or open a card with mean and range. Default: now", default="now", choices=CARD_OR_NOW)


@app_commands.command()
@fill_form
async def roll(interaction: Interaction, form: DiceForm) -> None:
    """Roll any dice: keep or drop, explode, count, repeat."""
    try:
        inputs, label = await asyncio.to_thread(_read, form.expression)
    except BadExpression as fault:
        answering.note_end(interaction, "refused", fault)
        await say(interaction, embed=fault_embed(form.expression, fault))
        return
    roller = label_part("roller", None, own_name(interaction))
    subjects = {**roller.subjects, "dice": inputs["expression"]}
    part = structs.replace(roller, subjects=subjects, inputs=inputs)
    destination = route(interaction, form.to)
    command = RollCommand(desk.channels(interaction), FAMILY, [part], note=_note(label, form.note), **destination)
    await _begin(interaction, command, at_once=form.roll == "now")


async def _begin(interaction: Interaction, command: RollCommand, *, at_once: bool) -> None:
    try:
        await answers.begin(interaction, command, at_once=at_once)
    except errors.NoCampaign:
        if await interaction.client.database.read(campaigns.find_linked, interaction.guild_id or 0, command.channels):
            raise
        await _roll_unrecorded(interaction, command)


async def _roll_unrecorded(interaction: Interaction, command: RollCommand) -> None:
    (asked,) = command.parts
    dice = interaction.client.resolver.dice or draws.SystemDice()
    played = library.FREE_ROLL.method.play(Part("1", asked.subjects, inputs=asked.inputs), library.FREE_DICE, dice)
    head = f"**{plain(own_name(interaction))}** rolls **{plain(asked.inputs['expression'])}**"
    note = [f"**Note:** {plain(command.note)}"] if command.note else []
    lines = [head, *embed.throw_lines(played.steps), *note]
    colour, private = COLOURS[played.conclusion.tone], command.to not in {"auto", "results"}
    for page in paginate(fit_embeds(plain(played.conclusion.text), lines, colour=colour, footer=UNRECORDED)):
        await say(interaction, embeds=page, ephemeral=private)


def _read(expression: str) -> tuple[dict[str, Any], str]:
    # The mean may take a third of a second.
    found = Expression.parse(expression)
    return library.inputs_of(found), found.label


def _note(label: str, note: str | None) -> str | None:
    # Both were typed by a person, and can be erased together.
    return " \N{MIDDLE DOT} ".join(filter(None, (label, parsing.parse_text(note, "note")))) or None


FEATURE = Feature(
    commands=(roll,),
    components=(*panel.COMPONENTS, answers.ask_next, answers.push, list_cards, discard, answers.roll_next),
    chores=(Chore(store.forget_spent_cards, every=600),),
    todo=todo.open_cards,
)
