"""The weather of the place where a roll happens, and what it makes true."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.weather import store
from bot.cogs.weather.store import WeekRange
from bot.core.campaigns import Campaign
from bot.errors import BadInput
from bot.rolls.request import RollRequest
from bot.rolls.situation import RollContext
from rules.book import Book
from rules.books.campaign.weather import carried_facts
from rules.climate import Sky
from rules.facts import Known, Origin
from rules.subjects import name_key


def weather_of_region(_tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from the weather of the region that the roll happens in, the same for every part."""
    origin = Origin("weather", f"weather, week {context.sky.week}")
    facts = {f"weather.{trait}": Known(1, origin) for trait in context.sky.conditions}
    return [facts for _ in context.subjects]


def carry_over(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return, for the weather's own roll, what last week's outcomes carry over to the zones."""
    last = [] if context.week is None else store.past(tx, context.campaign.id, context.week, 1)
    facts = carried_facts(last[0], context.book) if last else {}
    return [facts for _ in context.subjects]


def sky(tx: Connection, campaign: Campaign, book: Book, request: RollRequest) -> Sky:
    """Return what the weather says of the region that a roll names, in the week it names or the newest.

    Raises:
        BadInput: the week is not known.

    """
    if request.region is None:
        return Sky()
    week = _week(request.week, store.span(tx, campaign.id))
    _, place = book.places.get(name_key(request.region), (None, None))
    if place is None or week is None:
        return Sky(request.region, place)
    stored = store.read(tx, campaign.id, [week]).get(week)
    if stored is None or place.id not in stored.week.regions:
        return Sky(place.label, place)
    return Sky(place.label, place, week, stored.week.conditions(place.id))


def _week(number: int | None, known: WeekRange | None) -> int | None:
    """Return the week whose weather counts: the one that is named, else the newest; None while none is known.

    Raises:
        BadInput: the one named is not known.

    """
    if number is None:
        return None if known is None else known.last
    if known is None or number not in known:
        there = f"Known are weeks {known.first} to {known.last}." if known else "None has been rolled yet."
        raise BadInput(f"Week {number} has no weather.", there)
    return number
