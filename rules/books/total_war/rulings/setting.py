"""What a kind of setting is, and how the words are read in which game masters write one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from msgspec import Struct

from rules.books.total_war.order_kinds import MOST, NOBODY
from rules.books.total_war.terms import Refused
from rules.books.total_war.typed_names import named, parse_panel
from rules.books.total_war.war import Rules, War, WarAction
from rules.geometry import Hex
from rules.phrases import known_list
from rules.subjects import name_key

PANEL = r"[+\-\u2212]?[0-9]{1,4}\s*,\s*[+\-\u2212]?[0-9]{1,4}"
UNIT = r"[uU][0-9]{1,9}"
WHOLE = re.compile(r"-?[0-9]{1,9}")


class Setting(Struct, frozen=True):
    """A kind of setting: how it is read, with an example for refusals, and what is offered, with a number that is typed."""

    read: Callable[[Rules, War, str, str], WarAction]
    offers: Callable[[Rules, War, str | None], Iterator[str]]


def unread(text: str, example: str) -> Refused:
    """Return the refusal of a text that is no setting, with an example of one."""
    return Refused("E_NO_TARGET", f"I can't read {text!r}. Write {example}.")


def is_nobody(text: str) -> bool:
    """Return whether a text means no player, pilot, panel or faction."""
    return name_key(text) in {NOBODY, "nobody", "neutral"}


def read_number(text: str, example: str) -> int:
    """Return the number that is written, of any size."""
    written = text.strip().removeprefix("=").strip()
    if WHOLE.fullmatch(written) is None:
        shown = f"{text.strip()[:40]!r} isn't a number from 0 to {MOST:,}"
        raise Refused("E_NO_TARGET", f"{shown}. Write {example}.")
    return int(written)


def require_number(value: int, words: str, code: str = "E_NO_FUNDS") -> None:
    """Refuse a number that is not kept, in `words` that say whose and of what it is."""
    if not 0 <= value <= MOST:
        raise Refused(code, f"{words}: write a number from 0 to {MOST:,}.")


def read_first(names: Collection[str], text: str, what: str, example: str) -> tuple[str, str]:
    """Return the name that a text begins with, the longest there is, and what follows it, a sign of equality left out."""
    words = text.split()
    for count in range(len(words), 0, -1):
        found = named(names, " ".join(words[:count]))
        if found is not None and words[count:]:
            return found, " ".join(words[count:]).removeprefix("=").strip()
    raise Refused("E_NO_TARGET", f"I can't read {text!r}. Start with {what}{known_list(names)}, as in {example}.")


def read_faction_first(war: War, text: str, example: str) -> tuple[str, str]:
    """Return the faction that a text begins with, by its id or its name, and what follows."""
    names = {side.name: key for key, side in war.factions.items()} | {key: key for key in war.factions}
    found, rest = read_first([*names], text, "a faction", example)
    return names[found], rest


def read_panel_first(war: War, text: str, example: str) -> tuple[Hex, str]:
    """Return the panel that a text begins with, and what follows."""
    found = re.fullmatch(rf"({PANEL})[\s=]+(.+)", text)
    if found is None:
        raise unread(text, example)
    return parse_panel(war.panels, found[1]), found[2].strip()
