"""Captives: taken, interrogated, escaping."""

from bot.cogs.captives import cog, rolls
from bot.cogs.captives.actions import CAPTIVE_CHANGED, ESCAPE_DECLARED
from bot.cogs.captives.cog import break_out, escape, open_escapes
from bot.cogs.captives.embed import about_captives, interrogate_again_button, status
from bot.cogs.captives.queries import ESCAPE, INTERROGATION
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from rules.books.campaign.captivity import CAPTIVE

FEATURE = Feature(
    book="campaign",
    commands=(cog.CaptiveCog(), cog.interrogate, escape),
    components=(open_escapes, break_out, *cog.COMPONENTS),
    modals=cog.MODALS,
    entry_kinds=(CAPTIVE_CHANGED, ESCAPE_DECLARED),
    rolls=(
        RollExtension(
            facts=(rolls.captivity_facts,), bars=(rolls.require_living,), messages=(rolls.ask_for_passwords,)
        ),
        RollExtension(book="campaign", families=(ESCAPE,), facts=(rolls.joint_escape_facts, rolls.surprise_facts)),
        RollExtension(book="campaign", families=(INTERROGATION,), next_steps=(interrogate_again_button,)),
    ),
    requirements={CAPTIVE: rolls.require_captive},
    status=status,
    todo=about_captives,
)
