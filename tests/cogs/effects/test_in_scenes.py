"""Effects set by hand on those who stand in a battle or another scene: they end with it, or after turns there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.cogs.effects import queries
from bot.cogs.effects.actions import SetEffect
from bot.core.campaigns import make_moment
from bot.core.subjects import Subjects
from bot.errors import BadInput
from rules.ends import End
from tests.cogs.battles.battlefield import FORD, ask, battle_over, check, ford, join, posted, state
from tests.cogs.captives.cells import set_effect
from tests.rules.toybook import TOY
from tests.support.backend import GM, PLAYER, opened
from tests.support.reading import said
from tests.support.template import fresh_url
from tests.support.toyscene import FEATURE, Table
from tests.support.world import BOOKS, World


@pytest_asyncio.fixture(name="table")
async def table_fixture(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Table]:
    """A house whose campaign plays by the toy book too, and at which scenes are played."""
    folder = tmp_path_factory.mktemp("effects")
    with fresh_url("sqlite", folder) as url:
        async with opened(url, books={**BOOKS, "toy": TOY}, more=[FEATURE]) as house:
            house.campaign = await house.edit({"books": "campaign, toy"})
            yield Table(house)


async def lasting(table: Table) -> dict[str, object]:
    """What the state keeps of effects, by name."""
    return {name: value for (_, name), value in (await table.house.state()).items() if name.startswith("effect.")}


@pytest.mark.slow
async def test_an_effect_of_a_book_takes_its_declared_turns(table: Table) -> None:
    """Daze lasts for two turns of whoever bears it, from the next one on, also when a game master sets it."""
    await table.begin("Ann", "Bob")
    await set_effect(table.house, "Ann", "Dazed")
    for left in (2, 2, 1, 1):  # Ann, in whose turn it began, Bob, Ann, Bob
        await table.next()
        kept = (await lasting(table))["effect.dazed"]
        assert isinstance(kept, dict)
        assert kept["turns"]["left"] == left
    await table.next()
    assert await lasting(table) == {}


@pytest.mark.slow
async def test_outside_of_a_scene_nothing_is_written(table: Table) -> None:
    """What its scene ends, or turns there, is refused for whoever stands in none, unless another end is asked for."""
    before = await table.house.entries()
    for more in ({}, {"until": "scene"}, {"turns": 1}):
        with pytest.raises(BadInput, match="Bob isn't in a battle or scene"):
            await set_effect(table.house, "Bob", "Dazed", **more)
    with pytest.raises(BadInput, match="after hours or turns"):
        await set_effect(table.house, "Bob", "Dazed", turns=1, hours=1)
    with pytest.raises(BadInput, match="doesn't end after turns"):
        await set_effect(table.house, "Bob", "Dazed", until="cleared", whose="Ann")
    assert await table.house.entries() == before
    await set_effect(table.house, "Bob", "Dazed", until="cleared")


@pytest.mark.slow
async def test_turns_of_the_initiator_are_those_of_whoever_is_named(table: Table) -> None:
    """An effect that its book counts by whoever brings it about asks for that one."""
    await table.begin("Ann", "Bob")
    house = table.house
    bob, ann = await house.database.write(lambda tx: Subjects(tx, house.campaign.id).all_of(["Bob", "Ann"]))
    now, ward = make_moment(1, house.clock()), End("turns", 3, "initiator")
    with pytest.raises(BadInput, match="the turns of the one who causes it"):
        await house.database.read(queries.begin_ending, house.campaign, now, bob, None, ward)
    found = await house.database.read(queries.begin_ending, house.campaign, now, bob, ann, ward)
    assert found.keys == {"turns": {"scene": "scene:the docks", "of": ann.id, "left": 3}}


async def test_turns_and_the_end_of_a_battle_end_what_was_set_for_them(world: World) -> None:
    """`turns:` counts those of the one named in `whose:`, and what is set until the battle is over ends with it."""
    await ford(world, reds="Archers", blues="Ogres")
    slash = world.gm.slash
    told = said(await slash(world.orders, "effect set", who="Archers", effect="Under siege", turns=1, whose="Ogres"))
    assert f"Archers: under siege, until turn 2 of {FORD} is over, counted from turn 2, or Ogres leaves" in told
    told = said(await slash(world.orders, "effect set", who="Ogres", effect="Under siege", until="scene"))
    assert f"Ogres: under siege, until {FORD} is over" in told
    listed = said(await slash(world.orders, "effect list"))
    assert f"until turn 2 of {FORD} is over, counted from turn 2, or Ogres leaves" in listed
    assert "until its scene is over" in listed
    await check(world, [2, 2])
    await ask(world, "turn")
    assert "Archers" not in posted(world)
    assert f"until turn 2 of {FORD} is over, or Ogres leaves" in said(await slash(world.orders, "effect list"))
    await check(world, [2, 2])
    await ask(world, "turn")
    assert "Archers: Under siege \N{EM DASH} ended" in posted(world)
    assert "Archers" not in said(await slash(world.orders, "effect list"))
    await battle_over(world)
    assert state(world, "effect.") == {}


async def test_a_list_names_whose_turns_count_to_those_who_may_know(world: World) -> None:
    """Game masters read the name of a secret one whose turns end an effect, players no name."""
    await ford(world)
    await world.gm.slash(world.orders, "unit add", name="Ghosts", kind="squad", secret=True)
    await world.gm.slash(world.orders, "unit add", name="Archers", kind="squad")
    await join(world, "Reds", "Archers, Ghosts")
    await world.gm.slash(world.orders, "effect set", who="Archers", effect="Under siege", turns=2, whose="Ghosts")
    assert "or Ghosts leaves" in said(await world.gm.slash(world.orders, "effect list"))
    closed = said(await world.player.slash(world.orders, "effect list"))
    assert f"until turn 3 of {FORD} is over, counted from turn 2" in closed
    assert "Ghosts" not in closed


async def test_the_post_of_a_turn_keeps_who_is_secret(world: World) -> None:
    """What ends on a secret unit with a turn is told in no post."""
    await ford(world)
    await world.gm.slash(world.orders, "unit add", name="Ghosts", kind="squad", secret=True)
    await join(world, "Reds", "Ghosts")
    await world.gm.slash(world.orders, "effect set", who="Ghosts", effect="Under siege", turns=1)
    for _ in range(2):
        await check(world, [2])
        await ask(world, "turn")
    assert state(world, "effect.") == {}
    assert "siege" not in posted(world)


@pytest.mark.slow
async def test_turns_of_ones_own_are_told_as_such(table: Table) -> None:
    """Where each has turns of its own, the receipt and the list say whose are waited for, and that a running one is not counted."""
    await table.begin("Ann", "Bob")
    house = table.house
    number = await set_effect(house, "Ann", "Dazed", whose="Bob")
    words = "until Bob has had 2 more turns in The docks"
    assert f"{words}, not counting the current one" in SetEffect.sentence((await house.entries())[number - 1].content())
    await table.next()
    (effect,) = await house.database.read(queries.list_effects, house.resolver.library, GM, house.campaign)
    assert effect.ends == words
    (effect,) = await house.database.read(queries.list_effects, house.resolver.library, PLAYER, house.campaign)
    assert effect.ends == "until Bob has had 2 more turns"
