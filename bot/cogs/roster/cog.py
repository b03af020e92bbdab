"""`/unit`, `/character` and `/roster`."""

from collections.abc import Collection
from functools import partial
from typing import Annotated, Any, cast

import discord
from discord import app_commands

from bot.client import Interaction
from bot.cogs.roster import embed, import_panel, service, trait_view
from bot.cogs.roster.embed import list_embed
from bot.cogs.roster.import_export import Part
from bot.cogs.roster.import_files import Format
from bot.core.campaigns import CHARACTERS
from bot.core.profiles import CHARACTER_KINDS, NOBODY, THINGS, UNIT_KINDS, Profile
from bot.core.visibility import Viewer
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, Completions, Region, Takes, UnitName, complete_name, filter_labels
from bot.ui.parsing import GAME_MASTERS, MAX_CHOICE, Form, describe, fill_form, option
from bot.ui.reply import person, say

UNIT, CHARACTER = "unit", "character"


def _find_kind(interaction: Any) -> str:  # noqa: ANN401 - of whatever client
    return str(cast("dict[str, Any]", interaction.data)["name"])


def _leads(viewer: Viewer, _item: Profile) -> bool:
    return viewer.person.leads(viewer.campaign)


async def _complete_saved(takes: Takes, at: Completion, current: str) -> Completions:
    kinds = CHARACTER_KINDS if _find_kind(at.interaction) == CHARACTER else UNIT_KINDS
    return await complete_name(kinds, (), takes, at, current)


async def _complete_fields(at: Completion, current: str) -> Completions:
    on = {CHARACTER} if _find_kind(at.interaction) == CHARACTER else {UNIT, *THINGS}
    fields = {name: item for book in await at.books() for name, item in book.fields.items() if on & item.on}
    before, mark, last = current.rpartition(";")
    name, colon, value = map(str.strip, last.partition(":"))
    words = fields[name].options if colon and name in fields else [f"{field}: " for field in fields]
    head = f"{before}{mark} " * bool(mark) + f"{name}: " * bool(colon)
    found = [head + word for word, _ in filter_labels(value if colon else name, words)]
    return [(word, word) for word in found if len(word) <= MAX_CHOICE]


Saved = Annotated[str, Completed(partial(_complete_saved, Viewer.knows))]
Edited = Annotated[str, Completed(partial(_complete_saved, Viewer.may_edit))]
Removed = Annotated[str, Completed(partial(_complete_saved, _leads))]
Fields = Annotated[str, Completed(_complete_fields)]
KIND, ONLY_KIND, ONLY_SIDE = "Its kind", "List only this kind", "List only this side"
KINDS = {"pc": "player character", "npc": "named NPC"}
SIDE = option("Game masters only: its side, such as Zeon. none removes it", default=None)
OWNER = option("The player. Pick me, the bot, to remove the owner", default=None)
FIELDS = option("Values from the books, such as callsign: Owl; newtype: 7. none clears one", default=None)
SECRET = option("True hides it from everyone but game masters and its owner", default=None)


class UnitForm(Form):
    """What is saved about a unit."""

    kind: str | None = option(KIND, default=None, choices=UNIT_KINDS)
    side: str | None = SIDE
    owner: discord.Member | None = OWNER
    region: Region | None = option("Its region. Rolls take their weather from there", default=None)
    fields: Fields | None = FIELDS
    secret: bool | None = SECRET


class AddUnitForm(UnitForm):
    """Options of `/unit add`."""

    name: str = option("The name")
    kind: str = option(KIND, choices=UNIT_KINDS)


class EditUnitForm(UnitForm):
    """Options of `/unit edit`."""

    name: Edited = option("The unit")
    new_name: str | None = option("The new name", default=None)


class ListUnitsForm(Form):
    """Options of `/unit list`."""

    kind: str | None = option(ONLY_KIND, default=None, choices=UNIT_KINDS)
    side: str | None = option(ONLY_SIDE, default=None)


class CharacterForm(Form):
    """What is saved about a character."""

    kind: str | None = option(KIND, default=None, choices=KINDS)
    side: str | None = SIDE
    owner: discord.Member | None = OWNER
    squad: UnitName | None = option(
        "The unit it belongs to, whose traits count for it too. none removes it", default=None
    )
    fields: Fields | None = FIELDS
    secret: bool | None = SECRET


class AddCharacterForm(CharacterForm):
    """Options of `/character add`."""

    name: str = option("The name")
    kind: str = "pc"


class EditCharacterForm(CharacterForm):
    """Options of `/character edit`."""

    name: Edited = option("The character")
    new_name: str | None = option("The new name", default=None)


class ListCharactersForm(Form):
    """Options of `/character list`."""

    kind: str | None = option(ONLY_KIND, default=None, choices=KINDS)
    side: str | None = option(ONLY_SIDE, default=None)


class RosterCommands(app_commands.Group):
    """Commands that both groups have."""

    @app_commands.command()
    @describe(name="Its name")
    async def show(self, interaction: Interaction, name: Saved) -> None:
        """Show a saved unit or character, and tick its traits."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        who, asks = _find_kind(interaction), person(interaction)
        view = await bot.database.read(embed.show_profile, bot.kernel, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw(view))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="Its name")
    async def remove(self, interaction: Interaction, name: Removed) -> None:
        """Remove a unit or character and everything saved about it."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        who, asks = _find_kind(interaction), person(interaction)
        view = await bot.database.read(service.to_remove, bot.kernel, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw_removal(view))


def _read_given(form: Form, *but: str) -> dict[str, Any]:
    """A member becomes a user id; a bot means no owner."""
    picked = form.collect_values(*but)
    if isinstance(member := picked.get("owner"), discord.Member):
        picked["owner"] = NOBODY if member.bot else member.id
    return picked


async def _add(interaction: Interaction, form: AddUnitForm | AddCharacterForm) -> None:
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    what = (form.name, form.kind, _read_given(form, "name", "kind"))
    view = await bot.database.write(service.add, bot.kernel, person(interaction), campaign.id, *what)
    await say(interaction, view=trait_view.draw(view))


async def _edit(interaction: Interaction, form: EditUnitForm | EditCharacterForm) -> None:
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    who, asks, given = _find_kind(interaction), person(interaction), _read_given(form, "name", "new_name")
    given |= {} if form.new_name is None else {"name": form.new_name}
    view = await bot.database.write(service.edit, bot.kernel, asks, campaign.id, who, form.name, given)
    await say(interaction, view=trait_view.draw(view))


async def _list(interaction: Interaction, kinds: Collection[str], side: str | None) -> None:
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    asks = person(interaction)
    found = await bot.database.read(embed.list_profiles, bot.library, asks, campaign, kinds, side)
    await say(interaction, embed=list_embed(_find_kind(interaction), *found))


@app_commands.guild_only()
class UnitCog(app_commands.Group, name=UNIT, description="Saved squads, ships, bases, places and things"):
    """Units."""

    show, remove = RosterCommands.show, RosterCommands.remove

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def add(self, interaction: Interaction, form: AddUnitForm) -> None:
        """Save a unit, then tick its traits."""
        await _add(interaction, form)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def edit(self, interaction: Interaction, form: EditUnitForm) -> None:
        """Change a saved unit."""
        await _edit(interaction, form)

    @app_commands.command(name="list")
    @fill_form
    async def list_(self, interaction: Interaction, form: ListUnitsForm) -> None:
        """List the saved units you know of."""
        await _list(interaction, [form.kind] if form.kind else UNIT_KINDS, form.side)


@app_commands.guild_only()
class CharacterCog(app_commands.Group, name=CHARACTER, description="Saved player characters and named NPCs"):
    """Characters."""

    show, remove = RosterCommands.show, RosterCommands.remove

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def add(self, interaction: Interaction, form: AddCharacterForm) -> None:
        """Save a character, then tick its traits."""
        await _add(interaction, form)

    @app_commands.command(extras={"family": CHARACTERS})
    @fill_form
    async def edit(self, interaction: Interaction, form: EditCharacterForm) -> None:
        """Change a saved character."""
        await _edit(interaction, form)

    @app_commands.command(name="list")
    @fill_form
    async def list_(self, interaction: Interaction, form: ListCharactersForm) -> None:
        """List the saved characters you know of."""
        await _list(interaction, [form.kind] if form.kind else CHARACTER_KINDS, form.side)


class ExportRosterForm(Form):
    """Options of `/roster export`."""

    format: Format = option(
        "The file's format. Default: CSV", default="csv", choices={"csv": "CSV, for spreadsheets", "toml": "TOML"}
    )
    kind: Part = option(
        "What to export. Default: everything",
        default="both",
        choices={"both": "units and characters", "units": "units", "characters": "characters"},
    )


@app_commands.guild_only()
class RosterCog(app_commands.Group, name="roster", description="Units and characters as files"):
    """Import and export."""

    @app_commands.command(name="import", extras=GAME_MASTERS)
    @describe(
        file="A CSV file of up to 1 MiB, or TOML of up to 64 KiB",
        replace="True also changes names that are already saved",
    )
    async def take_in(self, interaction: Interaction, file: discord.Attachment, *, replace: bool = False) -> None:
        """Preview a file of units and characters, then import it."""
        campaign = await desk_of(interaction).campaign(interaction)
        await import_panel.prepare(interaction, campaign, file, may_replace=replace)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def export(self, interaction: Interaction, form: ExportRosterForm) -> None:
        """Export units and characters as a file you can edit."""
        await import_panel.export(interaction, form.format, form.kind)
