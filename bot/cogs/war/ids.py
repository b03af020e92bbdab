"""The buttons of battles. A battle is meant by its panel and the entry that has begun it; what moves it on carries the half of the turn that was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from discord import ButtonStyle, ui
from msgspec import Struct

from bot.outbox.queue import Buttons
from bot.ui.components import IdTemplate
from rules.books.total_war.fight import Fight
from rules.books.total_war.order_kinds import UNIT
from rules.geometry import Hex

ACTS: Final = UNIT
"""The role of whoever acts on a board, after which the half of its side may end."""
SHOW: Final = IdTemplate("battle:{campaign:int}:show:{at:word}:{begun:int}")
"""The id of the button that shows the board."""
REFRESH: Final = IdTemplate("battle:{campaign:int}:again:{at:word}:{begun:int}")
"""The id of the button that shows the board anew in the same place."""
NEXT: Final = IdTemplate("battle:{campaign:int}:next:{at:word}:{begun:int}:{turn:int}:{side:int}")
"""The id of the button that ends the half of a turn of a side (its place)."""
SURE: Final = IdTemplate("battle:{campaign:int}:sure:{at:word}:{begun:int}:{turn:int}:{side:int}")
"""The id of the button that ends such a half although units could still act, after it was asked about."""
WITHDRAW: Final = IdTemplate("battle:{campaign:int}:withdraw:{at:word}:{begun:int}:{side:int}")
"""The id of the button that asks whether a side withdraws."""
LEAVE: Final = IdTemplate("battle:{campaign:int}:leave:{at:word}:{begun:int}:{side:int}")
"""The id of the button by which a side withdraws."""
RETREAT: Final = IdTemplate("battle:{campaign:int}:retreat:{at:word}:{begun:int}:{force:int}:{to:word}")
"""The id of the button by which a force (its place by name) goes to a panel."""
WORDS: Final = IdTemplate("battle:{campaign:int}:words:{at:word}:{begun:int}:{unit:rest}")
"""The id of the button that tells all of a board in words, and what a unit can do there, if one is named."""
MISSING: Final = IdTemplate("battle:{campaign:int}:act:{at:word}:{begun:int}:{attack:word}:{roll:word}:{unit:rest}")
"""The id of the window that asks for what is missing in an act of a unit."""


class Key(Struct, frozen=True):
    """Which battle a button is about: its campaign, its panel, and the number of the entry that has begun it."""

    campaign: int
    at: str
    begun: int

    def fill(self, form: IdTemplate, **more: object) -> str:
        """Return the custom id of this form."""
        return form.fill(campaign=self.campaign, at=self.at, begun=self.begun, **more)


def words_button(battle: Key, unit: str | None) -> ui.Button[Any]:
    """Return the button that tells all of a board in words."""
    return _button("As text", battle.fill(WORDS, unit=unit or ""))


def opening_buttons(battle: Key, half: Sequence[int] = ()) -> Buttons:
    """Return the buttons under the post of a battle or of a half that begins: the board, and the end of that half (turn and side's place)."""
    grey, shown = ButtonStyle.secondary.value, battle.fill(SHOW)
    ends = [("End turn", battle.fill(NEXT, turn=half[0], side=half[1]), grey)] if half else []
    return [("Show board", shown, grey), *ends]


def after_act(battle: Key, half: Sequence[int] | None, *, ends: bool) -> list[ui.Button[Any]]:
    """Return what comes next after an act: the board, and the end of the half for whoever may end it."""
    found = [_button("Show board", battle.fill(SHOW))]
    if half is not None and ends:
        turn, side = half
        found.append(_button("End turn", battle.fill(NEXT, turn=turn, side=side)))
    return found


def end_anyway_buttons(battle: Key, fight: Fight) -> list[ui.Button[Any]]:
    """Return what ends the half of now although units could still act, and what shows the board."""
    key = battle.fill(SURE, turn=fight.turn, side=fight.sides.index(fight.active))
    return [_button("End turn anyway", key, ButtonStyle.danger), _button("Show board", battle.fill(SHOW))]


def retreat_steps(battle: Key, *, own: bool) -> list[ui.Button[Any]]:
    """Return what comes next once a battle is over that waits for a retreat: the board, on which whoever chooses says where to."""
    return [_button("Retreat ..." if own else "Show board", battle.fill(SHOW))]


def retreat_buttons(battle: Key, force: int, panels: Iterable[Hex]) -> list[ui.Button[Any]]:
    """Return the buttons by which a beaten force goes to one of the panels that are free to it."""
    return [_button(f"Retreat to {to}", battle.fill(RETREAT, force=force, to=to), ButtonStyle.primary) for to in panels]


def board_buttons(battle: Key, fight: Fight, own: Mapping[str, bool]) -> list[ui.Button[Any]]:
    """Return the buttons under a board: those of `own` sides that may end a half (True), or withdraw, and one that looks again."""
    found = []
    if not fight.ended.over:
        found += [
            _button("End turn", battle.fill(NEXT, turn=fight.turn, side=fight.sides.index(side)), ButtonStyle.primary)
            for side, acts in own.items()
            if acts
        ]
        sides = [*own] if len(own) == 1 else []  # a game master says which by the command
        found += [
            _button("Withdraw", battle.fill(WITHDRAW, side=fight.sides.index(side)), ButtonStyle.danger)
            for side in sides
        ]
    return [*found, _button("Refresh", battle.fill(REFRESH))]


def leave_button(battle: Key, side: int) -> ui.Button[Any]:
    """Return the button by which a side withdraws."""
    return _button("Withdraw", battle.fill(LEAVE, side=side), ButtonStyle.danger)


def _button(label: str, key: str, style: ButtonStyle = ButtonStyle.secondary) -> ui.Button[Any]:
    return ui.Button(label=label, custom_id=key, style=style)
