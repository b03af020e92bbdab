"""What is true of their own players see on their cards, whoever else may know of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.weather.skywatch import put
from tests.support.acting import tick
from tests.support.reading import press, refused, response, said, text, ticked
from tests.support.world import World, entry

SCOUT = {"scouter": "Alf", "base": "Fort"}
HELD = "scouter.captive"


@pytest.fixture
async def captured(world: World) -> World:
    """A player's own character, who is held captive as the staff and the player know."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    await world.gm.slash(world.orders, "character add", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "captive take", captive="Alf", by="Zeon", at="Fort")
    return world


async def card_of(world: World, actor: Any = None) -> Any:  # noqa: ANN401 - a member, and a message
    """The card of a roll by the captive, the player's unless said otherwise."""
    return response(await (actor or world.player).slash(world.orders, "scout", **SCOUT))


async def test_their_own_captivity_counts_in_their_odds(captured: World) -> None:
    """The card has the line and the odds that the game master's has; another player opens none."""
    assert "held by Zeon" in said(await captured.player.slash(captured.orders, "captive show", captive="Alf"))
    card, staff = await card_of(captured), await card_of(captured, captured.gm)
    assert HELD in ticked(card, "scouter")
    assert "Held captive: \N{MINUS SIGN}3" in text(card)
    chances = [[line for line in text(shown).splitlines() if line.startswith("`")] for shown in (card, staff)]
    assert chances[0] == chances[1] != []
    other = captured.guild.add_member(captured.env.create_user("other"), roles=[captured.roles["player"]])
    told = refused(await other.slash(captured.orders, "scout", **SCOUT))
    assert f"Alf isn't yours: <@{captured.player.id}> plays them." in told
    assert "captive" not in told


async def test_the_result_keeps_it_from_others(captured: World) -> None:
    """It counts in the roll as before, as something that players may not know."""
    captured.dice.script(10)
    card = await card_of(captured)
    await captured.player.click(card, custom_id=press(card, "roll"))
    part = entry(captured)["parts"][0]
    assert {item["id"]: item["secret"] for item in part["steps"][0]["modifiers"] if item["count"]} == {HELD: True}
    assert part["secret"]


@pytest.mark.slow
async def test_what_they_take_away_of_it_is_rolled_without_and_recorded(captured: World) -> None:
    """A card rolls what it shows: the line that its player unticks does not count, and the entry says so."""
    card = await card_of(captured)
    await tick(captured.player, card, "scouter")
    assert "Held captive" not in text(card)
    captured.dice.script(10)
    await captured.player.click(card, custom_id=press(card, "roll"))
    part = entry(captured)["parts"][0]
    assert not any(item["count"] for item in part["steps"][0]["modifiers"])
    assert [item["secret"] for item in part["overruled"]] == [True]


async def test_an_effect_on_their_own_counts_in_their_odds(captured: World) -> None:
    """What a private roll has left on their own secret unit stands on their card, as on the game master's."""
    await captured.gm.slash(captured.orders, "unit add", name="Den", kind="base", owner=captured.player, secret=True)
    await captured.gm.slash(captured.orders, "effect set", who="Den", effect="under-siege")
    asked = {"scouter": "Bob", "base": "Den"}
    card = response(await captured.player.slash(captured.orders, "scout", **asked))
    assert "base.under-siege" in ticked(card, "base")
    assert "under siege" in text(card).lower()


async def test_what_is_saved_of_their_own_counts_in_their_odds(captured: World) -> None:
    """Kind and weather of a player's own secret ship stand on the player's cards, as on the game master's, whatever is rolled."""
    gm, orders = captured.gm, captured.orders
    await put(captured, "South Africa", "2", 1)
    await gm.slash(orders, "campaign edit", players_may="scouting, escape, patrol")
    await gm.slash(
        orders, "unit add", name="Den", kind="ship", owner=captured.player, secret=True, region="Zambeze Basin"
    )
    await gm.slash(orders, "character add", name="Kai", owner=captured.player)
    await gm.slash(orders, "captive take", captive="Kai", by="Zeon", at="Den")
    for command, options in (("scout", {"scouter": "Bob", "base": "Den"}), ("escape", {"captive": "Kai"})):
        cards = [response(await actor.slash(orders, command, **options)) for actor in (captured.player, gm)]
        chances = [[line for line in text(card).splitlines() if line.startswith("`")] for card in cards]
        assert chances[0] == chances[1] != []
        assert ticked(cards[0], "conditions") == ticked(cards[1], "conditions") != set()
    card = response(await captured.player.slash(orders, "patrol", patrol="Den", target="Zaku"))
    assert "Den: +3 ship" in text(card)
