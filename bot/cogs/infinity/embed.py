"""The exact odds of Infinity CodeOne, as bars and percent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import discord

from bot.ui.colours import COLOURS
from bot.ui.text import bar, plain
from rules.books.infinity.skill import Side
from rules.checks import check_odds, contest_odds
from rules.phrases import percent


def normal_odds_embed(side: Side) -> discord.Embed:
    """Return the odds of a Normal Roll; of several dice the best one counts."""
    odds = check_odds(side.check, side.burst)
    succeeds = odds.critical + odds.plain_success
    lines = [
        *map(plain, side.lines()),
        "",
        _chance("Critical success", odds.critical, odds.of),
        _chance("Success without a critical", odds.plain_success, odds.of),
        _chance("Automatic failure" if side.check.auto_fail else "Failure", odds.failure, odds.of),
        "",
        f"Any success: {_counted(succeeds, odds.of)}",
    ]
    return _embed("Odds of a Normal Roll", lines)


def contest_odds_embed(mine: Side, theirs: Side) -> discord.Embed:
    """Return the odds of a Face to Face Roll."""
    odds = contest_odds(mine.check, mine.burst, theirs.check, theirs.burst)
    lines = [
        *_side_lines("Your side", mine),
        *_side_lines("The other side", theirs),
        "",
        _chance("Your side wins", odds.a_wins, odds.of),
        _chance("The other side wins", odds.b_wins, odds.of),
        _chance("No winner", odds.none, odds.of),
    ]
    return _embed("Odds of a Face to Face Roll", lines)


def _embed(title: str, lines: list[str]) -> discord.Embed:
    return discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])


def _side_lines(name: str, side: Side) -> Iterator[str]:
    yield f"**{name}**"
    yield from map(plain, side.lines())


def _chance(label: str, count: int, of: int) -> str:
    return f"`{bar(Fraction(count, of))}` {_counted(count, of)} {label}"


def _counted(count: int, of: int) -> str:
    return f"**{percent(Fraction(count, of))}**"
