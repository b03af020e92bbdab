"""`/unit`, `/character` and `/roster`."""

from asyncio import gather
from collections.abc import Collection

import discord
from discord import app_commands

from bot.actions import act, action_command
from bot.client import Interaction
from bot.cogs.roster import embed, import_export, import_files, service, trait_view
from bot.core import campaigns, profiles
from bot.rolls import desk, entries
from bot.rolls.pending.messages import send_linked
from bot.ui import reply, text
from bot.ui.parsing import GAME_MASTERS, Form, describe, fill_form, option
from bot.ui.receipt import receipt
from bot.ui.reply import ask, person, read_submitted, redraw, say

ONLY_KIND, ONLY_SIDE = "List only this kind", "List only this side"


class ListUnitsForm(Form):
    """Options of `/unit list`."""

    kind: str | None = option(ONLY_KIND, default=None, choices=profiles.UNIT_KINDS)
    side: str | None = option(ONLY_SIDE, default=None)


class ListCharactersForm(Form):
    """Options of `/character list`."""

    kind: str | None = option(ONLY_KIND, default=None, choices=service.KINDS)
    side: str | None = option(ONLY_SIDE, default=None)


class RosterCommands(app_commands.Group):
    """Commands that both groups have."""

    @app_commands.command()
    @describe(name="Its name")
    async def show(self, interaction: Interaction, name: service.Saved) -> None:
        """Show a saved unit or character, and tick its traits."""
        bot, campaign = interaction.client, await desk.desk_of(interaction).campaign(interaction)
        who, asks = service.find_kind(interaction), person(interaction)
        view = await bot.database.read(embed.show_profile, bot.resolver, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw(view))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="Its name")
    async def remove(self, interaction: Interaction, name: service.Removed) -> None:
        """Remove a unit or character and everything saved about it."""
        bot, campaign = interaction.client, await desk.desk_of(interaction).campaign(interaction)
        who, asks = service.find_kind(interaction), person(interaction)
        view = await bot.database.read(service.to_remove, bot.resolver, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw_removal(view))


async def _list(interaction: Interaction, kinds: Collection[str], side: str | None) -> None:
    bot, campaign = interaction.client, await desk.desk_of(interaction).campaign(interaction)
    asks = person(interaction)
    found = await bot.database.read(embed.list_profiles, bot.library, asks, campaign, kinds, side)
    await say(interaction, embed=embed.list_embed(service.find_kind(interaction), *found))


class UnitCog(app_commands.Group, name=service.UNIT, description="Saved squads, ships, bases, places and things"):
    """Units."""

    show, remove = RosterCommands.show, RosterCommands.remove
    add, edit = action_command(service.AddUnit, who=GAME_MASTERS), action_command(service.EditUnit, who=GAME_MASTERS)

    @app_commands.command(name="list")
    @fill_form
    async def list_(self, interaction: Interaction, form: ListUnitsForm) -> None:
        """List the saved units you know of."""
        await _list(interaction, [form.kind] if form.kind else profiles.UNIT_KINDS, form.side)


class CharacterCog(app_commands.Group, name=service.CHARACTER, description="Saved player characters and named NPCs"):
    """Characters."""

    show, remove = RosterCommands.show, RosterCommands.remove
    add = action_command(service.AddCharacter, who=GAME_MASTERS)
    edit = action_command(service.EditCharacter, who={"family": campaigns.CHARACTERS})

    @app_commands.command(name="list")
    @fill_form
    async def list_(self, interaction: Interaction, form: ListCharactersForm) -> None:
        """List the saved characters you know of."""
        await _list(interaction, [form.kind] if form.kind else profiles.CHARACTER_KINDS, form.side)


class ExportRosterForm(Form):
    """Options of `/roster export`."""

    format: import_files.Format = option(
        "The file's format. Default: CSV", default="csv", choices={"csv": "CSV, for spreadsheets", "toml": "TOML"}
    )
    kind: import_export.Part = option(
        "What to export. Default: everything",
        default="both",
        choices={"both": "units and characters", "units": "units", "characters": "characters"},
    )


class RosterCog(app_commands.Group, name="roster", description="Units and characters as files"):
    """Import and export."""

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

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def export(self, interaction: Interaction, form: ExportRosterForm) -> None:
        """Export units and characters as a file you can edit."""
        await import_export.send_export(interaction, form.format, form.kind)


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
    shown = service.ShowProfile(number=subject, page=page, seen=newest, secret=bool(secret))
    await act(interaction, shown, campaign, replaces=True)


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


COMPONENTS: tuple[reply.Component, ...] = (pick, ask_counts, turn_page, choose_who_sees, remove)
