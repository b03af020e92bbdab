"""What effects have to do with updates: one that is bound to an update ends with it, all others last beyond it."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.core import state, subjects
from bot.core.campaigns import Campaign
from rules.effects import EFFECT
from rules.subjects import name_key, number_of


def ending_effects(tx: Connection, campaign: Campaign, number: int) -> Iterator[tuple[str, str]]:
    """Give the effects that end with the update of a number, as bearer and effect."""
    return _bound_to(tx, campaign, number)


def lasting_effects(tx: Connection, campaign: Campaign) -> Iterator[tuple[str, str]]:
    """Give the effects that no update ends, as bearer and effect."""
    return _bound_to(tx, campaign, None)


def _bound_to(tx: Connection, campaign: Campaign, number: int | None) -> Iterator[tuple[str, str]]:
    bound = {
        key: value for key, value in state.naming(tx, campaign.id, EFFECT).items() if value.get("update") == number
    }
    names = subjects.names(tx, campaign.id, {number_of(key) for key, _ in bound})
    bearers = {key: names[number_of(key)] for key, _ in bound}
    for (key, name), value in sorted(bound.items(), key=lambda item: (name_key(bearers[item[0][0]]), item[0])):
        yield bearers[key], value.get("label") or name.removeprefix(EFFECT).replace("-", " ")
