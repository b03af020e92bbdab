"""What counts of faces come to, in words: they say all that the picture shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.cogs.luck.counting import MOST, Count
from rules.fairness import LEAST, Fit, fit

KINDS = 3
"""How many kinds of dice are shown with their faces; of others there is a line."""

CERTAIN, UNUSUAL, RARE = 0.995, 0.05, 0.01
COUNTED = "-# Counts every die that you can see, including weather and undone rolls. Leaves out dice typed by hand."
MANY = "-# With 20 counts like this, one looks unusual by pure chance."


def lines(found: Count) -> Iterator[str]:
    """Yield what was counted and how it fits, by kind of die, and what that means."""
    kinds = found.kinds()
    thrown = sum(sum(counts) for _, counts in kinds)
    yield f"{thrown:,} {'die' if thrown == 1 else 'dice'} of {found.rolls:,} roll{'s' if found.rolls != 1 else ''}."
    if found.cut:
        yield f"Only the newest {MOST:,} rolls count. Use `weeks` for a shorter time."
    for sides, counts in kinds[:KINDS]:
        yield ""
        yield f"**d{sides}**, rolled {_times(sum(counts))}: mean {mean(counts):.2f}, expected {(sides + 1) / 2:g}"
        yield ", ".join(_faces(counts))
        yield meaning(fit(counts), sides)
    if kinds[KINDS:]:
        yield ""
        yield f"Also rolled: {', '.join(f'd{sides} {_times(sum(counts))}' for sides, counts in kinds[KINDS:])}."
    yield ""
    if found.typed:
        yield f"{found.typed:,} face{' was' if found.typed == 1 else 's were'} typed by hand and not counted."
    yield MANY
    yield COUNTED


def mean(counts: Sequence[int]) -> float:
    """Return the mean face; there is one at least."""
    return sum(face * seen for face, seen in enumerate(counts, 1)) / sum(counts)


def meaning(found: Fit | None, sides: int) -> str:
    """Return what a chi-square means in one sentence, with a warning after few rolls."""
    if found is None:
        needed = -(-LEAST * sides // (sides // 2))  # for two groups of faces
        return f"Too few rolls to judge: a d{sides} needs at least {needed}."
    several = "" if found.freedom == 1 else f", {found.freedom} degrees of freedom"
    verdict = (
        f"Unusual: only {_share(found.chance)}" if found.chance < UNUSUAL else f"Looks normal: {_share(found.chance)}"
    )
    said = f"{verdict} fair campaigns are at least this uneven (chi-square {found.statistic:.1f}{several})."
    return said if found.grouped == 1 else f"{said} Few rolls: {found.grouped} neighbouring faces count together."


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _share(chance: float) -> str:
    if chance > CERTAIN:
        return "nearly all"
    if chance >= RARE:
        return f"{round(100 * chance)}% of"
    return f"{100 * chance:.2f}% of" if chance >= RARE / 100 else "less than 0.01% of"


def _faces(counts: Sequence[int]) -> Iterator[str]:
    """Yield how often each face fell; of many faces, those that share a bar together."""
    size = -(-len(counts) // 20)
    for start in range(0, len(counts), size):
        last = min(start + size, len(counts))
        yield f"{start + 1 if last == start + 1 else f'{start + 1}-{last}'}: {sum(counts[start:last])}"
