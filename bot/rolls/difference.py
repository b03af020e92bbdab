"""What an amended roll has come to, beside what it was: outcome, names, what counted, dice."""

from __future__ import annotations

from collections.abc import Iterator

from bot.core.entry_kinds import Body, View
from bot.core.people import told
from bot.core.records import Entry
from bot.rolls.embed import dice_line, new_dice, reason_of
from bot.rolls.headline import Record, headline, outcome_line
from bot.ui.text import listing, plain
from rules.phrases import signed

ARROW = " \N{RIGHTWARDS ARROW} "
UNCHANGED = "Unchanged: "
"""What the one line begins with where nothing is different."""


def differences(old: Entry, new: Entry, view: View) -> Iterator[str]:
    """Yield in lines what is different in a roll that was amended, as far as it is for these readers; else that all is as it was.

    To the public a part is told that was public before and is so now; where something secret counted, its outcome alone.
    """
    before, after = told(old), told(new)
    changed, same = False, []
    for was, now in zip(before["parts"], after["parts"], strict=True):
        known = "results" in {old.audience, was["audience"]} and now["audience"] == "results"
        if view != "staff" and not known:
            continue
        whole = view == "staff" or not (was["secret"] or now["secret"])
        about, anew = headline(before, was), headline(after, now)
        details = [*_told(was, now), *(_counted((old, before, was), (new, after, now), view) if whole else ())]
        if (about, _outcome(was)) != (anew, _outcome(now)):
            yield f"{about}: {_outcome(was)}{ARROW}{f'{anew}: ' if anew != about else ''}**{_outcome(now)}**"
        elif details:
            yield f"{about}: still **{_outcome(now)}**"
        else:
            same.append(outcome_line(after, now, _outcome(now)))
            continue
        yield from details
        changed = True
    if same and not changed:
        yield f"{UNCHANGED}{'; '.join(same)}"


def _outcome(part: Record) -> str:
    return plain(part["outcome"]["text"]) if part["outcome"] else "not rolled"


def _told(was: Record, now: Record) -> Iterator[str]:
    """Yield who stands in a role now, and the questions that are answered otherwise."""
    for field in ("subjects", "choices"):
        for name, value in now[field].items():
            before = was[field].get(name, "no one")
            if before != value:
                yield f"\N{BULLET} {name}: {plain(before)}{ARROW}{plain(value)}"


def _counted(old: tuple[Entry, Body, Record], new: tuple[Entry, Body, Record], view: View) -> Iterator[str]:
    before, after = _weights(*old, view), _weights(*new, view)
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    for text, lines in (("Now counts", come), ("No longer counts", gone)):
        if lines:
            yield f"\N{BULLET} {text}: {listing(lines)}"
    part = new[2]
    for text, dice in (("New dice", new_dice(part)), ("Unused dice", part["unused"])):
        if dice:
            yield f"\N{BULLET} {text}: {dice_line(dice)}"


def _weights(entry: Entry, body: Body, part: Record, view: View) -> list[str]:
    """Return what counted in a part, each modifier and adjustment in a few words."""
    lines: dict[str, None] = {}
    for step in part["steps"]:
        for item in step.get("modifiers", ()):
            if item["count"]:
                lines[f"{signed(item['value'] * item['count'])} {plain(item['label'])}"] = None
        for item in step.get("adjustments", ()):
            lines[f"{signed(item['value'])} {reason_of(entry, body, item, view)}"] = None
    return list(lines)
