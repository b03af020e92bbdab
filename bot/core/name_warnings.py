"""Warnings about what is allowed but may be a typo: names that are not saved, and regions without weather."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from bot.core import profiles
from bot.core.visibility import Viewer
from rules.book import Book
from rules.errors import nearest
from rules.subjects import name_key


def unsaved(tx: Connection, viewer: Viewer, *names: str) -> tuple[str, ...]:
    """Return a line for each name that is neither saved nor the side of anybody saved, as far as the person may know."""
    saved = [item for item in profiles.everyone(tx, viewer.campaign.id) if viewer.knows(item)]
    known = {name_key(name): name for item in saved for name in (item.name, item.side) if name}
    unsaved_names = {name_key(name): name for name in names if name_key(name) not in known}
    return tuple(
        _with_guess(f"{name} isn't saved, so its traits don't count.", name, known.values())
        for name in unsaved_names.values()
    )


def strange_region(books: Iterable[Book], region: str | None) -> str | None:
    """Return a line about a region that has no weather in any of these books; None when it has, or none is named."""
    places = {name: place for book in books for name, (_, place) in book.places.items()}
    if region is None or not places or name_key(region) in places:
        return None
    return _with_guess(
        f"There's no weather for the region {region}.", region, {place.label for place in places.values()}
    )


def _with_guess(warning: str, name: str, known: Iterable[str]) -> str:
    """Return a warning, with the known name that was probably meant."""
    close = nearest(name, sorted(known))
    return f"{warning} Did you mean {close}?" if close else warning
