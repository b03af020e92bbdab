"""What a person chooses for themselves in a campaign: mentions, and bars with odds."""

from collections.abc import Iterator, Mapping

from discord import ui
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.core.campaigns import PLAYERS, Campaign, Preferences, read_preferences, require_on_server, save_preferences
from bot.core.errors import NotOpen
from bot.core.ledger import Ledger
from bot.core.permissions import Person
from bot.kernel import Feature
from bot.ui.receipt import receipt
from bot.ui.reply import SETTINGS, STALE, IdTemplate, component, person, redraw, say
from bot.ui.text import COLOURS, plain

SET = IdTemplate("settings:{campaign:int}:{name:word}:{on:int}")
LABELS = {"mentions": "Mentions", "bars": "Bars"}
MENTIONS = {
    True: "I mention you when it's your turn, when you have to answer, and when something happens to your characters.",
    False: "I never mention you. `/update show` lists what waits for you.",
}
BARS = {
    True: "Odds on your cards have a bar in front of the number. Turn it off if you use a screen reader.",
    False: "Odds on your cards are numbers only.",
}


@component(SETTINGS)
async def show_settings(interaction: Interaction, *, campaign: int) -> None:
    """Show a person's settings."""
    here = await find_pressed_campaign(interaction, campaign)
    chosen = await interaction.client.database.read(read_preferences, here.id, interaction.user.id)
    await say(interaction, view=_draw(here, chosen))


@component(SET)
async def change_setting(interaction: Interaction, *, campaign: int, name: str, on: int) -> None:
    """Turn a setting on or off."""
    if name not in LABELS:
        raise NotOpen(*STALE)
    bot = interaction.client
    here, chosen = await bot.database.write(_change, bot.ledger, person(interaction), campaign, {name: bool(on)})
    await redraw(interaction, _draw(here, chosen))


def _change(
    tx: Connection, ledger: Ledger, person: Person, number: int, change: Mapping[str, bool]
) -> tuple[Campaign, Preferences]:
    campaign = require_on_server(tx, person.guild_id, number, lock=True)
    ledger.actor(tx, campaign, person.user_id)
    chosen = replace(read_preferences(tx, campaign.id, person.user_id), **change)
    save_preferences(tx, campaign.id, person.user_id, chosen)
    return campaign, chosen


def _draw(campaign: Campaign, chosen: Preferences) -> ui.LayoutView:
    lines = [f"**Mentions:** {_name_state(chosen.mentions)}. {MENTIONS[chosen.mentions]}"]
    lines += [] if campaign.may_ping(PLAYERS) else ["-# The game masters have turned mentions of players off here."]
    lines += [f"**Bars:** {_name_state(chosen.bars)}. {BARS[chosen.bars]}"]
    return receipt(f"Your settings in {plain(campaign.name)}", lines, COLOURS["neutral"], [*_buttons(campaign, chosen)])


def _buttons(campaign: Campaign, chosen: Preferences) -> Iterator[ui.Button[ui.LayoutView]]:
    for name, on in asdict(chosen).items():
        key = SET.fill(campaign=campaign.id, name=name, on=int(not on))
        yield ui.Button(label=f"{LABELS[name]} {_name_state(not on)}", custom_id=key)


def _name_state(on: bool) -> str:  # noqa: FBT001 - the value to name
    return "on" if on else "off"


FEATURE = Feature(components=(show_settings, change_setting))
