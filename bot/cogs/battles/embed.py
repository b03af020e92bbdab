"""Battles with random events as embeds, rosters, what is in force and the table; and the buttons of what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import get_args

import discord
from discord import ui
from msgspec import Struct

from bot.cogs.battles.entries import BULLET, describe_traits, gather, may_command
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Pages
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.rolls.entry_body import calls
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.text import DOT, fit_embeds, paginate, plain
from rules.books.battlesystem import book
from rules.books.battlesystem.state import Battle, Combatant, HeldToken, InForce, Loss, event_ends
from rules.kinds import CHOSEN, NEXT, Stat
from rules.phrases import signed
from rules.scenes import Header
from rules.tables import RollTable, TableRow

SHORT: Mapping[str, str] = {str(lasts): ends for lasts, ends in book.SPANS.items()} | {
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
    return paginate(fit_embeds("Battles", lines, colour=COLOURS["neutral"], footer=campaign))


def roster_pages(battle: Battle, *, campaign: str) -> Pages:
    """Return who stands in a battle, numbered in the order in which the units roll."""
    fighting = {item.name: place for place, item in enumerate(battle.fighting, 1)}
    lines: list[str] = []
    for side in battle.header.sides:
        mine = [item for item in battle.roster if item.side == side]
        lines += ["", f"**{plain(side)}** ({len(mine)})", *(_unit_line(item, fighting.get(item.name)) for item in mine)]
    title = f"{plain(battle.name)}: roster"
    return paginate(fit_embeds(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def active_pages(battle: Battle, *, campaign: str, commands: bool) -> Pages:
    """Return what is in force in a battle, side by side, what has been lost so far, and the tokens held.

    Events on several units come first, then the others unit by unit. `commands`: whether the reader may use tokens.
    """
    lines: list[str] = []
    for side in battle.header.sides:
        lines += ["", f"**__{plain(side)}__**", *_side_lines(battle, side, commands=commands)]
    title = f"{plain(battle.name)}, turn {battle.header.turn}: in force"
    return paginate(fit_embeds(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def row_line(row: TableRow) -> str:
    """Return one row of the table in a line: its number, letter and cause, what it does and for how long."""
    if row.event is None:
        return f"**{_numbers(row)}**{DOT}{plain(row.text)}"
    letter = f" [{row.event.letter}]" if row.event.letter else ""
    words = [f"**{_numbers(row)}** {plain(row.event.cause)}{letter}", plain(row.text)]
    return DOT.join(words if book.tells_end(row.text) else [*words, SHORT[row.event.lasts]])


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


def _summary_line(item: BattleSummary) -> str:
    header = item.header
    sides = " against ".join(
        plain(side) if header.over else f"{plain(side)} ({count})" for side, count in item.units.items()
    )
    state = f"over since turn {header.turn}" if header.over else f"turn {header.turn}"
    return f"{BULLET}**{plain(header.name)}**{DOT}{sides}{DOT}{state}{DOT}since entry #{header.entry}"


def _unit_line(item: Combatant, place: int | None) -> str:
    number = "\N{EM DASH}" if place is None else f"{place}\\."
    return DOT.join([f"{number} **{plain(item.name)}**", *describe_traits(item.tags, item.spells), *_gone(place)])


def _gone(place: int | None) -> list[str]:
    return ["gone for good"] if place is None else []


def _side_lines(battle: Battle, side: str, *, commands: bool) -> Iterator[str]:
    """The tokens, events on several units, then each unit's own as one block under its name, and what is lost."""
    for token in battle.tokens:
        if token.side == side:
            yield f"\N{TICKET} {_token(token, commands=commands)}"
    mine = [item for item in battle.events if battle.side_of(item) == side]
    by_event, by_unit = gather(mine, attrgetter("came")), gather(mine, attrgetter("id"))
    shared = {came: events for came, events in by_event.items() if len(events) > 1}
    for events in shared.values():
        yield f"{_event_line(battle, events[0])}{DOT}on {', '.join(plain(item.name) for item in events)}"
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
    ends = dict.fromkeys(SHORT[part.lasts] for part in item.parts if not book.tells_end(part.text))
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


TURN = IdTemplate("events:{campaign:int}:turn:{battle:int}:{turn:int}")
"""The id of the button that ends a turn; the battle is told by the entry that began it, here and below."""

END = IdTemplate("events:{campaign:int}:end:{battle:int}:{turn:int}")
"""The id of the button that ends a battle as it was seen, in a turn."""

CHECK = IdTemplate("events:{campaign:int}:check:{battle:int}:{turn:int}")
"""The id of the button that checks the random events of a turn."""

AGAIN = IdTemplate("events:{campaign:int}:again:{battle:int}:{turn:int}:{mode:word}:{side:int}")
"""The id of the button that checks a turn once more, and of the window that asks why; side 0 is both, 1 the first."""

START = IdTemplate("events:{campaign:int}:start:{entry:int}.{part:int}")
"""The id of the button that starts the battle for which a part of a roll (entry) calls, and of its window."""

JOIN = IdTemplate("events:{campaign:int}:join:{battle:int}")
"""The id of the button that adds units to a battle, and of its window."""

CANCEL = IdTemplate("events:{campaign:int}:cancel:{battle:int}:{key:rest}")
"""The id of the button that cancels an event (its key) in a battle, and of the window that asks why."""

MAX_STARTS = 2


def start_buttons(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons that start the battles for which a roll calls, for game masters."""
    if not person.leads(campaign):
        return
    parts = entry.content()["parts"]
    called = [at for at, part in enumerate(parts) if any(calls(part, "battle"))]
    for at in called[:MAX_STARTS]:
        which = "the battle" if len(called) == 1 else f"battle {entry.number}.{at + 1}"
        key = START.fill(campaign=campaign.id, entry=entry.number, part=at)
        yield ui.Button(label=f"Start {which}", custom_id=key)


def step_buttons(person: Person, campaign: Campaign, battle: Battle | None) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the next steps in a battle that the person may take: add units, check the turn, end it."""
    if battle is None or not may_command(person, campaign):
        return
    header, key = battle.header, {"campaign": campaign.id, "battle": battle.header.entry}
    if header.checked:
        yield end_button(campaign.id, battle)
    elif battle.fighting:
        yield ui.Button(label=f"Check turn {header.turn}", custom_id=CHECK.fill(**key, turn=header.turn))
    if header.turn == 1 and not header.checked:
        yield ui.Button(label="Add units", custom_id=JOIN.fill(**key))


def end_button(campaign_id: int, battle: Battle) -> ui.Button[ui.LayoutView]:
    """Return the button that ends the turn of a battle."""
    turn = battle.header.turn
    key = TURN.fill(campaign=campaign_id, battle=battle.header.entry, turn=turn)
    return ui.Button(label=f"End turn {turn}", custom_id=key)
