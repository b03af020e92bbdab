"""Dice and roll tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rules.dice import Dice
from rules.expression import Expression, RepeatResult
from rules.modifiers import Modifier
from rules.odds import table_odds
from rules.phrases import span
from rules.tables import RollTable, TableRow


def roll_text(text: str, dice: Dice) -> dict[str, Any]:
    """Return faces, totals, range and mean of an expression, as JSON."""
    expression = Expression.parse(text)
    low, high = expression.span
    mean = expression.mean
    return {
        "expression": expression.text,
        "label": expression.label,
        "rolls": [_record_fall(fall) for fall in expression.roll(dice)],
        "range": {"min": low, "max": high},
        "mean": None if mean is None else {"exact": str(mean), "about": round(float(mean), 4)},
        "explosions_per_die": expression.explosions,
    }


def _record_fall(fall: RepeatResult) -> dict[str, object]:
    pools = [
        {
            "dice": str(pool_roll.pool),
            "fell": [{"faces": die.faces, "kept": die.kept} for die in pool_roll.dice],
            "total": pool_roll.total,
        }
        for pool_roll in fall.pool_rolls
    ]
    return {"total": fall.total, "pools": pools}


def show_table(table: RollTable) -> str:
    """Return a table with odds, and modifiers by group."""
    return "\n".join(_list_lines(table))


def _list_lines(table: RollTable) -> Iterator[str]:
    yield f"{table.title} ({table.id})"
    yield f"{table.dice_text}, {table.source.book}: {table.source.section}"
    chances = {name: f"{round(float(100 * chance), 2):g}%" for name, chance in table_odds(table, 0).items()}
    yield from _list_block_lines(
        "Rows, with the odds of the plain die",
        (
            (span(row.min, row.max), chances[row.outcome], row.outcome, row.text, _does(row), _at(row.line))
            for row in table.rows
        ),
    )
    yield from _list_block_lines(
        "Faces that decide by themselves",
        ((str(natural.face), natural.outcome, _at(natural.line)) for natural in table.naturals),
    )
    yield from _list_block_lines(
        "Read otherwise",
        (
            (reading.id, ", ".join(f"{old} as {new}" for old, new in reading.rows.items()), _at(reading.line))
            for reading in table.readings.values()
        ),
    )
    yield from _list_block_lines(
        "Numbers", ((str(item.value), item.id, item.label, _at(item.line)) for item in table.numbers.values())
    )
    for group in dict.fromkeys(modifier.group for modifier in table.modifiers):
        members = (modifier for modifier in table.modifiers if modifier.group == group)
        yield from _list_block_lines(f"Modifiers: {group}", map(_modifier, members))


def _does(row: TableRow) -> str:
    consequences = ((item.do, item.to, item.amount, item.turns and f"for {item.turns} turns") for item in row.then)
    return ", ".join(" ".join(str(word) for word in words if word is not None) for words in consequences)


def _modifier(modifier: Modifier) -> tuple[str, ...]:
    kind = f"one of {modifier.one_of}" if modifier.one_of else ""
    per = f"per {modifier.per}" if modifier.per else f"times {modifier.times}" if modifier.times else ""
    return f"{modifier.value:+d}", modifier.id, modifier.label, " ".join(filter(None, (kind, per))), _at(modifier.line)


def _list_block_lines(title: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    cells = list(rows)
    if not cells:
        return
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield ""
    yield title
    for row in cells:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width).rstrip()


def _at(line: int) -> str:
    return f"line {line}"
