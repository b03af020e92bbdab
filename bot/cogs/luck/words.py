"""What counts of faces come to, in words: they say all that the picture shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.cogs.luck.counting import MOST, Count
from rules.fairness import LEAST, Fit, fit

KINDS = 3
"""How many kinds of dice are shown with their faces; of others there is a line."""

CERTAIN, RARE = 0.995, 0.01
COUNTED = (
    "-# Counted: every die of a roll that you may see, once, where it fell; also the weather's, and of rolls that were taken back. "
    "Not counted: faces typed by hand, and dice that you may not see."
)
MANY = "-# Whoever looks at twenty such counts finds one, by chance, that comes up in 5 of 100."


def lines(found: Count) -> Iterator[str]:
    """Yield what was counted and how it fits, by kind of die, and what that means."""
    kinds = found.kinds()
    thrown = sum(sum(counts) for _, counts in kinds)
    yield f"{thrown:,} {'die' if thrown == 1 else 'dice'} of {found.rolls:,} roll{'s' if found.rolls != 1 else ''}."
    if found.cut:
        yield f"Only the newest {MOST:,} rolls are read: `weeks` picks a shorter time."
    for sides, counts in kinds[:KINDS]:
        yield ""
        yield f"**d{sides}**, thrown {_times(sum(counts))}: mean {mean(counts):.2f}, expected {(sides + 1) / 2:g}"
        yield ", ".join(_faces(counts))
        yield meaning(fit(counts), sum(counts), sides)
    if kinds[KINDS:]:
        yield ""
        yield f"Also thrown: {', '.join(f'd{sides} {_times(sum(counts))}' for sides, counts in kinds[KINDS:])}."
    yield ""
    if found.typed:
        yield f"{found.typed:,} face{' was' if found.typed == 1 else 's were'} typed by hand and not counted."
    yield MANY
    yield COUNTED


def mean(counts: Sequence[int]) -> float:
    """Return the mean face; there is one at least."""
    return sum(face * seen for face, seen in enumerate(counts, 1)) / sum(counts)


def meaning(found: Fit | None, thrown: int, sides: int) -> str:
    """Return what a chi-square means, in one plain sentence, and a warning where there are few throws."""
    if found is None:
        needed = -(-LEAST * sides // (sides // 2))  # for two groups of faces
        return f"Too few throws to say anything: of a d{sides}, {needed} at least are needed."
    several = "" if found.freedom == 1 else f" of {found.freedom} degrees of freedom"
    told = f"Such a spread, or a wider one, comes up by chance {_often(found.chance)} (chi-square {found.statistic:.1f}{several})."
    if found.grouped == 1:
        return told
    few = f"Few throws: each face is expected {thrown / sides:.1f} times, so {found.grouped} neighbouring faces count together."
    return f"{told} {few}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _often(chance: float) -> str:
    if chance > CERTAIN:
        return "in nearly all campaigns"
    if chance >= RARE:
        return f"in {round(100 * chance)} of 100 campaigns"
    if chance >= RARE / 100:
        return f"in {round(10_000 * chance)} of 10,000 campaigns"
    return "in fewer than 1 of 10,000 campaigns"


def _faces(counts: Sequence[int]) -> Iterator[str]:
    """Yield how often each face fell; of many faces, those that share a bar together."""
    size = -(-len(counts) // 20)
    for start in range(0, len(counts), size):
        last = min(start + size, len(counts))
        yield f"{start + 1 if last == start + 1 else f'{start + 1}-{last}'}: {sum(counts[start:last])}"
