"""A campaign's public site: on with a name, and off."""

from collections.abc import Iterator, Mapping, Sequence

import discord
from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Work, act, entry_kind, find_pressed_campaign
from bot.client import Interaction
from bot.core import permissions, sites
from bot.core.campaigns import Campaign, save_campaign
from bot.core.errors import BadInput, NotAsItIs
from bot.core.ledger import Body
from bot.core.records import Entry, Json
from bot.outbox.queue import Post
from bot.rolls.entries import take_back_button
from bot.rolls.resolver import Resolver
from bot.ui import reply
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction
from bot.ui.text import COLOURS, plain

MAY = "decide about its public site"
ASK = reply.IdTemplate("site:{campaign:int}:ask")
WINDOW = reply.IdTemplate("site:{campaign:int}:save")
OFF = reply.IdTemplate("site:{campaign:int}:off")
NAME, SEARCH = "name", "search"
LISTED, UNLISTED = "listed", "unlisted"
FOUND: Mapping[str, str] = {
    UNLISTED: "Search engines leave it out",
    LISTED: "Search engines may list it",
}
SHOWN = "Anyone with the link reads what was public: results, updates, weather, units that results have named."
HIDDEN = "Hidden units, private results, groups and members' names never appear there."
NOT_SERVED = (
    "\N{WARNING SIGN} The bot's host doesn't serve sites yet. Ask them to set `PUBLIC_URL` and run `adjutant web`."
)

Value = Mapping[str, Json] | None
"""A site in an entry: its `name`, and whether search engines may list it; None is off."""


class SiteAction(Action):
    """A change of the public site."""

    kind = "site"
    title = "Public site"
    may = MAY

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Say what the site is now."""
        after = body["after"]
        if after is None:
            return "Public site turned off"
        return f"Public site {'changed' if body['before'] else 'turned on'}: {after['name']}, {after[SEARCH]}"

    def answer(self, _work: Work, _entry: Entry, _outcome: Outcome) -> Answer:
        """Leave it to `after`, which knows the settings."""
        return Answer()

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Show the site, with Undo."""
        here = await find_pressed_campaign(interaction, done.campaign.id)
        undo = [] if here.archived_at else [take_back_button(here.id, done.entry.number)]
        await reply.redraw(interaction, _draw_site(here, interaction.client.settings.public_url, undo))


class OpenSite(SiteAction):
    """Open or change the site."""

    name: str
    search: str = UNLISTED

    verb = "opened"

    def apply(self, work: Work) -> Outcome:
        """Refuse unfit or taken names."""
        kept = work.campaign.site
        name = self.name.strip().lower() or kept or ""
        if kept not in {None, name}:
            raise BadInput(f"The name stays {kept}.", "Links in Discord lead there.")
        if not sites.NAME.fullmatch(name):
            what = f"{name[:40]!r} can't be part of an address."
            do = f"Use {sites.SHORTEST} to {sites.LONGEST} letters a to z, digits and dashes. Begin and end with a letter or digit."
            raise BadInput(what, do)
        return _plan_change(work, {NAME: name, SEARCH: LISTED if self.search == LISTED else UNLISTED})


class CloseSite(SiteAction):
    """Turn the site off."""

    verb = "closed"
    archived = True

    def apply(self, work: Work) -> Outcome:
        """Refuse a site that is off."""
        return _plan_change(work, None)


SITE_CHANGED = entry_kind("staff", OpenSite, CloseSite)


def _read_value(campaign: Campaign) -> Value:
    found = LISTED if campaign.site_indexed else UNLISTED
    return {NAME: campaign.site, SEARCH: found} if campaign.site_on else None


def _plan_change(work: Work, after: Value) -> Outcome:
    before = _read_value(work.campaign)
    if before == after:
        raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
    _save_site(work.tx, work.campaign, after)
    return Outcome({"before": before, "after": after})


def _save_site(tx: Connection, campaign: Campaign, value: Value) -> None:
    # A site that is off keeps its name, so that no link leads to another campaign's.
    name: str | None = value[NAME] if value else campaign.site
    if name is not None and sites.find_owner(tx, name) not in {None, campaign.id}:
        raise BadInput(f"The name {name} is taken.", "Pick another name.")
    listed = value is not None and value[SEARCH] == LISTED
    save_campaign(tx, replace(campaign, site=name, site_on=value is not None, site_indexed=listed))


def require_restorable(_tx: Connection, campaign: Campaign, taken: Entry) -> Mapping[str, object]:
    """Refuse an undo of an older change."""
    if _read_value(campaign) != taken.content()["after"]:
        raise NotAsItIs("The public site was changed since.", "Change it in /gm settings, Public site.")
    return {}


def restore_site(tx: Connection, _resolver: Resolver, campaign: Campaign, taken: Entry) -> tuple[Post, ...]:
    """Set the site as before an undone entry."""
    _save_site(tx, campaign, taken.content()["before"])
    return ()


async def show_site(interaction: Interaction, campaign: Campaign) -> None:
    """Show the site's link and buttons."""
    permissions.require_game_master(reply.person(interaction), campaign, MAY)
    await reply.say(interaction, view=_draw_site(campaign, interaction.client.settings.public_url))


@reply.component(ASK)
async def ask_name(interaction: Interaction, *, campaign: int) -> None:
    """Open the window for the name."""
    here = await find_pressed_campaign(interaction, campaign)
    permissions.require_game_master(reply.person(interaction), here, MAY)
    now = LISTED if here.site_indexed else UNLISTED
    options = [discord.SelectOption(label=label, value=key, default=key == now) for key, label in FOUND.items()]
    search: ui.Select[ui.Modal] = ui.Select(custom_id=SEARCH, options=options)
    form = ui.Modal(title="Public site", custom_id=WINDOW.fill(campaign=campaign))
    if here.site is None:
        name = await interaction.client.database.read(sites.propose_name, here)
        label = "Name in the address; it stays"
        form.add_item(reply.text_field(NAME, label, placeholder="iron-sea", value=name, limit=sites.LONGEST))
    await reply.ask(interaction, form.add_item(ui.Label(text="Search engines", component=search)))


@reply.modal(WINDOW)
async def save_site(interaction: Interaction, *, campaign: int) -> None:
    """Open or change the site."""
    sent = reply.read_submitted(interaction)
    search = next(iter(sent.get(SEARCH) or ()), UNLISTED)
    await act(interaction, OpenSite(name=str(sent.get(NAME) or ""), search=search), campaign)


@reply.component(OFF)
async def close_site(interaction: Interaction, *, campaign: int) -> None:
    """Turn the site off."""
    await act(interaction, CloseSite(), campaign)


def _draw_site(campaign: Campaign, public_url: str, more: Sequence[ui.Button[ui.LayoutView]] = ()) -> ui.LayoutView:
    title = f"{plain(campaign.name)}: public site is {'on' if campaign.site_on else 'off'}"
    ask, off = (template.fill(campaign=campaign.id) for template in (ASK, OFF))
    primary, danger = discord.ButtonStyle.primary, discord.ButtonStyle.danger
    buttons: list[ui.Button[ui.LayoutView]] = [ui.Button(label="Turn on", style=primary, custom_id=ask)]
    if campaign.site_on:
        buttons = [ui.Button(label="Change", custom_id=ask), ui.Button(label="Turn off", style=danger, custom_id=off)]
    if campaign.archived_at:
        buttons = buttons[1:]
    return receipt(title, [*_describe_site(campaign, public_url)], COLOURS["neutral"], [*buttons, *more])


def _describe_site(campaign: Campaign, public_url: str) -> Iterator[str]:
    if campaign.site_on:
        yield f"{public_url}/{campaign.site}/" if public_url else f"Its address ends in `/{campaign.site}/`."
        yield f"{FOUND[LISTED if campaign.site_indexed else UNLISTED]}."
    yield from ([] if public_url else [NOT_SERVED])
    yield from (SHOWN, HIDDEN)
