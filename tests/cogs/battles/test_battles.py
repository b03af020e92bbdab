"""`/events`: a battle turn by turn, and who may do what."""

from __future__ import annotations

import pytest

from tests.cogs.battles.battlefield import FORD, ask, battle_over, begun, check, ford, join, posted, sound, state, typed
from tests.support.acting import close_update, effect_ended
from tests.support.reading import components, refused, response, said, text
from tests.support.world import World, nothing_written

MINUS = "\N{MINUS SIGN}"


@pytest.mark.slow
async def test_the_effects_are_those_of_the_campaign(world: World) -> None:
    """`/gm effect` has their labels and ends; only the battle ends them."""
    await ford(world, reds="Archers", blues="Ogres")
    await check(world, [1, 1], (100, 57), (100, 51))
    line = f"Lost confidence (51): ML {MINUS}1 until the battle ends · since entry #7 · until {FORD} is over"
    for actor in (world.gm, world.player):
        assert line in said(await actor.slash(world.orders, "gm effect"))
    assert "Ogres: lost confidence (51)" in said(await world.gm.slash(world.orders, "update show"))
    await close_update(world)
    assert f"until the end of turn 1 of {FORD}" in said(await world.gm.slash(world.orders, "gm effect"))
    with nothing_written(world):
        for who, effect in (("Archers", "event-7.0"), ("OGRES", "event-7.1")):
            result = await effect_ended(world.gm, world.orders, who=who, effect=effect)
            assert f"That belongs to {FORD}. End it with /gm-events use." in refused(result)
    assert line in said(await world.gm.slash(world.orders, "gm effect"))
    assert await sound(world)


@pytest.mark.slow
async def test_what_outlives_its_battle_is_cleared_like_any_effect(world: World) -> None:
    """Treachery can be cleared only once the battle is over."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [1, 2, 2], (100, 35))
    clear = {"who": "Archers", "effect": "event-7.0"}
    assert "/gm-events use" in refused(await effect_ended(world.gm, world.orders, **clear))
    await battle_over(world)
    await begun(world)
    (answer,) = (await effect_ended(world.gm, world.orders, **clear)).followups
    assert "Archers: treachery (35): Leaves the field by the closest edge, for good (ended)" in text(answer)
    assert state(world, "effect.") == {}
    assert await sound(world)


@pytest.mark.slow
async def test_the_card_of_a_saved_unit_tells_what_befell_it_and_a_new_name_holds_in_the_battle(world: World) -> None:
    """`/unit` has the effects; a new name counts everywhere."""
    await world.gm.slash(world.orders, "roster add", name="Archers", kind="squad")
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [1, 2, 2], (100, 3))
    assert "Bonus promised (3)" in str(
        list(components(response(await world.gm.slash(world.orders, "unit", name="Archers"))))
    )
    await world.gm.slash(world.orders, "roster edit", name="Archers", new_name="Old Guard")
    assert "1\\. **Old Guard**" in await ask(world, "units")
    assert "**Old Guard** · ML +1" in await ask(world, "active")
    await ask(world, "turn")
    await check(world, [1, 2, 2], (100, 48))
    assert "1 for Old Guard" in posted(world)
    assert f"**Old Guard** · ML +1, AD {MINUS}1" in await ask(world, "active")
    assert await sound(world)


async def test_each_side_can_roll_one_event_as_in_the_pages_example(world: World) -> None:
    """One d100 for each side, then a fitting unit is drawn."""
    await ford(world, reds="Pikes, Axes")
    await join(world, "Blues", "Archers, Slingers", missile=True)
    await join(world, "Blues", "Dragon", flying=True)
    await check(world, [], (100, 42), (100, 33), (2, 2), mode="side")
    shown = await ask(world, "active")
    assert "**Dragon**\n• Strong winds (42)" in shown
    assert "**Slingers**\n• Garbled orders (33)" in shown
    assert "*Nothing on 2 units.*" in shown


async def test_a_typed_double_zero_is_a_hundred(world: World) -> None:
    """Typed faces count in order."""
    await ford(world, reds="Archers, Pikes", blues="Ogres")
    await check(world, [], (8, 5), faces="1 1, 2; d100: 23 00")
    assert "d100: **100** (by hand) → Nothing happens" in posted(world)


async def test_names_are_completed_within_what_discord_takes(world: World) -> None:
    """At most 25 different choices of 100 characters."""
    await ford(world, blues="Ogres")
    await begun(world, "White Hill", "Elves, Orcs")
    long = [f"{'x' * 57}{number:02}" for number in range(30)]
    await join(world, "Reds", ", ".join(long), battle=FORD)

    async def offered(command: str, name: str, word: str = "", **more: str) -> list[str]:
        found = await world.gm.autocomplete(world.orders, typed(command), name, word, **more)
        assert len(found) <= 25
        assert all(len(choice["name"]) <= 100 and len(choice["value"]) <= 100 for choice in found)
        return [choice["value"] for choice in found]

    assert await offered("turn", "battle", "hill") == ["White Hill"]
    assert await offered("battle", "name") == ["White Hill", FORD]
    assert await offered("roll", "side") == ["Elves", "Orcs", "Reds", "Blues"]
    assert await offered("unit add", "side", "re", battle=FORD) == ["Reds"]
    assert await offered("unit edit", "unit", "ogr") == ["Ogres"]
    assert await offered("unit edit", "unit", battle="White Hill") == []
    assert len(await offered("unit remove", "units", battle=FORD)) == 25
    assert await offered("unit remove", "units", "Ogres, ogr") == []
    assert await offered("unit remove", "units", f"{long[0]}, o") == [f"{long[0]}, Ogres"]
    await check(world, [1] * 31, *((100, 3) for _ in range(31)), battle=FORD)
    assert len(await offered("use", "event", battle=FORD, how="cancel")) == 25
    assert await offered("use", "event", "ogres", how="cancel") == ["8.30.1"]
    lobby = world.guild.create_text_channel("lobby")
    assert await world.gm.autocomplete(lobby, "gm-events use", "event", "") == []
    assert await world.stranger.autocomplete(world.orders, "gm-events use", "event", "") == []
