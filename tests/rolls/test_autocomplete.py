from __future__ import annotations

from typing import Any

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.support.acting import save_group
from tests.support.completing import read_every_choice
from tests.support.reading import refused, response, said, text, ticked
from tests.support.world import World, entry, show_to, written


async def list_offered(world: World, command: str, typed: str, channel: Any = None) -> list[str]:  # noqa: ANN401
    """Return the offered modifiers."""
    filled = {"patrol": {"patrol": "Kilo", "target": "Zaku"}}.get(command, {})
    found = await world.gm.autocomplete(channel or world.orders, command, "modifiers", typed, **filled)
    assert len(found) <= 25
    for choice in found:
        assert 1 <= len(choice["name"]) <= 100
        assert 1 <= len(choice["value"]) <= 100
    return [choice["value"] for choice in found]


async def test_a_scouting_offers_those_first_who_scout_and_are_scouted(world: World) -> None:
    """Characters scout, bases are scouted."""
    for name, kind in (("Fort", "base"), ("Argama", "ship"), ("Camp", "outpost")):
        await world.gm.slash(world.orders, "roster add", name=name, kind=kind)
    for name in ("Owl", "Amuro"):
        await world.gm.slash(world.orders, "roster add", kind="pc", name=name)
    await world.gm.slash(world.orders, "gm effect", who="Argama", effect="Under siege")
    found = {
        option: [item["value"] for item in await world.gm.autocomplete(world.orders, "scout", option, "")]
        for option in ("scouter", "base")
    }
    assert set(found["scouter"][:2]) == {"Owl", "Amuro"}
    assert set(found["base"][:2]) == {"Fort", "Camp"}
    assert len(found["scouter"]) == len(found["base"]) == 5


async def test_nothing_is_offered_where_no_campaign_plays(world: World) -> None:
    """No error either."""
    assert await list_offered(world, "patrol", "fleet", world.guild.create_text_channel("lobby")) == []


async def test_campaigns_books_and_time_zones_are_completed(world: World) -> None:
    """At most 25."""
    names = await world.manager.autocomplete(world.orders, "gm settings", "campaign", "iron")
    assert [choice["value"] for choice in names] == ["Iron Sea"]
    books = await world.manager.autocomplete(world.orders, "campaign create", "books", "CAMP")
    assert [choice["value"] for choice in books] == ["campaign"]
    zones = await world.manager.autocomplete(world.orders, "gm settings", "timezone", "new york")
    assert [choice["value"] for choice in zones] == ["America/New_York"]
    assert len(await world.manager.autocomplete(world.orders, "gm settings", "timezone", "a")) == 25


async def populate(world: World) -> None:
    """Save something for each completion."""
    gm = world.gm
    await gm.slash(world.orders, "gm settings", books="campaign, battlesystem, roe, infinity, total-war")
    for name, kind in (("Kilo", "squad"), ("Fort", "base")):
        await gm.slash(world.orders, "roster add", name=name, kind=kind, side="EF")
    for name in ("Kai", "Kilo"):
        await gm.slash(world.orders, "roster add", kind="pc", name=name, side="EF")
    await gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort")
    await gm.slash(world.orders, "gm effect", who="Fort", effect="Under siege")
    await save_group(world, name="Blue Team", members="Kai")
    world.dice.script(20)
    await gm.slash(world.orders, "patrol", patrol="Fort", target="Zaku", roll="now")


async def test_every_shown_text_means_its_value(world: World) -> None:
    """In the whole command tree."""
    await populate(world)
    show_to(world, "campaign", world.gm)
    found = await read_every_choice(world, world.gm, {"who": "Fort", "kind": "Scout a base", "zone": "Asia"})
    assert found.misread == []
    assert len(found.offered) > 60
    assert len(found.decorated) > 10


async def test_a_shown_modifier_is_a_tick_and_no_adjustment(world: World) -> None:
    """It counts once, for players too."""
    database = world.bots[0].database
    await save(
        database, Profile("Kilo", "squad", traits={"newtype": 1}, owner=await find_pseudonym(database, world.player.id))
    )
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for actor in (world.gm, world.player):
        typed: dict[str, Any] = {"patrol": "Kilo", "target": "Ghost", "modifiers": "+1 Patrol with a newtype"}
        card = response(await actor.slash(world.orders, "patrol", **typed))
        assert "patrol.newtype" in ticked(card, "patrol")
        assert "1d20 + 1" in text(card)
        assert "Game master:" not in text(card)


async def test_shown_modifiers_stand_among_others(world: World) -> None:
    """Ids, counts, adjustments and hyphens mix."""
    typed = "+1 Patrol with a newtype, target.lucky, -1 Balloon services bought*2, +3 Dusk"
    world.dice.script(10)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", modifiers=typed, roll="now")
    step = entry(world)["parts"][0]["steps"][0]
    counted = {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}
    assert counted == {"patrol.newtype": 1, "target.lucky": 1, "service.balloon": 2}
    assert [item["value"] for item in step["adjustments"]] == [3]


async def test_a_shown_book_is_switched_and_a_refused_one_lists_each_once(world: World) -> None:
    """An unknown book lists the known ones."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    before = written(world)
    await world.gm.slash(world.orders, "gm settings", books="Remove Infinity CodeOne (infinity)")
    assert written(world) != before
    assert "Infinity" not in said(await world.gm.slash(world.orders, "gm settings"))
    told = refused(await world.gm.slash(world.orders, "gm settings", books="zzz"))
    assert told.count("battlesystem") == 1
    assert told.count("campaign,") == 1


async def test_a_player_is_offered_only_where_they_may_send_a_result(world: World) -> None:
    """By the rules, or here."""
    for command, offered in (("patrol", ["auto"]), ("roll", ["here", "results"])):
        found = await world.player.autocomplete(world.orders, command, "to", "")
        assert [item["value"] for item in found] == offered
        assert len(await world.gm.autocomplete(world.orders, command, "to", "")) > len(found)
