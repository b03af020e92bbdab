from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.cogs.roster.test_import import send_file
from tests.support.reading import newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows


async def unit(world: World, name: str, **options: Any) -> None:  # noqa: ANN401 - options of the command
    """Save a unit."""
    await world.gm.slash(world.orders, "roster add", name=name, **{"kind": "squad", **options})


async def patrol(world: World, target: str, *faces: int, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401
    """Roll a patrol of Kilo's."""
    world.dice.script(*faces)
    return await world.gm.slash(world.orders, "patrol", patrol="Kilo", target=target, **{"roll": "now", **options})


@pytest.mark.slow
async def test_a_card_follows_a_rename(world: World) -> None:
    """Someone renamed stays the same subject."""
    await unit(world, "Kilo")
    await unit(world, "Ghost")
    card = response(await patrol(world, "ghost", roll="card"))
    await world.gm.slash(world.orders, "roster edit", name="Ghost", new_name="Grey Ghost")
    await world.gm.slash(world.orders, "roster edit", name="Kilo", new_name="Lima")
    world.dice.script(20)
    await world.gm.click(card, custom_id=press(card, "roll"))
    body = entry(world)
    assert body["parts"][0]["subjects"] == {"patrol": "Lima", "target": "Grey Ghost"}
    assert set(body["names"].values()) == {"Lima", "Grey Ghost"}
    assert "rolled.patrol.1" in kept(world, "Grey Ghost")
    await require_whole(world)


async def test_of_two_of_one_name_the_number_says_which(world: World) -> None:
    """The number isn't shown in the result."""
    await unit(world, "Kilo")
    await unit(world, "Contact", secret=True, side="EF")
    await unit(world, "Contact", secret=True, side="Zeon")
    with nothing_written(world):
        told = refused(await patrol(world, "contact"))
        assert "There are 2 named contact.\nSay which: Contact #2 or Contact #3." in told
        assert "Two units named Contact are in this roll" in refused(await patrol(world, "Contact #2, Contact #3"))
    receipt = said(await patrol(world, "Contact #3:neutral", 1))
    assert "#3" not in receipt.replace("#3 ", "")
    assert entry(world)["parts"][0]["subjects"]["target"] == "Contact"
    assert [row[0] for row in rows(world, "select subject from state where name = 'rolled.patrol.1'")] == ["subject:3"]
    assert "Contact" in text(newest(world.staff))
    assert "Contact #3" not in text(newest(world.staff))
    await require_whole(world)


async def test_completion_tells_two_of_one_name_apart(world: World) -> None:
    """Other names have no number."""
    await unit(world, "Kilo")
    await unit(world, "Contact", secret=True, side="EF")
    await unit(world, "Contact", secret=True, side="Zeon")
    for command, option in (("patrol", "target"), ("scout", "base"), ("gm effect", "who"), ("unit", "name")):
        offered = await world.gm.autocomplete(world.orders, command, option, "")
        values = {choice["value"] for choice in offered}
        assert {"Contact #2", "Contact #3", "Kilo"} <= values, command
        assert "Contact" not in values, command
    listed = said(await world.gm.slash(world.orders, "unit", kind="units"))
    assert "**Contact #2** \N{MIDDLE DOT} squad \N{MIDDLE DOT} EF" in listed
    assert "**Contact #3** \N{MIDDLE DOT} squad \N{MIDDLE DOT} Zeon" in listed
    assert "Kilo #" not in listed


@pytest.mark.slow
async def test_a_number_opens_no_door(world: World) -> None:
    """Players learn nothing from numbers."""
    await unit(world, "Contact", secret=True, side="EF")
    await unit(world, "Contact", secret=True, side="Zeon")
    for typed in ("Contact #1", "Contact #2", "Contact #3", "Contact"):
        assert f"I don't know a unit or character called '{typed}'." in refused(
            await world.player.slash(world.orders, "unit", name=typed)
        )
        assert "No effects that you can see" in said(await world.player.slash(world.orders, "gm effect", who=typed))
    assert await world.player.autocomplete(world.orders, "unit", "name", "") == []


@pytest.mark.parametrize("name", ["Contact #2", "contact #999999999"])
async def test_nobody_is_saved_under_a_name_that_looks_like_a_number(world: World, name: str) -> None:
    """Not by add, rename or import."""
    await unit(world, "Contact")
    with nothing_written(world):
        for told in (
            refused(await world.gm.slash(world.orders, "roster add", name=name, kind="squad")),
            refused(await world.gm.slash(world.orders, "roster edit", name="Contact", new_name=name)),
            refused(await send_file(world, f"name,kind\n{name},ship\n")),
        ):
            assert "can't end in # and a number" in told


async def test_a_number_that_nobody_has_is_answered_with_those_there_are(world: World) -> None:
    """If they may know them, in every command."""
    for _ in range(2):
        await unit(world, "Contact", secret=True)
    for command, option in (("unit", "name"), ("gm effect", "who")):
        more = {"effect": "hidden"} if command == "gm effect" else {}
        told = refused(await world.gm.slash(world.orders, command, **{option: "Contact #9"}, **more))
        assert "I don't know Contact #9.\nDid you mean Contact #1 or Contact #2?" in told


async def test_the_longest_name_takes_a_number_too(world: World) -> None:
    """60 letters and a number."""
    longest = "Contact of unknown strength, course and purpose off Jaburo".replace(",", " ;").ljust(60, "o")
    for _ in range(2):
        await unit(world, longest, secret=True)
    await world.gm.slash(world.orders, "gm effect", who=f"{longest} #2", effect="hidden")
    assert entry(world)["names"] == {"2": longest}
    assert "is too long" in refused(
        await world.gm.slash(world.orders, "gm effect", who=f"{longest}o #2", effect="hidden")
    )
