"""The desk costs the same with many rolls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest

from bot.app import FEATURES
from bot.cogs.update import service
from bot.core.records import unpack
from bot.core.schema import PackedText
from bot.ui.receipt import MANY, Todo, count_first
from tests.support.backend import GM, House, opened, patrol

NOTHING, BATTLE = 1, 18


async def desk(house: House) -> Sequence[Todo]:
    """Return what waits for the game master."""
    view = await house.database.read(service.view_update, house.kernel.library, FEATURES, GM, house.campaign)
    return view.todos


async def test_the_desk_reads_no_more_than_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Further ones aren't read."""
    names = count()
    read: list[object] = []

    def noted(packed: object) -> str:
        read.append(packed)
        return unpack(packed)

    monkeypatch.setattr(PackedText, "load", staticmethod(noted))
    async with opened(f"sqlite:///{tmp_path / 'adjutant.db'}") as house:
        spent = []
        for quiet, battles in ((2 * MANY, MANY + 1), (10, 10)):  # entries are read some at a time
            for face in [BATTLE] * battles + [NOTHING] * quiet:
                newest = await house.roll(patrol(f"Ghost {next(names)}", by=f"Kilo {next(names)}"), face)
            read.clear()
            todos = await desk(house)
            spent.append(len(read))
        told = {todo.title: todo.lines for todo in todos}
        assert [told[title][-1] for title in ("Unpublished results", "Battles to decide", "Write-ups to claim")] == [
            "*and more: `/ledger`*",
            "*and more: `/writeups`*",
            "*and more: `/writeups`*",
        ]
        assert f"#{newest.entry.number} " in told["Unpublished results"][0], "the newest result stands first"
        assert spent[1] == spent[0] > 0


def test_things_are_asked_for_as_far_as_they_are_counted() -> None:
    """One more than counted is read."""
    asked = count()
    first, how_many = count_first(asked)
    assert (len(first), how_many, next(asked)) == (MANY + 1, None, MANY + 1)
    assert count_first("ab") == (["a", "b"], 2)
