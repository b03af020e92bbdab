"""How the rules of Total War refuse an order."""

from __future__ import annotations

from rules.errors import RollError


class Refused(RollError):
    """An order that the rules do not allow: `code` says by which refusal, `told` what else is answered. Nothing has changed."""

    def __init__(self, code: str, words: str, **told: object) -> None:
        self.code, self.told = code, told
        super().__init__(words)
