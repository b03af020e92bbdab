"""The evenings that are written down: one per rule book, and one for each part of a campaign that all books share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.transcripts.evening import Evening
from tests.transcripts.evenings import (
    campaign,
    captives,
    corrections,
    fair,
    first_evening,
    house_rules,
    orders,
    privacy,
    roster,
    weather,
)


@dataclass(frozen=True)
class Script:
    """What happens at an evening; where dice are `drawn`, they follow from seeds as in a real campaign."""

    title: str
    play: Callable[[Evening], Awaitable[None]]
    drawn: bool = False


EVENINGS = {
    "campaign": Script("Campaign book: patrols, scouts, detection and their cards", campaign.play),
    "captives": Script("Campaign book: captives, write-ups and what lasts", captives.play),
    "weather": Script("Campaign book: the weather, week by week", weather.play),
    "roster": Script("The roster, its files, and free dice", roster.play),
    "first_evening": Script("The first evening on a new server", first_evening.play),
    "orders": Script("Orders and update day", orders.play),
    "corrections": Script("Corrections: published, taken back, amended, found again", corrections.play),
    "house_rules": Script("House rules", house_rules.play),
    "privacy": Script("Privacy: what others learn, and what is erased", privacy.play),
    "fair": Script("Fair dice", fair.play, drawn=True),
}
