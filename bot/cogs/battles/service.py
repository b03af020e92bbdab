"""Battles with random events: begun and ended, turn by turn, and what becomes of the events that are in force."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.battles.embed import BattleSummary, span
from bot.cogs.battles.entries import (
    BATTLES,
    BOOK,
    EndedBody,
    EnteredChange,
    campaign_to_command,
    campaign_with_battles,
    ended_effects,
    enter,
)
from bot.core import scenes
from bot.core.campaigns import Campaign, require_on_server
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.scene_entries import SceneChange
from bot.core.scenes import SeenTurn, Which
from bot.core.visibility import make_viewer, require_part
from bot.errors import BadInput, NeedsReason, NotOpen
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from rules.books.battlesystem import effects
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.effects import EventEnding, EventGroup, list_chosen_tokens, list_spendable
from rules.books.battlesystem.state import CONDITIONS, Battle, BattleHeader, EventLine, How
from rules.kinds import PartLasts
from rules.scenes import Header as AnyHeader
from rules.scenes import Scene, begin
from rules.subjects import name_key
from rules.tables import RollTable

SIDES = 2


class UseOptions(Struct, frozen=True):
    """The options of the command that ends an event, as typed."""

    event: str
    how: How
    reason: str | None = None


class BattleToEnd(Struct, frozen=True):
    """A battle that somebody is asked about, and what would end with it."""

    battle: Battle
    ended: Sequence[EventLine]


class MetCondition(Struct, frozen=True):
    """Of which battle, told by the entry that began it, a condition has come about, and for which events by their keys."""

    entry: int
    condition: PartLasts
    keys: Collection[str]


def start(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str | None, sides: str | None
) -> EnteredChange:
    """Begin a battle between two sides; its first turn begins with it."""
    parsed_name, parsed_sides = _battle_name(name or ""), _two_sides(sides or "")
    campaign = campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_game_master(person, campaign, "begin battles")
    header = BattleHeader(parsed_name, parsed_sides, next_number(tx, campaign))
    before = scenes.require_new(tx, campaign.id, header, BATTLES)
    change = SceneChange(
        Scene(header),
        {"deed": "start", "battle": parsed_name, "sides": list(parsed_sides)},
        begin(header, before=before),
        public=True,
    )
    return enter(tx, resolver, person, campaign, change)


def end(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: Which
) -> EnteredChange | BattleToEnd:
    """End a battle: with it ends all that is in force in it but what is permanent; losses stay lost.

    Unless it is the turn of one that was seen, nothing is done, and what would end is returned.
    """
    campaign = campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_game_master(person, campaign, "end battles")
    battle = scenes.find_scene(tx, campaign.id, BATTLES, which)
    ending = effects.end_battle(battle)
    change = SceneChange(
        battle,
        {
            "deed": "end",
            "battle": battle.name,
            "turn": battle.header.turn,
            "ended": ending.ended,
            "lost": effects.list_losses(battle),
        },
        ending.changes,
        public=True,
    )
    if not isinstance(which, SeenTurn):
        others = ended_effects(tx, resolver.library, make_viewer(tx, person, campaign), change)
        return BattleToEnd(battle, [*ending.ended, *others])
    return enter(tx, resolver, person, campaign, change)


def meet_condition(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, met: MetCondition
) -> EnteredChange:
    """End what hangs on a condition that has come about."""
    campaign = campaign_to_command(tx, resolver, person, campaign_id, "ending an event")
    battle = scenes.find_scene(tx, campaign.id, BATTLES, met.entry)
    events = [item for item in effects.list_hanging(battle, met.condition) if effects.item_key(item) in met.keys]
    if not events:
        raise NotOpen("That has already ended.", "See /events active.")
    change = _ended(battle, "condition", effects.end(events, met.condition))
    return enter(tx, resolver, person, campaign, change)


def use(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str | None, options: UseOptions
) -> EnteredChange:
    """End an event on the units of one side: by a token, since its condition has come, or by a game master's word.

    What it has cost at once is ignored or cancelled with it; no condition gives that back.

    Raises:
        NeedsReason: a game master cancels it without a reason.

    """
    reason = parsing.text(options.reason, "reason")
    campaign = campaign_to_command(tx, resolver, person, campaign_id, "ending an event")
    battle = scenes.find_scene(tx, campaign.id, BATTLES, name)
    group = _find_group(battle, options.event)
    match options.how:
        case "token":
            change = _ignored(battle, group)
        case "condition":
            _require_conditional(group)
            change = _ended(battle, "condition", effects.end(group.events, *CONDITIONS))
        case "cancel":
            require_game_master(person, campaign, "cancel events")
            change = _cancelled(battle, group, reason)
    return enter(tx, resolver, person, campaign, change)


def find_active(tx: Connection, library: Library, person: Person, campaign: Campaign, which: Which) -> Battle:
    """Return a battle that goes on, for people who take part in the campaign."""
    _require_reader(tx, library, person, campaign)
    return scenes.find_scene(tx, campaign.id, BATTLES, which)


def summaries(tx: Connection, library: Library, person: Person, campaign: Campaign) -> list[BattleSummary]:
    """Return all battles that were ever begun, the newest first, each with how many units fight on each side."""
    _require_reader(tx, library, person, campaign)
    running = {item.header.subject: item for item in scenes.list_running(tx, campaign.id, BATTLES)}
    return [_summary(item, running.get(item.subject)) for item in scenes.list_headers(tx, campaign.id, BATTLES)]


def list_fought(tx: Connection, library: Library, person: Person, campaign: Campaign) -> Sequence[Battle]:
    """Return the battles that are being fought."""
    _require_reader(tx, library, person, campaign)
    return scenes.list_running(tx, campaign.id, BATTLES)


def table(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RollTable:
    """Return the table of events as the campaign plays by it."""
    _require_reader(tx, library, person, campaign)
    return library.book(tx, campaign, BOOK).table(TABLE)


def table_by_id(tx: Connection, library: Library, person: Person, campaign_id: int) -> RollTable:
    """Return the table of events of a campaign that a component names by its id."""
    return table(tx, library, person, require_on_server(tx, person.guild_id, campaign_id))


def _require_reader(tx: Connection, library: Library, person: Person, campaign: Campaign) -> None:
    library.require(campaign, BOOK)
    require_part(make_viewer(tx, person, campaign))


def _battle_name(typed: str) -> str:
    if not typed.strip():
        raise BadInput("A battle needs a name.", "Type one as name, such as Black Ford.")
    if "," in typed:
        raise BadInput("A battle's name can't have a comma.", "Type the sides under sides, separated by commas.")
    (name,) = parsing.names(typed, "name of the battle", 1)
    return name


def _two_sides(typed: str) -> tuple[str, ...]:
    sides = parsing.names(typed, "side", SIDES)
    if len(sides) != SIDES:
        raise BadInput("A battle has two sides.", "Name both, separated by a comma: Zeon, EF.")
    return sides


def _summary(header: AnyHeader, battle: Battle | None) -> BattleSummary:
    counts = dict.fromkeys(header.sides, 0)
    for item in battle.fighting if battle else ():
        counts[item.side] += 1
    return BattleSummary(header, counts)


def _find_group(battle: Battle, typed: str) -> EventGroup:
    """Return the event that is meant: by its key, or by a unit that no other befell."""
    groups = effects.group_events(battle)
    alike = [item for item in groups if item.key == typed.strip()] or [
        item for item in groups if name_key(typed) in map(name_key, item.names)
    ]
    if not alike:
        raise BadInput(
            f"{typed[:60]!r} isn't in force in {battle.name}.", "Pick one from the list, or see /events active."
        )
    if len(alike) > 1:
        name = next(name for name in alike[0].names if name_key(name) == name_key(typed))
        raise BadInput(f"{name} has several events.", "Pick the one you mean from the list.")
    return alike[0]


def _ignored(battle: Battle, group: EventGroup) -> SceneChange:
    """Spend the oldest token that would do; the event is ignored by the units of its side (A5: a later one only)."""
    held = list_chosen_tokens(battle, group.side)
    if not held:
        raise BadInput(f"{group.side} has no token to ignore an event.", "See /events active for who does.")
    tokens = list_spendable(battle, group.side, group.came)
    if not tokens:
        what = f"{group.label} is older than the token of {group.side} (entry #{held[0].entry})."
        raise BadInput(what, "Use the token on a later event.")
    ending = effects.ignore(battle, group, tokens[0])
    body: EndedBody = {**_ended_body(battle, "token", ending), "side": group.side}
    return SceneChange(battle, body, ending.changes, public=True)


def _cancelled(battle: Battle, group: EventGroup, reason: str | None) -> SceneChange:
    """Cancel an event on the units of a side, for a reason that only the staff is told."""
    if reason is None:
        raise NeedsReason(f"Cancelling {group.label} without a token needs a reason.", "Add one as reason.")
    return _ended(battle, "cancel", effects.cancel(battle, group), reason)


def _ended(battle: Battle, how: How, ending: EventEnding, reason: str | None = None) -> SceneChange:
    texts = {"reason": reason} if reason is not None else {}
    return SceneChange(battle, _ended_body(battle, how, ending), ending.changes, texts, public=True)


def _ended_body(battle: Battle, how: How, ending: EventEnding) -> EndedBody:
    return {"deed": how, "battle": battle.name, "turn": battle.header.turn, "ended": ending.ended}


def _require_conditional(group: EventGroup) -> None:
    if not group.conditional:
        ends = f"It lasts {span(group.events[0])}." if group.events else "Its effect was immediate."
        raise BadInput(f"{group.label} has no end condition.", ends)
