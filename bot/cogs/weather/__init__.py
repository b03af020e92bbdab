"""The weather: rolled week by week, shown, corrected."""

from bot.cogs.weather.cog import COMPONENTS, WeatherCog, show_forecast
from bot.cogs.weather.embed import ROLLOVER, WEATHER_CHANGED
from bot.cogs.weather.panel import change_cell, change_zone, roll_week, set_week
from bot.cogs.weather.pictures import entry_picture, newest_weather
from bot.cogs.weather.queries import carry_over, sky, weather_of_region
from bot.cogs.weather.rollover import ROLLOVER_JOB
from bot.cogs.weather.steps import ask_first, next_steps, next_weather, set_first_week
from bot.kernel import EntryPicture, Feature
from bot.orders.digest import DIGEST_ENTRY
from bot.rolls.extension import RollExtension
from bot.ui.registration import OWN_WEATHER

FEATURE = Feature(
    book="campaign",
    also=OWN_WEATHER,
    commands=(WeatherCog(), show_forecast),
    components=(roll_week, ask_first, *COMPONENTS, change_cell, change_zone, set_first_week, set_week),
    entry_kinds=(ROLLOVER, WEATHER_CHANGED),
    rolls=(RollExtension(facts=(weather_of_region, carry_over)),),
    sky=sky,
    jobs=(ROLLOVER_JOB,),
    pictures=(EntryPicture(ROLLOVER, entry_picture), EntryPicture(DIGEST_ENTRY, entry_picture, newest_weather)),
    next_steps=next_steps,
    todo=next_weather,
)
