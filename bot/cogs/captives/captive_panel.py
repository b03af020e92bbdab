"""What is done about one captive: entered, picked from the list or shown, then interrogated, moved, released, or let try to escape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ParamSpec

from discord import ui

from bot.client import Interaction
from bot.cogs.captives import queries, rolls, service
from bot.cogs.captives.buttons import AGAIN, INTERROGATE, MOVE, PICK, RELEASE, actions
from bot.cogs.captives.embed import change_embeds, list_pages, status_embed
from bot.cogs.captives.queries import INTERROGATION, CaptiveStatus
from bot.cogs.captives.rolls import RollPlan
from bot.cogs.captives.service import CaptiveChange, CaptiveTransaction
from bot.core.campaigns import Campaign, on_server
from bot.core.permissions import require_game_master
from bot.core.subjects import label, twins
from bot.rolls.answers import begin
from bot.rolls.buttons import take_back_button, with_buttons
from bot.rolls.desk import channels, desk_of
from bot.rolls.request import RollCommand
from bot.ui.answering import committed
from bot.ui.components import Component, ModalForm, component, modal, picked
from bot.ui.parsing import MAX_CHOICES, MAX_NAME, MAX_TEXT
from bot.ui.receipt import picker
from bot.ui.reply import ask, person, say, spend, submitted, text_field
from bot.ui.reply import number as number_of
from bot.ui.text import shorten

P = ParamSpec("P")
MAX_SELECTS = 5


async def enter(
    interaction: Interaction, transaction: CaptiveTransaction[P], *options: P.args, **more: P.kwargs
) -> None:
    """Enter what a command says of a captive, and show it with how things stand now."""
    bot, who = interaction.client, person(interaction)
    campaign = await desk_of(interaction).campaign(interaction)
    await tell(interaction, await bot.database.write(transaction, bot.resolver, who, campaign.id, *options, **more))


async def tell(interaction: Interaction, change: CaptiveChange, *, used: bool = False) -> None:
    """Show what was entered about a captive, with what can be done next; where buttons of a message were `used`, they go."""
    bot = interaction.client
    handed = bot.outbox.hand(bot, change.posts)
    committed(interaction, f"Done: entry #{change.entry.number}")
    if used:
        await spend(interaction)
    steps = actions(change.status, change.campaign, person(interaction)) if change.status else ()
    below = with_buttons(*steps, take_back_button(change.campaign.id, change.entry.number))
    await say(interaction, embeds=change_embeds(change), view=below)
    await bot.outbox.send(bot, handed)


async def show_list(interaction: Interaction) -> None:
    """List the captives that the person knows of, to pick one from, and those who were."""
    campaign = await desk_of(interaction).campaign(interaction)
    everyone = await interaction.client.database.read(queries.listed, person(interaction), campaign)
    *before, last = list_pages(everyone, campaign=campaign.name)
    for page in before:
        await say(interaction, embeds=page)
    below = _select(campaign, everyone, leads=person(interaction).leads(campaign))
    await say(interaction, embeds=last, **({"view": below} if below.children else {}))


def _select(campaign: Campaign, everyone: Sequence[CaptiveStatus], *, leads: bool) -> ui.View:
    """Return the selects from which one of those who are captives is picked, 25 in each."""
    several = twins(everyone)
    held = [
        (str(item.id), label(item) if item.id in several else item.name, f"held by {at.by.name} at {at.at.name}")
        for item in everyone
        if (at := item.captivity) is not None
    ]
    view = ui.View(timeout=None)
    for place, start in enumerate(range(0, min(len(held), MAX_SELECTS * MAX_CHOICES), MAX_CHOICES)):
        key = PICK.fill(campaign=campaign.id, _place=place)
        for select in picker(
            key, "Interrogate, move, release ..." if leads else "See a captive ...", held[start : start + MAX_CHOICES]
        ):
            view.add_item(select)
    view.stop()
    return view


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int, _place: int) -> None:
    """Show the captive that was picked from a list."""
    read, who = interaction.client.database.read, person(interaction)
    here = await read(on_server, interaction.guild_id or 0, campaign)
    await _show(interaction, here, await read(queries.pick, who, here, number_of(next(iter(picked(interaction)), ""))))


async def show(interaction: Interaction, captive: str) -> None:
    """Show how things stand with somebody who is or was a captive."""
    campaign = await desk_of(interaction).campaign(interaction)
    await _show(
        interaction,
        campaign,
        await interaction.client.database.read(queries.show, person(interaction), campaign, captive),
    )


async def _show(interaction: Interaction, campaign: Campaign, status: CaptiveStatus) -> None:
    who = person(interaction)
    steps = list(actions(status, campaign, who))
    steps += [take_back_button(campaign.id, status.newest)] if who.leads(campaign) else []
    below = {"view": with_buttons(*steps)} if steps else {}
    await say(interaction, embed=status_embed(status, footer=campaign.name), **below)


@component(INTERROGATE)
async def ask_interrogators(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Ask who interrogates a captive."""
    status = await _held(interaction, campaign, subject, newest)
    key = INTERROGATE.fill(campaign=campaign, subject=subject, newest=newest)
    form = ui.Modal(title=shorten(f"Interrogate {status.name}", 45), custom_id=key)
    who = "Names separated by commas; one roll for all"
    await ask(interaction, form.add_item(text_field("interrogators", "Who interrogates", placeholder=who, limit=600)))


@modal(INTERROGATE)
async def interrogate(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Open a card for an interrogation."""
    typed = str(submitted(interaction).get("interrogators") or "")
    asked = (person(interaction), campaign, subject, newest, typed)
    await _open(interaction, campaign, await interaction.client.database.read(rolls.interrogation_of, *asked))


@component(AGAIN)
async def interrogate_again(interaction: Interaction, *, campaign: int, entry: int) -> None:
    """Open a card for the same interrogation once more."""
    read = interaction.client.database.read
    plan = await read(rolls.interrogation_again, person(interaction), campaign, entry)
    await _open(interaction, campaign, plan)


async def _open(interaction: Interaction, campaign: int, plan: RollPlan) -> None:
    """Open the card of an interrogation."""
    family = (rolls.BOOK, INTERROGATION)
    command = RollCommand(channels(interaction), family, plan.parts, plan.region, campaign=campaign)
    await begin(interaction, command, at_once=False)


@component(MOVE)
async def ask_place(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Ask where a captive is held from now on."""
    status = await _held(interaction, campaign, subject, newest)
    key = MOVE.fill(campaign=campaign, subject=subject, newest=newest)
    form = ui.Modal(title=shorten(f"Move {status.name}", 45), custom_id=key)
    await ask(interaction, form.add_item(text_field("at", "Where to", placeholder="A base or ship", limit=MAX_NAME)))


@modal(MOVE)
async def move(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Enter that a captive is held somewhere else."""
    place = str(submitted(interaction).get("at") or "")
    await _change(interaction, service.move, campaign, subject, newest, place)


@component(RELEASE)
async def ask_note(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Ask how a release came about."""
    status = await _held(interaction, campaign, subject, newest)
    key = RELEASE.fill(campaign=campaign, subject=subject, newest=newest)
    form = ui.Modal(title=shorten(f"Release {status.name}", 45), custom_id=key)
    hint = "Only game masters see this"
    field = text_field("note", "How it happened", placeholder=hint, limit=MAX_TEXT, needed=False)
    await ask(interaction, form.add_item(field))


@modal(RELEASE)
async def release(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Enter that a captive is let go."""
    note = submitted(interaction).get("note") or None
    await _change(interaction, service.release, campaign, subject, newest, note)


async def _held(interaction: Interaction, campaign: int, subject: int, seen: int) -> CaptiveStatus:
    """Return a captive as a game master has seen them."""
    read, who = interaction.client.database.read, person(interaction)
    here = await read(on_server, interaction.guild_id or 0, campaign)
    require_game_master(who, here, "manage captives")
    return await read(queries.held_still, who, here, subject, seen)


async def _change(
    interaction: Interaction,
    transaction: Callable[..., CaptiveChange],
    campaign: int,
    subject: int,
    seen: int,
    option: str | None,
) -> None:
    """Enter something about a captive as it was seen, and take the buttons off the message that showed it so."""
    bot, who = interaction.client, person(interaction)
    captive = label(await _held(interaction, campaign, subject, seen))
    change = await bot.database.write(transaction, bot.resolver, who, campaign, captive, option, seen)
    await tell(interaction, change, used=interaction.message is not None)


COMPONENTS: tuple[Component, ...] = (pick, ask_interrogators, interrogate_again, ask_place, ask_note)
MODALS: tuple[ModalForm, ...] = (interrogate, move, release)
