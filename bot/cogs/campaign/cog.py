"""`/campaign`: campaigns, their channels and settings."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import discord
from discord import app_commands

from bot.actions import find_named_campaign
from bot.client import Interaction
from bot.cogs.campaign import embed, farewell, groups, panel, service, settings
from bot.cogs.campaign.settings import DEFENCE, NEW, PINGED, THREADS, CampaignSettings
from bot.core.campaigns import STAFF, Campaign
from bot.rolls.desk import channels
from bot.rolls.options import ANYTHING, CampaignName, Completed, Completion, Completions, Offering, filter_labels
from bot.ui.parsing import GAME_MASTERS, MANAGERS, Form, describe, fill_form, option
from bot.ui.reply import AnyInteraction, person, say

AnyChannel = app_commands.AppCommandChannel | app_commands.AppCommandThread


class LinkableChannel(app_commands.Transformer):
    """A channel of any kind, unknown ones too."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """Return no kinds, so Discord offers every channel."""
        return discord.AppCommandOptionType.channel

    async def transform(self, _interaction: AnyInteraction, value: AnyChannel, /) -> AnyChannel:
        """Return the channel as Discord sent it."""
        return value


async def _offer_timezone(interaction: AnyInteraction, current: str) -> Completions:
    return settings.offer_time_zones(current, interaction.client.ledger.now())


async def _offer_books(interaction: AnyInteraction, current: str) -> Completions:
    ids = {book.title_with_id: book.id for book in interaction.client.library.shipped.values()}
    return [(title, ids[title]) for title, _ in filter_labels(current, ids)]


async def _complete_book_change(at: Completion, current: str) -> Completions:
    books = at.interaction.client.library.shipped.values()
    on = at.campaign.books
    done = {f"Remove {book.title_with_id}" if book.id in on else f"Add {book.title_with_id}": book.id for book in books}
    return [
        (label, f"-{done[label]}" if done[label] in on else done[label]) for label, _ in filter_labels(current, done)
    ]


Linkable = Annotated[AnyChannel, LinkableChannel()]
Timezone = Annotated[str, Offering(_offer_timezone, re.compile(r" \(.*, UTC"))]
Books = Annotated[str, Offering(_offer_books, ANYTHING)]
BookChanges = Annotated[str, Completed(_complete_book_change, re.compile("^(Add|Remove) "))]


ZONE = "The time zone, such as Europe/Berlin"
CAMPAIGN = option("The campaign. Default: this channel's", default=None)


class CreateForm(Form):
    """Options of `/campaign create`."""

    name: str | None = option("The campaign's name", default=None)
    results: discord.TextChannel | None = option("The channel for public results. I can make one", default=None)
    staff: discord.TextChannel | None = option("The channel that only game masters see. I can make one", default=None)
    game_master: discord.Role | None = option("The game masters' role. I can make one", default=None)
    player: discord.Role | None = option("The players' role. Default: everyone plays", default=None)
    books: Books = option("Books of rules, separated by commas. Default: campaign", default="campaign")
    timezone: Timezone = option(ZONE, default="UTC")
    players_may: str = option("What players may do. Default: orders, escape. none = nothing", default="orders, escape")

    def settings(self) -> CampaignSettings:
        """Return the settings of the new campaign."""
        results, staff, role = (item.id if item else 0 for item in (self.results, self.staff, self.game_master))
        player = self.player.id if self.player else None
        own = (results, staff, role, player, self.players_may)
        return CampaignSettings(self.name or "", self.books, self.timezone, *own)


class EditCampaignForm(Form):
    """Options of `/campaign edit`."""

    campaign: CampaignName | None = CAMPAIGN
    name: str | None = option("The new name", default=None)
    books: BookChanges | None = option("Books to add, or to remove with a minus: infinity, -battlesystem", default=None)
    timezone: Timezone | None = option(ZONE, default=None)
    results_channel_id: discord.TextChannel | None = option(
        "A new results channel. Needs Manage Server", default=None, name="results"
    )
    staff_channel_id: discord.TextChannel | None = option(
        "A new staff channel. Needs Manage Server", default=None, name="staff"
    )
    game_master_role_id: discord.Role | None = option(
        "A new role for game masters. Needs Manage Server", default=None, name="game_master"
    )
    player_role_id: discord.Role | None = option(
        "A new role for players. Needs Manage Server", default=None, name="player"
    )
    players_may: str | None = option(
        "What players may do: patrol, orders, characters, places, levels and so on. none = nothing", default=None
    )
    writeup_threads: str | None = option(
        "Whether results that need a write-up get a thread", default=None, choices=[*THREADS], name="write_ups"
    )
    pings: str | None = option("Who gets pings", default=None, choices=PINGED)
    new_are_secret: str | None = option(
        "Who can see units and characters when they are first saved", default=None, choices=[*NEW], name="newly_saved"
    )
    dodges_wait: str | None = option(
        "Roll attacks in fights at once, or wait for the target's player to press Dodge",
        default=None,
        choices=[*DEFENCE],
        name="defence",
    )

    def changes(self) -> dict[str, Any]:
        """Return picked values by campaign field."""
        return {field: getattr(value, "id", value) for field, value in self.collect_values("campaign").items()}


class NamedCampaignForm(Form):
    """The option of commands about one campaign."""

    campaign: CampaignName | None = CAMPAIGN


class ArchiveForm(Form):
    """Options of `/campaign archive`."""

    campaign: CampaignName | None = CAMPAIGN
    restore: bool = option("True opens an archived campaign again", default=False)


class LinkForm(Form):
    """Options of `/campaign link` and `/campaign unlink`."""

    channel: Linkable = option("The channel or category")
    campaign: CampaignName | None = option("The campaign. Default: the only one on this server", default=None)


class CampaignCog(app_commands.Group, name="campaign", description="Your game on this server"):
    """Campaigns and their settings."""

    group = groups.GroupCommands()

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def create(self, interaction: Interaction, form: CreateForm) -> None:
        """Start a campaign on this server."""
        whole = form.name and form.results and form.staff and form.game_master
        await (panel.create if whole else panel.ask_new)(interaction, form.settings())

    @app_commands.command()
    @fill_form
    async def show(self, interaction: Interaction, form: NamedCampaignForm) -> None:
        """Show a campaign's settings, or all campaigns here."""
        await panel.show_campaign(interaction, form.campaign)

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def edit(self, interaction: Interaction, form: EditCampaignForm) -> None:
        """Change a campaign's settings."""
        bot, who, changes = interaction.client, person(interaction), form.changes()
        before = await find_named_campaign(interaction, form.campaign)
        changed = await bot.database.write(service.edit, bot.kernel, who, before.id, changes)
        await bot.registration.register_server(who.guild_id)
        lines = []
        if form.books is not None:
            waiting = await bot.database.read(service.list_unfinished, bot.kernel, changed)
            lines = embed.book_lines(changed, service.list_titles(bot.library), waiting)
        lines += [embed.zone_line(changed, bot.ledger.now())] if form.timezone else []
        lacking = list(_list_missing(interaction.guild, changed, changes))
        await say(interaction, embed=embed.change_embed(changed, "changed", lacking, lines))

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def link(self, interaction: Interaction, form: LinkForm) -> None:
        """Link a channel or category to a campaign."""
        bot, channel = interaction.client, form.channel
        named = await _find_named_or_only(interaction, form.campaign)
        fresh = await bot.database.write(service.link, bot.ledger, person(interaction), named.id, channel.id)
        what = f"{'now' if fresh else 'already'} linked to <#{channel.id}>"
        await say(interaction, embed=embed.change_embed(named, what))

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def unlink(self, interaction: Interaction, form: LinkForm) -> None:
        """Unlink a channel or category from a campaign."""
        bot, channel = interaction.client, form.channel
        named = await _find_named_or_only(interaction, form.campaign)
        gone = await bot.database.write(service.unlink, bot.ledger, person(interaction), named.id, channel.id)
        what = f"{'no longer' if gone else 'not'} linked to <#{channel.id}>"
        await say(interaction, embed=embed.change_embed(named, what, embed.describe_unlinking(named, channel.id)))

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def randomness(self, interaction: Interaction, form: NamedCampaignForm) -> None:
        """Mix numbers from random.org into each roll."""
        await panel.show_randomness(interaction, await find_named_campaign(interaction, form.campaign))

    @app_commands.command(extras=GAME_MASTERS)
    @fill_form
    async def export(self, interaction: Interaction, form: NamedCampaignForm) -> None:
        """Export a whole campaign as one file, secrets included."""
        await farewell.export_campaign(interaction, await find_named_campaign(interaction, form.campaign))

    @app_commands.command(extras=MANAGERS)
    @describe(campaign="The campaign to delete")
    async def delete(self, interaction: Interaction, campaign: CampaignName) -> None:
        """Delete a campaign and everything in it."""
        await farewell.ask_deletion(interaction, await find_named_campaign(interaction, campaign))

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def archive(self, interaction: Interaction, form: ArchiveForm) -> None:
        """Close a campaign to new rolls. You can still read it."""
        bot, who = interaction.client, person(interaction)
        before = await find_named_campaign(interaction, form.campaign)
        if form.restore:
            changed, _ = await bot.database.write(service.archive, bot.ledger, who, before.id, archived=False)
            await bot.registration.register_server(who.guild_id)
            await say(interaction, embed=embed.change_embed(changed, "restored"))
        else:
            await panel.ask_archive(interaction, before)


async def _find_named_or_only(interaction: Interaction, name: str | None) -> Campaign:
    read = interaction.client.database.read
    return await read(service.find_named_or_only, interaction.guild_id or 0, channels(interaction), name)


def _list_missing(guild: discord.Guild | None, campaign: Campaign, changes: Mapping[str, Any]) -> Iterator[str]:
    yield from embed.list_missing(guild, *(changes.get(f"{name}_channel_id") for name in ("results", "staff")))
    role = guild.get_role(campaign.game_master_role_id) if guild and campaign.may_ping(STAFF) else None
    channel = guild.get_channel(campaign.staff_channel_id) if guild else None
    if guild is None or role is None or channel is None or role.mentionable:
        return
    if not channel.permissions_for(guild.me).mention_everyone:
        do = f"let anyone mention that role, or give me Mention Everyone in <#{channel.id}>"
        yield f"I cannot ping <@&{role.id}>: in the server's settings {do}."
