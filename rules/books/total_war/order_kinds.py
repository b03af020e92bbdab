"""Kinds of orders, rolls and settings, how typed words are read, and who may do what and command how much (lines 28, 47, 244)."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from rules.books.total_war.catalog import Missing, Refused, refuse_off_map
from rules.books.total_war.scenario import Rank, Scenario
from rules.books.total_war.war import Player, Rules, War, WarAction
from rules.geometry import Hex
from rules.phrases import format_count, list_known, sentence, suggestion
from rules.subjects import name_key

MOVE, FOLLOW, ROGUE, ANSWER = "move", "follow", "rogue", "answer"
FIGHTS = "fights"
ADVANCE, JOIN = "advance", "join"
SET, RULE = "set", "rule"
SEEN = "seen"
"""Where a roll keeps what each faction (id) sees in fog."""
BEATEN = "beaten"
"""Where a roll keeps the forces that have to retreat, by the panel of their battle."""
NONE_FREE = "no panel is free: a game master places it, or it is lost"
OPENING = "Battle on {}: "

NOBODY = "none"


def strip_hint(choice: str) -> str:
    """Remove the bracketed hint of a choice, such as its price."""
    return choice.partition(" (")[0].strip()


MARK = re.compile(r"\b(remove|source)\s*:([^\n;]*)", re.IGNORECASE)
"""What a ruling removes, or a source of supply: to the line's end or a semicolon."""

MOST = 1_000_000

EXAMPLES: Mapping[str, str] = {
    "owner": "{panel} {faction}, or {panel} neutral",
    "gold": "{faction} 150",
    "unit": "{force} + 2 {model}, {panel} + {model} (a garrison), - {unit}, {unit} kills 4, or {unit} pilot {pilot}",
    "force": "+ New; squadron; {faction}; {panel}; 2 {model}, {force} to {panel}, or - {force}",
    "rank": "{player} {rank}",
    "post": "{faction} leader {player}, or {faction} delegate none",
    "price": "{model} 25, unit {model} 25, or item {item} 50",
    "switch": "cooldown 2",
}


UNIT, TARGET = "unit", "target"
SIDE, FORCE = "side", "force"
BEGUN = "begun"
"""The input with the entry that began a battle."""
MANEUVER, NEXT = "maneuver", "next"


# \u2212 is the minus sign; looking up its name would slow each start.
NUMBER = re.compile(r"(?:x\s*)?([+\-\u2212]?[0-9]+)(?:\s*x)?", re.IGNORECASE)
_MOST_ORDERED = 9999
_DIGITS, _SHOWN = 6, 60
_AT_START = re.compile(rf"{NUMBER.pattern}\s+(.*)", re.IGNORECASE)
_AT_END = re.compile(rf"(.*?)\s+{NUMBER.pattern}", re.IGNORECASE)


def is_said(text: str | None) -> bool:
    """Check for any written text."""
    return text is not None and bool(text.strip())


def require_text(text: str | None, what: str) -> str:
    """Return the stripped text, or ask for it."""
    if text is None or not text.strip():
        raise Missing("E_NO_TARGET", f"Say {what}.")
    return text.strip()


Labels = Mapping[str, str] | None


def read_name(
    names: Iterable[str], text: str | None, what: str, labels: Labels = None, offered: Collection[str] | None = None
) -> str:
    """Return the name meant, by any spelling or label; a refusal lists those `offered`."""
    known = [*names]
    listed = [(labels or {}).get(name, name) for name in (known if offered is None else offered)]
    written = require_text(text, f"{what}{list_known(listed)}" if listed else what)
    found = find_name(known, written, labels) or find_name(known, strip_hint(written), labels)
    if found is None:
        near = suggestion(written, listed) or (list_known(listed) if listed else "")
        raise Refused("E_NO_TARGET", sentence(f"{written[:_SHOWN]!r} isn't {what}{near}"))
    return found


def find_name(names: Collection[str], written: str, labels: Labels = None) -> str | None:
    """Return the name written, in any case or by label."""
    if written in names:
        return written
    keys = {name_key((labels or {}).get(name, name)): name for name in names} | {name_key(name): name for name in names}
    return keys.get(name_key(written))


def parse_count(written: str, what: str) -> int:
    """Return the number written."""
    digits = written.replace("\N{MINUS SIGN}", "-")
    number = int(digits) if len(digits) <= _DIGITS else 0
    if not 1 <= number <= _MOST_ORDERED:
        raise Refused("E_NO_TARGET", f"{written[:_SHOWN]} of {what} won't work: order 1 to {_MOST_ORDERED} at once.")
    return number


def read_counted_name(
    names: Iterable[str], text: str | None, what: str, labels: Labels = None, offered: Collection[str] | None = None
) -> tuple[str, int]:
    """Read a name with a number: `gm 3`, `3 gm`, `3x gm`, or one."""
    known = [*names]
    listed = list_known((labels or {}).get(name, name) for name in (known if offered is None else offered))
    written = strip_hint(require_text(text, f"{what} and how many{listed}"))
    for match, name, number in ((_AT_START.fullmatch(written), 2, 1), (_AT_END.fullmatch(written), 1, 2)):
        if match is not None and find_name(known, written, labels) is None:
            found = read_name(known, match[name], what, labels, offered)
            return found, parse_count(match[number], (labels or {}).get(found, found))
    return read_name(known, written, what, labels, offered), 1


def parse_panel(panels: Collection[Hex], text: str) -> Hex:
    """Return the panel written."""
    try:
        found = Hex.parse(text)
    except ValueError as error:
        what = f"{text.strip()!r} isn't a panel. Write two whole numbers, such as 4,-1."
        raise Refused("E_NO_TARGET", what) from error
    if found not in panels:
        raise refuse_off_map(panels, found)
    return found


PLAYER = "player"


class OrderText(Struct, frozen=True):
    """An order as typed; without `who` it is about the giver (`actor`) or their faction."""

    kind: str
    who: str | None = None
    to: str | None = None
    besides: str | None = None
    actor: str | None = None

    def force(self, war: War) -> str:
        """Return the force in `who`."""
        return read_name(war.forces, self.who, "a force")

    def panel(self, war: War) -> Hex:
        """Return the panel in `to`."""
        return parse_panel(war.panels, require_text(self.to, "on which panel, such as 4,-1"))

    def player(self, war: War) -> str:
        """Return the player in `who`, else the giver."""
        return read_name(war.players, self.who if is_said(self.who) else self.actor, "a player")

    def faction(self, war: War) -> str:
        """Return the faction in `who`, else the giver's."""
        if is_said(self.who):
            return parse_faction(war, self.who)
        player = war.players.get(self.actor or "")
        if player is None or player.faction is None:
            known = list_known(side.name for side in war.factions.values())
            raise Refused("E_NO_TARGET", f"Say which faction{known}.")
        return player.faction


Read = Callable[[Rules, War, OrderText], WarAction]


class WarOrder(Struct, frozen=True):
    """A kind of order; `may` checks faster than `targets`, `hinted` choices have a price or number in brackets."""

    kind: str
    title: str
    role: str
    headline: str
    read: Read
    givers: Callable[[War, str], Iterable[str | None]]
    targets: Callable[[Rules, War, str], Iterable[str]] | None = None
    details: Callable[[Rules, War, str, str], Iterable[str]] | None = None
    may: Callable[[Rules, War, str], bool] | None = None
    hinted: bool = False

    def is_possible(self, rules: Rules, war: War, who: str) -> bool:
        """Check whether any such order is possible now."""
        if self.may is not None:
            return self.may(rules, war, who)
        return self.targets is not None and next(iter(self.targets(rules, war, who)), None) is not None


def parse_faction(war: War, text: str | None) -> str:
    """Return a faction's id by id or name; refuse unknown ones."""
    written = None if text is None else war.match_faction(text)
    return read_name(war.factions, written, "a faction", {name: side.name for name, side in war.factions.items()})


def leader_of(war: War, faction: str) -> tuple[str | None]:
    """Return the leader as the only giver (B1)."""
    return (war.factions[faction].leader,)


PANEL_PATTERN = r"[+\-\u2212]?[0-9]{1,4}\s*,\s*[+\-\u2212]?[0-9]{1,4}"
UNIT_PATTERN = r"[uU][0-9]{1,9}"
WHOLE = re.compile(r"-?[0-9]{1,9}")


class WarSetting(Struct, frozen=True):
    """A kind of setting: how it is read, and what is offered for a typed number."""

    read: Callable[[Rules, War, str, str], WarAction]
    offers: Callable[[Rules, War, str | None], Iterator[str]]


def refuse_unread(text: str, example: str) -> Refused:
    """Return the refusal of an unreadable setting."""
    return Refused("E_NO_TARGET", f"I can't read {text!r}. Write {example}.")


def is_nobody(text: str) -> bool:
    """Check for a word that means none."""
    return name_key(text) in {NOBODY, "nobody", "neutral"}


def read_number(text: str, example: str) -> int:
    """Read a number of any size."""
    written = text.strip().removeprefix("=").strip()
    if WHOLE.fullmatch(written) is None:
        shown = f"{text.strip()[:40]!r} isn't a number from 0 to {MOST:,}"
        raise Refused("E_NO_TARGET", f"{shown}. Write {example}.")
    return int(written)


def require_number(value: int, words: str, code: str = "E_NO_FUNDS") -> None:
    """Refuse a number out of range."""
    if not 0 <= value <= MOST:
        raise Refused(code, f"{words}: write a number from 0 to {MOST:,}.")


def read_first(names: Collection[str], text: str, what: str, example: str) -> tuple[str, str]:
    """Split a text into its first name, the longest that fits, and the rest."""
    words = text.split()
    for count in range(len(words), 0, -1):
        found = find_name(names, " ".join(words[:count]))
        if found is not None and words[count:]:
            return found, " ".join(words[count:]).removeprefix("=").strip()
    raise Refused("E_NO_TARGET", f"I can't read {text!r}. Start with {what}{list_known(names)}, as in {example}.")


def read_faction_first(war: War, text: str, example: str) -> tuple[str, str]:
    """Split a text into the id of the faction it starts with, and what follows."""
    names = {side.name: key for key, side in war.factions.items()} | {key: key for key in war.factions}
    found, rest = read_first([*names], text, "a faction", example)
    return names[found], rest


SUPREME, FLEET, SQUADRON = "supreme_commander", "fleet_commander", "squadron_commander"


def require_own(actor: str | None, commander: str | None, called: str | None = None) -> None:
    """Refuse another player's force (line 30); game masters (None) order any."""
    if actor is not None and actor != commander:
        who = called or commander or "no player"
        raise Refused("E_NOT_YOURS", f"{actor} doesn't command that force: {who} does.")


def require_self(actor: str | None, player: str) -> None:
    """Refuse orders for another player (line 87); game masters (None) may."""
    if actor not in {None, player}:
        raise Refused("E_NOT_YOURS", f"{actor} can't order that: only {player} can.")


def require_supreme(role: str, does: str) -> None:
    """Refuse all but the supreme commander (line 47)."""
    if role != SUPREME:
        raise Refused("E_NOT_COMMANDER", f"Only the supreme commander {does}.")


def require_promoter(role: str, *, rogue_faction: bool, captured: bool) -> None:
    """Refuse promotions; a rogue faction needs a captured capitol (line 99)."""
    require_supreme(role, "can promote")
    if rogue_faction and not captured:
        raise Refused("E_ROGUE_NO_PROMOTION", "A rogue faction can promote only while it owns a captured capitol.")


def require_rank(rank: Rank, units: int, squadrons: int, fleets: int, player: str | None = None) -> None:
    """Refuse more than a rank allows (lines 28, 30)."""
    whose = "" if player is None else f"{player} with "
    if units > rank.squadron_size:
        what = f"{whose}{format_count(units, 'units')}: the rank {rank.name} allows {rank.squadron_size} in a squadron."
        raise Refused("E_SQUADRON_FULL", what)
    for count, most, what in ((squadrons, rank.squadrons, "squadrons"), (fleets, rank.fleets, "fleets")):
        if count > most:
            raise Refused("E_RANK", f"{whose}{format_count(count, what)}: the rank {rank.name} allows {most}.")


def require_no_rogue(what: str, *, lone_rogue: bool, who: str = "A lone rogue") -> None:
    """Refuse what lone rogues don't get (line 89)."""
    if lone_rogue:
        raise Refused("E_ROGUE", f"{who} can't get {what}.")


def role_of(war: War, actor: str | None, faction: str) -> str:
    """Return a player's post in a faction; game masters (None) have the highest."""
    if actor is None or actor == war.factions[faction].leader:
        return SUPREME
    return FLEET if actor == unit_assigner(war, faction) else SQUADRON


def require_leader(war: War, actor: str | None, faction: str, does: str) -> None:
    """Refuse all but the leader; a game master acts for a faction without one (AMB-30)."""
    if role_of(war, actor, faction) != SUPREME:
        side = war.factions[faction]
        none = f", and {side.name} has none. A game master appoints one, or acts for it."
        what = f"Only the supreme commander {does}{f' ({side.leader}).' if side.leader else none}"
        raise Refused("E_NOT_COMMANDER", what)


def require_faction(war: War, faction: str) -> None:
    """Refuse unknown factions."""
    if faction not in war.factions:
        known = ", ".join(side.name for side in war.factions.values())
        raise Refused("E_NO_TARGET", f"{faction} isn't a faction (known: {known}).")


def player_of(war: War, name: str) -> Player:
    """Return a player of the war."""
    if name not in war.players:
        raise Refused("E_NO_TARGET", f"{name} isn't in this war.")
    return war.players[name]


def faction_of_player(war: War, player: str) -> str:
    """Return a player's faction; refuse lone rogues."""
    faction = player_of(war, player).faction
    if faction is None:
        raise Refused("E_ROGUE", f"{player} is a lone rogue.")
    return faction


def rank_named(scenario: Scenario, name: str) -> Rank:
    """Return the rank with a name."""
    found = next((rank for rank in scenario.ranks if rank.name == name), None)
    if found is None:
        raise Refused("E_RANK", f"{name} isn't a rank (known: {', '.join(rank.name for rank in scenario.ranks)}).")
    return found


def require_holding(rules: Rules, war: War, player: str) -> None:
    """Refuse more than a player's rank allows; leaders have any number of forces (line 28)."""
    person = player_of(war, player)
    rank = rank_named(rules.scenario, person.rank)
    own = [item for item in war.forces.values() if item.commander == player]
    squadrons = [item for item in own if item.kind == "squadron"]
    units = max((len(item.units) for item in squadrons), default=0)
    leads = person.faction is not None and war.factions[person.faction].leader == player
    fleets = 0 if leads else sum(item.kind == "fleet" for item in own)
    require_rank(rank, units, 0 if leads else len(squadrons), fleets, player)


def has_fleet(war: War, player: str, faction: str) -> bool:
    """Check whether a player commands a faction's fleet."""
    fleets = (item for item in war.forces.values() if item.kind == "fleet" and item.faction == faction)
    return any(item.commander == player for item in fleets)


def unit_assigner(war: War, faction: str) -> str | None:
    """Return the fleet commander who may assign new units, if any (line 244)."""
    delegate = war.factions[faction].delegate
    return delegate if delegate is not None and has_fleet(war, delegate, faction) else None
