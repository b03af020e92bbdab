"""Attacks for tests: weapons and HP for the fighters of a ring, and turns that go round."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Actor, Ring, told
from tests.support.reading import refused
from tests.support.world import nothing_written, rows

RIFLE, CLUB = "Rifle = M_s_Rifle + Scope accuracy 5", "L_b_Club"


async def equipped(ring: Ring, **fields: str) -> None:
    """Set the fields of fighters, by their names in small letters; each has 30 HP unless they say otherwise."""
    for name in (KAI, CHAR, GUARD):
        given = fields.get(name.casefold(), "")
        await ring.save({name: f"hp: 30; {given}".strip("; ")})


async def fighting(ring: Ring, who: str = f"{KAI}, {CHAR}", **fields: str) -> None:
    """Equip the fighters, and begin a fight in which the first one named has the first turn."""
    await equipped(ring, **fields)
    await ring.begun(who)


async def roe(
    ring: Ring,
    command: str,
    actor: Actor | None = None,
    *dice: tuple[int, int],
    **options: Any,  # noqa: ANN401 - as simcord takes them
) -> str:
    """All that a command of `/roe` is answered with, when these dice fall; the game master uses it unless said otherwise."""
    if dice:
        ring.world.dice.script_dice(*dice)
    return told(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))


async def refusal(ring: Ring, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """What a command of `/roe` is refused with, when it has written nothing."""
    with nothing_written(ring.world):
        return refused(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))


async def hit(ring: Ring, target: str = CHAR, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as above
    """Attack at once, with dice that fall so, and return what is posted of it."""
    ring.world.dice.script_dice(*dice)
    options = {"roll": "now", **options}
    answer = await roe(ring, "attack", target=target, **options)
    assert "Rolled: entry" in answer, answer
    ring.world.dice.finish()
    return ring.posted()


async def denied(ring: Ring, target: str = CHAR, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """What an attack is refused with, when it has written nothing."""
    return await refusal(ring, "attack", actor, **{"target": target, "roll": "now", **options})


async def round_over(ring: Ring, fighters: int = 2) -> None:
    """End the turn of everybody, so that it is again whose it was."""
    for _ in range(fighters):
        await ring.ended(ring.gm)


async def act(ring: Ring, what: str, **options: Any) -> str:  # noqa: ANN401 - as above
    """Do an act of a turn, and return what is posted of it."""
    answer = await roe(ring, "act", what=what, **options)
    assert any(f"{done}: entry" in answer for done in ("Rolled", "Done")), answer
    return ring.posted()


async def done(ring: Ring, what: str, **options: Any) -> None:  # noqa: ANN401 - as above
    """Do an act in the turn of whoever has it, and end that turn."""
    await act(ring, what, **options)
    await ring.ended(ring.gm)


def lost(ring: Ring, name: str) -> int:
    """How many HP somebody has lost."""
    return int(kept_of(ring, name).get("health", {"lost": 0})["lost"])


def kept_of(ring: Ring, name: str) -> dict[str, Any]:
    """What the state keeps of somebody, by name of the value."""
    return {what: value for subject, what, value in ring.kept() if subject == f"subject:{ring.number(name)}"}


def marks(ring: Ring, name: str) -> dict[str, int]:
    """What the fight notes of somebody."""
    found = [value for _, _, value in ring.kept() if isinstance(value, dict) and value.get("id") == ring.number(name)]
    noted: dict[str, int] = found[0]["marks"]
    return noted


def effects(ring: Ring, name: str) -> dict[str, int | None]:
    """What lasts on somebody, with the turns that are left."""
    lasting = {what.removeprefix("effect."): value for what, value in kept_of(ring, name).items() if "effect." in what}
    return {what: value.get("turns", {}).get("left") for what, value in lasting.items()}


def newest_entry(ring: Ring) -> int:
    """The number of the newest entry."""
    number: int = rows(ring.world, "select max(number) from entry")[0][0]
    return number
