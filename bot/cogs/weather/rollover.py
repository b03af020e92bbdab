"""A week's weather, rolled once or set by hand, and what categories mean."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import Connection

from bot.actions import Action, Answer, Outcome, Work
from bot.cogs.weather import queries
from bot.cogs.weather.words import notice
from bot.core import entries, state
from bot.core.campaigns import Campaign, current_update, open_campaign, require_on_server, require_open
from bot.core.errors import BadInput, NotOpen, UserError
from bot.core.ledger import Body, EntryDraft, EntryView, next_number
from bot.core.library import CLIMATE, Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import VOID, Change, Entry, encode_canonical
from bot.core.state import CAMPAIGN_STATE, WEATHER
from bot.outbox import queue as posts
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.entries import take_back_button
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.schedules.store import SCHEDULE, Job
from bot.ui import parsing
from bot.ui.text import Controls, join_words
from rules.book import Book, Region, Zone
from rules.books.campaign import weather
from rules.climate import FLOOD, GOOD, Climate, category_label, condition_label, label_conditions
from rules.subjects import name_key


class PreviewKey(Struct, frozen=True):
    """A preview's week and digest."""

    week: int
    seen: str


class NextWeek(Struct, frozen=True):
    """The next week to roll; `newest` is the week before, `voided` the newest void's entry."""

    campaign: Campaign
    forecast: weather.Forecast
    book: Book
    newest: queries.StoredWeek | None
    voided: int
    update: str

    @property
    def number(self) -> int:
        """The week's number."""
        return self.forecast.number

    @property
    def key(self) -> PreviewKey:
        """Week number and digest for the button, to notice later changes."""
        newest = self.newest and [self.newest.week.number, self.newest.rolled_at and self.newest.rolled_at.isoformat()]
        zones = [_zone_key(item) for item in self.forecast.zones]
        watches = [
            [watch.region.label, condition_label(self.book, watch.trait), sorted(watch.weeks)]
            for watch in self.forecast.watches
        ]
        forecast = encode_canonical([self.number, newest, self.voided, zones, watches])
        return PreviewKey(self.number, hashlib.sha256(forecast.encode()).hexdigest()[:8])


class CategoryOrder(Struct, frozen=True):
    """Categories to set by zone, as typed; `everywhere` is the one for all zones that a window shows first.

    An `opening` sets the first known week only.
    """

    categories: Mapping[str, str]
    week: int | None
    reason: str
    everywhere: str = ""
    opening: bool = False


class SettableWeek(Struct, frozen=True):
    """A week to set: categories by zone as they are, or as typed; empty if unknown. The first known week is `opening`."""

    number: int
    categories: Mapping[str, str]
    opening: bool


def preview(tx: Connection, library: Library, person: Person, campaign: Campaign, number: int | None) -> NextWeek:
    """Return the week to roll, for a game master; refuse a `number` that isn't the next."""
    require_game_master(person, campaign, "roll the weather")
    require_open(campaign)
    return next_week(tx, library, campaign, number)


def roll(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, shown: PreviewKey
) -> RollResult | NextWeek:
    """Roll a week, or preview it again if it changed."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "roll the weather")
    coming = next_week(tx, resolver.library, campaign, shown.week)
    return _roll(tx, resolver, coming, person.user_id) if coming.key == shown else coming


def roll_next(tx: Connection, resolver: Resolver, campaign: Campaign, user_id: int) -> RollResult:
    """Roll the next week."""
    return _roll(tx, resolver, next_week(tx, resolver.library, campaign), user_id)


def _roll_on_schedule(tx: Connection, resolver: Resolver, campaign: Campaign, _at: datetime) -> tuple[Post, ...]:
    return roll_next(tx, resolver, campaign, SCHEDULE).posts


def _count_rolled_weeks(tx: Connection, campaign: Campaign) -> int:
    span = queries.find_span(tx, campaign.id)
    return span.rolled if span else 0


ROLLOVER_JOB = Job(
    id="weather",
    title="Weekly weather",
    what="the weather rollover",
    does="rolls its weather",
    run=_roll_on_schedule,
    reached=_count_rolled_weeks,
    require=queries.weather_book,
)


def week_to_set(
    tx: Connection, library: Library, person: Person, campaign_id: int, typed: CategoryOrder
) -> SettableWeek:
    """Return a week with its categories, or those of the zones that are typed, for a game master."""
    campaign = require_on_server(tx, person.guild_id, campaign_id)
    require_open(campaign)
    require_game_master(person, campaign, "set the weather")
    book, span = queries.weather_book(tx, library, campaign), queries.find_span(tx, campaign.id)
    week = _choose_settable(span, typed.week)
    stored = queries.read_weeks(tx, campaign.id, [week]).get(week)
    now = stored.week.zones if stored else {}
    named = {queries.find_zone(book, name).id: category for name, category in typed.categories.items()}
    shown = [zone for zone in book.zones.values() if zone.id in (named or book.zones)]
    categories = {}
    for zone in shown:
        fair = GOOD if GOOD in zone.climate else next(iter(zone.climate), GOOD)
        as_is = category_label(now.get(zone.id, fair)) if zone.id in now or not stored else ""
        everywhere = typed.everywhere if queries.match_outcome(zone, typed.everywhere, book) else ""
        categories[zone.label] = named.get(zone.id) or everywhere or as_is
    if typed.everywhere and typed.everywhere not in categories.values():
        queries.find_outcome(shown[0], typed.everywhere, book)  # no zone has it: raises what there is
    return SettableWeek(week, categories, opening=span is None)


def set_categories(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, wanted: CategoryOrder
) -> RollResult:
    """Set the categories of zones by hand, in one entry."""
    why = parsing.parse_text(wanted.reason, "reason")
    if why is None:
        raise BadInput("This needs a reason.", "Write one. The ledger keeps it.")
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "set the weather")
    book = queries.weather_book(tx, resolver.library, campaign)
    named = [(queries.find_zone(book, name), typed) for name, typed in wanted.categories.items()]
    outcomes = {zone.id: (zone, queries.find_outcome(zone, typed, book)) for zone, typed in named}
    if len(outcomes) < len(named) or not named:
        raise BadInput("Each zone needs one category.", "Name at least one zone, and none twice.")
    span = queries.find_span(tx, campaign.id)
    if span is not None and wanted.opening:
        raise NotOpen(f"Meanwhile, week {span.last} was rolled or set.", "Change it with /weather set.")
    number = _choose_settable(span, wanted.week)
    before = after = queries.read_weeks(tx, campaign.id, [number]).get(number)
    then = before.week if before else None
    # A zone named alone takes on what its category means now. Of several, only those with another category change.
    known = then.zones if then and len(outcomes) > 1 else {}
    picked = [(zone, outcome) for zone, outcome in outcomes.values() if known.get(zone.id) != outcome]
    for zone, outcome in picked:
        after = queries.StoredWeek.with_outcome(after, number, zone, outcome, next_number(tx, campaign))
    if after is None or after.week == then:
        raise BadInput("It's already like that.", "Nothing was changed.")
    changes = [Change(WEATHER, queries.week_name(number), before and before.value(), after.value())]
    if span is None or number < span.first:
        grown = weather.WeekRange.with_set(span, number)
        changes.append(Change(CAMPAIGN_STATE, WEATHER, span and span.value(), grown.value()))
    newer = span.find_weeks_after(number) if span else None
    body = {**_set_body(then, after.week, [zone for zone, _ in picked], book), "newer": newer}
    draft = EntryDraft("weather", "results", body, tuple(changes), {"reason": why})
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    embeds = notice(entry.content(), EntryView(entry, campaign.name))
    messages = [OutgoingMessage("results", campaign.results_channel_id, embeds)]
    return RollResult(campaign, entry, tuple(resolver.outbox.queue(tx, campaign.id, entry.number, messages)))


def next_week(tx: Connection, library: Library, campaign: Campaign, number: int | None = None) -> NextWeek:
    """Return the week to roll; refuse a `number` that was rolled already or comes later."""
    forecast, book = queries.next_forecast(tx, library, campaign)
    if number is not None and number < forecast.number:
        raise _refusal(tx, campaign, number)
    if number is not None and number > forecast.number:
        do = f"Week {forecast.number} comes first."
        if queries.find_span(tx, campaign.id) is None:
            do += f" Already running? Use /weather set week:{number - 1}."
        raise BadInput(f"Week {number} can't be rolled yet.", do)
    newest = queries.read_weeks(tx, campaign.id, [forecast.number - 1]).get(forecast.number - 1)
    voided = next((item.number for item in entries.walk_back(tx, campaign.id, VOID)), 0)
    return NextWeek(campaign, forecast, book, newest, voided, current_update(tx, campaign.id)["name"])


def _refusal(tx: Connection, campaign: Campaign, number: int) -> UserError:
    stored = queries.read_weeks(tx, campaign.id, [number]).get(number)
    if stored is None:
        return BadInput(f"Week {number} is before the first known week.", "It can't be rolled any more.")
    made = "rolled" if stored.rolled_at else "set by hand"
    links = (post.link(campaign.guild_id) for post in posts.posts_of_entry(tx, campaign.id, stored.entry))
    what = f"Week {number} is already {made}: entry #{stored.entry}."
    return NotOpen(what, f"See /forecast week:{number}.", next(filter(None, links), None))


def _roll(tx: Connection, resolver: Resolver, coming: NextWeek, user_id: int) -> RollResult:
    parts = tuple(
        PartRequest(subjects=item) for item in weather.rollover_subjects(coming.book, coming.forecast.watches)
    )
    request = RollRequest(book=coming.book.id, family=weather.FAMILY, parts=parts, week=coming.number)
    return resolver.roll(tx, RollOrder(coming.campaign.id, user_id, request, extra=_list_changes))


def _zone_key(item: weather.ZoneForecast) -> list[object]:
    carried = [[line.modifier.label, line.amount] for line in item.weighed.modifiers if line.count]
    return [item.zone.label, carried, {outcome: str(chance) for outcome, chance in item.odds.items()}]


def _list_changes(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    number, campaign = made.request.week or 0, made.campaign.id
    before = next(iter(queries.read_past(tx, campaign, number, 1)), None)
    made_of = weather.make_rollover(made.resolution, made.book, number, before, queries.find_span(tx, campaign))
    stored = queries.StoredWeek(made_of.week, made.moment.entry, made.at)
    changes = {(WEATHER, queries.week_name(number)): stored.value(), (CAMPAIGN_STATE, WEATHER): made_of.known.value()}
    return ExtraChanges(changes, {"weather": made_of.account})


def _choose_settable(span: weather.WeekRange | None, number: int | None) -> int:
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


def _set_body(before: weather.Week | None, after: weather.Week, zones: Sequence[Zone], book: Book) -> Body:
    accounts = {item["id"]: item for item in weather.describe_week(after, before, book)["zones"]}
    changed = [
        {
            "zone": zone.label,
            "before": before.zones.get(zone.id) if before else None,
            "after": after.zones[zone.id],
            "regions": [
                {"label": item["label"], "labels": label_conditions(item["conditions"], item["labels"])}
                for item in accounts[zone.id]["regions"]
                if len(zones) == 1 or item["conditions"] != [GOOD]
            ],
        }
        for zone in zones
    ]
    own = changed[0] if len(changed) == 1 else {"zones": changed}
    return {"deed": "set", "week": after.number, **own, "opening": before is None}


class RegionCategory(Struct, frozen=True):
    """What a category means for a region now."""

    zone: Zone
    region: Region
    outcome: str
    book: Book

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions (trait ids) that the category brings to the region."""
        return self.zone.climate[self.outcome][self.region.id]


class EditCategory(Action):
    """Change what a category means for regions: their conditions, or for one region also whether it's land."""

    outcome: str
    regions: Mapping[str, Collection[str]]
    land: bool | None = None

    kind, verb, may = "weather", "edit", "change what the weather means"

    def apply(self, work: Work) -> Outcome:
        """Refuse conditions that can't be combined, and no change."""
        tx, campaign, cells = work.tx, work.campaign, []
        climate, named = queries.read_climate(tx, campaign.id), set[str]()
        for region, conditions in self.regions.items():
            now = _cell(tx, work.library, campaign, self.outcome, region)
            if now.region.id in named:
                raise BadInput(f"{now.region.label} is there twice.", "Write one line for each region.")
            named.add(now.region.id)
            picked, land = _check_conditions(conditions, now.book), now.region.land if self.land is None else self.land
            traits = now.conditions if set(picked) == set(now.conditions) else picked
            if traits == now.conditions and land == now.region.land:
                continue
            plain = work.library.book(tx, campaign, now.book.id)
            climate = _change_climate(climate, plain, now, traits, land=land)
            cells.append(_body(now, plain, traits, land=land))
        if not cells:
            raise BadInput("It's already like that.", "Nothing was changed.")
        stored = state.get_value(tx, campaign.id, CAMPAIGN_STATE, CLIMATE)
        body = cells[0] if len(cells) == 1 else {"cells": cells}
        return Outcome(body, [Change(CAMPAIGN_STATE, CLIMATE, stored, climate.value())])

    def answer(self, work: Work, entry: Entry, _outcome: Outcome) -> Answer:
        """Show the meaning before and after."""
        pages = work.resolver.kinds.pages(EntryView(entry, "counts from the next rollover"), "staff")
        return Answer(pages, Controls(take_back_button(work.campaign.id, entry.number)))


def cells_to_edit(
    tx: Connection, library: Library, person: Person, campaign: Campaign, named: tuple[str, str]
) -> list[RegionCategory]:
    """Find a category and a region, or all regions of a zone, for a game master."""
    require_game_master(person, campaign, EditCategory.may)
    require_open(campaign)
    outcome, place = named
    book = queries.weather_book(tx, library, campaign)
    found = queries.find_place(book, place)
    regions = found.regions if isinstance(found, Zone) else (found,)
    return [_cell(tx, library, campaign, outcome, region.label) for region in regions]


def _cell(tx: Connection, library: Library, campaign: Campaign, outcome: str, region: str) -> RegionCategory:
    book = queries.weather_book(tx, library, campaign)
    zone, place = queries.find_region(book, region)
    return RegionCategory(zone, place, queries.find_outcome(zone, outcome, book), book)


def _change_climate(
    before: Climate, plain: Book, cell: RegionCategory, traits: tuple[str, ...], *, land: bool
) -> Climate:
    zone, region = plain.places[cell.region.id]
    cells = {**before.cells, (cell.outcome, region.id): traits}
    lands = {**before.land, region.id: land}
    if set(traits) == set(zone.climate[cell.outcome][region.id]):
        del cells[cell.outcome, region.id]
    if land == region.land:
        del lands[region.id]
    return Climate(cells, lands)


def _check_conditions(conditions: Collection[str], book: Book) -> tuple[str, ...]:
    known = {name_key(name): item.trait for item in book.conditions.values() for name in (item.trait, item.label)}
    picked = {name: known.get(name_key(name)) for name in conditions}
    for name, trait in picked.items():
        if trait is None or trait == FLOOD:
            labels = join_words([item.label for item in book.conditions.values() if item.trait != FLOOD])
            raise BadInput(
                f"I don't know the condition {name!r}.", f"Pick from {labels}. Only the Flood Watch brings Mud/Flood."
            )
    if not picked:
        raise BadInput("A region needs at least one condition.", "Good weather counts as one.")
    if GOOD in picked.values() and len({*picked.values()}) > 1:
        raise BadInput("Good weather can't be combined.", "Pick it alone, or pick only the others.")
    return tuple(trait for trait in book.conditions if trait in picked.values())


def _body(cell: RegionCategory, plain: Book, traits: tuple[str, ...], *, land: bool) -> dict[str, object]:
    known = cell.book.conditions
    return {
        "zone": cell.zone.label,
        "outcome": cell.outcome,
        "region": cell.region.label,
        "before": [known[trait].label for trait in cell.conditions],
        "after": [known[trait].label for trait in traits],
        "land": {"before": cell.region.land, "after": land} if land != cell.region.land else None,
        "default": _book_default(cell, plain, traits, land=land),
    }


def _book_default(cell: RegionCategory, plain: Book, traits: tuple[str, ...], *, land: bool) -> dict[str, object]:
    zone, region = plain.places[cell.region.id]
    usual = zone.climate[cell.outcome][region.id]
    default: dict[str, object] = {"land": region.land} if region.land != land else {}
    if set(usual) != set(traits):
        default["conditions"] = [cell.book.conditions[trait].label for trait in usual]
    return default
