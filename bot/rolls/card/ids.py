"""The ids of a card's components and modals: which card, the revision and part that were shown, what is done."""

from __future__ import annotations

from typing import Final

from bot.ui.components import IdTemplate

_CARD: Final = "card:{campaign:int}:{card:id}:{revision:int}:{part:int}:"

OPEN = IdTemplate("card:{campaign:int}:-:0:0:open")
DISCARD = IdTemplate("card:{campaign:int}:{card:id}:0:0:discard")
"""The id of the button that closes all cards of its presser up to this one, the newest that was seen."""
PART, PAGE = IdTemplate(_CARD + "part"), IdTemplate(_CARD + "page:{page:word}")
TICK = IdTemplate(_CARD + "tick:{group:word}:{chunk:int}")
CHOICE = IdTemplate(_CARD + "choice:{choice:word}")
TO = IdTemplate(_CARD + "to")
ADJUST, ADJUSTED = IdTemplate(_CARD + "adjust"), IdTemplate(_CARD + "adjusted")
COUNTS, COUNTED = IdTemplate(_CARD + "counts"), IdTemplate(_CARD + "counted")
NAMES, NAMED = IdTemplate(_CARD + "names"), IdTemplate(_CARD + "named")
RESET, CANCEL = IdTemplate(_CARD + "reset"), IdTemplate(_CARD + "cancel")
MEANT, CORRECT = IdTemplate(_CARD + "meant"), IdTemplate(_CARD + "correct")
"""Roll as it was meant; change the card to that."""
ROLL, REASON = IdTemplate(_CARD + "roll"), IdTemplate(_CARD + "reason")
