"""Options of weather commands: zones, places and categories, completed while they are typed."""

from __future__ import annotations

from discord.app_commands import Transform

from bot.rolls.options import Completed, Completion, containing
from rules.climate import category_label, place_labels
from rules.subjects import name_key


class ZoneCompleter(Completed):
    """A weather zone of the campaign's books."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return zones."""
        return containing(current, [zone.label for book in await at.books() for zone in book.zones.values()])


class PlaceCompleter(Completed):
    """A weather zone or a region."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return zones, then regions."""
        return containing(current, [label for book in await at.books() for label in place_labels(book)])


class CategoryCompleter(Completed):
    """A category of the zone or region that is named beside it; of all zones while none is."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return categories, each once."""
        namespace = at.interaction.namespace
        named = str(getattr(namespace, "zone", "") or getattr(namespace, "region", "") or "")
        wanted = name_key(named)
        labels: dict[str, None] = {}
        for book in await at.books():
            known = [zone for zone in book.zones.values() if wanted in {name_key(zone.label), zone.id}]
            known += [zone for name, (zone, _) in book.places.items() if name == wanted]
            rows = (row for zone in known or book.zones.values() for row in book.table(zone.table).rows)
            labels |= dict.fromkeys(category_label(row.outcome) for row in rows)
        return containing(current, labels)


Zone = Transform[str, ZoneCompleter()]
Place = Transform[str, PlaceCompleter()]
Category = Transform[str, CategoryCompleter()]
