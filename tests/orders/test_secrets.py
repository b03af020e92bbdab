"""Secrets stay out of lists, completions, refusals and digests."""

from __future__ import annotations

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import order, populate
from tests.orders.test_board import board, posted
from tests.orders.test_resolving import resolved
from tests.support.reading import said, text
from tests.support.world import World

SECRETS = ("Nightjar", "Hollow hill", "Silent note")


async def test_a_game_masters_secret_order_is_told_to_no_player(world: World) -> None:
    """Before and after it is resolved."""
    await populate(world)
    other = another_player(world)
    await save(world.bots[0].database, Profile("Nightjar", "squad", secret=True))
    await order(world, "Hide", "Nightjar", world.gm, to="Hollow hill", note="Silent note")
    await order(world, "Move through a sector", "Nightjar", world.gm, to="Hollow hill")
    await order(world, "Patrol or blockade a sector", "White Base", to="Hollow valley")
    await posted(world)
    assert "Nightjar" in await board(world)
    for is_over in (False, True):
        for actor in (world.player, other):
            for command in ("order list", "update show", "ledger", "gm schedule"):
                told = said(await actor.slash(world.orders, command))
                assert [word for word in SECRETS if word in told] == [], command
            for kind, option in (("Hide", "to"), ("Hide", "who"), ("Scout a base", "to"), ("Hide", "kind")):
                given = {} if option == "kind" else {"kind": kind}
                offered = str(await actor.autocomplete(world.orders, "order give", option, "", **given))
                assert [word for word in SECRETS if word in offered] == [], (kind, option)
        public = "\n".join(text(message) for message in world.results.history())
        assert [word for word in SECRETS if word in public] == []
        if not is_over:
            await resolved(world)


async def test_a_players_order_tells_nothing_of_who_is_there(world: World) -> None:
    """Answers are the same."""
    await populate(world)
    await save(world.bots[0].database, Profile("Nightjar", "squad", secret=True))
    before = said(await order(world, "Detect in a sector", "Kai", to="Valley")).partition("\n")[2]
    await order(world, "Hide", "Nightjar", world.gm, to="Valley")
    after = said(await order(world, "Detect in a sector", "Kai", to="Valley")).partition("\n")[2]
    assert before.partition("\n")[2] == after.partition("\n")[2]
