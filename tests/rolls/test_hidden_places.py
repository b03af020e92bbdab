"""Where others are is hidden from players: no card, odds or completion of theirs tells it, and the result of a roll does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cogs.weather.skywatch import put
from tests.support import template
from tests.support.acting import tick
from tests.support.prepared import prepared
from tests.support.reading import components, press, refused, response, said, text, ticked
from tests.support.world import World, entry, running

SCOUT = {"scouter": "Bob", "base": "Sea Wolf"}
HIDES = "weather.hides"


@prepared
async def sea_wolf(world: World, region: str | None = "Madagascar", **options: Any) -> None:  # noqa: ANN401
    """A base under storms and fog that everybody knows, unlike its place; Alf is known to be held there."""
    await put(world, "South Africa", "3", 1)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, escape, patrol")
    place = {} if region is None else {"region": region}
    await world.gm.slash(world.orders, "unit add", name="Sea Wolf", kind="base", **place, **options)
    await world.gm.slash(world.orders, "character add", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "captive take", captive="Alf", by="Zeon", at="Sea Wolf")


def alike(message: Any) -> str:  # noqa: ANN401
    """What a message says and offers, without the ids of its card."""
    return re.sub(r"[0-9]{15,}|[0-9a-f]{8,}", "#", f"{text(message)} {list(components(message))}")


@pytest.mark.parametrize("region", ["Coral Sea", pytest.param(None, marks=pytest.mark.slow)])
async def test_worlds_that_differ_in_a_hidden_place_give_the_same_cards(tmp_path: Path, region: str | None) -> None:
    """Whoever scouts, patrols or escapes there reads the same on the card, about its week and from its selects."""
    answers: list[list[str]] = []
    for number, place in enumerate(("Madagascar", region)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                await sea_wolf(world, place)
                await world.gm.slash(
                    world.orders, "unit add", name="Bob", kind="squad", region="Coral Sea", owner=world.player
                )
                found = []
                for command, options in (
                    ("scout", SCOUT),
                    ("scout", {**SCOUT, "week": 1}),
                    ("scout", {"scouter": "Job", "base": "Sea Wolf", "week": 1}),
                    ("patrol", {"patrol": "Sea Wolf", "target": "Zaku"}),
                    ("escape", {"captive": "Alf"}),
                ):
                    card = response(await world.player.slash(world.orders, command, **options))
                    found.append(alike(card))
                    if "Details" in found[-1]:
                        found.append(alike(response(await world.player.click(card, label="Details"))))
                answers.append(found)
    assert answers[0] == answers[1]


async def test_the_card_hides_a_place_and_the_result_tells_it(world: World) -> None:
    """The weather there is in neither region, odds nor ticks of a player's card; it counts, and is told with the result."""
    await sea_wolf(world)
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert "no region" in text(card)
    assert ticked(card, "conditions") == set()
    staff = response(await world.gm.slash(world.orders, "scout", **SCOUT))
    assert "in Madagascar: Storms and Fog" in text(staff)
    world.dice.script(10)
    await world.player.click(card, custom_id=press(card, "roll"))
    body = entry(world)
    (weather,) = (item for item in body["parts"][0]["steps"][0]["modifiers"] if item["id"] == HIDES)
    assert body["region"] == "Madagascar"
    assert weather["count"]
    assert not weather["secret"]
    assert not body["parts"][0]["secret"]


async def test_what_a_player_cannot_see_is_not_taken_away_by_a_tick(world: World) -> None:
    """Ticked and unticked on a player's card, a hidden weather counts all the same; nothing is told to be taken away."""
    await sea_wolf(world)
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    await tick(world.player, card, "conditions", HIDES)
    await tick(world.player, card, "conditions")
    world.dice.script(10)
    await world.player.click(card, custom_id=press(card, "roll"))
    part = entry(world)["parts"][0]
    assert HIDES in {item["id"] for item in part["steps"][0]["modifiers"] if item["count"]}
    assert part["overruled"] == []


async def test_a_player_sees_places_that_are_open_or_their_own(world: World) -> None:
    """Where the campaign opens places to players, or it is their own, the card tells the region."""
    await sea_wolf(world)
    await world.gm.slash(world.orders, "unit add", name="Den", kind="base", region="Coral Sea", owner=world.player)
    card = response(await world.player.slash(world.orders, "scout", scouter="Bob", base="Den"))
    assert "in Coral Sea" in text(card)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting, places")
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert "in Madagascar: Storms and Fog" in text(card)


async def test_a_roll_that_follows_tells_no_place(world: World) -> None:
    """The next roll after one whose result went to the staff does not open at the region of that result."""
    await sea_wolf(world)
    world.dice.script(10)
    receipt = response(await world.player.slash(world.orders, "scout", **SCOUT, roll="now"))
    assert "Madagascar" not in text(receipt)
    window = await world.player.click(receipt, label="Next base")
    card = response(await world.player.submit_modal(window, {"next": "Fort"}))
    assert "no region" in text(card)


async def test_captives_held_in_several_places_are_told_by_place(world: World) -> None:
    """A player who rolls for captives of two bases is told the bases, and no region."""
    await sea_wolf(world)
    await world.gm.slash(world.orders, "unit add", name="Luna", kind="base", region="Coral Sea")
    await world.gm.slash(world.orders, "character add", name="Ryu", owner=world.player)
    await world.gm.slash(world.orders, "captive take", captive="Ryu", by="Zeon", at="Luna")
    why = refused(await world.player.slash(world.orders, "escape", captive="Alf, Ryu"))
    assert "Sea Wolf: Alf; Luna: Ryu" in why
    assert not re.search("Madagascar|Coral", why)
    assert "Coral Sea: Ryu" in said(await world.gm.slash(world.orders, "escape", captive="Alf, Ryu"))
