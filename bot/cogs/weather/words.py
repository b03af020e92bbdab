"""Weather in words: what entries keep of it, what embeds and texts beside pictures have in common, and what categories mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import discord

from bot.core.entry_kinds import Body, EntryView
from bot.ui import text
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, plain
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import SEVERE_STORMS, STORMS, Forecast, Week
from rules.climate import (
    FLOOD,
    GOOD,
    Climate,
    RegionAccount,
    WeekAccount,
    ZoneAccount,
    category_label,
    category_phrase,
    condition_label,
    conditions_before,
    list_places,
    sort_worst_first,
    spoken_conditions,
)
from rules.odds import table_odds
from rules.phrases import percent, signed
from rules.tables import RollTable, TableRow


def group_names(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what holds, in the order in which it is first met, with the names of those for whom it does."""
    names: dict[str, list[str]] = {}
    for words, name in pairs:
        names.setdefault(words, []).append(name)
    return names


ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"
MOST = 4
"""How many names one thing lists; the rest is counted, and stands behind Details."""

_CALM = "No warnings, no Mud/Flood."


def group_lines(pairs: Iterable[tuple[str, str]]) -> str:
    """Return what holds and where, one thing a line: Storms: India, Sri Lanka."""
    return "\n".join(f"{words}: {', '.join(names)}" for words, names in group_names(pairs).items())


def regions_of(place: Zone | Region) -> tuple[Region, ...]:
    """Return the regions of a zone, or the region itself."""
    return place.regions if isinstance(place, Zone) else (place,)


def join_labels(labels: Iterable[str]) -> str:
    """Return labels one after another."""
    return ", ".join(map(plain, labels)) or UNKNOWN


def category(outcome: str | None) -> str:
    """Return a zone's category in short."""
    return UNKNOWN if outcome is None else category_label(outcome)


def phrase(outcome: str | None, mark: str = "") -> str:
    """Return a zone's category as a sentence has it; `mark` stands around what tells it from others."""
    return UNKNOWN if outcome is None else category_phrase(outcome, mark)


def rough(place: RegionAccount) -> str:
    """Return what a region has besides good weather and Mud/Flood, in words."""
    known = zip(place["conditions"], place["labels"], strict=True)
    return ", ".join(label for trait, label in known if trait not in {GOOD, FLOOD})


def flooded(account: WeekAccount) -> list[str]:
    """Return the regions with Mud/Flood."""
    return [place["label"] for _, place in list_places(account) if FLOOD in place["conditions"]]


def sky_of(week: Week, regions: Iterable[Region], book: Book) -> list[str]:
    """Return the conditions of regions in words, each once, the most severe first."""
    skies = [week.conditions(region.id) for region in regions]
    named = [trait for traits in skies for trait in spoken_conditions(traits, traits)]
    return [condition_label(book, trait) for trait in sort_worst_first(named, book)]


def conditions(zone: ZoneAccount, *, flood: bool = True) -> str:
    """Return the conditions of a zone's regions, the worst first, also without Mud/Flood."""
    fair = {GOOD} if flood else {GOOD, FLOOD}
    ordered = sorted(
        zone["regions"], key=lambda place: 0 if fair >= {*place["conditions"]} else -(place["severity"] or 0)
    )
    return group_lines(
        (join_labels(spoken_conditions(place["conditions"], place["labels"], flood=flood)), plain(place["label"]))
        for place in ordered
    )


def picture_embeds(title: str, lines: Iterable[str], footer: str, picture: str) -> list[discord.Embed]:
    """Return the embeds of one message with a picture on top: Discord draws an embed's picture below its text."""
    top = discord.Embed(title=title, colour=COLOURS["neutral"]).set_image(url=f"attachment://{picture}")
    first, *more = text.fit_embeds(title, lines, colour=COLOURS["neutral"], footer=footer)
    first.title = None
    return [top, first, *more]


def gist(week: WeekAccount) -> Iterator[str]:
    """Return a week in at most five lines: categories, warnings, Mud/Flood, what turned for the worse, and for the better."""
    yield DOT.join(f"{plain(zone['label'])} **{category(zone['outcome'])}**" for zone in week["zones"])
    turned = {"Worse": _turned(week, lambda steps: steps > 0), "Better": _turned(week, lambda steps: steps < 0)}
    lines = [*_warnings(week), *_floods(week)] or [_CALM]
    yield from lines
    yield from (f"**{word}:** {some(names)}" for word, names in turned.items() if names)


def forecast_gist(forecast: Forecast, book: Book) -> Iterator[str]:
    """Return a forecast in at most four lines: what carries over, where storms are the most likely, and the watches due."""
    carried = [f"{plain(item.zone.label)} {signed(item.weighed.sum)}" for item in forecast.zones if item.weighed.sum]
    yield f"**Carried over:** {', '.join(carried)}" if carried else "Nothing carries over from last week."
    for trait in (SEVERE_STORMS, STORMS):
        likeliest = max((item.odds.get(trait, Fraction(0)) for item in forecast.regions), default=Fraction(0))
        names = [plain(item.region.label) for item in forecast.regions if item.odds.get(trait) == likeliest]
        if likeliest:
            yield f"**{plain(condition_label(book, trait))} up to {percent(likeliest)}:** {some(names)}"
    due = {watch.region.id for watch in forecast.watches}
    floods = [item for item in forecast.regions if item.region.id in due]
    told = [f"{plain(item.region.label)} {percent(item.flood)}" for item in floods]
    yield f"**Chance of Mud/Flood:** {some(told)}" if told else "No Flood Watch is due."


def some(names: Sequence[str]) -> str:
    """Return names as a list, the first four, and how many there are besides."""
    more = len(names) - MOST
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:MOST])} and {more} more"


def _warnings(week: WeekAccount) -> Iterator[str]:
    warned = group_names(
        (plain(words), plain(place["label"])) for _, place in list_places(week) if (words := place.get("warning"))
    )
    if warned:
        told = DOT.join(f"{words}: {some(names)}" for words, names in warned.items())
        yield f"\N{WARNING SIGN} {told}"


def _floods(week: WeekAccount) -> Iterator[str]:
    now = [plain(place["label"]) for _, place in list_places(week) if FLOOD in place["conditions"]]
    over = [
        plain(place["label"])
        for _, place in list_places(week)
        if FLOOD in conditions_before(place) and FLOOD not in place["conditions"]
    ]
    told = [some(now)] if now else []
    told += [f"over in {some(over)}"] if over else []
    if told:
        yield f"**Mud/Flood:** {DOT.join(told)}"


def _turned(week: WeekAccount, so: Callable[[int], bool]) -> list[str]:
    """Return where the weather turned so: everywhere, a whole zone by its name, else its regions."""
    names: list[str] = []
    if all(so(place.get("turned", 0)) for _, place in list_places(week)):
        return ["everywhere"]
    for zone in week["zones"]:
        turned = [place for place in zone["regions"] if so(place.get("turned", 0))]
        whole = turned and len(turned) == len(zone["regions"])
        names += [f"all of {plain(zone['label'])}"] if whole else [plain(place["label"]) for place in turned]
    return names


EDITED = "\N{PENCIL}"
HOUSE_DEFAULT = "*House ruling: the book doesn't say this. Game masters change it with `/weather edit`.*"
CATEGORIES_PICTURE = "categories.png"
NOTHING = "nothing"


def category_embeds(book: Book, zone: Zone, climate: Climate, outcome: str | None = None) -> list[discord.Embed]:
    """Return what the categories of a zone mean, the picture first; with an outcome, all that this one means.

    What the campaign's own climate has changed is marked.
    """
    table = book.table(zone.table)
    footer = f"{book.cited.get(table.source.book, book.title)}, {table.source.section}"
    rows = [row for row in table.rows if row.outcome == outcome]
    lines = _category_lines(book, zone, rows[0], climate) if rows else _zone_lines(zone, climate)
    return picture_embeds(f"{plain(zone.label)}: what the categories mean", lines, footer, CATEGORIES_PICTURE)


def chance_of(row: TableRow, table: RollTable) -> str:
    """Return by which totals a category comes, and how likely that is in a week without carry-over."""
    return f"a total of {_totals(row, table)}{DOT}{_odd(row, table_odds(table, 0)[row.outcome])}"


def notice(body: Body, shown: EntryView) -> list[discord.Embed]:
    """Return the notice that the weather was set, or that a category was given another meaning."""
    lines = [change_sentence(body), *change_asides(body)]
    if body["deed"] == "set" and body["regions"]:
        lines += ["", group_lines((_words(region["labels"]), plain(region["label"])) for region in body["regions"])]
    return text.fit_embeds(_title(body), lines, colour=COLOURS["neutral"], footer=entry_footer(shown))


def change_asides(body: Body) -> Iterator[str]:
    """Return what a change by hand leaves as it was, what it takes along, and the default that it leaves behind."""
    if body["deed"] == "set":
        if weeks := body.get("newer"):
            first, last = weeks
            yield f"Week {first} stays as rolled." if first == last else f"Weeks {first} to {last} stay as rolled."
    elif default := body.get("default"):
        yield f"House default: {_default(default)}."


def change_sentence(body: Body) -> str:
    """Return the same in one line."""
    return _set(body) if body["deed"] == "set" else _edit(body)


def _title(body: Body) -> str:
    return "Weather set by hand" if body["deed"] == "set" else "Weather category changed"


def _zone_lines(zone: Zone, climate: Climate) -> Iterator[str]:
    yield HOUSE_DEFAULT
    changed = [
        category_phrase(outcome)
        for outcome in zone.climate
        if any((outcome, region.id) in climate.cells for region in zone.regions)
    ]
    if changed or any(region.id in climate.land for region in zone.regions):
        yield f"{EDITED} changed in this campaign" + (f": {', '.join(changed)}" if changed else "")
    for name, land in (("Land", True), ("Sea", False)):
        regions = [
            plain(region.label) + _mark(region.id in climate.land) for region in zone.regions if region.land is land
        ]
        if regions:
            yield f"{name}: {', '.join(regions)}"
    yield "The picture shows each region's worst weather. Pick a category below for the rest."


def _mark(changed: bool) -> str:  # noqa: FBT001 - it marks whether it is so
    return f" {EDITED}" if changed else ""


def _category_lines(book: Book, zone: Zone, row: TableRow, climate: Climate) -> Iterator[str]:
    head = category_phrase(row.outcome)
    yield f"**{head[:1].upper()}{head[1:]}**{DOT}{chance_of(row, book.table(zone.table))}"
    cells = zone.climate.get(row.outcome, {})
    yield group_lines(
        (
            _words(condition_label(book, trait) for trait in cells.get(region.id, ())),
            plain(region.label) + _mark((row.outcome, region.id) in climate.cells),
        )
        for region in zone.regions
    )


def _totals(row: TableRow, table: RollTable) -> str:
    """Return the totals of a row on a plain die, an open end being the die's own."""
    ends = [end for end in (row.min, row.max) if end is not None]
    low = min([table.die.low, *ends]) if row.min is None else row.min
    high = max([table.die.high, *ends]) if row.max is None else row.max
    return str(low) if low == high else f"{low}-{high}"


def _odd(row: TableRow, chance: Fraction) -> str:
    printed = row.percent is not None and Fraction(row.percent, 100) != chance
    return percent(chance) + (f" (printed {row.percent}%)" if printed else "")


def _set(body: Body) -> str:
    zone, after = plain(body["zone"]), category_phrase(body["after"])
    if body["opening"]:
        return f"Week {body['week']} starts with {after} in {zone}"
    before = f"{category_phrase(body['before'])}{ARROW}" if body["before"] else ""
    return f"Week {body['week']}, {zone}: {before}{after}"


def _edit(body: Body) -> str:
    region = plain(body["region"])
    sentences: list[str] = []
    if body["before"] != body["after"]:
        change = f"{_words(body['before'])}{ARROW}{_words(body['after'])}"
        sentences.append(f"In {region} ({plain(body['zone'])}), {category_phrase(body['outcome'])} means {change}")
    if body["land"]:
        sentences.append(f"{region} is now {'land' if body['land']['after'] else 'sea'}")
    return "; ".join(sentences) or f"{region} stays as it is"


def _default(default: Body) -> str:
    words = [_words(default["conditions"])] if "conditions" in default else []
    words += ["land" if default["land"] else "sea"] if "land" in default else []
    return "; ".join(words)


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or NOTHING
