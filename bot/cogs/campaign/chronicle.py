"""The chronicle of a campaign: its whole ledger as one page of HTML, as the staff reads it, with its pictures, that asks no network."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from itertools import islice
from typing import ParamSpec, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import EntryKinds, EntryView, Mark, Publication, published_late
from bot.core.library import Library
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.core.voiding import mark_of
from bot.errors import UserError
from bot.kernel import Feature, picture_of
from bot.outbox.pictures import Drawing
from bot.rolls.entry_body import rollers
from bot.rolls.void import PRIVATE
from bot.ui.html import embed_html, picture_html
from rules.errors import RulesError
from rules.phrases import counted

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
"""What costs its place on the page alone, where a picture is planned; not that nothing more can be read of the database."""

T = TypeVar("T")
log = logging.getLogger(__name__)


class Teller(Struct, frozen=True):
    """What tells entries: their kinds, the features that draw pictures of them, and what members are called, by user id."""

    kinds: EntryKinds
    features: Sequence[Feature]
    library: Library
    members: Mapping[int, str] = {}

    def made_by(self, user_id: int | None) -> str:
        """Return who made an entry; nothing where nobody did, or nobody has asked the server for names."""
        if user_id is None or not self.members:
            return ""
        return f" by {escape(self.members.get(user_id, 'a former member'))}"


def chronicle(tx: Connection, teller: Teller, campaign: Campaign, last: Entry) -> Iterator[bytes]:
    """Yield the page piece by piece: the oldest entry first, up to the last."""
    about = {
        "name": campaign.name,
        "last": counted(last.number, "entries"),
        "at": _when(campaign, last),
        "hash": last.hash,
    }
    yield _HEAD.format(**{name: escape(str(value)) for name, value in about.items()}).encode()
    walked = entries.walk(tx, campaign.id)
    with ThreadPoolExecutor(1, thread_name_prefix="chronicle") as thread:
        while some := [entry for entry in islice(walked, BATCH) if entry.number <= last.number]:
            marked = state.named(tx, campaign.id, [f"entry:{entry.number}" for entry in some], {VOIDED})
            people = entries.people(tx, campaign.id, {name for item in some for name in _people(item)})
            for entry in some:
                mark = mark_of(marked.get((f"entry:{entry.number}", VOIDED)))
                late = Publication() if published_late(entry) else None
                shown = EntryView(entry, campaign.name, late, mark, people)
                draw = _drawing(tx, teller, campaign, entry)
                yield "".join(_article(thread, teller, campaign, shown, draw)).encode()
    yield _FOOT.encode()


def _people(entry: Entry) -> list[str]:
    return [entry.actor, *rollers(entry).values()]


def _drawing(tx: Connection, teller: Teller, campaign: Campaign, entry: Entry) -> Drawing | None:
    """Return what draws the picture of an entry; None where it has none, or not by the rules that hold now."""
    try:
        return picture_of(teller.library, teller.features, tx, campaign, entry)
    except (UserError, RulesError):
        return None
    except _BUGS as fault:
        _log(entry, fault)
        return None


def _article(
    thread: ThreadPoolExecutor, teller: Teller, campaign: Campaign, shown: EntryView, draw: Drawing | None
) -> Iterator[str]:
    entry, mark = shown.entry, shown.voided
    who = teller.made_by(shown.people.get(entry.actor))
    yield f'<article id="e{entry.number}"{" class=void" if mark else ""}><h2>#{entry.number}'
    yield f'<span class="when">{escape(_when(campaign, entry))}{who}{_void(mark)}</span></h2>'
    if entry.audience == "person":
        yield f"<p>{PRIVATE}.</p>"
    else:
        told = _spared(thread, entry, partial(_told, teller.kinds, shown, campaign.timezone))
        yield f"<p>{UNREADABLE}</p>" if told is None else told
        picture = None if draw is None else _spared(thread, entry, draw)
        yield "" if picture is None else picture_html(picture)
    yield "</article>\n"


def _told(kinds: EntryKinds, shown: EntryView, zone: str) -> str:
    pages = kinds.whole(shown, "staff")
    return "".join(line for page in pages for embed in page for line in embed_html(embed, zone))


def _spared(thread: ThreadPoolExecutor, entry: Entry, work: Callable[[], T]) -> T | None:
    """Return what work gives; whatever goes wrong in it is logged and costs its place on the page alone."""
    done = thread.submit(work)
    if (fault := done.exception()) is not None:
        _log(entry, fault)
        return None
    return done.result()


def _log(entry: Entry, fault: BaseException) -> None:
    log.error("chronicle.failed", extra={"entry": entry.number}, exc_info=fault)


def _void(mark: Mark | None) -> str:
    if mark is None:
        return ""
    return f" &middot; {'amended' if mark.amended else 'void'} by #{mark.by}"


def _when(campaign: Campaign, entry: Entry) -> str:
    return f"{entry.at.astimezone(ZoneInfo(campaign.timezone)):%d %b %Y %H:%M %Z}"
