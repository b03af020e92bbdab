"""Set-ups for what comes after a fight: Kai strikes Char down."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.attacking import roe
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.prepared import prepared
from tests.support.reading import offers, press, response

RIFLE = "Rifle = M_s_Rifle"


@prepared
async def strike_down(ring: Ring, fields: str = "hp: 20") -> None:
    """Begin a fight in which Kai strikes Char down for four hours."""
    await ring.save({KAI: f"hp: 30; weapons: {RIFLE}", CHAR: fields})
    await ring.begin()
    assert "down" in await roe(ring, "attack", ring.player, (100, 80), (100, 20), (20, 20), target=CHAR, roll="now")


def value(ring: Ring, name: str, key: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return a saved value of someone, or None."""
    subject = f"subject:{ring.number(name)}"
    return next((item for of, called, item in ring.read_state() if (of, called) == (subject, key)), None)


async def on_the_force(ring: Ring, name: str) -> None:
    """Tick that someone is of the police."""
    card = response(await ring.gm.slash(ring.world.orders, "unit", name=name))
    if not offers(card, "pick:office/"):
        await ring.gm.click(card, custom_id=press(card, "page"))
    await ring.gm.select(card, ["police"], custom_id=press(card, "pick:office/"))
