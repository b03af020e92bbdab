"""Entries as people read them: lists, searches, one entry with buttons, and updates."""

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import get_args

import discord
from discord import ui
from msgspec.structs import replace

from bot.actions import find_pressed_campaign
from bot.client import Interaction
from bot.cogs.ledger import searching, service
from bot.cogs.ledger.searching import MOST, FileFormat, SearchPage, UpdateSummary, sum_up
from bot.core import ledger, records
from bot.core.campaigns import Campaign
from bot.core.entries import Span
from bot.core.entry_search import EntrySearch
from bot.core.errors import BadInput
from bot.rolls import amend, consequences, embed, entries, entry_body, receipts
from bot.schedules.store import SCHEDULE
from bot.ui.commands import UPDATE_PAGE
from bot.ui.receipt import page_buttons, picker, receipt, strike_pages
from bot.ui.reply import HIGHEST, Component, IdTemplate, component, person, read_picked, redraw, refuse_slip, say
from bot.ui.reply import number as number_of
from bot.ui.text import COLOURS, DOT, Controls, drop_missing_images, fit_lines, join_words, plain, strip_marks

PICK = IdTemplate("ledger:{campaign:int}:show")


def _draw_list(
    interaction: Interaction,
    campaign: Campaign,
    title: str,
    page: Sequence[service.EntryDetails],
    *pages: tuple[str, str | None],
    more: Sequence[str] = (),
) -> ui.LayoutView:
    kinds = interaction.client.kinds
    lines = [_describe_entry(kinds, item) for item in page]
    options = [
        (str(entry.number), f"Entry #{entry.number}", strip_marks(kinds.sentence(entry, item.view)))
        for item in page
        for entry in [item.shown.entry]
    ]
    done = " to publish, amend or undo it" if person(interaction).leads(campaign) else ""
    select = picker(PICK.fill(campaign=campaign.id), f"Open an entry{done}", options)
    return receipt(title, [*lines, *more], COLOURS["neutral"], page_buttons(*pages), select)


LIST = IdTemplate("ledger:{campaign:int}:{below:int}")
"""The page of entries below a number; 0 is the newest."""

EXPORT = {form: IdTemplate(f"ledger:{{campaign:int}}:{form}:{{search:rest}}") for form in get_args(FileFormat)}
"""A saved search as a file; without its key, all entries."""

MAX_CONTENT = 1950
"""Under Discord's 2,000 characters."""


@component(LIST)
async def _turn_page(interaction: Interaction, *, campaign: int, below: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await redraw(interaction, await draw_newest(interaction, here, below or None))


@component(PICK)
async def _pick(interaction: Interaction, *, campaign: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await show(interaction, here, number_of(next(iter(read_picked(interaction)), "")))


@component(entries.DETAILS)
async def _show_details(interaction: Interaction, *, campaign: int, number: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await show(interaction, here, number)


async def draw_newest(interaction: Interaction, campaign: Campaign, below: int | None) -> ui.LayoutView:
    """Draw ten entries, newest first."""
    found = await interaction.client.database.read(service.list_page, person(interaction), campaign, below)
    page = found[: service.PAGE]
    older = page[-1].shown.entry.number if len(found) > service.PAGE else None
    pages = (
        ("Newest", None if below is None else LIST.fill(campaign=campaign.id, below=0)),
        ("Older", None if older is None else LIST.fill(campaign=campaign.id, below=older)),
        ("Export", EXPORT["csv"].fill(campaign=campaign.id, search="") if page else None),
    )
    more = [] if page else ["No entries yet."]
    return _draw_list(interaction, campaign, f"Ledger of {plain(campaign.name)}", page, *pages, more=more)


async def show(interaction: Interaction, campaign: Campaign, number: int) -> None:
    """Show one entry privately, with its posts."""
    bot = interaction.client
    await bot.outbox.save_results()
    details = await bot.database.read(service.find_entry, person(interaction), campaign, number)
    entry, voided = details.shown.entry, details.shown.voided
    *before, last = strike_pages(bot.kinds.whole(details.shown, details.view), voided)
    for page in before:
        await say(interaction, embeds=drop_missing_images(page, None))
    ref = (campaign.id, number)
    offered = [entries.publish_button(*ref), entries.publish_on_date_button(*ref)] if details.publishable else []
    if details.view == "staff" and voided is None and bot.kinds.of(entry.kind, entry.content()).stays is None:
        offered.append(entries.take_back_button(*ref))
        if await bot.database.read(amend.is_amendable, bot.resolver, campaign, entry):
            offered.append(entries.amend_button(*ref))
    if voided is None and await bot.database.read(amend.may_push, bot.resolver, person(interaction), campaign, entry):
        offered.append(entries.push_button(*ref))
    if entry.draw is not None:
        offered.append(entries.verify_button(*ref))
    below = {"view": Controls(*offered)} if offered else {}
    await say(interaction, embeds=drop_missing_images(last, None), content=_describe_posts(campaign, details), **below)


def _describe_posts(campaign: Campaign, details: service.EntryDetails) -> str:
    waiting = [
        f"\N{WARNING SIGN} Waiting to be posted in <#{item.channel_id}>{f': {item.fault}' if item.fault else ''}."
        for item in details.posts
        if item.message_id is None
    ]
    lines = [*receipts.list_posted(campaign, details.posts), *waiting] or ["Not posted to any channel."]
    if details.public_at is not None:
        lines.append(f"Goes public {discord.utils.format_dt(details.public_at, 'F')}.")
    mark, link = details.shown.voided, details.instead
    if mark is not None and link is not None:
        how = "Amended" if mark.amended else "Undone"
        lines.insert(0, f"[{how} by #{mark.by}]({link})")
    entry, body = details.shown.entry, records.read_body(details.shown.entry)
    if entry.kind == "roll":
        rules = entry_body.describe_sources(body, embed.visible_parts(details.shown, body, details.view))
        lines += [f"-# {plain(DOT.join(rules))}"] if rules else []
    return "\n".join(fit_lines(MAX_CONTENT, [*lines, f"-# Hash {entry.hash}"]))


def _describe_entry(kinds: ledger.EntryKinds, item: service.EntryDetails) -> str:
    entry, mark, who = item.shown.entry, item.shown.voided, item.user_id
    stamp = discord.utils.format_dt(entry.at, "d")
    no_person = "by the bot's host" if entry.kind == "campaign" else "by schedule"
    by = "" if who is None else f" \N{MIDDLE DOT} {no_person if who == SCHEDULE else f'<@{who}>'}"
    how = "" if mark is None else f"amended by #{mark.by}" if mark.amended else f"void by #{mark.by}"
    void = f" \N{MIDDLE DOT} *{how}*" if how else ""
    return f"**#{entry.number}** {stamp} {kinds.sentence(entry, item.view)}{by}{void}"


OLDER = IdTemplate("found:{campaign:int}:{search:hex}:older:{number:int}")
NEWER = IdTemplate("found:{campaign:int}:{search:hex}:newer:{number:int}")
"""A search, and the entry from which its next page starts."""

KEY_BYTES = 8


async def show_found(interaction: Interaction, campaign: Campaign, wanted: EntrySearch) -> None:
    """Show the newest matches; save the search for buttons."""
    bot, who, key = interaction.client, person(interaction), ""
    await searching.catch_up(bot.database, bot.kinds, campaign)
    found = await bot.database.read(searching.find, who, campaign, wanted, Span())
    sought = wanted.unit if wanted.unit and not found.entries else None
    meant = await bot.database.read(consequences.find_slip, who, campaign, sought) if sought else None
    if found.entries or meant:
        key = bot.ledger.random_id(KEY_BYTES)
        await bot.database.write(searching.save, campaign, who, key, replace(wanted, unit=meant or wanted.unit))
    if sought and meant:
        await refuse_slip(interaction, sought, meant, NEWER.fill(campaign=campaign.id, search=key, number=HIGHEST))
        return
    await say(interaction, view=_draw_found(interaction, campaign, wanted, found, key))


async def _export(form: FileFormat, interaction: Interaction, *, campaign: int, search: str) -> None:
    bot, who = interaction.client, person(interaction)
    here = await find_pressed_campaign(interaction, campaign)
    wanted = await bot.database.read(searching.find_saved, here, who, search) if search else EntrySearch()
    await searching.catch_up(bot.database, bot.kinds, here)
    made = await searching.export(bot.database, bot.kinds, who, here, wanted, form)
    if not made.count:
        raise BadInput("No entry that you can see matches.", "Leave an option out, or see /ledger.")
    lines = [f"{made.count} {'entry' if made.count == 1 else 'entries'}, newest first.", *_describe_backlog(made.upto)]
    others = [
        (f"As {other}", key.fill(campaign=campaign, search=search)) for other, key in EXPORT.items() if other != form
    ]
    file = discord.File(io.BytesIO(made.data), f"ledger.{form}")
    await say(interaction, content="\n".join(lines), file=file, view=Controls(*page_buttons(*others)))


@component(OLDER)
async def _show_older(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    await _turn_found(interaction, campaign, search, Span(below=number))


@component(NEWER)
async def _show_newer(interaction: Interaction, *, campaign: int, search: str, number: int) -> None:
    await _turn_found(interaction, campaign, search, Span(above=number, oldest=True))


async def _turn_found(interaction: Interaction, campaign: int, key: str, span: Span) -> None:
    read, who = interaction.client.database.read, person(interaction)
    here = await find_pressed_campaign(interaction, campaign)
    wanted = await read(searching.find_saved, here, who, key)
    found = await read(searching.find, who, here, wanted, span)
    await redraw(interaction, _draw_found(interaction, here, wanted, found, key))


def _draw_found(
    interaction: Interaction, campaign: Campaign, wanted: EntrySearch, found: SearchPage, key: str
) -> ui.LayoutView:
    ids = {"campaign": campaign.id, "search": key}
    pages = (
        ("Newer", None if found.newer is None else NEWER.fill(**ids, number=found.newer)),
        ("Older", None if found.older is None else OLDER.fill(**ids, number=found.older)),
        ("Export", EXPORT["csv"].fill(**ids) if found.entries else None),
    )
    title = f"Search in the ledger of {plain(campaign.name)}"
    return _draw_list(interaction, campaign, title, found.entries, *pages, more=[*_describe_search(wanted, found)])


def _describe_search(wanted: EntrySearch, found: SearchPage) -> Iterator[str]:
    if not found.entries:
        yield "No entry that you can see matches."
    yield f"-# Searched for: {searching.describe_search(wanted)}"
    yield from _describe_backlog(found.upto)


def _describe_backlog(upto: int) -> Iterator[str]:
    if upto:
        yield f"-# Still indexing entries up to #{upto}. Search again later."


ROOM = 3300
"""Characters of results, so that all fits into 4,000."""


@component(UPDATE_PAGE)
async def _turn_update(interaction: Interaction, *, campaign: int, number: int) -> None:
    here = await find_pressed_campaign(interaction, campaign)
    await redraw(interaction, await draw_summary(interaction, here, number))


async def draw_summary(interaction: Interaction, campaign: Campaign, number: int) -> ui.LayoutView:
    """Draw an update on one page."""
    bot = interaction.client
    await searching.catch_up(bot.database, bot.kinds, campaign)
    made = await bot.database.read(sum_up, bot.kinds, person(interaction), campaign, number)
    this = made.update["number"]
    pages = (
        ("Earlier", None if this == 1 else UPDATE_PAGE.fill(campaign=campaign.id, number=this - 1)),
        ("Later", None if made.lasts else UPDATE_PAGE.fill(campaign=campaign.id, number=this + 1)),
    )
    title = f"{plain(made.update['name'])}{DOT}{plain(campaign.name)}"
    return receipt(title, list(_describe_summary(made)), COLOURS["neutral"], page_buttons(*pages))


def _describe_summary(made: UpdateSummary) -> Iterator[str]:
    since = discord.utils.format_dt(datetime.fromisoformat(made.update["since"]), "f")
    yield f"Update {made.update['number']}, since {since}{', still open' if made.lasts else ''}."
    counted = join_words([f"{count} {what}" for what, count in made.counts])
    yield f"**Entries you can see:** {counted or 'none'}."
    if made.more:
        yield f"-# Only the newest {MOST} are counted. See `/ledger update:{made.update['number']}` for all."
    if made.digests:
        yield f"**Results of orders:** {join_words([f'#{number}' for number in made.digests])}. See `/ledger`."
    if made.results:
        yield "**Rolls, newest first:**"
        yield from fit_lines(ROOM, made.results)


COMPONENTS = (
    *(_turn_page, _pick, _show_details, _show_older, _show_newer, _turn_update),
    *(Component(key, partial(_export, form)) for form, key in EXPORT.items()),
)
