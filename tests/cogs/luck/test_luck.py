"""`/luck`: which rolls it counts, and for whose eyes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.cogs import luck
from tests.cogs.ledger.test_amend import adjust, open_card
from tests.cogs.weather import skywatch
from tests.support.acting import roll_command, take_back
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.world import World, rows, running, send_raw


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """A running bot whose players may scout."""
    async with running(database_url) as made:
        await made.gm.slash(made.orders, "gm settings", players_may="scouting")
        yield made


async def throw_dice(world: World, *faces: int, sides: int = 6, by: str = "player", **options: str) -> None:
    """Throw free dice."""
    world.dice.script(*faces, sides=sides)
    await getattr(world, by).slash(world.orders, "roll", expression=f"{len(faces)}d{sides}", **options)


async def test_counts_come_with_a_picture_that_says_the_same(world: World) -> None:
    """Most rolled first; the alt text has the same facts."""
    for _ in range(6):
        await throw_dice(world, 1, 2, 3, 4, 5, 6)
    await throw_dice(world, 20, sides=20)
    answer = response(await world.player.slash(world.orders, "luck"))
    told = text(answer)
    assert "37 dice of 7 rolls." in told
    assert told.index("**d6**, rolled 36 times: mean 3.50, expected 3.5") < told.index("**d20**, rolled once")
    assert "1: 6, 2: 6, 3: 6, 4: 6, 5: 6, 6: 6" in told
    assert "nearly all fair campaigns are at least this uneven (chi-square 0.0, 5 degrees of freedom)" in told
    assert "Too few rolls to judge: a d20 needs at least 10." in told
    (picture,) = answer.attachments
    assert "d6: rolled 36 times, 6.0 expected of each face" in str(picture.description)


async def test_few_throws_are_counted_in_groups_and_said_to_be(world: World) -> None:
    """Ten throws of a d6 make two groups."""
    await throw_dice(world, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    told = said(await world.player.slash(world.orders, "luck"))
    assert "Unusual: only 0.16% of fair campaigns are at least this uneven (chi-square 10.0)" in told
    assert "Few rolls: 3 neighbouring faces count together" in told


async def test_each_option_narrows_the_count(world: World) -> None:
    """By member, unit, kind and time."""
    await throw_dice(world, 1)
    world.clock.advance(days=20)
    await throw_dice(world, 2, 3, by="gm")
    await roll_command(world, "scout", 4, scouter="Jonas", base="Fort", roll="now")

    async def dice(**options: object) -> str:
        return said(await world.gm.slash(world.orders, "luck", **options)).split(".")[0].strip().splitlines()[-1]

    assert await dice() == "4 dice of 3 rolls"
    assert await dice(person=world.player) == "1 die of 1 roll"
    assert await dice(person=world.gm) == "3 dice of 2 rolls"
    assert await dice(unit="jonas") == "1 die of 1 roll"
    assert await dice(family="Scouting") == "1 die of 1 roll"
    assert await dice(weeks=2) == "3 dice of 2 rolls"
    for options in ({"person": world.stranger}, {"unit": "Nobody"}, {"family": "Nothing"}):
        assert "No dice that you can see" in refused(await world.gm.slash(world.orders, "luck", **options))


async def test_a_slip_in_a_name_is_asked_about(world: World) -> None:
    """One press counts the meant character; never a secret one."""
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Jonas Falk", secret=True)
    await roll_command(world, "scout", 4, scouter="Jonas Falk", base="Fort", roll="now")
    asked = await world.gm.slash(world.orders, "luck", unit="Jonas Fakl", weeks=3)
    assert_says(refused(asked), "Nothing is known of Jonas Fakl.", "Did you mean Jonas Falk?")
    told = said(await world.gm.click(response(asked), label="Jonas Falk"))
    assert_says(told, "1 die of 1 roll", "the last 3 weeks")
    ages = luck.MEANT.fill(campaign=1, weeks=999_999_999, unit="Jonas Falk")
    assert "1 die of 1 roll" in said(await send_raw(world.gm, world.orders, ages))
    narrowed = response(await world.gm.slash(world.orders, "luck", unit="Jonas Fakl", family="Scouting"))
    assert_says(text(narrowed), "Did you mean Jonas Falk?")
    assert not labels(narrowed)
    assert "No dice that you can see" in refused(await world.player.slash(world.orders, "luck", unit="Jonas Fakl"))


async def test_a_die_counts_once_where_it_fell(world: World) -> None:
    """Also if void, not in amendments, never if typed."""
    await roll_command(world, "patrol", 4, patrol="Kilo", target="Zaku", roll="now")
    number = rows(world, "select max(number) from entry")[0][0]
    before = said(await world.player.slash(world.orders, "luck"))
    card = await open_card(world, number)
    await adjust(world.gm, card, "1", "Rope")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert said(await world.player.slash(world.orders, "luck")) == before
    await take_back(world, "gm undo", world.gm, entry=number + 1, reason="no")
    assert said(await world.player.slash(world.orders, "luck")) == before


async def test_players_count_what_they_may_see_alone(world: World) -> None:
    """Staff dice count only for game masters."""
    await throw_dice(world, 1)
    before = said(await world.player.slash(world.orders, "luck"))
    await throw_dice(world, 2, by="gm", to="staff")
    await throw_dice(world, 3, by="gm", to="me")
    assert said(await world.player.slash(world.orders, "luck")) == before
    assert "3 dice of 3 rolls" in said(await world.gm.slash(world.orders, "luck"))
    assert "2 dice of 2 rolls" in said(await world.gm2.slash(world.orders, "luck"))
    assert "Only players of Iron Sea" in refused(await world.stranger.slash(world.orders, "luck"))


async def test_a_mixed_roll_counts_its_public_dice_alone(world: World) -> None:
    """Players count one die, and learn of no other."""
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    await roll_command(world, "patrol", 6, 20, patrol="Kilo", target="Shadow, Zaku", roll="now")
    assert rows(world, "select audience from entry order by number desc")[0] == ("mixed",)
    told = said(await world.player.slash(world.orders, "luck"))
    assert "1 die of 1 roll." in told
    assert "2 dice of 1 roll." in said(await world.gm.slash(world.orders, "luck"))
    assert "No dice" in refused(await world.player.slash(world.orders, "luck", unit="Shadow"))


@pytest.mark.parametrize("publish", [False, True])
async def test_a_die_that_its_result_hides_is_not_counted(world: World, *, publish: bool) -> None:
    """Neither with secret modifiers nor in published results."""
    await throw_dice(world, 1)
    before = said(await world.player.slash(world.orders, "luck"))
    await roll_command(world, "scout", 20, scouter="Jonas", base="Fort Anvil", to="staff", roll="now")
    world.dice.script(20)
    options = {"modifiers": "patrol.fleet, patrol.newtype", "to": "staff" if publish else "auto"}
    await world.gm.slash(world.orders, "patrol", patrol="Fort Anvil", target="Zaku column", roll="now", **options)
    number = rows(world, "select max(number) from entry")[0][0]
    if publish:
        await send_raw(world.gm, world.orders, f"publish:1:{number}:now")
    assert rows(world, "select audience from entry where number = ?", number) == [("results",)]
    assert "Dice and modifiers: game masters only" in said(
        await world.player.slash(world.orders, "ledger", entry=number)
    )
    assert said(await world.player.slash(world.orders, "luck")) == before
    assert "3 dice of 3 rolls" in said(await world.gm.slash(world.orders, "luck"))


async def test_of_a_long_ledger_the_newest_rolls_are_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer says so."""
    monkeypatch.setattr(luck, "MOST", 2)
    for face in (1, 2, 3):
        await throw_dice(world, face)
    told = said(await world.player.slash(world.orders, "luck"))
    assert_says(told, "2 dice of 2 rolls", "mean 2.50", "Only the newest")
    await throw_dice(world, 6, sides=20)
    assert "d20" in said(await world.player.slash(world.orders, "luck"))


async def test_the_weathers_dice_count_as_the_answer_says(world: World) -> None:
    """A rolled week counts."""
    await skywatch.roll(world, *skywatch.FAIR)
    told = said(await world.player.slash(world.orders, "luck"))
    assert_says(told, "5 dice of 1 roll.", "including weather")
