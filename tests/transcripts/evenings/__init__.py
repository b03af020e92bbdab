"""The evenings that are written down: one per rule book, and one for each part of a campaign that all books share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.transcripts.evening import Evening
from tests.transcripts.evenings import (
    campaign,
    captives,
    corrections,
    events,
    fair,
    first_evening,
    fog,
    house_rules,
    infinity,
    orders,
    own_game,
    privacy,
    roe,
    roe_scenes,
    roster,
    total_war,
    total_war_battles,
    total_war_rogues,
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
    "roe": Script("RoE book: a fight in turns", roe.play),
    "roe_scenes": Script("RoE book: vehicles, holds, hiding, zones and captives", roe_scenes.play),
    "total_war": Script("Total War: sealed orders, settings and rulings", total_war.play),
    "total_war_battles": Script("Total War: battles on the board", total_war_battles.play),
    "total_war_rogues": Script("Total War: orders at once, rogues and a second map", total_war_rogues.play),
    "fog": Script("Total War in fog: what each faction sees", fog.play),
    "infinity": Script("Infinity book: rolls, contests and challenges", infinity.play),
    "events": Script("Battlesystem book: random events of battles", events.play),
    "weather": Script("Campaign book: the weather, week by week", weather.play),
    "roster": Script("The roster, its files, and free dice", roster.play),
    "first_evening": Script("The first evening on a new server", first_evening.play),
    "orders": Script("Orders and update day", orders.play),
    "corrections": Script("Corrections: published, taken back, amended, found again", corrections.play),
    "house_rules": Script("House rules", house_rules.play),
    "own_game": Script("A game of one's own", own_game.play),
    "privacy": Script("Privacy: what others learn, and what is erased", privacy.play),
    "fair": Script("Fair dice", fair.play, drawn=True),
}
