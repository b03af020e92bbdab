"""Making results public: at once or on a date, with the buttons and the window for it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import discord
import sqlalchemy as sa
from discord import ui
from discord.utils import format_dt
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot import actions, kernel
from bot.client import Interaction
from bot.cogs.ledger import service
from bot.core import campaigns, entries, errors, ledger, outages, schema, search_index, state, subjects, voiding
from bot.core.campaigns import Campaign, open_campaign, require_on_server
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.core.state import AMENDED, AUDIENCE, PUBLISH_AT, PUBLISHED, VOIDED
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls import receipts, void
from bot.rolls.embed import result_pages
from bot.rolls.entries import PUBLISH, PUBLISH_NOW, PUBLISH_ON_DATE, publication_of
from bot.rolls.resolver import Resolver
from bot.schedules.store import read_date
from bot.ui import answering, parsing, reply
from bot.ui.reply import person
from bot.ui.text import COLOURS, Controls, drop_missing_images, join_words, paginate, plain, shorten

# A void roll keeps its date: everyone who knew of the roll reads the void entry, but only the staff knows the date.
_MARK = schema.state.alias()
_OF_ROLL = (_MARK.c.campaign_id == schema.state.c.campaign_id) & (_MARK.c.subject == schema.state.c.subject)
_VOID = sa.exists().where(
    _OF_ROLL, _MARK.c.name == VOIDED, ~sa.func.coalesce(_MARK.c.value[AMENDED].as_boolean(), sa.false())
)

# Per campaign, since that is how the names of values are indexed.
_DUE = (
    sa.select(schema.campaign.c.id, schema.state.c.subject)
    .join(schema.state, (schema.state.c.campaign_id == schema.campaign.c.id) & (schema.state.c.name == PUBLISH_AT))
    .where(schema.campaign.c.archived_at.is_(None), schema.at_home(schema.campaign.c.id))
    .where(schema.state.c.value["at"].as_string() <= sa.bindparam("now"), ~_VOID)
    .order_by(schema.campaign.c.id, schema.state.c.value["at"].as_string())
)


def publish(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> tuple[Post, ...]:
    """Publish a result; the caller sends its posts."""
    campaign, entry = _require_unpublished(tx, person, campaign_id, number)
    return _enter_publication(tx, resolver, campaign, entry, resolver.ledger.actor(tx, campaign, person.user_id))


class PublicPreview(Struct, frozen=True):
    """What publishing would show, and the secret names in it."""

    pages: Sequence[Sequence[discord.Embed]]
    secret: tuple[str, ...]


def preview(tx: Connection, person: Person, campaign_id: int, number: int) -> PublicPreview:
    """Preview what publishing a result would show everyone."""
    campaign, entry = _require_unpublished(tx, person, campaign_id, number, lock=False)
    (view,) = service.make_views(tx, campaign, [entry])
    pages = result_pages(replace(view, published=publication_of(tx, campaign, entry)), "public")
    shown = "\n".join(f"{embed.title}\n{embed.description}" for page in pages for embed in page)
    named = subjects.get_subjects(tx, campaign.id, entry.names())
    secret = (entry.names()[number] for number, item in sorted(named.items()) if item.secret)
    return PublicPreview(pages, tuple(name for name in secret if plain(name) in shown))


def _set_date(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int, typed: str | None
) -> datetime | None:
    # A date has no undo: the date before may be over by then.
    campaign, entry = _require_unpublished(tx, person, campaign_id, number)
    at = None if typed is None else read_date(typed, ZoneInfo(campaign.timezone), resolver.ledger.now())
    key = service.date_key(entry)
    before = state.get_value(tx, campaign.id, key, PUBLISH_AT)
    if at is None and before is None:
        raise errors.NotOpen(f"Entry #{number} no longer has a date.", f"See /ledger entry:{number}.")
    kept = None if at is None else {"at": at.isoformat(), "by": ledger.next_number(tx, campaign)}
    body = {"entry": entry.number, "at": at.isoformat() if at else None}
    audience = entry.audience if entry.audience == "person" else "staff"
    draft = ledger.EntryDraft("publication_date", audience, body, (Change(key, PUBLISH_AT, before, kept),))
    resolver.ledger.enter(tx, campaign, person.user_id, draft)
    return at


def is_due(tx: Connection, campaign_id: int, first: int) -> bool:
    """Whether a roll, known by its first entry, still waits to be published."""
    return _find_current(tx, campaign_id, first) is not None


def find_due(tx: Connection, now: datetime) -> list[tuple[int, int]]:
    """List rolls of all servers whose date has come: campaign and first entry.

    This runs often and reads no entries, so a damaged one stops no others.
    """
    found = tx.execute(_DUE, {"now": now.isoformat()})
    return [(campaign_id, int(subject.removeprefix("entry:"))) for campaign_id, subject in found]


def publish_due(tx: Connection, resolver: Resolver, campaign_id: int, first: int) -> tuple[Post, ...]:
    """Publish a roll whose date has come, in the name of who set it, if it still may be."""
    campaign = campaigns.get_campaign(tx, campaign_id, lock=True)
    date, entry = state.get_value(tx, campaign_id, f"entry:{first}", PUBLISH_AT), _find_current(tx, campaign_id, first)
    if campaign is None or campaign.archived_at is not None or entry is None or date is None:
        return ()
    if date["at"] > resolver.ledger.now().isoformat():
        return ()
    by = entries.get_entries(tx, campaign.id, [date["by"]])[date["by"]]
    return _enter_publication(tx, resolver, campaign, entry, by.actor, dated=True)


def _require_unpublished(
    tx: Connection, person: Person, campaign_id: int, number: int, *, lock: bool = True
) -> tuple[Campaign, Entry]:
    require_game_master(person, require_on_server(tx, person.guild_id, campaign_id), "publish a result")
    campaign = open_campaign(tx, campaign_id, lock=lock)
    details = service.find_entry(tx, person, campaign, number)
    if not details.publishable:
        raise errors.NotOpen(f"Entry #{number} is already public.", f"See /ledger entry:{number}.")
    return campaign, details.shown.entry


def _enter_publication(
    tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry, actor: str, *, dated: bool = False
) -> tuple[Post, ...]:
    key, dates = f"entry:{entry.number}", service.date_key(entry)
    published, link = publication_of(tx, campaign, entry), entries.find_link(tx, campaign.id, campaign.uuid)
    body = {"entry": entry.number, **published.counts}
    kept = {"by": link.number + 1, **published.counts}
    changes = [Change(key, AUDIENCE, entry.audience, "results"), Change(key, PUBLISHED, None, kept)]
    date = state.get_value(tx, campaign.id, dates, PUBLISH_AT)
    if date is not None:
        changes.append(Change(dates, PUBLISH_AT, date, None))
    if dated:
        body["dated"] = True
    draft = ledger.EntryDraft("publication", "results", body, tuple(changes))
    resolver.ledger.append(tx, campaign.id, actor, draft, link)
    entries.set_audience(tx, campaign.id, entry.number, "results")
    search_index.SearchIndex(resolver.kinds).renew(tx, campaign.id, [entry.number])
    (view,) = service.make_views(tx, campaign, [entry])
    pages = result_pages(replace(view, published=published), "public")
    posts = tuple(void.restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, entry))
    if any(post.kind == "published" for post in posts):  # it was public before: its messages show it again
        channel, send_again = campaign.results_channel_id, resolver.outbox.send_again
        return tuple(send_again(tx, post, channel) if post.kind == "published" else post for post in posts)
    messages: Sequence[OutgoingMessage]
    messages = [OutgoingMessage("published", campaign.results_channel_id, embeds) for embeds in pages]
    for rule in resolver.extension.of_entry(campaign, entry).messages:
        messages = [item for item in rule(campaign, entry, messages) if item.kind == "published"]
    return (*resolver.outbox.queue(tx, campaign.id, entry.number, messages), *posts)


def require_unchanged(tx: Connection, campaign: Campaign, taken: Entry) -> dict[str, object]:
    """Refuse to unpublish a result that was amended or undone since; return no fields for the void."""
    number = taken.content()["entry"]
    mark = voiding.find_mark(tx, campaign.id, number)
    if mark is not None:
        since = "amended" if mark.amended else "taken back"
        raise errors.NotAsItIs(f"Entry #{number} was {since} by #{mark.by}.", f"Undo #{mark.by} first.")
    return {}


def restore_audience(tx: Connection, resolver: Resolver, campaign: Campaign, taken: Entry) -> Iterator[Post]:
    """Restore a result's audience after its publication is undone; yield its posts."""
    number = taken.content()["entry"]
    before = next(item.before for item in voiding.list_changes(taken) if item.name == AUDIENCE)
    entries.set_audience(tx, campaign.id, number, before)
    search_index.SearchIndex(resolver.kinds).renew(tx, campaign.id, [number])
    result = entries.get_entries(tx, campaign.id, [number])[number]
    yield from void.restyle_posts(tx, resolver.outbox, resolver.kinds, campaign, result)


def _find_current(tx: Connection, campaign_id: int, number: int) -> Entry | None:
    while (mark := voiding.find_mark(tx, campaign_id, number)) is not None and mark.amended:
        number = mark.by
    entry = entries.get_entry(tx, campaign_id, number)
    return entry if entry is not None and mark is None and service.is_publishable(entry, {}) else None


WHEN = reply.IdTemplate("publish-on:{campaign:int}:{number:int}:when")
MAX_NAMED = 1000

NO_DATE = reply.IdTemplate("publish-on:{campaign:int}:{number:int}:none")


@reply.component(PUBLISH)
async def _show_preview(interaction: Interaction, *, campaign: int, number: int) -> None:
    seen = await interaction.client.database.read(preview, person(interaction), campaign, number)
    lines = [*_warn_of_secrets(seen), "Everyone will see this:"]
    colour = COLOURS["danger" if seen.secret else "neutral"]
    asked = discord.Embed(title=f"Publish entry #{number}?", description="\n".join(lines), colour=colour)
    shown, *rest = paginate([asked, *(embed for page in seen.pages for embed in page)])
    if rest:
        asked.description = f"{asked.description}\n-# The rest is under `/ledger entry:{number}`."
    key = PUBLISH_NOW.fill(campaign=campaign, number=number)
    button: ui.Button[ui.View] = ui.Button(label="Publish", style=discord.ButtonStyle.danger, custom_id=key)
    await reply.say(interaction, embeds=drop_missing_images(shown, None), view=Controls(button))


@reply.component(PUBLISH_NOW)
async def _press_publish(interaction: Interaction, *, campaign: int, number: int) -> None:
    bot = interaction.client
    queued = await bot.database.write(publish, bot.resolver, person(interaction), campaign, number)
    title = f"Entry #{number} is public"
    show = partial(_show_published, interaction, title)
    await receipts.deliver(interaction, queued, show, done=title)


@reply.component(PUBLISH_ON_DATE)
async def _ask_date(interaction: Interaction, *, campaign: int, number: int) -> None:
    database = interaction.client.database
    here = await actions.find_pressed_campaign(interaction, campaign)
    seen = await database.read(preview, person(interaction), campaign, number)
    form = ui.Modal(title=f"Publish entry #{number} on a date", custom_id=WHEN.fill(campaign=campaign, number=number))
    form.add_item(
        reply.text_field("when", "When", placeholder="Friday 18:00, or 2026-03-10 18:00", limit=parsing.MAX_NAME)
    )
    lines = [*_warn_of_secrets(seen), f"In the time zone of the campaign: {here.timezone}."]
    await reply.ask(interaction, form.add_item(ui.TextDisplay("\n".join(lines))))


@reply.modal(WHEN)
async def _submit_date(interaction: Interaction, *, campaign: int, number: int) -> None:
    bot, typed = interaction.client, str(reply.read_submitted(interaction).get("when") or "")
    asked = (bot.resolver, person(interaction), campaign, number, typed)
    at = await bot.database.write(_set_date, *asked)
    title = f"Entry #{number} goes public on a date"
    answering.note_done(interaction, title)
    text = f"It is posted {format_dt(at, 'F')}, {format_dt(at, 'R')}. Until then it stays private." if at else ""
    embed = discord.Embed(title=title, description=text, colour=COLOURS["success"])
    key = NO_DATE.fill(campaign=campaign, number=number)
    undo: ui.Button[ui.View] = ui.Button(label="Cancel the date", custom_id=key)
    await reply.say(interaction, embed=embed, view=Controls(undo))


@reply.component(NO_DATE)
async def _cancel_date(interaction: Interaction, *, campaign: int, number: int) -> None:
    bot = interaction.client
    await bot.database.write(_set_date, bot.resolver, person(interaction), campaign, number, None)
    title = f"Entry #{number} no longer goes public on a date"
    answering.note_done(interaction, title)
    await reply.say(interaction, embed=discord.Embed(title=title, colour=COLOURS["success"]))


async def publish_all_due(client: kernel.Client) -> Sequence[Post]:
    """Publish the results whose date has come, each in its own transaction."""
    rolls = await client.database.read(find_due, client.ledger.now())
    return await outages.do_each((_publish_reached(client, *roll) for roll in rolls), "publishing.bug")


async def _publish_reached(client: kernel.Client, campaign_id: int, first: int) -> Sequence[Post]:
    if not await client.database.read(is_due, campaign_id, first):
        return ()
    return await client.database.write(publish_due, client.resolver, campaign_id, first)


COMPONENTS = (_show_preview, _press_publish, _ask_date, _cancel_date, _submit_date)


def _warn_of_secrets(seen: PublicPreview) -> Iterator[str]:
    if seen.secret:
        names = shorten(join_words([plain(name) for name in seen.secret]), MAX_NAMED)
        yield f"**This reveals hidden names: {names}.**"


async def _show_published(interaction: Interaction, title: str, posts: Sequence[Post]) -> None:
    sent = [post for post in posts if post.kind == "published"]
    faults = [post.fault for post in sent if post.fault]
    if faults:
        text = f"Not posted yet: {faults[0]}. I'll keep trying."
    elif all(post.message_id is not None for post in sent):
        text = f"Posted in <#{sent[0].channel_id}>."
    else:
        text = f"Waiting for Discord to post it in <#{sent[0].channel_id}>."
    colour = COLOURS["danger" if faults else "success"]
    await reply.put_answer(interaction, embed=discord.Embed(title=title, description=text, colour=colour))
