"""Options of weather commands: zones, places and categories, completed while they are typed."""

from __future__ import annotations

from typing import Annotated

from bot.rolls.options import Completed, Completion, Completions, containing
from rules.climate import category_label, place_labels
from rules.subjects import name_key


async def _complete_zone(at: Completion, current: str) -> Completions:
    return containing(current, [zone.label for book in await at.books() for zone in book.zones.values()])


async def _complete_place(at: Completion, current: str) -> Completions:
    return containing(current, [label for book in await at.books() for label in place_labels(book)])


async def _complete_category(at: Completion, current: str) -> Completions:
    """Offer categories of the zone or region that is named, or of all zones."""
    wanted = name_key(at.typed("zone") or at.typed("region"))
    labels: dict[str, None] = {}
    for book in await at.books():
        known = [zone for zone in book.zones.values() if wanted in {name_key(zone.label), zone.id}]
        known += [zone for name, (zone, _) in book.places.items() if name == wanted]
        rows = (row for zone in known or book.zones.values() for row in book.table(zone.table).rows)
        labels |= dict.fromkeys(category_label(row.outcome) for row in rows)
    return containing(current, labels)


Zone = Annotated[str, Completed(_complete_zone)]
Place = Annotated[str, Completed(_complete_place)]
Category = Annotated[str, Completed(_complete_category)]
