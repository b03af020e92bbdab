"""Captives: taken, interrogated, escaping."""

from __future__ import annotations

from bot.cogs.captives import captive_panel
from bot.cogs.captives.buttons import again
from bot.cogs.captives.captive_cog import CaptiveCog
from bot.cogs.captives.deaths import require_living
from bot.cogs.captives.entries import CAPTIVE_CHANGED, ESCAPE_DECLARED
from bot.cogs.captives.escape_cog import break_out, escape, roll_escapes
from bot.cogs.captives.facts import captivity, surprised, together
from bot.cogs.captives.interrogation_cog import interrogate
from bot.cogs.captives.requirements import ask_for_passwords, befallen, require_captive
from bot.cogs.captives.status import status
from bot.cogs.captives.todo import about_captives
from bot.feature import Feature
from bot.rolls.extension import RollExtension
from rules.books.campaign.captivity import CAPTIVE

FEATURE = Feature(
    book="campaign",
    commands=(CaptiveCog(), interrogate, escape),
    components=(roll_escapes, break_out, *captive_panel.COMPONENTS),
    modals=captive_panel.MODALS,
    entry_kinds=(CAPTIVE_CHANGED, ESCAPE_DECLARED),
    rolls=RollExtension(
        facts=(captivity, together, surprised),
        requirements={CAPTIVE: require_captive},
        bars=(require_living,),
        messages=(ask_for_passwords,),
        concerns=(befallen,),
        next_steps=(again,),
    ),
    status=status,
    todo=about_captives,
)
