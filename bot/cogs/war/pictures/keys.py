"""What the signs of a picture mean, for the text under it: of those that it shows."""

from collections.abc import Iterator

from bot.cogs.war.pictures.changes import Captures, Reach
from bot.cogs.war.pictures.chart import Chart
from bot.cogs.war.pictures.field import BoardFacts, UnitReach, terrain_letters
from rules.phrases import lower_first, upper_first


def explain_map(chart: Chart) -> Iterator[tuple[str, str]]:
    """Yield the map's visible signs with their meanings."""
    if chart.holders:
        yield "Letters", "owner"
    if any(lot.cut_off for lot in chart.lots):
        yield "Hatched", "cut off"
    hidden = not all(lot.seen for lot in chart.lots)
    if hidden:
        yield "Dotted", "out of sight"
    if chart.blocked:
        yield "Black", "blocked"
    if chart.layer == "income":
        yield from (("12", "gold a turn"), ("(12)", "not paid out"), *([("12+", "or more")] if hidden else []))
        return
    drawn = {token.drawn: token.kind for token in chart.tokens}
    if chart.layer == "control":
        drawn |= {lot.mark: lot.kind for lot in chart.lots if lot.mark}
        found = (
            ("+10", "bonus gold", "bonus"),
            ("factory", "facility", "facility"),
            ("shield", "garrison", "garrison"),
        )
        drawn |= {sign: meaning for sign, meaning, name in found if any(getattr(lot, name) for lot in chart.lots)}
    drawn |= {"star": "supply source"} if chart.layer == "supply" else {}
    drawn |= {"cross": "battle"} if any(lot.fight for lot in chart.lots) else {}
    yield from ((upper_first(sign), lower_first(meaning)) for sign, meaning in drawn.items())


def explain_reach(reach: Reach) -> Iterator[tuple[str, str]]:
    """Yield a reach's signs that are drawn."""
    yield "Thick edge", f"{reach.token.name} now"
    if any(at not in reach.foes for at in reach.ends):
        yield "Dot", "can move there"
    if reach.foes:
        yield "Cross in a dot", "starts a battle"
    if reach.captured:
        yield "Yellow edge", "captures" if reach.way else "can capture"
    if reach.ghosts:
        yield "White tag", "would be there"


def explain_captures(found: Captures) -> Iterator[tuple[str, str]]:
    """Yield the drawn signs of changes."""
    if found.flips:
        yield from (("Yellow edge", "captured"), ("\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}", "owner before"))
    if found.cut_off:
        yield "Dark edge, hatched", "newly cut off"
    if found.joined:
        yield "Dark edge, not hatched", "back in supply"


_MARKS = (
    ("Star", "ace and level", "ace"),
    ("Yellow rim", "hero", "hero"),
    ("Arrows", "has moved", "moved"),
    ("Cross", "has attacked", "attacked"),
    ("Number on red", "turns until it fires", "next_shot"),
)
"""Marks of units: sign, meaning, and the fact that they show."""


def explain_board(field: BoardFacts) -> Iterator[tuple[str, str]]:
    """Yield the board's visible signs with their meanings."""
    yield from (("Dark", "attacks"), ("Light", "defends"))
    kinds = {man.drawn: man.kind for man in field.men}
    yield from ((upper_first(drawn), lower_first(kind)) for drawn, kind in kinds.items())
    yield from ((sign, meaning) for sign, meaning, name in _MARKS if any(getattr(man, name) for man in field.men))
    yield from ((letters, lower_first(label)) for label, letters in terrain_letters(field).items())


def explain_aim(aim: UnitReach) -> Iterator[tuple[str, str]]:
    """Yield a unit's reach signs that are drawn."""
    drawn = (
        ("Blue square under it", "start", True),
        ("Gray square", "can move there", aim.ends),
        ("Light square", "planned path", aim.way),
        ("Red frame", "in range", aim.shot),
        ("Yellow corners", "melee", aim.melee),
        ("Crossed out", "can't hit", aim.barred),
        ("Band", "lane, with the chance to hit", aim.lanes),
    )
    yield from ((sign, meaning) for sign, meaning, some in drawn if some)
