"""What somebody does in hiding, as all who play read of it: nothing, unless it ends the hiding."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, SHADOW, Ring, told
from tests.cogs.roe.flights.test_flights import armed as armed_three
from tests.cogs.roe.test_acts import act, armed, effects, round_of
from tests.cogs.roe.test_amending import SHOT, amended_with
from tests.cogs.roe.test_hiding import hidden, offered_to
from tests.cogs.roe.test_pets import kennel, send
from tests.support.acting import take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, refused, response, text
from tests.support.world import rows


async def read(ring: Ring, actor: Any) -> list[str]:  # noqa: ANN401 - as simcord takes them
    """All that somebody reads of the campaign: the channel, the fight and its turn, effects, the ledger, and whom they may aim at."""
    found = [text(message) for message in ring.world.orders.history()]
    found += [told(await ring.use(command, actor)) for command in ("show", "turn")]
    found += [
        told(await actor.slash(ring.world.orders, name)) for name in ("effect list", "ledger list", "update show")
    ]
    odds = {"weapon": "M_b_Club", "against": CHAR}
    return [*found, *await offered_to(ring, actor), told(await actor.slash(ring.world.orders, "roe odds", **odds))]


def last(ring: Ring) -> tuple[int, str]:
    """The number of the newest roll, and who may know of it."""
    found = rows(ring.world, "select number, audience from entry where kind = 'roll' order by number desc limit 1")
    number, audience = found[0]
    return number, audience


@prepared
async def in_hiding(ring: Ring) -> None:
    """Let Kai draw a gun and hide from Char, whose turn is over: Kai has the next one."""
    await armed(ring)
    await act(ring, "Draw or swap", value="Gun")
    await hidden(ring, 20)
    await round_of(ring)


async def over(ring: Ring) -> str:
    """End Kai's hidden turn, which has a button for its player alone; return the answer."""
    return told(await ring.click("turn", ring.player, response(await ring.use("turn", ring.player))))


@pytest.mark.parametrize("acts", [1, pytest.param(7, marks=pytest.mark.slow)])
async def test_what_the_hidden_do_is_for_their_maker_and_the_staff(ring: Ring, acts: int) -> None:
    """A hidden character's player reads each result, also in the ledger, and the turn's end; other players see no difference, also after a void."""
    await in_hiding(ring)
    before, kept = await read(ring, ring.rival), ring.kept()
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
        assert KAI in told(await ring.player.slash(ring.world.orders, "ledger show", number=number))
        assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger show", number=number))
        assert await effects(ring, KAI) >= {"hidden"}
        await take_back(ring.world, "void", entry=number, reason="never mind")
        assert await read(ring, ring.rival) == before
        assert ring.kept() == kept
        assert f"#{number}" in text(newest(ring.world.staff))
    assert "Done: entry #" in await over(ring)
    assert await read(ring, ring.rival) == before
    ((number, audience),) = rows(ring.world, "select number, audience from entry order by number desc limit 1")
    assert audience == "maker"
    shown = told(await ring.player.slash(ring.world.orders, "ledger show", number=number))
    assert f"**{KAI}** has ended their turn" in shown
    assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger show", number=number))


@pytest.mark.slow
async def test_what_is_done_in_the_turn_of_hiding_shows_nowhere(ring: Ring) -> None:
    """Until that turn ends all still see the one who hides in the order, with what was left before."""
    await armed(ring)
    before = await read(ring, ring.rival)
    await hidden(ring, 20)
    await act(ring, "Move")
    assert await read(ring, ring.rival) == before
    assert "no Actions left · no movements left" in await ring.shown(ring.player)
    assert "no Actions left · no movements left" in await ring.shown()


@pytest.mark.slow
async def test_what_befalls_the_hidden_is_told_to_whoever_plays_them(ring: Ring) -> None:
    """Damage at the start of a hidden turn is shown to the character's player and the staff, not to the player who ended the turn before."""
    await armed(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Bleeding")
    await hidden(ring, 20)
    await round_of(ring)
    assert "turn starts" not in ring.posted()
    assert f"{CHAR}'s turn" in ring.posted()
    assert "5 damage" in await ring.told("turn", ring.player)
    assert "turn starts" in text(newest(ring.world.staff))
    number, audience = last(ring)
    assert audience == "maker"
    assert "5 damage" in told(await ring.player.slash(ring.world.orders, "ledger show", number=number))
    assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger show", number=number))


@pytest.mark.slow
async def test_who_is_seen_by_some_acts_unread_by_the_others(ring: Ring) -> None:
    """Of two, one has found out: neither what the hidden one does nor an aim at that one is told to the other."""
    await armed_three(ring)
    await hidden(ring, 90, 20)
    await ring.ended(ring.player)
    assert await effects(ring, KAI) == {"hidden"}
    assert KAI in await ring.shown(ring.rival)
    posts = ring.posted()
    assert KAI in await act(ring, "Aim", ring.rival, target=KAI)
    assert ring.posted() == posts
    assert last(ring)[1] == "maker"
    for actor in (ring.rival, ring.gm):
        await ring.ended(actor)
    posts = ring.posted()
    assert KAI in await act(ring, "Move")
    assert ring.posted() == posts
    assert last(ring)[1] == "maker"


@pytest.mark.slow
async def test_who_is_attacked_hides_no_more(ring: Ring) -> None:
    """Whoever has found somebody hidden attacks that one before the eyes of all: the result is public, and all see both."""
    await in_hiding(ring)
    await over(ring)
    await act(ring, "Search for someone hidden", ring.rival, (100, 70), (100, 30), target=KAI, roll="now")
    await ring.ended(ring.rival)
    await over(ring)
    ring.world.dice.script_dice(*(((100, 20), (100, 80)) * 3))
    await ring.rival.slash(ring.world.orders, "roe attack", target=KAI, weapon="unarmed", roll="now")
    assert last(ring)[1] == "results"
    assert KAI in ring.posted()
    assert await effects(ring, KAI) == {"spotted"}


@pytest.mark.parametrize("what", ["Grab", pytest.param("Disarm", marks=pytest.mark.slow)])
async def test_an_act_that_ends_hiding_is_public(ring: Ring, what: str) -> None:
    """Who grabs somebody or strikes at a weapon is seen by all (line 353)."""
    await in_hiding(ring)
    ring.world.dice.script_dice((100, 60), (100, 70))
    await act(ring, what, target=CHAR, roll="now", **({"value": "L_b_Club"} if what == "Disarm" else {}))
    assert last(ring)[1] == "results"
    assert KAI in ring.posted()
    assert await effects(ring, KAI) == {"spotted"}
    assert KAI in await ring.shown(ring.rival)


async def vanished(ring: Ring, *seen: int) -> None:
    """Let Kai be hidden from all who fight, who throw these."""
    assert "stays hidden from" in await act(
        ring, "Hide", ring.player, (100, 60), *((100, face) for face in seen), roll="now"
    )


@pytest.mark.slow
async def test_a_pet_gives_its_owner_away(ring: Ring) -> None:
    """Its attack is public, and whoever has sent it hides no more."""
    await kennel(ring)
    await vanished(ring, 20, 20)
    ring.world.dice.script_dice((100, 10), (100, 59))
    assert "Missed" in await send(ring)
    assert last(ring)[1] == "results"
    assert await effects(ring, KAI) == {"spotted"}


@pytest.mark.slow
async def test_an_explosion_is_heard_whoever_hides(ring: Ring) -> None:
    """Who has thrown a grenade and hides afterwards still does when it explodes; all read of that."""
    await armed_three(ring)
    thrown = {"item": "Frag", "use": "throw", "targets": CHAR, "damage": "d10", "range": 10, "roll": "now"}
    assert "Thrown" in told(await ring.player.slash(ring.world.orders, "roe blast", **thrown))
    for actor in (ring.player, ring.rival, ring.gm):
        await ring.ended(actor)
    await vanished(ring, 20, 20)
    ring.world.dice.script_dice((100, 20), (100, 80))
    explodes = {"item": "Frag", "use": "explode", "targets": CHAR, "roll": "now"}
    assert "avoids" in told(await ring.player.slash(ring.world.orders, "roe blast", **explodes))
    assert last(ring)[1] == "results"
    assert "hidden" in await effects(ring, KAI)


async def sniped(ring: Ring) -> str:
    """Let the player hide with a Bolter and hit from there in the next turn; return the answer."""
    await armed(ring)
    await act(ring, "Draw or swap", value="Bolter")
    await hidden(ring, 20)
    await round_of(ring)
    ring.world.dice.script_dice((60, 50), (100, 2), (50, 9))
    shot = {"target": CHAR, "weapon": "Bolter", "range": 60, "roll": "now"}
    return told(await ring.player.slash(ring.world.orders, "roe attack", **shot))


async def test_a_hidden_sniper_shoots_unread(ring: Ring) -> None:
    """C17.5: a shot from long range keeps the sniper hidden; everybody hears it once, and only the player and the staff see the hit and its amendments."""
    assert "Hit" in await sniped(ring)
    assert "Gunfire: heard up to 100 m" in ring.posted()
    assert KAI not in ring.posted()
    first, audience = last(ring)
    assert audience == "maker"
    assert "hidden" in await effects(ring, KAI)
    before = await read(ring, ring.rival)
    for value in ("+1", "+2"):
        assert "Hit: 9 damage" in await amended_with(ring, last(ring)[0], value, SHOT)
        assert await read(ring, ring.rival) == before
    assert last(ring) == (first + 2, "maker")
    for each in (first + 1, first + 2):
        shown = told(await ring.player.slash(ring.world.orders, "ledger show", number=each))
        assert f"Amends #{each - 1}" in shown
        assert f"#{each}" in told(await ring.player.slash(ring.world.orders, "ledger list"))
        assert "that you can see" in refused(await ring.rival.slash(ring.world.orders, "ledger show", number=each))
        assert f"#{each}" not in told(await ring.rival.slash(ring.world.orders, "ledger list"))


@pytest.mark.parametrize("hides", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["hidden", "seen"])
async def test_a_shot_is_heard_of_which_nobody_else_reads(ring: Ring, *, hides: bool) -> None:
    """C30.3: one of the targets is secret, or all are, so the entry is the staff's; all hear the shot, and read nothing else."""
    await ring.save({SHADOW: "hp: 20"})
    await armed(ring)
    await ring.save({KAI: "weapons: Gun = S_s_Pistol, Bolter = L_s_AMR"})
    await ring.gm.slash(ring.world.orders, "fight join", character=SHADOW, how="claim")
    await act(ring, "Draw or swap", value="Gun, Bolter")
    if hides:
        await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Hidden")
    ring.world.dice.script_dice((60, 50), (100, 2), (50, 9))
    target = f"{CHAR}, {SHADOW}" if hides else SHADOW
    shot = {"target": target, "weapon": "Bolter", "range": 60, "roll": "now", "character": KAI}
    await ring.gm.slash(ring.world.orders, "roe attack", **shot)
    assert last(ring)[1] == "staff"
    assert "Gunfire: heard up to 100 m" in ring.posted()
    assert not [name for name in (KAI, CHAR, SHADOW) if name in ring.posted()]


@pytest.mark.slow
async def test_nobody_lays_hands_on_whom_they_do_not_see(ring: Ring) -> None:
    """Who hides in the fight is neither held nor operated on by whoever has not found them, and nothing is rolled."""
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
    """The player's desk names the entry and they are pinged, where players may be; other players' desks say nothing."""
    await in_hiding(ring)
    await ring.gm.slash(ring.world.orders, "campaign edit", pings="players")
    await act(ring, "Kneel")
    number, _ = last(ring)
    await take_back(ring.world, "void", entry=number, reason="never mind")
    void = f"Entry #{number} was undone."
    assert void in told(await ring.player.slash(ring.world.orders, "update show"))
    assert void not in told(await ring.rival.slash(ring.world.orders, "update show"))
    news = newest(ring.world.results)
    assert "was undone" in text(news)
    assert news.content == f"<@{ring.player.id}>"
    assert KAI not in text(news)
