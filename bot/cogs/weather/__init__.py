"""The weather: rolled week by week, shown, corrected."""

from __future__ import annotations

from bot.cogs.weather.entries import ROLLOVER, WEATHER_CHANGED, WEATHER_VOIDED
from bot.cogs.weather.facts import carry_over, sky, weather_of_region
from bot.cogs.weather.jobs import ROLLOVER_JOB
from bot.feature import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    entry_kinds=(ROLLOVER, WEATHER_CHANGED, WEATHER_VOIDED),
    rolls=RollExtension(facts=(weather_of_region, carry_over), sky=sky),
    jobs=(ROLLOVER_JOB,),
)

setup = FEATURE.setup
