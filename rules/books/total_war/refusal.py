"""How the rules of Total War refuse an order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rules.errors import RollError


class Refused(RollError):
    """An order that the rules do not allow: `code` says by which refusal, `told` what else is answered. Nothing has changed."""

    title = "That is not possible"
    left = "Nothing has changed."

    def __init__(self, code: str, words: str, **told: object) -> None:
        self.code, self.told = code, told
        super().__init__(words)


@contextmanager
def coded() -> Iterator[None]:
    """Let refusals tell their code behind their words, as people read them."""
    try:
        yield
    except Refused as error:
        raise Refused(error.code, f"{error} ({error.code})", **error.told) from error
