"""The ids of buttons about orders, and the updates or orders they name."""

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, open_campaign, require_on_server, require_update
from bot.core.permissions import Person, require_game_master
from bot.ui.reply import IdTemplate


class OrderKey(Struct, frozen=True):
    """An order in ids: campaign, subject and entry."""

    campaign: int
    subject: int
    number: int


class UpdateKey(Struct, frozen=True):
    """An update in ids: campaign and update number."""

    campaign: int
    number: int


class TaskKey(UpdateKey, frozen=True):
    """A task in ids, by 16 hexadecimal digits."""

    digits: str


def open_update(tx: Connection, person: Person, key: UpdateKey, action: str, *, lock: bool = True) -> Campaign:
    """Return the campaign, for a game master. Refuse if the update isn't current."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, key.campaign).id, lock=lock)
    require_game_master(person, campaign, action)
    require_update(tx, key.campaign, key.number)
    return campaign


NUDGE = IdTemplate("board:{campaign:int}:nudge:{number:int}")
TELL = IdTemplate("board:{campaign:int}:tell:{number:int}")
LOCK = IdTemplate("board:{campaign:int}:lock:{number:int}:{on:int}")
ARRANGE = IdTemplate("board:{campaign:int}:arrange:{number:int}")
REASON = IdTemplate("board:{campaign:int}:reason:{number:int}:{task:hex}")
TASK = IdTemplate("board:{campaign:int}:task:{number:int}")
CHANGE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:change")
WITHDRAW = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:withdraw")
REFUSE = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:refuse")
HOLD = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:hold:{on:int}")
RANK = IdTemplate("order:{campaign:int}:{subject:int}:{number:int}:rank")
MISSING = IdTemplate("order:{campaign:int}:give:{kind:word}")
PICK = IdTemplate("order:{campaign:int}:pick:{_place:int}")
PLAN = IdTemplate("update:{campaign:int}:plan:{number:int}")
