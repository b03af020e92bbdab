"""Battles with random events as embeds: rosters, what is in force, the table, and what an entry has done to a battle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import Any, TypeVar, get_args

import discord
from msgspec import Struct

from bot.cogs.battles.bodies import EditBody, EndBody, EndedBody, RosterBody, StartBody, TurnBody, UnitBody
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, listing, plain, shorten
from rules.books.battlesystem import report
from rules.books.battlesystem.durations import event_ends
from rules.books.battlesystem.state import Battle, Combatant, EventLine, HeldToken, InForce, Loss
from rules.events import CHOSEN, NEXT, Stat
from rules.phrases import signed
from rules.scenes import Header
from rules.tables import RollTable, TableRow

Item = TypeVar("Item")
BULLET = "\N{BULLET} "
MAX_SENTENCE = 180
TITLES: Mapping[str, str] = {
    "start": "Battle started",
    "end": "Battle over",
    "turn": "Turn ended",
    "add": "Units added",
    "edit": "Unit changed",
    "remove": "Units removed",
    "token": "Event ignored",
    "condition": "Event ended",
    "cancel": "Event cancelled",
}
SHORT: Mapping[str, str] = {str(lasts): ends for lasts, ends in report.SPANS.items()} | {
    "until_gone": "until it or its enemy is gone"
}
"""The same in short, and of what does not stay in force."""

TOKENS: Mapping[str, str] = {
    CHOSEN: "can ignore one later event",
    NEXT: "ignores its next event",
}
DIRECTION = "-# Direction: 1 is straight ahead, then clockwise, unless you agree otherwise."
SCOPES: Mapping[str, str] = {
    "player": "the player",
    "enemy": "the enemy",
    "two_friendly_units": "two units of the side",
    "all_flying_both_sides": "all flyers of both sides",
}


class BattleSummary(Struct, frozen=True):
    """A battle in a list, and how many units fight on each side."""

    header: Header
    units: Mapping[str, int]


def span(item: InForce) -> str:
    """Return when an event ends, in words."""
    return str(event_ends(item.value()))


def list_pages(battles: Sequence[BattleSummary], *, campaign: str) -> Pages:
    """Return all battles that were ever begun, as messages."""
    lines = [_summary_line(item) for item in battles] or ["No battles yet."]
    return paging.pages(paging.fit("Battles", lines, colour=COLOURS["neutral"], footer=campaign))


def roster_pages(battle: Battle, *, campaign: str) -> Pages:
    """Return who stands in a battle, numbered in the order in which the units roll."""
    fighting = {item.name: place for place, item in enumerate(battle.fighting, 1)}
    lines: list[str] = []
    for side in battle.header.sides:
        mine = [item for item in battle.roster if item.side == side]
        lines += ["", f"**{plain(side)}** ({len(mine)})", *(_unit_line(item, fighting.get(item.name)) for item in mine)]
    title = f"{plain(battle.name)}: roster"
    return paging.pages(paging.fit(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def active_pages(battle: Battle, *, campaign: str, commands: bool) -> Pages:
    """Return what is in force in a battle, side by side, what has been lost so far, and the tokens held.

    Events on several units come first, then the others unit by unit. `commands`: whether the reader may use tokens.
    """
    lines: list[str] = []
    for side in battle.header.sides:
        lines += ["", f"**__{plain(side)}__**", *_side_lines(battle, side, commands=commands)]
    title = f"{plain(battle.name)}, turn {battle.header.turn}: in force"
    return paging.pages(paging.fit(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def row_line(row: TableRow) -> str:
    """Return one row of the table in a line: its number, letter and cause, what it does and for how long."""
    if row.event is None:
        return f"**{_numbers(row)}**{DOT}{plain(row.text)}"
    letter = f" [{row.event.letter}]" if row.event.letter else ""
    words = [f"**{_numbers(row)}** {plain(row.event.cause)}{letter}", plain(row.text)]
    return DOT.join(words if report.tells_end(row.text) else [*words, SHORT[row.event.lasts]])


def letter_lines(table: RollTable) -> list[str]:
    """Return what the letters behind the causes mean; no line where there are none."""
    told = [f"[{item.id}] only {_kind(item.tag)}" for item in table.letters.values()]
    return [f"-# {DOT.join(told)}"] if told else []


def row_embed(table: RollTable, row: TableRow, *, campaign: str) -> discord.Embed:
    """Return one row of the table with all that is printed of it."""
    lines = [plain(row.text)]
    if row.event is not None:
        letter = table.letters[row.event.letter] if row.event.letter else None
        lines += [f"**Lasts:** {SHORT[row.event.lasts]}"]
        lines += [f"**Applies to:** {SCOPES[row.event.scope]}"] if row.event.scope in SCOPES else []
        lines += [f"**{letter.id}:** only {_kind(letter.tag)} (line {letter.line})"] if letter else []
        lines += [f"**Needs:** a {row.event.needs}"] if row.event.needs else []
        lines += [f"**Also roll:** {row.event.die}"] if row.event.die else []
        lines += [DIRECTION] if row.event.die and "direction" in row.text else []
    cause = plain(row.event.cause) if row.event else "No event"
    embed = discord.Embed(title=f"{_numbers(row)}: {cause}", description="\n".join(lines), colour=COLOURS["neutral"])
    page = f"{row.source.book}, {row.source.section}" if row.source else table.title
    return embed.set_footer(text=f"{campaign}{DOT}{page}, line {row.line}")


def sentence(body: Body, _view: View) -> str:
    """Return what an entry has done to a battle, in one line."""
    first, *rest = CHANGES[body["deed"]](body)
    more = f" (and {len(rest)} lines more)" if len(rest) > 1 else f": {rest[0]}" if rest else ""
    return shorten(f"{plain(body['battle'])}: {first}{more}", MAX_SENTENCE)


def entry_pages(shown: EntryView, view: View) -> Pages:
    """Return an entry about a battle in full; why an event was cancelled is for the staff."""
    body = shown.entry.content()
    first, *rest = CHANGES[body["deed"]](body)
    reason = shown.entry.text("reason") if view == "staff" else None
    lines = [f"**{plain(body['battle'])}:** {first}", *(f"{BULLET}{line}" for line in rest)]
    lines += [f"**Reason:** {plain(reason)}"] if reason else []
    return paging.pages(paging.fit(TITLES[body["deed"]], lines, colour=COLOURS["success"], footer=entry_footer(shown)))


def _summary_line(item: BattleSummary) -> str:
    header = item.header
    sides = " against ".join(
        plain(side) if header.over else f"{plain(side)} ({count})" for side, count in item.units.items()
    )
    state = f"over since turn {header.turn}" if header.over else f"turn {header.turn}"
    return f"{BULLET}**{plain(header.name)}**{DOT}{sides}{DOT}{state}{DOT}since entry #{header.entry}"


def _unit_line(item: Combatant, place: int | None) -> str:
    number = "\N{EM DASH}" if place is None else f"{place}\\."
    return DOT.join([f"{number} **{plain(item.name)}**", *_traits(item.tags, item.spells), *_gone(place)])


def _gone(place: int | None) -> list[str]:
    return ["gone for good"] if place is None else []


def _traits(tags: Iterable[str], spells: int | None) -> list[str]:
    return [*tags, *([_spells(spells)] if spells is not None else [])]


def _spells(count: int) -> str:
    return f"{count} {'spell' if count == 1 else 'spells'}"


def _side_lines(battle: Battle, side: str, *, commands: bool) -> Iterator[str]:
    """The tokens, events on several units, then each unit's own as one block under its name, and what is lost."""
    for token in battle.tokens:
        if token.side == side:
            yield f"\N{TICKET} {_token(token, commands=commands)}"
    mine = [item for item in battle.events if battle.side_of(item) == side]
    by_event, by_unit = _gathered(mine, attrgetter("came")), _gathered(mine, attrgetter("id"))
    shared = {came: events for came, events in by_event.items() if len(events) > 1}
    for events in shared.values():
        yield f"{_event_line(battle, events[0])}{DOT}on {_names(events)}"
    for events in by_unit.values():
        own = [_event_line(battle, item) for item in events if item.came not in shared]
        if own or any(item.changes for item in events):
            yield "\n".join([f"**{plain(events[0].name)}**{_sums(events)}", *own])
    free = [item for item in battle.fighting if item.side == side and item.id not in by_unit]
    if free:
        others = f"{len(free)}{' other' if by_unit else ''} {'unit' if len(free) == 1 else 'units'}"
        yield f"*Nothing on {others}.*"
    losses = [item for item in battle.losses if battle.side_of(item) == side]
    if losses:
        yield "\n".join(["**Lost so far**", *map(_loss_line, losses)])


def _loss_line(item: Loss) -> str:
    return f"{BULLET}{plain(item.name)}: {plain(item.label)}{DOT}turn {item.turn}, entry #{item.entry}"


def _gathered(items: Iterable[Item], key: Callable[[Item], Hashable]) -> dict[Hashable, list[Item]]:
    """Return the items under what they share, both in their order."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _names(events: Iterable[InForce]) -> str:
    return ", ".join(plain(item.name) for item in events)


def _token(token: HeldToken, *, commands: bool) -> str:
    how = (", with /events use" if commands else ": ask a game master") if token.kind == CHOSEN else ""
    return f"{TOKENS[token.kind]}{how}{DOT}since entry #{token.entry}"


def _sums(events: Iterable[InForce]) -> str:
    """Return the sums of what the events add to a unit's numbers; nothing where none adds anything."""
    sums: Counter[Stat] = Counter()
    for item in events:
        sums.update(item.changes)
    parts = [f"{stat.upper()} {signed(sums[stat])}" for stat in get_args(Stat) if stat in sums]
    return f"{DOT}{', '.join(parts)}" if parts else ""


def _event_line(battle: Battle, item: InForce) -> str:
    foe, later = battle.combatant(item.foe or 0), battle.overruled_by(item)
    ends = dict.fromkeys(SHORT[part.lasts] for part in item.parts if not report.tells_end(part.text))
    return DOT.join(
        [
            f"{BULLET}{plain(item.label)}",
            *([f"against {plain(foe.name)}"] if foe and item.lasts("until_gone") else []),
            *([", ".join(ends)] if ends else []),
            *([f"replaced by {plain(later.title)}"] if later else []),
            f"turn {item.turn}, entry #{item.entry}",
        ]
    )


def _numbers(row: TableRow) -> str:
    low, high = row.min or 1, row.max or 100
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _kind(tag: str) -> str:
    return f"units without {tag[1:]}" if tag.startswith("!") else f"{tag} units"


def ended_lines(lines: Iterable[EventLine], how: str = "ended") -> list[str]:
    """Return what has ended, each in one line: the same on several units is told once."""
    return [_ending(items, how) for items in _gathered(lines, _alike).values()]


def _ending(items: Sequence[EventLine], how: str) -> str:
    names, text = ", ".join(plain(item["name"]) for item in items), plain(items[0]["text"])
    done = ", ".join([how, *_again(items[0])])
    if len(items) > 1:
        return f"{text} \N{EM DASH} {done}: {names}"
    return f"{names}: {text} \N{EM DASH} {done}"


def _alike(item: EventLine) -> Hashable:
    return (item["text"], *_again(item))


def _staying(lines: Iterable[EventLine]) -> list[str]:
    """Return what stays in force, all in one line."""
    alike = _gathered(lines, itemgetter("text"))
    parts = [
        f"{plain(str(text))} on {', '.join(plain(item['name']) for item in items)}" for text, items in alike.items()
    ]
    return [f"Still in force: {'; '.join(parts)}"] if parts else []


def _again(item: EventLine) -> list[str]:
    return [f"{_spells(item['spells'])} again"] if "spells" in item else []


def _started(body: StartBody) -> list[str]:
    return [f"{' against '.join(map(plain, body['sides']))}; turn 1 starts"]


def _over(body: EndBody) -> list[str]:
    lost = [f"{plain(item['name'])}: {plain(item['text'])} \N{EM DASH} stays lost" for item in body["lost"]]
    return [f"over in turn {body['turn']}", *ended_lines(body["ended"]), *lost]


def _turned(body: TurnBody) -> list[str]:
    missing = [f"Random events not checked for {listing([plain(side) for side in body['unchecked']])}"]
    return [
        f"turn {body['turn']} ended, turn {body['turn'] + 1} starts",
        *(missing if body["unchecked"] else []),
        *ended_lines(body["ended"]),
        *_staying(body.get("stays", ())),
    ]


def _added(body: RosterBody) -> list[str]:
    units = body["units"]
    return [f"{len(units)} for {plain(units[0]['side'])}", *map(_described, units)]


def _removed(body: RosterBody) -> list[str]:
    return [
        f"{len(body['units'])} removed",
        *map(_described, body["units"]),
        *ended_lines(body.get("ended", ())),
    ]


def _edited(body: EditBody) -> list[str]:
    if "foe" in body:
        return [f"{plain(body['after']['name'])} has a grudge against {plain(body['foe'])}"]
    return [f"{_described(body['before'])} \N{RIGHTWARDS ARROW} {_described(body['after'])}"]


def _described(item: UnitBody) -> str:
    return DOT.join([plain(item["name"]), plain(item["side"]), *_traits(item["tags"], item["spells"])])


def _ignored(body: EndedBody) -> list[str]:
    return [f"{plain(body['side'])} used its token", *ended_lines(body["ended"], "ignored")]


def _condition(body: EndedBody) -> list[str]:
    return [f"turn {body['turn']}", *ended_lines(body["ended"])]


def _cancelled(body: EndedBody) -> list[str]:
    return [f"turn {body['turn']}", *ended_lines(body["ended"], "cancelled")]


CHANGES: Mapping[str, Callable[[Any], list[str]]] = {
    "start": _started,
    "end": _over,
    "turn": _turned,
    "add": _added,
    "edit": _edited,
    "remove": _removed,
    "token": _ignored,
    "condition": _condition,
    "cancel": _cancelled,
}
"""How each change is told: what it came to, then line by line."""


BATTLE_CHANGED = EntryKind("battle", "results", sentence, entry_pages)
