"""Rolls of the RoE book with the dice as they fell: checks and contests."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cli.roe.questions import Op

OPS: Mapping[str, Op] = {}
