"""Years of random weather, checked."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from bot.core.errors import BadInput, NotOpen
from bot.core.proofs import verify_chain
from bot.core.records import Link
from bot.core.state import State
from rules.climate import FLOOD
from tests.cogs.weather.seasons import edit, put, read_span, report, roll, undo, whole
from tests.rules import oracle
from tests.support.backend import House
from tests.support.world import BOOKS

BOOK = BOOKS["campaign"]
ZONES = list(BOOK.zones.values())
TRAITS = [trait for trait in BOOK.conditions if trait not in {"good", FLOOD}]


@dataclass(frozen=True)
class Chance:
    """A random game master."""

    house: House
    draw: random.Random

    async def rollover(self) -> None:
        """Roll the next week."""
        await roll(self.house, *(self.draw.randint(1, 20) for _ in range(40)))

    async def put(self) -> None:
        """Set a zone in a recent week."""
        span = await read_span(self.house)
        first, last = span or (3, 3)
        number = self.draw.choice([last, last, max(first, last - 1), max(first - 1, 0)])
        zone = self.draw.choice(ZONES)
        await put(self.house, zone.id, self.draw.choice(list(zone.climate)), number)

    async def edit(self) -> None:
        """Change a category randomly."""
        zone = self.draw.choice(ZONES)
        region = self.draw.choice(zone.regions)
        outcome = self.draw.choice(list(zone.climate))
        traits = self.draw.choice([self.draw.sample(TRAITS, self.draw.randint(1, 2)), zone.climate[outcome][region.id]])
        land = region.land ^ (self.draw.random() < 0.2)
        await edit(self.house, outcome, region.id, *traits, land=land)

    async def undo(self) -> None:
        """Undo the newest rolled week."""
        if (await report(self.house)).stored.rolled_at is not None:
            await undo(self.house)

    async def act(self) -> None:
        """Do something, mostly roll."""
        deeds: Sequence[Callable[[], Awaitable[None]]] = (
            [self.rollover] * 13 + [self.put] * 3 + [self.edit] * 3 + [self.undo]
        )
        with suppress(NotOpen, BadInput):  # nothing to take back, or a cell that is so already
            await self.draw.choice(deeds)()


def climate_of(state: State, zone: str, outcome: str, region: str) -> list[str]:
    """An outcome's meaning in this state."""
    cells = state.get(("campaign", "climate"), {"cells": {}})["cells"]
    return list(cells.get(f"{outcome}/{region}", BOOK.zones[zone].climate[outcome][region]))


def seas_of(state: State) -> set[str]:
    """Sea regions in this state."""
    land = state.get(("campaign", "climate"), {"land": {}})["land"]
    return {region for region in oracle.SEA | land.keys() if not land.get(region, region not in oracle.SEA)}


def require_page(body: Mapping[str, Any], state: State) -> None:
    """Assert that a rollover follows the page."""
    number = body["week"]
    past = [state.get(("weather", f"week.{number - back}")) for back in (1, 2)]
    last, regions = past[0] or {"zones": {}}, [week["regions"] if week else {} for week in past]
    assert ("weather", f"week.{number}") not in state, "a week is rolled once"
    zones = [part for part in body["parts"] if "region" not in part["subjects"]]
    assert [part["subjects"] for part in zones] == [{"zone": zone.label} for zone in ZONES]
    carried = oracle.carry_over(last["zones"])
    answer = {zone["id"]: zone for zone in body["weather"]["zones"]}
    for zone, part in zip(ZONES, zones, strict=True):
        (step,) = part["steps"]
        counted = [item["origin"]["label"] for item in step["modifiers"] if item["count"]]
        assert counted == [f"weather, week {number - 1}"] * abs(carried[zone.id])
        assert step["total"] == step["faces"][0] + carried[zone.id]
        assert oracle.short(answer[zone.id]["outcome"]) == oracle.read(zone.id, step["total"])
    watches = {part["subjects"]["region"]: part["steps"][0]["faces"][0] for part in body["parts"][len(ZONES) :]}
    places = {place["id"]: (zone["id"], place) for zone in answer.values() for place in zone["regions"]}
    called = oracle.list_watched(regions, seas_of(state))
    assert sorted(watches) == sorted(places[region][1]["label"] for region in called)
    for region, (zone_id, place) in places.items():
        meant = climate_of(state, zone_id, answer[zone_id]["outcome"], region)
        floods = region in called and oracle.is_flooded(watches[place["label"]], meant)
        assert place["conditions"] == meant + [FLOOD] * floods


def fold(state: State, body: Mapping[str, Any]) -> None:
    """Carry an entry's changes out."""
    for change in body["changes"]:
        state[change["subject"], change["name"]] = change["after"]
        if change["after"] is None:
            del state[change["subject"], change["name"]]


@pytest.mark.no_cover
@pytest.mark.parametrize(("seed", "deeds"), [(2, 50), pytest.param(256, 250, marks=pytest.mark.slow)])
async def test_years_of_deeds_at_random_keep_to_the_page(house: House, seed: int, deeds: int, times: int) -> None:
    """Each rollover derives from the weeks before."""
    master = Chance(house, random.Random(seed))  # noqa: S311 - a test that repeats
    for _ in range(deeds * times):
        await master.act()
    entries = await house.entries()
    state: State = {}
    met: Counter[str] = Counter()
    for entry in entries:
        body = entry.content()
        met[body.get("deed", entry.kind)] += 1
        if entry.kind == "roll":
            require_page(body, state)
        fold(state, body)
    assert met["roll"] > 0.56 * deeds
    assert all(met[deed] > 0.02 * deeds for deed in ("set", "edit", "void"))
    span = await read_span(house)
    assert span is not None
    weeks = {name for subject, name in state if subject == "weather"}
    assert weeks == {f"week.{number}" for number in range(span[0], span[1] + 1)}
    assert list(verify_chain(Link(house.campaign.uuid), entries)) == []
    assert await house.state() == state
    assert await whole(house)
