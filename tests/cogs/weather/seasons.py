"""Weather of a house."""

from __future__ import annotations

from typing import Any

from bot.app import FEATURES, KINDS
from bot.cogs.weather import queries, rollover
from bot.cogs.weather.queries import History, Report
from bot.cogs.weather.rollover import CategoryOrder, EditCategory, NextWeek, PreviewKey, RegionCategory
from bot.core import audit
from bot.core.database import Database
from bot.core.ledger import Ledger
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.core.schema import post
from bot.core.state import State
from bot.kernel import Kernel
from bot.rolls.resolver import Resolver, RollResult
from bot.rolls.void import UndoResult
from rules.books.campaign.weather import Forecast, Week
from rules.library import Composer
from tests.support.backend import GM, House
from tests.support.world import BOOKS, Clock, CountedRandomness, Faces

MONSOON = (20, 20, 3, 15, 10)
"""Category 5 in South and Southeast Asia: Severe Storms in seven regions on land and at sea; good weather elsewhere."""

WATCHED = ("india", "sri-lanka", "southeast-asia", "malaysia", "philippines", "indonesia", "papua-new-guinea")


async def preview(house: House, number: int | None = None, who: Person = GM) -> NextWeek:
    """Preview the next week."""
    return await house.database.read(rollover.preview, house.resolver.library, who, house.campaign, number)


async def press(house: House, shown: PreviewKey, who: Person = GM) -> RollResult | NextWeek:
    """Press the button of a preview."""
    return await house.database.write(rollover.roll, house.resolver, who, house.campaign.id, shown)


async def roll(house: House, *faces: int, number: int | None = None, who: Person = GM) -> RollResult:
    """Preview and roll with these faces."""
    shown = await preview(house, number, who)
    house.dice.script(*faces)
    rolled = await press(house, shown.key, who)
    assert isinstance(rolled, RollResult)
    return rolled


async def undo(house: House, reason: str = "a slip") -> UndoResult:
    """Take the newest week back."""
    return await house.take_back((await report(house)).stored.entry, reason)


async def report(house: House, number: int | None = None) -> Report:
    """Look a week up."""
    return await house.database.read(queries.week_report, house.resolver.library, house.campaign, number)


async def history(house: House, count: int) -> History:
    """The newest weeks."""
    return await house.database.read(queries.read_history, house.resolver.library, house.campaign, count)


async def forecast_next(house: House) -> Forecast:
    """The next week's forecast."""
    forecast, _ = await house.database.read(queries.next_forecast, house.resolver.library, house.campaign)
    return forecast


async def week(house: House, number: int | None = None) -> dict[str, Any]:
    """A week's conditions by region id."""
    account = (await report(house, number)).account
    return {place["id"]: place["conditions"] for zone in account["zones"] for place in zone["regions"]}


async def list_flooded(house: House, number: int | None = None) -> list[str]:
    """A week's regions with Mud/Flood."""
    return [place for place, conditions in (await week(house, number)).items() if "mud-flood" in conditions]


async def read_stored(house: House, number: int) -> Week:
    """A week as it is kept."""
    return await house.database.read(lambda tx: queries.read_weeks(tx, house.campaign.id, [number])[number].week)


async def read_span(house: House) -> tuple[int, int] | None:
    """First and last known week."""
    span = await house.database.read(lambda tx: queries.find_span(tx, house.campaign.id))
    return None if span is None else (span.first, span.last)


async def sums(house: House) -> list[int]:
    """The next week's modifiers by zone."""
    return [item.weighed.sum for item in (await forecast_next(house)).zones]


async def put(  # noqa: PLR0913 - whose, which and why
    house: House, zone: str, category: str, number: int | None = None, *, reason: str = "as agreed", who: Person = GM
) -> RollResult:
    """Set a zone's category by hand."""
    wanted = CategoryOrder({zone: category}, number, reason)
    return await house.database.write(rollover.set_categories, house.resolver, who, house.campaign.id, wanted)


async def cell_of(house: House, category: str, region: str, who: Person = GM) -> RegionCategory:
    """What a category means, for its editor."""
    named = (category, region)
    library = house.resolver.library
    (cell,) = await house.database.read(rollover.cells_to_edit, library, who, house.campaign, named)
    return cell


async def edit(
    house: House, category: str, region: str, *conditions: str, land: bool = True, who: Person = GM
) -> Entry:
    """Change a category."""
    action = EditCategory(outcome=category, regions={region: conditions}, land=land)
    return (await house.act(action, who)).entry


async def count_written(house: House) -> tuple[int, int, State]:
    """Counts of entries and posts, and the state."""
    return len(await house.entries()), await house.count(post), await house.state()


def another(database: Database, faces: tuple[int, ...]) -> Resolver:
    """Another process's resolver."""
    dice, clock, randomness = Faces(), Clock(), CountedRandomness()
    dice.script(*faces)
    ledger = Ledger(clock, randomness)
    return Kernel.build(
        FEATURES, database=database, ledger=ledger, books=BOOKS, composer=Composer(), dice=dice
    ).resolver


async def whole(house: House) -> bool:
    """Whether chain and state are valid, also rebuilt."""
    state = await house.state()
    found = [
        item.faults
        for item in (
            *await audit.check_ledgers(house.database, KINDS),
            *await audit.rebuild_states(house.database, KINDS),
        )
    ]
    return found == [(), ()] and await house.state() == state
