"""Set-ups for attacks: weapons, HP, and turns that go round."""

from __future__ import annotations

from typing import Any

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Actor, Ring, read_answers
from tests.support.reading import refused
from tests.support.world import nothing_written, rows

RIFLE, CLUB = "Rifle = M_s_Rifle + Scope accuracy 5", "L_b_Club"


async def equip(ring: Ring, **fields: str) -> None:
    """Set fighters' fields, by lower-case names; default: 30 HP."""
    for name in (KAI, CHAR, GUARD):
        given = fields.get(name.casefold(), "")
        await ring.save({name: f"hp: 30; {given}".strip("; ")})


async def start_fight(ring: Ring, who: str = f"{KAI}, {CHAR}", **fields: str) -> None:
    """Equip the fighters, and begin a fight; the first one has the turn."""
    await equip(ring, **fields)
    await ring.begin(who)


async def roe(
    ring: Ring,
    command: str,
    actor: Actor | None = None,
    *dice: tuple[int, int],
    **options: Any,  # noqa: ANN401 - as simcord takes them
) -> str:
    """Use a command of `/roe` with these dice; return all answers."""
    if dice:
        ring.world.dice.script_dice(*dice)
    return read_answers(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))


async def refusal(ring: Ring, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """Return what a command of `/roe` is refused with, without an entry."""
    with nothing_written(ring.world):
        return refused(await (actor or ring.gm).slash(ring.world.orders, f"roe {command}", **options))


async def hit(ring: Ring, target: str = CHAR, *dice: tuple[int, int], **options: Any) -> str:  # noqa: ANN401 - as above
    """Attack at once with these dice, and return the post."""
    ring.world.dice.script_dice(*dice)
    options = {"roll": "now", **options}
    answer = await roe(ring, "attack", target=target, **options)
    assert "Rolled: entry" in answer, answer
    ring.world.dice.finish()
    return ring.read_newest()


async def read_refusal(ring: Ring, target: str = CHAR, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """Return what an attack is refused with, without an entry."""
    return await refusal(ring, "attack", actor, **{"target": target, "roll": "now", **options})


async def round_over(ring: Ring, fighters: int = 2) -> None:
    """End every turn until the first fighter's next one."""
    for _ in range(fighters):
        await ring.end_turn(ring.gm)


async def act(ring: Ring, what: str, **options: Any) -> str:  # noqa: ANN401 - as above
    """Do an act, and return the post."""
    answer = await roe(ring, "act", what=what, **options)
    assert any(f"{done}: entry" in answer for done in ("Rolled", "Done")), answer
    return ring.read_newest()


def count_lost(ring: Ring, name: str) -> int:
    """Return the HP someone has lost."""
    return int(read_values(ring, name).get("health", {"lost": 0})["lost"])


def read_values(ring: Ring, name: str) -> dict[str, Any]:
    """Return someone's saved values, by name."""
    return {what: value for subject, what, value in ring.read_state() if subject == f"subject:{ring.number(name)}"}


def marks(ring: Ring, name: str) -> dict[str, int]:
    """Return a fighter's marks."""
    found = [
        value for _, _, value in ring.read_state() if isinstance(value, dict) and value.get("id") == ring.number(name)
    ]
    noted: dict[str, int] = found[0]["marks"]
    return noted


def effects(ring: Ring, name: str) -> dict[str, int | None]:
    """Return someone's effects with the turns left."""
    lasting = {
        what.removeprefix("effect."): value for what, value in read_values(ring, name).items() if "effect." in what
    }
    return {what: value.get("turns", {}).get("left") for what, value in lasting.items()}


def newest_entry(ring: Ring) -> int:
    """Return the newest entry's number."""
    number: int = rows(ring.world, "select max(number) from entry")[0][0]
    return number
