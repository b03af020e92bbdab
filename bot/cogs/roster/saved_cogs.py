"""`/unit` and `/character`: what a campaign has saved, with what its books keep of it."""

from collections.abc import Collection
from typing import Any, cast

import discord
from discord import app_commands
from discord.app_commands import Choice, Transform

from bot.client import Interaction
from bot.cogs.roster import queries, service, trait_view
from bot.cogs.roster.embed import list_embed
from bot.core.campaigns import CHARACTERS
from bot.core.profiles import CHARACTER_KINDS, THINGS, UNIT_KINDS, Profile
from bot.core.visibility import Viewer
from bot.rolls import options
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, NameCompleter, containing, picked_fields
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.parsing import MAX_CHOICE
from bot.ui.reply import person, say

UNIT, CHARACTER = "unit", "character"
KINDS: dict[str, list[Choice[str]]] = {
    UNIT: [Choice(name=kind, value=kind) for kind in UNIT_KINDS],
    CHARACTER: [Choice(name="player character", value="pc"), Choice(name="named NPC", value="npc")],
}
OPTIONS = {
    "kind": "Its kind",
    "side": "Game masters only: its side, such as Zeon. none removes it",
    "owner": "The player. Pick me, the bot, to remove the owner",
    "fields": "Values from the books, such as callsign: Owl; newtype: 7. none clears one",
    "secret": "True hides it from everyone but game masters and its owner",
}
REGION = "Its region. Rolls take their weather from there"
SQUAD = "The unit it belongs to, whose traits count for it too. none removes it"


def _who(interaction: Any) -> str:  # noqa: ANN401 - of whatever client
    """Return whom a command is about, after which it is called."""
    return str(cast("dict[str, Any]", interaction.data)["name"])


def _leads(viewer: Viewer, _item: Profile) -> bool:
    return viewer.person.leads(viewer.campaign)


class SavedCompleter(Completed):
    """The name of a unit or character that the command is about, and for which it `takes` the person's word."""

    def __init__(self, takes: options.Takes = Viewer.knows) -> None:
        self._takes = takes

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return saved names."""
        kinds = CHARACTER_KINDS if _who(at.interaction) == CHARACTER else UNIT_KINDS
        return await NameCompleter(*kinds, takes=self._takes).complete(at, current)


class FieldsCompleter(Completed):
    """Fields parted by semicolons: the name of the last is completed, then its value where there are only a few."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last field completed."""
        on = {CHARACTER} if _who(at.interaction) == CHARACTER else {UNIT, *THINGS}
        fields = {name: item for book in await at.books() for name, item in book.fields.items() if on & item.on}
        before, mark, last = current.rpartition(";")
        name, colon, value = map(str.strip, last.partition(":"))
        words = fields[name].options if colon and name in fields else [f"{field}: " for field in fields]
        head = f"{before}{mark} " * bool(mark) + f"{name}: " * bool(colon)
        found = [head + word for word, _ in containing(value if colon else name, words)]
        return [(word, word) for word in found if len(word) <= MAX_CHOICE]


Saved = Transform[str, SavedCompleter()]
Edited = Transform[str, SavedCompleter(Viewer.may_edit)]
Removed = Transform[str, SavedCompleter(_leads)]
Fields = Transform[str, FieldsCompleter]


class Shared(app_commands.Group):
    """The commands that both groups have."""

    @app_commands.command()
    @describe(name="Its name")
    async def show(self, interaction: Interaction, name: Saved) -> None:
        """Show a saved unit or character, and tick its traits."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        who, asks = _who(interaction), person(interaction)
        view = await bot.database.read(queries.show, bot.kernel, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw(view))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="Its name")
    async def remove(self, interaction: Interaction, name: Removed) -> None:
        """Remove a unit or character and everything saved about it."""
        bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
        who, asks = _who(interaction), person(interaction)
        view = await bot.database.read(service.to_remove, bot.kernel, asks, campaign, who, name)
        await say(interaction, view=trait_view.draw_removal(view))


async def _add(interaction: Interaction, name: str, kind: str, **fields: object) -> None:
    """Save somebody, and answer with the card."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    given = picked_fields(**fields)
    view = await bot.database.write(service.add, bot.kernel, person(interaction), campaign.id, name, kind, given)
    await say(interaction, view=trait_view.draw(view))


async def _edit(interaction: Interaction, saved: str, **fields: object) -> None:
    """Change fields of somebody, and answer with the card."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    who, asks, given = _who(interaction), person(interaction), picked_fields(**fields)
    view = await bot.database.write(service.edit, bot.kernel, asks, campaign.id, who, saved, given)
    await say(interaction, view=trait_view.draw(view))


async def _list(interaction: Interaction, kinds: Collection[str], side: str | None) -> None:
    """Answer with a list of these kinds."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    asks = person(interaction)
    found = await bot.database.read(queries.list_profiles, bot.library, asks, campaign, kinds, side)
    await say(interaction, embed=list_embed(_who(interaction), *found))


@app_commands.guild_only()
class UnitCog(app_commands.Group, name=UNIT, description="Saved squads, ships, bases, places and things"):
    """Units."""

    show, remove = Shared.show, Shared.remove

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The name", region=REGION, **OPTIONS)
    @app_commands.choices(kind=KINDS[UNIT])
    async def add(
        self,
        interaction: Interaction,
        name: str,
        kind: str,
        side: str | None = None,
        owner: discord.Member | None = None,
        region: options.Region | None = None,
        fields: Fields | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Save a unit, then tick its traits."""
        await _add(interaction, name, kind, side=side, owner=owner, region=region, fields=fields, secret=secret)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The unit", new_name="The new name", region=REGION, **OPTIONS)
    @app_commands.choices(kind=KINDS[UNIT])
    async def edit(
        self,
        interaction: Interaction,
        name: Edited,
        new_name: str | None = None,
        kind: str | None = None,
        side: str | None = None,
        owner: discord.Member | None = None,
        region: options.Region | None = None,
        fields: Fields | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Change a saved unit."""
        given = {"name": new_name, "kind": kind, "side": side, "owner": owner, "region": region, "secret": secret}
        await _edit(interaction, name, **given, fields=fields)

    @app_commands.command(name="list")
    @describe(kind="List only this kind", side="List only this side")
    @app_commands.choices(kind=KINDS[UNIT])
    async def list_(self, interaction: Interaction, kind: str | None = None, side: str | None = None) -> None:
        """List the saved units you know of."""
        await _list(interaction, [kind] if kind else UNIT_KINDS, side)


@app_commands.guild_only()
class CharacterCog(app_commands.Group, name=CHARACTER, description="Saved player characters and named NPCs"):
    """Characters."""

    show, remove = Shared.show, Shared.remove

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The name", squad=SQUAD, **OPTIONS)
    @app_commands.choices(kind=KINDS[CHARACTER])
    async def add(
        self,
        interaction: Interaction,
        name: str,
        kind: str = "pc",
        side: str | None = None,
        owner: discord.Member | None = None,
        squad: options.UnitName | None = None,
        fields: Fields | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Save a character, then tick its traits."""
        await _add(interaction, name, kind, side=side, owner=owner, squad=squad, fields=fields, secret=secret)

    @app_commands.command(extras={"family": CHARACTERS})
    @describe(name="The character", new_name="The new name", squad=SQUAD, **OPTIONS)
    @app_commands.choices(kind=KINDS[CHARACTER])
    async def edit(
        self,
        interaction: Interaction,
        name: Edited,
        new_name: str | None = None,
        kind: str | None = None,
        side: str | None = None,
        owner: discord.Member | None = None,
        squad: options.UnitName | None = None,
        fields: Fields | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Change a saved character."""
        given = {"name": new_name, "kind": kind, "side": side, "owner": owner, "squad": squad, "secret": secret}
        await _edit(interaction, name, **given, fields=fields)

    @app_commands.command(name="list")
    @describe(kind="List only this kind", side="List only this side")
    @app_commands.choices(kind=KINDS[CHARACTER])
    async def list_(self, interaction: Interaction, kind: str | None = None, side: str | None = None) -> None:
        """List the saved characters you know of."""
        await _list(interaction, [kind] if kind else CHARACTER_KINDS, side)
