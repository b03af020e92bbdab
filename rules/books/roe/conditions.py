"""What the weather adds for somebody (lines 31, 51, 68, 77)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.book import Book
from rules.books.roe.catalog import Option
from rules.books.roe.scene import WEATHER
from rules.books.roe.sides import racial_rule
from rules.phrases import signed
from rules.procedure import Part


def weather_modifier(book: Book, racial: str | None, weather: int) -> int:
    """Return what the weather comes to; racial options change its penalties alone (lines 31, 51, 68)."""
    return weather * racial_rule(book, racial, "weather-penalty-factor", 1) if weather < 0 else weather


def weather_lines(book: Book, part: Part) -> Iterator[str]:
    """Yield in one line what the weather of a fight comes to for each side, which is counted where the HUD says so (A33)."""
    known = part.facts.get(WEATHER)
    options = book.listed(Option).values() if known else ()
    sides: dict[int, list[str]] = {}
    for role, who in part.subjects.items() if known else ():
        racial = next((item.label for item in options if f"{role}.option.{item.id}" in part.facts), None)
        if known and (value := weather_modifier(book, racial, known.count)):
            sides.setdefault(value, []).append(who)
    if sides:
        told = (f"{signed(value)} for {' and '.join(names)}" for value, names in sides.items())
        yield f"Weather: {', '.join(told)}, if the HUD says so (add it by hand)"
