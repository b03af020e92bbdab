"""A strategy map in words: the facts that its picture shows, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bot.cogs.war.pictures.chart import Chart, Holder, Layer, Lot, Token
from rules.geometry.hexes import Hex
from rules.phrases import counted, inside

TITLES: Final[dict[Layer, str]] = {
    "control": "owners",
    "supply": "supply",
    "income": "income",
    "forces": "forces",
}
"""What each view of the map shows."""


def title_of(chart: Chart) -> str:
    """Return the title of a map, with who has won the war once it is over."""
    over = "" if chart.winner is None else f", won by {chart.winner}"
    return f"{chart.title}{over}, turn {chart.turn}: {TITLES[chart.layer]}"


def map_words(chart: Chart) -> list[str]:
    """Return a map line by line: factions with their land, then what its view shows."""
    lines = [f"Map of {title_of(chart)}."]
    for holder in chart.holders.values():
        own = [lot for lot in chart.lots if lot.owner == holder.id]
        lines.append(f"{holder.name} ({holder.letters}): {holder_words(holder)}. {_land(own)}")
    rest = [lot.at for lot in chart.lots if lot.owner not in chart.holders]
    lines += [f"Neutral: {places(rest)}."] if rest else []
    lines += [f"Blocked: {places(chart.blocked)}."] if chart.blocked else []
    hidden = [lot.at for lot in chart.lots if not lot.seen]
    lines += [f"Out of sight: {places(hidden)}."] if hidden else []
    return [*lines, *_VIEWS[chart.layer](chart)]


def short_words(chart: Chart) -> list[str]:
    """Return a map in fewer words: factions without lists of their land, then what its view shows."""
    lines = [f"Map of {title_of(chart)}."]
    lines += [f"{holder.name} ({holder.letters}): {holder_words(holder)}." for holder in chart.holders.values()]
    cut = [lot.at for lot in chart.lots if lot.cut_off]
    lines += [f"Cut off: {places(cut)}."] if cut else []
    hidden = sum(not lot.seen for lot in chart.lots)
    lines += [f"Out of sight: {counted(hidden, 'panels')}."] if hidden else []
    return [*lines, *_VIEWS[chart.layer](chart)]


def holder_words(holder: Holder) -> str:
    """Return the gold and the land of a faction."""
    land = counted(holder.panels, "panels") + (f", {holder.cut_off} cut off" if holder.cut_off else "")
    if holder.gold is None:
        return f"gold not known, {land}"
    return f"{holder.gold} gold, {holder.income} a turn, {land}"


def places(panels: Iterable[Hex]) -> str:
    """Return panels by their coordinates."""
    return "; ".join(map(str, panels)) or "none"


def force_words(chart: Chart, token: Token) -> str:
    """Return a force: its number, name, kind, faction, panel and units."""
    units = f", {counted(token.units, 'units')}" if token.units else ""
    return f"{token.number}: {token.name}, {token.kind.lower()} of {chart.name(token.faction)}, on {token.at}{units}."


def fights(chart: Chart) -> Iterator[str]:
    """Yield the battles that are on."""
    for lot in chart.lots:
        if lot.fight is not None:
            attacker, defender = map(chart.name, lot.fight)
            yield f"Battle on {lot.at}: {attacker} attacks, {defender} defends."


def _land(own: Sequence[Lot]) -> str:
    joined, cut = ([lot.at for lot in own if lot.cut_off == cut_off] for cut_off in (False, True))
    return f"Panels: {places(joined)}." + (f" Cut off: {places(cut)}." if cut else "")


def _control(chart: Chart) -> Iterator[str]:
    for lot in chart.lots:
        about = [*_about(lot)]
        if about:
            yield f"{lot.at}, {chart.name(lot.owner) if lot.owner else 'neutral'}: {', '.join(about)}."
    yield from _forces(chart)


def _about(lot: Lot) -> Iterator[str]:
    if lot.mark:
        yield inside(lot.kind)
    if lot.bonus:
        yield f"+{lot.bonus} gold"
    if lot.facility:
        yield lot.facility
    if lot.garrison:
        yield f"garrison of {counted(lot.garrison, 'units')}"


def _supply(chart: Chart) -> Iterator[str]:
    begins = [lot.at for lot in chart.lots if lot.fed]
    yield f"Supply comes from {places(begins)}."
    if not any(lot.cut_off for lot in chart.lots):
        yield "Everything is in supply."
    yield from _forces(chart)


def _income(chart: Chart) -> Iterator[str]:
    for holder in chart.holders.values():
        yield f"{holder.name} gets {_paid(lot for lot in chart.lots if lot.owner == holder.id and not lot.cut_off)}."
    rest = [lot for lot in chart.lots if lot.owner is None or lot.cut_off]
    if rest:
        yield f"Not paid out: {_paid(rest)}."


def _paid(lots: Iterable[Lot]) -> str:
    """Return panels by the gold that they pay, the most first."""
    by_gold: dict[tuple[int, bool], list[Hex]] = {}
    for lot in lots:
        by_gold.setdefault((lot.pays, lot.seen), []).append(lot.at)
    each = (
        f"{gold}{'' if seen else ' or more'} on {places(by_gold[gold, seen])}"
        for gold, seen in sorted(by_gold, reverse=True)
    )
    return ", and ".join(each) or "nothing"


def _forces(chart: Chart) -> Iterator[str]:
    shown = {lot.at for lot in chart.lots}
    yield from (force_words(chart, token) for token in chart.tokens if token.at in shown)
    yield from fights(chart)


_VIEWS: Final = {"control": _control, "supply": _supply, "income": _income, "forces": _forces}
