"""Captives in Discord: what was entered about them, escapes that players declare, and the button that rolls them together."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass

import discord

from bot.client import Interaction
from bot.cogs.captives.embed import TITLES, list_pages, sentence, status_embed
from bot.cogs.captives.queries import ESCAPE
from bot.cogs.captives.rolls import BOOK, Attempts, declares
from bot.cogs.captives.service import Captives, Done
from bot.core.campaigns import Campaign
from bot.errors import BadInput, NotOpen, UserError
from bot.outbox.delivery import Outbox
from bot.rolls.card import layout
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.ui.colours import COLOURS
from bot.ui.reply import STALE, number, person, promise, say
from bot.ui.text import plain

FAMILY = (BOOK, ESCAPE)


@dataclass(frozen=True, slots=True)
class EscapeCommand:
    """The options of `/escape` as typed."""

    captive: str | None
    modifiers: str | None
    note: str | None
    at_once: bool


class CaptivePanel:
    """Shows captives and takes what is declared about them."""

    def __init__(self, desk: RollDesk, captives: Captives, attempts: Attempts, outbox: Outbox) -> None:
        self._desk = desk
        self._captives = captives
        self._attempts = attempts
        self._outbox = outbox

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The button under a declared escape, `escape:<campaign>`."""
        match words:
            case [campaign]:
                promise(interaction)
                await self._open_declared(interaction, number(campaign), None)
            case _:
                raise NotOpen(*STALE)

    async def tell(self, interaction: Interaction, work: Awaitable[Done]) -> None:
        """Do what a command asks for and show what was entered and how things stand."""
        done = await work
        body = done.entry.content()
        footer = f"Entry #{done.entry.number} \N{MIDDLE DOT} {done.campaign.name}"
        words = "\n".join([sentence(body), *map(plain, done.hints)])
        told = discord.Embed(title=TITLES[body["deed"]], description=words, colour=COLOURS["success"])
        status = [status_embed(done.status, footer=done.campaign.name)] if done.status else []
        await say(interaction, embeds=[told.set_footer(text=footer), *status])

    async def listing(self, interaction: Interaction) -> None:
        """All captives, and those who were."""
        campaign = await self._desk.campaign(interaction)
        found = await self._captives.everyone(person(interaction), campaign)
        for page in list_pages(found, campaign=campaign.name):
            await say(interaction, embeds=page)

    async def show(self, interaction: Interaction, captive: str) -> None:
        """One captive."""
        campaign = await self._desk.campaign(interaction)
        status = await self._captives.show(person(interaction), campaign, captive)
        await say(interaction, embed=status_embed(status, footer=campaign.name))

    async def escape(self, interaction: Interaction, wish: EscapeCommand) -> None:
        """Answer `/escape`: with a card or the roll, with what a player declares, or with all that is declared."""
        campaign = await self._desk.campaign(interaction)
        who = person(interaction)
        if wish.captive is not None and not declares(who, campaign):
            await self._roll(interaction, campaign, wish)
            return
        await self._desk.procedure(campaign, *FAMILY)
        if wish.modifiers:
            raise BadInput("Nothing is ticked yet.", "Modifiers are ticked on the card; leave them out here.")
        if wish.captive is not None:
            await self._declare(interaction, campaign, wish.captive, wish.note)
        elif who.leads(campaign) and wish.at_once:
            await self._roll(interaction, campaign, wish)
        elif who.leads(campaign):
            await self._open_declared(interaction, campaign.id, wish.note)
        else:
            raise BadInput("I need at least one captive.", "Name a captive character of yours.")

    async def known(self, interaction: Interaction) -> list[str]:
        """The names of the captives that somebody may know of; none where the channel has no campaign."""
        try:
            campaign = await self._desk.campaign(interaction)
        except UserError:
            return []
        return [status.name for status in await self._captives.known(person(interaction), campaign)]

    async def _roll(self, interaction: Interaction, campaign: Campaign, wish: EscapeCommand) -> None:
        """Answer with a card or the roll: for who is named, or for all who have declared it."""
        plan = await self._attempts.escape(person(interaction), campaign, wish.captive)
        asked = RollCommand(channels(interaction), FAMILY, plan.parts, plan.region, None, wish.modifiers, wish.note)
        await self._desk.begin(interaction, asked, at_once=wish.at_once)

    async def _declare(self, interaction: Interaction, campaign: Campaign, captive: str, note: str | None) -> None:
        done = await self._attempts.declare(person(interaction), campaign.id, captive, note)
        sent = await self._outbox.send(interaction.client, done.posts)
        try:
            told = f"{sentence(done.entry.content())}. A game master rolls it together with all others of this update."
            embed = discord.Embed(title=TITLES["declare"], description=told, colour=COLOURS["success"])
            footer = f"Entry #{done.entry.number} \N{MIDDLE DOT} {campaign.name}"
            await say(interaction, embed=embed.set_footer(text=footer))
        finally:
            await self._outbox.note(sent)

    async def _open_declared(self, interaction: Interaction, campaign_id: int, note: str | None) -> None:
        for view in await self._attempts.open_declared(person(interaction), campaign_id, note):
            await say(interaction, view=layout.draw(view, 0))
