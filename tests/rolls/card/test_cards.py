from __future__ import annotations

from typing import Any

import pytest
import simcord

from bot.core.profiles import Profile
from bot.rolls.card.store import forget_spent_cards
from tests.cogs.captives.cells import save
from tests.cogs.update.test_desk import desk, key, labels
from tests.support.acting import close_update, confirmed, has_cards, more, more_of, opened, reopened, tick
from tests.support.prepared import prepared
from tests.support.reading import assert_says, control, offers, option, press, refused, response, said, text, ticked
from tests.support.world import World, entry, nothing_written, rows, send_raw, show_every_command, written


def counts(body: dict[str, Any], part: int = 0) -> dict[str, int]:
    """Return what counted on a part's first table."""
    step = body["parts"][part]["steps"][0]
    return {item["id"]: item["count"] for item in step["modifiers"] if item["count"]}


@pytest.mark.slow
async def test_a_fact_may_be_unticked_by_hand(world: World) -> None:
    """Unticked, it doesn't count, and the entry says why."""
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
    """Zero removes a count; the modal shows the current ones."""
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
    """Only lines that were typed over change."""
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
    """The modal was opened while there were two tables."""
    card = await opened(world, target="Ghost:neutral")
    shown = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.select(card, ["hostile"], custom_id=press(card, "choice:stance"))
    values = {"value": "1", "reason": "dusk", "table": ["campaign.patrol.passage"]}
    assert "isn't used any more" in refused(await world.gm.submit_modal(shown, values))


async def test_reset_puts_the_card_back_to_what_was_typed(world: World) -> None:
    """Ticks, stances, adjustments and destination are undone."""
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
    """Another view says so, and it is no longer listed."""
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
        assert not await has_cards(world.gm2, world.orders)


async def test_a_card_rolls_once_however_often_it_is_pressed(world: World) -> None:
    """The second press privately names the entry."""
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
    """A scouting that succeeds in between is shown first."""
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
    """Each press changes only what that person changed."""
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
    """A change of stance removed the table."""
    card = await opened(world, target="Ghost:neutral")
    other = await more_of(world.gm2, await reopened(world, world.gm2))
    assert option(other, "tick:passage:0", "target.smuggler")
    await world.gm.select(card, ["hostile"], custom_id=press(card, "choice:stance"))
    shown = await tick(world.gm2, other, "passage", "target.smuggler")
    assert "The card has changed since you saw it" in shown
    assert "target.smuggler" not in [one["value"] for one in control(other, "tick:passage:0")["options"]]


@pytest.mark.slow
async def test_a_view_that_is_far_behind_is_shown_anew_and_changes_nothing(world: World) -> None:
    """Only a few snapshots are kept."""
    card = await opened(world)
    other = await reopened(world, world.gm2)
    for number in range(12):
        await tick(world.gm, card, "patrol", *(["patrol.newtype"] if number % 2 else ["patrol.ship"]))
    with nothing_written(world):
        assert "The card has changed since you saw it" in await tick(world.gm2, other, "patrol", "patrol.base")
        assert ticked(other, "patrol") == {"patrol.newtype"}


async def test_what_a_player_cannot_see_is_not_unticked_by_them(world: World) -> None:
    """A secret fact stays ticked for the game master."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
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
    """Its cards work again once it's restored."""
    card = await opened(world)
    await confirmed(world, "campaign archive", world.manager)
    await show_every_command(world)
    with nothing_written(world):
        assert "archived" in refused(await world.gm.click(card, custom_id=press(card, "roll")))
        assert "archived" in refused(
            await world.gm.select(card, ["patrol.ship"], custom_id=press(card, "tick:patrol:0"))
        )
        assert "archived" in refused(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom"))
    await world.manager.slash(world.orders, "campaign archive", restore=True)
    world.dice.script(18)
    assert "Rolled" in said(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_spent_cards_go_after_a_week(world: World) -> None:
    """Open ones stay."""
    rolled, cancelled, waiting = [await opened(world, patrol=name) for name in ("Kilo", "Lima", "Mike")]
    pressed = press(rolled, "roll")
    world.dice.script(10)
    await world.gm.click(rolled, custom_id=pressed)
    await world.gm.click(cancelled, custom_id=await more(world.gm, cancelled, "cancel"))
    world.clock.advance(days=6)
    await forget_spent_cards(world.bots[-1])
    assert "rolled already: entry #3" in refused(await send_raw(world.gm, world.orders, pressed))
    assert [state for (state,) in rows(world, "select state from card")].count("open") == 1
    world.clock.advance(days=2)
    await forget_spent_cards(world.bots[-1])
    assert rows(world, "select state from card") == [("open",)]
    assert "no longer exists" in refused(await send_raw(world.gm, world.orders, pressed))
    world.dice.script(10)
    assert "Rolled: entry #4" in said(await world.gm.click(waiting, custom_id=press(waiting, "roll")))


async def test_open_cards_are_discarded_together(world: World) -> None:
    """Only one's own cards that were seen; a second press does nothing."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    await world.player.slash(world.orders, "patrol", patrol="Lima", target="Gouf")
    await opened(world)
    assert not [label for label in labels(await desk(world)) if "Discard" in label]
    await opened(world, patrol="Mike")
    shown = await desk(world)
    world.clock.advance(minutes=1)
    await opened(world, patrol="Oscar")
    with nothing_written(world):
        pressed = key(shown, "Discard all 2 of yours")
        assert "Discarded: 2 open cards" in said(await world.gm.click(shown, custom_id=pressed))
        assert "Those cards are all closed." in refused(await world.gm.click(shown, custom_id=pressed))
        assert rows(world, "select state, count(*) from card group by state order by state") == [
            ("cancelled", 2),
            ("open", 2),
        ]


async def test_another_update_is_said_before_the_roll(world: World) -> None:
    """The first press shows the card again, the second rolls."""
    card = await opened(world)
    assert "Update 1" in text(card)
    await close_update(world)
    before = written(world)[0]
    assert_says(said(await world.gm.click(card, custom_id=press(card, "roll"))), "Update 2", "changed")
    assert written(world)[0] == before
    world.dice.script(10)
    assert "Rolled: entry" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert entry(world)["update"]["number"] == 2


SLIPS: tuple[tuple[str, dict[str, str], str], ...] = (
    ("patrol", {"patrol": "Chars Zaku", "target": "Grey Ghost"}, "Char's Zaku"),
    ("patrol", {"patrol": "Char's Zaku", "target": "Gray Ghost"}, "Grey Ghost"),
    ("scout", {"scouter": "Kai Brandt", "base": "Fort Basault"}, "Fort Basalt"),
    ("detect", {"detector": "Fort Basault", "hidden": "Kai Brandt"}, "Fort Basalt"),
)
"""A roll with a slip in a name, and who was meant."""


@prepared
async def populate(world: World) -> None:
    """Save a squad, a ship, a base and a character."""
    database = world.bots[0].database
    squad = Profile("Char's Zaku", "squad", side="Zeon", traits={"newtype": 1})
    await save(database, squad, Profile("Grey Ghost", "ship", side="EF"))
    await save(database, Profile("Fort Basalt", "base", side="Zeon"), Profile("Kai Brandt", "pc", side="EF"))


async def card_of(world: World, command: str, options: dict[str, str]) -> simcord.ResponseMessage:
    """Open a game master's card."""
    return response(await world.gm.slash(world.orders, command, **options))


@pytest.mark.parametrize(("command", "options", "meant"), SLIPS)
async def test_a_card_asks_about_a_name_that_is_nearly_a_saved_one(
    world: World, command: str, options: dict[str, Any], meant: str
) -> None:
    """As meant puts in the known name."""
    await populate(world)
    card = await card_of(world, command, options)
    assert f"Did you mean {meant.replace('_', ' ')}?" in text(card)
    await world.gm.click(card, custom_id=press(card, "correct"))
    assert f"**{meant}**" in text(card)
    assert "Did you mean" not in text(card)
    assert not offers(card, "correct")


async def test_a_modifier_that_was_meant_stays_beside_one_that_was_ticked(world: World) -> None:
    """As meant keeps ticks made by hand."""
    await populate(world)
    options = {"patrol": "Chars Zaku", "target": "Grey Ghost", "modifiers": "patrol.outpots", "roll": "now"}
    card = await card_of(world, "patrol", options)
    await world.gm.click(card, custom_id=press(card, "page:card"))
    assert "patrol.outpost" not in ticked(card, "patrol")
    await tick(world.gm, card, "target", "target.lucky")
    await world.gm.click(card, custom_id=press(card, "correct"))
    assert {"patrol.newtype", "patrol.outpost"} <= ticked(card, "patrol")
    assert "target.lucky" in ticked(card, "target")


async def test_a_card_rolls_as_typed_where_that_was_meant(world: World) -> None:
    """The typed name isn't saved."""
    await populate(world)
    card = await card_of(world, "patrol", {"patrol": "Chars Zaku", "target": "Grey Ghost"})
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["subjects"]["patrol"] == "Chars Zaku"
