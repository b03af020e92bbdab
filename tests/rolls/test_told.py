"""What people did to a roll by hand is told to everybody, and nothing of what is secret with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from bot.core.entry_kinds import EntryView
from bot.rolls.embed import result_pages
from tests.support.acting import opened, reopened, tick
from tests.support.backend import opened as house_opened
from tests.support.backend import patrol
from tests.support.reading import assert_lacks, newest, press, said, text
from tests.support.world import World, entry

HIDDEN = "Dice and modifiers: game masters only"


async def scouted(world: World, base: str = "Fort") -> None:
    """Let a base be scouted, which players may not know."""
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", scouter="Priya", base=base, roll="now")


async def rolled(world: World, card: Any, face: int) -> str:  # noqa: ANN401 - a response
    """Roll a card, and return what #results is told."""
    world.dice.script(face)
    await world.gm.click(card, custom_id=press(card, "roll"))
    return text(newest(world.results))


async def adjust(world: World, card: Any, **fields: Any) -> Any:  # noqa: ANN401
    """Adjust a card by 4, and return the window."""
    window = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.submit_modal(window, {"value": "4", "reason": "an informer", **fields})
    return window


async def test_a_hidden_result_tells_that_it_was_adjusted_and_not_how_much(world: World) -> None:
    """Where a secret fact hides die and sum, the adjustment is told without its value and its reason."""
    await scouted(world)
    card = await opened(world, patrol="Fort")
    await adjust(world, card)
    told = await rolled(world, card, 20)

    assert HIDDEN in told
    assert "**By hand:** adjusted by a game master." in told
    assert_lacks(told, "informer", "+4")
    assert "+4 an informer" in text(newest(world.staff))


async def test_a_hidden_result_that_nobody_touched_says_nothing_of_hands(world: World) -> None:
    """Without an adjustment, an unticked fact or a typed face there is no such line."""
    await scouted(world)
    card = await opened(world, patrol="Fort")
    await tick(world.gm, card, "patrol", "patrol.scouted", "patrol.newtype")
    told = await rolled(world, card, 20)
    assert HIDDEN in told
    assert "By hand" not in told


async def test_a_known_fact_that_was_unticked_is_told(world: World) -> None:
    """A ship that was saved as one and is unticked stands in the result as taken away by hand; a tick of one's own does not."""
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="ship")
    card = await opened(world)
    await tick(world.gm, card, "patrol", "patrol.newtype")
    await tick(world.gm, card, "patrol")
    told = await rolled(world, card, 20)

    assert told.count("Left out by hand") == 1
    line = next(line for line in told.splitlines() if "Left out" in line)
    assert "ship" in line
    assert "newtype" not in line
    assert text(newest(world.results)) in said(await world.player.slash(world.orders, "ledger show", number=4))


@pytest.mark.slow
async def test_a_known_fact_that_gives_way_to_a_tick_is_told(world: World) -> None:
    """A ship for which another kind is ticked instead is taken away as well, on the card and with the command."""
    await world.gm.slash(world.orders, "unit add", name="Kilo", kind="ship")
    card = await opened(world)
    await tick(world.gm, card, "patrol", "patrol.ship", "patrol.base")
    taken = entry_after(world, await rolled(world, card, 20))
    world.dice.script(20)
    await world.gm.slash(
        world.orders, "patrol", patrol="Kilo", target="Dom", modifiers="patrol.base", note="Again", roll="now"
    )
    assert taken == entry_after(world, text(newest(world.results)))


def entry_after(world: World, told: str) -> list[dict[str, Any]]:
    """What the newest roll says was taken away, which its public result tells."""
    taken: list[dict[str, Any]] = entry(world)["parts"][0]["overruled"]
    assert all(item["label"] in told for item in taken)
    return taken


async def test_an_unticked_secret_is_told_without_its_name(world: World) -> None:
    """Everybody reads that something was taken away which the staff knows; the staff reads what."""
    await scouted(world)
    card = await opened(world, patrol="Fort")
    await tick(world.gm, card, "patrol")
    told = await rolled(world, card, 20)

    assert "**Left out by hand:** something hidden" in told
    assert "scouted" not in told.casefold()
    assert [item["secret"] for item in entry(world)["parts"][0]["overruled"]] == [True]


async def test_a_player_unticks_nothing_that_they_cannot_see(world: World) -> None:
    """What only the staff knows counts whatever a player guesses, and hides die and sum as ever; a guess learns nothing."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    await scouted(world)
    sums = []
    for target, modifiers in (("Dom", "patrol.scouted*0"), ("Gelgoog", "")):
        world.dice.script(20)
        options = {"patrol": "Fort", "target": target, "roll": "now"} | ({"modifiers": modifiers} if modifiers else {})
        await world.player.slash(world.orders, "patrol", **options)
        (part,) = entry(world)["parts"]
        sums.append((part["steps"][0]["sum"], part["secret"], part["overruled"]))
    assert sums == [(-3, True, [])] * 2


@pytest.mark.slow
async def test_what_a_game_master_unticked_on_a_players_card_is_told(world: World) -> None:
    """The player who rolls the card does not see the secret; that one was taken away is told all the same."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    await scouted(world)
    await world.player.slash(world.orders, "patrol", patrol="Fort", target="Zaku")
    await tick(world.gm, await reopened(world, world.gm), "patrol")
    card = await reopened(world, world.player)
    world.dice.script(20)
    await world.player.click(card, custom_id=press(card, "roll"))
    assert "something hidden" in text(newest(world.results))


async def test_a_reason_for_the_staff_alone_stays_there(world: World) -> None:
    """The result tells that it was adjusted; the reason stands on the staff's card and in the staff's ledger only."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    await world.player.slash(world.orders, "patrol", patrol="Kilo", target="Zaku")
    card = await reopened(world, world.gm)
    await adjust(world, card, readers=["staff"])
    assert "an informer" in text(card)
    assert "informer" not in text(await reopened(world, world.player))

    told = await rolled(world, card, 20)
    shown = said(await world.player.slash(world.orders, "ledger show", number=4))
    for public in (told, shown):
        assert "adjusted (reason: game masters only)" in public
        assert "informer" not in public
    assert "+4 an informer" in said(await world.gm.slash(world.orders, "ledger show", number=4))


async def test_a_typed_face_is_told_in_every_result(database_url: str) -> None:
    """Beside the die where that is shown, and without the face where a secret fact hides it."""
    async with house_opened(database_url) as house:
        made = (await house.roll(patrol("Grey"), 20)).entry
    body = made.content()
    body["parts"][0]["steps"][0]["drawn"] = "by hand"
    told = []
    for secret in (False, True):
        body["parts"][0]["secret"] = secret
        ((embed,),) = result_pages(EntryView(replace(made, body=json.dumps(body)), "Iron Sea"), "public")
        told.append(embed.description or "")
    assert "**20** (by hand)" in told[0]
    assert "**By hand:** a face typed in." in told[1]
    assert "20" not in told[1]
