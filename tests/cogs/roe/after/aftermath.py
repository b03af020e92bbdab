"""What comes after a fight, for tests: Char is struck down by Kai, and commands of `/roe` are used as people do."""

from __future__ import annotations

from typing import Any

import simcord

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring, told
from tests.support.prepared import prepared
from tests.support.reading import offers, press, refused, response
from tests.support.world import written

RIFLE = "Rifle = M_s_Rifle"


async def roe(ring: Ring, command: str, actor: simcord.MemberActor | None = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """All that a command of `/roe` is answered with; the game master uses it unless said otherwise."""
    return told(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))


async def denied(ring: Ring, command: str, actor: simcord.MemberActor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """What a command of `/roe` is refused with, when it has written nothing."""
    before = written(ring.world)
    what = refused(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))
    assert written(ring.world) == before
    return what


@prepared
async def downed(ring: Ring, fields: str = "hp: 20") -> None:
    """Begin a fight in which Kai strikes Char down at once, for four hours unless an option says otherwise."""
    for name, more in ((KAI, f"hp: 30; weapons: {RIFLE}"), (CHAR, fields)):
        await ring.gm.slash(ring.world.orders, "character edit", name=name, fields=more)
    await ring.begun()
    ring.world.dice.script_dice((100, 80), (100, 20), (20, 20))
    assert "down" in await roe(ring, "attack", ring.player, target=CHAR, roll="now")


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
