"""What a completion shows is what it takes, wherever the text arrives in place of its value."""

from __future__ import annotations

from typing import Any

from bot.core.profiles import Profile
from tests.cogs.captives.cells import known_as, save
from tests.support.completing import read_every_choice
from tests.support.reading import refused, response, said, text, ticked
from tests.support.world import World, entry, written


async def populate(world: World) -> None:
    """Let there be something to complete: units, a captive, a battle, an effect, a group, a write-up and a table."""
    gm = world.gm
    await gm.slash(world.orders, "campaign edit", books="campaign, battlesystem, roe, infinity, total-war")
    for name, kind in (("Kilo", "squad"), ("Fort", "base")):
        await gm.slash(world.orders, "unit add", name=name, kind=kind, side="EF")
    for name in ("Kai", "Kilo"):
        await gm.slash(world.orders, "character add", name=name, side="EF")
    await gm.slash(world.orders, "captive take", captive="Kai", by="Zeon", at="Fort")
    await gm.slash(world.orders, "effect set", who="Fort", effect="Under siege")
    await gm.slash(world.orders, "campaign group add", name="Blue Team", members="Kai")
    world.dice.script(20)
    await gm.slash(world.orders, "patrol", patrol="Fort", target="Zaku", roll="now")


async def test_every_shown_text_means_its_value(world: World) -> None:
    """Each option of the command tree takes what its completions show as their values."""
    await populate(world)
    found = await read_every_choice(world, world.gm, {"who": "Fort", "kind": "Scout a base", "zone": "Asia"})
    assert found.misread == []
    assert len(found.offered) > 60
    assert len(found.decorated) > 10


async def test_a_shown_modifier_is_a_tick_and_no_adjustment(world: World) -> None:
    """A modifier as the completion shows it counts once, with what the unit is saved with, for players too."""
    database = world.bots[0].database
    await save(
        database, Profile("Kilo", "squad", traits={"newtype": 1}, owner=await known_as(database, world.player.id))
    )
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    for actor in (world.gm, world.player):
        typed: dict[str, Any] = {"patrol": "Kilo", "target": "Ghost", "modifiers": "+1 Patrol with a newtype"}
        card = response(await actor.slash(world.orders, "patrol", **typed))
        assert "patrol.newtype" in ticked(card, "patrol")
        assert "1d20 + 1" in text(card)
        assert "Game master:" not in text(card)


async def test_shown_modifiers_stand_among_others(world: World) -> None:
    """Shown texts, ids, counts and adjustments are read together, with a hyphen for a minus too."""
    typed = "+1 Patrol with a newtype, target.lucky, -1 Balloon services bought*2, +3 Dusk"
    world.dice.script(10)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", modifiers=typed, roll="now")
    step = entry(world)["parts"][0]["steps"][0]
    counted = {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}
    assert counted == {"patrol.newtype": 1, "target.lucky": 1, "service.balloon": 2}
    assert [item["value"] for item in step["adjustments"]] == [3]


async def test_a_shown_book_is_switched_and_a_refused_one_lists_each_once(world: World) -> None:
    """Taking a book away by what the completion shows takes that book away; whoever types an unknown one reads those that there are."""
    await world.gm.slash(world.orders, "campaign edit", books="campaign, infinity")
    before = written(world)
    await world.gm.slash(world.orders, "campaign edit", books="Remove Infinity CodeOne (infinity)")
    assert written(world) != before
    assert "Infinity" not in said(await world.gm.slash(world.orders, "campaign show"))
    told = refused(await world.gm.slash(world.orders, "campaign edit", books="zzz"))
    assert told.count("battlesystem") == 1
    assert told.count("campaign,") == 1


async def test_a_player_is_offered_only_where_they_may_send_a_result(world: World) -> None:
    """Where a result goes is a game master's choice, so players are offered what the rules do, and where they are."""
    for command, offered in (("patrol", ["auto"]), ("roll", ["here", "results"])):
        found = await world.player.autocomplete(world.orders, command, "to", "")
        assert [item["value"] for item in found] == offered
        assert len(await world.gm.autocomplete(world.orders, command, "to", "")) > len(found)
