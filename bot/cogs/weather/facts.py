"""The weather of the place where a roll happens, and what it makes true."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.weather import queries
from bot.core.campaigns import Campaign
from bot.core.profiles import Profile
from bot.errors import BadInput
from bot.rolls.request import RollRequest
from bot.rolls.situation import RollContext, find_home
from rules.book import Book
from rules.books.campaign.weather import WeekRange, list_carried_facts
from rules.climate import Sky
from rules.modifiers import Known, Origin
from rules.subjects import name_key


def weather_of_region(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return facts from the weather where each part happens.

    Where somebody secret is at home in a part, its weather is that of their region, which is a secret as well.
    """
    return [
        _facts(there, Origin("weather", f"weather, week {there.week}", there.entry), secret=False)
        if there.region
        else _unnamed(tx, context, find_home(context.procedure, part))
        for there, part in zip(context.skies, context.saved, strict=True)
    ]


def carry_over(tx: Connection, context: RollContext) -> list[dict[str, Known]]:
    """Return, for the weather's own roll, what last week's outcomes carry over to the zones."""
    week = None if context.procedure.policy.on_request else context.request.week
    last = [] if week is None else queries.read_past(tx, context.campaign.id, week, 1)
    facts = list_carried_facts(last[0], context.book) if last else {}
    return [facts for _ in context.request.parts]


def _unnamed(tx: Connection, context: RollContext, at: Profile | None) -> dict[str, Known]:
    """Return the weather where somebody is at home whose region no roll names."""
    if at is None or not at.secret or not context.procedure.policy.on_request:
        return {}
    there = sky(tx, context.campaign, context.book, context.request, at.region)
    return _facts(
        there, Origin("weather", f"weather at {at.name}, week {there.week}", there.entry), secret=context.hides(at)
    )


def _facts(there: Sky, origin: Origin, *, secret: bool) -> dict[str, Known]:
    return {f"weather.{trait}": Known(1, origin, secret=secret) for trait in there.conditions}


def sky(tx: Connection, campaign: Campaign, book: Book, request: RollRequest, region: str | None) -> Sky:
    """Return what the weather says of a region, in the week that a roll names or the newest."""
    if region is None:
        return Sky()
    week = _week(request.week, queries.find_span(tx, campaign.id))
    _, place = book.places.get(name_key(region), (None, None))
    if place is None or week is None:
        return Sky(region, place)
    stored = queries.read_weeks(tx, campaign.id, [week]).get(week)
    if stored is None or place.id not in stored.week.regions:
        return Sky(place.label, place)
    return Sky(place.label, place, week, stored.week.conditions(place.id), stored.changed or stored.entry)


def _week(number: int | None, known: WeekRange | None) -> int | None:
    """Return the week whose weather counts: the one that is named, else the newest; None while none is known."""
    if number is None:
        return None if known is None else known.last
    if known is None or number not in known:
        there = f"Pick a week from {known.first} to {known.last}." if known else "Roll one with /weather rollover."
        raise BadInput(f"I don't know the weather of week {number}.", there)
    return number
