"""What the state and the entries keep of write-ups."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

Result = Literal["won", "drawn", "lost"]
"""How a battle ended for the one who was caught, attacked or ambushed."""


class WriteupValue(TypedDict):
    """What the state keeps of a write-up: the part (from 0) that calls for it, its state, and once that changed since which entry and by whom (pseudonym).

    `result` is how its battle ended, `decided` the entry that says so.
    """

    entry: int
    part: int
    state: str
    by: NotRequired[str]
    since: NotRequired[int]
    result: NotRequired[Result]
    decided: NotRequired[int]


class WriteupBody(TypedDict):
    """What the entry of a write-up keeps: what was done (`claim`, `give-back` or `done`) to which part of which entry, and the write-up's number."""

    deed: str
    entry: int
    part: int
    number: str


class ResultBody(TypedDict):
    """What the entry of a battle's result keeps: of which part of which entry, the write-up's number, and how it ended for whom.

    `moves` tells whether that one's move goes on; None where nothing hangs on it.
    """

    deed: Literal["result"]
    entry: int
    part: int
    number: str
    result: Result
    who: str
    moves: bool | None
