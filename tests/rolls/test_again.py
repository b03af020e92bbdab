from __future__ import annotations

from typing import Any

import pytest

from tests.support.acting import list_cards, more, opened, reopened, tick
from tests.support.reading import (
    control,
    labels,
    newest,
    offers,
    option,
    press,
    refused,
    response,
    said,
    text,
    ticked,
)
from tests.support.world import World, entry, entry_texts, nothing_written, send_raw

NEUTRAL = "A game master has to make this roll."


async def test_an_empty_reason_is_no_reason(world: World) -> None:
    """The card stays open."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, target="Ghost")
    shown = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "reason is empty" in refused(await world.gm.submit_modal(shown, {"reason": "  "}))
    assert offers(card, "roll")


async def test_a_reason_does_not_roll_what_was_not_seen(world: World) -> None:
    """A change shows the card again first."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, target="Ghost")
    other = await reopened(world, world.gm2)
    shown = await world.gm.click(card, custom_id=press(card, "roll"))
    await tick(world.gm2, other, "patrol", "patrol.fleet")
    assert "The card has changed since you saw it" in said(await world.gm.submit_modal(shown, {"reason": "again"}))
    world.dice.script(13)
    assert "Rolled: entry #4" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry_texts(world, 4) == {"reason": "again"}


async def test_a_player_may_not_roll_the_same_again(world: World) -> None:
    """Neither by card nor at once."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    world.dice.script(9)
    await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort", roll="now")
    card = response(await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort"))
    with nothing_written(world):
        result = await world.player.click(card, custom_id=press(card, "roll"))
        assert result.modal is None
        assert NEUTRAL in refused(result)
        again = await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort", note="please", roll="now")
        told = refused(again)
        assert NEUTRAL in told
        assert "entry #" not in told
        assert "already" not in told


async def test_a_player_may_not_learn_that_it_was_rolled_in_private(world: World) -> None:
    """It rolls, and the staff is told; once public it's refused."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options, to="me")
    assert "Rolled: entry #5" in said(await world.player.slash(world.orders, "patrol", **options))
    notice = text(newest(world.staff))
    assert "Kilo has already rolled for Ghost this update (Patrol, entry #4). Rolled anyway." in notice
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))


async def test_a_private_roll_hides_no_public_one_before_it(world: World) -> None:
    """The public one still counts."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options)
    await world.gm.slash(world.orders, "patrol", **options, to="me", note="once more")
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))


@pytest.mark.slow
async def test_a_player_goes_on_with_their_own_roll_though_they_do_not_see_the_result(world: World) -> None:
    """Only its maker can continue it."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    world.dice.script(9)
    asked = {"scouter": "Jonas", "base": "Fort", "roll": "now"}
    receipt = response(await world.player.slash(world.orders, "scout", **asked))
    assert labels(receipt) == ["Next base"]
    window = await world.player.click(receipt, label="Next base")
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    key = press(receipt, "1:4")
    with nothing_written(world):
        for actor in (other, world.stranger):
            for modal in (False, True):
                assert "Jonas" not in refused(await send_raw(actor, world.orders, key, modal=modal))
                assert refused(await send_raw(actor, world.orders, "next:1:1", modal=modal))
    card = response(await world.player.submit_modal(window, {"next": "Luna"}))
    assert "Luna" in text(card)


async def card_after_restart(world: World) -> Any:  # noqa: ANN401
    """Open a card before a restart and again after it."""
    options = {"patrol": "Kilo", "target": "Ghost:neutral, Zaku", "modifiers": "patrol.newtype"}
    await world.gm.slash(world.orders, "patrol", **options)
    await world.restart()
    listed = await list_cards(world.gm, world.orders)
    select = control(listed, "0:open")
    return response(await world.gm.select(listed, [select["options"][0]["value"]], custom_id=select["custom_id"]))


async def test_every_control_works_after_a_restart(world: World) -> None:
    """Selects, stances, buttons, Roll."""
    card = await card_after_restart(world)
    assert ticked(card, "patrol") == {"patrol.newtype"}
    await world.gm.select(card, ["1"], custom_id=press(card, "part"))
    assert "against **Zaku**" in text(card)
    await world.gm.select(card, ["patrol.newtype", "patrol.base"], custom_id=press(card, "tick:patrol:0"))
    assert ticked(card, "patrol") == {"patrol.newtype", "patrol.base"}
    await world.gm.select(card, ["friendly"], custom_id=press(card, "choice:stance"))
    assert "(friendly)" in text(card)
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert ticked(card, "patrol") == {"patrol.newtype"}
    await world.gm.select(card, ["staff"], custom_id=await more(world.gm, card, "to"))
    assert option(card, "to", "staff")["default"]
    counts = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    await world.gm.submit_modal(counts, {"service.balloon": "2"})
    adjust = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.submit_modal(adjust, {"value": "+1", "reason": "dusk"})
    world.dice.script(1, 1)
    assert "Rolled: entry #3" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert [part["steps"][0]["sum"] for part in entry(world)["parts"]] == [1, 0], "Zaku alone has balloons and dusk"


@pytest.mark.slow
async def test_modals_opened_before_a_restart_may_be_submitted_after_it(world: World) -> None:
    """Adjust, Counts and the reason."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    adjust = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.restart()
    await world.gm.submit_modal(adjust, {"value": "+1", "reason": "dusk"})
    counts = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    await world.restart()
    await world.gm.submit_modal(counts, {"service.balloon": "3"})
    reason = await world.gm.click(card, custom_id=press(card, "roll"))
    await world.restart()
    world.dice.script(10)
    assert "Rolled: entry #4" in said(await world.gm.submit_modal(reason, {"reason": "the first was a slip"}))
    assert entry(world)["parts"][0]["steps"][0]["total"] == 8
    assert entry_texts(world, 4)["reason"] == "the first was a slip"
