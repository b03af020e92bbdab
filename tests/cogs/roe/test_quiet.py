"""What hidden fighters do is unread by others, unless it ends the hiding."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, SHADOW, Ring, read_answers
from tests.cogs.roe.flights.test_flights import arm_all as armed_three
from tests.cogs.roe.test_acts import act, arm_two, effects, round_of
from tests.cogs.roe.test_amending import SHOT, amend_with
from tests.cogs.roe.test_hiding import hide_kai, list_targets
from tests.cogs.roe.test_pets import kennel, send
from tests.support.acting import take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, refused, response, text
from tests.support.world import rows


async def read(ring: Ring, actor: Any) -> list[str]:  # noqa: ANN401 - as simcord takes them
    """Return everything someone can read of the campaign."""
    found = [text(message) for message in ring.world.orders.history()]
    found += [read_answers(await ring.use(command, actor)) for command in ("show", "turn")]
    found += [
        read_answers(await actor.slash(ring.world.orders, name)) for name in ("gm effect", "ledger", "update show")
    ]
    odds = {"weapon": "M_b_Club", "against": CHAR}
    return [
        *found,
        *await list_targets(ring, actor),
        read_answers(await actor.slash(ring.world.orders, "roe odds", **odds)),
    ]


def last(ring: Ring) -> tuple[int, str]:
    """Return the newest roll's number and audience."""
    found = rows(ring.world, "select number, audience from entry where kind = 'roll' order by number desc limit 1")
    number, audience = found[0]
    return number, audience


@prepared
async def in_hiding(ring: Ring) -> None:
    """Let Kai draw a gun and hide from Char; Kai has the turn."""
    await arm_two(ring)
    await act(ring, "Draw or swap", value="Gun")
    await hide_kai(ring, 20)
    await round_of(ring)


async def over(ring: Ring) -> str:
    """End Kai's hidden turn; return the answer."""
    return read_answers(await ring.click("turn", ring.player, response(await ring.use("turn", ring.player))))


@pytest.mark.parametrize("acts", [1, pytest.param(7, marks=pytest.mark.slow)])
async def test_what_the_hidden_do_is_for_their_maker_and_the_staff(ring: Ring, acts: int) -> None:
    """Their player reads it all; others see no difference, even after a void."""
    await in_hiding(ring)
    before, kept = await read(ring, ring.rival), ring.read_state()
    for what, options in (
        ("Move", {}),
        ("Kneel", {}),
        ("Sprint", {}),
        ("Draw or swap", {"value": "Bolter"}),
        ("Load special ammunition", {"value": "Gun: AP"}),
        ("Aim", {"target": CHAR}),
        ("Take cover", {}),
    )[:acts]:
        desk = len(ring.world.staff.history())
        answer = await act(ring, what, **options)
        number, audience = last(ring)
        assert_says(answer, f"Done: entry #{number}", KAI)
        assert await read(ring, ring.rival) == before
        assert len(ring.world.staff.history()) == desk + 1
        assert audience == "maker"
        assert KAI in read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=number))
        assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger", entry=number))
        assert await effects(ring, KAI) >= {"hidden"}
        await take_back(ring.world, "gm undo", entry=number, reason="never mind")
        assert await read(ring, ring.rival) == before
        assert ring.read_state() == kept
        assert f"#{number}" in text(newest(ring.world.staff))
    assert "Done: entry #" in await over(ring)
    assert await read(ring, ring.rival) == before
    ((number, audience),) = rows(ring.world, "select number, audience from entry order by number desc limit 1")
    assert audience == "maker"
    shown = read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=number))
    assert f"**{KAI}** has ended their turn" in shown
    assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger", entry=number))


@pytest.mark.slow
async def test_what_is_done_in_the_turn_of_hiding_shows_nowhere(ring: Ring) -> None:
    """Until that turn ends, others see them as before."""
    await arm_two(ring)
    before = await read(ring, ring.rival)
    await hide_kai(ring, 20)
    await act(ring, "Move")
    assert await read(ring, ring.rival) == before
    assert "no Actions left · no movements left" in await ring.show(ring.player)
    assert "no Actions left · no movements left" in await ring.show()


@pytest.mark.slow
async def test_what_befalls_the_hidden_is_told_to_whoever_plays_them(ring: Ring) -> None:
    """Damage at a hidden turn's start is for their player and the staff."""
    await arm_two(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Bleeding")
    await hide_kai(ring, 20)
    await round_of(ring)
    assert "turn starts" not in ring.read_newest()
    assert f"{CHAR}'s turn" in ring.read_newest()
    assert "5 damage" in await ring.run("turn", ring.player)
    assert "turn starts" in text(newest(ring.world.staff))
    number, audience = last(ring)
    assert audience == "maker"
    assert "5 damage" in read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=number))
    assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger", entry=number))


@pytest.mark.slow
async def test_who_is_seen_by_some_acts_unread_by_the_others(ring: Ring) -> None:
    """The finder reads; the other reads neither the acts nor the finder's aim."""
    await armed_three(ring)
    await hide_kai(ring, 90, 20)
    await ring.end_turn(ring.player)
    assert await effects(ring, KAI) == {"hidden"}
    assert KAI in await ring.show(ring.rival)
    posts = ring.read_newest()
    assert KAI in await act(ring, "Aim", ring.rival, target=KAI)
    assert ring.read_newest() == posts
    assert last(ring)[1] == "maker"
    for actor in (ring.rival, ring.gm):
        await ring.end_turn(actor)
    posts = ring.read_newest()
    assert KAI in await act(ring, "Move")
    assert ring.read_newest() == posts
    assert last(ring)[1] == "maker"


@pytest.mark.slow
async def test_who_is_attacked_hides_no_more(ring: Ring) -> None:
    """An attack by a finder is public and shows both."""
    await in_hiding(ring)
    await over(ring)
    await act(ring, "Search for someone hidden", ring.rival, (100, 70), (100, 30), target=KAI, roll="now")
    await ring.end_turn(ring.rival)
    await over(ring)
    ring.world.dice.script_dice(*(((100, 20), (100, 80)) * 3))
    await ring.rival.slash(ring.world.orders, "roe attack", target=KAI, weapon="unarmed", roll="now")
    assert last(ring)[1] == "results"
    assert KAI in ring.read_newest()
    assert await effects(ring, KAI) == {"spotted"}


@pytest.mark.parametrize("what", ["Grab", pytest.param("Disarm", marks=pytest.mark.slow)])
async def test_an_act_that_ends_hiding_is_public(ring: Ring, what: str) -> None:
    """Everyone sees a grab or a disarming (line 353)."""
    await in_hiding(ring)
    ring.world.dice.script_dice((100, 60), (100, 70))
    await act(ring, what, target=CHAR, roll="now", **({"value": "L_b_Club"} if what == "Disarm" else {}))
    assert last(ring)[1] == "results"
    assert KAI in ring.read_newest()
    assert await effects(ring, KAI) == {"spotted"}
    assert KAI in await ring.show(ring.rival)


async def hide_from_all(ring: Ring, *seen: int) -> None:
    """Hide Kai from all fighters with these dice."""
    assert "stays hidden from" in await act(
        ring, "Hide", ring.player, (100, 60), *((100, face) for face in seen), roll="now"
    )


@pytest.mark.slow
async def test_a_pet_gives_its_owner_away(ring: Ring) -> None:
    """Its attack is public and ends the owner's hiding."""
    await kennel(ring)
    await hide_from_all(ring, 20, 20)
    ring.world.dice.script_dice((100, 10), (100, 59))
    assert "Missed" in await send(ring)
    assert last(ring)[1] == "results"
    assert await effects(ring, KAI) == {"spotted"}


@pytest.mark.slow
async def test_an_explosion_is_heard_whoever_hides(ring: Ring) -> None:
    """Its thrower stays hidden; everyone reads of it."""
    await armed_three(ring)
    thrown = {"item": "Frag", "use": "throw", "targets": CHAR, "damage": "d10", "range": 10, "roll": "now"}
    assert "Thrown" in read_answers(await ring.player.slash(ring.world.orders, "roe blast", **thrown))
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.end_turn(actor)
    await hide_from_all(ring, 20, 20)
    ring.world.dice.script_dice((100, 20), (100, 80))
    explodes = {"item": "Frag", "use": "explode", "targets": CHAR, "roll": "now"}
    assert "avoids" in read_answers(await ring.player.slash(ring.world.orders, "roe blast", **explodes))
    assert last(ring)[1] == "results"
    assert "hidden" in await effects(ring, KAI)


async def snipe(ring: Ring) -> str:
    """Let the player hide with a Bolter and hit; return the answer."""
    await arm_two(ring)
    await act(ring, "Draw or swap", value="Bolter")
    await hide_kai(ring, 20)
    await round_of(ring)
    ring.world.dice.script_dice((60, 50), (100, 2), (50, 9))
    shot = {"target": CHAR, "weapon": "Bolter", "range": 60, "roll": "now"}
    return read_answers(await ring.player.slash(ring.world.orders, "roe attack", **shot))


async def test_a_hidden_sniper_shoots_unread(ring: Ring) -> None:
    """C17.5: the shot is heard once; only player and staff see the hit and amendments."""
    assert "Hit" in await snipe(ring)
    assert "Gunfire: heard up to 100 m" in ring.read_newest()
    assert KAI not in ring.read_newest()
    first, audience = last(ring)
    assert audience == "maker"
    assert "hidden" in await effects(ring, KAI)
    before = await read(ring, ring.rival)
    for value in ("+1", "+2"):
        assert "Hit: 9 damage" in await amend_with(ring, last(ring)[0], value, SHOT)
        assert await read(ring, ring.rival) == before
    assert last(ring) == (first + 2, "maker")
    for each in (first + 1, first + 2):
        shown = read_answers(await ring.player.slash(ring.world.orders, "ledger", entry=each))
        assert f"Amends #{each - 1}" in shown
        assert f"#{each}" in read_answers(await ring.player.slash(ring.world.orders, "ledger"))
        assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger", entry=each))
        assert f"#{each}" not in read_answers(await ring.rival.slash(ring.world.orders, "ledger"))


@pytest.mark.parametrize("hides", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["hidden", "seen"])
async def test_a_shot_is_heard_of_which_nobody_else_reads(ring: Ring, *, hides: bool) -> None:
    """C30.3: with a secret target the entry is the staff's, but the shot is heard."""
    await ring.save({SHADOW: "hp: 20"})
    await arm_two(ring)
    await ring.save({KAI: "weapons: Gun = S_s_Pistol, Bolter = L_s_AMR"})
    await ring.gm.slash(ring.world.orders, "fight join", character=SHADOW, how="claim")
    await act(ring, "Draw or swap", value="Gun, Bolter")
    if hides:
        await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Hidden")
    ring.world.dice.script_dice((60, 50), (100, 2), (50, 9))
    target = f"{CHAR}, {SHADOW}" if hides else SHADOW
    shot = {"target": target, "weapon": "Bolter", "range": 60, "roll": "now", "character": KAI}
    await ring.gm.slash(ring.world.orders, "roe attack", **shot)
    assert last(ring)[1] == "staff"
    assert "Gunfire: heard up to 100 m" in ring.read_newest()
    assert not [name for name in (KAI, CHAR, SHADOW) if name in ring.read_newest()]


@pytest.mark.slow
async def test_nobody_lays_hands_on_whom_they_do_not_see(ring: Ring) -> None:
    """Hidden fighters can't be grabbed or operated on, without a roll."""
    await in_hiding(ring)
    before = last(ring)
    for command, options in (
        ("capture", {"how": "detain", "who": KAI, "surrenders": True}),
        ("capture", {"how": "cuff", "who": KAI}),
        ("take", {"how": "surgery", "from": KAI, "size": 20}),
    ):
        asked = {"character": CHAR, "roll": "now", **options}
        answer = refused(await ring.rival.slash(ring.world.orders, f"roe {command}", **asked))
        assert "hidden. Search first" in answer
    assert last(ring) == before


async def test_who_was_shown_a_result_is_told_that_it_was_taken_back(ring: Ring) -> None:
    """That player is pinged and reads it on their desk; others aren't."""
    await in_hiding(ring)
    await ring.gm.slash(ring.world.orders, "gm settings", pings="players")
    await act(ring, "Kneel")
    number, _ = last(ring)
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    void = f"Entry #{number} was undone."
    assert void in read_answers(await ring.player.slash(ring.world.orders, "update show"))
    assert void not in read_answers(await ring.rival.slash(ring.world.orders, "update show"))
    news = newest(ring.world.results)
    assert "was undone" in text(news)
    assert news.content == f"<@{ring.player.id}>"
    assert KAI not in text(news)
