"""What each page shows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid5

import discord
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from bot.cogs import luck
from bot.core import entries, entry_search, errors, ledger, library, profiles, records
from bot.outbox import queue
from bot.outbox.sending import Drawing
from bot.rolls.embed import visible_parts
from bot.rolls.fairness.disclosure import has_public_dice
from bot.ui.text import DOT, strip_marks
from bot.web import almanac, proofs, wars
from bot.web.addresses import SiteAddress, write_log_path
from bot.web.cards import PageCard
from bot.web.reading import MissingPage, PagePicture, SitePage, SiteReader, UpdateSpan
from rules.odds import fit_to_fair, table_odds
from rules.phrases import format_signed, percent
from rules.subjects import name_key

A_PAGE, ON_FRONT, IN_FEED, IN_UPDATE, CARD_LINES, MOST_READ = 50, 8, 30, 100, 8, 20
ON_ROSTER, FEW_UNITS, MOST_UNITS = 60, 40, 3000
SMALL = "-# "
KINDS: Mapping[str, str] = {
    "battle": "Battles",
    "digest": "Digests",
    "fight": "Fights",
    "house": "House rules",
    "publication": "Publications",
    "update": "Updates",
    "void": "Undone",
    "war": "Wars",
    "weather": "Weather",
}
"""Kinds of entries that the log offers, besides rolls of books."""


class RosterSide(Struct, frozen=True):
    """A side's known units."""

    name: str
    units: Sequence[Mapping[str, str]]


class EntryArticle(Struct, frozen=True):
    """An embed as HTML."""

    words: Markup
    footer: Markup


def show_front(site: SiteReader, _address: SiteAddress) -> SitePage:
    """Show update, weather, results, sides."""
    span = site.find_update(site.update["number"])
    listed = site.list_between(entries.Span(above=span.first, limit=ON_FRONT))
    about, results = span, listed
    before = site.find_update(span.number - 1) if span.number > 1 else None
    if before is not None and not listed:
        about, before = before, None
        results = site.list_between(entries.Span(above=about.first, below=_end(about), limit=ON_FRONT))
    weather = almanac.read_newest(site)
    shown = {
        "update": span,
        "closes": site.schedule and site.schedule.next_at,
        "weather": weather,
        "war": wars.find_newest_map(site),
        "about": about,
        "before": before,
        "results": site.list_lines(results),
        **list_sides(site, 0, FEW_UNITS),
    }
    week = f", week {weather.week}" if weather else ""
    return SitePage(site.campaign.name, "now.html", shown, f"{span.name}{week} of {site.campaign.name}.")


def show_updates(site: SiteReader, _address: SiteAddress) -> SitePage:
    """List all updates, newest first."""
    return SitePage("Updates", "updates.html", {"updates": site.list_updates()})


def show_update(site: SiteReader, address: SiteAddress) -> SitePage:
    """List an update's results, oldest first."""
    span = site.find_update(address.number)
    found = site.list_between(entries.Span(above=span.first, below=_end(span), oldest=True, limit=IN_UPDATE + 1))
    newest = write_log_path(entry_search.EntrySearch(), span.last and span.last + 1)
    results = site.list_lines(found[:IN_UPDATE])
    more = site.links.to(newest) if len(found) > len(results) else None
    shown = {"update": span, "results": results, "more": more}
    return SitePage(span.name, "update.html", shown, f"What was public in {span.name}.")


def draw_front_card(site: SiteReader, _address: SiteAddress) -> Drawing:
    """Return what draws the front's card."""
    week, draw = almanac.plan_map(site) or ("", None)
    lines = DOT.join(filter(None, [site.update["name"], week]))
    footer = f"{site.tools.public_url.partition('://')[2]}/{site.campaign.site}" if site.tools.public_url else ""
    return PageCard("", site.campaign.name, (lines,), footer, draw).draw


def _end(span: UpdateSpan) -> int:
    return entries.Span().below if span.last is None else span.last + 1


def show_log(site: SiteReader, address: SiteAddress) -> SitePage:
    """List matching entries, newest first."""
    wanted, fault = address.search, ""
    searched = replace(wanted, before=None) != entry_search.EntrySearch()
    shown: dict[str, Any] = {"search": wanted, "searched": searched, "families": _list_families(site)}
    listed: list[records.Entry] = []
    try:
        listed = [*islice(_find_entries(site, wanted), A_PAGE + 1)]
    except errors.UserError as error:
        fault = str(error)
    results = site.list_lines(listed[:A_PAGE])
    older = write_log_path(wanted, results[-1].number) if len(listed) > len(results) else None
    shown |= {"results": results, "fault": fault, "older": older and site.links.to(older)}
    return SitePage("Log", "log.html", shown, f"The public results of {site.campaign.name}.")


def _find_entries(site: SiteReader, wanted: entry_search.EntrySearch) -> Iterator[records.Entry]:
    # What is found only by a member's name is passed over, as if it weren't there.
    search, below = entry_search.make_search(site.tx, site.viewer, wanted), entries.Span().below
    for _ in range(MOST_READ):
        numbers = search.numbers(site.tx, site.campaign, entries.Span(below=below), A_PAGE + 1)
        found = entries.get_entries(site.tx, site.campaign.id, numbers)
        yield from (found[number] for number in numbers if site.finds(found[number], search.words or ()))
        if len(numbers) <= A_PAGE:
            return
        below = numbers[-1]


def _list_families(site: SiteReader) -> list[tuple[str, str]]:
    shipped = site.tools.library.shipped
    books = (shipped[name] for name in site.campaign.books if name in shipped)
    rolls = {item.family: item.title for book in books for item in book.procedures.values()}
    return sorted([*rolls.items(), *KINDS.items()], key=itemgetter(1))


def show_entry(site: SiteReader, address: SiteAddress) -> SitePage:
    """Show an entry whole."""
    entry = site.get_entry(address.number)
    if entry is None:
        raise MissingPage
    (view,) = site.view_entries([entry])
    pages = site.tools.kinds.whole(view, "public")
    embeds = [embed for page in pages for embed in page]
    title = f"#{entry.number} {_write_headline(site, entry, next(iter(embeds), None))}"
    headline = f"Entry #{entry.number}"
    if len(embeds) == 1 and embeds[0].title:  # of several, each has its own
        headline, embeds[0].title = site.write_line(embeds[0].title), None
    articles = [
        EntryArticle(
            Markup("".join(site.writer.embed(embed))),  # noqa: S704 - the writer escapes what was typed
            site.write_line((embed.footer.text or "").removeprefix(f"#{entry.number}").strip(" \N{MIDDLE DOT}")),
        )
        for embed in embeds
    ]
    sentence = strip_marks(site.tools.kinds.sentence(entry, "public"))
    by = site.link_entry(view.voided.by) if view.voided else None
    odds = [*_list_odds_before(site, view)] if entry.kind == "roll" else []
    shown = {
        "view": view,
        "headline": headline,
        "articles": articles,
        "gone": site.describe_mark(view),
        "by": by,
        "odds": odds,
    }
    ends = ("/check", ".json", ".proof.txt") if has_public_dice(entry) else ()
    shown["checks"] = [site.links.to(f"{entry.number}{end}") for end in ends]
    posted = (
        post for post in queue.posts_of_entry(site.tx, site.campaign.id, entry.number) if post.kind in queue.LINKED
    )
    shown["message"] = next(filter(None, (post.link(site.campaign.guild_id) for post in posted)), None)
    summary = hide_ids(site, sentence)
    picture = PagePicture(f"{entry.number}.png", alt=summary)
    return SitePage(title, "entry.html", shown, summary, picture=picture)


def draw_entry_card(site: SiteReader, address: SiteAddress) -> Drawing:
    """Return what draws an entry's card."""
    entry = site.get_entry(address.number)
    if entry is None:
        raise MissingPage
    (view,) = site.view_entries([entry])
    embed = next((embed for page in site.tools.kinds.whole(view, "public") for embed in page), None)
    headline = _write_headline(site, entry, embed)
    described = [line for line in ((embed and embed.description) or "").split("\n") if not line.startswith(SMALL)]
    lines = filter(None, [site.describe_mark(view), *(hide_ids(site, line) for line in described[:CARD_LINES])])
    footer = f"#{entry.number}{DOT}{site.show_time(entry.at)}"
    return PageCard(site.campaign.name, headline, tuple(lines), footer).draw


def _write_headline(site: SiteReader, entry: records.Entry, embed: discord.Embed | None) -> str:
    return hide_ids(site, (embed and embed.title) or site.tools.kinds.sentence(entry, "public"))


def _list_odds_before(site: SiteReader, view: ledger.EntryView) -> Iterator[Mapping[str, Any]]:
    body = records.read_body(view.entry)
    book = site.tools.library.shipped.get(body["book"])
    if book is None or book.fingerprint != view.entry.book:  # other rows of house rules aren't public
        return
    tables = library.hide_secrets(book).tables
    parts = (part for part in visible_parts(view, body, "public") if not (part["secret"] or "hides" in part))
    steps = (step for part in parts for step in part["steps"] if step.get("table") in tables)
    came: dict[tuple[str, int], set[str]] = {}
    for step in steps:
        came.setdefault((step["table"], step["sum"]), set()).add(step["row"]["outcome"])
    for (name, total), outcomes in came.items():
        table = tables[name]
        if table.pool is None and table.against is None and len(table.rows) > 1:
            rows = table_odds(table, total).items()
            odds = [(table.row(row).text, percent(odd), row in outcomes) for row, odd in rows]
            yield {"title": table.title, "sum": total and format_signed(total), "rows": odds}


def hide_ids(site: SiteReader, text: str) -> str:
    """Return text without ids."""
    return Markup(site.writer.line(text)).striptags()  # noqa: S704 - as above


def list_sides(site: SiteReader, first: int, most: int) -> Mapping[str, Any]:
    """Return known units by side, and how many come later."""
    saved = [item for item in profiles.list_profiles(site.tx, site.campaign.id) if not item.secret][:MOST_UNITS]
    site.read_named([item.id for item in saved])
    known = [item for item in saved if site.viewer.knows(item)]
    ordered = sorted(known, key=_find_side)[first : first + most]
    named = {item.id for item in known}
    sides = [
        RosterSide(next(iter(units := [*found])).side or "", [_describe_unit(site, item, named) for item in units])
        for _, found in groupby(ordered, key=_find_side)
    ]
    return {"sides": sides, "left": len(known) - first - len(ordered)}


def _find_side(item: profiles.Profile) -> str:
    return name_key(item.side or "\uffff")  # those without one come last


def _describe_unit(site: SiteReader, item: profiles.Profile, named: set[int]) -> Mapping[str, str]:
    link = site.links.to(write_log_path(entry_search.EntrySearch(unit=item.name))) if site.links.can_search else ""
    squad = item.squad if item.squad_id in named and item.squad else ""
    return {"name": item.name, "kind": profiles.name_kind(item.kind), "squad": squad, "link": link}


def show_roster(site: SiteReader, address: SiteAddress) -> SitePage:
    """List known units."""
    page = address.number or 1
    shown = list_sides(site, (page - 1) * ON_ROSTER, ON_ROSTER)
    if address.number and not shown["sides"]:
        raise MissingPage
    earlier = site.links.to(_write_roster_path(page - 1)) if page > 1 else ""
    later = site.links.to(_write_roster_path(page + 1)) if shown["left"] else ""
    return SitePage("Roster", "roster.html", {**shown, "earlier": earlier, "later": later})


def _write_roster_path(page: int) -> str:
    return f"roster/{page}" if page > 1 else "roster"


def show_luck(site: SiteReader, _address: SiteAddress) -> SitePage:
    """Count public faces."""
    found = luck.count(site.tx, site.viewer.person, site.campaign, luck.LuckFilter())
    dice = [
        {
            "sides": sides,
            "thrown": sum(counts),
            "mean": luck.mean(counts),
            "expected": (sides + 1) / 2,
            "counts": counts,
            "most": max(counts),
            "says": site.write_line(luck.describe_fit(fit_to_fair(counts), sides)),
        }
        for sides, counts in found.kinds()
    ]
    return SitePage("Luck", "luck.html", {"found": found, "dice": dice})


def show_feed(site: SiteReader, _address: SiteAddress) -> SitePage:
    """List newest results (Atom)."""
    listed = site.list_lines(site.list_between(entries.Span(limit=IN_FEED)))
    updated, owner = listed[0].at if listed else site.campaign.created_at, UUID(site.campaign.uuid)
    shown = {"results": [(uuid5(owner, str(line.number)), line) for line in listed], "updated": updated}
    return SitePage(site.campaign.name, "feed.xml", shown, content_type="application/atom+xml")


def show_deadlines(site: SiteReader, _address: SiteAddress) -> SitePage:
    """List the next deadlines (iCalendar)."""
    return SitePage(
        site.campaign.name, "deadlines.ics", {"lines": almanac.list_calendar_lines(site)}, content_type="text/calendar"
    )


PAGES: Mapping[str, Callable[[SiteReader, SiteAddress], SitePage | Drawing]] = {
    "now": show_front,
    "updates": show_updates,
    "update": show_update,
    "log": show_log,
    "entry": show_entry,
    "check": proofs.show_check,
    "file": proofs.show_file,
    "proof": proofs.show_proof,
    "card": draw_entry_card,
    "picture": draw_front_card,
    "weather": almanac.show_weather,
    "wars": wars.show_wars,
    "war": wars.show_war,
    "turn": wars.show_war,
    "map": wars.draw_war_map,
    "roster": show_roster,
    "rules": almanac.show_rules,
    "table": almanac.show_table,
    "luck": show_luck,
    "feed": show_feed,
    "deadlines": show_deadlines,
}
