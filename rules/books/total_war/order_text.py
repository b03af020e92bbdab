"""What people type about a war: names, numbers and panels; what a kind of order and a kind of setting are."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from rules.books.total_war.order_kinds import MOST, NOBODY, strip_hint
from rules.books.total_war.terms import Missing, Refused, refuse_off_map
from rules.books.total_war.war import Rules, War, WarAction, faction_named
from rules.geometry import Hex
from rules.phrases import known_list, sentence, suggestion
from rules.subjects import name_key

# \u2212 is the minus sign, by its number: its name would be looked up at each start.
NUMBER = re.compile(r"(?:x\s*)?([+\-\u2212]?[0-9]+)(?:\s*x)?", re.IGNORECASE)
MOST_ORDERED = 9999
"""The most of anything that is ordered at once."""
_DIGITS, _SHOWN = 6, 60
_AT_START, _AT_END = (
    re.compile(rf"{NUMBER.pattern}\s+(.*)", re.IGNORECASE),
    re.compile(rf"(.*?)\s+{NUMBER.pattern}", re.IGNORECASE),
)


def is_said(text: str | None) -> bool:
    """Return whether anything is written."""
    return text is not None and bool(text.strip())


def require_text(text: str | None, what: str) -> str:
    """Return what is written."""
    if text is None or not text.strip():
        raise Missing("E_NO_TARGET", f"Say {what}.")
    return text.strip()


def read_name(
    names: Iterable[str],
    text: str | None,
    what: str,
    labels: Mapping[str, str] | None = None,
    offered: Collection[str] | None = None,
) -> str:
    """Return the name that is meant, however it is spelt in small letters and capitals; an item also goes by its label. Where it is none, those `offered` are told."""
    known = [*names]
    told = [(labels or {}).get(name, name) for name in (known if offered is None else offered)]
    written = require_text(text, f"{what}{known_list(told)}" if told else what)
    found = find_name(known, written, labels) or find_name(known, strip_hint(written), labels)
    if found is None:
        near = suggestion(written, told) or (known_list(told) if told else "")
        raise Refused("E_NO_TARGET", sentence(f"{written[:_SHOWN]!r} isn't {what}{near}"))
    return found


def find_name(names: Collection[str], written: str, labels: Mapping[str, str] | None = None) -> str | None:
    """Return the name that is written, in small letters or capitals, or by its label; None where there is none."""
    if written in names:
        return written
    keys = {name_key((labels or {}).get(name, name)): name for name in names} | {name_key(name): name for name in names}
    return keys.get(name_key(written))


def parse_count(written: str, what: str) -> int:
    """Return how many of something are written."""
    digits = written.replace("\N{MINUS SIGN}", "-")
    number = int(digits) if len(digits) <= _DIGITS else 0
    if not 1 <= number <= MOST_ORDERED:
        raise Refused("E_NO_TARGET", f"{written[:_SHOWN]} of {what} won't work: order 1 to {MOST_ORDERED} at once.")
    return number


def read_counted_name(
    names: Iterable[str],
    text: str | None,
    what: str,
    labels: Mapping[str, str] | None = None,
    offered: Collection[str] | None = None,
) -> tuple[str, int]:
    """Return the name that is meant and how many: `gm 3`, `3 gm`, `3x gm`, or one; where it is none of the names, those `offered` are told."""
    known = [*names]
    told = known_list((labels or {}).get(name, name) for name in (known if offered is None else offered))
    written = strip_hint(require_text(text, f"{what} and how many{told}"))
    before, behind = _AT_START.fullmatch(written), _AT_END.fullmatch(written)
    if find_name(known, written, labels) is None and before is not None:
        return _so_many(read_name(known, before[2], what, labels, offered), before[1], labels)
    if find_name(known, written, labels) is None and behind is not None:
        return _so_many(read_name(known, behind[1], what, labels, offered), behind[2], labels)
    return read_name(known, written, what, labels, offered), 1


def _so_many(name: str, number: str, labels: Mapping[str, str] | None) -> tuple[str, int]:
    return name, parse_count(number, (labels or {}).get(name, name))


def parse_panel(panels: Collection[Hex], text: str) -> Hex:
    """Return the panel that is written, one of the map."""
    try:
        found = Hex.parse(text)
    except ValueError as error:
        raise Refused(
            "E_NO_TARGET", f"{text.strip()!r} isn't a panel. Write two whole numbers, such as 4,-1."
        ) from error
    if found not in panels:
        raise refuse_off_map(panels, found)
    return found


PLAYER = "player"
"""The role of players who order something about themselves."""


class OrderText(Struct, frozen=True):
    """An order as typed: its kind, who carries it out, to and with what, and who gives it (None for a game master).

    Whoever is not named is the giver, or the giver's faction.
    """

    kind: str
    who: str | None = None
    to: str | None = None
    besides: str | None = None
    actor: str | None = None

    def force(self, war: War) -> str:
        """Return the force that carries it out."""
        return read_name(war.forces, self.who, "a force")

    def panel(self, war: War) -> Hex:
        """Return the panel that it is about."""
        return parse_panel(war.panels, require_text(self.to, "on which panel, such as 4,-1"))

    def player(self, war: War) -> str:
        """Return the player that carries it out: the one named, else the giver."""
        return read_name(war.players, self.who if is_said(self.who) else self.actor, "a player")

    def faction(self, war: War) -> str:
        """Return the faction that orders: the one named, else that of the giver."""
        if is_said(self.who):
            return parse_faction(war, self.who)
        player = war.players.get(self.actor or "")
        if player is None or player.faction is None:
            known = known_list(side.name for side in war.factions.values())
            raise Refused("E_NO_TARGET", f"Say which faction{known}.")
        return player.faction


class WarOrder(Struct, frozen=True):
    """A kind of order: how its roll is called and in which `role` somebody carries it out, how it is read, and who may give it.

    `targets` are what it can be given to now, `details` what else is said of it; `may` finds out faster whether it is possible
    at all, or has nothing to list.
    """

    kind: str
    title: str
    role: str
    headline: str
    read: Callable[[Rules, War, OrderText], WarAction]
    givers: Callable[[War, str], Iterable[str | None]]
    targets: Callable[[Rules, War, str], Iterable[str]] | None = None
    details: Callable[[Rules, War, str, str], Iterable[str]] | None = None
    may: Callable[[Rules, War, str], bool] | None = None

    def is_possible(self, rules: Rules, war: War, who: str) -> bool:
        """Return whether a force, a faction or a player can carry it out in any way now."""
        if self.may is not None:
            return self.may(rules, war, who)
        return self.targets is not None and next(iter(self.targets(rules, war, who)), None) is not None


def parse_faction(war: War, text: str | None) -> str:
    """Return the faction that is meant, by its id or its name."""
    written = None if text is None else faction_named(war, text)
    return read_name(war.factions, written, "a faction", {name: side.name for name, side in war.factions.items()})


def leader_of(war: War, faction: str) -> tuple[str | None]:
    """Return who leads a faction, as who gives its orders (B1)."""
    return (war.factions[faction].leader,)


PANEL = r"[+\-\u2212]?[0-9]{1,4}\s*,\s*[+\-\u2212]?[0-9]{1,4}"
UNIT = r"[uU][0-9]{1,9}"
WHOLE = re.compile(r"-?[0-9]{1,9}")


class WarSetting(Struct, frozen=True):
    """A kind of setting: how it is read, with an example for refusals, and what is offered, with a number that is typed."""

    read: Callable[[Rules, War, str, str], WarAction]
    offers: Callable[[Rules, War, str | None], Iterator[str]]


def refuse_unread(text: str, example: str) -> Refused:
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
        found = find_name(names, " ".join(words[:count]))
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
        raise refuse_unread(text, example)
    return parse_panel(war.panels, found[1]), found[2].strip()
