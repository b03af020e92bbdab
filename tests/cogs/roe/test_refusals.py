"""Refusals of `/roe` say who, with what, and what works instead."""

from __future__ import annotations

from tests.cogs.roe.attacking import CLUB, hit, read_refusal, roe, round_over, start_fight
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.reading import assert_says, refused
from tests.support.world import nothing_written


async def test_what_a_weapon_cannot_do_is_refused_by_its_name(ring: Ring) -> None:
    """They name the weapon and what it can do."""
    await start_fight(ring, kai=f"weapons: Gun = M_a_Rifle, Stick = {CLUB}")
    told = await read_refusal(ring, fire="sutto")
    assert_says(told, "Gun can't be used like that: 'sutto'.", "Did you mean auto? You can use: single, auto, suppress")
    told = await read_refusal(ring, weapon="Stick", fire="auto")
    assert "Stick can't be used like that: 'auto'." in told
    assert "suppress" not in told
    assert "Did you mean sneak?" in await read_refusal(ring, weapon="Stick", fire="snek")
    for how in ("now", "card"):
        assert "Stick reaches" in await read_refusal(ring, weapon="Stick", range=9, roll=how)
    unknown = await read_refusal(ring, weapon="Bow")
    assert_says(unknown, "Kai has no weapon called 'Bow'.", "They have: Gun, Stick")
    assert "twice at once" in await read_refusal(ring, weapon="Stick", second="Stick")
    assert "It's Kai's turn" in await read_refusal(ring, KAI, ring.rival)
    assert "isn't yours" in await read_refusal(ring, KAI, ring.player, character=CHAR)
    for act, words in (
        ({"what": "Reload", "value": "Stick"}, "Stick doesn't need reloading."),
        ({"what": "Work the bolt", "value": "Gun"}, "Gun has no bolt."),
        ({"what": "call"}, "Name a target"),
    ):
        assert words in refused(await ring.player.slash(ring.world.orders, "roe act", **act))


async def test_who_owes_what_is_said(ring: Ring) -> None:
    """Refusal, card and answer name the character and the unready weapon."""
    await start_fight(ring, kai=f"weapons: Gun = M_a_Rifle, Stick = {CLUB}")
    assert "**Kai** attacks" in await roe(ring, "attack", target=CHAR)
    await hit(ring, CHAR, *((100, 20), (100, 60)) * 3, fire="auto")
    await round_over(ring)
    for how in ("now", "card"):
        assert "Kai: Gun isn't ready: reload first." in await read_refusal(ring, weapon="Gun", roll=how)
        assert "isn't in hand" in await read_refusal(ring, weapon="Stick", roll=how)
    assert "Kai: Gun reaches" not in await read_refusal(ring, range=200)
    await hit(ring, CHAR, *((100, 20), (100, 60)) * 3, weapon="unarmed")
    await round_over(ring)
    await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Stunned")
    assert "Kai: Stunned characters have no Actions" in await read_refusal(ring, weapon="unarmed")
    with nothing_written(ring.world):
        assert "isn't holding" in refused(await ring.gm.slash(ring.world.orders, "roe act", what="Release held target"))
