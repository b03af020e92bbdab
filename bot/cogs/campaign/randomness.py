"""`/campaign randomness`: the key with which a campaign asks random.org. It is typed into a window, tested, and kept encrypted; nothing ever shows it."""

from __future__ import annotations

import re

import discord
from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.campaign import service
from bot.core.campaigns import Campaign, on_server, require_open
from bot.core.permissions import Person, require_game_master
from bot.core.sealing import Vault
from bot.errors import BadInput, NotAsItIs
from bot.rolls.fairness.asking import Outside
from bot.rolls.fairness.outside import sentence
from bot.rolls.fairness.replies import Usage
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component, modal
from bot.ui.receipt import receipt
from bot.ui.reply import ask, person, redraw, say, submitted, text_field
from bot.ui.text import plain

GIVE = IdTemplate("outside:{campaign:int}:give")
REMOVE = IdTemplate("outside:{campaign:int}:remove")
FORM = IdTemplate("outside-key:{campaign:int}")
_KEY = re.compile(r"[0-9A-Za-z-]{8,64}")
_RUNNING = "running"

WHAT = (
    "With a random.org key, each roll mixes random.org's numbers into the dice. Then not even the host can know them beforehand.",
    "A roll uses one request of the key's quota and takes up to two seconds. If random.org doesn't answer, I roll without it, and the result says so.",
    "Make a key at https://api.random.org/dashboard. I keep it encrypted and never show it.",
)


async def show(interaction: Interaction, campaign: Campaign) -> None:
    """Tell a game master whether the campaign asks random.org, with buttons that give a key and remove it."""
    _require(person(interaction), campaign)
    has = campaign.asks_outside
    if not has:  # a key that cannot be decrypted any more can still be removed
        _vault(interaction)
    title = "random.org is on" if has else "random.org is off"
    buttons = [_button(GIVE, "Change key" if has else "Add key", discord.ButtonStyle.primary, campaign.id)]
    buttons += [_button(REMOVE, "Remove key", discord.ButtonStyle.danger, campaign.id)] if has else []
    await say(interaction, view=receipt(f"{plain(campaign.name)}: {title}", WHAT, COLOURS["neutral"], buttons))


@component(GIVE)
async def ask_key(interaction: Interaction, *, campaign: int) -> None:
    """Ask for a key in a window."""
    await interaction.client.database.read(_allowed, person(interaction), campaign)
    _vault(interaction)
    form = ui.Modal(title="random.org key", custom_id=FORM.fill(campaign=campaign))
    form.add_item(text_field("key", "API key", placeholder="00000000-0000-0000-0000-000000000000", limit=64))
    await ask(interaction, form)


@modal(FORM)
async def give(interaction: Interaction, *, campaign: int) -> None:
    """Test the key that was typed, and keep it."""
    bot, who = interaction.client, person(interaction)
    found = await bot.database.read(_allowed, who, campaign)
    vault, outside = _vault(interaction)
    key = str(submitted(interaction).get("key", "")).strip()
    if not _KEY.fullmatch(key):
        raise BadInput("That isn't a random.org API key. A key has only letters, digits and hyphens.", "Copy it again.")
    left = await _tested(outside, key, bot.ledger.random_id(8))
    await bot.database.write(service.give_key, bot.ledger, who, campaign, vault.seal(key, found.uuid))
    lines = [
        f"It works. Left today: {left.requests_left:,} requests, {left.bits_left:,} bits.",
        "A roll uses one request and 261 bits. Details of a result say if random.org was used.",
    ]
    await redraw(interaction, receipt("random.org is on", lines))


@component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int) -> None:
    """Remove the key."""
    bot = interaction.client
    await bot.database.write(service.give_key, bot.ledger, person(interaction), campaign, None)
    lines = ["The key is deleted. Dice now come from the campaign's own seeds."]
    await redraw(interaction, receipt("random.org is off", lines))


def _allowed(tx: Connection, who: Person, campaign_id: int) -> Campaign:
    campaign = on_server(tx, who.guild_id, campaign_id)
    _require(who, campaign)
    return campaign


def _require(who: Person, campaign: Campaign) -> None:
    require_game_master(who, campaign, "change its random.org key")
    require_open(campaign)


def _vault(interaction: Interaction) -> tuple[Vault, Outside]:
    """Return what encrypts keys, and what asks with them."""
    outside = interaction.client.outside
    if outside is None or outside.vault is None:
        raise NotAsItIs(
            "I can't encrypt your key: the bot's host hasn't set SECRETS_KEY.",
            "Ask the host to set it (openssl rand -base64 32 makes one) and restart the bot.",
        )
    return outside.vault, outside


async def _tested(outside: Outside, key: str, name: str) -> Usage:
    """Return what is left of a key's quota."""
    usage = await outside.random_org.usage(key, name)
    if not isinstance(usage, Usage):
        said = "random.org doesn't accept that key" if usage["why"] == "key" else sentence(usage)
        raise BadInput(f"{said}.", "I didn't save it. Check it in random.org's dashboard, or try again later.")
    if usage.status != _RUNNING:
        raise BadInput(
            "random.org says this key is stopped or paused.",
            "I didn't save it. Start it in the dashboard, or use another key.",
        )
    return usage


def _button(template: IdTemplate, label: str, style: discord.ButtonStyle, campaign: int) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=label, style=style, custom_id=template.fill(campaign=campaign))
