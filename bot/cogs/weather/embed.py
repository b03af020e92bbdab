"""A week, weeks and a rollover as embeds, and the entries about the weather."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import discord

from bot.cogs.weather.queries import StoredWeek
from bot.cogs.weather.words import (
    ARROW,
    UNKNOWN,
    category,
    change_sentence,
    conditions,
    flooded,
    forecast_gist,
    gist,
    group_lines,
    group_names,
    join_labels,
    notice,
    phrase,
    picture_embeds,
    regions_of,
    sky_of,
)
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.rolls.entries import MAX_LINE, ROLL, about
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, fit_lines, listing, plain, plus, shorten
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import (
    FAMILY,
    SEVERE_STORMS,
    STORMS,
    Forecast,
    RegionForecast,
    Watch,
    Week,
    ZoneForecast,
)
from rules.climate import (
    FLOOD,
    RegionAccount,
    WeekAccount,
    ZoneAccount,
    category_label,
    category_phrase,
    condition_label,
    conditions_before,
    list_places,
    spoken_conditions,
)
from rules.phrases import percent, signed


def digest(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    """Return a rollover line by line, as far as the view may see it."""
    week: WeekAccount = body["weather"]
    rolled = {part["subjects"]["zone"]: part for part in body["parts"] if "region" not in part["subjects"]}
    for zone in week["zones"]:
        yield _rolled(zone, rolled[zone["label"]], view)
        yield conditions(zone, flood=False)
        yield ""
    yield from _changes(week)
    yield from _flood_watch(body, view)
    yield from _texts(shown, body, view)


def _texts(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    """Return the free texts to show: a note is public only when nothing secret counted, a reason never."""
    note, reason = shown.entry.text("note"), shown.entry.text("reason")
    if note and (view == "staff" or not any(part["secret"] for part in body["parts"])):
        yield f"**Note:** {plain(note)}"
    if reason and view == "staff":
        yield f"**Rolled again because:** {plain(reason)}"


def _rolled(zone: ZoneAccount, part: Body, view: View) -> str:
    """Return a zone's die and why it was changed, where the viewer may see that, and its category."""
    what = phrase(zone["outcome"], "**")
    if view == "public" and part["secret"]:
        return f"**{plain(zone['label'])}**{ARROW}{what}"
    step = part["steps"][0]
    why = ", ".join(_reasons(step))
    return f"**{plain(zone['label'])}** {step['die']}: {_sum(step, '**')}, {what}" + (f" ({why})" if why else "")


def _sum(step: Body, mark: str = "") -> str:
    """Return the die, and where something was added to it, what it came to: 6, or 6 and a minus 1 and what they make."""
    faces = mark + " + ".join(map(str, step["faces"])) + mark
    total = str(step["total"]).replace("-", "\N{MINUS SIGN}")
    return f"{faces} {plus(step['sum'])} = {mark}{total}{mark}" if step["sum"] else faces


def _reasons(step: Body) -> Iterator[str]:
    return (
        f"{signed(item['value'] * item['count'])} {plain(item['label'])}" for item in step["modifiers"] if item["count"]
    )


def _changes(week: WeekAccount) -> Iterator[str]:
    """Return what is other than the week before, and where Mud/Flood is over; `last` is that week's number when it is known.

    Where there is Mud/Flood now is told by the Flood Watch.
    """
    regions = [place for _, place in list_places(week)]
    moved = group_names((change, plain(place["label"])) for place in regions if (change := _moved(place)) is not None)
    dry = [
        plain(place["label"])
        for place in regions
        if FLOOD in conditions_before(place) and FLOOD not in place["conditions"]
    ]
    if moved or dry or week.get("last") is not None:
        yield "**What changed**"
        lines = [f"{', '.join(names)}: {change}" for change, names in moved.items()]
        lines += [f"No more Mud/Flood: {', '.join(dry)}"] if dry else []
        yield from lines or ["nothing"]
        yield ""


def _moved(place: RegionAccount) -> str | None:
    """Return what a region had and has now, Mud/Flood left out; None when that is the same."""
    if place["was"] is None:
        return None
    was = join_labels(spoken_conditions(conditions_before(place), place["was"], flood=False))
    now = join_labels(spoken_conditions(place["conditions"], place["labels"], flood=False))
    return None if was == now else f"{was}{ARROW}{now}"


def _flood_watch(body: Body, view: View) -> Iterator[str]:
    watches = [part for part in body["parts"] if "region" in part["subjects"]]
    if not watches:
        yield "**Flood Watch:** none was due."
        return
    before = {place["label"] for _, place in list_places(body["weather"]) if FLOOD in conditions_before(place)}
    yield f"**Flood Watch**, {watches[0]['steps'][0]['die']} each"
    yield group_lines((_came(part), _watched(part, view, before)) for part in sorted(watches, key=_came))


def _came(part: Body) -> str:
    return "Mud/Flood" if part["outcome"]["id"] == FLOOD else "None"


def _watched(part: Body, view: View, before: Collection[str]) -> str:
    """Return the region of a watch: its die, what else led to Mud/Flood, and whether it had that the week before."""
    region, step = part["subjects"]["region"], part["steps"][0]
    flooded = part["outcome"]["id"] == FLOOD
    seen = view == "staff" or not part["secret"]
    notes = [_sum(step), *_reasons(step)] if seen else []
    notes += ["wet"] if seen and flooded and step["row"]["outcome"] != FLOOD else []
    notes += ["again"] if flooded and region in before else []
    return plain(region) + (f" ({', '.join(notes)})" if notes else "")


PICTURE = "weather.png"
HISTORY_PICTURE = "history.png"
NEWEST = 2
"""How many weeks stand below the heat map; Details has all of them."""


def digest_pages(shown: EntryView, view: View) -> Pages:
    """Return the message that shows a rollover, the map first; none when any part of it is not for the public that looks on."""
    body = shown.entry.content()
    if _hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return text.paginate(picture_embeds(_title(body["weather"]), gist(body["weather"]), footer, PICTURE))


def digest_details(shown: EntryView, view: View) -> Pages:
    """Return the messages that tell a rollover whole; none where `digest_pages` has none."""
    body = shown.entry.content()
    if _hidden(shown, body, view):
        return []
    footer = entry_footer(shown, body["update"]["name"])
    return text.paginate(
        text.fit_embeds(_title(body["weather"]), digest(shown, body, view), colour=COLOURS["neutral"], footer=footer)
    )


def week_embeds(account: WeekAccount, *, footer: str, region: str | None) -> list[discord.Embed]:
    """Return a week's weather, the map first: the gist of it, or all that holds in the one region of this id or label."""
    about, lines = _title(account), list(gist(account))
    for zone, place in list_places(account):
        if region in {place["id"], place["label"]}:
            about, lines = f"{plain(place['label'])}, week {account['week']}", list(_single(zone, place))
    return picture_embeds(about, lines, footer, PICTURE)


def week_details(account: WeekAccount, *, footer: str) -> list[discord.Embed]:
    """Return all of a week's weather in words."""
    return text.fit_embeds(_title(account), _whole(account), colour=COLOURS["neutral"], footer=footer)


def week_footer(campaign: str, entry: int, changed: int | None) -> str:
    """Return by which entry a week was made, and by which something in it was set last."""
    by_hand = "" if changed is None else f", set by hand in entry #{changed}"
    return f"Entry #{entry}{by_hand}{DOT}{campaign}"


def history_embeds(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Return the heat map of weeks, with the newest of them in words: every zone's category, or one zone's or one region's weather."""
    lines = _weeks(weeks, book, place)
    return picture_embeds(_history_title(place), lines[:NEWEST], campaign, HISTORY_PICTURE)


def history_details(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Return a line for each week, the newest first."""
    return text.fit_embeds(
        _history_title(place), _weeks(weeks, book, place), colour=COLOURS["neutral"], footer=campaign
    )


def _hidden(shown: EntryView, body: Body, view: View) -> bool:
    return view == "public" and not shown.published and any(part["audience"] != "results" for part in body["parts"])


def _title(account: WeekAccount) -> str:
    return f"Weather of week {account['week']}"


def _history_title(place: Zone | Region | None) -> str:
    return f"Weather of {plain(place.label) if place else 'all zones'}, week by week"


def _whole(account: WeekAccount) -> Iterator[str]:
    for zone in account["zones"]:
        yield f"**{plain(zone['label'])}: {category(zone['outcome'])}**"
        yield conditions(zone)
        yield ""
    if not flooded(account):
        yield "No Mud/Flood."


def _single(zone: ZoneAccount, place: RegionAccount) -> Iterator[str]:
    yield f"**{join_labels(spoken_conditions(place['conditions'], place['labels']))}**"
    yield f"{'Land' if place['land'] else 'Sea'}, in the zone {plain(zone['label'])}: {phrase(zone['outcome'])}"
    if place["was"] is not None:
        yield f"Last week: {join_labels(spoken_conditions(conditions_before(place), place['was']))}"


def _weeks(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> list[str]:
    newest_first = sorted(weeks, key=lambda week: -week.number)
    return [f"**Week {week.number}**{DOT}{_week(week, book, place)}" for week in newest_first]


def _week(week: Week, book: Book, place: Zone | Region | None) -> str:
    if place is None:
        zones = book.zones.values()
        return DOT.join(f"{plain(zone.label)} {category(week.zones.get(zone.id))}" for zone in zones)
    sky = ", ".join(map(plain, sky_of(week, regions_of(place), book))) or UNKNOWN
    outcome = week.zones.get(place.id) if isinstance(place, Zone) else None
    return f"{category_phrase(outcome)}{DOT}{sky}" if outcome else sky


FORECAST_PICTURE = "forecast.png"
PREVIEW_ROOM = 3260
"""Characters for the text before a rollover, so that what the card says besides has room within Discord's 4,000."""


def forecast_embeds(forecast: Forecast, book: Book, *, campaign: str) -> list[discord.Embed]:
    """Return the chart of what may come next week, and the few lines that matter."""
    return picture_embeds(_forecast_title(forecast), forecast_gist(forecast, book), campaign, FORECAST_PICTURE)


def forecast_details(forecast: Forecast, book: Book, *, campaign: str) -> list[list[discord.Embed]]:
    """Return the exact odds of the next week: by zone each category, by region storms and Mud/Flood, and the watches due."""
    footer = f"{campaign}{DOT}Exact odds"
    return text.paginate(
        text.fit_embeds(_forecast_title(forecast), _forecast(forecast, book), colour=COLOURS["neutral"], footer=footer)
    )


def preview_lines(forecast: Forecast, book: Book) -> list[str]:
    """Return what a rollover will throw, in its order: each zone's carry-over and odds, then the Flood Watches; under 3,300 characters."""
    lines = [line for item in forecast.zones for line in _zone(item)]
    return list(fit_lines(PREVIEW_ROOM, [*lines, *_watches(forecast, book)]))


def describe_newest(newest: StoredWeek | None) -> str:
    """Return how the newest week that is known came about, and when."""
    if newest is None:
        return "no week is known yet"
    at = newest.rolled_at
    made = "set by hand" if at is None else f"rolled {discord.utils.format_dt(at, 'R')}"
    return f"week {newest.week.number} was {made}"


def _forecast_title(forecast: Forecast) -> str:
    return f"Forecast for week {forecast.number}"


def _forecast(forecast: Forecast, book: Book) -> Iterator[str]:
    for item in forecast.zones:
        yield from _zone(item)
        regions = [region for region in forecast.regions if region.zone.id == item.zone.id]
        alike = group_names(
            (words, plain(region.region.label)) for region in regions if (words := _chances(region, book))
        )
        yield from (f"{', '.join(names)}: {words}" for words, names in alike.items())
        yield ""
    yield from _watches(forecast, book)


def _zone(item: ZoneForecast) -> Iterator[str]:
    counted = [line for line in item.weighed.modifiers if line.counted]
    why = ", ".join(f"{signed(line.amount)} {plain(line.modifier.label)}" for line in counted)
    yield f"**{plain(item.zone.label)}**{DOT}{why or 'no carry-over'}"
    yield DOT.join(
        f"**{category_label(outcome)}** {percent(chance)}" for outcome, chance in item.odds.items() if chance
    )


def _chances(item: RegionForecast, book: Book) -> str:
    odds = {STORMS: item.odds.get(STORMS), SEVERE_STORMS: item.odds.get(SEVERE_STORMS), FLOOD: item.flood}
    return ", ".join(f"{plain(condition_label(book, trait))} {percent(odd)}" for trait, odd in odds.items() if odd)


def _watches(forecast: Forecast, book: Book) -> Iterator[str]:
    if not forecast.watches:
        yield "No Flood Watch is due."
        return
    yield "**Flood Watch**"
    for watch in forecast.watches:
        yield f"\N{BULLET} {plain(watch.region.label)}: {_due_for(watch, book)}"


def _due_for(watch: Watch, book: Book) -> str:
    weeks = listing([str(number) for number in sorted(watch.weeks)])
    return f"{plain(condition_label(book, watch.trait))} in {'week' if len(watch.weeks) == 1 else 'weeks'} {weeks}"


def _change_sentence(body: Body, _view: View) -> str:
    return change_sentence(body)


def _change_pages(shown: EntryView, view: View) -> Pages:
    """Return what was set or taken back, and to the staff why."""
    embeds = notice(shown.entry.content(), shown)
    reason = shown.entry.text("reason") if view == "staff" else None
    if reason:
        embeds.append(discord.Embed(description=f"**Reason:** {plain(reason)}", colour=COLOURS["neutral"]))
    return text.paginate(embeds)


def _rollover_sentence(body: Body, _view: View) -> str:
    zones = [f"{plain(zone['label'])} {category_label(zone['outcome'])}" for zone in body["weather"]["zones"]]
    return shorten(f"Weather of week {body['weather']['week']}{DOT}{', '.join(zones)}", MAX_LINE)


def _is_rollover(body: Body) -> bool:
    return bool(body["family"] == FAMILY)


WEATHER_CHANGED = EntryKind("weather", "results", _change_sentence, _change_pages)
ROLLOVER = EntryKind(
    "roll", ROLL.audience, _rollover_sentence, digest_pages, _is_rollover, whole=digest_details, about=about
)
