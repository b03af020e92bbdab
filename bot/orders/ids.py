"""The ids of what is pressed about orders, and the update or order that they name. Those of the board carry the update (number) that it is about."""

from __future__ import annotations

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, open_campaign, require_on_server, require_update
from bot.core.permissions import Person, require_game_master
from bot.ui.components import IdTemplate


class OrderKey(Struct, frozen=True):
    """By which ids know an order: the campaign, whose it is (number), and its entry."""

    campaign: int
    subject: int
    number: int


class UpdateKey(Struct, frozen=True):
    """By which ids know an update (number) of a campaign."""

    campaign: int
    number: int


class TaskKey(UpdateKey, frozen=True):
    """By which ids know a task of an update, by its 16 hexadecimal `digits`."""

    digits: str


def open_update(tx: Connection, person: Person, key: UpdateKey, action: str, *, lock: bool = True) -> Campaign:
    """Return the open campaign of an update that is still the current one, for a game master who does this."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, action)
    require_update(tx, key.campaign, key.number)
    return campaign


NUDGE = IdTemplate("board:{campaign:int}:nudge:{number:int}")
TELL = IdTemplate("board:{campaign:int}:tell:{number:int}")
LOCK = IdTemplate("board:{campaign:int}:lock:{number:int}:{on:int}")
ARRANGE = IdTemplate("board:{campaign:int}:arrange:{number:int}")
REASON = IdTemplate("board:{campaign:int}:reason:{number:int}:{task:hex}")
"""The button, and its window, by which a task that waits gets its reason."""

TASK = IdTemplate("board:{campaign:int}:task:{number:int}")
"""The select from which a task is opened as a roll card."""

CHANGE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:change")
WITHDRAW = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:withdraw")
REFUSE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:refuse")
HOLD = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:hold:{on:int}")
RANK = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:rank")
"""The buttons of an order (its entry) of somebody (number), and the window for its priority."""

MISSING = IdTemplate("order:{campaign:int}:give:{kind:word}")
"""The window that asks for what is missing in an order of a kind."""

PICK = IdTemplate("order:{campaign:int}:pick:{_place:int}")
"""The select from which an order is picked."""

PLAN = IdTemplate("update:{campaign:int}:plan:{number:int}")
"""The id of the button that shows what resolving comes to in an update."""
