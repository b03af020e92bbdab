"""What stands with a write-up: claimed under the roll, from the list, said to be done, its battle ended; two presses, one effect."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.cogs.campaign.grouping import voided
from tests.cogs.writeups.test_writeups import attacked, caught
from tests.support.acting import fill_in, roll_command
from tests.support.reading import components, labels, press, refused, response, said, text
from tests.support.world import World, entry, entry_texts, nothing_written, send_raw

LINK = "https://discord.com/channels/1/2/3"


async def picked(world: World, actor: Any = None, number: str = "3.1") -> simcord.ResponseMessage:  # noqa: ANN401 - a member
    """The write-up that somebody picks from the list."""
    who = actor or world.gm
    listed = response(await who.slash(world.orders, "writeups list"))
    return response(await who.select(listed, [number], custom_id=press(listed, "1:show")))


async def test_a_roll_offers_to_claim_what_it_calls_for(world: World) -> None:
    """A player's own patrol and the game master's have the button; it claims, and the answer offers what comes next."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    receipt = response(
        await roll_command(world, "patrol", 20, actor=world.player, patrol="Kilo", target="Zaku", roll="now", note="x")
    )
    assert labels(receipt) == ["Claim write-up", "Next target"]
    claimed = response(await world.player.click(receipt, label="Claim write-up"))
    assert f"claimed by <@{world.player.id}>" in text(claimed)
    assert labels(claimed) == ["Done", "Give back"]
    assert "Rolled: entry #4" in text(receipt)
    assert "already yours" in refused(await world.player.click(receipt, label="Claim write-up"))
    await fill_in(world.player, claimed, {"link": LINK}, label="Done")
    assert f"done by <@{world.player.id}>" in text(claimed)
    assert labels(claimed) == []
    assert entry_texts(world, 6) == {"link": LINK}


async def test_a_result_that_players_do_not_see_offers_them_no_claim(world: World) -> None:
    """What calls for a battle among the staff is claimed by game masters alone."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    world.dice.script(4, 4)
    asked = {"scouter": "Jonas", "base": "Fort Anvil", "roll": "now"}
    assert labels(response(await world.player.slash(world.orders, "scout", **asked))) == ["Next base"]
    receipt = response(await world.gm.slash(world.orders, "scout", **asked, note="again"))
    assert labels(receipt) == ["Claim write-up", "Next base", "Publish", "Undo", "Amend"]


async def test_one_is_picked_from_the_list_and_everybody_has_their_buttons(world: World) -> None:
    """A player claims, another game master takes over and says how the battle ended; a stranger has no list."""
    await caught(world)
    mine = await picked(world, world.player)
    assert labels(mine) == ["Claim", "Done"]
    theirs = await picked(world)
    assert labels(theirs) == ["Claim", "Done", "Battle result"]
    await world.player.click(mine, label="Claim")
    assert labels(mine) == ["Done", "Give back"]
    with nothing_written(world):
        assert "was changed since you looked: entry #4" in refused(await world.gm.click(theirs, label="Claim"))
    theirs = await picked(world)
    assert labels(theirs) == ["Take over", "Done", "Battle result"]
    await world.gm.click(theirs, label="Take over")
    assert labels(theirs) == ["Done", "Give back", "Battle result", "Undo"]
    await fill_in(world.gm, theirs, {"result": ["drawn"]}, label="Battle result")
    assert "battle drawn" in text(theirs)
    assert "don't play" in refused(await world.stranger.slash(world.orders, "writeups list"))


@pytest.mark.slow
async def test_what_was_claimed_can_be_given_back(world: World) -> None:
    """Whoever has claimed it, and nobody else, makes it open again, by an entry, once; somebody else may then claim it."""
    await caught(world)
    mine = await picked(world, world.player)
    await world.player.click(mine, label="Claim")
    back = press(mine, "back")
    theirs = await picked(world)
    assert "Give back" not in labels(theirs)
    with nothing_written(world):
        assert "isn't yours to give back" in refused(await send_raw(world.gm, world.orders, back))
    await world.player.click(mine, label="Give back")
    assert labels(mine) == ["Claim", "Done"]
    assert "· open" in text(mine)
    assert entry(world)["deed"] == "give-back"
    assert "Write-up #3 given back" in said(await world.gm.slash(world.orders, "ledger list"))
    assert "was changed since you looked" in refused(await send_raw(world.player, world.orders, back))
    theirs = await picked(world)
    await world.gm.click(theirs, label="Claim")
    assert f"claimed by <@{world.gm.id}>" in text(theirs)


async def test_forged_buttons_do_nothing(world: World) -> None:
    """A player neither ends a battle nor claims one of the staff's; a stranger does nothing at all; a result must be offered."""
    await caught(world)
    await attacked(world)
    with nothing_written(world):
        assert "Only game masters" in refused(await submitted(world, world.player, "writeup:1:3.0:3:result", "won"))
        for key in ("writeup:1:4.0:4:claim", "writeup:1:4.0:take", "writeup:1:99.0:4:claim"):
            assert "I can't find a write-up" in refused(await send_raw(world.player, world.orders, key))
        for key in ("writeup:1:3.0:3:claim", "writeup:1:3.0:take", "writeup:1:3.0:3:done"):
            assert "don't play" in refused(await send_raw(world.stranger, world.orders, key))
        assert "no longer works" in refused(await submitted(world, world.gm, "writeup:1:3.0:3:result", "lost?"))


async def test_a_button_of_a_roll_that_was_taken_back_says_so(world: World) -> None:
    """Nothing is to be written any more; of a roll among the staff a player is told no more than of none."""
    await caught(world)
    await attacked(world)
    for number in (3, 4):
        await voided(world, number)
    with nothing_written(world):
        for key in ("writeup:1:3.0:3:claim", "writeup:1:3.0:take"):
            answer = refused(await send_raw(world.player, world.orders, key))
            assert "Roll #3 was undone, so it needs no write-up." in answer
        assert "I can't find a write-up 4.1 for you" in refused(
            await send_raw(world.player, world.orders, "writeup:1:4.0:take")
        )
        assert "Roll #4 was undone" in refused(await send_raw(world.gm, world.orders, "writeup:1:4.0:take"))


async def submitted(world: World, actor: simcord.MemberActor, key: str, result: str) -> simcord.InteractionResult:
    """What a window about a result is answered with that no bot has opened."""
    field = {"type": 18, "component": {"type": 3, "custom_id": "result", "values": [result]}}
    return await actor._dispatch_interaction(5, world.orders, {"custom_id": key, "components": [field]})


async def test_few_write_ups_have_no_paging_buttons(world: World) -> None:
    """One page is all there is; an empty list has nothing to press or pick."""
    empty = response(await world.gm.slash(world.orders, "writeups list"))
    assert [item for item in components(empty) if item["type"] in {2, 3}] == []
    await caught(world)
    assert labels(response(await world.gm.slash(world.orders, "writeups list"))) == []
    assert "3 open" in str([item for item in components(await listed(world)) if item["type"] == 3])


async def listed(world: World) -> simcord.ResponseMessage:
    """The list."""
    result = await world.gm.slash(world.orders, "writeups list")
    assert said(result)
    return response(result)
