"""Battles with random events for tests, with fixed dice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import simcord

from bot.app import KINDS
from bot.core import audit
from rules.dice import ScriptedDice
from tests.support.prepared import prepared
from tests.support.reading import components, press, response, text
from tests.support.world import World, rows

FORD = "Black Ford"
END = {"action": "end"}
Die = tuple[int, int]


@prepared
async def ford(world: World, **units: str) -> None:
    """A campaign with the book, and a battle of Reds against Blues."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await begun(world)
    for side, names in units.items():
        await join(world, side.capitalize(), names)


async def begun(world: World, name: str = FORD, sides: str = "Reds, Blues") -> simcord.InteractionResult:
    """Begin a battle."""
    return await world.gm.slash(world.orders, "gm-events battle", action="start", name=name, sides=sides)


async def join(world: World, side: str, names: str, **more: Any) -> simcord.InteractionResult:  # noqa: ANN401 - options
    """Add units to a side."""
    return await world.gm.slash(world.orders, "gm-events unit add", units=names, side=side, **more)


def written_down(world: World, dice: Iterable[Die]) -> None:
    """Fix the next dice, as (sides, face)."""
    world.dice._script = ScriptedDice(dice)


async def check(
    world: World,
    d4: Iterable[int],
    *others: Die,
    actor: Any = None,  # noqa: ANN401 - a member
    **options: Any,  # noqa: ANN401 - the options of the command
) -> simcord.InteractionResult:
    """Check a turn: unit dice first, then the other dice."""
    written_down(world, [*((4, face) for face in d4), *others])
    result = await (actor or world.gm).slash(world.orders, "gm-events roll", **options)
    world.dice.finish()
    return result


def typed(command: str) -> str:
    """Return a command's full name: what changes a battle is the game masters'."""
    return f"events {command}" if command in {"active", "battles", "table", "units"} else f"gm-events {command}"


async def ask(world: World, command: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401
    """Return all that a command answers."""
    return told(await (actor or world.gm).slash(world.orders, typed(command), **options))


async def battle_over(world: World, **options: Any) -> str:  # noqa: ANN401 - the options of the command
    """End a battle, confirm, and return all answers."""
    command = "gm-events turn" if "end_battle" in options else "gm-events battle"
    asked = response(await world.gm.slash(world.orders, command, **({} if "end_battle" in options else END), **options))
    return told(await world.gm.click(asked, custom_id=press(asked, "end")))


def told(result: simcord.InteractionResult) -> str:
    """Return all answers to an interaction."""
    return "\n".join(text(answer) for answer in (response(result), *result.followups))


def posted(world: World, count: int = 1) -> str:
    """Return the newest texts in the results channel."""
    return "\n".join(text(message) for message in world.results.history()[-count:])


async def option(world: World, words: str, how: str = "cancel") -> str:
    """Return the value of the event that `/gm-events use` offers with these words."""
    found = await world.gm.autocomplete(world.orders, "gm-events use", "event", "", how=how)
    return next(str(choice["value"]) for choice in found if words in choice["name"])


def selects(message: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a response
    """Return a message's selects."""
    return [item for item in components(message) if item["type"] == 3]


def state(world: World, prefix: str) -> dict[str, Any]:
    """Return the state's values by name prefix, as text."""
    return dict(rows(world, "select name, value from state where name like ?", f"{prefix}%"))


async def sound(world: World) -> bool:
    """Check that ledger and state agree."""
    return [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]
