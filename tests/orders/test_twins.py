"""Campaigns that differ in secrets answer a player the same, byte by byte."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from rules.orders import OrderKind
from tests.cogs.captives.test_escape import another_player
from tests.core.test_twin_worlds import STEPS, Falling, alike, press_all, read_shown, some
from tests.orders.ordering import order
from tests.support import template
from tests.support.acting import close_update
from tests.support.reading import press, response, said, text
from tests.support.world import BOOKS, World, running

KINDS = [*BOOKS["campaign"].entries_of(OrderKind).values()]
NAMES = ("Valley", "Hill", "Fort", "Den", "Lair", "Hayato", "Sayla", "Nightjar")
"""Typed names: secrets of either campaign, and public ones."""


@dataclass(frozen=True)
class Secrets:
    """What the player may not know."""

    hider: str
    sector: str
    captor: str
    base: str
    captive: str
    scouted: str


FIRST = Secrets("Nightjar", "Valley", "Shadow", "Den", "Hayato", "Fort")
SECOND = Secrets("Owl", "Hill", "Wraith", "Lair", "Bright", "Luna")


async def twins(tmp_path_factory: pytest.TempPathFactory, step: int) -> tuple[list[str], list[str]]:
    """Return the player's answers in either campaign."""
    answers = []
    for secrets in (FIRST, SECOND):
        folder = tmp_path_factory.mktemp("twin")
        with template.migrated_url("sqlite", folder) as url:
            async with running(url) as world:
                world.dice._script = Falling()  # type: ignore[assignment] # any number of dice
                await _ordered(world, secrets)
                answers.append([alike(line) async for line in _asked(world, step)])
    return answers[0], answers[1]


@pytest.mark.parametrize("step", STEPS)
async def test_what_others_have_ordered_makes_no_difference(
    tmp_path_factory: pytest.TempPathFactory, times: int, step: int
) -> None:
    """Before and after resolving."""
    step = max(1, step // times)
    first, second = await twins(tmp_path_factory, step)
    assert [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]] == []
    assert sum("Order given" in line for line in first) > len(KINDS) // step
    assert len(first) > 300 // step


async def _ordered(world: World, secrets: Secrets) -> None:
    here, other = world.orders, another_player(world)

    async def do(command: str, **options: Any) -> None:  # noqa: ANN401 - what commands take
        answer = said(await world.gm.slash(here, command, **options))
        assert "I cannot" not in answer, (command, answer)

    await do("gm settings", players_may="orders")
    for name, kind in (("Alpha", "squad"), ("Fort", "base"), ("Luna", "base")):
        await do("roster add", name=name, kind=kind)
    for name, kind in ((secrets.hider, "squad"), (secrets.captor, "ship"), (secrets.base, "base")):
        await do("roster add", name=name, kind=kind, secret=True)
    await do("roster add", kind="pc", name="Kai", owner=world.player, squad="Alpha")
    await do("roster add", kind="pc", name="Sayla", owner=world.player)
    await do("roster add", kind="pc", name="Lalah", owner=other)
    for name in ("Hayato", "Bright"):
        await do("roster add", kind="pc", name=name)
    await do("capture", captive="Sayla", by=secrets.captor, at=secrets.base)
    await do("capture", captive=secrets.captive, by=secrets.captor, at="Fort")
    for kind, who, actor, to in (
        ("Hide", secrets.hider, world.gm, secrets.sector),
        ("Move through a sector", secrets.hider, world.gm, secrets.sector),
        ("Interrogate a captive", secrets.captor, world.gm, secrets.captive),
        ("Scout a base", "Lalah", other, secrets.scouted),
        ("Hide", "Lalah", other, secrets.sector),
    ):
        assert "Order given" in said(await order(world, kind, who, actor, to=to)), kind


async def _asked(world: World, step: int) -> AsyncIterator[str]:
    async for line in _tried(world, step):
        yield line
    for kind in ("Detect in a sector", "Patrol or blockade a sector", "Hide"):
        yield read_shown(await order(world, kind, "Kai", to="Elsewhere"))
    plan = await world.gm.slash(world.orders, "gm resolve")
    asked = (plan.followups or [response(plan)])[-1]
    assert "orders resolved" in said(await world.gm.click(asked, custom_id=press(asked, "resolve")))
    async for line in _tried(world, step, NAMES[:2]):
        yield line
    await close_update(world)
    async for line in _looked(world, step):
        yield line
    for message in (*world.results.history(), *world.orders.history()):
        yield text(message)


async def _tried(world: World, step: int, names: tuple[str, ...] = NAMES) -> AsyncIterator[str]:
    async for line in _looked(world, step):
        yield line
    about = [(kind, filled) for kind in KINDS for filled in _fillings(kind, names)]
    for who, (kind, filled) in some(step, ("Kai", "Sayla", "Nightjar"), about):
        result = await order(world, kind.label, who, None, **filled)
        yield f"{kind.id} {who} {filled}: {read_shown(result)}"
    for who in ("Kai", "Nightjar"):
        yield read_shown(await world.player.slash(world.orders, "order give", kind="Pass", who=who))
    async for line in _looked(world, step):
        yield line


def _fillings(kind: OrderKind, names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    for name in names if kind.to else names[:1]:
        about = {"to": name} if kind.to else {}
        yield from ({**about, "with": other} for other in ("Hayato", "Sayla")) if kind.beside else (about,)


async def _looked(world: World, step: int) -> AsyncIterator[str]:
    for command in ("order list", "update show", "ledger", "captives"):
        result = await world.player.slash(world.orders, command)
        yield f"{command}: {read_shown(result)}"
        async for line in press_all(world.player, result):
            yield f"{command} > {line}"
    for kind, option, typed in some(step, KINDS, ("kind", "who", "to", "with"), ("", "a", "nig")):
        given = {} if option == "kind" else {"kind": kind.label}
        offered = await world.player.autocomplete(world.orders, "order give", option, typed, **given)
        yield f"{kind.id} {option}: {offered}"
