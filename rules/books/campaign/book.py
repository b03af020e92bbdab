"""What the campaign book brings: its rolls, and how its orders pair."""

from rules.books.campaign import patrol, rolls, weather
from rules.books.campaign.orders import PAIRING

__all__ = ["PAIRING", "PROCEDURES"]

PROCEDURES = (
    rolls.NEWTYPE,
    patrol.PROCEDURE,
    rolls.SCOUTING,
    rolls.DETECTION,
    weather.PROCEDURE,
    rolls.COMPLICATIONS,
    rolls.INTERROGATION,
    rolls.ESCAPE,
)
