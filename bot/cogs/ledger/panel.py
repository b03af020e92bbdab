"""Entries as people read them: lists to pick from, what was found, each whole with its buttons, and an update on one page."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import datetime

import discord
from discord import ui
from discord.utils import format_dt
from msgspec.structs import replace

from bot.actions import pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import searching, service
from bot.cogs.ledger.searching import MOST, EntrySearch, FileFormat, SearchPage, UpdateSummary, sum_up
from bot.cogs.ledger.service import PAGE, EntryDetails
from bot.core.campaigns import Campaign
from bot.core.entries import Span
from bot.core.entry_kinds import EntryKinds, EntryView, View
from bot.core.records import read_body
from bot.errors import BadInput
from bot.rolls.amend import is_amendable
from bot.rolls.buttons import (
    DETAILS,
    amend_button,
    publish_button,
    publish_on_date_button,
    take_back_button,
    verify_button,
)
from bot.rolls.doubts import find_slip
from bot.rolls.embed import visible_parts
from bot.rolls.headline import describe_sources
from bot.rolls.receipts import posted_lines
from bot.schedules.store import SCHEDULE
from bot.ui.colours import COLOURS
from bot.ui.components import Component, IdTemplate, component, read_picked, with_buttons
from bot.ui.picture import drop_missing_images
from bot.ui.receipt import page_buttons, picker, receipt, strike_pages
from bot.ui.reply import number as number_of
from bot.ui.reply import person, redraw, refuse_slip, say
from bot.ui.text import DOT, fit_lines, listing, plain, strip_marks

PICK = IdTemplate("ledger:{campaign:int}:show")
"""The id of the select under a list, from which an entry is picked."""


def draw_list(
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
    return draw_list(interaction, campaign, f"Ledger of {plain(campaign.name)}", page, *pages, more=more)


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


OLDER = IdTemplate("found:{campaign:int}:{search:hex}:older:{number:int}")
NEWER = IdTemplate("found:{campaign:int}:{search:hex}:newer:{number:int}")
"""The ids of the buttons under what was found: the search, and the entry from which its page goes on."""

NEWEST = 999_999_999
"""A number above all entries: the page newer than that is the newest one."""

KEY_BYTES = 8


async def show_found(interaction: Interaction, campaign: Campaign, wanted: EntrySearch) -> None:
    """Answer with the newest entries that fit; a search with further pages, or one that was probably meant, is kept for its buttons."""
    bot, who, key = interaction.client, person(interaction), ""
    await searching.catch_up(bot.database, bot.kinds, campaign)
    found = await bot.database.read(searching.find, who, campaign, wanted, Span())
    sought = wanted.unit if wanted.unit and not found.entries else None
    meant = await bot.database.read(find_slip, who, campaign, sought) if sought else None
    if found.older is not None or meant:
        key = bot.ledger.random_id(KEY_BYTES)
        await bot.database.write(searching.keep, campaign, who, key, replace(wanted, unit=meant or wanted.unit))
    if sought and meant:
        await refuse_slip(interaction, sought, meant, NEWER.fill(campaign=campaign.id, search=key, number=NEWEST))
        return
    await say(interaction, view=_draw_found(interaction, campaign, wanted, found, key))


async def export_found(interaction: Interaction, campaign: Campaign, wanted: EntrySearch, form: FileFormat) -> None:
    """Answer privately with a file of the entries that fit, all where nothing is searched for."""
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await searching.export(bot.database, bot.kinds, person(interaction), campaign, wanted, form)
    if not made.count:
        raise BadInput("No entry that you can see matches.", "Leave an option out, or see /ledger list.")
    said = f"{made.count} {'entry' if made.count == 1 else 'entries'}, newest first."
    lines = [said, *_waiting(made.upto)]
    await say(interaction, content="\n".join(lines), file=discord.File(io.BytesIO(made.data), f"ledger.{form}"))


@component(OLDER)
async def show_older(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found further back."""
    await _turn_found(interaction, campaign, search, Span(below=number))


@component(NEWER)
async def show_newer(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    """Show what was found nearer to now."""
    await _turn_found(interaction, campaign, search, Span(above=number, oldest=True))


async def _turn_found(interaction: Interaction, campaign: int, key: str, span: Span) -> None:
    read, who = interaction.client.database.read, person(interaction)
    here = await pressed_campaign(interaction, campaign)
    wanted = await read(searching.asked, here, who, key)
    found = await read(searching.find, who, here, wanted, span)
    await redraw(interaction, _draw_found(interaction, here, wanted, found, key))


def _draw_found(
    interaction: Interaction, campaign: Campaign, wanted: EntrySearch, found: SearchPage, key: str
) -> ui.LayoutView:
    ids = {"campaign": campaign.id, "search": key}
    pages = (
        ("Newer", None if found.newer is None else NEWER.fill(**ids, number=found.newer)),
        ("Older", None if found.older is None else OLDER.fill(**ids, number=found.older)),
    )
    title = f"Search in the ledger of {plain(campaign.name)}"
    return draw_list(interaction, campaign, title, found.entries, *pages, more=[*_below(wanted, found)])


def _below(wanted: EntrySearch, found: SearchPage) -> Iterator[str]:
    if not found.entries:
        yield "No entry that you can see matches."
    yield f"-# Searched for: {wanted.told()}"
    yield from _waiting(found.upto)


def _waiting(upto: int) -> Iterator[str]:
    if upto:
        yield f"-# Still indexing entries up to #{upto}. Search again later."


SUMMED = IdTemplate("summed:{campaign:int}:{number:int}")
"""The ids of the buttons to other updates: the campaign and the number of the update."""

ROOM = 3300
"""Characters of what rolls came to: with all else they fit into the 4,000 of a message."""


@component(SUMMED)
async def turn_update(interaction: Interaction, *, campaign: int, number: int) -> None:
    """Show another update."""
    here = await pressed_campaign(interaction, campaign)
    await redraw(interaction, await draw_summary(interaction, here, number))


async def draw_summary(interaction: Interaction, campaign: Campaign, number: int | None) -> ui.LayoutView:
    """Return an update on one page, the current one unless numbered."""
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await bot.database.read(sum_up, bot.kinds, person(interaction), campaign, number)
    this = made.update["number"]
    pages = (
        ("Earlier", None if this == 1 else SUMMED.fill(campaign=campaign.id, number=this - 1)),
        ("Later", None if made.lasts else SUMMED.fill(campaign=campaign.id, number=this + 1)),
    )
    title = f"{plain(made.update['name'])}{DOT}{plain(campaign.name)}"
    return receipt(title, list(_summary_lines(made)), COLOURS["neutral"], page_buttons(*pages))


def _summary_lines(made: UpdateSummary) -> Iterator[str]:
    since = discord.utils.format_dt(datetime.fromisoformat(made.update["since"]), "f")
    yield f"Update {made.update['number']}, since {since}{', still open' if made.lasts else ''}."
    counted = listing([f"{count} {what}" for what, count in made.counts])
    yield f"**Entries you can see:** {counted or 'none'}."
    if made.more:
        yield f"-# Only the newest {MOST} are counted. See `/ledger search update:{made.update['number']}` for all."
    if made.digests:
        yield f"**Results of orders:** {listing([f'#{number}' for number in made.digests])}. See `/ledger show`."
    if made.results:
        yield "**Rolls, newest first:**"
        yield from fit_lines(ROOM, made.results)


COMPONENTS: tuple[Component, ...] = (turn, pick, show_details, show_older, show_newer, turn_update)
