"""Flights and calls for aid: what refuses them, and what their parts carry (lines 135 to 153)."""

from collections.abc import Iterable

from rules.book import Book
from rules.books.roe.catalog import ACTOR, ClosedChannel, Comlink, Option, find_rule
from rules.books.roe.contests import BY_WINNER, make_contest
from rules.errors import RollError
from rules.modifiers import Facts
from rules.stages import contest_method
from rules.subjects import word_id

STRIKE = "strike"
"""Input: the interrupter's attack, as `rules.books.roe.aim.AttackInputs`."""
BESIDE, CHANNEL, RECIPIENTS = "beside-others", "channel", "recipients"
"""Inputs: whether allies of another race fight on, the channel called, and how many are called."""
COMLINK, COMLINK_M = "comlink", "comlink-m"
"""Inputs of a call over a public comlink, which no one can interrupt: whom it summons, and its distance in metres."""
STOPPED = "stopped"
"""Whether a hit stopped the part, in its record."""
_BESIDE_OTHERS = "flee-beside-non-splicers"


def check_flight(book: Book, facts: Facts, attempts: int, *, whole_turn: bool, non_splicers: bool) -> None:
    """Refuse a flight that can't be tried; `attempts` were made before (lines 41 and 135)."""
    most = book.number("flee-attempts")
    if not 0 <= attempts < most:
        raise RollError(f"Each character can try to flee {most} times per combat.")
    if not whole_turn:
        raise RollError("Fleeing takes the whole turn: movement and at least one Action.")
    if non_splicers and find_rule(book.entries_of(Option), facts, ACTOR, _BESIDE_OTHERS) is False:
        raise RollError("This racial option doesn't allow fleeing while allied non-splicers are fighting.")


def is_beside_others(book: Book, own: str | None, allies: Iterable[str | None]) -> bool:
    """Return whether any ally has another race; unknown races don't count."""
    races = {entry.label: entry.race for entry in book.entries_of(Option).values()}
    others = {races[label] for label in allies if label in races}
    return bool(others - {races.get(own or "")})


def check_call(book: Book, *, com_destroyed: bool, recipients: int, channel: str | None) -> None:
    """Refuse a call that reaches no one, or too many (lines 143 and 153)."""
    closed = {
        name.casefold() for entry in book.entries_of(ClosedChannel).values() for name in (entry.label, *entry.also)
    }
    if com_destroyed:
        raise RollError("The com is destroyed for the rest of the combat.")
    if channel is not None and channel.strip().casefold() in closed:
        raise RollError(f"{channel} isn't an emergency line. Call a person or another group channel.")
    if recipients < 1:
        raise RollError("A call reaches one person or one group channel. Name a target, or a channel as value.")
    if channel is None and recipients > book.number("call-recipients"):
        raise RollError("One call reaches one person or one group channel.")


def check_comlink(book: Book, distance_m: float) -> None:
    """Refuse a public comlink that is too far from the caller (line 151)."""
    most = book.number("comlink-m")
    if not 0 <= distance_m <= most:
        raise RollError(f"A public comlink works within {most} m, not from {distance_m:g} m.")


def find_comlink(book: Book, typed: str) -> Comlink:
    """Return the public comlink with a typed name (line 151)."""
    comlinks = book.entries_of(Comlink).values()
    for entry in comlinks:
        if word_id(typed) in {word_id(name) for name in (entry.label, *entry.also)}:
            return entry
    known = "; ".join(f"{entry.label} (in {entry.place})" for entry in comlinks)
    raise RollError(f"Public comlinks can only call: {known}.")


FLEE = contest_method("roe.flee", ("roe.flee", "roe.interrupt"), BY_WINNER)
CALL = contest_method("roe.call", ("roe.call", "roe.interrupt.call"), BY_WINNER)
PROCEDURES = (
    make_contest("Flee", "{actor} flees from {resister}", FLEE, "roe.flee"),
    make_contest("Call for aid", "{actor} calls for aid", CALL, "roe.call"),
)
