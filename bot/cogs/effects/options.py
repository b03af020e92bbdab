"""The options that name effects and those whom they befall."""

from __future__ import annotations

import re
from typing import Annotated

from bot.cogs.effects import queries
from bot.rolls import options
from bot.ui.parsing import MAX_CHOICE
from rules.subjects import name_key

SHORTENED = re.compile("\N{HORIZONTAL ELLIPSIS}$")


async def _complete_bearer(at: options.Completion, current: str) -> options.Completions:
    """Offer units, characters and sides that are saved or have an effect."""
    return [(name, name) for name in await at.read(queries.suggest_bearers, current)]


async def _complete_effect(at: options.Completion, current: str) -> options.Completions:
    known = await at.desk.database.read(at.desk.resolver.library.effects, at.campaign)
    return _labels(current, {item.label: trait for trait, item in known.items() if item.command is None})


async def _complete_lasting(at: options.Completion, current: str) -> options.Completions:
    """Offer the effects of whoever is named in the command."""
    asked = at.desk.resolver.library, at.person, at.campaign, at.typed("who")
    effects = await at.desk.database.read(queries.listed, *asked)
    return _labels(current, {effect.label: effect.trait for effect in effects})


def _labels(current: str, traits: dict[str, str]) -> list[tuple[str, str]]:
    """Return those effects, given as ids by label, whose label or id holds what is typed."""
    wanted = name_key(current)
    matching = {label: trait for label, trait in traits.items() if wanted in name_key(f"{label} {trait}")}
    return [(label, label if len(label) <= MAX_CHOICE else trait) for label, trait in matching.items()]


Bearer = Annotated[str, options.Completed(_complete_bearer)]
KnownEffect = Annotated[str, options.Completed(_complete_effect, SHORTENED)]
HoldingEffect = Annotated[str, options.Completed(_complete_lasting, SHORTENED)]
