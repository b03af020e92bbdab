"""Entries of the ledger as people read them: lists to pick from, and each whole with its buttons."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import ui
from discord.utils import format_dt

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import service
from bot.cogs.ledger.service import PAGE, EntryDetails
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryKinds, EntryView, View
from bot.core.records import read_body
from bot.rolls.amend import is_amendable
from bot.rolls.buttons import (
    DETAILS,
    amend_button,
    publish_button,
    publish_on_date_button,
    take_back_button,
    verify_button,
)
from bot.rolls.embed import visible_parts
from bot.rolls.headline import describe_sources
from bot.rolls.receipts import posted_lines
from bot.schedules.store import SCHEDULE
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component, read_picked, with_buttons
from bot.ui.picture import drop_missing_images
from bot.ui.receipt import page_buttons, picker, receipt, strike_pages
from bot.ui.reply import number as number_of
from bot.ui.reply import person, redraw, say
from bot.ui.text import DOT, fit_lines, plain, strip_marks

PICK = IdTemplate("ledger:{campaign:int}:show")
"""The id of the select under a list, from which an entry is picked."""


def listed(
    interaction: Interaction,
    campaign: Campaign,
    title: str,
    page: Sequence[EntryDetails],
    *pages: tuple[str, str | None],
    more: Sequence[str] = (),
) -> ui.LayoutView:
    """Return a page of entries under a title, to pick one from, with buttons to other pages and `more` lines below it."""
    kinds = interaction.client.kinds
    lines = [_entry_line(kinds, item.shown, item.view, who=item.user_id) for item in page]
    options = [
        (
            str(item.shown.entry.number),
            f"Entry #{item.shown.entry.number}",
            strip_marks(kinds.sentence(item.shown.entry, item.view)),
        )
        for item in page
    ]
    done = " to publish, amend or undo it" if person(interaction).leads(campaign) else ""
    select = picker(PICK.fill(campaign=campaign.id), f"Open an entry{done}", options)
    return receipt(title, [*lines, *more], COLOURS["neutral"], page_buttons(*pages), select)


LIST = IdTemplate("ledger:{campaign:int}:{below:int}")
"""The ids of a list's buttons: the page of entries below a number; 0 for the newest."""

MAX_CONTENT = 1950
"""Characters about an entry, under Discord's 2,000 for a message's text."""


@component(LIST)
async def turn(interaction: Interaction, *, campaign: int, below: int) -> None:
    """Show another page of a list."""
    here = await pressed_campaign(interaction, campaign)
    await redraw(interaction, await list_view(interaction, here, below or None))


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int) -> None:
    """Show the entry that was picked from a list, with what can be done about it."""
    here = await pressed_campaign(interaction, campaign)
    await show(interaction, here, number_of(next(iter(read_picked(interaction)), "")))


@component(DETAILS)
async def show_details(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show the whole of an entry."""
    here = await pressed_campaign(interaction, campaign)
    await show(interaction, here, number)


async def list_view(interaction: Interaction, campaign: Campaign, below: int | None) -> ui.LayoutView:
    """Return ten entries, newest first, to pick one from; with buttons to older and newest ones where there are such."""
    found = await interaction.client.database.read(service.page, person(interaction), campaign, below)
    page = found[:PAGE]
    older = page[-1].shown.entry.number if len(found) > PAGE else None
    pages = (
        ("Newest", None if below is None else LIST.fill(campaign=campaign.id, below=0)),
        ("Older", None if older is None else LIST.fill(campaign=campaign.id, below=older)),
    )
    more = [] if page else ["No entries yet."]
    return listed(interaction, campaign, f"Ledger of {plain(campaign.name)}", page, *pages, more=more)


async def show(interaction: Interaction, campaign: Campaign, number: int) -> None:
    """Show one entry, privately, with what became of its posts."""
    bot = interaction.client
    details = await bot.database.read(service.find, person(interaction), campaign, number)
    pages = bot.kinds.whole(details.shown, details.view)
    *before, last = strike_pages(pages, details.shown.voided)
    for page in before:
        await say(interaction, embeds=drop_missing_images(page, None))
    ref = (campaign.id, number)
    buttons = [publish_button(*ref), publish_on_date_button(*ref)] if details.publishable else []
    if _voidable(bot.kinds, details):
        buttons.append(take_back_button(*ref))
        if await bot.database.read(is_amendable, bot.resolver, campaign, details.shown.entry):
            buttons.append(amend_button(*ref))
    if details.shown.entry.draw is not None:
        buttons.append(verify_button(*ref))
    below = {"view": with_buttons(*buttons)} if buttons else {}
    await say(interaction, embeds=drop_missing_images(last, None), content=_about(campaign, details), **below)


COMPONENTS: tuple[Component, ...] = (turn, pick, show_details)


def _voidable(kinds: EntryKinds, details: EntryDetails) -> bool:
    """Tell whether an entry is shown to somebody who may take it back."""
    entry, voided = details.shown.entry, details.shown.voided
    return details.view == "staff" and voided is None and kinds.of(entry.kind, entry.content()).stays is None


def _about(campaign: Campaign, details: EntryDetails) -> str:
    """Return where an entry was posted, by which rules it was made, and its hash, to compare with the audit thread."""
    waiting = [
        f"\N{WARNING SIGN} Waiting to be posted in <#{item.channel_id}>{f': {item.fault}' if item.fault else ''}."
        for item in details.posts
        if item.message_id is None
    ]
    lines = [*posted_lines(campaign, details.posts), *waiting] or ["Not posted to any channel."]
    if details.public_at is not None:
        lines.append(f"Goes public {format_dt(details.public_at, 'F')}.")
    mark, link = details.shown.voided, details.instead
    if mark is not None and link is not None:
        how = "Amended" if mark.amended else "Undone"
        lines.insert(0, f"[{how} by #{mark.by}]({link})")
    entry, body = details.shown.entry, read_body(details.shown.entry)
    if entry.kind == "roll":
        rules = describe_sources(body, visible_parts(details.shown, body, details.view))
        lines += [f"-# {plain(DOT.join(rules))}"] if rules else []
    return "\n".join(fit_lines(MAX_CONTENT, [*lines, f"-# Hash {entry.hash}"]))


def _entry_line(kinds: EntryKinds, shown: EntryView, view: View, *, who: int | None) -> str:
    """Return one line for a list: number, when, what, by whom, and what has voided it."""
    entry = shown.entry
    stamp = discord.utils.format_dt(entry.at, "d")
    nobody = "by the bot's host" if entry.kind == "campaign" else "by schedule"
    by = "" if who is None else f" \N{MIDDLE DOT} {nobody if who == SCHEDULE else f'<@{who}>'}"
    mark = shown.voided
    how = "" if mark is None else f"amended by #{mark.by}" if mark.amended else f"void by #{mark.by}"
    void = f" \N{MIDDLE DOT} *{how}*" if how else ""
    return f"**#{entry.number}** {stamp} {kinds.sentence(entry, view)}{by}{void}"
