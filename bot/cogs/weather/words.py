"""Weather in words: what the embeds and the texts beside the pictures have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import discord

from bot.cogs.weather.entry_body import shared
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import DOT, plain
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import RegionAccount, WeekAccount, ZoneAccount, had, places
from rules.books.campaign.severity import worst_first
from rules.books.campaign.weather import SEVERE_STORMS, STORMS, Forecast, Week
from rules.climate import FLOOD, GOOD, category_label, category_phrase, condition_label, spoken_conditions
from rules.phrases import percent, signed

ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"
MOST = 4
"""How many names one thing lists; the rest is counted, and stands behind Details."""

_CALM = "No warnings, no Mud/Flood."


def grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """Return what holds and where, one thing a line: Storms: India, Sri Lanka."""
    return "\n".join(f"{words}: {', '.join(names)}" for words, names in shared(pairs).items())


def regions_of(place: Zone | Region) -> tuple[Region, ...]:
    """Return the regions of a zone, or the region itself."""
    return place.regions if isinstance(place, Zone) else (place,)


def worded(labels: Iterable[str]) -> str:
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
    return [place["label"] for _, place in places(account) if FLOOD in place["conditions"]]


def sky_of(week: Week, regions: Iterable[Region], book: Book) -> list[str]:
    """Return the conditions of regions in words, each once, the most severe first."""
    skies = [week.conditions(region.id) for region in regions]
    named = [trait for traits in skies for trait in spoken_conditions(traits, traits)]
    return [condition_label(book, trait) for trait in worst_first(named, book)]


def conditions(zone: ZoneAccount, *, flood: bool = True) -> str:
    """Return the conditions of a zone's regions, the worst first, also without Mud/Flood."""
    fair = {GOOD} if flood else {GOOD, FLOOD}
    ordered = sorted(
        zone["regions"], key=lambda place: 0 if fair >= {*place["conditions"]} else -(place["severity"] or 0)
    )
    return grouped(
        (worded(spoken_conditions(place["conditions"], place["labels"], flood=flood)), plain(place["label"]))
        for place in ordered
    )


def pictured(title: str, lines: Iterable[str], footer: str, picture: str) -> list[discord.Embed]:
    """Return the embeds of one message with a picture on top: Discord draws an embed's picture below its text."""
    top = discord.Embed(title=title, colour=COLOURS["neutral"]).set_image(url=f"attachment://{picture}")
    first, *more = paging.fit(title, lines, colour=COLOURS["neutral"], footer=footer)
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
    warned = shared(
        (plain(words), plain(place["label"])) for _, place in places(week) if (words := place.get("warning"))
    )
    if warned:
        told = DOT.join(f"{words}: {some(names)}" for words, names in warned.items())
        yield f"\N{WARNING SIGN} {told}"


def _floods(week: WeekAccount) -> Iterator[str]:
    now = [plain(place["label"]) for _, place in places(week) if FLOOD in place["conditions"]]
    over = [
        plain(place["label"]) for _, place in places(week) if FLOOD in had(place) and FLOOD not in place["conditions"]
    ]
    told = [some(now)] if now else []
    told += [f"over in {some(over)}"] if over else []
    if told:
        yield f"**Mud/Flood:** {DOT.join(told)}"


def _turned(week: WeekAccount, so: Callable[[int], bool]) -> list[str]:
    """Return where the weather turned so: everywhere, a whole zone by its name, else its regions."""
    names: list[str] = []
    if all(so(place.get("turned", 0)) for _, place in places(week)):
        return ["everywhere"]
    for zone in week["zones"]:
        turned = [place for place in zone["regions"] if so(place.get("turned", 0))]
        whole = turned and len(turned) == len(zone["regions"])
        names += [f"all of {plain(zone['label'])}"] if whole else [plain(place["label"]) for place in turned]
    return names
