from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.webhook.async_ import AsyncWebhookAdapter

from bot.ui import answering
from bot.ui.answering import leave_unread, list_component_ids
from tests.support.acting import opened, roll_command, tick
from tests.support.reading import newest
from tests.support.world import World


def test_discord_py_is_as_we_know_it() -> None:
    """If this fails after an update of discord.py, all works, but messages are read again that no one needs."""
    assert leave_unread()


async def test_components_are_made_once_they_are_read(world: World) -> None:
    """Until then they are as Discord sent them."""
    await roll_command(world, "patrol", 18, patrol="Kilo", target="Zaku", roll="now")
    posted = newest(world.results)
    sent = [*answering._SLOT.__get__(posted)]

    assert list_component_ids(posted) == [part["id"] for part in sent]
    assert [part["type"] for part in sent] == [1], "nothing is made yet"
    (row,) = posted.components
    assert isinstance(row, discord.ActionRow)
    assert [item.to_dict() for item in row.children] == [
        discord.Button(part).to_dict() for part in sent[0]["components"]
    ]
    assert list_component_ids(posted) == [row.id]
    assert posted.components[0] is row


async def test_no_answer_is_asked_back(world: World) -> None:
    """Neither a new message nor an edited one."""
    await tick(world.gm, await opened(world), "target")
    calls = [call for call in world.env.http_requests if call.path.endswith("/callback")]

    assert {call.json["type"] for call in calls if isinstance(call.json, dict)} >= {4, 7}
    assert not any("with_response" in (call.params or {}) for call in calls)


@pytest.mark.parametrize("gone", ["_SLOT", "_PARSE", "_ANSWER"])
def test_another_discord_py_does_all_by_itself(gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is replaced, where what we know is gone."""
    monkeypatch.setattr(answering, gone, None)
    before = (vars(discord.Message)["components"], AsyncWebhookAdapter.create_interaction_response)

    assert not leave_unread.__wrapped__()
    assert (vars(discord.Message)["components"], AsyncWebhookAdapter.create_interaction_response) == before


def test_ids_are_read_from_components_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where discord.py has made all."""
    monkeypatch.setattr(answering, "_SLOT", None)
    message: Any = SimpleNamespace(components=[SimpleNamespace(id=7), SimpleNamespace()])

    assert list_component_ids(message) == [7, None]
