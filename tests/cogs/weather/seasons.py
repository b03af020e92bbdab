"""Acting on the weather of a house, and reading it."""

from __future__ import annotations

from typing import Any

from bot.app import FEATURES, KINDS
from bot.cogs.weather import categories, queries, rollover
from bot.cogs.weather.categories import EditCell, RegionCategory
from bot.cogs.weather.queries import History, Report
from bot.cogs.weather.rollover import CategoryOrder, NextWeek, PreviewKey
from bot.core import audit
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.core.schema import post
from bot.core.state import State
from bot.kernel import Kernel
from bot.rolls.resolver import Resolver, Rolled
from bot.rolls.void import TakenBack
from rules.books.campaign.weather import Forecast, Week
from rules.library import Composer
from tests.support.backend import GM, House
from tests.support.world import BOOKS, Clock, CountedRandomness, Faces

MONSOON = (20, 20, 3, 15, 10)
"""Category 5 in South and Southeast Asia: Severe Storms in seven regions on land and at sea; good weather elsewhere."""

WATCHED = ("india", "sri-lanka", "southeast-asia", "malaysia", "philippines", "indonesia", "papua-new-guinea")


async def preview(house: House, number: int | None = None, who: Person = GM) -> NextWeek:
    """The week that comes next, as a game master sees it before its dice."""
    return await house.database.read(rollover.preview, house.resolver.library, who, house.campaign, number)


async def press(house: House, shown: PreviewKey, who: Person = GM) -> Rolled | NextWeek:
    """Press the button of a preview."""
    return await house.database.write(rollover.roll, house.resolver, who, house.campaign.id, shown)


async def roll(house: House, *faces: int, number: int | None = None, who: Person = GM) -> Rolled:
    """Look at the next week and roll it with these faces."""
    shown = await preview(house, number, who)
    house.dice.script(*faces)
    rolled = await press(house, shown.key, who)
    assert isinstance(rolled, Rolled)
    return rolled


async def undo(house: House, reason: str = "a slip") -> TakenBack:
    """Take the newest week back."""
    return await house.take_back((await report(house)).stored.entry, reason)


async def report(house: House, number: int | None = None) -> Report:
    """A week as it is looked up."""
    return await house.database.read(queries.week_report, house.resolver.library, house.campaign, number)


async def history(house: House, count: int) -> History:
    """The newest weeks."""
    return await house.database.read(queries.read_history, house.resolver.library, house.campaign, count)


async def coming(house: House) -> Forecast:
    """The forecast of the week that comes next."""
    forecast, _ = await house.database.read(queries.next_forecast, house.resolver.library, house.campaign)
    return forecast


async def week(house: House, number: int | None = None) -> dict[str, Any]:
    """A week as it is told: each region's conditions by the region's id."""
    account = (await report(house, number)).account
    return {place["id"]: place["conditions"] for zone in account["zones"] for place in zone["regions"]}


async def flooded(house: House, number: int | None = None) -> list[str]:
    """Where Mud/Flood holds in a week."""
    return [place for place, conditions in (await week(house, number)).items() if "mud-flood" in conditions]


async def kept(house: House, number: int) -> Week:
    """A week as it is kept."""
    return await house.database.read(lambda tx: queries.read_weeks(tx, house.campaign.id, [number])[number].week)


async def known(house: House) -> tuple[int, int] | None:
    """The first and the last week that are known."""
    span = await house.database.read(lambda tx: queries.find_span(tx, house.campaign.id))
    return None if span is None else (span.first, span.last)


async def sums(house: House) -> list[int]:
    """The modifiers of the zones in the week that comes next."""
    return [item.weighed.sum for item in (await coming(house)).zones]


async def put(  # noqa: PLR0913 - whose, which and why
    house: House, zone: str, category: str, number: int | None = None, *, reason: str = "as agreed", who: Person = GM
) -> Rolled:
    """Set a zone's category by hand."""
    wanted = CategoryOrder(zone, category, number, reason)
    return await house.database.write(rollover.set_category, house.resolver, who, house.campaign.id, wanted)


async def cell_of(house: House, category: str, region: str, who: Person = GM) -> RegionCategory:
    """What a category means for a region, for a game master who is about to change it."""
    named = (category, region)
    library = house.resolver.library
    return await house.database.read(categories.cell_to_edit, library, who, house.campaign, named)


async def edit(
    house: House, category: str, region: str, *conditions: str, land: bool = True, who: Person = GM
) -> Entry:
    """Change what a category means for a region."""
    action = EditCell(outcome=category, region=region, conditions=conditions, land=land)
    return (await house.act(action, who)).entry


async def written(house: House) -> tuple[int, int, State]:
    """How many entries and posts there are, and the state."""
    return len(await house.entries()), await house.count(post), await house.state()


def another(database: Database, faces: tuple[int, ...]) -> Resolver:
    """The resolver once more, with dice of its own, as another process has it."""
    dice, clock, randomness = Faces(), Clock(), CountedRandomness()
    dice.script(*faces)
    ledger = Ledger(clock, randomness)
    return Kernel.build(
        FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=dice
    ).resolver


async def whole(house: House) -> bool:
    """Whether the chain is whole and the state is what the entries add up to, before and after it is made anew."""
    state = await house.state()
    found = [
        item.faults
        for item in (
            *await audit.check_ledgers(house.database, KINDS),
            *await audit.rebuild_states(house.database, KINDS),
        )
    ]
    return found == [(), ()] and await house.state() == state
