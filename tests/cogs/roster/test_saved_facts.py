"""What is saved of units and characters counts in the rolls they stand in, by role, and no secret of theirs gets out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roster.test_roster import saved
from tests.cogs.roster.test_trait_card import pick
from tests.cogs.weather.skywatch import put
from tests.support.acting import fill_in, reopened, roll_command, tick
from tests.support.reading import assert_lacks, components, newest, option, press, response, said, text, ticked
from tests.support.world import World, entry, send_raw

SHIP = ("newtype", "detector-unit")


async def white_base(world: World, **options: Any) -> Any:  # noqa: ANN401
    """A ship with a newtype and a detector unit aboard."""
    card = await saved(world, name="White Base", **options)
    await pick(world.gm, card, "crew", *SHIP)
    return card


async def card_of(world: World, command: str, actor: Any = None, **options: Any) -> Any:  # noqa: ANN401
    """A roll's card, a game master's unless said otherwise."""
    return response(await (actor or world.gm).slash(world.orders, command, **options))


def counted(world: World) -> dict[str, dict[str, Any]]:
    """What counted on the first table of the newest entry, by id."""
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
    """One saved ship is patrol here and target there: its newtype ticks the line of its role, and its name says why."""
    await white_base(world)
    card = await card_of(world, command, **options)
    assert f"{role}.newtype" in ticked(card, role)
    assert option(card, f"tick:{role}:0", f"{role}.newtype")["description"] == "White Base"
    if command == "patrol":
        assert f"{role}.ship" in ticked(card, role), "its kind is a fact too"
    await roll_command(world, command, 10, **options, roll="now")
    assert counted(world)[f"{role}.newtype"]["origin"] == {"kind": "saved", "label": "White Base"}


async def test_ticks_of_what_is_saved_can_be_taken_away(world: World) -> None:
    """What is saved is a start: the game master unticks it for this roll, and the ship keeps it."""
    await white_base(world)
    card = await card_of(world, "patrol", patrol="White Base", target="Zaku")
    await tick(world.gm, card, "patrol", "patrol.ship")
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert set(counted(world)) == {"patrol.ship"}
    assert "patrol.newtype" in ticked(await card_of(world, "patrol", patrol="White Base", target="Dom"), "patrol")


async def test_a_characters_squad_counts(world: World) -> None:
    """A scouter brings the traits of the squad and the own ones, each with its bearer's name; another squad's do not."""
    squad = await saved(world, name="Zaku Team", kind="squad")
    await pick(world.gm, squad, "composition", "all-stealth")
    other = await saved(world, name="Dom Team", kind="squad")
    await pick(world.gm, other, "crew", "newtype")
    kai = await saved(world, "character", name="Kai", squad="Zaku Team")
    await pick(world.gm, kai, "specialisations", "lucky")
    card = await card_of(world, "scout", scouter="Kai", base="Fort")
    assert ticked(card, "scouter") == {"scouter.all-stealth", "scouter.lucky"}
    assert option(card, "tick:scouter:0", "scouter.all-stealth")["description"] == "Zaku Team"
    assert option(card, "tick:scouter:0", "scouter.lucky")["description"] == "Kai"


async def test_numbers_count_as_often_as_they_say(world: World) -> None:
    """Three types of detector unit on a base count three times against who scouts it."""
    card = await saved(world, name="Fort", kind="base")
    await fill_in(world.gm, card, {"detector-types": "3"}, custom_id=press(card, "counts:0"))
    told = said(await world.gm.slash(world.orders, "ledger show", number=4))
    assert "Types of detector unit: 0 \N{RIGHTWARDS ARROW} 3" in told
    await roll_command(world, "scout", 10, scouter="Jonas", base="Fort", roll="now")
    (line,) = counted(world).values()
    assert (line["id"], line["count"]) == ("base.detector-types", 3)


async def test_what_changes_while_a_card_is_open_is_shown_before_it_counts(world: World) -> None:
    """A trait ticked after the card was opened is not rolled unseen: the press shows the card anew."""
    ship = await saved(world, name="White Base")
    card = await card_of(world, "patrol", patrol="White Base", target="Zaku")
    await pick(world.gm, ship, "crew", "newtype")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert "changed since you saw it" in text(card)
    assert "patrol.newtype" in ticked(card, "patrol")
    world.dice.script(10)
    assert "Rolled" in said(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_a_secret_fact_counts_and_makes_the_result_secret(world: World) -> None:
    """What is about a secret unit goes to the staff alone; once published it tells the outcome without die and modifiers."""
    await white_base(world, secret=True, owner=world.player)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    world.dice.script(18)
    receipt = said(await world.player.click(card, custom_id=press(card, "roll")))
    assert {"target.ship", "target.newtype"} <= counted(world).keys()
    assert entry(world)["parts"][0]["secret"]
    assert "the game masters have the result" in receipt
    assert world.results.last_message is None
    await send_raw(world.gm, world.staff, "publish:1:6:now")
    shown = said(await world.player.slash(world.orders, "ledger show", number=6))
    for told in (text(newest(world.results)), shown):
        assert "caught by" in told
        assert_lacks(told, "ewtype", "ship")
    assert "*Dice and modifiers: game masters only.*" in shown
    assert "Target with a newtype" in text(newest(world.staff))


async def test_a_player_who_names_a_secret_unit_means_somebody_else(world: World) -> None:
    """Nothing of it counts and the result is public, as if nobody had the name; the staff is told that somebody has."""
    await white_base(world, secret=True)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    receipt = said(
        await roll_command(world, "patrol", 18, actor=world.player, patrol="Kilo", target="White Base", roll="now")
    )
    assert "Caught" in receipt or "caught" in receipt
    assert {name for name in counted(world) if name.startswith("target.")} == set()
    assert "White Base" in text(newest(world.results))
    assert "A hidden unit is also called White Base. It didn't count here." in text(newest(world.staff))


async def test_a_secret_units_facts_are_not_on_a_players_card(world: World) -> None:
    """Nor are entries about it in a player's ledger: neither tick, origin nor odds of it are shown; the game master's card has all."""
    await white_base(world, secret=True)
    assert "White Base" not in said(await world.player.slash(world.orders, "ledger list"))
    for number in (3, 4):
        assert "White Base" in said(await world.gm.slash(world.orders, "ledger show", number=number))
        assert "no entry" in said(await world.player.slash(world.orders, "ledger show", number=number))
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol, scouting")
    plain_card = await card_of(world, "patrol", world.player, patrol="Kilo", target="Nobody Known")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    assert ticked(card, "target") == set()
    assert [item["content"] for item in components(card) if item["type"] == 10] == [
        item["content"].replace("Nobody Known", "White Base") for item in components(plain_card) if item["type"] == 10
    ]
    assert "target.newtype" in ticked(await card_of(world, "patrol", patrol="Kilo", target="White Base"), "target")


@pytest.mark.slow
async def test_a_players_tick_keeps_those_of_their_own_secret_unit(world: World) -> None:
    """After a game master has changed a player's card, the player sees what counts of their own secret unit, and a tick beside it takes nothing away."""
    await white_base(world, secret=True, owner=world.player)
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    card = await card_of(world, "patrol", world.player, patrol="Kilo", target="White Base")
    await tick(world.gm, await reopened(world, world.gm), "patrol", "patrol.newtype")
    card, own = await reopened(world, world.player), {"target.ship", "target.newtype", "target.detector-unit"}
    assert ticked(card, "target") == own
    await tick(world.player, card, "target", *sorted(own), "target.lucky")
    assert ticked(await reopened(world, world.gm), "target") == {*own, "target.lucky"}


@pytest.mark.slow
async def test_what_befell_a_secret_unit_is_not_on_a_players_card(world: World) -> None:
    """A siege and an attack on a secret base count for the game master alone; on a public one everybody sees them."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    for name, secret in (("Hidden Fort", True), ("Open Fort", False)):
        await saved(world, name=name, kind="base", secret=secret)
        await world.gm.slash(world.orders, "effect set", who=name, effect="under-siege")
        assert "base.under-siege" in ticked(await card_of(world, "scout", scouter="Jonas", base=name), "base")
        card = await card_of(world, "scout", world.player, scouter="Jonas", base=name)
        assert ("base.under-siege" in ticked(card, "base")) == (not secret)


@pytest.mark.slow
async def test_a_secret_squad_is_hidden_behind_its_public_member(world: World) -> None:
    """What a public character has of a secret squad is not on a player's card; what is the character's own is."""
    squad = await saved(world, name="Hidden Team", kind="squad", secret=True)
    await pick(world.gm, squad, "composition", "all-stealth")
    kai = await saved(world, "character", name="Kai", squad="Hidden Team")
    await pick(world.gm, kai, "specialisations", "lucky")
    await world.gm.slash(world.orders, "campaign edit", players_may="detection")
    card = await card_of(world, "detect", world.player, detector="Owl", hidden="Kai")
    assert ticked(card, "hider") == {"hider.lucky"}
    assert "Hidden Team" not in str(list(components(card)))


async def test_a_roll_happens_where_its_subject_is_saved_to_be(world: World) -> None:
    """Without a region typed the subject's region counts, with its weather, on the card and at once; a typed one wins, and a week needs one."""
    await put(world, "South Africa", "3", 1)
    await saved(world, name="Fort", kind="base", region="madagascar")
    card = await card_of(world, "scout", scouter="Jonas", base="fort")
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert ticked(card, "conditions") == {"weather.hides"}
    card = await card_of(world, "scout", scouter="Jonas", base="fort", region="Coral Sea")
    assert "in Coral Sea" in text(card)
    assert ticked(card, "conditions") == set()
    await roll_command(world, "scout", 10, scouter="Jonas", base="Fort", roll="now")
    assert entry(world)["region"] == "Madagascar"
    assert "weather.hides" in counted(world)
    card = await card_of(world, "scout", scouter="Jonas", base="Fort", week=1)
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert "Name the region too" in said(await world.gm.slash(world.orders, "scout", scouter="J", base="Keep", week=1))


@pytest.mark.slow
async def test_a_patrols_sector_is_its_own_region_first(world: World) -> None:
    """Line 22: a patrol happens in its own region, else where a target is, else nowhere; a detection where the hider is, else the detector."""
    await saved(world, name="Kilo", region="Coral Sea")
    await saved(world, name="Grey Ghost", region="Madagascar")
    await saved(world, name="Zaku")
    for patrol, target, region in (
        ("Kilo", "Grey Ghost", "Coral Sea"),
        ("Lima", "Grey Ghost", "Madagascar"),
        ("Lima", "Zaku, Grey Ghost", "Madagascar"),
    ):
        assert f"in {region}" in text(await card_of(world, "patrol", patrol=patrol, target=target))
    assert "no region" in text(await card_of(world, "patrol", patrol="Lima", target="Zaku"))
    await saved(world, name="Owl", region="Coral Sea")
    await saved(world, name="Ghost", region="Madagascar")
    for hidden, region in (("Ghost", "Madagascar"), ("Wraith", "Coral Sea")):
        assert f"in {region}" in text(await card_of(world, "detect", detector="Owl", hidden=hidden))


@pytest.mark.slow
async def test_the_weather_at_a_secret_place_counts_and_stays_secret(world: World) -> None:
    """Lines 119 and 120: it is ticked for the game master, with the place and no region, and in no public result or player's card."""
    await put(world, "South Africa", "3", 1)
    await saved(world, name="Fort", kind="base", region="Madagascar", secret=True)
    await saved(world, name="Jonas", kind="squad", region="Coral Sea", owner=world.player)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    card = await card_of(world, "scout", scouter="Jonas", base="Fort", week=1)
    assert "no region" in text(card)
    assert ticked(card, "conditions") == {"weather.hides"}
    told = option(card, "tick:conditions:0", "weather.hides")["description"]
    assert told == "weather at Fort, week 1"
    card = await card_of(world, "scout", world.player, scouter="Jonas", base="Fort")
    assert ticked(card, "conditions") == set()
    await roll_command(world, "scout", 13, scouter="Jonas", base="Fort", roll="now")
    assert counted(world)["weather.hides"]["secret"]
    assert entry(world)["region"] is None
    assert entry(world)["parts"][0]["audience"] == "staff"


async def test_where_a_secret_unit_is_stays_secret(world: World) -> None:
    """Its region is no default, neither on a player's card nor in a result that everybody may read."""
    await saved(world, name="Fort", kind="base", region="Madagascar", secret=True)
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    for actor in (world.player, world.gm):
        card = await card_of(world, "scout", actor, scouter="Jonas", base="Fort")
        assert "Madagascar" not in text(card)
