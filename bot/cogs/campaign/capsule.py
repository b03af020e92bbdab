"""A campaign as a file: chronicle, export and import."""

import logging
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime
from functools import partial
from html import escape
from itertools import islice
from typing import Any, BinaryIO, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.campaign.settings import PINGED, check_name, find_timezone
from bot.core import campaigns, entries, epochs, migrate, permissions, schema, search_index, transactions, voiding
from bot.core.audit import Audit, check_one
from bot.core.campaigns import SERVER_FIELDS, Campaign, list_settings
from bot.core.capsules import (
    CHRONICLE,
    FORMAT,
    IN,
    TAKEN,
    UNFIT,
    CapsuleWriter,
    Manifest,
    plain_table,
    read_batches,
    read_lines,
    strip_row,
)
from bot.core.database import Database
from bot.core.errors import BadInput, NotOpen, UserError
from bot.core.ledger import EntryDraft, EntryKinds, EntryView, Publication, is_published_late
from bot.core.library import Library
from bot.core.profiles import NOBODY
from bot.core.records import Change, Entry, Link
from bot.core.state import VOIDED, get_values_named, get_whole
from bot.kernel import Feature, picture_of
from bot.outbox import queue
from bot.outbox.sending import Drawing
from bot.rolls import request
from bot.rolls.card import store as cards
from bot.rolls.entry_body import find_rollers
from bot.rolls.fairness import disclosure
from bot.rolls.pending import store as pending
from bot.rolls.resolver import Resolver
from bot.rolls.void import PRIVATE
from bot.schedules import store as schedules
from bot.ui.html import HtmlWriter, picture_html
from rules import errors, phrases, subjects

BATCH = 100
UNREADABLE = "This entry can't be shown."

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{name}: chronicle</title><style>
:root {{ color-scheme: light dark; --line: #8884; --dim: #777; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }}
h1 {{ margin: .5rem 0; }} h2 {{ font-size: 1rem; margin: 0; }} h3 {{ font-size: 1.05rem; margin: .5rem 0 0; }}
h4 {{ margin: .5rem 0 0; }} p {{ margin: .35rem 0; }} img {{ max-width: 100%; height: auto; border-radius: .4rem; }}
article {{ border-top: 1px solid var(--line); padding: .8rem 0; }} .void h3, .void p {{ color: var(--dim); }}
.about, .when, .who {{ color: var(--dim); }} .warning {{ border-left: .25rem solid #c33; padding-left: .7rem; }}
h2 {{ display: flex; flex-wrap: wrap; gap: 0 .6rem; }} .when {{ font-weight: normal; }}
code {{ white-space: pre-wrap; }}
</style></head><body><h1>{name}</h1>
<p class="warning"><strong>Game masters only:</strong> contains every secret.</p>
<p class="about">{last}, up to {at}. Hash of the newest: <code>{hash}</code></p>
"""
_FOOT = "</body></html>\n"

P = ParamSpec("P")
_BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Costs one picture its place on the page; other errors end the export."""

T = TypeVar("T")
log = logging.getLogger(__name__)


class ChronicleContext(Struct, frozen=True):
    """What the chronicle needs to show entries; `members` are names by Discord user id."""

    kinds: EntryKinds
    features: Sequence[Feature]
    library: Library
    members: Mapping[int, str] = {}


def chronicle(tx: Connection, context: ChronicleContext, campaign: Campaign, last: Entry) -> Iterator[bytes]:
    """Yield the chronicle, an HTML page, in pieces, oldest entry first."""
    about = {
        "name": campaign.name,
        "last": phrases.format_count(last.number, "entries"),
        "at": _format_time(campaign, last),
        "hash": last.hash,
    }
    yield _HEAD.format(**{name: escape(str(value)) for name, value in about.items()}).encode()
    walked = entries.walk_entries(tx, campaign.id)
    with ThreadPoolExecutor(1, thread_name_prefix="chronicle") as thread:
        while some := [entry for entry in islice(walked, BATCH) if entry.number <= last.number]:
            marked = get_values_named(tx, campaign.id, [f"entry:{entry.number}" for entry in some], {VOIDED})
            people = entries.find_users(
                tx, campaign.id, {name for item in some for name in (item.actor, *find_rollers(item).values())}
            )
            for entry in some:
                mark = voiding.read_mark(marked.get((f"entry:{entry.number}", VOIDED)))
                late = Publication() if is_published_late(entry) else None
                shown = EntryView(entry, campaign.name, late, mark, people)
                draw = _find_drawing(tx, context, campaign, entry)
                yield "".join(_render_entry(thread, context, campaign, shown, draw)).encode()
    yield _FOOT.encode()


def _find_drawing(tx: Connection, context: ChronicleContext, campaign: Campaign, entry: Entry) -> Drawing | None:
    try:
        return picture_of(context.library, context.features, tx, campaign, entry)
    except (UserError, errors.RulesError):
        return None
    except _BUGS as fault:
        _log(entry, fault)
        return None


def _render_entry(
    thread: ThreadPoolExecutor, context: ChronicleContext, campaign: Campaign, shown: EntryView, draw: Drawing | None
) -> Iterator[str]:
    entry, mark = shown.entry, shown.voided
    maker = shown.people.get(entry.actor)
    named = "" if maker is None else context.members.get(maker, "a former member")
    who = f" by {escape(named)}" if named and context.members else ""
    void = f" &middot; {'amended' if mark.amended else 'void'} by #{mark.by}" if mark else ""
    yield f'<article id="e{entry.number}"{" class=void" if mark else ""}><h2>#{entry.number}'
    yield f'<span class="when">{escape(_format_time(campaign, entry))}{who}{void}</span></h2>'
    if entry.audience == "person":
        yield f"<p>{PRIVATE}.</p>"
    else:
        words = _run_apart(thread, entry, partial(_entry_html, context.kinds, shown, campaign.timezone))
        yield f"<p>{UNREADABLE}</p>" if words is None else words
        picture = None if draw is None else _run_apart(thread, entry, draw)
        yield "" if picture is None else picture_html(picture)
    yield "</article>\n"


def _entry_html(kinds: EntryKinds, shown: EntryView, zone: str) -> str:
    pages = kinds.whole(shown, "staff")
    writer = HtmlWriter(zone)
    return "".join(line for page in pages for embed in page for line in writer.embed(embed))


def _run_apart(thread: ThreadPoolExecutor, entry: Entry, work: Callable[[], T]) -> T | None:
    done = thread.submit(work)
    if (fault := done.exception()) is not None:
        _log(entry, fault)
        return None
    return done.result()


def _log(entry: Entry, fault: BaseException) -> None:
    log.error("chronicle.failed", extra={"entry": entry.number}, exc_info=fault)


def _format_time(campaign: Campaign, entry: Entry) -> str:
    return f"{entry.at.astimezone(ZoneInfo(campaign.timezone)):%d %b %Y %H:%M %Z}"


_MANY = 10_000
"""More open cards than a campaign ever has."""


def find_campaign(tx: Connection, named: str) -> int:
    """Find a campaign's id on any server, by UUID or unique name."""
    mine = schema.campaign.c.uuid == named.strip().lower(), schema.campaign.c.name_key == subjects.name_key(named)
    query = sa.select(schema.campaign.c.id, schema.campaign.c.uuid, schema.campaign.c.name, schema.campaign.c.guild_id)
    found = tx.execute(query.where(sa.or_(*mine)).order_by(schema.campaign.c.id)).all()
    if not found:
        raise BadInput(f"I can't find a campaign called {named!r}.", "Type a name from /gm settings, or its UUID.")
    if len(found) > 1:
        several = "; ".join(f"{row.uuid} on server {row.guild_id}" for row in found)
        raise BadInput(f"{len(found)} campaigns are called {found[0].name}.", f"Type the UUID of one: {several}.")
    return int(found[0].id)


class ExportedCampaign(Struct, frozen=True):
    """A campaign after its export; `last` is the entry about the export."""

    campaign: Campaign
    last: Entry
    posts: Sequence[queue.Post]


def leave(tx: Connection, resolver: Resolver, person: permissions.Person | None, campaign_id: int) -> ExportedCampaign:
    """Enter the export and close the dice epoch; `person` is None when the bot's host exports."""
    if person is None:
        campaign = campaigns.get_campaign(tx, campaign_id, lock=True)
        if campaign is None:
            raise NotOpen("That campaign no longer exists.")
    else:
        campaign = campaigns.require_on_server(tx, person.guild_id, campaign_id, lock=True)
        permissions.require_game_master(person, campaign, "export the campaign")
    maker = NOBODY if person is None else person.user_id
    body = {"exported": True}
    enter = partial(resolver.ledger.enter, tx, campaign, maker, EntryDraft("campaign", "staff", body))
    last, messages = disclosure.leave(tx, resolver.ledger, campaign, enter)
    posts = resolver.outbox.queue(tx, campaign.id, None, messages)
    if person is None:
        queue.release_posts(tx, posts, resolver.ledger.now())  # whichever bot runs sends them
    return ExportedCampaign(campaign, last, posts)


def pack(
    tx: Connection,
    context: ChronicleContext,
    left: ExportedCampaign,
    file: BinaryIO,
    at: datetime,
    most: int | None = None,
) -> None:
    """Write a capsule of at most `most` bytes to `file`, with entries up to the one about the export.

    Raises:
        TooLarge: it doesn't fit.

    """
    campaign, last = left.campaign, left.last
    with CapsuleWriter(file, most) as writing:
        for table in TAKEN:
            writing.rows(table.name, read_lines(tx, table, campaign.id, last.number))
        writing.add(CHRONICLE, chronicle(tx, context, campaign, last))
        about = (campaign.uuid, campaign.name, last.number, last.hash, at)
        writing.finish(Manifest(FORMAT, migrate.newest_revision(), *about))


class ImportedCampaign(Struct, frozen=True):
    """An imported campaign with its ledger's check; `head` is the hash of the file's newest entry."""

    campaign: Campaign
    audit: Audit
    head: str


class Where(Struct, frozen=True):
    """The server to import to, and a new name; `move` takes it from another server."""

    server: int
    name: str | None = None
    move: bool = False


def arrive(
    tx: Connection, resolver: Resolver, jobs: Container[str], capsule: Database, where: Where
) -> ImportedCampaign:
    """Import a capsule, without its channels and roles; schedules are refused unless `jobs` names their job."""
    with capsule.engine.connect() as source:
        there = _fit(source, resolver.library, jobs, where)
        _make_way(tx, there, entries.find_link(source, IN, there.uuid), move=where.move)
        here = campaigns.add_campaign(tx, there)
        others = [item for item in TAKEN if item is not schema.campaign]
        for table in (*others, schema.state, schema.subject, schema.search):
            with closing(read_batches(source, sa.select(*plain_table(table).columns))) as found:
                for batch in found:
                    transactions.write(
                        tx, plain_table(table).insert(), [_local_row(table, row._asdict(), here.id) for row in batch]
                    )
    head = _go_on(tx, resolver, here)
    checked = check_one(tx, resolver.kinds, here.id)
    if checked.faults:
        raise BadInput(f"The ledger isn't valid: {checked.faults[0]}")
    return ImportedCampaign(here, checked, head)


def _local_row(table: sa.Table, row: dict[str, Any], campaign_id: int) -> dict[str, Any]:
    moved = search_index.row_id(campaign_id, 0) - search_index.row_id(IN, 0)
    own = {"id": row["id"] + moved} if table is schema.search else {}
    return {**strip_row(table.name, row), **own, "campaign_id": campaign_id}


def _go_on(tx: Connection, resolver: Resolver, here: Campaign) -> str:
    newest, left = entries.find_link(tx, here.id, here.uuid), epochs.find_newest_closed(tx, here.id)
    if left is not None:  # a capsule without one is refused before
        posts = resolver.outbox.queue(tx, here.id, None, disclosure.arrive(tx, resolver.ledger, here, left))
        queue.release_posts(tx, posts, resolver.ledger.now())
    body = {"imported": list_settings(here)}
    draft = EntryDraft("campaign", "staff", body, tuple(_list_unbinding(tx, here.id)))
    resolver.ledger.enter(tx, here, NOBODY, draft)
    for schedule in schedules.list_schedules(tx, here.id):
        schedules.save_schedule(tx, schedules.move_on(schedule, here, resolver.ledger.now()))
    return newest.hash


def _list_unbinding(tx: Connection, campaign_id: int) -> Iterator[Change]:
    for (key, name), value in get_whole(tx, campaign_id).items():
        if name == subjects.GROUP and (value["role"] or value["channel"]):
            yield Change(key, name, value, {**value, "role": None, "channel": None})
        elif isinstance(value, dict) and key.startswith(f"{name}:") and value.get("channel") and not value.get("over"):
            yield Change(key, name, value, {field: item for field, item in value.items() if field != "channel"})


def _fit(source: Connection, library: Library, jobs: Container[str], where: Where) -> Campaign:
    try:
        found = campaigns.get_campaign(source, IN)
        if found is None:
            raise BadInput("The file has no campaign in it.")
        kept = schedules.list_schedules(source, IN)
        for item in (found, *permissions.list_all_groups(source, IN), *kept):
            convert(to_builtins(item), type(item))
        for schedule in kept:
            schedules.require_possible(schedule, jobs)
        unknown = [*({*found.books} - library.shipped.keys()), *({found.pings} - PINGED.keys())]
        for card in cards.list_open_cards(source, IN, None, _MANY):
            convert(card.request["now"], request.RollRequest)
        pending.list_open(source, IN)
    except UNFIT as error:
        raise BadInput(f"I can't read a setting, group, schedule, card or waiting roll: {error}.") from error
    if unknown:
        raise BadInput(f"{found.name} plays books that this bot doesn't have: {', '.join(sorted(unknown))}.")
    server_fields = dict.fromkeys(SERVER_FIELDS, 0) | ({"player_role_id": None} if found.player_role_id is None else {})
    return replace(
        found,
        **server_fields,
        guild_id=where.server,
        name=check_name(found.name if where.name is None else where.name),
        timezone=find_timezone(found.timezone),
        asks_outside=False,
    )


def _make_way(tx: Connection, new: Campaign, newest: Link, *, move: bool) -> None:
    old = tx.execute(
        sa.select(schema.campaign.c.id, schema.campaign.c.guild_id).where(schema.campaign.c.uuid == new.uuid)
    ).first()
    if old is not None and not move:
        what = f"{new.name} is already in this database, on server {old.guild_id}: campaign {new.uuid}."
        raise BadInput(what, "Add --move to move it off that server.")
    if old is not None:
        campaigns.get_campaign(tx, old.id, lock=True)
        if entries.find_link(tx, old.id, new.uuid) != newest:
            raise BadInput(
                f"{new.name} has newer entries than that export.", "Export it again, and import the new file."
            )
        campaigns.delete_campaign(tx, old.id)
    if campaigns.find_campaign(tx, new.guild_id, new.name) is not None:
        raise BadInput(
            f"That server already has a campaign called {new.name}.", "Give this one another name with --name."
        )
