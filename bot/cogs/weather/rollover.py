"""The week's weather: rolled once, set by hand, taken back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.weather import queries
from bot.cogs.weather.queries import StoredWeek, find_outcome, find_zone, next_forecast, weather_book, week_name
from bot.cogs.weather.words import notice
from bot.core import entries
from bot.core.campaigns import Campaign, current_update, open_campaign, require_open
from bot.core.encoding import encode_canonical
from bot.core.entry_kinds import Body, EntryView
from bot.core.ledger import EntryDraft, next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import VOID, Change
from bot.core.state import CAMPAIGN_STATE, WEATHER
from bot.errors import BadInput, NotOpen, UserError
from bot.outbox import store as posts
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.schedules.store import SCHEDULE, Job
from bot.ui import parsing
from rules.book import Book, Zone
from rules.books.campaign.weather import (
    FAMILY,
    Forecast,
    Watch,
    Week,
    WeekRange,
    ZoneForecast,
    describe_week,
    make_rollover,
    rollover_subjects,
)
from rules.climate import condition_label, spoken_conditions


class PreviewKey(Struct, frozen=True):
    """What the button of a preview remembers: the number of the week, and a short word for all that was shown."""

    week: int
    seen: str


class NextWeek(Struct, frozen=True):
    """The week that comes next, before its dice, the newest that is known, by which entry one was last taken back, and the update's name."""

    campaign: Campaign
    forecast: Forecast
    book: Book
    newest: StoredWeek | None
    voided: int
    update: str

    @property
    def number(self) -> int:
        """The number of the week."""
        return self.forecast.number

    @property
    def key(self) -> PreviewKey:
        """What tells this preview from any other."""
        newest = self.newest and [self.newest.week.number, self.newest.rolled_at and self.newest.rolled_at.isoformat()]
        zones = [_zone_key(item) for item in self.forecast.zones]
        watches = [_watch_key(watch, self.book) for watch in self.forecast.watches]
        forecast = encode_canonical([self.number, newest, self.voided, zones, watches])
        return PreviewKey(self.number, hashlib.sha256(forecast.encode()).hexdigest()[:8])


class CategoryOrder(Struct, frozen=True):
    """A category that a game master sets by hand, as it is typed; without a week it is for the newest."""

    zone: str
    category: str
    week: int | None
    reason: str


def preview(tx: Connection, library: Library, person: Person, campaign: Campaign, number: int | None) -> NextWeek:
    """Return the week that is to be rolled, the next one unless numbered."""
    require_game_master(person, campaign, "roll the weather")
    require_open(campaign)
    return next_week(tx, library, campaign, number)


def roll(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, shown: PreviewKey) -> Rolled | NextWeek:
    """Roll a week as one entry; return the preview anew when it is not what was shown any more."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "roll the weather")
    coming = next_week(tx, resolver.library, campaign, shown.week)
    return _roll(tx, resolver, coming, person.user_id) if coming.key == shown else coming


def roll_next(tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int) -> Rolled:
    """Roll the next week, whichever it is."""
    return _roll(tx, resolver, next_week(tx, resolver.library, campaign), user_id)


def roll_on_schedule(tx: Connection, resolver: Resolver, campaign: Campaign, _at: datetime) -> tuple[Post, ...]:
    """Roll the next week, whichever occurrence it is for: weeks are numbered."""
    return roll_next(tx, resolver, campaign, SCHEDULE).posts


def weeks_rolled(tx: Connection, campaign: Campaign) -> int:
    """Return how many weeks were rolled, without those that were taken back and those that were set at the start."""
    span = queries.find_span(tx, campaign.id)
    return span.rolled if span else 0


ROLLOVER_JOB = Job(
    id="weather",
    title="Weekly weather",
    what="the weather rollover",
    does="rolls its weather",
    run=roll_on_schedule,
    reached=weeks_rolled,
)


def set_category(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, wanted: CategoryOrder) -> Rolled:
    """Set a zone's category for a week by hand: the newest unless numbered, or how things stand at the start."""
    why = _reason(wanted.reason)
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "set the weather")
    book = weather_book(tx, resolver.library, campaign)
    zone = find_zone(book, wanted.zone)
    outcome = find_outcome(zone, wanted.category, book)
    span = queries.find_span(tx, campaign.id)
    number = _settable(span, wanted.week)
    before = queries.read_weeks(tx, campaign.id, [number]).get(number)
    after = StoredWeek.with_outcome(before, number, zone, outcome, next_number(tx, campaign))
    if before is not None and after.week == before.week:
        raise BadInput("It's already like that.", "Nothing was changed.")
    changes = [Change(WEATHER, week_name(number), before and before.value(), after.value())]
    if span is None or number < span.first:
        grown = WeekRange.with_set(span, number)
        changes.append(Change(CAMPAIGN_STATE, WEATHER, span and span.value(), grown.value()))
    newer = span.rolled_after(number) if span else None
    body = {**_set_body(before.week if before else None, after.week, zone, book), "newer": newer}
    return _enter(tx, resolver, campaign, person, EntryDraft("weather", "results", body, tuple(changes), why))


def next_week(tx: Connection, library: Library, campaign: Campaign, number: int | None = None) -> NextWeek:
    """Return the week that is to be rolled, the next one unless numbered."""
    forecast, book = next_forecast(tx, library, campaign)
    if number is not None and number < forecast.number:
        raise _refusal(tx, campaign, number)
    if number is not None and number > forecast.number:
        raise BadInput(f"Week {number} can't be rolled yet.", _first(tx, campaign, forecast.number, number))
    newest = queries.read_weeks(tx, campaign.id, [forecast.number - 1]).get(forecast.number - 1)
    voided = next((item.number for item in entries.walk_back(tx, campaign.id, VOID)), 0)
    return NextWeek(campaign, forecast, book, newest, voided, current_update(tx, campaign.id)["name"])


def _refusal(tx: Connection, campaign: Campaign, number: int) -> UserError:
    """Return why a week is not rolled again, with the way to it."""
    stored = queries.read_weeks(tx, campaign.id, [number]).get(number)
    if stored is None:
        return BadInput(f"Week {number} is before the first known week.", "It can't be rolled any more.")
    made = "rolled" if stored.rolled_at else "set by hand"
    links = (post.link(campaign.guild_id) for post in posts.posts_of_entry(tx, campaign.id, stored.entry))
    what = f"Week {number} is already {made}: entry #{stored.entry}."
    return NotOpen(what, f"See /weather show week:{number}.", next(filter(None, links), None))


def _roll(tx: Connection, resolver: Resolver, coming: NextWeek, user_id: int) -> Rolled:
    parts = tuple(PartRequest(subjects=item) for item in rollover_subjects(coming.book, coming.forecast.watches))
    request = RollRequest(book=coming.book.id, family=FAMILY, parts=parts, week=coming.number)
    return resolver.roll(tx, RollOrder(coming.campaign.id, user_id, request, extra=week_changes))


def _enter(tx: Connection, resolver: Resolver, campaign: Campaign, person: Person, draft: EntryDraft) -> Rolled:
    """Enter a change by hand and queue the post that tells of it."""
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    embeds = notice(entry.content(), EntryView(entry, campaign.name))
    messages = [OutgoingMessage("results", campaign.results_channel_id, embeds)]
    return Rolled(campaign, entry, tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def _zone_key(item: ZoneForecast) -> list[object]:
    """Return what a preview shows of a zone: its label, what carries over, and the exact odds."""
    carried = [[line.modifier.label, line.amount] for line in item.weighed.modifiers if line.counted]
    return [item.zone.label, carried, {outcome: str(chance) for outcome, chance in item.odds.items()}]


def _watch_key(watch: Watch, book: Book) -> list[object]:
    """Return what a preview shows of a Flood Watch: its region, and the weeks and condition that call for it."""
    return [watch.region.label, condition_label(book, watch.trait), sorted(watch.weeks)]


def week_changes(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return what a rollover sets: the week, which weeks there are, and what its entry says of them."""
    number, campaign = made.request.week or 0, made.campaign.id
    before = next(iter(queries.read_past(tx, campaign, number, 1)), None)
    made_of = make_rollover(made.resolution, made.book, number, before, queries.find_span(tx, campaign))
    stored = StoredWeek(made_of.week, made.moment.entry, made.at)
    changes = {(WEATHER, week_name(number)): stored.value(), (CAMPAIGN_STATE, WEATHER): made_of.known.value()}
    return ExtraChanges(changes, {"weather": made_of.account})


def _first(tx: Connection, campaign: Campaign, number: int, wanted: int) -> str:
    """Return what to do before a later week can be rolled."""
    if queries.find_span(tx, campaign.id) is not None:
        return f"Week {number} comes first."
    return f"Week {number} comes first. Already running? Use /weather set week:{wanted - 1}."


def _settable(span: WeekRange | None, number: int | None) -> int:
    """Return the week that may be set: a known one, or the one before the first; any at all while none is known."""
    if span is None:
        return number or 0
    wanted = span.last if number is None else number
    if wanted > span.last:
        raise BadInput(
            f"Week {wanted} isn't rolled yet.", f"The newest is week {span.last}. Roll the next with /weather rollover."
        )
    if wanted < span.first - 1:
        raise BadInput(f"Week {wanted} can't be set: it would leave a gap.", f"Set week {span.first - 1} first.")
    return wanted


def _set_body(before: Week | None, after: Week, zone: Zone, book: Book) -> Body:
    account = next(item for item in describe_week(after, before, book)["zones"] if item["id"] == zone.id)
    return {
        "deed": "set",
        "week": after.number,
        "zone": zone.label,
        "before": before.zones.get(zone.id) if before else None,
        "after": after.zones[zone.id],
        "regions": [
            {"label": item["label"], "labels": spoken_conditions(item["conditions"], item["labels"])}
            for item in account["regions"]
        ],
        "opening": before is None,
    }


def _reason(given: str | None) -> Mapping[str, str]:
    """Return why something is done by hand, as an entry keeps it."""
    why = parsing.text(given, "reason")
    if why is None:
        raise BadInput("This needs a reason.", "Write one. The ledger keeps it.")
    return {"reason": why}
