"""Captives: taken, interrogated, escaping."""

from __future__ import annotations

from bot.cogs.captives import cog
from bot.cogs.captives.actions import CAPTIVE_CHANGED, ESCAPE_DECLARED
from bot.cogs.captives.buttons import about_captives, again
from bot.cogs.captives.cog import break_out, escape, roll_escapes
from bot.cogs.captives.embed import status
from bot.cogs.captives.facts import ask_for_passwords, captivity, require_captive, require_living, surprised, together
from bot.cogs.captives.queries import ESCAPE, INTERROGATION
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from rules.books.campaign.captivity import CAPTIVE

FEATURE = Feature(
    book="campaign",
    commands=(cog.CaptiveCog(), cog.interrogate, escape),
    components=(roll_escapes, break_out, *cog.COMPONENTS),
    modals=cog.MODALS,
    entry_kinds=(CAPTIVE_CHANGED, ESCAPE_DECLARED),
    rolls=(
        RollExtension(facts=(captivity,), bars=(require_living,), messages=(ask_for_passwords,)),
        RollExtension(book="campaign", families=(ESCAPE,), facts=(together, surprised)),
        RollExtension(book="campaign", families=(INTERROGATION,), next_steps=(again,)),
    ),
    requirements={CAPTIVE: require_captive},
    status=status,
    todo=about_captives,
)
