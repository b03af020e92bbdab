"""Acting on the weather of a house, and reading it."""

from __future__ import annotations

from typing import Any

from bot.app import FEATURES, KINDS
from bot.cogs.weather import store
from bot.cogs.weather.queries import Almanac
from bot.cogs.weather.rollover import Weather
from bot.core import audit
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.core.schema import post
from bot.core.state import State
from bot.kernel import Kernel
from bot.rolls.resolver import Rolled
from rules.books.campaign.weather import Week
from rules.compose import Composer
from tests.support.backend import GM, House
from tests.support.world import BOOKS, Clock, Faces, counted_randomness

MONSOON = (20, 20, 3, 15, 10)
"""Category 5 in South and Southeast Asia: Severe Storms in seven regions on land and at sea; good weather elsewhere."""

WATCHED = ("india", "sri-lanka", "southeast-asia", "malaysia", "philippines", "indonesia", "papua-new-guinea")


async def week(house: House, number: int | None = None) -> dict[str, Any]:
    """A week as it is told: each region's conditions by the region's id."""
    report = await house.almanac.week(house.campaign, number)
    return {place["id"]: place["conditions"] for zone in report.told["zones"] for place in zone["regions"]}


async def flooded(house: House, number: int | None = None) -> list[str]:
    """Where Mud/Flood holds in a week."""
    return [place for place, conditions in (await week(house, number)).items() if "mud-flood" in conditions]


async def kept(house: House, number: int) -> Week:
    """A week as it is kept."""
    return await house.database.read(lambda tx: store.read(tx, house.campaign.id, [number])[number].week)


async def known(house: House) -> tuple[int, int] | None:
    """The first and the last week that are known."""
    span = await house.database.read(lambda tx: store.span(tx, house.campaign.id))
    return None if span is None else (span.first, span.last)


async def sums(house: House) -> list[int]:
    """The modifiers of the zones in the week that comes next."""
    forecast, _ = await house.almanac.forecast(house.campaign)
    return [item.weighed.sum for item in forecast.zones]


async def put(house: House, zone: str, category: str, number: int | None = None, who: Person = GM) -> Rolled:
    """Set a zone's category by hand."""
    return await house.weather.set_outcome(who, house.campaign.id, zone, category, number=number, reason="as agreed")


async def edit(
    house: House, category: str, region: str, *conditions: str, land: bool = True, who: Person = GM
) -> Entry:
    """Change what a category means for a region."""
    return await house.climates.edit(who, house.campaign.id, (category, region), conditions=conditions, land=land)


async def written(house: House) -> tuple[int, int, State]:
    """How many entries and posts there are, and the state."""
    return len(await house.entries()), await house.count(post), await house.state()


def another(database: Database, faces: tuple[int, ...]) -> Weather:
    """The service once more, with dice of its own, as another process has it."""
    dice, clock, randomness, library = Faces(), Clock(), counted_randomness(), Library(BOOKS, Composer())
    dice.script(*faces)
    ledger = Ledger(clock, randomness)
    kernel = Kernel.build(FEATURES, database=database, ledger=ledger, books=BOOKS, dice=dice)
    return Weather(database, kernel.resolver, Almanac(database, library), kernel.outbox, ledger=ledger)


async def whole(house: House) -> bool:
    """Whether the chain is whole and the state is what the entries add up to, before and after it is made anew."""
    state = await house.state()
    found = [
        item.faults for item in (*await audit.check(house.database, KINDS), *await audit.rebuild(house.database, KINDS))
    ]
    return found == [(), ()] and await house.state() == state
