"""Battles with random events as embeds, and their next buttons."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import get_args

import discord
from discord import ui
from msgspec import Struct

from bot.cogs.battles.entries import BULLET, describe_traits, gather, may_command
from bot.core import ledger, records
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.rolls.entry_body import list_calls
from bot.ui.receipt import page_buttons, receipt
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, DOT, fit_embeds, fit_lines, paginate, plain
from rules import kinds, phrases, scenes, tables
from rules.books.battlesystem import book
from rules.books.battlesystem.state import ActiveEvent, Battle, Combatant, HeldToken, event_ends

SHORT: Mapping[str, str] = {str(lasts): ends for lasts, ends in book.SPANS.items()} | {
    "until_gone": "until it or its enemy is gone"
}

TOKENS: Mapping[str, str] = {kinds.CHOSEN: "can ignore one later event", kinds.NEXT: "ignores its next event"}
DIRECTION = "-# Direction: 1 is straight ahead, then clockwise, unless you agree otherwise."
SCOPES: Mapping[str, str] = {
    "player": "the player",
    "enemy": "the enemy",
    "two_friendly_units": "two units of the side",
    "all_flying_both_sides": "all flyers of both sides",
}


class BattleSummary(Struct, frozen=True):
    """A battle in a list, with its units per side."""

    header: scenes.Header
    units: Mapping[str, int]


def describe_end(item: ActiveEvent) -> str:
    """Return in words when an active event ends."""
    return str(event_ends(item.value()))


def list_pages(battles: Sequence[BattleSummary], *, campaign: str) -> ledger.Pages:
    """Return all battles as messages."""
    lines = [_summary_line(item) for item in battles] or ["No battles yet."]
    return paginate(fit_embeds("Battles", lines, colour=COLOURS["neutral"], footer=campaign))


def roster_pages(battle: Battle, *, campaign: str) -> ledger.Pages:
    """Return a battle's units in the order they roll."""
    fighting = {item.name: place for place, item in enumerate(battle.fighters, 1)}
    lines: list[str] = []
    for side in battle.header.sides:
        mine = [item for item in battle.roster if item.side == side]
        lines += ["", f"**{plain(side)}** ({len(mine)})", *(_unit_line(item, fighting.get(item.name)) for item in mine)]
    title = f"{plain(battle.name)}: roster"
    return paginate(fit_embeds(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def active_pages(battle: Battle, *, campaign: str, commands: bool) -> ledger.Pages:
    """Return a battle's active events, losses and tokens, one side after the other."""
    lines: list[str] = []
    for side in battle.header.sides:
        lines += ["", f"**__{plain(side)}__**", *_side_lines(battle, side, commands=commands)]
    title = f"{plain(battle.name)}, turn {battle.header.turn}: in force"
    return paginate(fit_embeds(title, lines[1:], colour=COLOURS["neutral"], footer=campaign))


def _row_line(row: tables.TableRow) -> str:
    if row.event is None:
        return f"**{_numbers(row)}**{DOT}{plain(row.text)}"
    letter = f" [{row.event.letter}]" if row.event.letter else ""
    words = [f"**{_numbers(row)}** {plain(row.event.cause)}{letter}", plain(row.text)]
    return DOT.join(words if book.tells_end(row.text) else [*words, SHORT[row.event.lasts]])


def row_embed(table: tables.RollTable, row: tables.TableRow, *, campaign: str) -> discord.Embed:
    """Return a row of the table in full."""
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
    gone = ["gone for good"] if place is None else []
    return DOT.join([f"{number} **{plain(item.name)}**", *describe_traits(item.tags, item.spells), *gone])


def _side_lines(battle: Battle, side: str, *, commands: bool) -> Iterator[str]:
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
    free = [item for item in battle.fighters if item.side == side and item.id not in by_unit]
    if free:
        others = f"{len(free)}{' other' if by_unit else ''} {'unit' if len(free) == 1 else 'units'}"
        yield f"*Nothing on {others}.*"
    losses = [item for item in battle.losses if battle.side_of(item) == side]
    if losses:
        lost = (
            f"{BULLET}{plain(item.name)}: {plain(item.label)}{DOT}turn {item.turn}, entry #{item.entry}"
            for item in losses
        )
        yield "\n".join(["**Lost so far**", *lost])


def _token(token: HeldToken, *, commands: bool) -> str:
    how = (", with /gm-events use" if commands else ": ask a game master") if token.kind == kinds.CHOSEN else ""
    return f"{TOKENS[token.kind]}{how}{DOT}since entry #{token.entry}"


def _sums(events: Iterable[ActiveEvent]) -> str:
    sums: Counter[kinds.Stat] = Counter()
    for item in events:
        sums.update(item.changes)
    parts = [f"{stat.upper()} {phrases.format_signed(sums[stat])}" for stat in get_args(kinds.Stat) if stat in sums]
    return f"{DOT}{', '.join(parts)}" if parts else ""


def _event_line(battle: Battle, item: ActiveEvent) -> str:
    foe, later = battle.combatant(item.foe or 0), battle.find_overruling(item)
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


def _numbers(row: tables.TableRow) -> str:
    low, high = row.min or 1, row.max or 100
    return str(low) if low == high else f"{low}\N{EN DASH}{high}"


def _kind(tag: str) -> str:
    return f"units without {tag[1:]}" if tag.startswith("!") else f"{tag} units"


TURN = IdTemplate("events:{campaign:int}:turn:{battle:int}:{turn:int}")
"""Names the battle by the entry that began it, as those below do."""

END = IdTemplate("events:{campaign:int}:end:{battle:int}:{turn:int}")
CHECK = IdTemplate("events:{campaign:int}:check:{battle:int}:{turn:int}")
AGAIN = IdTemplate("events:{campaign:int}:again:{battle:int}:{turn:int}:{mode:word}:{side:int}")
"""Side 0 is both, 1 the first."""

START = IdTemplate("events:{campaign:int}:start:{entry:int}.{part:int}")
"""Names the roll (entry) and its part that calls for a battle."""

JOIN = IdTemplate("events:{campaign:int}:join:{battle:int}")
CANCEL = IdTemplate("events:{campaign:int}:cancel:{battle:int}:{key:rest}")
MAX_STARTS = 2


def start_buttons(person: Person, campaign: Campaign, entry: records.Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield, for game masters only, a button for each battle that a roll's entry calls for."""
    if not person.leads(campaign):
        return
    parts = entry.content()["parts"]
    called = [at for at, part in enumerate(parts) if any(list_calls(part, "battle"))]
    for at in called[:MAX_STARTS]:
        which = "the battle" if len(called) == 1 else f"battle {entry.number}.{at + 1}"
        key = START.fill(campaign=campaign.id, entry=entry.number, part=at)
        yield ui.Button(label=f"Start {which}", custom_id=key)


def step_buttons(person: Person, campaign: Campaign, battle: Battle | None) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield a person's next steps in a battle."""
    if battle is None or not may_command(person, campaign):
        return
    header, key = battle.header, {"campaign": campaign.id, "battle": battle.header.entry}
    if header.checked:
        yield end_button(campaign.id, battle)
    elif battle.fighters:
        yield ui.Button(label=f"Check turn {header.turn}", custom_id=CHECK.fill(**key, turn=header.turn))
    if header.turn == 1 and not header.checked:
        yield ui.Button(label="Add units", custom_id=JOIN.fill(**key))


def end_button(campaign_id: int, battle: Battle) -> ui.Button[ui.LayoutView]:
    """Return the button that ends a turn."""
    turn = battle.header.turn
    key = TURN.fill(campaign=campaign_id, battle=battle.header.entry, turn=turn)
    return ui.Button(label=f"End turn {turn}", custom_id=key)


TABLE_PAGE = IdTemplate("events:{campaign:int}:table:{page:int}")
ROWS = 14  # five pages in all
ROOM = 2400  # in characters, of Discord's 4,000


def table_view(table: tables.RollTable, campaign_id: int, page: int) -> ui.LayoutView:
    """Return a page, counted from 0, of the random events table."""
    last = (len(table.rows) - 1) // ROWS
    page = min(page, last)
    rows = table.rows[page * ROWS : (page + 1) * ROWS]
    letters = [f"[{item.id}] only {_kind(item.tag)}" for item in table.letters.values()]
    head = [*([f"-# {DOT.join(letters)}"] if letters else []), "-# One of them in full: /events table number"]
    lines = [*head, *fit_lines(ROOM, [*map(_row_line, rows)])]
    others = (("Earlier", page - 1), ("Later", page + 1))
    keys = (
        (label, TABLE_PAGE.fill(campaign=campaign_id, page=at) if 0 <= at <= last else None) for label, at in others
    )
    title = f"{plain(table.title)}, page {page + 1} of {last + 1}" if last else plain(table.title)
    return receipt(title, lines, COLOURS["neutral"], page_buttons(*keys))
