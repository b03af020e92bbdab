"""A campaign's buttons: archive, next steps, random.org key."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack

import discord
from discord import app_commands, ui

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.campaign import creation, embed, service
from bot.cogs.campaign.service import BOOKS, FORM, LINK, MAY, PLAYERS, ROLL, SHOW
from bot.cogs.campaign.settings import CampaignSettings
from bot.core import campaigns, draws, permissions
from bot.core.errors import BadInput, NotAsItIs, NotOpen, UserError
from bot.rolls.desk import channels
from bot.rolls.fairness.outside import describe_lacking
from bot.rolls.fairness.random_org import Outside, Usage
from bot.ui import reply
from bot.ui.commands import AGAIN, BEGIN, CAMPAIGN
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, Controls, code, plain, shorten

ARCHIVE = reply.IdTemplate("archive:{campaign:int}:{yes:word}:{newest:int}")
"""`newest` is the newest entry when the button was shown."""
YES, BACK = "yes", "back"


async def ask_archive(interaction: Interaction, campaign: campaigns.Campaign) -> None:
    """Show what archiving stops, with buttons."""
    bot, who = interaction.client, reply.person(interaction)
    *stops, newest = await bot.database.read(service.count_archiving, who, campaign)
    if campaign.archived_at is None:
        title, lines = f"Archive {plain(campaign.name)}?", embed.describe_archiving(*stops)
        first = _button("Archive", discord.ButtonStyle.danger, campaign.id, YES, newest)
    else:
        title, lines = f"{plain(campaign.name)} is archived", ["You can still read its ledger."]
        first = _button("Restore", discord.ButtonStyle.primary, campaign.id, BACK, newest)
    export, delete = (template.fill(campaign=campaign.id) for template in (service.EXPORT, service.DELETE))
    exports = [ui.Button[ui.LayoutView](label="Export", custom_id=export)] * who.leads(campaign)
    buttons = [first, *exports, ui.Button[ui.LayoutView](label="Delete", custom_id=delete)]
    await reply.say(interaction, view=receipt(title, lines, COLOURS["neutral"], buttons))


@reply.component(ARCHIVE)
async def archive(interaction: Interaction, *, campaign: int, yes: str, newest: int) -> None:
    """Archive or restore a campaign, unless that changed since."""
    bot, who, archived = interaction.client, reply.person(interaction), yes == YES
    changed, entry = await bot.database.write(
        service.archive, bot.ledger, who, campaign, archived=archived, seen=newest
    )
    await bot.registration.register_server(who.guild_id)
    name = plain(changed.name)
    if archived:
        button = _button("Restore", discord.ButtonStyle.secondary, campaign, BACK, entry)
        lines = [f"You can still read its ledger: /ledger campaign:{name}."]
        lines += ["Its public site stays on. Game masters turn it off: /gm settings."] if changed.site_on else []
        await reply.redraw(interaction, receipt(f"{name} is archived", lines, buttons=[button]))
    else:
        await reply.redraw(interaction, receipt(f"{name} is restored", ["Go on where you left off."]))


def _button(label: str, style: discord.ButtonStyle, campaign: int, yes: str, newest: int) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=label, style=style, custom_id=ARCHIVE.fill(campaign=campaign, yes=yes, newest=newest))


LINKED = reply.IdTemplate("link:{campaign:int}:{channel:word}:{yes:word}")


async def change_link(interaction: Interaction, campaign: campaigns.Campaign, channel_id: int, *, linked: bool) -> None:
    """Link or unlink a channel, with a button to revert."""
    bot, verb = interaction.client, service.link if linked else service.unlink
    fresh = await bot.database.write(verb, bot.ledger, reply.person(interaction), campaign.id, channel_id)
    words = ("now" if fresh else "already") if linked else ("no longer" if fresh else "not")
    title = f"{plain(campaign.name)} is {words} linked to <#{channel_id}>"
    lines = [] if linked else embed.describe_unlinking(campaign, channel_id)
    back = LINKED.fill(campaign=campaign.id, channel=channel_id, yes=BACK if linked else YES)
    button: ui.Button[ui.LayoutView] = ui.Button(label="Unlink" if linked else "Link again", custom_id=back)
    await reply.redraw(interaction, receipt(title, lines, buttons=[button]))


@reply.component(LINKED)
async def relink(interaction: Interaction, *, campaign: int, channel: str, yes: str) -> None:
    """Link or unlink a channel."""
    if not channel.isdecimal():
        raise NotOpen(*reply.STALE)
    here = await find_pressed_campaign(interaction, campaign)
    await change_link(interaction, here, int(channel), linked=yes == YES)


DONE, TO_DO = "\N{WHITE HEAVY CHECK MARK}", "\N{WHITE SQUARE BUTTON}"
HINT = "-# Open this again: /gm settings. More, and your first evening: /help."
ROLL_HINT = "-# Each opens a card only you see: tick what applies, check the odds, press Roll."
EDIT = "{} (and `player:` unless everyone plays)."
MAX_TITLE = 45

Part = ui.Label[ui.Modal]


async def ask_new(interaction: Interaction, given: CampaignSettings) -> None:
    """Open the window of a new campaign, filled in with what was typed."""
    await interaction.client.database.read(
        service.check_new, interaction.client.resolver, reply.person(interaction), given
    )
    await reply.ask(interaction, creation.make_window(given))


@reply.modal(creation.NEW)
async def create_from_window(interaction: Interaction, timezone: str, may: str, books: str) -> None:
    """Create the campaign of a window."""
    fields = reply.read_submitted(interaction)
    sent = creation.read_window(creation.require_server(interaction), fields, timezone, may, books)
    try:
        await create(interaction, sent)
    except UserError as error:
        await reply.refuse(interaction, error, creation.make_again(sent))


@reply.component(creation.AGAIN)
async def ask_again(interaction: Interaction, **kept: str) -> None:
    """Reopen a refused campaign's window, as typed."""
    permissions.require_manager(reply.person(interaction), "create a campaign")
    await reply.ask(interaction, creation.make_window(creation.read_again(**kept)))


async def create(interaction: Interaction, given: CampaignSettings) -> None:
    """Create a campaign, with its channels and role where none are given; if that fails, nothing stays behind."""
    bot, who = interaction.client, reply.person(interaction)
    await bot.database.read(service.check_new, bot.resolver, who, given)
    async with AsyncExitStack() as undoing:
        whole = await creation.make_missing(interaction, given, undoing)
        made, posts = await bot.database.write(service.create, bot.resolver, who, whole)
        undoing.pop_all()
    await bot.registration.register_server(who.guild_id)
    await _show_created(interaction, made, leads=not given.game_master_role_id)
    await bot.outbox.send(bot, posts)


async def _show_created(interaction: Interaction, campaign: campaigns.Campaign, *, leads: bool) -> None:
    about = (
        f"Public results go to <#{campaign.results_channel_id}>, private ones to <#{campaign.staff_channel_id}>. "
        f"Commands work in both; add more channels with /campaign link.\n"
        f"{embed.zone_line(campaign, interaction.client.ledger.now())}"
    )
    await reply.say(
        interaction,
        view=await draw_card(interaction, campaign.id, f"{plain(campaign.name)} is created", about, leads=leads),
    )


def settings_buttons(campaign: campaigns.Campaign, who: permissions.Person) -> ui.View:
    """Return a campaign's settings buttons for who may use them."""
    leads, goes_on = who.leads(campaign), campaign.archived_at is None
    parts = ("groups", "randomness", "site")
    groups, randomness, site = (CAMPAIGN.fill(campaign=campaign.id, what=what) for what in parts)
    buttons = (
        ("Next steps", BEGIN.fill(campaign=campaign.id, what=SHOW), goes_on and (leads or who.manages_server)),
        ("Groups", groups, who.takes_part(campaign)),
        ("random.org", randomness, goes_on and leads),
        ("Public site", site, leads and (goes_on or campaign.site_on)),
        ("Export", service.EXPORT.fill(campaign=campaign.id), leads),
    )
    return Controls(*(ui.Button[ui.View](label=label, custom_id=key) for label, key, may in buttons if may))


@reply.component(BEGIN)
async def begin(interaction: Interaction, campaign: int, what: str) -> None:
    """Show the next steps, or take one."""
    bot, who = interaction.client, reply.person(interaction)
    if what == SHOW:
        await reply.say(interaction, view=await draw_card(interaction, campaign))
    elif what in {LINK, AGAIN}:
        if what == LINK:
            await bot.database.write(service.link, bot.ledger, who, campaign, interaction.channel_id or 0)
        await reply.redraw(interaction, await draw_card(interaction, campaign))
    elif what == ROLL:
        await reply.say(interaction, view=await _list_rolls(interaction, campaign))
    elif what in FORMS:
        seen = await _look_at_beginning(interaction, campaign)
        title = shorten(seen.campaign.name, MAX_TITLE)
        form = ui.Modal(title=title, custom_id=FORM.fill(campaign=campaign, what=what))
        await reply.ask(interaction, form.add_item(FORMS[what](seen)))
    else:
        raise NotOpen(*reply.STALE)


@reply.modal(FORM)
async def begin_form(interaction: Interaction, campaign: int, what: str) -> None:
    """Take the step whose window was sent."""
    if what not in FORMS:
        raise NotOpen(*reply.STALE)
    bot, who = interaction.client, reply.person(interaction)
    picked: Sequence[str] = reply.read_submitted(interaction).get(what) or []
    await bot.database.write(service.choose, bot.kernel, who, campaign, what, picked)
    await bot.registration.register_server(who.guild_id)
    await reply.redraw(interaction, await draw_card(interaction, campaign))


async def _look_at_beginning(interaction: Interaction, campaign: int) -> service.CampaignStart:
    bot, who = interaction.client, reply.person(interaction)
    return await bot.database.read(service.look_at_beginning, bot.kernel, who, campaign, channels(interaction))


async def draw_card(
    interaction: Interaction, campaign: int, title: str = "", about: str = "", *, leads: bool = False
) -> ui.LayoutView:
    """Draw a campaign's next steps; done ones are ticked."""
    seen = await _look_at_beginning(interaction, campaign)
    game = seen.campaign
    lines = [f"{DONE if step.done else TO_DO} **{step.label}**: {step.why}" for step in seen.steps]
    faults = list(embed.list_missing(interaction.guild, game.results_channel_id, game.staff_channel_id))
    if not (game.results_channel_id and game.staff_channel_id and game.game_master_role_id):
        faults.append(
            f"Set its channels and its game-master role: {EDIT.format(code(f'/gm settings campaign:{game.name} results: staff: game_master:'))}"
        )
    elif not (leads or reply.person(interaction).leads(game)):
        faults.append(
            f"You don't have <@&{game.game_master_role_id}>, the game-master role that most commands need. "
            "Give it to yourself in the server's settings."
        )
    warnings = [f"\N{WARNING SIGN} {line}" for line in faults]
    colour = COLOURS["danger" if warnings else "success"]
    styles = {True: discord.ButtonStyle.secondary, False: discord.ButtonStyle.primary}
    buttons: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label=step.label, custom_id=step.custom_id, style=styles[step.done]) for step in seen.steps
    ]
    heading = title or f"Next steps in {plain(game.name)}"
    intro = [about, *warnings, "**Next steps**"] if title else warnings
    hiding = embed.describe_hiding(service.list_staff_commands(interaction.client.features, game))
    return receipt(heading, [*intro, *lines, *hiding, HINT], colour, buttons)


def _books(seen: service.CampaignStart) -> Part:
    options = [
        discord.SelectOption(label=shorten(title, 100), value=book, default=book in seen.campaign.books)
        for book, title in seen.titles.items()
    ]
    return ui.Label(text="Rule books", component=ui.Select(custom_id=BOOKS, options=options, max_values=len(options)))


def _players(seen: service.CampaignStart) -> Part:
    role = seen.campaign.player_role_id
    now = [discord.Object(role)] if role else []
    return ui.Label(
        text="Who plays",
        description="Leave it empty to let everyone on the server play.",
        component=ui.RoleSelect(custom_id=PLAYERS, default_values=now, required=False),
    )


def _rights(seen: service.CampaignStart) -> Part:
    options = [
        discord.SelectOption(label=shorten(words, 100), value=word, default=word in seen.campaign.players_may)
        for word, words in seen.rights.items()
    ]
    select: ui.Select[ui.Modal] = ui.Select(
        custom_id=MAY, options=options, min_values=0, max_values=len(options), required=False
    )
    return ui.Label(text="What players may do", description="Game masters may do all of it.", component=select)


async def _list_rolls(interaction: Interaction, campaign: int) -> ui.LayoutView:
    seen = await _look_at_beginning(interaction, campaign)
    commands = (item for item in interaction.client.tree.walk_commands() if isinstance(item, app_commands.Command))
    rights = [*seen.rights]  # in the order of the books, not of the commands
    rolls = [item for item in commands if item.extras.get("family") in rights]
    rolls.sort(key=lambda item: rights.index(item.extras["family"]))
    lines = [f"`/{item.qualified_name}` {item.description}" for item in rolls]
    return receipt("Your first roll", [*lines, "`/roll` Roll any dice.", ROLL_HINT])


FORMS: Mapping[str, Callable[[service.CampaignStart], Part]] = {BOOKS: _books, PLAYERS: _players, MAY: _rights}
"""Each window's field is named after its step."""


GIVE = reply.IdTemplate("outside:{campaign:int}:give")
REMOVE = reply.IdTemplate("outside:{campaign:int}:remove")
KEY_FORM = reply.IdTemplate("outside-key:{campaign:int}")
_KEY = re.compile(r"[0-9A-Za-z-]{8,64}")
_RUNNING = "running"

WHAT = (
    "With a random.org key, each roll mixes random.org's numbers into the dice. Then not even the host can know them beforehand.",
    "A roll uses one request of the key's quota and takes up to two seconds. If random.org doesn't answer, I roll without it, and the result says so.",
    "Make a key at https://api.random.org/dashboard. I keep it encrypted and never show it.",
)


async def show_randomness(interaction: Interaction, campaign: campaigns.Campaign) -> None:
    """Show whether the campaign asks random.org for dice."""
    _require_key_keeper(reply.person(interaction), campaign)
    has = campaign.asks_outside
    if not has:  # a key that can't be decrypted any more can still be removed
        _vault(interaction)
    title = "random.org is on" if has else "random.org is off"
    primary, danger = discord.ButtonStyle.primary, discord.ButtonStyle.danger
    give, gone = (template.fill(campaign=campaign.id) for template in (GIVE, REMOVE))
    buttons: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label="Change key" if has else "Add key", style=primary, custom_id=give)
    ]
    buttons += [ui.Button(label="Remove key", style=danger, custom_id=gone)] if has else []
    await reply.say(interaction, view=receipt(f"{plain(campaign.name)}: {title}", WHAT, COLOURS["neutral"], buttons))


@reply.component(GIVE)
async def ask_key(interaction: Interaction, *, campaign: int) -> None:
    """Ask for a key in a window."""
    _require_key_keeper(reply.person(interaction), await find_pressed_campaign(interaction, campaign))
    _vault(interaction)
    form = ui.Modal(title="random.org key", custom_id=KEY_FORM.fill(campaign=campaign))
    form.add_item(reply.text_field("key", "API key", placeholder="00000000-0000-0000-0000-000000000000", limit=64))
    await reply.ask(interaction, form)


@reply.modal(KEY_FORM)
async def take_key(interaction: Interaction, *, campaign: int) -> None:
    """Test the typed key and store it."""
    bot, who = interaction.client, reply.person(interaction)
    found = await find_pressed_campaign(interaction, campaign)
    _require_key_keeper(who, found)
    vault, outside = _vault(interaction)
    key = str(reply.read_submitted(interaction).get("key", "")).strip()
    if not _KEY.fullmatch(key):
        raise BadInput("That isn't a random.org API key. A key has only letters, digits and hyphens.", "Copy it again.")
    left = await _test_key(outside, key, bot.ledger.random_id(8))
    await bot.database.write(service.give_key, bot.ledger, who, campaign, vault.seal(key, found.uuid))
    lines = [
        f"It works. Left today: {left.requests_left:,} requests, {left.bits_left:,} bits.",
        "A roll uses one request and 261 bits. Details of a result say if random.org was used.",
    ]
    await reply.redraw(interaction, receipt("random.org is on", lines))


@reply.component(REMOVE)
async def remove_key(interaction: Interaction, *, campaign: int) -> None:
    """Remove the key."""
    bot = interaction.client
    await bot.database.write(service.give_key, bot.ledger, reply.person(interaction), campaign, None)
    lines = ["The key is deleted. Dice now come from the campaign's own seeds."]
    await reply.redraw(interaction, receipt("random.org is off", lines))


def _require_key_keeper(who: permissions.Person, campaign: campaigns.Campaign) -> None:
    permissions.require_game_master(who, campaign, "change its random.org key")
    campaigns.require_open(campaign)


def _vault(interaction: Interaction) -> tuple[draws.Vault, Outside]:
    outside = interaction.client.outside
    if outside is None or outside.vault is None:
        raise NotAsItIs(
            "I can't encrypt your key: the bot's host hasn't set SECRETS_KEY.",
            "Ask the host to set it (openssl rand -base64 32 makes one) and restart the bot.",
        )
    return outside.vault, outside


async def _test_key(outside: Outside, key: str, name: str) -> Usage:
    usage = await outside.random_org.usage(key, name)
    if not isinstance(usage, Usage):
        said = "random.org doesn't accept that key" if usage["why"] == "key" else describe_lacking(usage)
        raise BadInput(f"{said}.", "I didn't save it. Check it in random.org's dashboard, or try again later.")
    if usage.status != _RUNNING:
        raise BadInput(
            "random.org says this key is stopped or paused.",
            "I didn't save it. Start it in the dashboard, or use another key.",
        )
    return usage
