"""Who did what in a roll, how it ended, and by which sources."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import discord

from bot.core.ledger import Body, View
from bot.core.records import Json, hide_name
from bot.core.seeds import OUTSIDE
from bot.rolls.fairness.outside import describe_outside
from bot.ui.text import DOT, has_words, plain
from rules.books.headlines import HEADLINES
from rules.dice import term_of

_OPTIONAL = re.compile(r"\[(.*?)\]")
"""Words that a sentence has only if their names are known."""

ROLLS = "{roller} rolls"

Record = Mapping[str, Json]


def headline(body: Body, part: Record, mark: str = "**", unknown: Collection[str] = ()) -> str:
    """Return who does what, with `mark` around names. `unknown` names are left out."""
    subjects = {role: hide_name(role) if name in unknown else name for role, name in part["subjects"].items()}
    template: str = body["headline"] if body["subject"] in subjects else body["headline_alone"]
    return fill_words(template, headline_names(subjects, part.get("inputs", {}), mark))


def headline_names(subjects: Mapping[str, str], inputs: Mapping[str, object], mark: str = "**") -> dict[str, str]:
    """Return what a headline can name: inputs by name, marked subjects by role."""
    taken = {name: plain(value) for name, value in inputs.items() if isinstance(value, str)}
    return taken | {role: f"{mark}{plain(name)}{mark}" for role, name in subjects.items()}


def fill_words(template: str, names: Mapping[str, str]) -> str:
    """Fill a headline's template with names, without spaces and colons at both ends."""
    return template.format(**names).strip(" :")


def outcome_line(  # noqa: PLR0913, PLR0917 - what happened, and how it is written
    body: Body, part: Record, text: str, mark: str = "**", unknown: Collection[str] = (), between: str = ": "
) -> str:
    """Return a part's result as a sentence that names its subjects. `text` begins with the outcome."""
    outcome = _outcome(part)
    said, follows = _sentence(body, part, mark, unknown)
    if said and text.startswith(outcome):
        more = f", {follows[0].lower()}{follows[1:]}" if follows else ""
        return f"{said}{more}{text.removeprefix(outcome)}"
    about = headline(body, part, mark, unknown)
    return text if has_words(text, about) else about if has_words(about, text) else f"{about}{between}{text}"


def title(body: Body, part: Record, view: View) -> str:
    """Return a part's title: `Ghost caught by Kilo · 21 vs 18`."""
    said, _ = _sentence(body, part, mark="")
    line = said or outcome_line(body, part, _outcome(part) or "Not rolled", mark="", between=DOT)
    numbers = _find_numbers(part) if view == "staff" or not part["secret"] else ""
    return f"{line}{DOT}{numbers}" if numbers else line


def find_left_out(body: Body, part: Record) -> str:
    """Return the rest of a title's sentence; empty if none."""
    return _sentence(body, part, mark="")[1]


def _outcome(part: Record) -> str:
    text = plain(part["outcome"]["text"]) if part["outcome"] else ""
    return text.rstrip(".") or text


def _sentence(body: Body, part: Record, mark: str, unknown: Collection[str] = ()) -> tuple[str, str]:
    outcome = _outcome(part)
    subjects = {role: hide_name(role) if name in unknown else name for role, name in part["subjects"].items()}
    names = headline_names(subjects, part.get("inputs", {}), mark) | {"title": plain(body["title"]), "outcome": outcome}
    plainly = body["headline_alone"] == ROLLS
    kind = ("house", "") if plainly else (body["book"], body["family"])
    for start, written in HEADLINES.get(kind, {}).items():
        if start and outcome != start and not outcome.startswith((f"{start}:", f"{start};", f"{start} (")):
            continue
        template, _, follows = written.partition(". ")
        lead, whole, _ = template.partition(": {outcome}")
        if whole and has_words(outcome, _fill(lead, names)):
            return outcome, ""
        said = _fill(template, names)
        return (said + outcome.removeprefix(start), follows) if start and said else (said, "")
    return "", ""


def _fill(template: str, names: Mapping[str, str]) -> str:
    """Fill a sentence. Bracketed words with a missing name go; any other missing name empties it."""
    for words in _OPTIONAL.findall(template):
        template = template.replace(f"[{words}]", words if _fill(words, names) else "")
    try:
        return template.format_map(names)
    except KeyError:
        return ""


def _find_numbers(part: Record) -> str:
    steps = [step for step in part["steps"] if "dice" not in step]
    if not steps or len({step["table"] for step in steps}) < len(steps):
        return ""
    step = steps[-1]
    if step["natural"]:
        return f"natural {join_faces(step)}"
    total, row = number(step["total"]), step["row"]
    needed = row["min"] if row["max"] is None else row["max"] + 1 if row["min"] is None else None
    match step.get("reads"):
        case "number":
            return ""
        case "reach":
            needed = step["value"]
        case "under":
            total, needed = join_faces(step), step["value"] + step["sum"]
    return total if needed is None else f"{total} vs {number(needed)}"


def join_faces(roll: Record) -> str:
    """Join faces as a sum (`3 + 4`), or as digits for d66."""
    return ("" if term_of(roll["die"]).digits else " + ").join(map(str, roll["faces"]))


def number(value: int) -> str:
    """Return a number with a true minus sign."""
    return str(value).replace("-", "\N{MINUS SIGN}")


def cite_steps(body: Body, steps: Sequence[Any]) -> Iterator[str]:
    """Yield sources by book, with section and line where there is just one."""
    sources = [step["source"] for step in steps if step["source"]]
    for book in dict.fromkeys(source["book"] for source in sources):
        mine = [source for source in sources if source["book"] == book]
        sections, lines = {source["section"] for source in mine}, {source["line"] for source in mine}
        title = body.get("cited", {}).get(book, book)  # entries made before titles were kept have none
        section = f", {sections.pop()}" if len(sections) == 1 else ""
        yield f"{title}{section}" + (f", line {lines.pop()}" if len(lines) == 1 else "")


def describe_sources(body: Body, parts: Iterable[Record]) -> list[str]:
    """Return books, house rules and outside dice of these parts."""
    cited: list[str] = []
    for part in parts:  # of several tables, the last one decides
        tables = [step for step in part["steps"] if "dice" not in step]
        cited += cite_steps(body, [*(step for step in part["steps"] if "dice" in step), *tables[-1:]])
    used = body.get("bears", body.get("house"))
    house = [f"House rules: {', '.join(used)}"] if used else []
    outside = [describe_outside(body[OUTSIDE])] if OUTSIDE in body else []
    return [*dict.fromkeys(cited), *house, *outside]


def describe_outside_failure(body: Body) -> list[str]:
    """Return why random.org's answer is missing, if it was asked."""
    return [describe_outside(body[OUTSIDE])] if body.get(OUTSIDE, {}).get("lacking") else []


def say_once(page: Sequence[discord.Embed], once: Collection[str]) -> None:
    """Remove words from all footers of a message but the first that has them."""
    for words in once:
        for embed in [embed for embed in page if words in (embed.footer.text or "").split(DOT)][1:]:
            embed.set_footer(text=(embed.footer.text or "").replace(f"{DOT}{words}", "", 1))
