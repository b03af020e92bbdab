"""The board of a battle as somebody sees it: drawn, in words, and with the buttons of what they may do there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import discord
from discord import ui
from msgspec import Struct

from bot.cogs.war.battle import ids
from bot.cogs.war.battle.found import SeenBattle
from bot.cogs.war.battle.typed import beaten
from bot.cogs.war.pictures.told import Told, battle_board, unit_overlay
from bot.outbox.pictures import drawn
from bot.rolls.buttons import with_buttons
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.picture import ATTACHED, Picture, fitting
from bot.ui.text import plain
from rules.books.total_war.acting import tile_at
from rules.books.total_war.battles import retreats
from rules.books.total_war.board_choices import Choices
from rules.books.total_war.refusal import coded
from rules.books.total_war.rosters import meant
from rules.geometry.squares import EDGES, Square

PICTURE = "battle"


class Looked(Struct, frozen=True):
    """What somebody looks at: a battle, and the unit whose reach is shown, after it has gone to a tile, or firing in a direction."""

    seen: SeenBattle
    unit: str | None = None
    to: str | None = None
    toward: str | None = None


class Reach(Struct, frozen=True):
    """The unit (id) whose reach is shown, where it goes first, and where it fires."""

    unit: str | None = None
    to: Square | None = None
    toward: str | None = None


async def pages(looked: Looked) -> list[dict[str, Any]]:
    """Return the messages that show a board: its picture above the words, and the buttons under the last one.

    Raises:
        RollError: there is no such unit or tile.

    """
    seen, reach = looked.seen, _reach(looked)
    board = seen.choices
    shown = await drawn_board(seen, board, reach)
    embeds = paging.fit(
        plain(f"Battle on {seen.at}"),
        [*map(plain, shown.lines), *map(plain, awaited(seen))],
        colour=COLOURS["neutral"],
        footer=seen.seen.campaign.name,
    )
    embeds[0].set_image(url=f"{ATTACHED}{shown.picture.name}")
    messages = [
        _message(page, shown.picture if number == 0 else None) for number, page in enumerate(paging.pages(embeds))
    ]
    messages[-1]["view"] = with_buttons(*_buttons(seen))
    return messages
