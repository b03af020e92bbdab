"""Saved traits in rolls."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roster.test_roster import save_unit
from tests.cogs.roster.test_trait_card import pick
from tests.cogs.weather.skywatch import put
from tests.support.acting import fill_in, reopened, roll_command, tick
from tests.support.reading import assert_lacks, components, newest, option, press, response, said, text, ticked
from tests.support.world import World, entry, send_raw

SHIP = ("newtype", "detector-unit")


async def white_base(world: World, **options: Any) -> Any:  # noqa: ANN401
    """A ship with a newtype and a detector."""
    card = await save_unit(world, name="White Base", **options)
    await pick(world.gm, card, "crew", *SHIP)
    return card


async def card_of(world: World, command: str, actor: Any = None, **options: Any) -> Any:  # noqa: ANN401
    """A roll's card."""
    return response(await (actor or world.gm).slash(world.orders, command, **options))


def count_facts(world: World) -> dict[str, dict[str, Any]]:
    """What counted on the first table."""
    return {item["id"]: item for item in entry(world)["parts"][0]["steps"][0]["modifiers"] if item["count"]}


@pytest.mark.parametrize(
    ("command", "role", "options"),
    [
        ("patrol", "patrol", {"patrol": "white base", "target": "Zaku"}),
        ("detect", "hider", {"detector": "Owl", "hidden": "White  Base"}),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("patrol", "target", {"patrol": "Kilo", "target": "WHITE BASE"}),
                ("scout", "base", {"scouter": "Jonas", "base": "White Base"}),
                ("detect", "detector", {"detector": "White Base", "hidden": "Ghost"}),
            )
        ),
    ],
)
async def test_the_same_ship_counts_in_every_role(
    world: World, command: str, role: str, options: dict[str, str]
) -> None:
    """By role, with the ship's name."""
    await white_base(world)
    card = await card_of(world, command, **options)
    assert f"{role}.newtype" in ticked(card, role)
    assert option(card, f"tick:{role}:0", f"{role}.newtype")["description"] == "White Base"
    if command == "patrol":
        assert f"{role}.ship" in ticked(card, role), "its kind is a fact too"
    await roll_command(world, command, 10, **options, roll="now")
    assert count_facts(world)[f"{role}.newtype"]["origin"] == {"kind": "saved", "label": "White Base"}


async def test_ticks_of_what_is_saved_can_be_taken_away(world: World) -> None:
    """For this roll only."""
    await white_base(world)
    card = await card_of(world, "patrol", patrol="White Base", target="Zaku")
    await tick(world.gm, card, "patrol", "patrol.ship")
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert set(count_facts(world)) == {"patrol.ship"}
    assert "patrol.newtype" in ticked(await card_of(world, "patrol", patrol="White Base", target="Dom"), "patrol")


async def test_a_characters_squad_counts(world: World) -> None:
    """With each bearer's name."""
    squad = await save_unit(world, name="Zaku Team", kind="squad")
    await pick(world.gm, squad, "composition", "all-stealth")
    other = await save_unit(world, name="Dom Team", kind="squad")
    await pick(world.gm, other, "crew", "newtype")
    kai = await save_unit(world, "character", name="Kai", squad="Zaku Team")
    await pick(world.gm, kai, "specialisations", "lucky")
    card = await card_of(world, "scout", scouter="Kai", base="Fort")
    assert ticked(card, "scouter") == {"scouter.all-stealth", "scouter.lucky"}
    assert option(card, "tick:scouter:0", "scouter.all-stealth")["description"] == "Zaku Team"
    assert option(card, "tick:scouter:0", "scouter.lucky")["description"] == "Kai"


async def test_numbers_count_as_often_as_they_say(world: World) -> None:
    """Three detectors count three times."""
    card = await save_unit(world, name="Fort", kind="base")
    await fill_in(world.gm, card, {"detector-types": "3"}, custom_id=press(card, "counts:0"))
    answer = said(await world.gm.slash(world.orders, "ledger", entry=4))
    assert "Types of detector unit: 0 \N{RIGHTWARDS ARROW} 3" in answer
    await roll_command(world, "scout", 10, scouter="Jonas", base="Fort", roll="now")
    (line,) = count_facts(world).values()
    assert (line["id"], line["count"]) == ("base.detector-types", 3)


async def test_what_changes_while_a_card_is_open_is_shown_before_it_counts(world: World) -> None:
    """The press shows the card again."""
    ship = await save_unit(world, name="White Base")
    card = await card_of(world, "patrol", patrol="White Base", target="Zaku")
    await pick(world.gm, ship, "crew", "newtype")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert "changed since you saw it" in text(card)
    assert "patrol.newtype" in ticked(card, "patrol")
    world.dice.script(10)
    assert "Rolled" in said(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_a_secret_fact_counts_and_makes_the_result_secret(world: World) -> None:
    """Published, it shows the outcome only."""
    await white_base(world, secret=True, owner=world.player)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    world.dice.script(18)
    receipt = said(await world.player.click(card, custom_id=press(card, "roll")))
    assert {"target.ship", "target.newtype"} <= count_facts(world).keys()
    assert entry(world)["parts"][0]["secret"]
    assert "the game masters have the result" in receipt
    assert world.results.last_message is None
    await send_raw(world.gm, world.staff, "publish:1:6:now")
    shown = said(await world.player.slash(world.orders, "ledger", entry=6))
    for answer in (text(newest(world.results)), shown):
        assert "caught by" in answer
        assert_lacks(answer, "ewtype", "ship")
    assert "*Dice and modifiers: game masters only.*" in shown
    assert "Target with a newtype" in text(newest(world.staff))


async def test_a_player_who_names_a_secret_unit_means_somebody_else(world: World) -> None:
    """The staff reads that someone has the name."""
    await white_base(world, secret=True)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    receipt = said(
        await roll_command(world, "patrol", 18, actor=world.player, patrol="Kilo", target="White Base", roll="now")
    )
    assert "Caught" in receipt or "caught" in receipt
    assert {name for name in count_facts(world) if name.startswith("target.")} == set()
    assert "White Base" in text(newest(world.results))
    assert "A hidden unit is also called White Base. It didn't count here." in text(newest(world.staff))


async def test_a_secret_units_facts_are_not_on_a_players_card(world: World) -> None:
    """Neither tick, origin nor odds."""
    await white_base(world, secret=True)
    assert "White Base" not in said(await world.player.slash(world.orders, "ledger"))
    for number in (3, 4):
        assert "White Base" in said(await world.gm.slash(world.orders, "ledger", entry=number))
        assert "no entry" in said(await world.player.slash(world.orders, "ledger", entry=number))
    await world.gm.slash(world.orders, "gm settings", players_may="patrol, scouting")
    plain_card = await card_of(world, "patrol", world.player, patrol="Kilo", target="Nobody Known")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    assert ticked(card, "target") == set()
    assert [item["content"] for item in components(card) if item["type"] == 10] == [
        item["content"].replace("Nobody Known", "White Base") for item in components(plain_card) if item["type"] == 10
    ]
    assert "target.newtype" in ticked(await card_of(world, "patrol", patrol="Kilo", target="White Base"), "target")


@pytest.mark.slow
async def test_a_players_tick_keeps_those_of_their_own_secret_unit(world: World) -> None:
    """Their own secret unit's ticks stay."""
    await white_base(world, secret=True, owner=world.player)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    await tick(world.gm, await reopened(world, world.gm), "patrol", "patrol.newtype")
    card, own = await reopened(world, world.player), {"target.ship", "target.newtype", "target.detector-unit"}
    assert ticked(card, "target") == own
    await tick(world.player, card, "target", *sorted(own), "target.lucky")
    assert ticked(await reopened(world, world.gm), "target") == {*own, "target.lucky"}


@pytest.mark.slow
async def test_what_befell_a_secret_unit_is_not_on_a_players_card(world: World) -> None:
    """On a public base everyone sees them."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    for name, secret in (("Hidden Fort", True), ("Open Fort", False)):
        await save_unit(world, name=name, kind="base", secret=secret)
        await world.gm.slash(world.orders, "gm effect", who=name, effect="under-siege")
        assert "base.under-siege" in ticked(await card_of(world, "scout", scouter="Jonas", base=name), "base")
        card = await card_of(world, "scout", world.player, scouter="Jonas", base=name)
        assert ("base.under-siege" in ticked(card, "base")) == (not secret)


@pytest.mark.slow
async def test_a_secret_squad_is_hidden_behind_its_public_member(world: World) -> None:
    """The character's own traits show."""
    squad = await save_unit(world, name="Hidden Team", kind="squad", secret=True)
    await pick(world.gm, squad, "composition", "all-stealth")
    kai = await save_unit(world, "character", name="Kai", squad="Hidden Team")
    await pick(world.gm, kai, "specialisations", "lucky")
    await world.gm.slash(world.orders, "gm settings", players_may="detection")
    card = await card_of(world, "detect", world.player, detector="Owl", hidden="Kai")
    assert ticked(card, "hider") == {"hider.lucky"}
    assert "Hidden Team" not in str(list(components(card)))


async def test_a_roll_happens_where_its_subject_is_saved_to_be(world: World) -> None:
    """A typed region wins."""
    await put(world, "South Africa", "3", 1)
    await save_unit(world, name="Fort", kind="base", region="madagascar")
    card = await card_of(world, "scout", scouter="Jonas", base="fort")
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert ticked(card, "conditions") == {"weather.hides"}
    card = await card_of(world, "scout", scouter="Jonas", base="fort", region="Coral Sea")
    assert "in Coral Sea" in text(card)
    assert ticked(card, "conditions") == set()
    await roll_command(world, "scout", 10, scouter="Jonas", base="Fort", roll="now")
    assert entry(world)["region"] == "Madagascar"
    assert "weather.hides" in count_facts(world)
    card = await card_of(world, "scout", scouter="Jonas", base="Fort", week=1)
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert "Name the region too" in said(await world.gm.slash(world.orders, "scout", scouter="J", base="Keep", week=1))


@pytest.mark.slow
async def test_a_patrols_sector_is_its_own_region_first(world: World) -> None:
    """Line 22: its own region, then a target's."""
    await save_unit(world, name="Kilo", region="Coral Sea")
    await save_unit(world, name="Grey Ghost", region="Madagascar")
    await save_unit(world, name="Zaku")
    for patrol, target, region in (
        ("Kilo", "Grey Ghost", "Coral Sea"),
        ("Lima", "Grey Ghost", "Madagascar"),
        ("Lima", "Zaku, Grey Ghost", "Madagascar"),
    ):
        assert f"in {region}" in text(await card_of(world, "patrol", patrol=patrol, target=target))
    assert "no region" in text(await card_of(world, "patrol", patrol="Lima", target="Zaku"))
    await save_unit(world, name="Owl", region="Coral Sea")
    await save_unit(world, name="Ghost", region="Madagascar")
    for hidden, region in (("Ghost", "Madagascar"), ("Wraith", "Coral Sea")):
        assert f"in {region}" in text(await card_of(world, "detect", detector="Owl", hidden=hidden))


@pytest.mark.slow
async def test_the_weather_at_a_secret_place_counts_and_stays_secret(world: World) -> None:
    """Lines 119 and 120: for the staff only."""
    await put(world, "South Africa", "3", 1)
    await save_unit(world, name="Fort", kind="base", region="Madagascar", secret=True)
    await save_unit(world, name="Jonas", kind="squad", region="Coral Sea", owner=world.player)
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    card = await card_of(world, "scout", scouter="Jonas", base="Fort", week=1)
    assert "no region" in text(card)
    assert ticked(card, "conditions") == {"weather.hides"}
    answer = option(card, "tick:conditions:0", "weather.hides")["description"]
    assert answer == "weather at Fort, week 1"
    card = await card_of(world, "scout", world.player, scouter="Jonas", base="Fort")
    assert ticked(card, "conditions") == set()
    await roll_command(world, "scout", 13, scouter="Jonas", base="Fort", roll="now")
    assert count_facts(world)["weather.hides"]["secret"]
    assert entry(world)["region"] is None
    assert entry(world)["parts"][0]["audience"] == "staff"


async def test_where_a_secret_unit_is_stays_secret(world: World) -> None:
    """Neither on cards nor in results."""
    await save_unit(world, name="Fort", kind="base", region="Madagascar", secret=True)
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    for actor in (world.player, world.gm):
        card = await card_of(world, "scout", actor, scouter="Jonas", base="Fort")
        assert "Madagascar" not in text(card)
