"""What was found in a ledger, with buttons to newer and older pages."""

from __future__ import annotations

import io
from collections.abc import Iterator

import discord
from discord import ui
from msgspec.structs import replace

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import exporting, searching
from bot.cogs.ledger.exporting import FileFormat
from bot.cogs.ledger.panel import listed
from bot.cogs.ledger.searching import Found
from bot.cogs.ledger.wanted import Wanted
from bot.core.campaigns import Campaign
from bot.core.search_rows import Span
from bot.errors import BadInput
from bot.rolls.doubts import slip_of
from bot.ui.components import Component, IdTemplate, component
from bot.ui.reply import person, redraw, refuse_slip, say
from bot.ui.text import plain

OLDER = IdTemplate("found:{campaign:int}:{search:hex}:older:{number:int}")
NEWER = IdTemplate("found:{campaign:int}:{search:hex}:newer:{number:int}")
"""The ids of the buttons under what was found: the search, and the entry from which its page goes on."""

NEWEST = 999_999_999
"""A number above all entries: the page newer than that is the newest one."""

KEY_BYTES = 8


async def show(interaction: Interaction, campaign: Campaign, wanted: Wanted) -> None:
    """Answer with the newest entries that fit; a search with further pages, or one that was probably meant, is kept for its buttons."""
    bot, who, key = interaction.client, person(interaction), ""
    await searching.catch_up(bot.database, bot.kinds, campaign)
    found = await bot.database.read(searching.find, who, campaign, wanted, Span())
    sought = wanted.unit if wanted.unit and not found.entries else None
    meant = await bot.database.read(slip_of, who, campaign, sought) if sought else None
    if found.older is not None or meant:
        key = bot.ledger.random_id(KEY_BYTES)
        await bot.database.write(searching.keep, campaign, who, key, replace(wanted, unit=meant or wanted.unit))
    if sought and meant:
        await refuse_slip(interaction, sought, meant, NEWER.fill(campaign=campaign.id, search=key, number=NEWEST))
        return
    await say(interaction, view=_view(interaction, campaign, wanted, found, key))


async def export(interaction: Interaction, campaign: Campaign, wanted: Wanted, form: FileFormat) -> None:
    """Answer privately with a file of the entries that fit, all where nothing is searched for."""
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await exporting.export(bot.database, bot.kinds, person(interaction), campaign, wanted, form)
    if not made.count:
        raise BadInput("No entry that you can see matches.", "Leave an option out, or see /ledger list.")
    said = f"{made.count} {'entry' if made.count == 1 else 'entries'}, newest first."
    lines = [said, *_waiting(made.upto)]
    await say(interaction, content="\n".join(lines), file=discord.File(io.BytesIO(made.data), f"ledger.{form}"))


@component(OLDER)
async def older(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found further back."""
    await _turn(interaction, campaign, search, Span(below=number))


@component(NEWER)
async def newer(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found nearer to now."""
    await _turn(interaction, campaign, search, Span(above=number, oldest=True))


async def _turn(interaction: Interaction, campaign: int, key: str, span: Span) -> None:
    read, who = interaction.client.database.read, person(interaction)
    here = await pressed_campaign(interaction, campaign)
    wanted = await read(searching.asked, here, who, key)
    found = await read(searching.find, who, here, wanted, span)
    await redraw(interaction, _view(interaction, here, wanted, found, key))


def _view(interaction: Interaction, campaign: Campaign, wanted: Wanted, found: Found, key: str) -> ui.LayoutView:
    ids = {"campaign": campaign.id, "search": key}
    pages = (
        ("Newer", None if found.newer is None else NEWER.fill(**ids, number=found.newer)),
        ("Older", None if found.older is None else OLDER.fill(**ids, number=found.older)),
    )
    title = f"Search in the ledger of {plain(campaign.name)}"
    return listed(interaction, campaign, title, found.entries, *pages, more=[*_below(wanted, found)])


def _below(wanted: Wanted, found: Found) -> Iterator[str]:
    if not found.entries:
        yield "No entry that you can see matches."
    yield f"-# Searched for: {wanted.told()}"
    yield from _waiting(found.upto)


def _waiting(upto: int) -> Iterator[str]:
    if upto:
        yield f"-# Still indexing entries up to #{upto}. Search again later."


COMPONENTS: tuple[Component, ...] = (older, newer)
