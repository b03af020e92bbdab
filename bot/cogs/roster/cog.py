"""`/unit` and `/roster`."""

from asyncio import gather
from collections.abc import Mapping
from functools import partial
from typing import Any

import discord
from discord import app_commands

from bot.actions import act, action_command, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.roster import embed, import_export, import_files, service, trait_view
from bot.core import campaigns, profiles
from bot.core.errors import NotOpen
from bot.core.subjects import label_subjects
from bot.rolls import desk, entries
from bot.rolls.pending.messages import send_linked
from bot.ui import reply, text
from bot.ui.parsing import GAME_MASTERS, Form, describe, fill_form, option
from bot.ui.receipt import page_buttons, pickers, receipt
from bot.ui.reply import ask, person, read_submitted, redraw, say
from bot.ui.text import Controls
from rules.subjects import CHARACTER_KINDS

OF_KINDS = {"units": profiles.UNIT_KINDS, "characters": CHARACTER_KINDS}
SHOW = reply.IdTemplate("unit:{campaign:int}:show:{_place:int}")
EXPORT = reply.IdTemplate("roster:{campaign:int}:export:{part:word}:{format:word}")
FORMATS: Mapping[str, import_files.Format] = {"csv": "csv", "toml": "toml"}
PARTS: Mapping[str, import_export.Part] = {"both": "both", "units": "units", "characters": "characters"}
MAX_SELECTS = 4


class UnitForm(Form):
    """Options of `/unit`."""

    name: service.Saved | None = option("One unit or character, to see all about it. Default: list them", default=None)
    kind: str | None = option(
        "List only this kind", default=None, choices={**{kinds: kinds for kinds in OF_KINDS}, **service.KINDS}
    )
    side: str | None = option("List only this side", default=None)


@app_commands.command()
@fill_form
async def unit(interaction: Interaction, form: UnitForm) -> None:
    """Show a saved unit or character, or list them."""
    campaign = await desk.desk_of(interaction).campaign(interaction)
    await (_list(interaction, campaign, form) if form.name is None else _show(interaction, campaign, form.name))


async def _show(interaction: Interaction, campaign: campaigns.Campaign, who: str | int) -> None:
    bot, asks = interaction.client, person(interaction)
    view = await bot.database.read(embed.show_profile, bot.resolver, asks, campaign, who)
    await say(interaction, view=trait_view.draw(view))


async def _list(interaction: Interaction, campaign: campaigns.Campaign, form: UnitForm) -> None:
    bot, asks = interaction.client, person(interaction)
    kinds = OF_KINDS.get(form.kind or "", (form.kind,)) if form.kind else tuple(service.KINDS)
    saved, fields = await bot.database.read(embed.list_profiles, bot.library, asks, campaign, kinds, form.side)
    names = zip(label_subjects(item for item, _ in saved), saved, strict=True)
    shown = [(str(item.id), name, profiles.name_kind(item.kind)) for name, (item, _) in names]
    selects = pickers(partial(SHOW.fill, campaign=campaign.id), "See all about ...", shown, MAX_SELECTS)
    buttons = page_buttons(("Effects", entries.EFFECTS.fill(campaign=campaign.id, subject=0)))
    if asks.leads(campaign):
        part = next((part for part, some in OF_KINDS.items() if set(kinds) <= set(some)), "both")
        what = "all" if part == "both" else part
        for name in FORMATS:
            key = EXPORT.fill(campaign=campaign.id, part=part, format=name)
            buttons += page_buttons((f"Export {what} ({name.upper()})", key))
    await say(interaction, embeds=embed.list_embeds(saved, fields), view=Controls(*selects, *buttons))


@reply.component(SHOW)
async def show_picked(interaction: Interaction, *, campaign: int, _place: int) -> None:
    """Show the picked profile."""
    here = await find_pressed_campaign(interaction, campaign)
    await _show(interaction, here, reply.number(next(iter(reply.read_picked(interaction)), "")))


@reply.component(EXPORT)
async def export(interaction: Interaction, *, campaign: int, part: str, format: str) -> None:  # noqa: A002 - as it is in the id
    """Send units and characters as a file."""
    if part not in PARTS or format not in FORMATS:
        raise NotOpen(*reply.STALE)
    here = await find_pressed_campaign(interaction, campaign)
    await import_export.send_export(interaction, here, FORMATS[format], PARTS[part])


class RosterCog(app_commands.Group, name="roster", description="Save units and characters"):
    """Save and import."""

    add = action_command(service.AddProfile, who=GAME_MASTERS)
    edit = action_command(service.EditProfile, who=GAME_MASTERS)

    @app_commands.command(name="import", extras=GAME_MASTERS)
    @describe(
        file="A CSV file of up to 1 MiB, or TOML of up to 64 KiB. Default: a window, to paste lines too",
        replace="True also changes names that are already saved",
    )
    async def take_in(
        self, interaction: Interaction, file: discord.Attachment | None = None, *, replace: bool = False
    ) -> None:
        """Preview a file or pasted lines, then import the roster."""
        campaign = await desk.desk_of(interaction).campaign(interaction)
        if file is None:
            await import_export.ask_roster(interaction, campaign, may_replace=replace)
            return
        await import_export.receive(interaction, campaign, file, may_replace=replace)


@reply.component(trait_view.PICK)
async def pick(interaction: Interaction, *, campaign: int, subject: int, page: int, key: str) -> None:
    """Set which traits of a select it has."""
    chosen = set(reply.read_picked(interaction)) - {trait_view.NONE}
    picked = trait_view.PickTraits(number=subject, page=page, key=key, chosen=chosen)
    await act(interaction, picked, campaign, replaces=True)


@reply.component(trait_view.COUNTS)
async def ask_counts(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int) -> None:
    """Ask for trait numbers."""
    await ask(interaction, trait_view.count_modal(await _read_card(interaction, campaign, subject), page, chunk))


@reply.modal(trait_view.COUNTED)
async def count(interaction: Interaction, *, campaign: int, subject: int, page: int, chunk: int, shown: str) -> None:
    """Set the typed trait numbers."""
    typed = read_submitted(interaction)
    counted = trait_view.CountTraits(number=subject, page=page, chunk=chunk, shown=shown.split(","), typed=typed)
    await act(interaction, counted, campaign, replaces=True)


@reply.component(trait_view.PAGE)
async def turn_page(interaction: Interaction, *, campaign: int, subject: int, page: int) -> None:
    """Show another page of the card's traits."""
    await redraw(interaction, trait_view.draw(await _read_card(interaction, campaign, subject), page))


async def _read_card(interaction: Interaction, campaign: int, subject: int) -> embed.ProfileView:
    bot = interaction.client
    return await bot.database.read(embed.find_profile, bot.resolver, person(interaction), campaign, subject)


@reply.component(trait_view.SEEN)
async def choose_who_sees(
    interaction: Interaction, *, campaign: int, subject: int, page: int, secret: int, newest: int
) -> None:
    """Show the profile to players, or hide it."""
    given = {"secret": bool(secret)}
    await act(
        interaction, service.ChangeShown(number=subject, page=page, seen=newest, given=given), campaign, replaces=True
    )


@reply.component(trait_view.EDIT)
async def ask_edits(interaction: Interaction, *, campaign: int, subject: int, page: int) -> None:
    """Ask what to change."""
    await ask(interaction, trait_view.edit_modal(await _read_card(interaction, campaign, subject), page))


@reply.modal(trait_view.EDITED)
async def edit(interaction: Interaction, *, campaign: int, subject: int, page: int, newest: int) -> None:
    """Change what was typed and picked."""
    given = read_submitted(interaction)
    if "owner" in given:
        data: Any = interaction.data
        users = data.get("resolved", {}).get("users", {})
        picked = [int(user) for user in given["owner"] or () if user in users and not users[user].get("bot")]
        given["owner"] = next(iter(picked), profiles.NOBODY)
    if not given.keys() <= trait_view.EDITABLE or not all(isinstance(value, str | int) for value in given.values()):
        raise NotOpen(*reply.STALE)
    change = service.ChangeShown(number=subject, page=page, seen=newest, given=given)
    await act(interaction, change, campaign, replaces=True)


@reply.component(trait_view.ASK_REMOVAL)
async def ask_removal(interaction: Interaction, *, campaign: int, subject: int) -> None:
    """Ask whether to remove it."""
    bot, here = interaction.client, await find_pressed_campaign(interaction, campaign)
    view = await bot.database.read(service.to_remove, bot.resolver, person(interaction), here, subject)
    await redraw(interaction, trait_view.draw_removal(view))


@reply.component(trait_view.REMOVE)
async def remove(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Remove the profile, and answer with a receipt."""
    bot = interaction.client
    asked = (person(interaction), campaign, subject, newest)
    item, entry, posts = await bot.database.write(service.remove, bot.kernel, *asked)
    buttons = [entries.take_back_button(campaign, entry)]
    gone = f"{text.plain(item.name)} and its effects are removed. If you save it again, its earlier rolls still count."
    view = receipt(f"Removed: entry #{entry}", [gone], buttons=buttons)
    await gather(send_linked(bot, posts), redraw(interaction, view))


COMPONENTS: tuple[reply.Component, ...] = (
    *(pick, ask_counts, turn_page, choose_who_sees, remove),
    *(show_picked, export, ask_edits, ask_removal),
)
