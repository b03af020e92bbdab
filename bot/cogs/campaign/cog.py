"""`/campaign` and `/gm settings`: campaigns, their channels and settings."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any

import discord
from discord import app_commands

from bot.actions import find_named_campaign, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.campaign import embed, groups, panel, service, settings, site
from bot.cogs.campaign.creation import USUAL
from bot.cogs.campaign.settings import DEFENCE, NEW, PINGED, THREADS, CampaignSettings
from bot.core import campaigns, errors
from bot.core.campaigns import STAFF, Campaign
from bot.rolls.desk import channels
from bot.rolls.options import ANYTHING, CampaignName, Completed, Completion, Completions, Offering, filter_labels
from bot.ui.commands import CAMPAIGN, GM
from bot.ui.parsing import GAME_MASTERS, MANAGERS, Form, fill_form, option
from bot.ui.reply import STALE, AnyInteraction, component, person, say

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
WHICH = option("The campaign. Default: this channel's", default=None)


class CreateForm(Form):
    """Options of `/campaign create`."""

    name: str | None = option("The campaign's name", default=None)
    results: discord.TextChannel | None = option("The channel for public results. I can make one", default=None)
    staff: discord.TextChannel | None = option("The channel that only game masters see. I can make one", default=None)
    game_master: discord.Role | None = option("The game masters' role. I can make one", default=None)
    player: discord.Role | None = option("The players' role. Default: everyone plays", default=None)
    books: Books = option("Books of rules, separated by commas. Default: campaign", default=USUAL.books)
    timezone: Timezone = option(ZONE, default=USUAL.timezone)
    players_may: str = option("What players may do. Default: orders, escape. none = nothing", default=USUAL.players_may)

    def settings(self) -> CampaignSettings:
        """Return the settings of the new campaign."""
        results, staff, role = (item.id if item else 0 for item in (self.results, self.staff, self.game_master))
        player = self.player.id if self.player else None
        own = (results, staff, role, player, self.players_may)
        return CampaignSettings(self.name or "", self.books, self.timezone, *own)


class SettingsForm(Form):
    """Options of `/gm settings`."""

    campaign: CampaignName | None = WHICH
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
        "What players may do, too: patrol, places, levels … -escape removes it. none = nothing", default=None
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


class ArchiveForm(Form):
    """Options of `/campaign archive`."""

    campaign: CampaignName | None = WHICH
    restore: bool = option("True opens an archived campaign again", default=False)


class LinkForm(Form):
    """Options of `/campaign link`."""

    channel: Linkable = option("The channel or category")
    campaign: CampaignName | None = option("The campaign. Default: the only one on this server", default=None)
    unlink: bool = option("True unlinks the channel or category", default=False)


class CampaignCog(
    app_commands.Group,
    name="campaign",
    description="Start, link and archive campaigns",
    default_permissions=discord.Permissions(manage_guild=True),
):
    """What needs Manage Server."""

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def create(self, interaction: Interaction, form: CreateForm) -> None:
        """Start a campaign on this server."""
        whole = form.name and form.results and form.staff and form.game_master
        await (panel.create if whole else panel.ask_new)(interaction, form.settings())

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def link(self, interaction: Interaction, form: LinkForm) -> None:
        """Link a channel or category to a campaign, or unlink it."""
        named = await _find_named_or_only(interaction, form.campaign)
        await panel.change_link(interaction, named, form.channel.id, linked=not form.unlink)

    @app_commands.command(extras=MANAGERS)
    @fill_form
    async def archive(self, interaction: Interaction, form: ArchiveForm) -> None:
        """Archive, restore, export or delete a campaign."""
        bot, who = interaction.client, person(interaction)
        before = await find_named_campaign(interaction, form.campaign)
        if form.restore:
            changed, _ = await bot.database.write(service.archive, bot.ledger, who, before.id, archived=False)
            await bot.registration.register_server(who.guild_id)
            await say(interaction, embed=embed.change_embed(changed, "restored"))
        else:
            await panel.ask_archive(interaction, before)


@GM.command(name="settings", extras=GAME_MASTERS)
@fill_form
async def open_settings(interaction: Interaction, form: SettingsForm) -> None:
    """See a campaign's settings and groups, or change them."""
    if form.changes():
        await _change(interaction, form)
    else:
        await show_campaign(interaction, form.campaign)


async def show_campaign(interaction: Interaction, name: str | None = None) -> None:
    """Show a campaign's settings, by default the channel's; without one, list all here."""
    bot, who = interaction.client, person(interaction)
    try:
        campaign = await find_named_campaign(interaction, name)
    except errors.NoCampaign:
        if name is not None:
            raise
        every = await bot.database.read(campaigns.list_campaigns, who.guild_id)
        await say(interaction, embed=embed.campaigns_embed(every))
    else:
        await _show_settings(interaction, campaign)


async def _show_settings(interaction: Interaction, campaign: Campaign) -> None:
    bot, who = interaction.client, person(interaction)
    view = await bot.database.read(service.view_campaign, bot.kernel, who, campaign)
    shown = embed.campaign_embed(view, who, bot.ledger.now())
    await say(interaction, embed=shown, view=panel.settings_buttons(campaign, who))


async def _change(interaction: Interaction, form: SettingsForm) -> None:
    bot, who, changes = interaction.client, person(interaction), form.changes()
    before = await find_named_campaign(interaction, form.campaign)
    changed = await bot.database.write(service.edit, bot.kernel, who, before.id, changes)
    await bot.registration.register_server(who.guild_id)
    lines = embed.list_changed(before, changed)
    if form.books is not None:
        waiting = await bot.database.read(service.list_unfinished, bot.kernel, changed)
        lines += embed.book_lines(changed, service.list_titles(bot.library), waiting)
    lines += [embed.zone_line(changed, bot.ledger.now())] if form.timezone else []
    lacking = list(_list_missing(interaction.guild, changed, changes))
    await say(interaction, embed=embed.change_embed(changed, "changed", lacking, lines))


SHOWN: Mapping[str, Callable[[Interaction, Campaign], Awaitable[None]]] = {
    "show": _show_settings,
    "groups": groups.show_groups,
    "randomness": panel.show_randomness,
    "site": site.show_site,
}


@component(CAMPAIGN)
async def show_part(interaction: Interaction, *, campaign: int, what: str) -> None:
    """Show a campaign's settings, or a part of them."""
    if what not in SHOWN:
        raise errors.NotOpen(*STALE)
    await SHOWN[what](interaction, await find_pressed_campaign(interaction, campaign))


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
