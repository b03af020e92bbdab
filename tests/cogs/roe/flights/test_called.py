"""Characters called by another player: asked first."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, SHADOW, Ring, read_answers
from tests.cogs.roe.flights.test_calls import round_ended
from tests.cogs.roe.flights.test_flights import arm_all, find_question, says, tries
from tests.cogs.roe.test_acts import act
from tests.rolls.pending.test_answers import key
from tests.support.acting import save_group, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, offers, refused, response, text
from tests.support.world import nothing_written, rows, written


@prepared
async def call_haas(ring: Ring, **more: str) -> None:
    """Let Kai call Haas, the rival's; Char and the Guard don't interrupt."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.rival)
    await arm_all(ring)
    await tries(ring, "call", target="Haas", **more)
    await says(ring, ring.rival, "No")
    await says(ring, ring.gm, "No")


def list_expected(ring: Ring) -> set[str]:
    """Return the starts of the marks of expected or asked characters."""
    marks = [mark for _, _, value in ring.read_state() if isinstance(value, dict) for mark in value.get("marks", {})]
    return {mark.partition(".")[0] for mark in marks} & {"coming", "wanted"}


@pytest.mark.slow
async def test_a_call_brings_nobody_whose_player_does_not_say_so(ring: Ring) -> None:
    """Without an answer before the caller's turns are over, the call expires."""
    await call_haas(ring)
    assert f"**Haas** was called and can join once **{KAI}** has had 2 more turns." in ring.read_newest()
    assert offers(ring.newest_with("come"), "come")
    assert list_expected(ring) == {"wanted"}
    await round_ended(ring)
    await round_ended(ring)
    await ring.end_turn(ring.player)
    assert list_expected(ring) == set()
    assert "Haas" not in await ring.show()
    assert "already been answered" in await ring.again(ring.newest_with("come"), "come", ring.rival)


async def test_who_says_so_comes_in_time(ring: Ring) -> None:
    """By the call's button or the desk, only for that player; game masters read a line."""
    await call_haas(ring)
    with nothing_written(ring.world):
        assert "Only Haas's player" in refused(await ring.click("come", ring.player))
    await round_ended(ring)
    desks = {actor: response(await actor.slash(ring.world.orders, "update show")) for actor in (ring.rival, ring.gm)}
    assert all("called for aid, waiting for Come" in text(desk) and "Haas" in text(desk) for desk in desks.values())
    assert [offers(desk, "come") for desk in desks.values()] == [True, False]
    assert "Haas" not in read_answers(await ring.player.slash(ring.world.orders, "update show"))
    assert "Done" in read_answers(await ring.click("come", ring.rival, desks[ring.rival]))
    assert f"**Haas** joins once **{KAI}** has had 1 more turn." in ring.read_newest()
    assert "Haas" not in read_answers(await ring.rival.slash(ring.world.orders, "update show"))
    assert f"**Haas** joins after 1 more turn of {KAI}" in await ring.show()
    assert "already been answered" in refused(await ring.click("come", ring.rival))
    await round_ended(ring)
    await ring.end_turn(ring.player)
    assert_says(ring.read_newest(), "**Haas** joins now.", "round 3, Haas's turn")


@pytest.mark.slow
async def test_nobody_wounded_is_called_into_a_fight(ring: Ring) -> None:
    """Neither caller nor called may be Wounded for players (line 168)."""
    await call_haas(ring)
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Medic", owner=ring.player)
    for name in ("Haas", "Medic"):
        await ring.gm.slash(ring.world.orders, "gm effect", who=name, effect="Wounded")
    before = written(ring.world)
    assert "Haas is Wounded" in refused(await ring.click("come", ring.rival))
    assert "Haas is Wounded" in await ring.fail("join", ring.rival, character="Haas", how="call")
    await round_ended(ring)
    number = written(ring.world)
    assert number > before
    assert "Medic is Wounded" in await tries(ring, "call", target="Medic")
    assert written(ring.world) == number
    ring.world.clock.advance(hours=4)
    assert "Done" in read_answers(await ring.click("come", ring.rival))


@pytest.mark.slow
async def test_a_game_master_says_so_for_whom_nobody_plays(ring: Ring) -> None:
    """Neither side's call brings the other side's character by itself."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.rival)
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Medic")
    await arm_all(ring)
    for caller, who, awaits in ((ring.player, "Medic", {"wanted"}), (ring.gm, "Haas", {"coming", "wanted"})):
        await tries(ring, "call", caller, target=who)
        await says(ring, ring.rival, "No")
        await says(ring, ring.gm, "No")
        assert list_expected(ring) == awaits
        if who == "Medic":
            assert "or a game master" in refused(await ring.click("come", ring.rival))
            assert "Done" in read_answers(await ring.click("come", ring.gm))
            assert list_expected(ring) == {"coming"}
            await round_ended(ring)


@pytest.mark.slow
async def test_several_come_over_a_public_comlink(ring: Ring) -> None:
    """The post names several."""
    for name in ("Haas", "Medic"):
        await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name=name, owner=ring.player)
    await save_group(ring.world, name="Medical", members="Haas, Medic", secret=False)
    await arm_all(ring)
    await tries(ring, "call", target="Haas, Medic", value="comlink medical")
    assert f"**Haas** and **Medic** join once **{KAI}** has had 2 more turns." in ring.read_newest()


@pytest.mark.slow
async def test_join_after_a_call_is_the_same_road(ring: Ring) -> None:
    """`/fight join` as called comes after the caller, in the call's time, also into a locked fight."""
    await call_haas(ring, value="near base")
    await ring.use("lock", reason="The gate is shut")
    await ring.use("join", ring.rival, character="Haas", how="call")
    assert f"**Haas** joins once **{KAI}** has had 1 more turn." in ring.read_newest()
    assert list_expected(ring) == {"coming"}
    await round_ended(ring)
    await ring.end_turn(ring.player)
    assert "round 2, Haas's turn" in ring.read_newest()


@pytest.mark.slow
async def test_a_call_is_taken_back_with_what_was_said_to_it(ring: Ring) -> None:
    """After a void, no character is expected or asked."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.rival)
    await arm_all(ring)
    kept = ring.read_state()
    await tries(ring, "call", target="Haas")
    await says(ring, ring.rival, "No")
    await says(ring, ring.gm, "No")
    await ring.click("come", ring.rival)
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert ring.read_state() == kept


async def test_a_call_tells_nothing_of_where_somebody_stands(ring: Ring) -> None:
    """Hidden characters and those in other fights can be called like any; visible ones are refused."""
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.rival)
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Busy", owner=ring.rival)
    await ring.use("start", channel=ring.world.results, who=f"Busy, {SHADOW}", name="Elsewhere")
    await arm_all(ring, f"{CHAR}, {KAI}, {GUARD}")
    await act(ring, "Hide", ring.rival, (100, 60), (100, 20), (100, 20), roll="now")
    await ring.end_turn(ring.rival)
    offered = await ring.player.autocomplete(ring.world.orders, "roe act", "target", "", what="call")
    assert {item["value"] for item in offered} == {CHAR, "Haas", "Busy"}
    assert f"{GUARD} is already in Fight" in await tries(ring, "call", target=GUARD)
    for name in ("Haas", CHAR, "Busy"):
        said = await tries(ring, "call", target=name)
        assert "Call for aid made" in said
        message = find_question(ring)
        await ring.player.click(message, custom_id=key(message, "Withdraw"))
    await tries(ring, "call", target=CHAR)
    await says(ring, ring.gm, "No")
    assert f"**{CHAR}** was called and can join" in ring.read_newest()
    assert "unknown" not in ring.read_newest()
    assert f"{CHAR} is already in" in refused(await ring.click("come", ring.rival))
