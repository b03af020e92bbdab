"""What effects have to do with updates: one that is bound to an update ends with it, all others last beyond it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from rules.effects import EFFECT


def ending_effects(tx: Connection, campaign: Campaign, number: int) -> Iterator[tuple[str, str]]:
    """Give the effects that end with the update of a number, as bearer and effect."""
    return _bound_to(tx, campaign, number)


def lasting_effects(tx: Connection, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Give the effects that no update ends, as bearer and effect."""
    return _bound_to(tx, campaign, None)


def _bound_to(tx: Connection, campaign: Campaign, number: int | None) -> Iterator[tuple[str, str]]:
    for (_, name), value in sorted(state.naming(tx, campaign.id, EFFECT).items()):
        if value.get("update") == number:
            yield value["name"], value.get("label") or name.removeprefix(EFFECT).replace("-", " ")
