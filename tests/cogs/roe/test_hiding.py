"""Hiding in a fight: to others, a hidden fighter isn't there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.cogs.roe.test_acts import act, arm_two, effects, read_denial, round_of
from tests.support.reading import response, text

STEALTH = (100, 60)


async def hide_kai(ring: Ring, *seen: int) -> str:
    """Let Kai hide from everyone with these dice; return the answer."""
    return await act(ring, "Hide", ring.player, STEALTH, *((100, face) for face in seen), roll="now")


async def list_targets(ring: Ring, actor: Any) -> list[str]:  # noqa: ANN401 - as simcord takes them
    """Return the targets someone is offered."""
    found = await actor.autocomplete(ring.world.orders, "roe act", "target", "", what="Aim")
    return [item["name"] for item in found]


@pytest.mark.parametrize("there", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["hides", "gone"])
async def test_a_name_does_not_find_out_who_hides(ring: Ring, *, there: bool) -> None:
    """A search reads the same for hidden and absent ones until it succeeds."""
    await arm_two(ring)
    await ring.gm.slash(ring.world.orders, "roster add", kind="pc", name="Haas", owner=ring.player)
    await ring.end_turn(ring.player)
    if there:
        await ring.gm.slash(ring.world.orders, "fight join", character="Haas", how="claim")
        await ring.gm.slash(ring.world.orders, "gm effect", who="Haas", effect="Hidden")
    assert "Haas is hidden. Search first" in await read_denial(ring, "Aim", ring.rival, target="Haas")
    search = {"what": "Search for someone hidden", "target": "Haas"}
    card = text(response(await ring.rival.slash(ring.world.orders, "roe act", **search)))
    assert "**49.5%** Found" in card
    said = await act(ring, search["what"], ring.rival, (100, 30), (100, 70), target="Haas", roll="now")
    assert "Not found: can't be targeted" in said
    assert "No Actions left" in await ring.run("turn", ring.rival)
    for _ in range(2):
        await ring.click("turn", ring.gm, response(await ring.use("turn")))
    said = await act(ring, search["what"], ring.rival, (100, 70), (100, 1), target="Haas", roll="now")
    assert ("No one of that name is hiding here" in said) is not there
    assert ("Haas" in await ring.show(ring.rival)) is there
    assert ("lost-action" in await effects(ring, "Haas")) is there


@pytest.mark.slow
async def test_who_was_spotted_hides_again_behind_cover_alone(ring: Ring) -> None:
    """Only maker and staff know that all see them; an attack shows who was hidden."""
    await arm_two(ring)
    await act(ring, "Draw or swap", value="Bolter")
    await hide_kai(ring, 90)
    assert await effects(ring, KAI) == {"spotted"}
    await ring.end_turn(ring.player)
    ring.world.dice.script_dice((100, 20), (100, 80))
    await ring.rival.slash(ring.world.orders, "roe attack", target=KAI, roll="now")
    assert "Missed" in ring.read_newest()
    assert "stay with the staff" not in ring.read_newest()
    assert "80 + 0 = 80 against 20" in ring.read_newest().replace("*", "")
    await ring.end_turn(ring.rival)
    assert "Reach cover" in await read_denial(ring, "Hide")
    await act(ring, "Take cover")
    await hide_kai(ring, 20)
    assert await effects(ring, KAI) == {"cover", "hidden"}
    await round_of(ring)
    ring.world.dice.script_dice((100, 2), (100, 90))
    await ring.player.slash(ring.world.orders, "roe attack", target=CHAR, weapon="Bolter", roll="now")
    assert await effects(ring, KAI) == {"cover", "spotted"}
    assert KAI in await ring.show(ring.rival)


@pytest.mark.slow
async def test_hacking_needs_somebody_stunned_or_defeated(ring: Ring) -> None:
    """A stunned one is hacked against 50, others aren't."""
    await arm_two(ring)
    assert "stunned or defeated" in await read_denial(ring, "Hack", target=CHAR)
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Stunned", until="cleared")
    assert "Success" in await act(ring, "Hack", ring.player, (100, 50), target=CHAR, roll="now")
