"""Only readers of an entry learn its number."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.reading import press, refused, response, said
from tests.support.soundness import require_whole
from tests.support.world import World, rows, send_raw


@pytest.fixture
async def captured(world: World) -> World:
    """A siege and a captive, by a game master."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting, characters")
    await world.gm.slash(world.orders, "roster add", name="Fort", kind="base")
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Alf", owner=world.player)
    await world.gm.slash(world.orders, "gm effect", who="Fort", effect="under-siege")
    await world.gm.slash(world.orders, "capture", captive="Alf", by="Zeon", at="Fort")
    return world


async def test_players_read_no_numbers_of_the_staffs_entries(captured: World) -> None:
    """Only game masters do."""
    cases: list[tuple[str, dict[str, Any]]] = [
        ("gm effect", {}),
        ("captives", {"captive": "Alf"}),
        ("unit", {"name": "Fort"}),
        ("unit", {"name": "Alf"}),
        ("roster edit", {"name": "Alf", "fields": "callsign: Owl"}),
        ("scout", {"scouter": "Bob", "base": "Fort"}),
    ]
    for command, options in cases:
        told = said(await captured.player.slash(captured.orders, command, **options))
        assert re.search("siege|Zeon|Alf", told)
        assert not re.search(r"[Ee]ntry #?\d", told)
        if command != "roster edit":
            assert re.search(r"[Ee]ntry #?\d", said(await captured.gm.slash(captured.orders, command, **options)))


@pytest.mark.slow
async def test_a_result_for_the_staff_has_no_number_for_its_roller(captured: World) -> None:
    """Receipt and card hide it."""
    for actor, told in ((captured.player, False), (captured.gm, True)):
        card = response(await actor.slash(captured.orders, "scout", scouter=f"Bob {told}", base="Fort"))
        key = press(card, "roll")
        captured.dice.script(1)
        receipt = await actor.click(card, custom_id=key)
        assert ("entry #" in said(receipt)) is told
        again = refused(await send_raw(actor, captured.orders, key))
        assert "rolled already" in again
        assert ("entry #" in again) is told


async def test_an_ordered_escape_is_read_by_whoever_ordered_it_and_by_the_staff(captured: World) -> None:
    """Other players don't find it."""
    receipt = said(await captured.player.slash(captured.orders, "escape", captive="Alf", note="Through the ducts"))
    (number,) = rows(captured, "select max(number) from entry")[0]
    assert f"entry #{number}" in receipt
    other = captured.guild.add_member(captured.env.create_user("other"), roles=[captured.roles["player"]])
    for actor in (captured.player, captured.gm, captured.gm2):
        assert "Through the ducts" in said(await actor.slash(captured.orders, "ledger", entry=number))
        assert "Escape: Alf" in said(await actor.slash(captured.orders, "ledger"))
    assert "no entry" in refused(await other.slash(captured.orders, "ledger", entry=number))
    assert "Escape" not in said(await other.slash(captured.orders, "ledger"))
    assert f"entry #{number}" in said(await captured.player.slash(captured.orders, "captives", captive="Alf"))
    await require_whole(captured)


@pytest.mark.slow
async def test_an_ordered_escape_is_taken_back_among_the_staff(captured: World) -> None:
    """The orderer sees it struck through."""
    await captured.player.slash(captured.orders, "escape", captive="Alf")
    (number,) = rows(captured, "select max(number) from entry")[0]
    window = await captured.gm.slash(captured.orders, "gm undo", entry=number)
    await captured.gm.submit_modal(window, {"reason": "Too early"})
    assert rows(captured, "select audience from entry where number = ?", number + 1) == [("maker",)]
    assert "~~Order given~~" in said(await captured.player.slash(captured.orders, "ledger", entry=number))
    assert "no entry" in refused(await captured.player.slash(captured.orders, "ledger", entry=number + 1))
    await require_whole(captured)
