"""Rogues and victory (lines 60, 87 to 105)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from rules.books.total_war.catalog import PanelKind
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.refusal import Refused
from rules.books.total_war.scenario import Conditions
from rules.books.total_war.terms import Terms
from rules.phrases import inside
from rules.subjects import name_key

END = "end"


class Outcome(Struct, frozen=True):
    """What a captured capitol means: the war is over and who has won, or what is `next`: "waiting" for answers, or "earth".

    There a `new_map` begins if there is one. `may_promote`: the captor is a rogue faction that promotes from now on.
    """

    over: bool = False
    winner: str | None = None
    next: str | None = None
    new_map: bool = False
    may_promote: bool = False


def grunts(garrison: int, full: int) -> int:
    """Return how many basic units fill up the squadron that a founder has to beat (line 91)."""
    return max(0, full - garrison)


def left_to(terms: Terms, owner: str) -> str:
    """Return whose a panel of an owner is once a lone rogue has won there without founding a faction (AMB-33)."""
    return NEUTRAL if terms.setting("lone-rogue-win", str) == "neutral" else owner


def founds_on(terms: Terms, panel: str) -> bool:
    """Return whether a lone rogue founds a faction by winning a kind of panel (line 91)."""
    return terms.of(PanelKind, panel).stronghold


def require_colony(terms: Terms, panel: str | None, who: str = "The winner") -> None:
    """Refuse a faction that is to be founded on a kind of panel which founds none, or on none (None).

    Raises:
        Refused: E_NOT_A_COLONY.

    """
    if panel is None or not founds_on(terms, panel):
        kinds = [inside(kind.label) for name, kind in terms.book.listed(PanelKind).items() if founds_on(terms, name)]
        raise Refused(
            "E_NOT_A_COLONY",
            f"{who} can found a faction only as a lone rogue whose squadron wins a {' or '.join(kinds)}.",
        )


def require_unused(name: str, colour: str, names: Iterable[str], colours: Iterable[str]) -> None:
    """Refuse a name or colour that a faction has already (line 95).

    Raises:
        Refused: E_NAME_IN_USE or E_COLOR_IN_USE.

    """
    if name_key(name) in map(name_key, names):
        raise Refused("E_NAME_IN_USE", f"A faction is already called {name}.")
    if name_key(colour) in map(name_key, colours):
        raise Refused("E_COLOR_IN_USE", f"{colour} is another faction's colour.")


def exists(strongholds: int) -> bool:
    """Return whether a rogue faction lives on: with one colony or fortress at least (line 97)."""
    return strongholds > 0


def capitol_taken(
    rules: Conditions, capitol: str, by: str, answers: Mapping[str, str], *, earth: bool = False
) -> Outcome:
    """Return what it means that somebody has taken a faction's capitol; `earth`: there is a second scenario."""
    if by not in rules.factions:
        return Outcome(may_promote=True)
    if rules.ends.get(capitol) == by:
        return Outcome(over=True, winner=by)
    if rules.asks.get(capitol) != by:
        return Outcome()
    if {capitol, by} - answers.keys():
        return Outcome(next="waiting")
    if all(answers[side] == END for side in (capitol, by)):
        return Outcome(over=True, winner=by)
    return Outcome(next="earth", new_map=earth)
