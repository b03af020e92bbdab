"""Statuses match the ledger."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.app import KINDS
from bot.core import audit
from bot.core.errors import UserError
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.schema import state
from rules.subjects import names_of
from tests.cogs.captives import cells
from tests.cogs.captives.cells import escape, interrogation
from tests.support.backend import House, opened
from tests.support.template import migrated_url

NAMES, PLACES = ("Amuro", "Kai", "Bright"), ("Fort Anvil", "Luna")
FACES = st.sampled_from((1, 2, 3, 10, 13, 14, 16, 17, 18, 19, 20))
WHO, WHERE = st.sampled_from(NAMES), st.sampled_from(PLACES)

deeds = st.lists(
    st.one_of(
        st.tuples(st.just("take"), WHO, WHERE),
        st.tuples(st.just("move"), WHO, WHERE),
        st.tuples(st.just("release"), WHO, st.none()),
        st.tuples(st.just("undo"), WHO, st.none()),
        st.tuples(st.just("order"), WHO, st.none()),
        st.tuples(st.just("close"), WHO, st.none()),
        st.tuples(st.just("interrogate"), WHO, FACES),
        st.tuples(st.just("escape"), WHO, FACES),
    ),
    max_size=16,
)
LIFE = [
    *(("take", name, "Luna") for name in NAMES),
    ("interrogate", "Amuro", 14),
    ("release", "Amuro", None),
    ("undo", "Amuro", None),
    ("escape", "Kai", 20),
    ("take", "Kai", "Luna"),
    ("move", "Bright", "Fort Anvil"),
    ("undo", "Bright", None),
    ("undo", "Bright", None),
    ("undo", "Bright", None),
]

UNKNOWN: dict[str, Any] = {"at": None, "cracked": False, "injuries": [], "fate": None}


@pytest.mark.parametrize(
    "done",
    [
        LIFE,
        [("take", "Amuro", "Luna"), ("interrogate", "Amuro", 1), ("undo", "Amuro", None)],
        [("take", "Amuro", "Luna"), ("order", "Amuro", None), ("escape", "Amuro", 10), ("undo", "Amuro", None)],
    ],
)
def test_the_status_is_what_the_ledger_adds_up_to(database_kind: str, done: list[tuple[str, str, Any]]) -> None:
    """A rebuilt state gives the same statuses."""
    _run(database_kind, done)


@pytest.mark.slow
def test_the_status_is_what_the_ledger_adds_up_to_whatever_is_done(database_kind: str, times: int) -> None:
    """After any run of commands."""
    settings(max_examples=30 * times, deadline=None)(given(done=deeds)(_run))(database_kind)


def _run(database_kind: str, done: Sequence[tuple[str, str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, migrated_url(database_kind, Path(folder)) as url:
        asyncio.run(_play(url, done))


async def _play(url: str, done: Sequence[tuple[str, str, Any]]) -> None:
    async with opened(url) as house:
        await cells.save(house.database, *(Profile(name, "pc") for name in NAMES))
        for deed, name, how in done:
            with suppress(UserError):
                await _do(house, deed, name, how)
        before = await cells.everyone(house)
        entries = await house.entries()
        answer = retold(entries)
        assert {
            item.name: _list_known(item.captivity, item.fate, item.cracked, item.injuries) for item in before
        } == answer

        assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]
        await house.tamper(state.delete())
        await audit.rebuild_states(house.database, KINDS)
        assert await cells.everyone(house) == before


async def _do(house: House, deed: str, name: str, how: Any) -> None:  # noqa: ANN401 - a place or a face
    match deed:
        case "take":
            await cells.capture(house, name, "Red", how)
        case "move":
            await cells.move(house, name, how)
        case "release":
            await cells.release(house, name)
        case "undo":
            await cells.undo(house, name)
        case "order":
            await cells.order(house, name)
        case "close":
            await house.close_update()
        case _:
            await _roll(house, deed, name, how)


async def _roll(house: House, deed: str, name: str, face: int) -> None:
    at = (await cells.show(house, name)).captivity
    ask = interrogation if deed == "interrogate" else escape
    await house.roll(ask(name, at=at.at.name if at else "nowhere", reason="Again"), face)


def retold(entries: Sequence[Entry]) -> dict[str, Any]:
    """Captives by the bodies of valid entries."""
    bodies = {entry.number: entry.content() for entry in entries}
    void = {body["entry"] for entry in entries if entry.kind == "void" for body in [entry.content()]}
    found: dict[str, dict[str, Any]] = {}
    for number, body in bodies.items():
        if number not in void and "what" not in body:
            _retell(found, body)
    return {name: _describe_status(life) for name, life in found.items() if life["at"] or life["fate"]}


def _retell(found: dict[str, dict[str, Any]], body: Mapping[str, Any]) -> None:
    for part in body.get("parts", ()):
        life = found.setdefault(part["subjects"]["captive"], dict(UNKNOWN, injuries=[]))  # once the taking is void
        for item in part["consequences"]:
            match item["do"]:
                case "crack":
                    life["cracked"] = True
                case "injure":
                    life["injuries"].append(item["amount"])
                case "kill" | "free" as end:
                    life |= {"at": None, "cracked": False, "fate": {"kill": "killed", "free": "escaped"}[end]}
    for name in names_of(body.get("captive", "")):
        life = found.setdefault(name, dict(UNKNOWN, injuries=[]))
        match body["deed"] if name else "":
            case "take":
                life |= {"at": body["at"], "cracked": False, "fate": None}
            case "move":
                life["at"] = body["at"]
            case "release":
                life |= {"at": None, "cracked": False, "fate": "released"}


def _describe_status(life: dict[str, Any]) -> tuple[Any, ...]:
    return (life["at"], life["fate"], life["cracked"], tuple(life["injuries"]))


def _list_known(captivity: Any, fate: Any, cracked: int | None, injuries: tuple[Any, ...]) -> tuple[Any, ...]:  # noqa: ANN401
    return (captivity.at.name if captivity else None, (fate or {}).get("fate"), cracked is not None, injuries)
