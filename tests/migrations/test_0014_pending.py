"""The fifteenth migration: challenges that wait go on as rolls that wait, their messages too, and back again."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core import campaigns, migrate
from bot.core.database import Database
from bot.outbox import queue as posts
from bot.outbox.queue import buttons_of, embeds_of, mention_of
from bot.rolls.pending import store
from tests.migrations.test_steps import back, before
from tests.support.world import START

BEFORE = "0013"
REQUEST = {
    "book": "infinity",
    "family": "face-to-face",
    "parts": [
        {
            "subjects": {"a": "<1:a>"},
            "people": {"a": "Angus"},
            "inputs": {"a": {"attribute": 13, "mods": [-3], "burst": 1, "crits": True}},
        }
    ],
    "note": "Angus shoots",
    "to": "auto",
    "here": 2**60,
}
EMBED = {"title": "A challenge", "description": "To arms", "type": "rich"}


def challenge(key: str, state: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """A challenge as it was kept."""
    row = {"id": key, "campaign_id": 1, "challenger_id": 2**60 + 1, "opponent_id": 2**60 + 2, "state": state}
    return {**row, "request": REQUEST, "entry_number": None, "opened_at": START, "expires_at": START, **more}


def message(number: int, state: str, payload: object, topic: str | None) -> dict[str, Any]:
    """The message of a challenge as a post."""
    kept = None if payload is None else json.dumps(payload)
    row = {"id": number, "campaign_id": 1, "kind": "challenge", "page": 1, "channel_id": 9, "nonce": str(number)}
    row |= {"attempts": 1, "unconfirmed": False, "queued_at": START, "due_at": START, "topic": topic}
    return {**row, "state": state, "payload": kept, "message_id": 77 if state == "sent" else None}


def fill(tx: sa.Connection) -> None:
    """Put in a challenge of each kind, with its message."""
    found = sa.MetaData()
    found.reflect(tx)
    draft = {"attribute": "foo", "mods": "", "burst": "1", "crits": "on", "name": ""}
    rows = [challenge("aa", "open", draft=draft), challenge("bb", "open", draft=None)]
    rows.append(challenge("cc", "answered", draft=None, entry_number=4))
    tx.execute(found.tables["challenge"].insert(), rows)
    waits = {"embeds": [EMBED], "users": [2**60 + 2], "roles": [], "buttons": False}
    over = {"embeds": [EMBED], "users": [], "roles": [], "buttons": False}
    kept = [message(1, "sent", None, "aa"), message(2, "queued", waits, "bb"), message(3, "queued", over, None)]
    tx.execute(found.tables["post"].insert(), kept)


@pytest.mark.slow
async def test_challenges_wait_on(database: Database) -> None:
    """Each waits for its one member with what was typed, is found with its message, and has its buttons when that is sent yet."""
    await before(database, BEFORE)
    await database.write(fill)
    await migrate.upgrade(database)
    first, second = await database.read(store.list_open, 1)
    assert (first.id, first.asker_id, first.seats[0].users) == ("aa", 2**60 + 1, (2**60 + 2,))
    assert (first.seats[0].role, first.places_left, second.seats[0].draft) == ("b", (0,), None)
    assert first.seats[0].draft is not None
    assert first.seats[0].draft["attribute"] == "foo"
    assert (first.request.note, first.request.here) == ("Angus shoots", 2**60)
    assert first.request.parts[0].inputs["a"]["mods"] == [-3]
    assert (first.words.noun, first.words.name, first.words.otherwise) == ("challenge", "Angus", "")
    assert (first.opened_at, first.expires_at) == (START, START)
    over = await database.read(store.get, 1, "cc")
    assert over is not None
    assert (over.state, over.entry_number) == ("answered", 4)
    sent = await database.read(posts.find_about, 1, "pending", "aa")
    assert sent is not None
    assert sent.message_id == 77
    queued = await database.read(posts.find_about, 1, "pending", "bb")
    assert queued is not None
    assert embeds_of(queued)[0].title == "A challenge"
    assert mention_of(queued)["content"] == f"<@{2**60 + 2}>"
    view = buttons_of(queued)
    assert view is not None
    assert [item.to_component_dict()["custom_id"] for item in view.children] == [
        "challenge:1:bb:answer",
        "challenge:1:bb:withdraw",
    ]
    assert await database.read(campaigns.get_campaign, 1) is not None

    await back(database, BEFORE)
    query = "select challenger_id, opponent_id, state, entry_number from challenge order by id"
    rows = await database.read(lambda tx: [tuple(row) for row in tx.execute(sa.text(query))])
    assert rows == [
        (2**60 + 1, 2**60 + 2, "open", None),
        (2**60 + 1, 2**60 + 2, "open", None),
        (2**60 + 1, 2**60 + 2, "answered", 4),
    ]
    kinds = await database.read(lambda tx: set(tx.scalars(sa.text("select kind from post"))))
    assert kinds == {"challenge"}
