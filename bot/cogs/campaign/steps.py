"""The next steps of a new campaign: a card with a button for each and what is missing, and the windows that they open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.campaign import queries, service
from bot.cogs.campaign.embed import missing, zone_line
from bot.cogs.campaign.ids import BEGIN, BOOKS, FORM, LINK, PLAYERS, SHOW
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.errors import NotOpen
from bot.rolls.desk import channels
from bot.ui.colours import COLOURS
from bot.ui.components import component, modal, with_buttons
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, ask, person, redraw, say, submitted
from bot.ui.text import code, plain, shorten

DONE, TO_DO = "\N{WHITE HEAVY CHECK MARK}", "\N{WHITE SQUARE BUTTON}"
HINT = "-# Open this again: /campaign show. More, and your first evening: /help."
EDIT = "{} (and `player:` unless everyone plays)."
"""What a campaign needs that was brought from another server."""

MAX_TITLE = 45

Part = ui.Label[ui.Modal]


async def show_created(interaction: Interaction, campaign: Campaign) -> None:
    """Tell that a campaign is made, and what comes next."""
    about = (
        f"Public results go to <#{campaign.results_channel_id}>, private ones to <#{campaign.staff_channel_id}>. "
        f"Commands work in both; add more channels with /campaign link.\n"
        f"{zone_line(campaign, interaction.client.ledger.now())}"
    )
    await say(interaction, view=await draw_card(interaction, campaign.id, f"{plain(campaign.name)} is created", about))


def offered(campaign: Campaign, who: Person) -> ui.View:
    """Return the button that shows the next steps, for those who may take them while the campaign is played."""
    may = (who.leads(campaign) or who.manages_server) and campaign.archived_at is None
    button: ui.Button[ui.View] = ui.Button(label="Next steps", custom_id=BEGIN.fill(campaign=campaign.id, what=SHOW))
    return with_buttons(*[button] * may)


@component(BEGIN)
async def begin(interaction: Interaction, campaign: int, what: str) -> None:
    """Show the next steps, or take one."""
    bot, who = interaction.client, person(interaction)
    if what == SHOW:
        await say(interaction, view=await draw_card(interaction, campaign))
    elif what == LINK:
        await bot.database.write(service.link, bot.ledger, who, campaign, interaction.channel_id or 0)
        await redraw(interaction, await draw_card(interaction, campaign))
    elif what in FORMS:
        seen = await _look(interaction, campaign)
        title = shorten(seen.campaign.name, MAX_TITLE)
        form = ui.Modal(title=title, custom_id=FORM.fill(campaign=campaign, what=what))
        await ask(interaction, form.add_item(FORMS[what](seen)))
    else:
        raise NotOpen(*STALE)


@modal(FORM)
async def begin_form(interaction: Interaction, campaign: int, what: str) -> None:
    """Take the step whose window was sent."""
    bot, who = interaction.client, person(interaction)
    picked: Sequence[str] = submitted(interaction).get(what) or []
    if what == BOOKS:
        await bot.database.write(service.choose_books, bot.ledger, bot.library, who, campaign, picked)
    elif what == PLAYERS:
        role = next((int(value) for value in picked if value.isdecimal()), None)
        await bot.database.write(service.choose_players, bot.ledger, bot.library, who, campaign, role)
    else:
        raise NotOpen(*STALE)
    await redraw(interaction, await draw_card(interaction, campaign))


async def _look(interaction: Interaction, campaign: int) -> queries.Beginning:
    bot, who = interaction.client, person(interaction)
    return await bot.database.read(
        queries.look_at_beginning, bot.features, bot.library, who, campaign, channels(interaction)
    )


async def draw_card(interaction: Interaction, campaign: int, title: str = "", about: str = "") -> ui.LayoutView:
    """Return the card of next steps, each ticked once it is done."""
    seen = await _look(interaction, campaign)
    game = seen.campaign
    lines = [f"{DONE if step.done else TO_DO} **{step.label}**: {step.why}" for step in seen.steps]
    faults = list(missing(interaction.guild, game.results_channel_id, game.staff_channel_id))
    if not (game.results_channel_id and game.staff_channel_id and game.game_master_role_id):
        faults.append(
            f"Set its channels and its game-master role: {EDIT.format(code(f'/campaign edit campaign:{game.name} results: staff: game_master:'))}"
        )
    elif not person(interaction).leads(game):
        faults.append(
            f"You don't have <@&{game.game_master_role_id}>, the game-master role that most commands need. "
            "Give it to yourself in the server's settings."
        )
    warnings = [f"\N{WARNING SIGN} {line}" for line in faults]
    colour = COLOURS["danger" if warnings else "success"]
    buttons: list[ui.Button[ui.LayoutView]] = [
        ui.Button(label=step.label, custom_id=step.custom_id, style=_style(done=step.done)) for step in seen.steps
    ]
    heading = title or f"Next steps in {plain(game.name)}"
    intro = [about, *warnings, "**Next steps**"] if title else warnings
    return receipt(heading, [*intro, *lines, HINT], colour, buttons)


def _style(*, done: bool) -> discord.ButtonStyle:
    return discord.ButtonStyle.secondary if done else discord.ButtonStyle.primary


def _books(seen: queries.Beginning) -> Part:
    options = [
        discord.SelectOption(label=shorten(title, 100), value=book, default=book in seen.campaign.books)
        for book, title in seen.titles.items()
    ]
    return ui.Label(
        text="Rule books",
        component=ui.Select(custom_id=BOOKS, options=options, max_values=len(options)),
    )


def _players(seen: queries.Beginning) -> Part:
    role = seen.campaign.player_role_id
    now = [discord.Object(role)] if role else []
    return ui.Label(
        text="Who plays",
        description="Leave it empty to let everyone on the server play.",
        component=ui.RoleSelect(custom_id=PLAYERS, default_values=now, required=False),
    )


FORMS: Mapping[str, Callable[[queries.Beginning], Part]] = {BOOKS: _books, PLAYERS: _players}
"""What the windows of steps ask for; each field is named as its step."""
