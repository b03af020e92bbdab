"""How much work an attack is, in statements."""

from __future__ import annotations

from tests.cogs.roe.attacking import CLUB, roe, start_fight
from tests.cogs.roe.fights.ring import CHAR, Ring
from tests.rolls.test_work import statements
from tests.support.reading import press, response


async def test_a_card_of_an_attack_asks_for_little_twice(ring: Ring) -> None:
    """At most 14 statements."""
    await start_fight(ring, kai=f"weapons: {CLUB}")
    await roe(ring, "attack", target=CHAR)
    with statements(ring.world) as made:
        await roe(ring, "attack", target=CHAR)
    assert len(made) <= 14, made
    assert sum("state.subject, state.value" in statement for statement in made) <= 1, made
    assert sum("actor.pseudonym" in statement for statement in made) <= 1, made


async def test_an_end_of_a_turn_asks_for_little_twice(ring: Ring) -> None:
    """At most 24 statements, with the notes that its posts were sent."""
    await start_fight(ring)
    await ring.end_turn(ring.gm)
    asked = response(await ring.gm.click(turn := ring.newest_with("turn"), custom_id=press(turn, "turn")))
    with statements(ring.world) as made:
        await ring.gm.click(asked, custom_id=press(asked, "sure"))
    assert len(made) <= 24, made
    assert sum("actor.pseudonym" in statement for statement in made) <= 1, made
