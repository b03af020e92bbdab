"""What the settings of a campaign may be, and how they are read from what was typed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.campaign.zones import checked_timezone
from bot.core import house_files
from bot.core.campaigns import ORDERS, OTHERS, PLAYERS, STAFF, Campaign
from bot.core.library import Library
from bot.errors import BadInput, unknown_name
from rules.keyboard import keyboard_signs
from rules.names import visible
from rules.orders import OrderKind

MAX_NAME = 60
NOTHING = frozenset({"none", "nothing", "-"})
"""What can be typed for no roll at all."""

SIGNS = "+ -"
"""What stands before the name of a book that is taken away or added."""

THREADS: Mapping[str, bool] = {"threads on": True, "threads off": False}
"""What can be chosen for results that call for something to be written."""

NEW: Mapping[str, bool] = {"visible to players": False, "hidden until you reveal them": True}
"""What can be chosen for a unit or character that is newly saved."""

DEFENCE: Mapping[str, bool] = {"at once": False, "by the defender": True}
"""What can be chosen for the dodge of an attack in a fight."""

PINGED: Mapping[str, str] = {
    "nobody": "no one",
    PLAYERS: "players who are challenged, captured, cracked, freed or killed",
    STAFF: "game masters when a roll needs them",
    "all": "players and game masters",
}
"""What can be chosen for pings, in words."""


class Settings(Struct, frozen=True):
    """What a campaign is made with. Books and families come as typed, parted by commas."""

    name: str
    books: str
    timezone: str
    results_channel_id: int
    staff_channel_id: int
    game_master_role_id: int
    player_role_id: int | None


def checked(
    tx: Connection, library: Library, campaign: Campaign, changes: Mapping[str, Any], now: datetime
) -> dict[str, Any]:
    """Return changed settings by field, as a campaign keeps them."""
    return {
        field: checked_timezone(typed, now) if field == "timezone" else _checked(tx, library, campaign, field, typed)
        for field, typed in changes.items()
    }


def _checked(tx: Connection, library: Library, campaign: Campaign, field: str, typed: Any) -> Any:  # noqa: ANN401 - whatever a field takes
    match field:
        case "name":
            return checked_name(typed)
        case "books":
            return changed_books(library, campaign, typed)
        case "players_may":
            return checked_rolls(tx, library, campaign, typed)
        case "writeup_threads" | "new_are_secret" | "dodges_wait":
            return {**THREADS, **NEW, **DEFENCE}[typed]
    return typed


def checked_name(typed: str) -> str:
    """Return a campaign's name, trimmed."""
    name = visible(typed)
    if not 1 <= len(name) <= MAX_NAME:
        raise BadInput(f"A campaign's name has 1 to {MAX_NAME} characters, not {len(name)}.")
    return name


def checked_books(library: Library, typed: str) -> tuple[str, ...]:
    """Return the ids of books, typed with commas between them."""
    return _known(typed, list(library.shipped), "book")


def changed_books(library: Library, campaign: Campaign, typed: str) -> tuple[str, ...]:
    """Return a campaign's books after these were added; one with a minus before its name is taken away."""
    words = [word.strip() for word in keyboard_signs(typed).split(",") if word.strip()]
    gone = {word[1:].strip() for word in words if word[0] == "-"}
    known = dict.fromkeys((*library.shipped, *campaign.books))
    names = _known(",".join(word.lstrip(SIGNS) for word in words), known, "book")
    taken = {name.casefold() for name in gone}
    books = tuple(dict.fromkeys((*campaign.books, *names)))
    left = tuple(book for book in books if book not in taken)
    if not left:
        raise BadInput("A campaign needs at least one book.", "Add the new book in the same command.")
    return left


def checked_rolls(tx: Connection, library: Library, campaign: Campaign, typed: str) -> tuple[str, ...]:
    """Return what players may do: rolls of all books and on the campaign's own tables, edit their characters, see levels and places."""
    if typed.strip().casefold() in NOTHING:
        return ()
    procedures = [procedure for book in library.shipped.values() for procedure in book.procedures.items()]
    rolls = [family for family, procedure in procedures if procedure.policy.on_request]
    tables = [table for file in house_files.switched_on(tx, campaign.id) for table in file.tables]
    orders = [f"{ORDERS}.{kind}" for book in library.shipped.values() for kind in book.listed(OrderKind)]
    return _known(typed, [*rolls, *tables, *OTHERS, *orders], "roll")


def require_two_channels(campaign: Campaign) -> None:
    """Refuse one channel for results and staff."""
    if campaign.results_channel_id == campaign.staff_channel_id:
        raise BadInput(
            "Results and staff need different channels.",
            "Pick a staff channel that only game masters can see.",
        )


def _known(typed: str, known: Collection[str], kind: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(word.strip().casefold() for word in typed.split(",") if word.strip()))
    for name in names:
        if name not in known:
            raise unknown_name(f"I don't know the {kind} {name!r}.", name, known, f"Pick from: {', '.join(known)}.")
    if not names:
        raise BadInput(f"You didn't pick a {kind}.", f"Pick from: {', '.join(known)}.")
    return names
