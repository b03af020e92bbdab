"""What the commands offer while somebody types."""

from __future__ import annotations

from typing import Any

from tests.support.world import World


async def offered(world: World, command: str, typed: str, channel: Any = None) -> list[str]:  # noqa: ANN401
    """The values offered for the modifiers being typed."""
    filled = {"patrol": {"patrol": "Kilo", "target": "Zaku"}}.get(command, {})
    found = await world.gm.autocomplete(channel or world.orders, command, "modifiers", typed, **filled)
    assert len(found) <= 25
    for choice in found:
        assert 1 <= len(choice["name"]) <= 100
        assert 1 <= len(choice["value"]) <= 100
    return [choice["value"] for choice in found]


async def test_a_scouting_offers_those_first_who_scout_and_are_scouted(world: World) -> None:
    """Characters as scouters and bases as what they scout come before all others, whatever was used last."""
    for name, kind in (("Fort", "base"), ("Argama", "ship"), ("Camp", "outpost")):
        await world.gm.slash(world.orders, "unit add", name=name, kind=kind)
    for name in ("Owl", "Amuro"):
        await world.gm.slash(world.orders, "character add", name=name)
    await world.gm.slash(world.orders, "effect set", who="Argama", effect="Under siege")
    found = {
        option: [item["value"] for item in await world.gm.autocomplete(world.orders, "scout", option, "")]
        for option in ("scouter", "base")
    }
    assert set(found["scouter"][:2]) == {"Owl", "Amuro"}
    assert set(found["base"][:2]) == {"Fort", "Camp"}
    assert len(found["scouter"]) == len(found["base"]) == 5


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """An unbound channel offers nothing, and raises nothing."""
    assert await offered(world, "patrol", "fleet", world.guild.create_text_channel("lobby")) == []


async def test_campaigns_books_and_time_zones_are_completed(world: World) -> None:
    """Settings offer the server's campaigns, the known books and the IANA zones, 25 at most."""
    names = await world.manager.autocomplete(world.orders, "campaign show", "campaign", "iron")
    assert [choice["value"] for choice in names] == ["Iron Sea"]
    books = await world.manager.autocomplete(world.orders, "campaign create", "books", "CAMP")
    assert [choice["value"] for choice in books] == ["campaign"]
    zones = await world.manager.autocomplete(world.orders, "campaign edit", "timezone", "new york")
    assert [choice["value"] for choice in zones] == ["America/New_York"]
    assert len(await world.manager.autocomplete(world.orders, "campaign edit", "timezone", "a")) == 25
