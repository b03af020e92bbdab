"""Why a post did not go out, in words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.outbox.message import fault_of
from tests.support.reading import said
from tests.support.world import World


@pytest.mark.parametrize(
    ("status", "sent", "words"),
    [
        (502, "<html><h1>Bad Gateway</h1></html>", "Discord has problems (HTTP 502)"),
        (403, "<!DOCTYPE html><title>Just a moment</title>", "Discord has problems (HTTP 403)"),
        (429, "You are being rate limited.", "Discord accepts no more messages in #results for now"),
        (400, {"code": 50035, "message": "Invalid Form Body"}, "Discord refused it in #results: Invalid Form Body"),
    ],
)
def test_no_page_for_browsers_reaches_people(world: World, status: int, sent: Any, words: str) -> None:  # noqa: ANN401 - JSON
    """Why a post did not go out is told in words, whatever stands in front of Discord answers in its place."""
    channel: Any = world.bots[-1].get_channel(world.results.id)
    response: Any = SimpleNamespace(status=status, reason="")
    assert fault_of(channel, discord.HTTPException(response, sent)) == words


async def test_a_connection_that_breaks_off_is_told_without_its_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the line to Discord is cut, the roller is told that there was no answer; what the system called it is for the log."""

    async def cut(*_: object, **__: object) -> None:
        raise ConnectionResetError(104, "Connection reset by peer")

    monkeypatch.setattr(discord.TextChannel, "send", cut)
    world.dice.script(20)
    told = said(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now"))
    assert "Discord didn't answer" in told
    assert "Errno" not in told
