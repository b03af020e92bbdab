"""What a digest shows beside the results: a picture of the week, and the same facts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct


class Illustration(Struct, frozen=True):
    """A picture that everybody may see, by the name of its file, with a title and the same facts in lines of markdown.

    `drawn_from` is what the digest's entry keeps beside, from which the feature that it comes from draws the picture. One that is
    shown `again` stands below further digests of an update too: what it shows may be another by then.
    """

    title: str
    lines: Sequence[str]
    picture: str
    drawn_from: Mapping[str, Any]
    again: bool = False
