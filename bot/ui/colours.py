"""The colours of embeds and cards, by tone."""

from __future__ import annotations

from collections.abc import Mapping

from rules.tables import Tone

COLOURS: Mapping[Tone, int] = {"success": 0x2F9E6E, "failure": 0x7A8599, "danger": 0xC8453B, "neutral": 0x4A6FA5}
