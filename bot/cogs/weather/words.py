"""Weather in words: what the embeds and the texts beside the pictures have in common."""

from __future__ import annotations

from collections.abc import Iterable

from bot.cogs.weather.entry_body import shared
from bot.ui.text import plain
from rules.book import Book, Region, Zone
from rules.books.campaign.accounts import RegionAccount, WeekAccount, ZoneAccount, places
from rules.books.campaign.severity import worst_first
from rules.books.campaign.weather import Week
from rules.climate import FLOOD, GOOD, category_label, category_phrase, condition_label, spoken_conditions

ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"


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
