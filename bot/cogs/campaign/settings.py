"""Read and check a campaign's settings and time zone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import ORDERS, OTHERS, PLAYERS, STAFF, Campaign
from bot.core.errors import BadInput, unknown_name
from bot.core.library import Library, list_active_files, read_texts
from rules import subjects, typed_text
from rules.book import HOUSE, HOUSE_TITLE
from rules.errors import BookError
from rules.orders import OrderKind

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
"""Some are also names of zones, such as EST, which never has summer time."""

_COMMON = tuple(dict.fromkeys(zone for zones in ABBREVIATIONS.values() for zone in zones))
_OFFSET = re.compile(r"(?:UTC|GMT|Z)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?(?:\s*h)?", re.IGNORECASE)
_LIKELY = "Write it like Europe/Berlin, America/New_York or UTC."
_MOST = 3


@cache
def time_zones() -> frozenset[str]:
    """Return all zone names, read from disk once."""
    return frozenset(available_timezones())


def find_timezone(name: str) -> str:
    """Return a time zone's exact name from one in any case, or refuse."""
    zones = time_zones()
    folded = name.replace(" ", "_").casefold()
    zone = name if name in zones else next((zone for zone in zones if zone.casefold() == folded), None)
    if zone is None:
        places = [zone for zone in zones if "/" in zone and not zone.startswith("Etc/")]
        raise unknown_name(f"I don't know the time zone {name!r}.", name, [*places, "UTC"], _LIKELY)
    return ZoneInfo(zone).key


def check_timezone(typed: str, now: datetime) -> str:
    """Read a typed time zone; refuse offsets and abbreviations."""
    name = typed_text.keyboard_signs(typed).partition(" (")[0].strip()
    if (offset := _offset(name)) is not None:
        meant = _find_zones_of_offset(offset, now)
        do = f"Pick the zone of your city, such as {_list_zones(meant, now)}." if meant else _LIKELY
        raise BadInput(f"{typed.strip()!r} is an offset. A time zone also knows summer time.", do)
    if zones := ABBREVIATIONS.get(name.upper()):
        raise BadInput(f"{typed.strip()!r} may mean several time zones.", f"Did you mean {_list_zones(zones, now)}?")
    return find_timezone(name)


def offer_time_zones(typed: str, now: datetime) -> list[tuple[str, str]]:
    """Return matching time zones as pairs: label with local time, then name."""
    name = typed_text.keyboard_signs(typed).strip()
    offset, short = _offset(name), ABBREVIATIONS.get(name.upper(), ())
    if offset is not None:
        zones: Sequence[str] = _find_zones_of_offset(offset, now)
    else:
        wanted = name.partition(" (")[0].replace(" ", "_").casefold()
        others = (zone for zone in sorted(time_zones()) if wanted in zone.casefold())
        zones = [
            *dict.fromkeys((*short, *(zone for zone in others if zone not in ABBREVIATIONS and _offset(zone) is None)))
        ]
    return [(with_time(zone, now), zone) for zone in zones]


def _find_zones_of_offset(offset: timedelta, now: datetime) -> list[str]:
    cities = (zone for zone in sorted(time_zones()) if "/" in zone and not zone.startswith("Etc/"))
    fixed = f"Etc/GMT{-int(offset / timedelta(hours=1)):+d}"
    every = [*dict.fromkeys(("UTC", *_COMMON, *cities)), *([fixed] if fixed in time_zones() else [])]
    return [zone for zone in every if now.astimezone(_zone(zone)).utcoffset() == offset]


def with_time(zone: str, now: datetime) -> str:
    """Add the local time and offset: `Europe/Berlin (14:05, UTC+2)`."""
    there = now.astimezone(_zone(zone))
    minutes = int((there.utcoffset() or timedelta()) / timedelta(minutes=1))
    hours, rest = divmod(abs(minutes), 60)
    offset = f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "") if minutes else ""
    return f"{zone} ({there:%H:%M}, UTC{offset})"


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _list_zones(zones: Sequence[str], now: datetime) -> str:
    return " or ".join(with_time(zone, now) for zone in zones[:_MOST])


def _offset(typed: str) -> timedelta | None:
    found = _OFFSET.fullmatch(typed)
    if found is None:
        return None
    size = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return -size if found[1] == "-" else size


MAX_NAME = 60
NOTHING = frozenset({"none", "nothing", "-"})

SIGNS = "+ -"
THREADS: Mapping[str, bool] = {"threads on": True, "threads off": False}

NEW: Mapping[str, bool] = {"visible to players": False, "hidden until you reveal them": True}

DEFENCE: Mapping[str, bool] = {"at once": False, "by the defender": True}

PINGED: Mapping[str, str] = {
    "nobody": "no one",
    PLAYERS: "players when they have to act, and about their orders and characters",
    STAFF: "game masters when a roll needs them",
    "all": "players and game masters",
}


class CampaignSettings(Struct, frozen=True):
    """A new campaign's settings: books and `players_may` as typed, 0 for a channel or role that is to be made."""

    name: str
    books: str
    timezone: str
    results_channel_id: int
    staff_channel_id: int
    game_master_role_id: int
    player_role_id: int | None
    players_may: str = "none"


def check_settings(
    tx: Connection, library: Library, campaign: Campaign, changes: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Return changed settings as a campaign stores them."""
    checked = dict(changes)
    for field, typed in changes.items():
        match field:
            case "timezone":
                checked[field] = check_timezone(typed, now)
            case "name":
                checked[field] = check_name(typed)
            case "books":
                checked[field] = read_books(library, campaign.books, typed)
                _require_game_off(tx, library, campaign, checked[field])
            case "players_may":
                checked[field] = read_players_may(tx, library, campaign, typed, campaign.players_may)
            case "writeup_threads" | "new_are_secret" | "dodges_wait":
                checked[field] = {**THREADS, **NEW, **DEFENCE}[typed]
    return checked


def check_name(typed: str) -> str:
    """Return a campaign's name, trimmed."""
    name = subjects.strip_unseen(typed)
    if not 1 <= len(name) <= MAX_NAME:
        raise BadInput(f"A campaign's name has 1 to {MAX_NAME} characters, not {len(name)}.")
    return name


def read_books(library: Library, on: Sequence[str], typed: str) -> tuple[str, ...]:
    """Return the books (ids) after a typed change; refuse none."""
    books = _change_list(typed, on, library.shipped, "book")
    if not books:
        raise BadInput("A campaign needs at least one book.", "Add the new book in the same command.")
    return books


def _require_game_off(tx: Connection, library: Library, campaign: Campaign, books: Sequence[str]) -> None:
    if HOUSE not in campaign.books or HOUSE in books:
        return
    files = [file for file in list_active_files(tx, campaign.id) if file.extends == HOUSE]
    with suppress(BookError):
        game = library.with_files(campaign, HOUSE, files, partial(read_texts, tx, campaign.id))
        if files and game.title != HOUSE_TITLE:
            what = f"{game.title} is a game of this campaign's own rules."
            raise BadInput(what, "Remove its file first: /table show has the button.")


def read_players_may(
    tx: Connection, library: Library, campaign: Campaign | None, typed: str, on: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return what players may do after a typed change (None: new campaign)."""
    procedures = [procedure for book in library.shipped.values() for procedure in book.procedures.items()]
    rolls = [family for family, procedure in procedures if procedure.policy.on_request]
    files = () if campaign is None else list_active_files(tx, campaign.id)
    tables = [table for file in files for table in file.tables]
    played = library.list_known_books(tx, campaign) if campaign else ()
    orders = [
        f"{ORDERS}.{kind}" for book in (*library.shipped.values(), *played) for kind in book.entries_of(OrderKind)
    ]
    return _change_list(typed, on, (*tables, *OTHERS, *rolls, *orders), "roll")


def require_two_channels(campaign: Campaign) -> None:
    """Refuse one channel for results and staff."""
    if campaign.results_channel_id == campaign.staff_channel_id:
        raise BadInput(
            "Results and staff need different channels.", "Pick a staff channel that only game masters can see."
        )


def _change_list(typed: str, on: Sequence[str], known: Iterable[str], kind: str) -> tuple[str, ...]:
    every = dict.fromkeys((*known, *on))
    words = [word.strip().casefold() for word in typed_text.keyboard_signs(typed).split(",")]
    cleared = not NOTHING.isdisjoint(words)
    names = {word: word.lstrip(SIGNS) for word in words if word and word not in NOTHING}
    for name in names.values():
        if name not in every:
            raise unknown_name(f"I don't know the {kind} {name!r}.", name, every, f"Pick from: {', '.join(every)}.")
    if not (names or cleared):
        raise BadInput(f"You didn't pick a {kind}.", f"Pick from: {', '.join(every)}.")
    gone = {name for word, name in names.items() if word[0] == "-"}
    return tuple(name for name in dict.fromkeys((*(() if cleared else on), *names.values())) if name not in gone)
