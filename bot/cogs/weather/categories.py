"""What the weather categories mean in a campaign: a game master changes it cell by cell."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import Connection

from bot.actions import Action, Answer, Outcome, Work
from bot.cogs.weather import queries
from bot.cogs.weather.queries import find_outcome, find_region, weather_book
from bot.core import state
from bot.core.campaigns import Campaign, require_open
from bot.core.entry_kinds import EntryView
from bot.core.library import CLIMATE, Library
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change, Entry
from bot.core.state import CAMPAIGN_STATE
from bot.errors import BadInput
from bot.rolls.buttons import take_back_button
from bot.ui.components import with_buttons
from rules.book import Book, Region, Zone
from rules.climate import FLOOD, GOOD, Climate


class RegionCategory(Struct, frozen=True):
    """What a category means for a region of a zone now."""

    zone: Zone
    region: Region
    outcome: str
    book: Book

    @property
    def conditions(self) -> tuple[str, ...]:
        """The traits that hold there."""
        return self.zone.climate[self.outcome][self.region.id]


class EditCell(Action):
    """Another meaning of a category for a region from the next rollover on, and whether the region is land."""

    outcome: str
    region: str
    conditions: Collection[str]
    land: bool

    kind, verb, may = "weather", "edit", "change what the weather means"

    def apply(self, work: Work) -> Outcome:
        """Refuse conditions that can't be together, and what is like that already."""
        tx, campaign, land = work.tx, work.campaign, self.land
        now = _cell(tx, work.library, campaign, self.outcome, self.region)
        picked = _checked(self.conditions, now.book)
        traits = now.conditions if set(picked) == set(now.conditions) else picked
        if traits == now.conditions and land == now.region.land:
            raise BadInput("It's already like that.", "Nothing was changed.")
        before, plain = queries.read_climate(tx, campaign.id), work.library.book(tx, campaign, now.book.id)
        after = _changed(before, plain, now, traits, land=land)
        change = Change(
            CAMPAIGN_STATE, CLIMATE, state.get_value(tx, campaign.id, CAMPAIGN_STATE, CLIMATE), after.value()
        )
        return Outcome(_body(now, plain, traits, land=land), [change])

    def answer(self, work: Work, entry: Entry, _outcome: Outcome) -> Answer:
        """Return the meaning before and after."""
        pages = work.resolver.kinds.pages(EntryView(entry, "counts from the next rollover"), "staff")
        return Answer(pages, with_buttons(take_back_button(work.campaign.id, entry.number)))


def cell_to_edit(
    tx: Connection, library: Library, person: Person, campaign: Campaign, named: tuple[str, str]
) -> RegionCategory:
    """Return a cell, named by category and region, for a game master who is about to change it."""
    require_game_master(person, campaign, EditCell.may)
    require_open(campaign)
    return _cell(tx, library, campaign, *named)


def _cell(tx: Connection, library: Library, campaign: Campaign, outcome: str, region: str) -> RegionCategory:
    book = weather_book(tx, library, campaign)
    zone, place = find_region(book, region)
    return RegionCategory(zone, place, find_outcome(zone, outcome, book), book)


def _changed(before: Climate, plain: Book, cell: RegionCategory, traits: tuple[str, ...], *, land: bool) -> Climate:
    """Return the campaign's changes with one more; what is as the book has it again is no change."""
    zone, region = plain.places[cell.region.id]
    cells = {**before.cells, (cell.outcome, region.id): traits}
    lands = {**before.land, region.id: land}
    if set(traits) == set(zone.climate[cell.outcome][region.id]):
        del cells[cell.outcome, region.id]
    if land == region.land:
        del lands[region.id]
    return Climate(cells, lands)


def _checked(conditions: Collection[str], book: Book) -> tuple[str, ...]:
    """Return conditions that a region can have at once, in the book's order."""
    unknown = [trait for trait in conditions if trait not in book.conditions or trait == FLOOD]
    if unknown:
        raise BadInput(f"I don't know the condition {unknown[0]!r}.", "Only the Flood Watch brings Mud/Flood.")
    if not conditions:
        raise BadInput("A region needs at least one condition.", "Good weather counts as one.")
    if GOOD in conditions and len(set(conditions)) > 1:
        raise BadInput("Good weather can't be combined.", "Pick it alone, or pick only the others.")
    return tuple(trait for trait in book.conditions if trait in conditions)


def _body(cell: RegionCategory, plain: Book, traits: tuple[str, ...], *, land: bool) -> dict[str, object]:
    known = cell.book.conditions
    return {
        "zone": cell.zone.label,
        "outcome": cell.outcome,
        "region": cell.region.label,
        "before": [known[trait].label for trait in cell.conditions],
        "after": [known[trait].label for trait in traits],
        "land": {"before": cell.region.land, "after": land} if land != cell.region.land else None,
        "default": _book_default(cell, plain, traits, land=land),
    }


def _book_default(cell: RegionCategory, plain: Book, traits: tuple[str, ...], *, land: bool) -> dict[str, object]:
    """Return what the book has otherwise for a cell than the campaign will have."""
    zone, region = plain.places[cell.region.id]
    usual = zone.climate[cell.outcome][region.id]
    default: dict[str, object] = {"land": region.land} if region.land != land else {}
    if set(usual) != set(traits):
        default["conditions"] = [cell.book.conditions[trait].label for trait in usual]
    return default
