"""Time zones as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.cogs.campaign import settings
from bot.cogs.campaign.settings import ABBREVIATIONS, check_timezone, offer_time_zones, time_zones
from bot.errors import BadInput
from tests.support.reading import assert_says, refused, said
from tests.support.world import World

WINTER, SUMMER = datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("now", [WINTER, SUMMER])
@pytest.mark.parametrize(
    ("typed", "hours"),
    [("GMT+2", 2), ("UTC+2", 2), ("utc \N{MINUS SIGN} 5", -5), ("+5:30", 5.5), ("GMT-0330", -3.5), ("+13", 13)],
)
def test_an_offset_leads_to_zones_of_that_offset_alone(typed: str, hours: float, now: datetime) -> None:
    """Completions and the refusal's guesses are as far from UTC as was typed; none is when no zone is."""
    found = [zone for _, zone in offer_time_zones(typed, now)]
    assert all(now.astimezone(ZoneInfo(zone)).utcoffset() == timedelta(hours=hours) for zone in found)
    with pytest.raises(BadInput, match="is an offset") as caught:
        check_timezone(typed, now)
    assert not found or found[0] in caught.value.do


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("CEST", "Europe/Berlin (14:00, UTC+2) or Europe/Paris (14:00, UTC+2)"),
        ("EDT", "America/New_York (08:00, UTC-4) or America/Panama (07:00, UTC-5)"),
        ("est", "America/New_York"),
        ("IST", "Asia/Kolkata (17:30, UTC+5:30) or Europe/Dublin (13:00, UTC+1) or Asia/Jerusalem"),
        ("PT", "America/Los_Angeles (05:00, UTC-7)"),
        ("HST", "Pacific/Honolulu"),
        ("Europe/Berln", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("London", "Europe/London"),
    ],
)
def test_abbreviations_and_cities_are_asked_about(typed: str, meant: str) -> None:
    """What may mean several zones is never taken without a word, and a guess is never of another offset."""
    with pytest.raises(BadInput) as caught:
        check_timezone(typed, SUMMER)
    assert f"Did you mean {meant}" in caught.value.do


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("UTC", "UTC"),
        ("gmt", "GMT"),
        ("europe/berlin", "Europe/Berlin"),
        (" America/New York ", "America/New_York"),
        ("Etc/GMT-2", "Etc/GMT-2"),
        ("Europe/Berlin (14:00, UTC+2)", "Europe/Berlin"),
    ],
)
def test_a_name_of_a_zone_is_taken(typed: str, zone: str) -> None:
    """In any case, with spaces, and as a completion shows it."""
    assert check_timezone(typed, SUMMER) == zone


@pytest.mark.parametrize("typed", ["Berl", "new york", "CET", "GMT+2", "Europe/Berlin (14:00, UTC+2)", ""])
def test_what_a_completion_shows_is_taken_as_what_it_means(typed: str) -> None:
    """Picked or typed, it's the same zone."""
    found = offer_time_zones(typed, SUMMER)
    assert found
    assert all(check_timezone(label, SUMMER) == check_timezone(zone, SUMMER) == zone for label, zone in found)


def test_zones_are_read_from_the_disk_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Completions look at hundreds of zones with each letter, where nothing else goes on meanwhile."""
    first = offer_time_zones("GMT+2", WINTER)
    monkeypatch.delattr(settings, "ZoneInfo")
    assert offer_time_zones("GMT+2", WINTER) == first


def test_every_abbreviation_leads_to_zones_that_there_are() -> None:
    """No guess is refused in its turn."""
    assert {zone for meant in ABBREVIATIONS.values() for zone in meant} <= time_zones()


async def test_the_answer_shows_what_time_it_is_there(world: World) -> None:
    """After an edit and in the settings; an offset is refused and offered otherwise."""
    told = said(await world.gm.slash(world.orders, "campaign edit", timezone="Asia/Tokyo"))
    assert "**Time zone:** Asia/Tokyo (21:00, UTC+9)" in told
    assert "Asia/Tokyo (21:00, UTC+9)" in said(await world.gm.slash(world.orders, "campaign show"))
    answer = refused(await world.gm.slash(world.orders, "campaign edit", timezone="GMT+2"))
    assert_says(answer, "'GMT+2' is an offset", "UTC+2")
    assert "Etc/GMT+2" not in answer
