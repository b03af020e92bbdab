"""Captives: taken, interrogated, escaping."""

from __future__ import annotations

from bot.cogs.captives import cog
from bot.cogs.captives.actions import CAPTIVE_CHANGED, ESCAPE_DECLARED
from bot.cogs.captives.cog import break_out, escape, roll_escapes
from bot.cogs.captives.embed import about_captives, interrogate_again_button, status
from bot.cogs.captives.facts import (
    ask_for_passwords,
    captivity_facts,
    joint_escape_facts,
    require_captive,
    require_living,
    surprise_facts,
)
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
        RollExtension(facts=(captivity_facts,), bars=(require_living,), messages=(ask_for_passwords,)),
        RollExtension(book="campaign", families=(ESCAPE,), facts=(joint_escape_facts, surprise_facts)),
        RollExtension(book="campaign", families=(INTERROGATION,), next_steps=(interrogate_again_button,)),
    ),
    requirements={CAPTIVE: require_captive},
    status=status,
    todo=about_captives,
)
