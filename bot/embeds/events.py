"""Battles with random events as embeds: rosters, what is in force, the table, and what an entry has done to a battle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import discord

from bot.embeds import split
from bot.embeds.result import COLOURS, Shown, View
from bot.embeds.text import listing, plain, shorten, signed
from bot.request import subject_key
from bot.store.battles import CHOSEN, NEXT, Battle, Combatant, Header, InForce, Token
from rules.books.battlesystem import telling
from rules.events import Stat
from rules.tables import RollTable, TableRow

DOT = " \N{MIDDLE DOT} "
BULLET = "\N{BULLET} "
MAX_SENTENCE = 180
TITLES: Mapping[str, str] = {
    "start": "A battle begins",
    "end": "A battle is over",
    "turn": "A turn has ended",
    "add": "Units join a battle",
    "edit": "A unit is changed",
    "remove": "Units leave a battle",
    "token": "An event is ignored",
    "condition": "An event has ended",
    "cancel": "An event is cancelled",
}
SPANS: Mapping[str, str] = {
    "turn": "until the end of turn {turn} of {battle}",
    "battle": "until {battle} is over",
    "permanent": "for good",
    "until_condition": "until its condition is met",
    "until_gone": "until it or its foe is gone",
}
SHORT: Mapping[str, str] = {str(lasts): ends for lasts, ends in telling.SPANS.items()} | {
    "until_gone": "until it or its foe is gone"
}
"""The same in short, and of what does not stay in force."""

TOKENS: Mapping[str, str] = {
    CHOSEN: "may ignore one later event of its choice, with /events use",
    NEXT: "its next event is ignored by itself",
}
SCOPES: Mapping[str, str] = {
    "player": "the player",
    "enemy": "the enemy",
    "two_friendly_units": "two units of the side",
    "all_flying_both_sides": "all flyers of both sides",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A battle in a list, and how many units fight on each side."""

    header: Header
    units: Mapping[str, int]


def span(item: InForce) -> str:
    """When an event ends, in words."""
    ends = dict.fromkeys(part.lasts for part in item.parts)
    return ", ".join(SPANS[lasts].format(turn=item.turn, battle=item.battle) for lasts in ends)


def list_pages(found: Sequence[Standing], *, campaign: str) -> list[list[discord.Embed]]:
    """All battles that were ever begun."""
    lines = [_standing_line(item) for item in found] or ["None was ever begun."]
    return split.pages(split.fit("Battles", lines, colour=COLOURS["neutral"], footer=campaign))


def roster_pages(battle: Battle, *, campaign: str) -> list[list[discord.Embed]]:
    """Who stands in a battle, numbered in the order in which the units roll."""
    fighting = {item.name: place for place, item in enumerate(battle.fighting, 1)}
    lines: list[str] = []
    for side in battle.header.sides:
        mine = [item for item in battle.roster if item.side == side]
        lines += ["", f"**{plain(side)}** ({len(mine)})", *(_unit_line(item, fighting.get(item.name)) for item in mine)]
    title = f"{plain(battle.name)}: roster"
    return split.pages(split.fit(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def active_pages(battle: Battle, *, campaign: str) -> list[list[discord.Embed]]:
    """What is in force in a battle, side by side and unit by unit, and the tokens held."""
    lines: list[str] = []
    for side in battle.header.sides:
        lines += ["", f"**__{plain(side)}__**", *_side_lines(battle, side)]
    title = f"{plain(battle.name)}, turn {battle.header.turn}: in force"
    return split.pages(split.fit(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def row_line(row: TableRow) -> str:
    """One row of the table: its number, letter and cause, what it does and for how long."""
    if row.event is None:
        return f"**{_numbers(row)}**{DOT}{plain(row.text)}"
    letter = f" [{row.event.letter}]" if row.event.letter else ""
    words = [f"**{_numbers(row)}** {plain(row.event.cause)}{letter}", plain(row.text), SHORT[row.event.lasts]]
    return DOT.join(words)


def row_embed(table: RollTable, row: TableRow, *, campaign: str) -> discord.Embed:
    """One row of the table with all that is printed of it."""
    lines = [plain(row.text)]
    if row.event is not None:
        letter = table.letters[row.event.letter] if row.event.letter else None
        lines += [f"**Lasts:** {SHORT[row.event.lasts]}"]
        lines += [f"**Befalls:** {SCOPES[row.event.scope]}"] if row.event.scope in SCOPES else []
        lines += [f"**{letter.id}:** only {_kind(letter.tag)} (line {letter.line})"] if letter else []
        lines += [f"**Needs:** a {row.event.needs}"] if row.event.needs else []
        lines += [f"**Rolled along:** {row.event.die}"] if row.event.die else []
    cause = plain(row.event.cause) if row.event else "No event"
    embed = discord.Embed(title=f"{_numbers(row)}: {cause}", description="\n".join(lines), colour=COLOURS["neutral"])
    return embed.set_footer(text=f"{campaign}{DOT}{table.source.book}, {table.source.section}, line {row.line}")


def sentence(body: Mapping[str, Any]) -> str:
    """What an entry has done to a battle, in one line."""
    first, *rest = DEEDS[body["deed"]](body)
    more = f" (and {len(rest)} lines more)" if len(rest) > 1 else f": {rest[0]}" if rest else ""
    return shorten(f"{plain(body['battle'])}: {first}{more}", MAX_SENTENCE)


def entry_pages(shown: Shown, view: View) -> list[list[discord.Embed]]:
    """An entry about a battle in full; why an event was cancelled is for the staff."""
    body = shown.entry.content()
    first, *rest = DEEDS[body["deed"]](body)
    reason = shown.entry.text("reason") if view == "staff" else None
    lines = [f"**{plain(body['battle'])}:** {first}", *(f"{BULLET}{line}" for line in rest)]
    lines += [f"**Reason:** {plain(reason)}"] if reason else []
    footer = f"Entry #{shown.entry.number}{DOT}{shown.campaign}"
    return split.pages(split.fit(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=footer))


def _standing_line(item: Standing) -> str:
    header = item.header
    sides = " against ".join(f"{plain(side)} ({count})" for side, count in item.units.items())
    state = f"over since turn {header.turn}" if header.over else f"turn {header.turn}"
    return f"{BULLET}**{plain(header.name)}**{DOT}{sides}{DOT}{state}{DOT}since entry #{header.entry}"


def _unit_line(item: Combatant, place: int | None) -> str:
    number = "\N{EM DASH}" if place is None else f"{place}\\."
    return DOT.join([f"{number} **{plain(item.name)}**", *_traits(item.tags, item.spells), *_gone(place)])


def _gone(place: int | None) -> list[str]:
    return ["has left for good"] if place is None else []


def _traits(tags: Iterable[str], spells: int | None) -> list[str]:
    return [*tags, *([f"{spells} {'spell' if spells == 1 else 'spells'}"] if spells is not None else [])]


def _side_lines(battle: Battle, side: str) -> Iterator[str]:
    for token in battle.tokens:
        if token.side == side:
            yield f"\N{TICKET} {_token(token)}"
    by_unit: dict[str, list[InForce]] = {}
    for item in battle.events:
        found = battle.unit(item.name)
        if (found.side if found else item.side) == side:
            by_unit.setdefault(subject_key(item.name), []).append(item)
    for events in by_unit.values():
        yield f"**{plain(events[0].name)}**{_sums(events)}"
        yield from map(_event_line, events)
    free = [item for item in battle.fighting if item.side == side and subject_key(item.name) not in by_unit]
    if free:
        others = f"{len(free)}{' other' if by_unit else ''} {'unit' if len(free) == 1 else 'units'}"
        yield f"*Nothing on {others}.*"


def _token(token: Token) -> str:
    return f"{TOKENS[token.kind]}{DOT}since entry #{token.entry}"


def _sums(events: Iterable[InForce]) -> str:
    """The sums of what the events add to a unit's numbers; nothing where none adds anything."""
    sums: Counter[str] = Counter()
    for item in events:
        sums.update(item.changes)
    told = [f"{stat.upper()} {signed(sums[stat])}" for stat in get_args(Stat) if stat in sums]
    return f"{DOT}{', '.join(told)}" if told else ""


def _event_line(item: InForce) -> str:
    ends = ", ".join(dict.fromkeys(SHORT[part.lasts] for part in item.parts))
    return f"{BULLET}{plain(item.label)}{DOT}{ends}{DOT}turn {item.turn}, entry #{item.entry}"


def _numbers(row: TableRow) -> str:
    low, high = row.min or 1, row.max or 100
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _kind(tag: str) -> str:
    return f"units without {tag[1:]}" if tag.startswith("!") else f"{tag} units"


def _ended(body: Mapping[str, Any]) -> list[str]:
    return [f"{plain(item['name'])}: {plain(item['text'])} \N{EM DASH} ended" for item in body["ended"]]


def _started(body: Mapping[str, Any]) -> list[str]:
    return [f"{' against '.join(map(plain, body['sides']))}; turn 1 begins"]


def _over(body: Mapping[str, Any]) -> list[str]:
    lost = [f"{plain(item['name'])}: {plain(item['text'])} \N{EM DASH} stays lost" for item in body["lost"]]
    return [f"over in turn {body['turn']}", *_ended(body), *lost]


def _turned(body: Mapping[str, Any]) -> list[str]:
    missing = [f"No random events were checked for {listing([plain(side) for side in body['unchecked']])}"]
    return [
        f"turn {body['turn']} has ended, turn {body['turn'] + 1} begins",
        *(missing if body["unchecked"] else []),
        *_ended(body),
    ]


def _added(body: Mapping[str, Any]) -> list[str]:
    units = body["units"]
    return [f"{len(units)} for {plain(units[0]['side'])}", *map(_described, units)]


def _removed(body: Mapping[str, Any]) -> list[str]:
    return [f"{len(body['units'])} off the roster", *map(_described, body["units"])]


def _edited(body: Mapping[str, Any]) -> list[str]:
    return [f"{_described(body['before'])} \N{RIGHTWARDS ARROW} {_described(body['after'])}"]


def _described(item: Mapping[str, Any]) -> str:
    return DOT.join([plain(item["name"]), plain(item["side"]), *_traits(item["tags"], item["spells"])])


def _ignored(body: Mapping[str, Any]) -> list[str]:
    return [f"{plain(body['side'])} has spent its token", *_ended(body)]


def _condition(body: Mapping[str, Any]) -> list[str]:
    return [f"turn {body['turn']}", *_ended(body)]


DEEDS: Mapping[str, Callable[[Mapping[str, Any]], list[str]]] = {
    "start": _started,
    "end": _over,
    "turn": _turned,
    "add": _added,
    "edit": _edited,
    "remove": _removed,
    "token": _ignored,
    "condition": _condition,
    "cancel": _condition,
}
"""How each deed is told: what it came to, then line by line."""
