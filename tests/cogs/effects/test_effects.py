"""Effects of rolls, and effects in battles and scenes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import simcord

from bot.cogs.effects import SetEffect, queries
from bot.core.campaigns import make_moment
from bot.core.errors import BadInput
from bot.core.subjects import Subjects
from rules.effects import End
from tests.cogs.battles.battlefield import FORD, ask, battle_over, check, ford, join, posted, state
from tests.cogs.captives.cells import set_effect
from tests.rules.toybook import TOY
from tests.support import reading
from tests.support.acting import close_update, fill_in, roll_command
from tests.support.backend import GM, PLAYER, opened
from tests.support.reading import said
from tests.support.template import fresh_url
from tests.support.toyscene import FEATURE, Table
from tests.support.world import BOOKS, World


async def scout(world: World, face: int, base: str = "Fort Anvil") -> simcord.InteractionResult:
    """Scout a base at once."""
    return await roll_command(world, "scout", face, scouter="Jonas", base=base, roll="now")


async def patrol(world: World, *faces: int, by: str, target: str = "Zaku column") -> simcord.InteractionResult:
    """Roll a patrol at once."""
    return await roll_command(world, "patrol", *faces, patrol=by, target=target, roll="now")


async def test_a_scouted_base_patrols_worse_over_updates(world: World) -> None:
    """With its entry, until a rule ends it."""
    await scout(world, 20)
    card = reading.response(await world.gm.slash(world.orders, "patrol", patrol="fort  ANVIL", target="Zaku column"))

    assert "patrol.scouted" in reading.ticked(card, "patrol")
    assert "since entry 3" in str(list(reading.components(card)))
    await close_update(world)
    await patrol(world, 1, by="Fort Anvil")
    assert "since entry 3" in reading.text(reading.newest(world.staff))


async def test_the_public_learns_the_outcome_and_the_staff_why(world: World) -> None:
    """#results has the outcome, #staff die and origin."""
    await scout(world, 20)
    world.dice.script(20)
    modifiers = "patrol.fleet, patrol.newtype"
    await world.gm.slash(
        world.orders, "patrol", patrol="Fort Anvil", target="Zaku column", modifiers=modifiers, roll="now"
    )
    public, staff = reading.text(reading.newest(world.results)), reading.text(reading.newest(world.staff))

    for answer in (public, staff):
        reading.assert_says(answer, "caught by", "must win to move on")
    reading.assert_lacks(public.casefold(), "1d20", "\N{MINUS SIGN}3", "scouted", "since entry")
    assert "*Dice and modifiers: game masters only.*" in public
    reading.assert_says(staff, "since entry 3", "\N{MINUS SIGN}3 ")


async def test_a_failed_scouting_leaves_nothing(world: World) -> None:
    """The roll is public."""
    await scout(world, 10)
    await patrol(world, 20, by="Fort Anvil")
    assert "1d20: **20** + 0 = **20**" in reading.text(reading.newest(world.results))
    assert len(world.staff.history()) == 1


async def test_the_same_patrol_again_asks_for_a_reason_until_the_update_is_over(world: World) -> None:
    """In the next update it needs none."""
    await patrol(world, 1, by="Kilo")
    assert "already rolled for Zaku column this update (Patrol, entry #3)" in reading.refused(
        await patrol(world, by="Kilo")
    )

    await close_update(world)
    assert "entry #5" in reading.said(await patrol(world, 1, by="Kilo")).casefold()


async def test_a_patrol_that_has_stopped_one_asks_for_a_reason(world: World) -> None:
    """For any target, in this update."""
    await patrol(world, 20, by="Kilo")
    answer = reading.refused(await patrol(world, by="Kilo", target="Dom"))
    assert "Kilo has already used its stop this update (entry #3)" in answer

    await close_update(world)
    assert "entry #5" in reading.said(await patrol(world, 1, by="Kilo", target="Dom")).casefold()


@pytest.mark.slow
async def test_a_reason_lets_the_roll_through_and_is_told_to_the_staff(world: World) -> None:
    """Players never read it."""
    await patrol(world, 1, by="Kilo")
    card = reading.response(await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku column"))
    await fill_in(world.gm, card, {"reason": "A modifier was missed"}, custom_id=reading.press(card, "roll"))

    assert "\n#4" in reading.text(reading.newest(world.results))
    shown = reading.said(await world.gm.slash(world.orders, "ledger", entry=4))
    assert "**Rolled again because:** A modifier was missed" in shown
    for public in (
        reading.text(reading.newest(world.results)),
        reading.said(await world.player.slash(world.orders, "ledger", entry=4)),
    ):
        assert "caught by" in public
        reading.assert_lacks(public, "missed", "Rolled again")


@pytest_asyncio.fixture(name="table")
async def table_fixture(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Table]:
    """A house with the toy book and scenes."""
    folder = tmp_path_factory.mktemp("effects")
    with fresh_url("sqlite", folder) as url:
        async with opened(url, books={**BOOKS, "toy": TOY}, more=[FEATURE]) as house:
            house.campaign = await house.edit({"books": "campaign, toy"})
            yield Table(house)


async def read_lasting(table: Table) -> dict[str, object]:
    """Stored effects by name."""
    return {name: value for (_, name), value in (await table.house.state()).items() if name.startswith("effect.")}


@pytest.mark.slow
async def test_an_effect_of_a_book_takes_its_declared_turns(table: Table) -> None:
    """From the next turn on, even set by hand."""
    await table.begin("Ann", "Bob")
    await set_effect(table.house, "Ann", "Dazed")
    for left in (2, 2, 1, 1):  # Ann, in whose turn it began, Bob, Ann, Bob
        await table.next()
        kept = (await read_lasting(table))["effect.dazed"]
        assert isinstance(kept, dict)
        assert kept["turns"]["left"] == left
    await table.next()
    assert await read_lasting(table) == {}


@pytest.mark.slow
async def test_outside_of_a_scene_nothing_is_written(table: Table) -> None:
    """Unless another end is picked."""
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
    """The effect needs `whose:`."""
    await table.begin("Ann", "Bob")
    house = table.house
    bob, ann = await house.database.write(lambda tx: Subjects(tx, house.campaign.id).all_of(["Bob", "Ann"]))
    now, ward = make_moment(1, house.clock()), End("turns", 3, "initiator")
    with pytest.raises(BadInput, match="the turns of the one who causes it"):
        await house.database.read(queries.begin_ending, house.campaign, now, bob, None, ward)
    found = await house.database.read(queries.begin_ending, house.campaign, now, bob, ann, ward)
    assert found.keys == {"turns": {"scene": "scene:the docks", "of": ann.id, "left": 3}}


async def test_turns_and_the_end_of_a_battle_end_what_was_set_for_them(world: World) -> None:
    """Turns are `whose:`'s; battles end what's set for them."""
    await ford(world, reds="Archers", blues="Ogres")
    slash = world.gm.slash
    answer = said(await slash(world.orders, "gm effect", who="Archers", effect="Under siege", turns=1, whose="Ogres"))
    assert f"Archers: under siege, until turn 2 of {FORD} is over, counted from turn 2, or Ogres leaves" in answer
    answer = said(await slash(world.orders, "gm effect", who="Ogres", effect="Under siege", until="scene"))
    assert f"Ogres: under siege, until {FORD} is over" in answer
    listed = said(await slash(world.orders, "gm effect"))
    assert f"until turn 2 of {FORD} is over, counted from turn 2, or Ogres leaves" in listed
    assert "until its scene is over" in listed
    await check(world, [2, 2])
    await ask(world, "turn")
    assert "Archers" not in posted(world)
    assert f"until turn 2 of {FORD} is over, or Ogres leaves" in said(await slash(world.orders, "gm effect"))
    await check(world, [2, 2])
    await ask(world, "turn")
    assert "Archers: Under siege \N{EM DASH} ended" in posted(world)
    assert "Archers" not in said(await slash(world.orders, "gm effect"))
    await battle_over(world)
    assert state(world, "effect.") == {}


async def test_a_list_names_whose_turns_count_to_those_who_may_know(world: World) -> None:
    """Players read no secret name."""
    await ford(world)
    await world.gm.slash(world.orders, "roster add", name="Ghosts", kind="squad", secret=True)
    await world.gm.slash(world.orders, "roster add", name="Archers", kind="squad")
    await join(world, "Reds", "Archers, Ghosts")
    await world.gm.slash(world.orders, "gm effect", who="Archers", effect="Under siege", turns=2, whose="Ghosts")
    assert "or Ghosts leaves" in said(await world.gm.slash(world.orders, "gm effect"))
    closed = said(await world.player.slash(world.orders, "gm effect"))
    assert f"until turn 3 of {FORD} is over, counted from turn 2" in closed
    assert "Ghosts" not in closed


async def test_the_post_of_a_turn_keeps_who_is_secret(world: World) -> None:
    """No post names a secret unit."""
    await ford(world)
    await world.gm.slash(world.orders, "roster add", name="Ghosts", kind="squad", secret=True)
    await join(world, "Reds", "Ghosts")
    await world.gm.slash(world.orders, "gm effect", who="Ghosts", effect="Under siege", turns=1)
    for _ in range(2):
        await check(world, [2])
        await ask(world, "turn")
    assert state(world, "effect.") == {}
    assert "siege" not in posted(world)


@pytest.mark.slow
async def test_turns_of_ones_own_are_told_as_such(table: Table) -> None:
    """The running turn doesn't count."""
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
