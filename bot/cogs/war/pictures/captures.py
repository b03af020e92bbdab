"""What has changed hands between two states of a war, and what has been cut off by it: as plain facts, in words and on the map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from bot.cogs.war.pictures.chart import Chart
from bot.cogs.war.pictures.words import holder_words, places
from rules.geometry.hexes import Hex


class Flip(Struct, frozen=True):
    """A panel that has changed hands: whose it was and whose it is (None: neutral), with what the maps of then and now call them.

    `letters` are those of whose it was. `lost` is the facility that stood there.
    """

    at: Hex
    was: str
    now: str
    letters: str
    lost: str | None


class Captures(Struct, frozen=True):
    """What has changed: panels by whose they were and are, and those that are newly cut off, or joined again, by their owners."""

    flips: tuple[Flip, ...]
    cut_off: Mapping[str, tuple[Hex, ...]]
    joined: Mapping[str, tuple[Hex, ...]]

    @property
    def panels(self) -> list[Hex]:
        """All panels of which anything has changed."""
        supply = [at for found in (self.cut_off, self.joined) for panels in found.values() for at in panels]
        return [*(flip.at for flip in self.flips), *supply]


NOBODY: Final = "neutral"
_NO_LETTERS: Final = "-"


def captures_of(before: Chart, after: Chart) -> Captures:
    """Return what has changed between two maps of one war."""
    then = {lot.at: lot for lot in before.lots}
    pairs = [(then[lot.at], lot) for lot in after.lots if lot.at in then]
    flips = tuple(
        Flip(
            now.at,
            _owner(before, was.owner),
            _owner(after, now.owner),
            before.letters(was.owner) or _NO_LETTERS,
            was.facility if now.facility is None and now.seen else None,
        )
        for was, now in pairs
        if was.owner != now.owner
    )
    cut = [now for was, now in pairs if now.cut_off and not (was.cut_off and was.owner == now.owner)]
    joined = [now for was, now in pairs if was.cut_off and was.owner == now.owner and not now.cut_off]
    return Captures(
        flips,
        _by_owner((_owner(after, lot.owner), lot.at) for lot in cut),
        _by_owner((_owner(after, lot.owner), lot.at) for lot in joined),
    )


def captures_words(after: Chart, found: Captures) -> list[str]:
    """Return what has changed, line by line."""
    lines = [f"Map of {after.title}, turn {after.turn}: panels captured."]
    by_owners: dict[tuple[str, str], list[Hex]] = {}
    for flip in found.flips:
        by_owners.setdefault((flip.now, flip.was), []).append(flip.at)
    lines += [_taken(now, was, panels) for (now, was), panels in by_owners.items()]
    lines += [f"Lost on {flip.at}: {flip.lost}." for flip in found.flips if flip.lost]
    lines += [f"Newly cut off ({name}): {places(panels)}." for name, panels in found.cut_off.items()]
    lines += [f"Back in supply ({name}): {places(panels)}." for name, panels in found.joined.items()]
    lines += [] if lines[1:] else ["No panel was captured."]
    return [
        *lines,
        *(f"{holder.name} ({holder.letters}): {holder_words(holder)}." for holder in after.holders.values()),
    ]


def _taken(now: str, was: str, panels: list[Hex]) -> str:
    if now == NOBODY:
        return f"{was} lost (now neutral): {places(panels)}."
    return f"{now} took ({was} before): {places(panels)}."


def _owner(chart: Chart, owner: str | None) -> str:
    return chart.holders[owner].name if owner is not None and owner in chart.holders else NOBODY


def _by_owner(pairs: Iterator[tuple[str, Hex]]) -> dict[str, tuple[Hex, ...]]:
    found: dict[str, tuple[Hex, ...]] = {}
    for name, at in pairs:
        found[name] = (*found.get(name, ()), at)
    return found
