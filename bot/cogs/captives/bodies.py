"""The bodies of entries about captives, apart from their changes and texts."""

from __future__ import annotations

from typing import Literal, TypedDict


class CaptureBody(TypedDict):
    """Somebody is taken captive: by whom, and where that one is held."""

    deed: Literal["take"]
    captive: str
    by: str
    at: str


MoveBody = TypedDict("MoveBody", {"deed": Literal["move"], "captive": str, "from": str, "at": str})
"""A captive is held somewhere else: from where, and where to."""


class ReleaseBody(TypedDict):
    """A captive is let go: by whom, and where."""

    deed: Literal["release"]
    captive: str
    by: str
    at: str


class DeclarationBody(TypedDict):
    """Captives, their names parted by commas, mean to escape in this update; now that is an order."""

    deed: Literal["declare"]
    captive: str


CaptiveBody = CaptureBody | MoveBody | ReleaseBody | DeclarationBody
