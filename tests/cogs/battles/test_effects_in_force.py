"""What single events leave: tokens, removals, losses, chains, restrictions."""

from __future__ import annotations

import pytest

from tests.cogs.battles.battlefield import (
    FORD,
    ask,
    battle_over,
    begun,
    check,
    ford,
    join,
    option,
    posted,
    selects,
    sound,
    state,
    told,
)
from tests.support.acting import removed
from tests.support.reading import assert_says, refused, response, said
from tests.support.world import World, entry, nothing_written


@pytest.mark.slow
async def test_strong_winds_ground_the_flyers_of_both_sides(world: World) -> None:
    """Event 42 is one event for each side."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Griffons", flying=True)
    await join(world, "Blues", "Dragon, Harpies", flying=True)
    await check(world, [1, 2, 2, 2, 2], (100, 42))
    shown = await ask(world, "active")
    told = "• Strong winds (42): All flyers of both sides land at once and stay down"
    assert f"**Griffons**\n{told} · this turn" in shown
    assert f"{told} · this turn · turn 1, entry #9 · on Dragon, Harpies\n" in shown
    assert "**Dragon**" not in shown
    offered = await world.gm.autocomplete(world.orders, "gm-events use", "event", "winds", how="cancel")
    assert [choice["name"].partition(":")[0] for choice in offered] == ["Griffons", "Dragon, Harpies"]
    await ask(world, "turn")
    assert f"{told} — ended: Griffons, Dragon, Harpies" in posted(world)
    assert state(world, "effect.") == {}


@pytest.mark.slow
async def test_whoever_leaves_by_treachery_is_gone_for_good(world: World) -> None:
    """Event 35 takes a unit until a game master cancels it; the end lists it."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 2, 2], (100, 35))
    await ask(world, "use", event=await option(world, "Treachery"), how="cancel", reason="misread")
    assert "left for good" not in await ask(world, "units")
    await check(world, [1, 2, 2], (100, 35), reason="again")
    assert "**Pikes** · gone for good" in await ask(world, "units")
    await ask(world, "turn")
    await check(world, [2, 1], (100, 56), (100, 66))
    assert "Axes (Reds): random event, after event 56" in posted(world)
    assert entry(world)["parts"][0]["record"]["checks"] == [["Axes", 2], ["Ogres", 1]]
    assert "Treachery (35): Leaves the field by the closest edge, for good — stays lost" in await battle_over(world)
    assert "Treachery (35)" in said(await world.gm.slash(world.orders, "gm effect"))
    await begun(world)
    await join(world, "Reds", "Pikes")
    assert "left for good" not in await ask(world, "units")
    assert await sound(world)


async def test_a_prepared_army_ignores_one_later_event_of_its_choice(world: World) -> None:
    """The token of 54 ends a later event on its side only."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Griffons", flying=True)
    await join(world, "Blues", "Dragon", flying=True)
    await check(world, [1, 1, 2, 2], (100, 3), (100, 54))
    assert "can ignore one later event, with /gm-events use ·" in await ask(world, "active")
    closed = await ask(world, "active", world.player)
    assert "can ignore one later event: ask a game master ·" in closed
    assert "/gm-events use" not in closed
    await world.gm.slash(world.orders, "gm settings", players_may="random-events")
    assert "with /gm-events use ·" in await ask(world, "active", world.player)
    await ask(world, "turn")
    await check(world, [2, 2, 2, 1], (100, 42))
    with nothing_written(world):
        early = await world.gm.slash(world.orders, "gm-events use", event=await option(world, "Pikes"))
        assert "Bonus promised (3): ML +1 until the battle ends is older than the token of Reds (entry #9)" in refused(
            early
        )
    used = await ask(world, "use", event=await option(world, "Griffons"))
    assert_says(used, "Reds used its token", "Griffons: Strong winds (42)")
    assert "Reds used its token" in posted(world)
    shown = await ask(world, "active")
    assert "Dragon" in shown
    assert "Griffons" not in shown
    assert state(world, "token.") == {}
    again = await world.gm.slash(world.orders, "gm-events use", event="Dragon")
    assert "Blues has no token to ignore an event" in refused(again)
    assert await sound(world)


@pytest.mark.slow
async def test_a_spy_spends_itself_on_the_next_event_of_its_side(world: World) -> None:
    """The token of 55 waits for a number with an event."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 55))
    assert "ignores its next event" in await ask(world, "active")
    await ask(world, "turn")
    await check(world, [1, 1], (100, 80), (100, 3))
    assert len(state(world, "token.")) == 1
    await check(world, [1, 2], (100, 51), reason="again")
    assert "Reds ignores it: Pikes not affected" in posted(world)
    assert state(world, "token.") == {}
    shown = await ask(world, "active")
    assert "Lost confidence" not in shown
    assert "**Ogres** · ML +1" in shown
    assert await sound(world)


@pytest.mark.slow
async def test_a_spy_found_in_a_check_spends_itself_in_the_same_check(world: World) -> None:
    """It is never kept; the older of two goes first."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 1, 2], (100, 55), (100, 51))
    assert state(world, "token.") == {}
    assert state(world, "effect.") == {}
    await check(world, [1, 2, 2], (100, 55), reason="one")
    await check(world, [1, 1, 2], (100, 55), (100, 3), reason="two")
    assert list(state(world, "token.")) == ["token.9.0"]
    assert await sound(world)


async def test_letters_pass_over_a_unit_and_say_when_none_fits(world: World) -> None:
    """M finds a missile unit; F, 64 and 65 without a fit do nothing."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Sages", caster=True, spells=0)
    await join(world, "Blues", "Witches", caster=True)
    await check(world, [1, 1, 2, 1], (100, 64), (100, 65), (100, 65))
    assert posted(world).count("no effect: the unit has no caster with a spell left") == 2
    shown = await ask(world, "active")
    assert "**Witches**\n• Components mislaid (65): Casts no spell" in shown
    assert "Sages" not in shown
    assert state(world, "loss.") == {}
    await join(world, "Reds", "Bows", missile=True)
    await check(world, [1, 2, 2, 1, 2], (100, 33), (100, 47), reason="again")
    assert_says(posted(world), "affects Bows", "no effect: no unit can be affected")
    assert "Bows" in await ask(world, "active")


async def test_a_grudge_leaves_its_bonus_when_the_foe_is_gone(world: World) -> None:
    """The restriction of 4 ends; the bonus lasts for the battle."""
    await ford(world, reds="Pikes", blues="Ogres")
    await check(world, [1, 2], (100, 4))
    event = await option(world, "Old grudge")
    assert "its enemy is gone" in said(await world.gm.slash(world.orders, "gm effect"))
    ended = await ask(world, "use", event=event, how="condition")
    assert "Pikes: Old grudge (4): May fight only the closest enemy unit, until either is gone — ended" in ended
    shown = await ask(world, "active")
    assert "**Pikes** · ML +1\n• Old grudge (4): ML +1 until the battle ends · turn 1" in shown
    with nothing_written(world):
        again = await world.gm.slash(world.orders, "gm-events use", event=event, how="condition")
        assert "has no end condition" in refused(again)
    assert f"until {FORD} is over" in said(await world.gm.slash(world.orders, "gm effect"))


@pytest.mark.slow
async def test_a_removed_unit_takes_its_effects_along(world: World) -> None:
    """It rolls no more."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 2, 1], (100, 3), (100, 4))
    await ask(world, "unit remove", units="pikes, OGRES")
    assert state(world, "effect.") == {}
    assert "Axes" in await ask(world, "units")
    await ask(world, "turn")
    await check(world, [2])
    assert await sound(world)


@pytest.mark.slow
async def test_a_unit_that_changes_sides_takes_its_events_to_the_other(world: World) -> None:
    """The new side's token ends them."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [2, 2, 1], (100, 54))
    await ask(world, "turn")
    await check(world, [1, 2, 2], (100, 13))
    await ask(world, "unit edit", unit="Pikes", side="blues")
    assert "Blues used its token" in await ask(world, "use", event="Pikes")
    assert state(world, "token.") == {}
    assert await sound(world)


@pytest.mark.slow
async def test_a_unit_that_is_no_longer_saved_leaves_the_battle(world: World) -> None:
    """Names stay unique; one gone for good stays away."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await world.gm.slash(world.orders, "roster add", name="Pikes", kind="squad")
    await check(world, [1, 2, 2], (100, 35))
    with nothing_written(world):
        result = await world.gm.slash(world.orders, "roster edit", name="Pikes", new_name="axes")
        assert "Black Ford already has Axes, next to Pikes" in refused(result)
    assert "**Pikes** · gone for good" in await ask(world, "units")
    await removed(world, name="Pikes")
    assert "Pikes" not in await ask(world, "units")
    await ask(world, "turn")
    await check(world, [2, 2])
    assert await sound(world)


@pytest.mark.slow
async def test_an_old_question_does_not_ask_about_a_later_turn(world: World) -> None:
    """Units tired since are left out."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    await check(world, [1, 2, 1], (100, 45), (100, 45))
    asked = (await world.gm.slash(world.orders, "gm-events turn")).followups[-1]
    await check(world, [2, 1, 2], (100, 45))
    (tired,) = selects(asked)
    left = response(await world.gm.select(asked, [tired["options"][0]["value"]], custom_id=tired["custom_id"]))
    assert [item["label"] for select in selects(left) for item in select["options"]] == ["Ogres"]


@pytest.mark.slow
async def test_a_typed_die_draws_a_unit_too(world: World) -> None:
    """A d4 among four units can be typed or drawn."""
    await ford(world, reds="Pikes", blues="Ogres")
    await join(world, "Reds", "Bows, Slings, Darts, Guns", missile=True)
    await check(world, [], faces="1 2 2 2 2 2 3, d100: 31")
    assert "affects Darts" in posted(world)
    await ask(world, "turn")
    await check(world, [], (100, 31), (4, 4), faces="1 2 2 2 2 2")
    assert "affects Guns" in posted(world)


@pytest.mark.slow
async def test_typed_faces_make_no_drawn_die_void(world: World) -> None:
    """Extra faces are left, missing ones drawn."""
    await ford(world, reds="Pikes, Axes", blues="Ogres")
    left = told(await check(world, [], (100, 3), faces="1 2 2, d8: 5"))
    assert "1 typed die was not needed." in left
    more = {"faces": "1 2 2, d8: 5 6", "reason": "once more"}
    assert "2 typed dice were not needed." in told(await check(world, [], (100, 3), **more))
    used = told(await check(world, [], (100, 23), (100, 23), (8, 7), faces="1 1 2, d8: 5", reason="more"))
    assert "not needed" not in used
    assert "not needed" not in posted(world, 3)
    assert_says(posted(world), "d8: **5** (by hand)", "d8: **7**")
    assert await sound(world)


async def test_a_secret_unit_that_joins_is_pointed_out_to_game_masters_alone(world: World) -> None:
    """Players learn nothing, and posts have nothing."""
    await world.gm.slash(world.orders, "gm settings", players_may="random-events")
    await ford(world)
    for name in ("Ghosts", "Shades", "Wraiths"):
        await world.gm.slash(world.orders, "roster add", name=name, kind="squad", secret=True)
    await world.gm.slash(world.orders, "roster add", name="Pikes", kind="squad")
    one = told(await join(world, "Reds", "ghosts, Pikes"))
    assert "Ghosts is hidden, but all players see the roster and its events." in one
    await ask(world, "unit remove", units="Ghosts")
    assert "Ghosts and Shades are hidden" in told(await join(world, "Reds", "Ghosts, Shades"))
    named = {"units": "Wraiths", "side": "Reds"}
    assert "secret" not in await ask(world, "unit add", world.player, **named)
    assert "secret" not in str(entry(world))
    assert "Wraiths" in await ask(world, "units", world.player)
    assert await sound(world)
