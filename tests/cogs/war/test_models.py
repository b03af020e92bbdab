"""Which models a faction can make: what is offered for them, and what is said of others and of numbers out of range."""

from __future__ import annotations

from tests.cogs.war.front import E, Front
from tests.cogs.war.ordering import code
from tests.support.world import written

REFUSED = [
    ("buy", "3,-3", "gm 999999", "999999 of gm: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "gm -1", "-1 of gm: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "\N{MINUS SIGN}1 gm", "\N{MINUS SIGN}1 of gm: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "gm 0", "0 of gm: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "gm " + "9" * 60, "9 of gm: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "gm 9999", "and there are 100, enough for 5. (E_NO_FUNDS)"),
    ("garrison", "3,-3", "10000", "10000 of Capitol garrison upgrade: order 1 to 9999 at once. (E_NO_TARGET)"),
    ("buy", "3,-3", "gmn", "'gmn' is not a model, did you mean gm? (E_NO_TARGET)"),
    ("buy", "3,-3", "x", "'x' is not a model (known: columbus, gm, guncannon, magellan, saberfish). (E_NO_TARGET)"),
    ("buy", "3,-3", "zaku 2", "has no model zaku, which is Zeon's. It makes: columbus, gm, guncannon, magellan,"),
    ("buy", "3,-3", "guncannon", "guncannon is not researched yet. (E_NOT_RESEARCHED)"),
]
"""Kinds of orders, where and what is bought, and what is said of it."""


async def test_what_cannot_be_bought_is_refused_with_what_can(front: Front) -> None:
    """A number out of range names the range, what is beyond the bank how many it pays, and another's model whose it is and what one's own makes."""
    before = written(front.world)
    for kind, to, what, told in REFUSED:
        answer = code(await front.order(front.ann, kind, E, to=to, **{"with": what}))
        assert told in answer, what
        assert len(answer) < 300, what
        assert written(front.world) == before, what


async def test_only_what_a_faction_can_make_is_offered(front: Front) -> None:
    """Neither another's models nor what is not researched yet; the other side is offered its own."""
    assert await offered(front, "with", kind="Buy units", to="3,-3") == ["columbus", "gm", "magellan", "saberfish"]
    theirs = {"kind": "Buy units", "who": "Zeon", "to": "-3,3"}
    found = await front.bo.autocomplete(front.world.orders, "order give", "with", "", **theirs)
    assert [item["name"].partition(" (")[0] for item in found] == ["bigro", "columbus", "gattle", "musai", "zaku"]


async def offered(front: Front, option: str, **typed: str) -> list[str]:
    """What the Federation's leader is offered, without prices."""
    found = await front.ann.autocomplete(front.world.orders, "order give", option, "", who=E, **typed)
    return [item["name"].partition(" (")[0] for item in found]
