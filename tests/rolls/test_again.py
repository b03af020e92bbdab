"""The same roll again within an update asks a game master for a reason."""

from __future__ import annotations

from tests.support.acting import opened, reopened, tick
from tests.support.reading import newest, offers, press, refused, response, said, text
from tests.support.world import World, entry_texts, nothing_written

NEUTRAL = "A game master has to make this roll."


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
    assert "The card has changed since you saw it" in said(await world.gm.submit_modal(shown, {"reason": "again"}))
    world.dice.script(13)
    assert "Rolled: entry #4" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry_texts(world, 4) == {"reason": "again"}


async def test_a_player_may_not_roll_the_same_again(world: World) -> None:
    """A player is refused at once, by the card and by roll:now: not asked for a reason, nor told of the roll before."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
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
    """The player's roll is made as if it were the first, and the staff is told; once it is public, it is refused."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options, to="me")
    assert "Rolled: entry #5" in said(await world.player.slash(world.orders, "patrol", **options))
    notice = text(newest(world.staff))
    assert "Kilo has already rolled for Ghost this update (Patrol, entry #4). Rolled anyway." in notice
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))


async def test_a_private_roll_hides_no_public_one_before_it(world: World) -> None:
    """What was rolled in public and again in private was rolled, as everybody knows."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    options = {"patrol": "Kilo", "target": "Ghost", "roll": "now"}
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **options)
    await world.gm.slash(world.orders, "patrol", **options, to="me", note="once more")
    assert NEUTRAL in refused(await world.player.slash(world.orders, "patrol", **options))
