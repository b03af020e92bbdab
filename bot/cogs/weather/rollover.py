"""The week's weather: rolled once, set by hand, taken back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.category_embed import notice, preview_lines, standing
from bot.cogs.weather.queries import Almanac, find_outcome, find_zone, told
from bot.cogs.weather.store import WEATHER, StoredWeek, WeekRange, week_name
from bot.core import entries
from bot.core.campaigns import Campaign, open_campaign, require_open
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE, VOIDED
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from bot.ui.text import message_link
from rules.book import Book, Zone
from rules.books.campaign.weather import FAMILY, Forecast, Week, subjects, week_of
from rules.climate import spoken_conditions


@dataclass(frozen=True, slots=True)
class Ahead:
    """The week that comes next, before its dice, and the newest that is known."""

    campaign: Campaign
    forecast: Forecast
    book: Book
    newest: StoredWeek | None

    @property
    def number(self) -> int:
        """The number of the week."""
        return self.forecast.number

    @property
    def seen(self) -> str:
        """A short word that changes with all that a preview shows."""
        lines = [f"{self.number} {standing(self.newest)}", *preview_lines(self.forecast, self.book)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


class Weather:
    """Makes and changes the weather of campaigns."""

    def __init__(
        self, database: Database, resolver: Resolver, almanac: Almanac, outbox: Outbox, ledger: Ledger
    ) -> None:
        self._database = database
        self._resolver = resolver
        self._almanac = almanac
        self._outbox = outbox
        self._ledger = ledger

    async def preview(self, person: Person, campaign: Campaign, number: int | None) -> Ahead:
        """The week that is to be rolled, the next one unless numbered.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: that week is rolled already, or the campaign is archived.
            BadInput: another week comes first, or the campaign has no weather.

        """
        require_game_master(person, campaign, "roll the weather")
        require_open(campaign)
        return await self._database.read(lambda tx: self._ahead(tx, campaign, number))

    async def roll(self, person: Person, campaign_id: int, number: int, seen: str) -> Rolled | Ahead:
        """Roll a week as one entry; gives the preview anew when it is not what was seen any more.

        Raises:
            NotAllowed, NotOpen, BadInput: as `preview`; nothing is rolled.

        """

        def work(tx: Connection) -> Rolled | Ahead:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "roll the weather")
            ahead = self._ahead(tx, campaign, number)
            return self._roll(tx, ahead, person.user_id) if ahead.seen == seen else ahead

        return await self._database.write(work)

    def roll_next(self, tx: Connection, campaign: Campaign, user_id: int) -> Rolled:
        """Roll the next week in the caller's write transaction."""
        return self._roll(tx, self._ahead(tx, campaign, None), user_id)

    def reached(self, tx: Connection, campaign: Campaign) -> int:
        """How many weeks were rolled, without those that were taken back and those that were set at the start."""
        span = store.span(tx, campaign.id)
        return span.rolled if span else 0

    async def set_outcome(
        self, person: Person, campaign_id: int, zone: str, outcome: str, *, number: int | None, reason: str
    ) -> Rolled:
        """Set a zone's category for a week by hand: the newest unless numbered, or how things stand at the start.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            BadInput: there is no such zone, category or week, it is so already, or the reason is empty or too long.

        """
        why = _reason(reason)

        def work(tx: Connection) -> Rolled:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "set the weather")
            book = self._almanac.book(tx, campaign)
            where = find_zone(book, zone)
            wanted = find_outcome(where, outcome, book)
            span = store.span(tx, campaign.id)
            week_number = _settable(span, number)
            before = store.read(tx, campaign.id, [week_number]).get(week_number)
            after = self._set(tx, campaign, before, week_number, (where, wanted))
            if before is not None and after.week == before.week:
                raise BadInput("That is how it is already.", "Nothing was changed.")
            changes = [Change(WEATHER, week_name(week_number), before and before.value(), after.value())]
            if span is None or week_number < span.first:
                grown = WeekRange(week_number, span.last if span else week_number, span.rolled if span else 0)
                changes.append(Change(CAMPAIGN_STATE, WEATHER, span and span.value(), grown.value()))
            body = _set_body(before.week if before else None, after.week, where, book)
            body["newer"] = _rolled_after(span, week_number)
            return self._enter(tx, campaign, person, EntryDraft("weather", "results", body, tuple(changes), why))

        return await self._database.write(work)

    async def undo(self, person: Person, campaign_id: int, reason: str) -> Rolled:
        """Void the newest rollover; its entry stays.

        Raises:
            NotAllowed: the person is no game master of the campaign.
            NotOpen: the newest week was not rolled, or there is none.
            BadInput: the reason is empty or too long.

        """
        why = _reason(reason)

        def work(tx: Connection) -> Rolled:
            campaign = open_campaign(tx, campaign_id)
            require_game_master(person, campaign, "take a week of weather back")
            span = store.span(tx, campaign.id)
            kept = store.read(tx, campaign.id, [span.last])[span.last] if span else None
            if span is None or kept is None or kept.rolled_at is None:
                raise NotOpen(
                    "There is no rollover to take back.", "A week that was set by hand is changed with /weather set."
                )
            left = WeekRange(span.first, span.last - 1, span.rolled - 1).value() if span.first < span.last else None
            mark = {"by": next_number(tx, campaign)}
            changes = (
                Change(WEATHER, week_name(span.last), kept.value(), None),
                Change(CAMPAIGN_STATE, WEATHER, span.value(), left),
                Change(f"entry:{kept.entry}", VOIDED, None, mark),
            )
            body = {"entry": kept.entry, "week": span.last, "set_by": _set_by(tx, campaign, kept)}
            return self._enter(tx, campaign, person, EntryDraft("void", "results", body, changes, why))

        return await self._database.write(work)

    def _ahead(self, tx: Connection, campaign: Campaign, number: int | None) -> Ahead:
        forecast, book = self._almanac.ahead(tx, campaign)
        if number is not None and number < forecast.number:
            raise self._known(tx, campaign, number)
        if number is not None and number > forecast.number:
            raise BadInput(f"Week {number} cannot be rolled yet.", _first(tx, campaign, forecast.number, number))
        newest = store.read(tx, campaign.id, [forecast.number - 1]).get(forecast.number - 1)
        return Ahead(campaign, forecast, book, newest)

    def _known(self, tx: Connection, campaign: Campaign, number: int) -> Exception:
        """Why a week is not rolled again, with the way to it."""
        kept = store.read(tx, campaign.id, [number]).get(number)
        if kept is None:
            return BadInput(f"Week {number} lies before the first week that is known.", "It cannot be rolled any more.")
        done = "rolled" if kept.rolled_at else "set by hand"
        sent = [post for post in posts.of_entry(tx, campaign.id, kept.entry) if post.message_id is not None]
        link = message_link(campaign.guild_id, sent[0].channel_id, sent[0].message_id or 0) if sent else None
        return NotOpen(
            f"Week {number} is {done} already: entry #{kept.entry}.", f"See /weather show week:{number}.", link
        )

    def _roll(self, tx: Connection, ahead: Ahead, user_id: int) -> Rolled:
        campaign = ahead.campaign
        parts = tuple(PartRequest(subjects=item) for item in subjects(ahead.book, ahead.forecast.watches))
        request = RollRequest(book=ahead.book.id, family=FAMILY, parts=parts, week=ahead.number)
        return self._resolver.roll(tx, RollOrder(campaign.id, user_id, request, extra=week_changes))

    def _set(
        self, tx: Connection, campaign: Campaign, before: StoredWeek | None, number: int, to: tuple[Zone, str]
    ) -> StoredWeek:
        entry = next_number(tx, campaign)
        if before is not None:
            return StoredWeek(before.week.with_outcome(*to), before.entry, before.rolled_at, changed=entry)
        return StoredWeek(Week(number, {}, {}).with_outcome(*to), entry, None)

    def _enter(self, tx: Connection, campaign: Campaign, person: Person, draft: EntryDraft) -> Rolled:
        entry = self._ledger.enter(tx, campaign, person.user_id, draft)
        embeds = notice(entry.content(), campaign=campaign.name, number=entry.number)
        letters = [OutgoingMessage("results", campaign.results_channel_id, embeds)]
        queued: list[Post] = self._outbox.queue(tx, campaign.id, entry.number, letters)
        return Rolled(campaign, entry, tuple(queued))


def week_changes(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return what a rollover sets: the week, which weeks there are, and what its entry says of them."""
    number = made.request.week or 0
    week = week_of(made.resolution, made.book, number)
    before = store.past(tx, made.campaign.id, number, 1)
    span = store.span(tx, made.campaign.id)
    grown = WeekRange(span.first if span else number, number, (span.rolled if span else 0) + 1)
    return ExtraChanges(
        changes={
            (WEATHER, week_name(number)): StoredWeek(week, made.moment.entry, made.at).value(),
            (CAMPAIGN_STATE, WEATHER): grown.value(),
        },
        body={"weather": told(week, before[0] if before else None, made.book)},
    )


def _first(tx: Connection, campaign: Campaign, number: int, wanted: int) -> str:
    """What to do before a later week can be rolled."""
    if store.span(tx, campaign.id) is not None:
        return f"Week {number} comes first."
    return f"Week {number} comes first; a game that is under way begins with /weather set week:{wanted - 1}."


def _settable(span: WeekRange | None, number: int | None) -> int:
    """The week that may be set: a known one, or the one before the first; any at all while none is known.

    Raises:
        BadInput: it is another.

    """
    if span is None:
        return number or 0
    wanted = span.last if number is None else number
    if wanted > span.last:
        raise BadInput(
            f"Week {wanted} is not rolled yet.", f"The newest is week {span.last}; roll on with /weather rollover."
        )
    if wanted < span.first - 1:
        raise BadInput(f"Week {wanted} cannot be set: there must be no gap.", f"Set week {span.first - 1} first.")
    return wanted


def _rolled_after(span: WeekRange | None, number: int) -> list[int] | None:
    """The first and the last of the weeks after one that were rolled; None when there are none."""
    if span is None:
        return None
    first = max(number, span.last - span.rolled) + 1
    return [first, span.last] if first <= span.last else None


def _set_body(before: Week | None, after: Week, zone: Zone, book: Book) -> dict[str, Any]:
    described = next(item for item in told(after, before, book)["zones"] if item["id"] == zone.id)
    return {
        "deed": "set",
        "week": after.number,
        "zone": zone.label,
        "before": before.zones.get(zone.id) if before else None,
        "after": after.zones[zone.id],
        "regions": [
            {"label": item["label"], "labels": spoken_conditions(item["conditions"], item["labels"])}
            for item in described["regions"]
        ],
        "opening": before is None,
    }


def _set_by(tx: Connection, campaign: Campaign, kept: StoredWeek) -> list[int]:
    """The entries that set something of a rolled week by hand, oldest first: each keeps which one was before it."""
    found: list[int] = []
    number = kept.changed
    while number is not None and (entry := entries.get(tx, campaign.id, number)) is not None:
        found.insert(0, number)
        (before,) = [item["before"] for item in entry.content()["changes"] if item["subject"] == WEATHER]
        number = before["changed"]
    return found


def _reason(given: str) -> Mapping[str, str]:
    """Why something is done by hand, as an entry keeps it.

    Raises:
        BadInput: it is empty or too long.

    """
    why = parsing.text(given, "reason")
    if why is None:
        raise BadInput("That needs a reason.", "Write one: it is kept in the ledger.")
    return {"reason": why}
