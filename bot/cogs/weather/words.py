"""Weather in words."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

import discord

from bot.core.ledger import Body, EntryView, View
from bot.ui import text
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, DOT, picture_key, plain
from rules import climate
from rules.book import Book, Condition, Region, Zone
from rules.books.campaign.weather import SEVERE_STORMS, STORMS, WATCH, Forecast, Week
from rules.odds import table_odds
from rules.phrases import format_signed, percent
from rules.tables import RollTable, TableRow


def group_names(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Group the second of each pair by the first, in order."""
    names: dict[str, list[str]] = {}
    for words, name in pairs:
        names.setdefault(words, []).append(name)
    return names


ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"
MOST = 4  # names in a list; Details has all
_CALM, _CALM_AND_DRY = "No warnings, no Mud/Flood.", "No warnings."


def group_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """Return lines such as "Storms: India, Sri Lanka", from pairs of condition and name."""
    return "\n".join(f"{words}: {', '.join(names)}" for words, names in group_names(pairs).items())


def regions_of(place: Zone | Region) -> tuple[Region, ...]:
    """Return a zone's regions, or the region itself."""
    return place.regions if isinstance(place, Zone) else (place,)


def join_labels(labels: Iterable[str]) -> str:
    """Join labels; "not known" without any."""
    return ", ".join(map(plain, labels)) or UNKNOWN


def category(outcome: str | None) -> str:
    """Return a zone's category in short."""
    return UNKNOWN if outcome is None else climate.category_label(outcome)


def short_category(outcome: str) -> str:
    """Return a category in few letters: G, 3, 6W."""
    return "".join(word[0] if word.isalpha() else word for word in climate.category_label(outcome).split())


def phrase(outcome: str | None, mark: str = "") -> str:
    """Return a zone's category for a sentence."""
    return UNKNOWN if outcome is None else climate.category_phrase(outcome, mark)


def describe_rough_weather(place: climate.RegionAccount) -> str:
    """Return a region's weather except good weather and Mud/Flood."""
    known = zip(place["conditions"], place["labels"], strict=True)
    return ", ".join(label for trait, label in known if trait not in {climate.GOOD, climate.FLOOD})


def list_flooded(account: climate.WeekAccount) -> list[str]:
    """List regions with Mud/Flood."""
    return [place["label"] for _, place in climate.list_places(account) if climate.FLOOD in place["conditions"]]


def list_dried(account: climate.WeekAccount) -> list[str]:
    """List regions where Mud/Flood is over."""
    places = [place for _, place in climate.list_places(account) if climate.FLOOD not in place["conditions"]]
    return [plain(place["label"]) for place in places if climate.FLOOD in climate.conditions_before(place)]


def sky_of(week: Week, regions: Iterable[Region], book: Book) -> list[str]:
    """Return labels of conditions in any of the regions, each once, worst first."""
    skies = [week.conditions(region.id) for region in regions]
    named = [trait for traits in skies for trait in climate.label_conditions(traits, traits)]
    return [climate.condition_label(book, trait) for trait in climate.sort_worst_first(named, book)]


def conditions(zone: climate.ZoneAccount, *, flood: bool = True) -> str:
    """Return a line per set of conditions with its regions, worst first."""
    fair = {climate.GOOD} if flood else {climate.GOOD, climate.FLOOD}
    ordered = sorted(
        zone["regions"], key=lambda place: 0 if fair >= {*place["conditions"]} else -(place["severity"] or 0)
    )
    return group_lines(
        (
            join_labels(climate.label_conditions(place["conditions"], place["labels"], flood=flood)),
            plain(place["label"]),
        )
        for place in ordered
    )


_PRINTED_LETTERS = [("G", "good weather"), ("W", "West"), ("E", "East")]


def _letters(book: Book) -> list[tuple[str, str]]:
    if WATCH in book.tables:
        return _PRINTED_LETTERS
    outcomes = dict.fromkeys(outcome for zone in book.zones.values() for outcome in zone.climate)
    return [(short_category(outcome), climate.category_label(outcome)) for outcome in outcomes]


def history_key(weeks: Sequence[Week], book: Book, place: Zone | Region | None) -> str:
    """Explain the heat map's letters and colours."""
    regions = [region for _, region in book.places.values()] if place is None else regions_of(place)
    skies = [week.regions.get(region.id, ()) for week in weeks for region in regions]
    seen = {trait for traits in skies for trait in traits}
    worst = _traits(climate.worst_condition(traits, book) for traits in skies)
    shades = [*_letters(book), *_list_shades(seen, book)] if place is None else [*_list_shades(worst, book, marks=True)]
    floods = any(week.is_flooded(region.id) for week in weeks for region in regions)
    water = [("Blue waves", f"{climate.condition_label(book, climate.FLOOD)}, in any weather")] if floods else []
    return picture_key([*shades, *water])


def forecast_key(forecast: Forecast, book: Book) -> str:
    """Explain the forecast's letters and colours."""
    possible = [item.zone.climate[outcome] for item in forecast.zones for outcome, odd in item.odds.items() if odd]
    seen = {trait for cells in possible for traits in cells.values() for trait in traits}
    return picture_key([("Numbers below", "chance in percent"), *_letters(book), *_list_shades(seen, book)])


def _categories_key(book: Book, zone: Zone) -> str:
    cells = (traits for places in zone.climate.values() for traits in places.values())
    worst = _traits(climate.worst_condition(traits, book) for traits in cells)
    return picture_key([*_letters(book), *_list_shades(worst, book, marks=True)])


def _traits(found: Iterable[Condition | None]) -> set[str]:
    return {condition.trait for condition in found if condition is not None}


def _list_shades(traits: Collection[str], book: Book, *, marks: bool = False) -> Iterator[tuple[str, str]]:
    known = sorted((item for trait, item in book.conditions.items() if trait in traits), key=lambda item: item.severity)
    named = group_names((str(item.severity), f"{item.mark} {item.label}" if marks else item.label) for item in known)
    if named:
        yield "Worst weather, from light to dark", "; ".join(map(", ".join, named.values()))


def gist(week: climate.WeekAccount) -> Iterator[str]:
    """Yield a week in at most five lines."""
    yield DOT.join(f"{plain(zone['label'])} **{category(zone['outcome'])}**" for zone in week["zones"])
    is_known = all(place["conditions"] for _, place in climate.list_places(week))
    yield from [*_list_warnings(week), *_list_floods(week)] or (
        [_CALM_AND_DRY if week.get("dry") else _CALM] if is_known else []
    )
    turns = {"Worse": _list_turns(week, 1), "Better": _list_turns(week, -1)}
    yield from (f"**{word}:** {some(names)}" for word, names in turns.items() if names)


def forecast_gist(forecast: Forecast, book: Book) -> Iterator[str]:
    """Yield a forecast in at most four lines."""
    carried = [
        f"{plain(item.zone.label)} {format_signed(item.weighed.sum)}" for item in forecast.zones if item.weighed.sum
    ]
    yield f"**Carried over:** {', '.join(carried)}" if carried else "Nothing carries over from last week."
    for trait in (SEVERE_STORMS, STORMS):
        likeliest = max((item.odds.get(trait, Fraction(0)) for item in forecast.regions), default=Fraction(0))
        names = [plain(item.region.label) for item in forecast.regions if item.odds.get(trait) == likeliest]
        if likeliest:
            yield f"**{plain(climate.condition_label(book, trait))} up to {percent(likeliest)}:** {some(names)}"
    if forecast.watch is None:
        return
    due = {watch.region.id for watch in forecast.watches}
    floods = [item for item in forecast.regions if item.region.id in due]
    chances = [f"{plain(item.region.label)} {percent(item.flood)}" for item in floods]
    yield f"**Chance of Mud/Flood:** {some(chances)}" if chances else "No Flood Watch is due."


def some(names: Sequence[str]) -> str:
    """Return four names and a count."""
    more = len(names) - MOST
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:MOST])} and {more} more"


def _list_warnings(week: climate.WeekAccount) -> Iterator[str]:
    warned = group_names(
        (plain(words), plain(place["label"]))
        for _, place in climate.list_places(week)
        if (words := place.get("warning"))
    )
    if warned:
        yield f"\N{WARNING SIGN} {DOT.join(f'{words}: {some(names)}' for words, names in warned.items())}"


def _list_floods(week: climate.WeekAccount) -> Iterator[str]:
    now, over = [*map(plain, list_flooded(week))], list_dried(week)
    words = [some(now)] if now else []
    words += [f"over in {some(over)}"] if over else []
    if words:
        yield f"**Mud/Flood:** {DOT.join(words)}"


def _list_turns(week: climate.WeekAccount, sign: int) -> list[str]:
    names: list[str] = []
    if all(place.get("turned", 0) * sign > 0 for _, place in climate.list_places(week)):
        return ["everywhere"]
    for zone in week["zones"]:
        places = [place for place in zone["regions"] if place.get("turned", 0) * sign > 0]
        whole = places and len(places) == len(zone["regions"])
        names += [f"all of {plain(zone['label'])}"] if whole else [plain(place["label"]) for place in places]
    return names


EDITED = "\N{PENCIL}"
HOUSE_DEFAULT = "*House ruling: the book doesn't say this. Game masters change it with `/weather edit`.*"
CATEGORIES_PICTURE = "categories.png"
NOTHING = "nothing"


def category_embeds(book: Book, zone: Zone, own: climate.Climate, outcome: str | None = None) -> list[discord.Embed]:
    """Show a zone's categories, or one; changes are marked."""
    table = book.table(zone.table)
    footer = f"{book.page_titles.get(table.source.book, book.title)}, {table.source.section}"
    rows = [row for row in table.rows if row.outcome == outcome]
    lines = _category_lines(book, zone, rows[0], own) if rows else _zone_lines(zone, own, printed=WATCH in book.tables)
    title, key = f"{plain(zone.label)}: what the categories mean", _categories_key(book, zone)
    return text.picture_embeds(title, [*lines, key], footer=footer, picture=CATEGORIES_PICTURE)


def chance_of(row: TableRow, table: RollTable) -> str:
    """Return the dice totals of a category, and its chance without carry-over from last week."""
    chance = table_odds(table, 0)[row.outcome]
    printed = row.percent is not None and Fraction(row.percent, 100) != chance
    odds = percent(chance) + (f" (printed {row.percent}%)" if printed else "")
    return f"a total of {_totals(row, table)}{DOT}{odds}"


def notice(body: Body, shown: EntryView) -> list[discord.Embed]:
    """Show a change by hand."""
    zones = body.get("zones", [body]) if body["deed"] == "set" else []
    turned = len(zones) > 1 and not body["opening"]
    lines = [f"Week {body['week']}"] if turned else [change_sentence(body), *_list_edits(body)]
    lines += list_unaffected(body)
    for zone in zones:
        head = [f"**{plain(zone['zone'])}**" + (f": {_turn(zone)}" if turned else "")] if len(zones) > 1 else []
        if zone["regions"] or turned:
            regions = group_lines((_words(region["labels"]), plain(region["label"])) for region in zone["regions"])
            lines += ["", *head, *filter(None, [regions])]
    title = "Weather set by hand" if body["deed"] == "set" else "Weather category changed"
    return text.fit_embeds(title, lines, colour=COLOURS["neutral"], footer=entry_footer(shown))


def change_lines(body: Body) -> Iterator[str]:
    """Yield a change by hand as a sentence, or several zones in a line each."""
    if body["deed"] != "set" or "zones" not in body or body["opening"]:
        yield change_sentence(body)
        return
    yield f"Week {body['week']}"
    yield from (f"\N{BULLET} {plain(item['zone'])}: {_turn(item)}" for item in body["zones"])


def list_unaffected(body: Body) -> Iterator[str]:
    """Yield asides about what a change of categories doesn't affect."""
    if body["deed"] == "set":
        if weeks := body.get("newer"):
            first, last = weeks
            yield f"Week {first} stays as rolled." if first == last else f"Weeks {first} to {last} stay as rolled."
        return
    cells = body.get("cells", [body])
    defaults = group_names((_describe_default(cell), plain(cell["region"])) for cell in cells if cell.get("default"))
    for default, regions in defaults.items():
        place = f" of {text.join_words(regions)}" if len(cells) > 1 else ""
        yield f"House default{place}: {default}."


def _describe_default(cell: Body) -> str:
    default = cell["default"]
    words = [_words(default["conditions"])] if "conditions" in default else []
    words += ["land" if default["land"] else "sea"] if "land" in default else []
    return "; ".join(words)


def _list_edits(body: Body) -> Iterator[str]:
    cells = body.get("cells", ())
    pairs = ((f"{_words(cell['before'])}{ARROW}{_words(cell['after'])}", plain(cell["region"])) for cell in cells)
    yield from ("\N{BULLET} " + f"{', '.join(names)}: {change}" for change, names in group_names(pairs).items())


def change_sentence(body: Body, _view: View = "staff") -> str:
    """Describe a change by hand in one line."""
    return _set(body) if body["deed"] == "set" else _edit(body)


def _zone_lines(zone: Zone, own: climate.Climate, *, printed: bool) -> Iterator[str]:
    if printed:
        yield HOUSE_DEFAULT
    changed = [
        climate.category_phrase(outcome)
        for outcome in zone.climate
        if any((outcome, region.id) in own.cells for region in zone.regions)
    ]
    if changed or any(region.id in own.land for region in zone.regions):
        yield f"{EDITED} changed in this campaign" + (f": {', '.join(changed)}" if changed else "")
    for name, land in (("Land", True), ("Sea", False)):
        regions = [plain(region.label) + _mark(region.id in own.land) for region in zone.regions if region.land is land]
        if regions:
            yield f"{name}: {', '.join(regions)}"
    yield "The picture shows each region's worst weather. Pick a category below for the rest."


def _mark(changed: bool) -> str:  # noqa: FBT001 - it marks whether it is so
    return f" {EDITED}" if changed else ""


def _category_lines(book: Book, zone: Zone, row: TableRow, own: climate.Climate) -> Iterator[str]:
    head = climate.category_phrase(row.outcome)
    yield f"**{head[:1].upper()}{head[1:]}**{DOT}{chance_of(row, book.table(zone.table))}"
    cells = zone.climate.get(row.outcome, {})
    yield group_lines(
        (
            _words(climate.condition_label(book, trait) for trait in cells.get(region.id, ())),
            plain(region.label) + _mark((row.outcome, region.id) in own.cells),
        )
        for region in zone.regions
    )


def _totals(row: TableRow, table: RollTable) -> str:
    ends = [end for end in (row.min, row.max) if end is not None]
    low = min([table.die.low, *ends]) if row.min is None else row.min
    high = max([table.die.high, *ends]) if row.max is None else row.max
    return str(low) if low == high else f"{low}-{high}"


def _set(body: Body) -> str:
    zones = body.get("zones", [body])
    if body["opening"]:
        places = group_names((climate.category_phrase(item["after"]), plain(item["zone"])) for item in zones)
        starts = [f"{after} in {text.join_words(names)}" for after, names in places.items()]
        return f"Week {body['week']} starts with {'; '.join(starts)}"
    turns = [f"{plain(item['zone'])}: {_turn(item)}" for item in zones]
    return f"Week {body['week']}, {'; '.join(turns)}"


def _turn(item: Body) -> str:
    before = climate.category_phrase(item["before"]) + ARROW if item["before"] else ""
    return before + climate.category_phrase(item["after"])


def _edit(body: Body) -> str:
    if "cells" not in body:
        return _describe_cell(body)
    outcomes = dict.fromkeys(climate.category_phrase(cell["outcome"]) for cell in body["cells"])
    names = [plain(cell["region"]) for cell in body["cells"]]
    return f"Meaning of {text.join_words([*outcomes])} changed for {some(names)}"


def _describe_cell(cell: Body) -> str:
    region = plain(cell["region"])
    sentences: list[str] = []
    if cell["before"] != cell["after"]:
        change = f"{_words(cell['before'])}{ARROW}{_words(cell['after'])}"
        sentences.append(
            f"In {region} ({plain(cell['zone'])}), {climate.category_phrase(cell['outcome'])} means {change}"
        )
    if cell["land"]:
        sentences.append(f"{region} is now {'land' if cell['land']['after'] else 'sea'}")
    return "; ".join(sentences) or f"{region} stays as it is"


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or NOTHING
