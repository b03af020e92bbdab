"""Every act of a turn, from every place that offers it."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

from bot.app import list_played_books
from bot.cogs.roe.actors import AMMUNITION, ITEM, WEAPON, WEAPONS, list_offered
from rules.book import Act
from rules.books.roe.struggles import METRES
from rules.books.roe.vehicles import SEAT
from rules.dice import Roll
from tests.cogs.roe.attacking import act as act_of
from tests.cogs.roe.attacking import round_over
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring, read_answers
from tests.cogs.roe.test_turn_card import card
from tests.support.prepared import prepared
from tests.support.reading import control, labels, offers, press, response
from tests.support.world import written

BOOK = list_played_books()["roe"]
ACTS = list_offered(BOOK)
FAST = {"turn.flee", "turn.call", "turn.fall", "turn.reload", "turn.search", "turn.grab"}
TANK, HAAS = "Behemoth", "Haas"
VALUES = {METRES: "6", WEAPON: "Rifle", WEAPONS: "Rifle", AMMUNITION: "Rifle: AP", SEAT: "driver", ITEM: "Club"}
TARGETS = {"turn.mount": TANK, "turn.hatch": TANK, "turn.call": HAAS}
BEFORE = {
    "turn.stand": "Kneel",
    "turn.dismount": "Mount",
    "turn.extinguish": "Chemical burn",
    "turn.leave-gas": "In a zone that blocks Actions",
}
"""What an act needs first: another act or an effect."""
ELSEWHERE = {f"turn.{act}" for act in ("answer", "bolt", "hack", "hurl", "kick", "pick-up", "ram", "reload", "search")}
"""Acts that other tests cover, since they need a longer story."""


@prepared
async def ready(ring: Ring) -> None:
    """Kai has the turn against Char, with a vehicle and someone to call."""
    await ring.gm.slash(ring.world.orders, "roster add", name=TANK, kind="squad", fields="vehicle: tank")
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name=HAAS, owner=ring.player)
    await ring.save(
        dict.fromkeys((KAI, CHAR), "hp: 300; weapons: Rifle = L_s_Rifle, Club = L_b_Club, Bolter = L_s_AMR")
    )
    await ring.begin()


async def enable(ring: Ring, act: Act) -> None:
    """Make an act possible."""
    faces = cycle((0.9, 0.2))  # the actor wins
    ring.world.dice.roll = lambda term: Roll(term, (int(term.sides * next(faces)) or 1,), "test")  # type: ignore[method-assign]
    needed = {fact for refusal in act.refused for when in refusal.when for fact in when if fact.startswith("!")}
    if needed & {"!actor.holding", "!actor.held"}:
        if "!actor.held" in needed:
            await ring.end_turn(ring.player)
        await act_of(ring, "Grab", target=CHAR if "!actor.holding" in needed else KAI, roll="now")
        await round_over(ring, 2 if "!actor.holding" in needed else 1)
    before = BEFORE.get(act.id)
    if before in {each.title for each in ACTS}:
        await act_of(ring, before, **({"target": TANK, "value": "driver"} if before == "Mount" else {}))
        await round_over(ring)
    elif before:
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect=before)


async def goes_on(ring: Ring, result: Any) -> str:  # noqa: ANN401 - an interaction's result
    """Press Roll or fill in a window; return all answers."""
    if result.modal is not None:
        fields = [item["component"]["custom_id"] for item in result.modal["components"]]
        typed = {"target": HAAS, "value": ""} if "target" in fields else {"value": "6"}
        result = await ring.player.submit_modal(result, typed)
    answer = response(result)
    if offers(answer, "roll"):
        result = await ring.player.click(answer, custom_id=press(answer, "roll"))
    return read_answers(result)


def is_done(answer: str) -> bool:
    """Whether an act was done or asks others first."""
    return any(word in answer for word in ("Rolled", "Done", "Flight made", "Call for aid made"))


@pytest.mark.parametrize(
    "act", [pytest.param(act, id=act.title, marks=() if act.id in FAST else pytest.mark.slow) for act in ACTS]
)
async def test_an_act_goes_the_same_way_from_the_card_and_the_command(ring: Ring, act: Act) -> None:
    """What the card offers works; `/roe act` does it too, or refuses it in words."""
    await ready(ring)
    await enable(ring, act)
    shown = await card(ring)
    select = control(shown, "act") if offers(shown, "act") else {"options": []}
    values = [item["value"] for item in select["options"] if item["value"].partition(":")[0] == act.id]
    for value in values[:1]:
        answer = await goes_on(ring, await ring.player.select(shown, [value], custom_id=select["custom_id"]))
        assert is_done(answer), answer
        for post in [post for post in ring.world.orders.history() if "No" in labels(post)]:
            await ring.gm.click(post, custom_id=press(post, "close"))
        await round_over(ring)
    before = written(ring.world)
    target = TARGETS.get(act.id, CHAR) if act.has_other and not (act.bound and not act.beside) else None
    options = {"target": target, "value": VALUES.get(act.takes or ""), "roll": "now"}
    typed = {name: value for name, value in options.items() if value is not None}
    answer = read_answers(await ring.player.slash(ring.world.orders, "roe act", what=act.title, **typed))
    assert is_done(answer) or written(ring.world) == before, answer
    assert values or is_done(answer) or act.id in ELSEWHERE, answer
