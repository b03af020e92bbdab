"""What entries about house rules hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict


class HouseRulesBody(TypedDict):
    """The body of an entry: a file was switched on or off.

    `file` is what it was called when it was sent, `extends` the id of the book that it changes or adds to, `tables` what it
    brings, id to title. `replaced` is the fingerprint of the version that was on before. `edited` are settings of the
    campaign that changed with it, each with `before` and `after`; entries of the first releases have none.
    """

    deed: Literal["on", "off"]
    name: str
    version: int
    fingerprint: str
    file: str
    extends: str
    tables: dict[str, str]
    replaced: str | None
    edited: NotRequired[Mapping[str, Any]]
