"""The options that name effects and those whom they befall."""

from __future__ import annotations

import re

from discord.app_commands import Transform

from bot.cogs.effects import queries
from bot.rolls import options
from bot.ui.parsing import MAX_CHOICE
from bot.ui.reply import person
from rules.subjects import name_key


class BearerCompleter(options.Completed):
    """A unit, a character or a side: saved ones, and those whom an effect has befallen."""

    async def complete(self, at: options.Completion, current: str) -> list[tuple[str, str]]:
        """Return names."""
        who = person(at.interaction)
        names = await at.desk.database.read(queries.suggest_bearers, who, at.campaign, current)
        return [(name, name) for name in names]


class EffectCompleter(options.Completed):
    """An effect of the campaign's books, by its label."""

    decorated = re.compile("\N{HORIZONTAL ELLIPSIS}$")

    async def complete(self, at: options.Completion, current: str) -> list[tuple[str, str]]:
        """Return labels, also of effects whose id holds what is typed."""
        known = await at.desk.database.read(at.desk.resolver.library.effects, at.campaign)
        return _labels(current, {item.label: trait for trait, item in known.items() if item.command is None})


class LastingCompleter(options.Completed):
    """An effect that holds on whoever is named in the command."""

    decorated = EffectCompleter.decorated

    async def complete(self, at: options.Completion, current: str) -> list[tuple[str, str]]:
        """Return labels; the id where Discord does not take the whole label."""
        named = str(getattr(at.interaction.namespace, "who", "") or "")
        library, who = at.desk.resolver.library, person(at.interaction)
        effects = await at.desk.database.read(queries.listed, library, who, at.campaign, named)
        return _labels(current, {effect.label: effect.trait for effect in effects})


def _labels(current: str, traits: dict[str, str]) -> list[tuple[str, str]]:
    """Return those effects, given as ids by label, whose label or id holds what is typed."""
    wanted = name_key(current)
    matching = {label: trait for label, trait in traits.items() if wanted in name_key(f"{label} {trait}")}
    return [(label, label if len(label) <= MAX_CHOICE else trait) for label, trait in matching.items()]


Bearer = Transform[str, BearerCompleter()]
KnownEffect = Transform[str, EffectCompleter()]
HoldingEffect = Transform[str, LastingCompleter()]
