"""Parse what people type for a roll: targets, modifiers, adjustments, counts.

What cannot be read raises BadInput with what would be right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from bot.errors import BadInput, unknown_name
from bot.rolls.request import TypedAdjustment
from bot.ui.parsing import MAX_ADJUSTMENT, MAX_CHOICE, MAX_CHOICES, MAX_COUNT, check_names, split_names
from bot.ui.parsing import text as parse_text
from rules.errors import NEAR, BadCount, nearest
from rules.procedure import Choice
from rules.stages import Tickable
from rules.subjects import name_key
from rules.typed_text import keyboard_signs

Tickables = Mapping[str, Tickable]

LIKE_TYPED = 0.75
"""How similar a word must be to a modifier to be asked about as a slip of it."""

_ADJUSTMENT = re.compile(r"(?P<sign>[+-])\s*(?P<value>\d+)\b\s*(?P<reason>.*)", re.DOTALL)
_COUNT = re.compile(r"\s*[*x\u00d7]\s*(?P<count>-?\d+)$")


def parse_targets(typed: str, choice: Choice, default: str | None, limit: int) -> tuple[tuple[str, str], ...]:
    """Parse names separated by commas, each with its own option after a colon if it differs: `Grey Ghost:neutral, Zaku column`."""
    usual = parse_option(default, choice)
    pairs = [_target(name, choice, usual) for name in split_names(typed, "target", limit)]
    check_names([name for name, _ in pairs])
    return tuple(pairs)


def is_answer(name: str, choice: Choice) -> bool:
    """Return whether the text after the last colon of a target is its own option rather than part of its name."""
    _, colon, tail = name.rpartition(":")
    wanted = tail.strip().casefold()
    spoken = wanted.isalpha() and not tail.startswith(" ")  # RX:78 and Base: Alpha are names, Ghost:angry is a slip
    return bool(colon) and (spoken or nearest(wanted, choice.options) is not None)


def parse_option(typed: str | None, choice: Choice) -> str:
    """Parse one option of a choice; its default when nothing was typed."""
    if typed is None or not typed.strip():
        return choice.options[0]
    wanted = typed.strip().casefold()
    if wanted not in choice.options:
        there = f"Pick one: {', '.join(choice.options)}."
        raise unknown_name(f"{typed!r} isn't a {choice.id}.", wanted, choice.options, there)
    return wanted


def parse_modifiers(typed: str | None, known: Tickables) -> tuple[dict[str, int], tuple[TypedAdjustment, ...]]:
    """Parse ticks and adjustments separated by commas: ids or labels, `id*2` for a count, `+2 reason` for an adjustment.

    A label may hold commas of its own.
    """
    marks: dict[str, int] = {}
    adjustments: list[TypedAdjustment] = []
    for word in _words(typed or "", known):
        plain = keyboard_signs(word)
        match = _ADJUSTMENT.fullmatch(plain)
        if match:
            adjustments.append(parse_adjustment(match["sign"] + match["value"], word[match.start("reason") :]))
            continue
        name, count = _counted(plain, known)
        if name in marks:
            raise BadInput(f"{known[name].label} is named twice.", "For a count write it once, like id*2.")
        marks[name] = count
    return marks, tuple(adjustments)


def unread_modifiers(typed: str | None, known: Tickables) -> list[tuple[str, str, str]]:
    """Return the words that are no modifier, each with what was probably meant, as it is typed and as it is called."""
    unread = []
    for word in _words(typed or "", known):
        count = _COUNT.search(word)
        name, times = (word[: count.start()], word[count.start() :]) if count else (word, "")
        if _ADJUSTMENT.fullmatch(keyboard_signs(word)) or _find(word, known) or _find(name, known):
            continue
        key = None if _ids_ending(name_key(name), known) else _nearest(name, known, LIKE_TYPED)
        if key is None:
            raise _unknown(name, known)
        unread.append((word, key + times, known[key].label))
    return unread


def parse_adjustment(value: str, reason: str, table: str | None = None, *, private: bool = False) -> TypedAdjustment:
    """Parse a game master's adjustment; `private` keeps its reason for the staff."""
    digits = keyboard_signs(value).strip()
    if not re.fullmatch(r"[+-]?\d{1,4}", digits) or not 0 < abs(int(digits)) <= MAX_ADJUSTMENT:
        raise BadInput(
            f"{value!r} isn't an adjustment.",
            f"Write a whole number from -{MAX_ADJUSTMENT} to +{MAX_ADJUSTMENT}, except 0.",
        )
    why = parse_text(reason, "reason")
    if not why:
        raise BadInput(
            f"The adjustment {value} has no reason.", f"Write it after the number: {value} sandstorm at dusk."
        )
    return TypedAdjustment(value=int(digits), reason=why, table=table, private=private)


def parse_count(typed: str, modifier: Tickable) -> int:
    """Parse a count for a modifier that is per unit."""
    cleaned = keyboard_signs(typed).strip() or "0"
    if not re.fullmatch(r"-?\d{1,6}", cleaned):
        raise BadInput(f"{typed!r} isn't a number.", f"How many times does {modifier.label!r} count?")
    return _checked(int(cleaned), modifier)


def suggest_modifiers(typed: str, known: Tickables) -> list[tuple[str, str]]:
    """Return completions of the word being typed, as (shown, value), at most 25 and 100 characters each."""
    before, comma, word = typed.rpartition(",")
    prefix = f"{before}{comma} " if comma else ""
    present = {_find(_COUNT.sub("", part), known) for part in _words(before, known)}
    wanted = name_key(word)
    suggestions = []
    for name, text in _texts(known).items():
        if name in present or not (wanted in name or wanted in name_key(text)):
            continue
        shown, value = prefix + text, f"{prefix}{name}"
        if len(value) <= MAX_CHOICE:
            suggestions.append((shown if len(shown) <= MAX_CHOICE else value, value))
    return suggestions[:MAX_CHOICES]


def read_shown(typed: str, known: Tickables) -> str:
    """Return typed modifiers with the ids of those that stand there as completions show them, with what they count."""
    shown = {_shown_key(text): name for name, text in _texts(known).items()}
    both = {**known, **{text: known[name] for text, name in shown.items()}}
    words = _words(typed.replace("\N{MINUS SIGN}", "-"), both)
    counted = [(_COUNT.sub("", word), word) for word in words]
    ids = [shown[_shown_key(text)] + word[len(text) :] if _shown_key(text) in shown else word for text, word in counted]
    return ", ".join(ids)


def _texts(known: Tickables) -> dict[str, str]:
    """Return by id how completions show modifiers: what each counts and its label, and its id where others look the same."""
    texts = {}
    for name, item in known.items():
        values = "/".join(f"{value:+d}" for value in item.values).replace("-", "\N{MINUS SIGN}")
        texts[name] = f"{values} {item.label}".strip()
    often = Counter(texts.values())
    return {name: text if often[text] == 1 else f"{text} ({name})" for name, text in texts.items()}


def _shown_key(text: str) -> str:
    return name_key(text.replace("\N{MINUS SIGN}", "-"))


def _words(typed: str, known: Tickables) -> Iterator[str]:
    """Yield the words between the commas; a comma inside a known label separates nothing."""
    pieces = [piece for piece in typed.split(",") if piece.strip()]
    most = max((item.label.count(",") for item in known.values()), default=0) + 1
    while pieces:
        runs = (",".join(pieces[:size]) for size in range(min(most, len(pieces)), 1, -1))
        word = next((run for run in runs if _find(_COUNT.sub("", run), known)), pieces[0])
        yield word.strip()
        pieces = pieces[word.count(",") + 1 :]


def _counted(word: str, known: Tickables) -> tuple[str, int]:
    key = _find(word, known)
    if key is not None:
        return key, 1
    match = _COUNT.search(word)
    name = word[: match.start()] if match else word
    key = _find(name, known)
    if key is None:
        raise _unknown(name, known)
    return key, _checked(int(match["count"][:9]) if match else 1, known[key])


def _unknown(name: str, known: Tickables) -> BadInput:
    several = " or ".join(known[key].label for key in _ids_ending(name_key(name), known))
    if several:
        return BadInput(f"{name!r} could be several modifiers.", f"Say which: {several}.")
    key = _nearest(name, known)
    hint = f"Did you mean {known[key].label}?" if key else "Suggestions appear while you type."
    return BadInput(f"I don't know the modifier {name!r}.", hint)


def _nearest(name: str, known: Tickables, likeness: float = NEAR) -> str | None:
    """Return the id of the modifier that is nearest: by its label, or by the last word of its id, behind the same role."""
    role, dot, word = name.strip().partition(".")
    labels = {} if dot else {item.label: key for key, item in known.items()}
    words = {key.rpartition(".")[2]: key for key in known if key.startswith(f"{role}.") or not dot}
    for wanted, called in ((name, labels), (word or role, words)):
        close = nearest(wanted, called, likeness=likeness)
        if close is not None:
            return called[close]
    return None


def _ids_ending(wanted: str, known: Tickables) -> list[str]:
    return [key for key in known if key.rpartition(".")[2] == wanted]


def _checked(number: int, item: Tickable) -> int:
    if number < 0:
        raise BadCount(item.label, number, per=item.per)
    if number > MAX_COUNT:
        raise BadInput(f"{item.label} can't count that often.", f"The limit is {MAX_COUNT} times.")
    return number


def _find(name: str, known: Tickables) -> str | None:
    wanted = name_key(name)
    if wanted in known:
        return wanted
    labelled = [key for key, item in known.items() if name_key(item.label) == wanted]
    alike = labelled or _ids_ending(wanted, known)
    return alike[0] if len(alike) == 1 else None


def _target(name: str, choice: Choice, usual: str) -> tuple[str, str]:
    if not is_answer(name, choice):
        return name, usual
    head, _, tail = name.rpartition(":")
    if not head.strip():
        raise BadInput("One target has no name.", f"Write it before the colon: Grey Ghost:{tail.strip()}.")
    return head.strip(), parse_option(tail, choice)
