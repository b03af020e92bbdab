"""What can be done with a roll card, by one person and by several."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.acting import confirmed, more, more_of, opened, reopened, tick
from tests.support.reading import control, offers, option, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written


def counts(body: dict[str, Any], part: int = 0) -> dict[str, int]:
    """What counted on the first table of a part."""
    step = body["parts"][part]["steps"][0]
    return {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}


@pytest.mark.slow
async def test_a_fact_may_be_unticked_by_hand(world: World) -> None:
    """What an earlier roll says is a proposal: unticked, it does not count, and the entry tells why."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort", roll="now")
    card = await opened(world, patrol="Fort")
    await tick(world.gm, card, "patrol")
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    (step,) = entry(world)["parts"][0]["steps"]
    (scouted,) = [item for item in step["modifiers"] if item["id"] == "patrol.scouted"]
    assert (scouted["count"], scouted["why"]) == (0, "unticked by hand")


async def test_counts_are_typed_in_a_modal(world: World) -> None:
    """Lines per unit take a count; zero takes them back; the modal shows what counts already."""
    card = await opened(world)
    shown = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    assert shown.modal is not None
    assert shown.modal["components"][0]["component"]["value"] == "0"
    await world.gm.submit_modal(shown, {"service.balloon": "4"})
    assert option(card, "tick:target:0", "service.balloon")["description"] == "per balloon service, counted 4 times"
    assert "Balloon services bought \N{MULTIPLICATION SIGN} 4" in text(card)
    again = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    assert again.modal is not None
    assert again.modal["components"][0]["component"]["value"] == "4"
    await world.gm.submit_modal(again, {"service.balloon": ""})
    assert ticked(card, "target") == set()


@pytest.mark.slow
async def test_counts_leave_alone_what_was_not_touched(world: World) -> None:
    """A modal with several lines changes only those that were typed over, whatever somebody else did meanwhile."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort"))
    other = await reopened(world, world.gm2)
    mine = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    theirs = await world.gm2.click(other, custom_id=await more(world.gm2, other, "counts"))
    await world.gm2.submit_modal(theirs, {"base.detector-types": "3", "base.non-r-ships": "0"})
    await world.gm.submit_modal(mine, {"base.detector-types": "0", "base.non-r-ships": "2"})
    world.dice.script(20)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert counts(entry(world)) == {"base.detector-types": 3, "base.non-r-ships": 2}


async def test_an_adjustment_for_a_table_that_is_gone_is_refused(world: World) -> None:
    """A modal opened while there were two tables cannot adjust the second once the target is hostile."""
    card = await opened(world, target="Ghost:neutral")
    shown = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.select(card, ["hostile"], custom_id=press(card, "choice:stance"))
    values = {"value": "1", "reason": "dusk", "table": ["campaign.patrol.passage"]}
    assert "isn't used any more" in refused(await world.gm.submit_modal(shown, values))


async def test_reset_puts_the_card_back_to_what_was_typed(world: World) -> None:
    """Reset undoes ticks, stances, adjustments and where the result goes, but keeps what the command said."""
    card = await opened(world, target="Ghost:neutral", modifiers="patrol.newtype")
    before = text(card)
    await tick(world.gm, card, "patrol", "patrol.base")
    await world.gm.select(card, ["allied"], custom_id=press(card, "choice:stance"))
    await world.gm.select(card, ["staff"], custom_id=await more(world.gm, card, "to"))
    assert option(card, "to", "staff")["default"]
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert text(card) == before
    assert ticked(card, "patrol") == {"patrol.newtype"}
    assert option(await more_of(world.gm, card), "to", "auto")["default"]


async def test_a_cancelled_card_rolls_nothing(world: World) -> None:
    """Cancel leaves a receipt without buttons; another view of the card is told, and /cards lists it no more."""
    card = await opened(world)
    others = [await reopened(world, world.gm2) for _ in range(2)]
    await more(world.gm2, others[1])
    await world.gm.click(card, custom_id=await more(world.gm, card, "cancel"))
    assert "Cancelled" in text(card)
    assert not offers(card, "roll")
    with nothing_written(world):
        deeds = (("roll", "adjust", "page:more", "page:details"), ("counts", "reset", "cancel", "page:card"))
        for other, deed in ((other, deed) for other, some in zip(others, deeds, strict=True) for deed in some):
            assert "was cancelled" in refused(await world.gm2.click(other, custom_id=press(other, deed)))
        assert "No open cards" in said(await world.gm2.slash(world.orders, "cards"))


async def test_a_card_rolls_once_however_often_it_is_pressed(world: World) -> None:
    """The second press of Roll, from another view of the card, is told privately which entry it made."""
    card = await opened(world)
    other = await reopened(world, world.gm2)
    folded = await more_of(world.gm2, await reopened(world, world.gm2))
    world.dice.script(18)
    result = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "Rolled: entry #3" in said(result)
    assert not offers(card, "roll")
    with nothing_written(world):
        for view, deed in ((other, "roll"), (folded, "reset"), (folded, "cancel"), (other, "adjust")):
            assert "rolled already: entry #3" in refused(await world.gm2.click(view, custom_id=press(view, deed)))
    assert len(world.results.history()) == 1


async def test_a_card_whose_facts_changed_asks_again(world: World) -> None:
    """A scouting that succeeds between the look and the press is shown before it is rolled with."""
    card = await opened(world, patrol="Fort")
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort", roll="now")
    shown = said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "The card has changed since you saw it" in shown
    assert "Since entry 3: \N{MINUS SIGN}3 Patrolling base has been scouted" in shown
    world.dice.script(20)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["steps"][0]["total"] == 17


@pytest.mark.slow
async def test_ticks_of_two_people_are_merged(world: World) -> None:
    """Each tick and untick says what that person changed: nothing that the other did is lost."""
    card = await opened(world, modifiers="patrol.newtype")
    other = await reopened(world, world.gm2)
    await tick(world.gm, card, "patrol", "patrol.newtype", "patrol.detector-unit")
    await tick(world.gm2, other, "patrol", "patrol.newtype", "patrol.ship")
    assert ticked(other, "patrol") == {"patrol.newtype", "patrol.detector-unit", "patrol.ship"}
    await tick(world.gm2, other, "patrol", "patrol.detector-unit", "patrol.ship")
    shown = await tick(world.gm, card, "patrol", "patrol.newtype", "patrol.detector-unit", "patrol.perimeter-grid")
    assert "newtype" not in shown.partition("**Exact odds**")[0], "unticked by one, left by the other: it stays off"
    assert ticked(card, "patrol") == {"patrol.detector-unit", "patrol.ship", "patrol.perimeter-grid"}


@pytest.mark.slow
async def test_a_tick_on_a_table_that_is_gone_shows_the_card_anew(world: World) -> None:
    """An old view may tick what a change of stance took off the card: nothing is ticked, and the card is shown anew."""
    card = await opened(world, target="Ghost:neutral")
    other = await more_of(world.gm2, await reopened(world, world.gm2))
    assert option(other, "tick:passage:0", "target.smuggler")
    await world.gm.select(card, ["hostile"], custom_id=press(card, "choice:stance"))
    shown = await tick(world.gm2, other, "passage", "target.smuggler")
    assert "The card has changed since you saw it" in shown
    assert "target.smuggler" not in [one["value"] for one in control(other, "tick:passage:0")["options"]]


@pytest.mark.slow
async def test_a_view_that_is_far_behind_is_shown_anew_and_changes_nothing(world: World) -> None:
    """After more changes than are kept, an old view cannot say what it changed: it is redrawn instead."""
    card = await opened(world)
    other = await reopened(world, world.gm2)
    for number in range(12):
        await tick(world.gm, card, "patrol", *(["patrol.newtype"] if number % 2 else ["patrol.ship"]))
    with nothing_written(world):
        assert "The card has changed since you saw it" in await tick(world.gm2, other, "patrol", "patrol.base")
        assert ticked(other, "patrol") == {"patrol.newtype"}


async def test_what_a_player_cannot_see_is_not_unticked_by_them(world: World) -> None:
    """A player's tick leaves a secret fact on that the game master's view shows and the player's does not."""
    await world.gm.slash(world.orders, "campaign edit", players_may="patrol")
    world.dice.script(20)
    await world.gm.slash(world.orders, "scout", scouter="Priya", base="Fort", roll="now")
    await world.player.slash(world.orders, "patrol", patrol="Fort", target="Zaku")
    taken = await reopened(world, world.gm)
    await tick(world.gm, taken, "patrol", "patrol.scouted", "patrol.outpost")
    card = await reopened(world, world.player)
    assert ticked(card, "patrol") == {"patrol.outpost"}
    await tick(world.player, card, "patrol", "patrol.outpost", "patrol.newtype")
    world.dice.script(10)
    await world.player.click(card, custom_id=press(card, "roll"))
    assert counts(entry(world)) == {"patrol.scouted": 1, "patrol.outpost": 1, "patrol.newtype": 1}


@pytest.mark.slow
async def test_an_open_card_of_an_archived_campaign_does_not_roll(world: World) -> None:
    """Once the campaign is archived, its cards neither change nor roll; taken back, they do again."""
    card = await opened(world)
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "archived" in refused(await world.gm.click(card, custom_id=press(card, "roll")))
        assert "archived" in refused(
            await world.gm.select(card, ["patrol.ship"], custom_id=press(card, "tick:patrol:0"))
        )
        assert "archived" in refused(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom"))
    await world.manager.slash(world.orders, "campaign archive", restore=True)
    world.dice.script(18)
    assert "Rolled" in said(await world.gm.click(card, custom_id=press(card, "roll")))
