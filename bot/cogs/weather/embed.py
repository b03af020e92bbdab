"""Weather as embeds, and entries about it."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

import discord

from bot.cogs.weather import words
from bot.cogs.weather.queries import StoredWeek
from bot.core.ledger import Body, EntryKind, EntryView, Pages, View
from bot.rolls.entries import MAX_LINE, ROLL, about
from bot.ui import text
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, DOT, fit_lines, join_words, plain, plus, shorten
from rules import climate
from rules.book import Book, Region, Zone
from rules.books.campaign import weather
from rules.phrases import format_signed, percent


def digest(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    """Yield a rollover's lines for a view."""
    week: climate.WeekAccount = body["weather"]
    rolled = {part["subjects"]["zone"]: part for part in body["parts"] if "region" not in part["subjects"]}
    for zone in week["zones"]:
        yield _describe_zone_roll(zone, rolled[zone["label"]], view)
        yield words.conditions(zone, flood=False)
        yield ""
    yield from _list_changes(week)
    yield from _flood_watch(body, view)
    note, reason = shown.entry.text("note"), shown.entry.text("reason")
    if note and (view == "staff" or not any(part["secret"] for part in body["parts"])):
        yield f"**Note:** {plain(note)}"
    if reason and view == "staff":
        yield f"**Rolled again because:** {plain(reason)}"


def _describe_zone_roll(zone: climate.ZoneAccount, part: Body, view: View) -> str:
    what = words.phrase(zone["outcome"], "**")
    if view == "public" and part["secret"]:
        return f"**{plain(zone['label'])}**{words.ARROW}{what}"
    step = part["steps"][0]
    why = ", ".join(_list_reasons(step))
    return f"**{plain(zone['label'])}** {step['die']}: {_sum(step, '**')}, {what}" + (f" ({why})" if why else "")


def _sum(step: Body, mark: str = "") -> str:
    # 6, or 6 - 1 = 5.
    faces = mark + " + ".join(map(str, step["faces"])) + mark
    total = str(step["total"]).replace("-", "\N{MINUS SIGN}")
    return f"{faces} {plus(step['sum'])} = {mark}{total}{mark}" if step["sum"] else faces


def _list_reasons(step: Body) -> Iterator[str]:
    return (
        f"{format_signed(item['value'] * item['count'])} {plain(item['label'])}"
        for item in step["modifiers"]
        if item["count"]
    )


def _list_changes(week: climate.WeekAccount) -> Iterator[str]:
    regions = [place for _, place in climate.list_places(week)]
    changes = words.group_names(
        (change, plain(place["label"])) for place in regions if (change := _describe_change(place)) is not None
    )
    dry = words.list_dried(week)
    if changes or dry or week.get("last") is not None:
        yield "**What changed**"
        lines = [f"{', '.join(names)}: {change}" for change, names in changes.items()]
        lines += [f"No more Mud/Flood: {', '.join(dry)}"] if dry else []
        yield from lines or ["nothing"]
        yield ""


def _describe_change(place: climate.RegionAccount) -> str | None:
    if place["was"] is None:
        return None
    was = words.join_labels(climate.label_conditions(climate.conditions_before(place), place["was"], flood=False))
    now = words.join_labels(climate.label_conditions(place["conditions"], place["labels"], flood=False))
    return None if was == now else f"{was}{words.ARROW}{now}"


def _flood_watch(body: Body, view: View) -> Iterator[str]:
    watches = [part for part in body["parts"] if "region" in part["subjects"]]
    if body["weather"].get("dry"):
        return
    if not watches:
        yield "**Flood Watch:** none was due."
        return
    before = {
        place["label"]
        for _, place in climate.list_places(body["weather"])
        if climate.FLOOD in climate.conditions_before(place)
    }
    yield f"**Flood Watch**, {watches[0]['steps'][0]['die']} each"
    yield words.group_lines((_came(part), _describe_watch(part, view, before)) for part in sorted(watches, key=_came))


def _came(part: Body) -> str:
    return "Mud/Flood" if part["outcome"]["id"] == climate.FLOOD else "None"


def _describe_watch(part: Body, view: View, before: Collection[str]) -> str:
    region, step = part["subjects"]["region"], part["steps"][0]
    flood = part["outcome"]["id"] == climate.FLOOD
    seen = view == "staff" or not part["secret"]
    notes = [_sum(step), *_list_reasons(step)] if seen else []
    notes += ["wet"] if seen and flood and step["row"]["outcome"] != climate.FLOOD else []
    notes += ["again"] if flood and region in before else []
    return plain(region) + (f" ({', '.join(notes)})" if notes else "")


PICTURE = "weather.png"
_MAP_KEY = "-# The darker a region, the worse its weather. Wavy edges: sea."


def _map_key(week: climate.WeekAccount) -> str:
    return _MAP_KEY if week.get("dry") else f"{_MAP_KEY} Blue: Mud/Flood."


HISTORY_PICTURE = "history.png"
NEWEST = 2  # weeks below the heat map


def digest_pages(shown: EntryView, view: View) -> Pages:
    """Show a rollover; nothing if the public may not."""
    body = shown.entry.content()
    if _is_hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return text.paginate(
        text.picture_embeds(
            _title(body["weather"]),
            [*words.gist(body["weather"]), _map_key(body["weather"])],
            footer=footer,
            picture=PICTURE,
        )
    )


def digest_details(shown: EntryView, view: View) -> Pages:
    """Show a rollover in full."""
    body = shown.entry.content()
    if _is_hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return text.paginate(
        text.fit_embeds(_title(body["weather"]), digest(shown, body, view), colour=COLOURS["neutral"], footer=footer)
    )


def week_embeds(account: climate.WeekAccount, *, footer: str, place: Zone | Region | None) -> list[discord.Embed]:
    """Show a week's map, or a zone or region."""
    about, lines = _title(account), [*words.gist(account), _map_key(account)]
    if place is not None:
        about, lines = f"{plain(place.label)}, week {account['week']}", [*_describe_place(account, place)]
    return text.picture_embeds(about, lines, footer=footer, picture=PICTURE)


def _describe_place(account: climate.WeekAccount, place: Zone | Region) -> Iterator[str]:
    for zone in account["zones"]:
        if isinstance(place, Zone) and zone["id"] == place.id:
            yield f"**{words.category(zone['outcome'])}**"
            yield words.conditions(zone)
    for zone, region in climate.list_places(account):
        if isinstance(place, Region) and region["id"] == place.id:
            yield from _describe_one_category(zone, region)


def week_details(account: climate.WeekAccount, *, footer: str) -> list[discord.Embed]:
    """Show a whole week in words."""
    return text.fit_embeds(_title(account), _describe_all_categories(account), colour=COLOURS["neutral"], footer=footer)


def week_footer(campaign: str, entry: int, changed: int | None) -> str:
    """Return a footer with a week's entries."""
    by_hand = "" if changed is None else f", set by hand in entry #{changed}"
    return f"Entry #{entry}{by_hand}{DOT}{campaign}"


def history_embeds(
    weeks: Sequence[weather.Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Show the heat map and the newest weeks."""
    lines = [*_weeks(weeks, book, place)[:NEWEST], words.history_key(weeks, book, place)]
    return text.picture_embeds(_history_title(place), lines, footer=campaign, picture=HISTORY_PICTURE)


def history_details(
    weeks: Sequence[weather.Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Show a line per week, newest first."""
    return text.fit_embeds(
        _history_title(place), _weeks(weeks, book, place), colour=COLOURS["neutral"], footer=campaign
    )


def _is_hidden(shown: EntryView, body: Body, view: View) -> bool:
    return view == "public" and not shown.published and any(part["audience"] != "results" for part in body["parts"])


def _title(account: climate.WeekAccount) -> str:
    return f"Weather of week {account['week']}"


def _history_title(place: Zone | Region | None) -> str:
    return f"Weather of {plain(place.label) if place else 'all zones'}, week by week"


def _describe_all_categories(account: climate.WeekAccount) -> Iterator[str]:
    for zone in account["zones"]:
        yield f"**{plain(zone['label'])}: {words.category(zone['outcome'])}**"
        yield words.conditions(zone)
        yield ""
    if not words.list_flooded(account) and not account.get("dry"):
        yield "No Mud/Flood."


def _describe_one_category(zone: climate.ZoneAccount, place: climate.RegionAccount) -> Iterator[str]:
    yield f"**{words.join_labels(climate.label_conditions(place['conditions'], place['labels']))}**"
    yield f"{'Land' if place['land'] else 'Sea'}, in the zone {plain(zone['label'])}: {words.phrase(zone['outcome'])}"
    if place["was"] is not None:
        yield f"Last week: {words.join_labels(climate.label_conditions(climate.conditions_before(place), place['was']))}"


def _weeks(weeks: Sequence[weather.Week], book: Book, place: Zone | Region | None) -> list[str]:
    newest_first = sorted(weeks, key=lambda week: -week.number)
    return [f"**Week {week.number}**{DOT}{_week(week, book, place)}" for week in newest_first]


def _week(week: weather.Week, book: Book, place: Zone | Region | None) -> str:
    if place is None:
        zones = book.zones.values()
        return DOT.join(f"{plain(zone.label)} {words.category(week.zones.get(zone.id))}" for zone in zones)
    sky = ", ".join(map(plain, words.sky_of(week, words.regions_of(place), book))) or words.UNKNOWN
    outcome = week.zones.get(place.id) if isinstance(place, Zone) else None
    return f"{climate.category_phrase(outcome)}{DOT}{sky}" if outcome else sky


FORECAST_PICTURE = "forecast.png"
PREVIEW_ROOM = 3260  # characters; a message has 4,000


def forecast_embeds(
    forecast: weather.Forecast, book: Book, *, campaign: str, at: datetime | None = None
) -> list[discord.Embed]:
    """Show chart and main lines; `at` is when the week rolls by itself."""
    title, lines = f"Forecast for week {forecast.number}", [*words.forecast_gist(forecast, book)]
    lines += [] if at is None else [f"It rolls by itself {discord.utils.format_dt(at, 'R')}."]
    return text.picture_embeds(
        title, [*lines, words.forecast_key(forecast, book)], footer=campaign, picture=FORECAST_PICTURE
    )


def forecast_details(forecast: weather.Forecast, book: Book, *, campaign: str) -> list[discord.Embed]:
    """Return embeds with exact odds by zone and region, and Flood Watches."""
    title, footer = f"Forecast for week {forecast.number}", f"{campaign}{DOT}Exact odds"
    return text.fit_embeds(title, _describe_forecast(forecast, book), colour=COLOURS["neutral"], footer=footer)


def preview_lines(forecast: weather.Forecast, book: Book) -> list[str]:
    """List what a rollover rolls."""
    lines = [line for item in forecast.zones for line in _describe_zone(item)]
    return list(fit_lines(PREVIEW_ROOM, [*lines, *_list_watches(forecast, book)]))


def describe_newest(newest: StoredWeek | None) -> str:
    """Say how and when the newest week was made."""
    if newest is None:
        return "no week is known yet"
    at = newest.rolled_at
    made = "set by hand" if at is None else f"rolled {discord.utils.format_dt(at, 'R')}"
    return f"week {newest.week.number} was {made}"


def _describe_forecast(forecast: weather.Forecast, book: Book) -> Iterator[str]:
    for item in forecast.zones:
        yield from _describe_zone(item)
        regions = [region for region in forecast.regions if region.zone.id == item.zone.id]
        alike = words.group_names(
            (odds, plain(region.region.label)) for region in regions if (odds := _chances(region, book))
        )
        yield from (f"{', '.join(names)}: {odds}" for odds, names in alike.items())
        yield ""
    yield from _list_watches(forecast, book)


def _describe_zone(item: weather.ZoneForecast) -> Iterator[str]:
    counted = [line for line in item.weighed.modifiers if line.count]
    why = ", ".join(f"{format_signed(line.amount)} {plain(line.modifier.label)}" for line in counted)
    yield f"**{plain(item.zone.label)}**{DOT}{why or 'no carry-over'}"
    yield DOT.join(
        f"**{climate.category_label(outcome)}** {percent(chance)}" for outcome, chance in item.odds.items() if chance
    )


def _chances(item: weather.RegionForecast, book: Book) -> str:
    odds = {
        weather.STORMS: item.odds.get(weather.STORMS),
        weather.SEVERE_STORMS: item.odds.get(weather.SEVERE_STORMS),
        climate.FLOOD: item.flood,
    }
    return ", ".join(
        f"{plain(climate.condition_label(book, trait))} {percent(odd)}" for trait, odd in odds.items() if odd
    )


def _list_watches(forecast: weather.Forecast, book: Book) -> Iterator[str]:
    if forecast.watch is None:
        return
    if not forecast.watches:
        yield "No Flood Watch is due."
        return
    yield "**Flood Watch**"
    due = (
        (
            f"{plain(climate.condition_label(book, watch.trait))} in {_name_weeks(watch.weeks)}",
            plain(watch.region.label),
        )
        for watch in forecast.watches
    )
    yield from (f"\N{BULLET} {why}: {', '.join(regions)}" for why, regions in words.group_names(due).items())


def _name_weeks(weeks: Collection[int]) -> str:
    return f"{'week' if len(weeks) == 1 else 'weeks'} {join_words([str(week) for week in sorted(weeks)])}"


def _change_pages(shown: EntryView, view: View) -> Pages:
    embeds = words.notice(shown.entry.content(), shown)
    reason = shown.entry.text("reason") if view == "staff" else None
    if reason:
        embeds.append(discord.Embed(description=f"**Reason:** {plain(reason)}", colour=COLOURS["neutral"]))
    return text.paginate(embeds)


def _change_sentence(body: Body, _view: View) -> str:
    return shorten(words.change_sentence(body), MAX_LINE)


def _rollover_sentence(body: Body, _view: View) -> str:
    zones = [f"{plain(zone['label'])} {climate.category_label(zone['outcome'])}" for zone in body["weather"]["zones"]]
    return shorten(f"Weather of week {body['weather']['week']}{DOT}{', '.join(zones)}", MAX_LINE)


def _is_rollover(body: Body) -> bool:
    return bool(body["family"] == weather.FAMILY)


WEATHER_CHANGED = EntryKind("weather", "results", _change_sentence, _change_pages)
ROLLOVER = EntryKind(
    "roll", ROLL.audience, _rollover_sentence, digest_pages, _is_rollover, whole=digest_details, about=about
)
