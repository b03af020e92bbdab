"""`/newtype`: a saved character's level, rolled once."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.errors import NeedsReason
from bot.core.profiles import Profile
from bot.rolls.request import PartRequest, RollRequest
from rules.subjects import PROFILE
from tests.cogs.captives.cells import read_value, save, sound
from tests.support.acting import close_update, removed, roll_command
from tests.support.backend import House
from tests.support.reading import assert_says, control, odds, press, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, send_raw, written

LALAH = {"character": "Lalah", "roll": "now"}


def generation(name: str, affiliation: str | None = None, reason: str | None = None) -> RollRequest:
    """A newtype roll."""
    part = PartRequest(subjects={"character": name}, choices={"affiliation": affiliation} if affiliation else {})
    return RollRequest(book="campaign", family="newtype", parts=(part,), reason=reason)


async def add(world: World, name: str = "Lalah", **more: Any) -> None:  # noqa: ANN401
    """Save a character through Discord."""
    await world.gm.slash(world.orders, "roster add", name=name, **{"kind": "pc", **more})


async def test_whoever_is_not_saved_has_no_level_to_roll(world: World) -> None:
    """Nothing is rolled or written."""
    await world.gm.slash(world.orders, "roster add", name="White Base", kind="ship")
    with nothing_written(world):
        for roll in ("card", "now"):
            answer = refused(await world.gm.slash(world.orders, "newtype", character="Lalah", roll=roll))
            assert_says(answer, "the character 'Lalah'", "/unit")
        answer = refused(await world.gm.slash(world.orders, "newtype", character="White Base", roll="now"))
        assert "White Base is a unit" in answer


async def test_removed_between_card_and_press(world: World) -> None:
    """The press is refused before any die."""
    await add(world)
    card = response(await world.gm.slash(world.orders, "newtype", character="Lalah"))
    await removed(world, name="Lalah")
    with nothing_written(world):
        assert "isn't a saved character" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


@pytest.mark.slow
async def test_the_saved_side_decides_where_nothing_is_picked(world: World) -> None:
    """Zeon has a plus; another pick redraws the card."""
    await add(world, side="Zeon")
    await add(world, "Amuro", side="EF")
    card = response(await world.gm.slash(world.orders, "newtype", character="lalah"))
    picked = {item["value"] for item in control(card, "choice:affiliation")["options"] if item.get("default")}
    assert picked == {"other Zeon"}
    assert odds(card) == {"Oldtype": "85%", "NT1": "5%", "NT2": "5%", "NT3": "5%"}
    redrawn = response(await world.gm.select(card, ["rogue"], custom_id=press(card, "choice:affiliation")))
    assert odds(redrawn) == {"Oldtype": "65%", "NT1": "15%", "NT2": "10%", "NT3": "10%"}

    other = response(await world.gm.slash(world.orders, "newtype", character="Amuro"))
    assert odds(other) == {"Oldtype": "90%", "NT1": "5%", "NT2": "5%"}
    named = response(await world.gm.slash(world.orders, "newtype", character="Lalah", affiliation="other EF"))
    assert odds(named) == {"Oldtype": "90%", "NT1": "5%", "NT2": "5%"}


async def test_a_second_roll_asks_a_game_master_for_a_reason_at_any_time(world: World) -> None:
    """Only a reason rolls it again, even updates later."""
    await add(world, owner=world.player)
    await world.gm.slash(world.orders, "gm settings", players_may="newtype")
    await roll_command(world, "newtype", 1, **LALAH)
    await close_update(world)
    before = written(world)
    answer = refused(await world.gm.slash(world.orders, "newtype", **LALAH))
    assert_says(answer, "Lalah has already had one (Newtype generation, entry #5)", "write your reason as the note")
    answer = refused(await world.player.slash(world.orders, "newtype", **LALAH))
    assert "game master has to make this roll" in answer
    assert written(world) == (before[0], before[1] + 1, before[2] + 1, before[3])  # a card waits for the reason

    await roll_command(world, "newtype", 20, **LALAH, note="the page was misread")
    assert entry(world)["parts"][0]["outcome"]["id"] == "nt2"
    card = response(await world.gm.slash(world.orders, "newtype", character="Lalah"))
    assert "Roll asks for your reason" in text(card)


async def test_it_is_the_game_masters_until_it_is_opened(world: World) -> None:
    """Open, players can roll for their own characters."""
    await add(world)
    with nothing_written(world):
        assert "is for game masters" in refused(await world.player.slash(world.orders, "newtype", **LALAH))
        assert "don't play" in refused(await world.stranger.slash(world.orders, "newtype", **LALAH))
        assert "2 names" in refused(await world.gm.slash(world.orders, "newtype", character="A, B"))
    await world.gm.slash(world.orders, "gm settings", players_may="newtype")
    with nothing_written(world):
        for roll in ("card", "now"):
            answer = refused(await world.player.slash(world.orders, "newtype", character="Lalah", roll=roll))
            assert "isn't yours" in answer


async def test_a_level_set_by_hand_is_not_replaced_without_a_reason(world: World) -> None:
    """A known level needs a reason."""
    await world.gm.slash(world.orders, "roster add", name="Haman", kind="npc", fields="newtype: 8")
    before = written(world)
    answer = refused(await world.gm.slash(world.orders, "newtype", character="Haman", roll="now"))
    assert "Newtype generation: already known for Haman" in answer
    assert written(world) == (before[0], before[1] + 1, before[2] + 1, before[3])  # a card waits for the reason


async def test_a_level_that_is_known_asks_for_a_reason(house: House) -> None:
    """An Oldtype's level counts too."""
    for name, level in (("Lalah", 7), ("Kai", 0)):
        await save(house.database, Profile(name, "pc").with_fields({"newtype": level}))
        with pytest.raises(NeedsReason, match=f"already known for {name}"):
            await house.roll(generation(name.upper()))
        await house.roll(generation(name, reason="misread"), 20)
        assert (await read_value(house, name))[PROFILE]["newtype"] == 2


@pytest.mark.slow
async def test_a_level_rolled_under_another_name_is_the_same_characters(house: House) -> None:
    """Case doesn't matter; other fields stay."""
    saved = Profile("Lalah", "pc", side="Zeon", traits={"lucky": 1}, fields={"callsign": "Swan"})
    await save(house.database, saved)
    await house.roll(generation("LALAH", "other Zeon"), 18)
    assert (await read_value(house, "Lalah"))[PROFILE] == saved.value() | {"newtype": 1, "newtype_from": 3}
    with pytest.raises(NeedsReason):
        await house.roll(generation("lalah"))
    await house.roll(generation("lalah", reason="misread"), 1)
    assert (await read_value(house, "Lalah"))[PROFILE]["newtype"] == 0
    assert await sound(house)


async def test_characters_and_modifiers_are_offered(world: World) -> None:
    """Units aren't offered."""
    await add(world)
    await world.gm.slash(world.orders, "roster add", name="White Base", kind="ship")
    found = await world.gm.autocomplete(world.orders, "newtype", "character", "")
    assert [choice["value"] for choice in found] == ["Lalah"]
    found = await world.gm.autocomplete(world.orders, "newtype", "modifiers", "", character="Lalah")
    assert [choice["value"] for choice in found] == ["character.zeon"]


@pytest.mark.slow
async def test_a_level_rolled_in_private_is_not_on_the_card(world: World) -> None:
    """Published or set by hand, it's no secret."""
    await add(world)
    await add(world, "Haman")
    await world.gm.slash(world.orders, "gm settings", players_may="levels")
    await roll_command(world, "newtype", 19, 19, **LALAH, affiliation="NT Korps pilot", to="me")
    await world.gm.slash(world.orders, "newtype", character="Haman", roll="now", to="me")

    async def see_card(name: str = "Lalah") -> str:
        return said(await world.player.slash(world.orders, "unit", name=name))

    assert "newtype level 4" in said(await world.gm.slash(world.orders, "unit", name="Lalah"))
    assert "newtype level" not in await see_card()
    assert "newtype level" not in said(await world.player.slash(world.orders, "unit", kind="characters"))
    (number,) = rows(world, "select min(number) from entry where kind = 'roll'")[0]
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    assert "newtype level 4" in await see_card()
    await world.gm.slash(world.orders, "roster edit", name="Haman", fields="newtype: 7")
    assert "newtype level 7" in await see_card("Haman")


@pytest.mark.parametrize(("side", "traits"), [("Rogues", ()), pytest.param("EF", ("rogue",), marks=pytest.mark.slow)])
async def test_a_saved_rogue_rolls_as_a_rogue(world: World, side: str, traits: tuple[str, ...]) -> None:
    """Line 9: by side or trait; another affiliation can be picked."""
    card = response(await world.gm.slash(world.orders, "roster add", kind="pc", name="Vera", side=side))
    if traits:
        await world.gm.select(card, [*traits], custom_id=press(card, "pick:rank/"))
    card = response(await world.gm.slash(world.orders, "newtype", character="Vera"))
    assert "(rogue)" in text(card)
    await roll_command(world, "newtype", 15, character="Vera", roll="now")
    assert entry(world)["parts"][0]["steps"][0]["table"] == "campaign.newtype.enlisted"
