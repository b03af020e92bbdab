"""`/complications`: one staff roll per side."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.cogs.campaign.groups import SaveGroup
from bot.core.errors import BadInput
from bot.core.profiles import Profile
from bot.rolls.request import PartRequest, RollRequest
from tests.cogs.captives.cells import add_effect, clear_effect, interrogation, release, save, set_effect, sound, take
from tests.cogs.weather.skywatch import put as put_weather
from tests.support.acting import more_of, roll_command, tick
from tests.support.backend import House
from tests.support.reading import control, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written, written

JABURO = {"battle": "Jaburo", "sides": "Zeon, EF"}
DEFENDED = JABURO | {"defender": "ef", "base": "Fort Basalt"}


def battle(*sides: str) -> RollRequest:
    """A battle's complications."""
    parts = tuple(PartRequest(subjects={"side": side, "battle": "Jaburo"}) for side in sides)
    return RollRequest(book="campaign", family="complications", parts=parts)


def sums(world: World) -> dict[str, int]:
    """What was added to each die."""
    return {part["subjects"]["side"]: part["steps"][0]["sum"] for part in entry(world)["parts"]}


async def test_damage_counts_for_the_defender_alone(world: World) -> None:
    """The card says so (UC-2)."""
    await save(world.bots[0].database, Profile("Fort Basalt", "base", traits={"damaged-hq-bunker": 1, "urban": 1}))
    card = response(await roll_command(world, "complications", 10, 10, **DEFENDED))
    assert ticked(card, "base") == set()
    assert ticked(await more_of(world.gm, card), "also true") == set()
    second = response(await world.gm.select(card, ["1"], custom_id=press(card, "part")))
    assert ticked(second, "base") == {"side.damaged-hq-bunker"}
    assert ticked(await more_of(world.gm, second), "also true") == {"side.defends-base"}
    assert "defends Fort Basalt" in str(control(second, "tick:also true:0"))
    await world.gm.click(second, custom_id=press(second, "roll"))
    assert sums(world) == {"Zeon": 0, "EF": -1}


async def test_whoever_does_not_defend_after_all_is_unticked(world: World) -> None:
    """Without the tick, its bunker doesn't count."""
    await save(world.bots[0].database, Profile("Fort Basalt", "base", traits={"damaged-hq-bunker": 1}))
    options = {"battle": "Jaburo", "sides": "EF", "defender": "EF", "base": "Fort Basalt"}
    card = response(await world.gm.slash(world.orders, "complications", **options))
    assert "-1 HQ bunker" in text(card).replace("\N{MINUS SIGN}", "-")
    assert "-1 HQ bunker" not in (await tick(world.gm, card, "also true")).replace("\N{MINUS SIGN}", "-")


async def test_the_weather_of_the_region_counts_by_side(world: World) -> None:
    """Severe weather counts for both sides."""
    await put_weather(world, "South and Southeast Asia", "4", 1)
    for region, expected in (("India", {"Zeon": -2, "EF": -1}), ("Philippines", {"Zeon": -2, "EF": -2})):
        await roll_command(
            world,
            "complications",
            10,
            10,
            **DEFENDED | {"battle": f"Battle of {region}"},
            region=region,
            week=1,
            roll="now",
        )
        assert sums(world) == expected


async def test_saved_traits_and_effects_of_a_side_count(house: House) -> None:
    """An effect counts for the other side."""
    await save(house.database, Profile("EF", "fleet", traits={"newtype-prophet": 1, "high-command": 1}))
    await set_effect(house, "Zeon", "Board password known to the enemy")
    await add_effect(house.database, "EF", "under-siege")
    rolled = await house.roll(battle("ef", "zeon"), 10, 10)
    assert [part["steps"][0]["sum"] for part in rolled.entry.content()["parts"]] == [2, -3]
    assert rolled.entry.audience == "staff"


async def test_the_same_side_of_the_same_battle_asks_for_a_reason(world: World) -> None:
    """In the same update; another battle needs none."""
    await roll_command(world, "complications", 10, 10, **JABURO, roll="now")
    before = written(world)
    answer = refused(await world.gm.slash(world.orders, "complications", battle="jaburo", sides="EF", roll="now"))
    assert "EF has already rolled for jaburo this update" in answer
    assert written(world) == (before[0], before[1] + 1, before[2] + 1, before[3])  # a card waits for the reason
    await roll_command(world, "complications", 10, battle="Solomon", sides="EF", roll="now")
    assert entry(world)["parts"][0]["subjects"] == {"side": "EF", "battle": "Solomon"}


async def test_bad_input_is_refused(world: World) -> None:
    """Nothing is rolled or written."""
    with nothing_written(world):
        cases: list[tuple[dict[str, object], list[str]]] = [
            ({"defender": "EF"}, ["Which base does EF defend?"]),
            ({"base": "Fort Basalt"}, ["Which side defends Fort Basalt?", "Zeon, EF"]),
            ({"defender": "EFF", "base": "Fort"}, ["'EFF' isn't a side", "Did you mean EF?"]),
            ({"defender": "Axis", "base": "Fort"}, ["The sides are: Zeon, EF"]),
            ({"defender": "EF", "base": "A, B"}, ["2 names"]),
            ({"sides": "Zeon, zeon"}, ["named twice"]),
            ({"sides": " "}, ["at least one side"]),
            ({"sides": ",".join(f"S{number}" for number in range(11))}, ["11 names", "up to 10"]),
            ({"battle": "n" * 61}, ["is too long"]),
            ({"battle": "A, B"}, ["2 names"]),
            ({"modifiers": "side.xyz"}, ["I don't know the modifier"]),
            ({"week": 3}, ["A week needs"]),
        ]
        for options, words in cases:
            for roll in ("card", "now"):
                answer = refused(await world.gm.slash(world.orders, "complications", **JABURO | options, roll=roll))
                assert [word for word in words if word not in answer.replace("\\", "")] == []


async def test_it_is_the_game_masters_until_it_is_opened(world: World) -> None:
    """An allowed player rolls; the staff gets the result."""
    with nothing_written(world):
        assert "is for game masters" in refused(await world.player.slash(world.orders, "complications", **JABURO))
        assert "don't play" in refused(await world.stranger.slash(world.orders, "complications", **JABURO))
    await world.gm.slash(world.orders, "gm settings", players_may="complications")
    answer = said(await roll_command(world, "complications", 1, 20, actor=world.player, **JABURO, roll="now"))
    assert answer.count("the game masters have the result") == 2
    assert "unexpected" not in answer


async def test_sides_defenders_and_bases_are_offered(world: World) -> None:
    """By sides typed so far, units, and sides."""
    await save(world.bots[0].database, Profile("Fort Basalt", "base"), Profile("Lalah", "npc"))
    typed = {"battle": "Jaburo", "sides": "Zeon, EF"}
    found = await world.gm.autocomplete(world.orders, "complications", "defender", "e", **typed)
    assert [choice["value"] for choice in found] == ["Zeon", "EF"]
    found = await world.gm.autocomplete(world.orders, "complications", "base", "", **typed)
    assert [choice["value"] for choice in found] == ["Fort Basalt"]
    found = await world.gm.autocomplete(world.orders, "complications", "sides", "Zeon, fort", battle="Jaburo")
    assert [choice["value"] for choice in found] == ["Zeon, Fort Basalt"]
    found = await world.gm.autocomplete(world.orders, "complications", "region", "coral", **typed)
    assert [choice["value"] for choice in found] == ["Coral Sea"]


FOES = [  # the captor, the sides of the battle, and the sum of each
    ("Zeon", ("EF", "Zeon"), [-3, 0]),
    ("Zeon", ("EF", "Axis"), [0, 0]),
    pytest.param("Musai", ("EF", "Zeon"), [-3, 0], marks=pytest.mark.slow),  # a ship of Zeon's
    pytest.param("Musai", ("EF", "Musai"), [-3, 0], marks=pytest.mark.slow),
    pytest.param("Musai", ("EF", "Axis"), [0, 0], marks=pytest.mark.slow),
    ("Pirates", ("EF", "Axis"), [-3, 0]),  # saved without a side, so it's unknown who hears of it
    pytest.param("Zeon", ("White Base", "Zeon"), [-3, 0], marks=pytest.mark.slow),  # a ship of the captive's side
    pytest.param("Zeon", ("White Base", "Axis"), [0, 0], marks=pytest.mark.slow),
    pytest.param("Zeon", ("EF",), [-3], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("captor", "sides", "expected"), FOES)
async def test_a_password_counts_against_whoever_has_heard_it(
    house: House, captor: str, sides: tuple[str, ...], expected: list[int]
) -> None:
    """Line 279: against the captor and their side."""
    amuro = Profile("Amuro", "pc", side="EF")
    ships = [
        Profile("White Base", "ship", side="EF"),
        Profile("Musai", "ship", side="Zeon"),
        Profile("Pirates", "squad"),
    ]
    await save(house.database, amuro, *ships)
    await take(house, "Amuro", by=captor)
    await house.roll(interrogation("Amuro", plus=4), 20)
    rolled = await house.roll(battle(*sides), *[10] * len(sides))
    assert [part["steps"][0]["sum"] for part in rolled.entry.content()["parts"]] == expected
    assert await sound(house)


GROUPED = [  # the group that the pirates are in, the sides of the battle, and what each sums up to
    ("Zeon", ("EF", "Zeon"), [-3, 0]),
    pytest.param("Zeon", ("EF", "Axis"), [0, 0], marks=pytest.mark.slow),
    pytest.param("Zeon", ("EF", "Musai"), [-3, 0], marks=pytest.mark.slow),
    ("Axis", ("EF", "Zeon"), [0, 0]),
    pytest.param("Axis", ("EF", "A\N{CYRILLIC SMALL LETTER HA}is"), [-3, 0], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("side", "sides", "expected"), GROUPED)
async def test_a_group_is_a_side_that_has_heard_it(
    house: House, side: str, sides: tuple[str, ...], expected: list[int]
) -> None:
    """The whole group and its side know."""
    saved = [Profile("Amuro", "pc", side="EF"), Profile("Musai", "ship", side="Zeon"), Profile("Pirates", "squad")]
    await save(house.database, *saved)
    await house.act(SaveGroup(number=0, seen=0, name=side, members="Pirates"))
    await take(house, "Amuro", by="Pirates")
    await house.roll(interrogation("Amuro", plus=4), 20)
    rolled = await house.roll(battle(*sides), *[10] * len(sides))
    assert [part["steps"][0]["sum"] for part in rolled.entry.content()["parts"]] == expected
    assert await sound(house)


@pytest.mark.slow
async def test_two_captors_know_what_each_has_heard(house: House) -> None:
    """Only new passwords end that."""
    await save(house.database, Profile("Amuro", "pc", side="EF"), Profile("Kai", "pc", side="EF"))
    for name, captor in (("Amuro", "Zeon"), ("Kai", "Axis")):
        await take(house, name, by=captor)
        await house.roll(interrogation(name, plus=4), 20)
    for place, foe in enumerate(("Zeon", "Axis")):
        rolled = await house.roll(replace(battle("EF", foe), reason=f"{place}"), 10, 10)
        assert rolled.entry.content()["parts"][0]["steps"][0]["sum"] == -3
    await clear_effect(house, "EF", "password-known")
    rolled = await house.roll(replace(battle("EF", "Zeon"), reason="again"), 10, 10)
    assert rolled.entry.content()["parts"][0]["steps"][0]["sum"] == 0


async def costs(house: House, foe: str, why: str = "again") -> int:
    """What counts against EF."""
    rolled = await house.roll(replace(battle("EF", foe), reason=why), 10, 10)
    total: int = rolled.entry.content()["parts"][0]["steps"][0]["sum"]
    return total


async def talks(house: House, captive: str) -> None:
    """Interrogate until all passwords are out (line 294)."""
    await house.roll(replace(interrogation(captive, plus=4), reason="again"), 19)


async def test_a_captive_who_is_handed_on_talks_to_both_captors(house: House) -> None:
    """Who heard nothing knows nothing."""
    await save(house.database, Profile("Amuro", "pc", side="EF"))
    for captor in ("Zeon", "Axis"):
        await take(house, "Amuro", by=captor)
        await talks(house, "Amuro")
        await release(house, "Amuro")
    assert [await costs(house, foe, foe) for foe in ("Zeon", "Axis", "Titans")] == [-3, -3, 0]
    await clear_effect(house, "EF", "password-known")
    await take(house, "Amuro", by="Axis")
    await talks(house, "Amuro")
    assert [await costs(house, foe, f"new, {foe}") for foe in ("Zeon", "Axis")] == [0, -3]
    assert await sound(house)


async def test_what_every_enemy_knows_stays_so_when_a_captive_talks(house: House) -> None:
    """Entered before or after."""
    await save(house.database, Profile("Amuro", "pc", side="EF"))
    await take(house, "Amuro", by="Zeon")
    await set_effect(house, "EF", "password-known")
    await talks(house, "Amuro")
    assert await costs(house, "Titans") == -3
    await clear_effect(house, "EF", "password-known")
    await talks(house, "Amuro")
    assert await costs(house, "Titans") == 0
    with pytest.raises(BadInput, match="already"):
        await set_effect(house, "EF", "password-known", until="update")
    await set_effect(house, "EF", "password-known")
    assert await costs(house, "Titans") == -3
    assert await sound(house)


async def test_the_sides_that_are_saved_are_offered(world: World) -> None:
    """A secret unit's side isn't offered to players."""
    await save(
        world.bots[0].database,
        Profile("White Base", "ship", side="EF"),
        Profile("Argama", "ship", side="AEUG", secret=True),
    )
    for actor, sides in ((world.gm, ["AEUG", "EF", "Argama", "White Base"]), (world.player, ["EF", "White Base"])):
        found = await actor.autocomplete(world.orders, "complications", "sides", "", battle="Jaburo")
        assert sorted(choice["value"] for choice in found) == sorted(sides)
    found = await world.gm.autocomplete(world.orders, "complications", "sides", "Zeon, e", battle="Jaburo")
    assert [choice["value"] for choice in found][:2] == ["Zeon, AEUG", "Zeon, EF"]
