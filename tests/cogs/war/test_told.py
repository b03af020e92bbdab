"""How a war's orders are told: by what things are called, in one phase, and with what lapsed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from bot.orders.listing import _further
from tests.cogs.war.front import E, Front, begun, changed
from tests.cogs.war.ordering import code, given, listed, plan
from tests.support.reading import response, text
from tests.support.world import World


async def test_what_lapses_says_which_order_it_was(front: Front) -> None:
    """The receipt names the kind of order and what it was about, such as the model of a research."""
    await given(front, front.ann, "research", E, to="guncannon")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 4"})
    made = response(await front.world.gm.click(await plan(front), label="Resolve all"))
    assert "Earth Federation: cancelled (Buy units: 3,-3 and gm 4): That costs 80 gold, and the bank has 50" in text(
        made
    )


async def test_what_is_built_is_offered_and_told_by_what_it_is_called(front: Front) -> None:
    """Items go by their labels, in what is offered and in the order that is given out of it; ids are still read."""
    for kind, to, item in (
        ("Build on a panel", "2,-1", "MS facility upgrade (60 gold)"),
        ("Strengthen a garrison", "1,-3", "Colony garrison (25 gold)"),
    ):
        typed = {"kind": kind, "who": E, "to": to}
        found = await front.ann.autocomplete(front.world.orders, "order give", "with", "", **typed)
        assert item in [each["name"] for each in found]
        told = await given(front, front.ann, kind, E, to=to, **{"with": item})
        assert item.replace("(", "\\(").replace(")", "\\)") in told or item in told
        assert "_" not in told.replace("\\_", "_").partition("Sealed")[0]
    shown = text(await plan(front))
    assert "builds MS facility upgrade on 2,-1" in shown  # the price that was offered may be another one by then
    assert "strengthens the garrison of 1,-3: Colony garrison\n" in shown


async def test_a_foretold_battle_holds_the_turn_in_plan_and_receipt(world: World) -> None:
    """Where a move opens a battle, neither says that the turn ends: both say what it waits for; without one the plan says that it ends."""
    front = await begun(world, changed(**{"2nd_Fleet": "2,0"}))
    assert "The turn of **First days** ends" in text(await plan(front))
    await given(front, front.ann, "move", "1st Fleet", to="2,0")
    waits = "Turn 1 of First days can't end yet: it waits for the battle on 2,0."
    shown = await plan(front)
    assert waits in text(shown)
    assert "The turn of" not in text(shown)
    assert waits in text(response(await world.gm.click(shown, label="Resolve all")))
    assert [str(at) for at in (await front.stands()).battles] == ["2,0"]


async def test_what_would_change_nothing_is_refused(front: Front) -> None:
    """A rank, a command and a post as they are already are no order (K4, K5): nothing would be told of it."""
    for kind, who, to in (("promote", "Ann", "Admiral"), ("assign", "1st Fleet", "Ann"), ("delegate", E, "nobody")):
        assert "That changes nothing." in code(await front.order(front.ann, kind, who, to=to))


async def test_each_of_several_orders_is_told_with_what_came_of_it_alone(front: Front) -> None:
    """Of two garrisons each reads of its own panel; what is left out, such as a number, leaves no mark behind."""
    await front.world.gm.slash(front.world.orders, "war set", what="gold", to="E 200", reason="A gift")
    for at in ("1,-3", "3,-3"):
        await given(front, front.ann, "garrison", E, to=at)
    shown = await plan(front)
    assert "strengthens the garrison of 1,-3\n" in text(shown)
    await front.world.gm.click(shown, label="Resolve all")
    told = await listed(front, front.ann)
    assert [told.count(f"The garrison of {at} gets 1 gm.") for at in ("1,-3", "3,-3")] == [1, 1]


async def test_the_plan_names_whose_order_cannot_be_carried_out(front: Front) -> None:
    """A fleet whose way leads over a panel that has been struck since."""
    await given(front, front.ann, "move", "1st Fleet", to="1,-1")
    await front.world.gm.slash(front.world.orders, "war rule", text="remove: 1,-1")
    assert "**1st Fleet** (move): 1,-1 is off the map" in text(await plan(front))


def test_what_is_told_behind_the_first_line_is_not_of_a_part_kept_from_players() -> None:
    """Steps of a part that is secret stay with the staff, in an entry that everybody reads too."""
    parts = [
        {"secret": secret, "steps": [{"title": "", "source": None, "dice": [], "text": text}]}
        for secret, text in ((False, "Seen."), (True, "Hidden."))
    ]
    made: Any = SimpleNamespace(audience="results", content=lambda: {"texts": [], "parts": parts})
    results: Any = SimpleNamespace(made={7: made})
    order: Any = SimpleNamespace(entries=(7,))
    assert [*_further(results, order)] == ["Seen."]


async def ruled(front: Front, words: str) -> str:
    """Rule as the game master, and return what they alone read."""
    return text(response(await front.world.gm.slash(front.world.orders, "war rule", text=words))).replace("\\", "")


async def test_a_mark_without_effect_is_said_to_have_none(front: Front) -> None:
    """A second mark that changes nothing is told beside the first that does, and is told alone too."""
    idle = "Principality of Zeon keeps its source of supply."
    told = await ruled(front, "The beam strikes. remove: u12; source: Z none")
    assert "11th Squadron loses" in told
    assert idle.replace("Principality of ", "") in told.replace("Principality of ", "")
    alone = await ruled(front, "source: Z none")
    assert "keeps its source of supply." in alone
