"""What the bot does by itself goes on, whatever goes wrong with one of it."""

from __future__ import annotations

import pytest

from bot.core.chores import do_each
from bot.outbox.delivery import Outbox
from tests.support.world import World


async def one(found: list[int] | None) -> list[int]:
    """Give numbers, or fail."""
    if found is None:
        raise RuntimeError
    return found


async def test_one_that_fails_keeps_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """What came of the others is returned in their order, and the bug is logged under its name."""
    assert await do_each((one(found) for found in ([1, 2], None, [], [3])), "test.bug") == [1, 2, 3]
    assert [record.msg for record in caplog.records] == ["test.bug"]


async def test_posts_are_sent_on_after_a_failure(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A database that is gone for a while ends no loop: posts are looked for again."""

    async def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Outbox, "send_due", broken)
    await world.env.advance_time(6)
    monkeypatch.undo()
    await world.env.advance_time(6)
    assert world.bots[-1].post_due.is_running()
    assert {record.msg for record in caplog.records if record.levelname == "ERROR"} == {"post.bug"}
    caplog.clear()
