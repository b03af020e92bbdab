"""The buttons of fights: under their posts, and in what somebody is shown of one. A fight is told by the entry that began it."""

from __future__ import annotations

from collections.abc import Mapping

from discord import ButtonStyle

from bot.outbox.queue import Buttons
from bot.ui.components import IdTemplate
from bot.ui.text import shorten
from rules.books.roe.explosives import FUSE, Fuse
from rules.books.roe.scene import Fight

CHOOSE = IdTemplate("fight:{campaign:int}:choose:{fight:int}:{mode:word}")
"""The id of the buttons by which the defender says how a fight is settled."""

TURN = IdTemplate("fight:{campaign:int}:turn:{fight:int}:{turn:int}:{now:int}")
"""The id of the button that ends a turn: whose (number), in which round."""

WHY_NOT = IdTemplate("fight:{campaign:int}:why:{fight:int}")
"""The id of the button that shows what can't be done in the turn of now, and why."""

SURE = IdTemplate("fight:{campaign:int}:sure:{fight:int}:{turn:int}:{now:int}")
"""The id of the button that ends a turn with something of it unspent, after it was asked about."""

CARD = IdTemplate("fight:{campaign:int}:card:{fight:int}")
"""The id of the button that shows the turn of now."""

ACT = IdTemplate("fight:{campaign:int}:act:{fight:int}:{turn:int}:{now:int}:{left:int}")
"""The id of the select of what can be done in a turn: whose (number), in which round, with how much left of it."""

TYPED = IdTemplate("fight:{campaign:int}:typed:{fight:int}:{turn:int}:{now:int}:{left:int}:{act:rest}")
"""The id of the window for what an act needs that was picked in a turn, as `ACT` has that."""

END = IdTemplate("fight:{campaign:int}:end:{fight:int}")
"""The id of the button that ends a fight."""

VOTE = IdTemplate("fight:{campaign:int}:vote:{fight:int}:{proposed:int}:{word:word}")
"""The id of the buttons that say yes or no to what an entry has proposed."""

COME = IdTemplate("fight:{campaign:int}:come:{fight:int}:{who:int}")
"""The id of the buttons by which somebody who was called (a number) says that they come."""

EXPLODE = IdTemplate("fight:{campaign:int}:explode:{fight:int}:{fuse:int}")
"""The id of the button that lets a grenade explode, and of the window that asks who stands in its radius."""

SAYS = {"yes": "Agree", "no": "Refuse"}
MOST_DUE = 3
"""How many grenades have buttons under one post; further ones explode by their command."""

MODES = (("Dice", "dice"), ("Free-form", "freeform"))
BLUE, GREEN, GREY, RED = (
    style.value for style in (ButtonStyle.primary, ButtonStyle.success, ButtonStyle.secondary, ButtonStyle.danger)
)


def choices(campaign_id: int, fight: int) -> Buttons:
    """Return what the defender can choose."""
    key = {"campaign": campaign_id, "fight": fight}
    return [(label, CHOOSE.fill(**key, mode=mode), GREEN) for label, mode in MODES]


def answers(campaign_id: int, fight: int, proposed: int) -> Buttons:
    """Return what can be said to what an entry has proposed."""
    key = {"campaign": campaign_id, "fight": fight, "proposed": proposed}
    return [(label, VOTE.fill(**key, word=word), GREEN if word == "yes" else GREY) for word, label in SAYS.items()]


def comings(campaign_id: int, fight: int, called: Mapping[int, str]) -> Buttons:
    """Return what lets those come who were called, by their names."""
    key = {"campaign": campaign_id, "fight": fight}
    return [(shorten(f"Come: {name}", 60), COME.fill(**key, who=number), GREEN) for number, name in called.items()]


def of_turn(campaign_id: int, fight: Fight) -> Buttons:
    """Return what shows the turn of now and what ends it; nothing while there is none."""
    header, now = fight.header, fight.now
    if header.mode is None or not isinstance(now, int):
        return []
    return turn_seen(campaign_id, header.entry, header.turn, now)


def turn_seen(campaign_id: int, fight: int, turn: int, now: int) -> Buttons:
    """Return what shows the turn of now in a fight, and what ends the turn that was seen: whose (number), in which round."""
    key = {"campaign": campaign_id, "fight": fight}
    return [("Show turn", CARD.fill(**key), BLUE), ("End turn", TURN.fill(**key, turn=turn, now=now), GREY)]


def end_all_the_same(campaign_id: int, fight: Fight) -> Buttons:
    """Return what ends the turn of now although something of it is unspent, and what shows it."""
    header = fight.header
    seen = {"campaign": campaign_id, "fight": header.entry}
    key = SURE.fill(**seen, turn=header.turn, now=fight.now)
    return [("End turn anyway", key, RED), ("Show turn", CARD.fill(**seen), GREY)]


def explosions(campaign_id: int, fight: Fight, due: Mapping[str, Fuse]) -> Buttons:
    """Return what lets grenades explode with the turn of now."""
    key = {"campaign": campaign_id, "fight": fight.header.entry}
    numbers = ((item.charge.item, int(name.removeprefix(FUSE))) for name, item in due.items())
    return [(shorten(f"Explode: {item}", 60), EXPLODE.fill(**key, fuse=number), RED) for item, number in numbers][
        :MOST_DUE
    ]
