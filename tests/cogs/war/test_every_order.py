"""Every kind of order of a war, typed whole or completed in a window: the same answer, and resolved alike."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from rules.books.total_war import order_kinds as kinds
from tests.cogs.war.front import E, Front
from tests.support.reading import response, text

Options = Mapping[str, str]
EVERY: Mapping[str, tuple[str, Options, str]] = {
    kinds.MOVE: ("1st Fleet", {"to": "SW"}, "Order given"),
    kinds.FOLLOW: ("11th Squadron", {"to": "1st Fleet"}, "Order given"),
    kinds.ASSIGN: ("1st Fleet", {"to": "Bo"}, "1st Fleet belongs to Earth Federation, Bo to Zeon."),
    kinds.ALLOT: ("11th Squadron", {"to": "gm", "with": "1"}, "You can't assign 1 gm: only 0 left."),
    kinds.BUILD: (E, {"to": "2,-2", "with": "mining_station"}, "A panel can have only one Mining station."),
    kinds.BUY: (E, {"to": "3,-3", "with": "gm"}, "Order given"),
    kinds.RESEARCH: (E, {"to": "guncannon"}, "Order given"),
    kinds.GARRISON: (E, {"to": "2,-2"}, "only a capitol or colony can."),
    kinds.DELEGATE: (E, {"to": "Bo"}, "Bo doesn't command a fleet of Earth Federation."),
    kinds.FOUND: ("Ann", {"to": "X", "with": "#2e7d32"}, "Ann can found a faction only as a lone rogue"),
    kinds.ANSWER: (E, {"to": "Bo", "with": "yes"}, "Bo hasn't asked to join a faction."),
    kinds.PROMOTE: ("Ann", {"to": "King"}, "'King' isn't a rank"),
    kinds.ROGUE: ("Ann", {}, "Order given"),
    kinds.PETITION: ("Ann", {"to": "Zeon"}, "Only a lone rogue can ask to join one."),
}
"""Kinds of orders, whom each is about, its options, and what is answered."""


@pytest.mark.parametrize(
    "kind",
    [kind if kind in {kinds.BUY, kinds.ANSWER} else pytest.param(kind, marks=pytest.mark.slow) for kind in EVERY],
)
async def test_an_order_is_answered_alike_typed_whole_or_in_a_window(front: Front, kind: str) -> None:
    """What is missing is asked for, what was filled in is answered as if it had been typed, and what was given is resolved."""
    doer, options, answer = EVERY[kind]
    if options:
        asked = await front.order(front.ann, kind, doer)
        filled = {
            "who": doer,
            "to": options["to"],
            **({"beside": options["with"]} if "with" in options else {}),
            "note": "",
        }
        shown = response(await front.ann.submit_modal(asked, filled))
        assert answer in text(shown)
    shown = response(await front.order(front.ann, kind, doer, **options))
    assert answer in text(shown)
    if answer == "Order given":
        await front.resolve()
