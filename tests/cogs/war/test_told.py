"""How a war's orders are told: by what things are called, in one phase, and with what lapsed."""

from __future__ import annotations

from tests.cogs.war.front import E, Front
from tests.cogs.war.ordering import given, plan
from tests.support.reading import response, text


async def test_what_lapses_says_which_order_it_was(front: Front) -> None:
    """The receipt names the kind of order and what it was about, such as the model of a research."""
    await given(front, front.ann, "research", E, to="guncannon")
    await given(front, front.ann, "buy", E, to="3,-3", **{"with": "gm 4"})
    made = response(await front.world.gm.click(await plan(front), label="Resolve all"))
    assert "Earth Federation: lapsed (Buy units: 3,-3 and gm 4): That costs 80 gold, and there are 50" in text(made)


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
