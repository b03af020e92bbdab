"""Time zones as people type them: by name, by city, by an offset or an abbreviation, and what time it is there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from bot.errors import BadInput, unknown_name
from rules.keyboard import keyboard_signs

_EAST, _WEST = ("America/New_York", "America/Panama"), ("America/Los_Angeles",)
_CENTRAL, _MOUNTAIN = ("America/Chicago", "America/Costa_Rica"), ("America/Denver", "America/Phoenix")
_BERLIN, _ATHENS, _LISBON = ("Europe/Berlin", "Europe/Paris"), ("Europe/Athens", "Europe/Kyiv"), ("Europe/Lisbon",)
ABBREVIATIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ET", "EST", "EDT", "EST5EDT"), _EAST),
    **dict.fromkeys(("CT", "CDT", "CST6CDT"), _CENTRAL),
    "CST": (*_CENTRAL, "Asia/Shanghai"),
    **dict.fromkeys(("MT", "MST", "MDT", "MST7MDT"), _MOUNTAIN),
    **dict.fromkeys(("PT", "PST", "PDT", "PST8PDT"), _WEST),
    **dict.fromkeys(("AKST", "AKDT"), ("America/Anchorage",)),
    "HST": ("Pacific/Honolulu",),
    **dict.fromkeys(("AST", "ADT"), ("America/Halifax", "America/Puerto_Rico", "Asia/Riyadh")),
    **dict.fromkeys(("NST", "NDT"), ("America/St_Johns",)),
    "BRT": ("America/Sao_Paulo",),
    "ART": ("America/Argentina/Buenos_Aires",),
    "BST": ("Europe/London", "Asia/Dhaka"),
    "IST": ("Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"),
    **dict.fromkeys(("WET", "WEST"), _LISBON),
    **dict.fromkeys(("CET", "CEST", "MET", "MEST", "MEZ", "MESZ"), _BERLIN),
    **dict.fromkeys(("EET", "EEST"), _ATHENS),
    "MSK": ("Europe/Moscow",),
    "SAST": ("Africa/Johannesburg",),
    "WAT": ("Africa/Lagos",),
    "CAT": ("Africa/Maputo",),
    "EAT": ("Africa/Nairobi",),
    "PKT": ("Asia/Karachi",),
    "SGT": ("Asia/Singapore",),
    "HKT": ("Asia/Hong_Kong",),
    **dict.fromkeys(("PHT", "PHST"), ("Asia/Manila",)),
    "WIB": ("Asia/Jakarta",),
    "JST": ("Asia/Tokyo",),
    "KST": ("Asia/Seoul",),
    "AWST": ("Australia/Perth",),
    **dict.fromkeys(("ACST", "ACDT"), ("Australia/Adelaide", "Australia/Darwin")),
    **dict.fromkeys(("AEST", "AEDT"), ("Australia/Sydney", "Australia/Brisbane")),
    **dict.fromkeys(("NZST", "NZDT", "NZ"), ("Pacific/Auckland",)),
}
"""Zones that an abbreviation may stand for. Some are names of zones too, such as EST, which never has summer time."""

_COMMON = tuple(dict.fromkeys(zone for zones in ABBREVIATIONS.values() for zone in zones))
_OFFSET = re.compile(r"(?:UTC|GMT|Z)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?:\s*h)?", re.IGNORECASE)
_LIKELY = "Write it like Europe/Berlin, America/New_York or UTC."
_MOST = 3
"""Zones that a refusal names."""


@cache
def time_zones() -> frozenset[str]:
    """Return the names of all time zones; they are read from the disk, once."""
    return frozenset(available_timezones())


def known_timezone(name: str) -> str:
    """Return a time zone by its name."""
    zones = time_zones()
    folded = name.replace(" ", "_").casefold()
    zone = name if name in zones else next((zone for zone in zones if zone.casefold() == folded), None)
    if zone is None:
        places = [zone for zone in zones if "/" in zone and not zone.startswith("Etc/")]
        raise unknown_name(f"I don't know the time zone {name!r}.", name, [*places, "UTC"], _LIKELY)
    return ZoneInfo(zone).key


def checked_timezone(typed: str, now: datetime) -> str:
    """Return the time zone that somebody typed or picked."""
    name = keyboard_signs(typed).partition(" (")[0].strip()
    if (offset := _offset(name)) is not None:
        meant = meant_by_offset(offset, now)
        do = f"Pick the zone of your city, such as {_named(meant, now)}." if meant else _LIKELY
        raise BadInput(f"{typed.strip()!r} is an offset. A time zone also knows summer time.", do)
    if zones := ABBREVIATIONS.get(name.upper()):
        raise BadInput(f"{typed.strip()!r} may mean several time zones.", f"Did you mean {_named(zones, now)}?")
    return known_timezone(name)


def offered(typed: str, now: datetime) -> list[tuple[str, str]]:
    """Return the zones that fit what is typed so far, each as shown, with its time, and as it is called."""
    name = keyboard_signs(typed).strip()
    offset, short = _offset(name), ABBREVIATIONS.get(name.upper(), ())
    if offset is not None:
        zones: Sequence[str] = meant_by_offset(offset, now)
    else:
        wanted = name.partition(" (")[0].replace(" ", "_").casefold()
        others = (zone for zone in sorted(time_zones()) if wanted in zone.casefold())
        zones = [
            *dict.fromkeys((*short, *(zone for zone in others if zone not in ABBREVIATIONS and _offset(zone) is None)))
        ]
    return [(with_time(zone, now), zone) for zone in zones]


def meant_by_offset(offset: timedelta, now: datetime) -> list[str]:
    """Return the zones that are this far from UTC now: large cities first, last the one that has no summer time."""
    cities = (zone for zone in sorted(time_zones()) if "/" in zone and not zone.startswith("Etc/"))
    fixed = f"Etc/GMT{-int(offset / timedelta(hours=1)):+d}"
    every = [*dict.fromkeys(("UTC", *_COMMON, *cities)), *([fixed] if fixed in time_zones() else [])]
    return [zone for zone in every if now.astimezone(_zone(zone)).utcoffset() == offset]


def with_time(zone: str, now: datetime) -> str:
    """Return a zone with the time there now and its offset: `Europe/Berlin (14:05, UTC+2)`."""
    there = now.astimezone(_zone(zone))
    minutes = int((there.utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    offset = f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "") if minutes else ""
    return f"{zone} ({there:%H:%M}, UTC{offset})"


@cache
def _zone(name: str) -> ZoneInfo:
    """Return a zone; each is read from the disk once, as completions look at all of them with each letter."""
    return ZoneInfo(name)


def _named(zones: Sequence[str], now: datetime) -> str:
    return " or ".join(with_time(zone, now) for zone in zones[:_MOST])


def _offset(typed: str) -> timedelta | None:
    found = _OFFSET.fullmatch(typed)
    if found is None:
        return None
    size = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return -size if found[1] == "-" else size
