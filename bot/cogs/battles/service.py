"""Begin and end battles and their events."""

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.battles import entries
from bot.cogs.battles.embed import BattleSummary, describe_end
from bot.core import scenes
from bot.core.campaigns import Campaign, require_on_server
from bot.core.errors import BadInput, NeedsReason, NotOpen
from bot.core.ledger import next_number
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.scene_entries import SceneChange
from bot.core.visibility import make_viewer, require_part
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from rules.books.battlesystem import effects
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.state import CONDITIONS, Battle, BattleHeader, EventLine, How
from rules.kinds import PartLasts
from rules.scenes import Scene, begin
from rules.subjects import name_key
from rules.tables import RollTable

SIDES = 2


class UseOptions(Struct, frozen=True):
    """The typed options that end an event."""

    event: str
    how: How
    reason: str | None = None


class BattleToEnd(Struct, frozen=True):
    """A battle that a person wants to end, and the events and effects that would end too."""

    battle: Battle
    ended: Sequence[EventLine]


class MetCondition(Struct, frozen=True):
    """A condition that was met: `entry` began its battle, `keys` are the events that waited for it."""

    entry: int
    condition: PartLasts
    keys: Collection[str]


def start(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str | None, sides: str | None
) -> entries.EnteredChange:
    """Begin a battle between two sides, in its first turn."""
    parsed_name, parsed_sides = _read_name(name or ""), parsing.names(sides or "", "side", SIDES)
    if len(parsed_sides) != SIDES:
        raise BadInput("A battle has two sides.", "Name both, separated by a comma: Zeon, EF.")
    campaign = entries.campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_game_master(person, campaign, "begin battles")
    header = BattleHeader(parsed_name, parsed_sides, next_number(tx, campaign))
    before = scenes.require_new(tx, campaign.id, header, entries.BATTLES)
    change = SceneChange(
        Scene(header),
        {"deed": "start", "battle": parsed_name, "sides": list(parsed_sides)},
        begin(header, before=before),
        public=True,
    )
    return entries.enter(tx, resolver, person, campaign, change)


def end_battle(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: scenes.Which
) -> entries.EnteredChange | BattleToEnd:
    """End a battle and its active events; permanent ones and losses stay.

    Unless `which` is a turn that the person saw, nothing ends: what would end is returned.
    """
    campaign = entries.campaign_with_battles(tx, resolver.library, person, campaign_id)
    require_game_master(person, campaign, "end battles")
    battle = scenes.find_scene(tx, campaign.id, entries.BATTLES, which)
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
    if not isinstance(which, scenes.SeenTurn):
        others = entries.find_ended_effects(tx, resolver.library, make_viewer(tx, person, campaign), change)
        return BattleToEnd(battle, [*ending.ended, *others])
    return entries.enter(tx, resolver, person, campaign, change)


def meet_condition(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, met: MetCondition
) -> entries.EnteredChange:
    """End the events that wait for a condition."""
    campaign = entries.campaign_to_command(tx, resolver, person, campaign_id, "ending an event")
    battle = scenes.find_scene(tx, campaign.id, entries.BATTLES, met.entry)
    events = [item for item in effects.list_hanging(battle, met.condition) if effects.item_key(item) in met.keys]
    if not events:
        raise NotOpen("That has already ended.", "See /events active.")
    change = _end_events(battle, "condition", effects.end(events, met.condition))
    return entries.enter(tx, resolver, person, campaign, change)


def use(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, name: str | None, options: UseOptions
) -> entries.EnteredChange:
    """End an event by token, condition or game master.

    Ignoring or cancelling also gives back its losses; a condition doesn't.

    Raises:
        NeedsReason: a game master gives no reason.
    """
    reason = parsing.parse_text(options.reason, "reason")
    campaign = entries.campaign_to_command(tx, resolver, person, campaign_id, "ending an event")
    battle = scenes.find_scene(tx, campaign.id, entries.BATTLES, name)
    group = _find_group(battle, options.event)
    match options.how:
        case "token":
            change = _ignore(battle, group)
        case "condition":
            if not group.conditional:
                ends = f"It lasts {describe_end(group.events[0])}." if group.events else "Its effect was immediate."
                raise BadInput(f"{group.label} has no end condition.", ends)
            change = _end_events(battle, "condition", effects.end(group.events, *CONDITIONS))
        case "cancel":
            require_game_master(person, campaign, "cancel events")
            if reason is None:
                what = f"Cancelling {group.label} without a token needs a reason."
                raise NeedsReason(what, "Add one as reason.")
            change = _end_events(battle, "cancel", effects.cancel(battle, group), reason)
    return entries.enter(tx, resolver, person, campaign, change)


def find_active(tx: Connection, library: Library, person: Person, campaign: Campaign, which: scenes.Which) -> Battle:
    """Find a running battle; refuse people who don't take part in the campaign."""
    _require_reader(tx, library, person, campaign)
    return scenes.find_scene(tx, campaign.id, entries.BATTLES, which)


def list_battles(tx: Connection, library: Library, person: Person, campaign: Campaign) -> list[BattleSummary]:
    """Return all battles, newest first, with units per side (0 once over)."""
    _require_reader(tx, library, person, campaign)
    running = {item.header.subject: item for item in scenes.list_running(tx, campaign.id, entries.BATTLES)}
    found = []
    for header in scenes.list_headers(tx, campaign.id, entries.BATTLES):
        battle = running.get(header.subject)
        sides = Counter(item.side for item in battle.fighters) if battle else Counter[str]()
        found.append(BattleSummary(header, {side: sides[side] for side in header.sides}))
    return found


def list_fought(tx: Connection, library: Library, person: Person, campaign: Campaign) -> Sequence[Battle]:
    """Return the running battles."""
    _require_reader(tx, library, person, campaign)
    return scenes.list_running(tx, campaign.id, entries.BATTLES)


def table(tx: Connection, library: Library, person: Person, campaign: Campaign) -> RollTable:
    """Return the campaign's table of events."""
    _require_reader(tx, library, person, campaign)
    return library.book(tx, campaign, entries.BOOK).table(TABLE)


def table_by_id(tx: Connection, library: Library, person: Person, campaign_id: int) -> RollTable:
    """Return the table of random events of a campaign, by the id that a button has."""
    return table(tx, library, person, require_on_server(tx, person.guild_id, campaign_id))


def _require_reader(tx: Connection, library: Library, person: Person, campaign: Campaign) -> None:
    library.require(campaign, entries.BOOK)
    require_part(make_viewer(tx, person, campaign))


def _read_name(typed: str) -> str:
    if not typed.strip():
        raise BadInput("A battle needs a name.", "Type one as name, such as Black Ford.")
    if "," in typed:
        raise BadInput("A battle's name can't have a comma.", "Type the sides under sides, separated by commas.")
    (name,) = parsing.names(typed, "name of the battle", 1)
    return name


def _find_group(battle: Battle, typed: str) -> effects.EventGroup:
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


def _ignore(battle: Battle, group: effects.EventGroup) -> SceneChange:
    held = effects.list_chosen_tokens(battle, group.side)
    if not held:
        raise BadInput(f"{group.side} has no token to ignore an event.", "See /events active for who does.")
    tokens = effects.list_spendable(battle, group.side, group.came)
    if not tokens:
        what = f"{group.label} is older than the token of {group.side} (entry #{held[0].entry})."
        raise BadInput(what, "Use the token on a later event.")
    ending = effects.ignore(battle, group, tokens[0])
    change = _end_events(battle, "token", ending)
    return replace(change, body={**change.body, "side": group.side})


def _end_events(battle: Battle, how: How, ending: effects.EventEnding, reason: str | None = None) -> SceneChange:
    body = {"deed": how, "battle": battle.name, "turn": battle.header.turn, "ended": ending.ended}
    texts = {"reason": reason} if reason is not None else {}
    return SceneChange(battle, body, ending.changes, texts, public=True)
