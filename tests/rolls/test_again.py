"""The same roll again within an update asks a game master for a reason."""

from __future__ import annotations

from tests.support.acting import close_update, opened, reopened, tick
from tests.support.reading import newest, offers, press, refused, response, said, text
from tests.support.world import World, entry_texts, written

NEUTRAL = "This roll is for a game master to make now."


async def test_the_same_again_within_an_update_asks_for_a_reason(world: World) -> None:
    """The card warns, Roll asks for a reason in a modal, and the reason stands in the entry, for the staff to read."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, patrol="KILO", target="  ghost ")
    assert "KILO has rolled for ghost in this update already (entry #3). Roll asks for your reason." in text(card)
    shown = await world.gm.click(card, custom_id=press(card, "roll"))
    assert shown.modal is not None
    assert "entry #3" in shown.modal["components"][1]["content"]
    world.dice.script(18)
    result = await world.gm.submit_modal(shown, {"reason": "they *turned* back"})
    assert "Rolled: entry #4" in said(result)
    assert entry_texts(world, 4) == {"reason": "they *turned* back"}
    because = "**Rolled again because:** they \\*turned\\* back"
    assert because in said(await world.gm.slash(world.orders, "ledger show", number=4))
    for public in (text(newest(world.results)), said(await world.player.slash(world.orders, "ledger show", number=4))):
        assert "Caught: a battle" in public
        assert "turned" not in public


async def test_an_empty_reason_is_no_reason(world: World) -> None:
    """A reason of blanks is refused privately, and the card is still open."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, target="Ghost")
    shown = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "reason is empty" in refused(await world.gm.submit_modal(shown, {"reason": "  "}))
    assert offers(card, "roll")


async def test_a_reason_does_not_roll_what_was_not_seen(world: World) -> None:
    """When somebody changes the card while the reason is typed, it is shown again; the next press rolls."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, target="Ghost")
    other = await reopened(world, world.gm2)
    shown = await world.gm.click(card, custom_id=press(card, "roll"))
    await tick(world.gm2, other, "patrol", "patrol.fleet")
    assert "The card changed since you saw it" in said(await world.gm.submit_modal(shown, {"reason": "again"}))
    world.dice.script(13)
    assert "Rolled: entry #4" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry_texts(world, 4) == {"reason": "again"}


async def test_roll_now_takes_the_note_for_a_reason(world: World) -> None:
    """Without a note the same again is refused, with one it is rolled; the next update starts afresh."""
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", **options)
    before = written(world)
    told = refused(await world.gm.slash(world.orders, "patrol", **options))
    assert "entry #3" in told
    assert "note" in told
    assert written(world) == (before[0], before[1] + 1, before[2] + 1, before[3]), "one card waits for the reason"
    world.dice.script(17, 17)
    await world.gm.slash(world.orders, "patrol", **options, note="wrong stance")
    assert entry_texts(world, 4) == {"reason": "wrong stance"}
    await close_update(world)
    await world.gm.slash(world.orders, "patrol", **options)
    assert entry_texts(world, 6) == {}


async def test_a_used_up_stop_asks_for_a_reason(world: World) -> None:
    """A patrol that has stopped somebody needs a reason for any further target within the update."""
    world.dice.script(18)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", roll="now")
    card = await opened(world, target="Zaku")
    assert "Kilo has used up its one stop in this update (entry #3)" in text(card)
    await close_update(world)
    assert "used up its one stop in this update" not in text(await reopened(world, world.gm))


async def test_a_player_may_not_roll_the_same_again(world: World) -> None:
    """A player is refused at once, by the card and by roll:now: not asked for a reason, nor told of the roll before."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    world.dice.script(9)
    await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort", roll="now")
    card = response(await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort"))
    before = written(world)
    result = await world.player.click(card, custom_id=press(card, "roll"))
    assert result.modal is None
    assert NEUTRAL in refused(result)
    again = await world.player.slash(world.orders, "scout", scouter="Jonas", base="Fort", note="please", roll="now")
    told = refused(again)
    assert NEUTRAL in told
    assert "entry #" not in told
    assert "already" not in told
    assert written(world) == before


async def test_a_player_may_not_learn_that_it_was_rolled_in_private(world: World) -> None:
    """The player's roll is made as if it were the first, and the staff is told; once it is public, it is refused."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options, to="me")
    assert "Rolled: entry #5" in said(await world.player.slash(world.orders, "patrol", **options))
    notice = text(newest(world.staff))
    assert "Kilo has rolled for Ghost in this update already (entry #4). The roll was made all the same." in notice
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))


async def test_a_private_roll_hides_no_public_one_before_it(world: World) -> None:
    """What was rolled in public and again in private was rolled, as everybody knows."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options)
    await world.gm.slash(world.orders, "patrol", **options, to="me", note="once more")
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))


async def test_a_refusal_offers_the_window_for_the_reason(world: World) -> None:
    """The same again is rolled as it was typed, once, with the reason from the window; a player is offered nothing."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "modifiers": "+2 dusk", "roll": "now"}
    world.dice.script(15)
    await world.gm.slash(world.orders, "patrol", **options)
    told = response(await world.gm.slash(world.orders, "patrol", **options))
    shown = await world.gm.click(told, label="Roll anyway because ...")
    assert shown.modal is not None
    assert "entry #4" in str(shown.modal)
    world.dice.script(15)
    assert "Rolled: entry #5" in said(await world.gm.submit_modal(shown, {"reason": "The wrong sector"}))
    assert "reason is needed" in text(told)
    assert entry_texts(world, 5)["reason"] == "The wrong sector"
    assert "+2 dusk" in text(newest(world.staff))
    assert "rolled already: entry #5" in refused(await world.gm.click(told, label="Roll anyway because ..."))
    refusal = response(await world.player.slash(world.orders, "patrol", **{**options, "modifiers": ""}))
    assert not refusal.components
