from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.cogs.weather.skywatch import put
from tests.support import template
from tests.support.acting import tick
from tests.support.prepared import prepared
from tests.support.reading import assert_says, components, control, odds, press, refused, response, said, text, ticked
from tests.support.world import World, entry, running

SCOUT_FORT = {"scouter": "Alf", "base": "Fort"}
HELD = "scouter.captive"


@pytest.fixture
async def captured(world: World) -> World:
    """Save a player's secret captive."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Alf", by="Zeon", at="Fort")
    return world


async def card_of(world: World, actor: Any = None) -> Any:  # noqa: ANN401 - a member, and a message
    """Open a card of the captive."""
    return response(await (actor or world.player).slash(world.orders, "scout", **SCOUT_FORT))


async def test_their_own_captivity_counts_in_their_odds(captured: World) -> None:
    """Another player can't open one."""
    assert "held by Zeon" in said(await captured.player.slash(captured.orders, "captives", captive="Alf"))
    card, staff = await card_of(captured), await card_of(captured, captured.gm)
    assert HELD in ticked(card, "scouter")
    assert "Held captive: \N{MINUS SIGN}3" in text(card)
    chances = [[line for line in text(shown).splitlines() if line.startswith("`")] for shown in (card, staff)]
    assert chances[0] == chances[1] != []
    other = captured.guild.add_member(captured.env.create_user("other"), roles=[captured.roles["player"]])
    told = refused(await other.slash(captured.orders, "scout", **SCOUT_FORT))
    assert f"Alf isn't yours: <@{captured.player.id}> plays them." in told
    assert "captive" not in told


async def test_the_result_keeps_it_from_others(captured: World) -> None:
    """It counts as something secret."""
    captured.dice.script(10)
    card = await card_of(captured)
    await captured.player.click(card, custom_id=press(card, "roll"))
    part = entry(captured)["parts"][0]
    assert {item["id"]: item["secret"] for item in part["steps"][0]["modifiers"] if item["count"]} == {HELD: True}
    assert part["secret"]


@pytest.mark.slow
async def test_what_they_take_away_of_it_is_rolled_without_and_recorded(captured: World) -> None:
    """The entry records it."""
    card = await card_of(captured)
    await tick(captured.player, card, "scouter")
    assert "Held captive" not in text(card)
    captured.dice.script(10)
    await captured.player.click(card, custom_id=press(card, "roll"))
    part = entry(captured)["parts"][0]
    assert not any(item["count"] for item in part["steps"][0]["modifiers"])
    assert [item["secret"] for item in part["overruled"]] == [True]


async def test_an_effect_on_their_own_counts_in_their_odds(captured: World) -> None:
    """A private roll's effect, too."""
    await captured.gm.slash(captured.orders, "roster add", name="Den", kind="base", owner=captured.player, secret=True)
    await captured.gm.slash(captured.orders, "gm effect", who="Den", effect="under-siege")
    asked = {"scouter": "Bob", "base": "Den"}
    card = response(await captured.player.slash(captured.orders, "scout", **asked))
    assert "base.under-siege" in ticked(card, "base")
    assert "under siege" in text(card).lower()


async def test_what_is_saved_of_their_own_counts_in_their_odds(captured: World) -> None:
    """Kind and weather of a secret ship."""
    gm, orders = captured.gm, captured.orders
    await put(captured, "South Africa", "2", 1)
    await gm.slash(orders, "gm settings", players_may="scouting, escape, patrol")
    await gm.slash(
        orders, "roster add", name="Den", kind="ship", owner=captured.player, secret=True, region="Zambeze Basin"
    )
    await gm.slash(orders, "roster add", kind="pc", name="Kai", owner=captured.player)
    await gm.slash(orders, "capture", captive="Kai", by="Zeon", at="Den")
    for command, options in (("scout", {"scouter": "Bob", "base": "Den"}), ("escape", {"captive": "Kai"})):
        cards = [response(await actor.slash(orders, command, **options)) for actor in (captured.player, gm)]
        chances = [[line for line in text(card).splitlines() if line.startswith("`")] for card in cards]
        assert chances[0] == chances[1] != []
        assert ticked(cards[0], "conditions") == ticked(cards[1], "conditions") != set()
    card = response(await captured.player.slash(orders, "patrol", patrol="Den", target="Zaku"))
    assert "Den: +3 ship" in text(card)


SCOUT = {"scouter": "Bob", "base": "Sea Wolf"}
HIDES = "weather.hides"


@prepared
async def sea_wolf(world: World, region: str | None = "Madagascar", **options: Any) -> None:  # noqa: ANN401
    """Save a base whose place is hidden."""
    await put(world, "South Africa", "3", 1)
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, escape, patrol")
    place = {} if region is None else {"region": region}
    await world.gm.slash(world.orders, "roster add", name="Sea Wolf", kind="base", **place, **options)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Alf", by="Zeon", at="Sea Wolf")


def alike(message: Any) -> str:  # noqa: ANN401
    """Return a message without its card's ids."""
    return re.sub(r"[0-9]{15,}|[0-9a-f]{8,}", "#", f"{text(message)} {list(components(message))}")


@pytest.mark.parametrize("region", ["Coral Sea", pytest.param(None, marks=pytest.mark.slow)])
async def test_worlds_that_differ_in_a_hidden_place_give_the_same_cards(tmp_path: Path, region: str | None) -> None:
    """Scouts, patrols and escapes alike."""
    answers: list[list[str]] = []
    for number, place in enumerate(("Madagascar", region)):
        folder = tmp_path / str(number)
        folder.mkdir()
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                await sea_wolf(world, place)
                await world.gm.slash(
                    world.orders, "roster add", name="Bob", kind="squad", region="Coral Sea", owner=world.player
                )
                found = []
                for command, options in (
                    ("scout", SCOUT),
                    ("scout", {**SCOUT, "week": 1}),
                    ("scout", {"scouter": "Job", "base": "Sea Wolf", "week": 1}),
                    ("patrol", {"patrol": "Sea Wolf", "target": "Zaku"}),
                    ("escape", {"captive": "Alf"}),
                ):
                    card = response(await world.player.slash(world.orders, command, **options))
                    found.append(alike(card))
                    if "Details" in found[-1]:
                        found.append(alike(response(await world.player.click(card, label="Details"))))
                answers.append(found)
    assert answers[0] == answers[1]


async def test_the_card_hides_a_place_and_the_result_tells_it(world: World) -> None:
    """Its weather counts."""
    await sea_wolf(world)
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert "no region" in text(card)
    assert ticked(card, "conditions") == set()
    staff = response(await world.gm.slash(world.orders, "scout", **SCOUT))
    assert "in Madagascar: Storms and Fog" in text(staff)
    world.dice.script(10)
    await world.player.click(card, custom_id=press(card, "roll"))
    body = entry(world)
    (weather,) = (item for item in body["parts"][0]["steps"][0]["modifiers"] if item["id"] == HIDES)
    assert body["region"] == "Madagascar"
    assert weather["count"]
    assert not weather["secret"]
    assert not body["parts"][0]["secret"]


async def test_what_a_player_cannot_see_is_not_taken_away_by_a_tick(world: World) -> None:
    """Hidden weather counts anyway."""
    await sea_wolf(world)
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    await tick(world.player, card, "conditions", HIDES)
    await tick(world.player, card, "conditions")
    world.dice.script(10)
    await world.player.click(card, custom_id=press(card, "roll"))
    part = entry(world)["parts"][0]
    assert HIDES in {item["id"] for item in part["steps"][0]["modifiers"] if item["count"]}
    assert part["overruled"] == []


async def test_a_player_sees_places_that_are_open_or_their_own(world: World) -> None:
    """The card shows the region."""
    await sea_wolf(world)
    await world.gm.slash(world.orders, "roster add", name="Den", kind="base", region="Coral Sea", owner=world.player)
    card = response(await world.player.slash(world.orders, "scout", scouter="Bob", base="Den"))
    assert "in Coral Sea" in text(card)
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, places")
    card = response(await world.player.slash(world.orders, "scout", **SCOUT))
    assert "in Madagascar: Storms and Fog" in text(card)


async def test_a_roll_that_follows_tells_no_place(world: World) -> None:
    """Its region isn't suggested."""
    await sea_wolf(world)
    world.dice.script(10)
    receipt = response(await world.player.slash(world.orders, "scout", **SCOUT, roll="now"))
    assert "Madagascar" not in text(receipt)
    window = await world.player.click(receipt, label="Next base")
    card = response(await world.player.submit_modal(window, {"next": "Fort"}))
    assert "no region" in text(card)


async def test_captives_held_in_several_places_are_told_by_place(world: World) -> None:
    """The player reads bases, no region."""
    await sea_wolf(world)
    await world.gm.slash(world.orders, "roster add", name="Luna", kind="base", region="Coral Sea")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Ryu", owner=world.player)
    await world.gm.slash(world.orders, "capture", captive="Ryu", by="Zeon", at="Luna")
    why = refused(await world.player.slash(world.orders, "escape", captive="Alf, Ryu"))
    assert "Sea Wolf: Alf; Luna: Ryu" in why
    assert not re.search("Madagascar|Coral", why)
    assert "Coral Sea: Ryu" in said(await world.gm.slash(world.orders, "escape", captive="Alf, Ryu"))


PLACES = {"Ghost": "Arabia", "Wraith": "Madagascar", "Shade": "Madagascar", "Mole": "Saharan Africa", "Reed": None}
"""Where each hider is saved to be: in Arabia is Fog, in Madagascar Storms and Fog, in Saharan Africa nothing that counts."""


@prepared
async def hiders(world: World) -> None:
    """Save hiders in several weathers, one secret."""
    await put(world, "South Africa", "6", 1)
    await put(world, "North Africa", "1", 1)
    for name, region in PLACES.items():
        place = {} if region is None else {"region": region}
        await world.gm.slash(world.orders, "roster add", name=name, kind="squad", secret=name == "Ghost", **place)


async def chances(world: World, command: str, **options: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401
    """Return each part's odds."""
    card = response(await world.gm.slash(world.orders, command, **options))
    found = {}
    for part in control(card, "part")["options"]:
        await world.gm.select(card, [part["value"]], custom_id=press(card, "part"))
        found[part["label"].partition(". ")[2]] = odds(card)
    return found


@pytest.mark.parametrize(
    "names",
    [
        ("Ghost", "Wraith"),
        ("Ghost", "Reed", "Shade"),
        ("Mole", "Wraith", "Ghost"),
        pytest.param(("Reed", "Mole", "Shade", "Ghost"), marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    ("command", "role", "others"),
    [
        ("detect", "hidden", {"detector": "Owl"}),
        pytest.param("patrol", "target", {"patrol": "Kilo"}, marks=pytest.mark.slow),
        pytest.param("scout", "scouter", {"base": "Fort"}, marks=pytest.mark.slow),
    ],
)
async def test_names_come_to_the_same_in_every_order(
    world: World, command: str, role: str, others: dict[str, str], names: tuple[str, ...]
) -> None:
    """Also with secrets and several regions."""
    await hiders(world)
    orders = [*permutations(names)]
    found = [await chances(world, command, **others, **{role: ", ".join(some)}) for some in orders]
    assert {*found[0]} == {*names}
    assert all(one == found[0] for one in found)


async def test_a_secret_name_first_leaves_the_others_their_weather(world: World) -> None:
    """The region is shown."""
    await hiders(world)
    world.dice.script(10, 10)
    await world.gm.slash(world.orders, "detect", detector="Owl", hidden="Ghost, Wraith", roll="now")
    (found,) = (part for part in entry(world)["parts"] if part["key"] == "Wraith")
    assert found["steps"][0]["total"] == 11
    assert entry(world)["region"] == "Madagascar"


async def test_each_part_has_the_weather_where_it_happens(world: World) -> None:
    """Card, result and search name both regions."""
    await hiders(world)
    card = response(await world.gm.slash(world.orders, "detect", detector="Owl", hidden="Wraith, Mole"))
    assert "in Madagascar: Severe Storms and Violent Storms" in text(card)
    await world.gm.select(card, ["1"], custom_id=press(card, "part"))
    assert "in Saharan Africa" in text(card)
    world.dice.script(10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["region"] for part in entry(world)["parts"]] == ["Madagascar", "Saharan Africa"]
    assert_says("\n".join(text(message) for message in world.staff.history()), "Madagascar", "Saharan Africa")
    found = text(response(await world.gm.slash(world.orders, "ledger", region="Saharan Africa")))
    assert "Mole" in found
