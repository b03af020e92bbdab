"""What comes after a fight, for tests: Char is struck down by Kai, and commands of `/roe` are used as people do."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.attacking import roe
from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.prepared import prepared
from tests.support.reading import offers, press, response

RIFLE = "Rifle = M_s_Rifle"


@prepared
async def downed(ring: Ring, fields: str = "hp: 20") -> None:
    """Begin a fight in which Kai strikes Char down at once, for four hours unless an option says otherwise."""
    await ring.save({KAI: f"hp: 30; weapons: {RIFLE}", CHAR: fields})
    await ring.begun()
    assert "down" in await roe(ring, "attack", ring.player, (100, 80), (100, 20), (20, 20), target=CHAR, roll="now")


def value(ring: Ring, name: str, key: str) -> Any:  # noqa: ANN401 - any JSON value
    """What the state keeps of somebody under a name; None where nothing is."""
    subject = f"subject:{ring.number(name)}"
    return next((item for of, called, item in ring.kept() if (of, called) == (subject, key)), None)


async def on_the_force(ring: Ring, name: str) -> None:
    """Tick that somebody is of the police."""
    card = response(await ring.gm.slash(ring.world.orders, "character show", name=name))
    if not offers(card, "pick:office/"):
        await ring.gm.click(card, custom_id=press(card, "page"))
    await ring.gm.select(card, ["police"], custom_id=press(card, "pick:office/"))
