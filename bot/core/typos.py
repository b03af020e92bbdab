"""Warnings about names that nothing saved has."""

from collections.abc import Iterable

from sqlalchemy import Connection

from bot.core import profiles, visibility
from rules.book import Book
from rules.errors import nearest
from rules.subjects import name_key


def warn_unsaved(tx: Connection, viewer: visibility.Viewer, *names: str) -> tuple[str, ...]:
    """Return a warning per unknown name."""
    saved = [item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item)]
    known = {name_key(name): name for item in saved for name in (item.name, item.side) if name}
    unsaved_names = {name_key(name): name for name in names if name_key(name) not in known}
    why = "isn't saved, so its traits don't count."
    return tuple(_add_guess(f"{name} {why}", name, known.values()) for name in unsaved_names.values())


def warn_region(books: Iterable[Book], region: str | None) -> str | None:
    """Return a warning if a region has no weather."""
    places = {name: place for book in books for name, (_, place) in book.places.items()}
    if region is None or not places or name_key(region) in places:
        return None
    labels = {place.label for place in places.values()}
    return _add_guess(f"There's no weather for the region {region}.", region, labels)


def _add_guess(warning: str, name: str, known: Iterable[str]) -> str:
    close = nearest(name, sorted(known))
    return f"{warning} Did you mean {close}?" if close else warning
