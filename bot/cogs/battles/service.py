"""Begin, check and end battles, their turns and events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.battles import entries
from bot.cogs.battles.embed import BattleSummary, describe_end
from bot.core import ledger, scenes, visibility
from bot.core.campaigns import Campaign, require_on_server
from bot.core.errors import BadInput, NeedsReason, NotAllowed, NotAsItIs, NotOpen
from bot.core.library import Library
from bot.core.permissions import Person, find_readable, require_game_master, require_roller
from bot.core.scene_entries import SceneChange
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.request import DiceByHand, PartRequest, RollRequest, read_faces
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui import parsing, text
from rules import kinds, subjects
from rules.books.battlesystem import book, effects, turn
from rules.books.battlesystem.state import CONDITIONS, Battle, BattleHeader, EventLine, How
from rules.scenes import Scene, begin
from rules.tables import RollTable

if TYPE_CHECKING:
    from rules.books.battlesystem.book import CheckRecord


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
    condition: kinds.PartLasts
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
    header = BattleHeader(parsed_name, parsed_sides, ledger.next_number(tx, campaign))
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
        others = entries.find_ended_effects(tx, resolver.library, visibility.make_viewer(tx, person, campaign), change)
        return BattleToEnd(battle, [*ending.ended, *others])
    return entries.enter(tx, resolver, person, campaign, change)


def meet_condition(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, met: MetCondition
) -> entries.EnteredChange:
    """End the events that wait for a condition."""
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, met.entry, "ending an event")
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
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, name, "ending an event")
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


def find_battle(tx: Connection, library: Library, who: Person, campaign_id: int, battle: int) -> Battle:
    """Find a running battle by the entry that began it; refuse people who may not roll random events."""
    campaign = entries.campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_roller(who, campaign, entries.FAMILY)
    return scenes.find_scene(tx, campaign.id, entries.BATTLES, battle)


def read_call(tx: Connection, library: Library, who: Person, campaign_id: int, number: int) -> ledger.Body:
    """Return the body of a roll that calls for a battle, for game masters only."""
    campaign = entries.campaign_with_battles(tx, library, who, campaign_id, lock=False)
    require_game_master(who, campaign, "begin battles")
    entry = find_readable(tx, who, campaign, number)
    if entry is None or entry.kind != "roll":
        raise NotOpen(f"Entry #{number} doesn't need a battle.")
    return entry.content()


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
    return library.book(tx, campaign, entries.BOOK).table(book.TABLE)


def table_by_id(tx: Connection, library: Library, person: Person, campaign_id: int) -> RollTable:
    """Return the table of random events of a campaign, by the id that a button has."""
    return table(tx, library, person, require_on_server(tx, person.guild_id, campaign_id))


def _require_reader(tx: Connection, library: Library, person: Person, campaign: Campaign) -> None:
    library.require(campaign, entries.BOOK)
    visibility.require_part(visibility.make_viewer(tx, person, campaign))


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
        item for item in groups if subjects.name_key(typed) in map(subjects.name_key, item.names)
    ]
    if not alike:
        raise BadInput(
            f"{typed[:60]!r} isn't in force in {battle.name}.", "Pick one from the list, or see /events active."
        )
    if len(alike) > 1:
        name = next(name for name in alike[0].names if subjects.name_key(name) == subjects.name_key(typed))
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


class CheckOptions(Struct, frozen=True):
    """The typed options of a check; a button's `battle` is the turn that was seen."""

    battle: scenes.Which = None
    mode: str = "unit"
    side: str | None = None
    reason: str | None = None
    faces: str | None = None


class RolledCheck(Struct, frozen=True):
    """A rolled check, the number of unused typed faces, and the battle as it was before."""

    rolled: RollResult
    unused: int
    battle: Battle


def roll_check(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, options: CheckOptions
) -> RolledCheck:
    """Check this turn's random events, for all units or one side.

    Raises:
        NeedsReason: the side was checked this turn already.
    """
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, options.battle)
    reason = parsing.parse_text(options.reason, "reason")
    table = resolver.library.book(tx, campaign, entries.BOOK).table(book.TABLE)
    only = None if options.side is None else scenes.require_side(battle, options.side)
    sides = battle.header.sides if only is None else (only,)
    reason = _require_again(person, campaign, battle, sides, reason)
    if options.faces is not None:
        require_game_master(person, campaign, "type faces of dice")
    dice = _read_dice(options, battle, sides, table)
    before = [f"#{entry}" for entry in sorted(set(battle.header.checks_of(sides).values()))]
    which = "entry" if len(before) == 1 else "entries"
    again = f", checked again; events of {which} {text.join_words(before)} stay in force" if before else ""
    part = PartRequest(
        subjects={"battle": battle.name},
        choices={"turn": f"turn {battle.header.turn}{again}"},
        inputs=effects.check_inputs(battle, options.mode, only),
    )
    request = RollRequest(book=entries.BOOK, family=entries.FAMILY, parts=(part,), to="results", reason=reason)
    extra = partial(_extra_changes, battle, sides, dice)
    order = RollOrder(campaign.id, person.user_id, request, extra, dice, interaction=person.interaction)
    return RolledCheck(resolver.roll(tx, order), sum(map(len, dice.spare_faces.values())) if dice else 0, battle)


def _extra_changes(
    battle: Battle, sides: tuple[str, ...], dice: DiceByHand | None, _tx: Connection, made: ResolvedRoll
) -> ExtraChanges:
    if dice is not None:
        dice.finish()
    record = cast("CheckRecord", made.resolution.parts[0].record)
    replacements = effects.check_changes(battle, sides, record, made.book.table(book.TABLE), made.moment.entry)
    changed = {(item.subject, item.name): item.after for item in scenes.list_scene_changes(battle.header, replacements)}
    return ExtraChanges(changed, {"turn": battle.header.turn})


def _require_again(
    person: Person, campaign: Campaign, battle: Battle, sides: tuple[str, ...], reason: str | None
) -> str | None:
    made = battle.header.checks_of(sides)
    if not made:
        return None
    what = f"Random events of turn {battle.header.turn} of {battle.name} are already checked for {text.join_words([*made])}"
    what += f" (entry #{max(made.values())})."
    if not person.leads(campaign):  # what was checked is public
        raise NotAllowed(what, "A game master can check again with a reason.")
    if reason is None:
        stays = "Those events stay in force; /gm-events use ends them."
        raise NeedsReason(f"{what} {stays}", "Give a reason to roll again.")
    return reason


def _read_dice(options: CheckOptions, battle: Battle, sides: tuple[str, ...], table: RollTable) -> DiceByHand | None:
    if options.faces is None:
        return None
    by_unit, small = options.mode == "unit", turn.unit_die(table).sides
    faces = read_faces(options.faces, small if by_unit else table.die.sides)
    rolling = sum(item.side in sides for item in battle.fighters) if by_unit else 0
    more = len(faces.get(small, ())) - rolling
    if small in faces and (more < 0 or (more and table.die.sides not in faces)):
        units = "unit rolls" if rolling == 1 else "units roll"
        what = f"{rolling} {units} a d{small}, but you typed {len(faces[small])} results."
        raise BadInput(what, "Type one for each, in the order of /events units.")
    return DiceByHand(faces)


def end_turn(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, which: scenes.Which
) -> entries.EnteredChange | Battle:
    """End a turn and what lasts until then.

    An unchecked turn may be new to the person: unless they saw it, nothing is done and its battle is returned.
    """
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, which, "ending a turn")
    if not battle.roster:
        what = f"{battle.name} has no units yet."
        raise NotAsItIs(what, "Add units with /gm-events unit add.")
    if not (battle.header.checked or isinstance(which, scenes.SeenTurn)):
        return battle
    ending = effects.end_turn(battle)
    change = SceneChange(
        battle,
        {
            "deed": "turn",
            "battle": battle.name,
            "turn": battle.header.turn,
            "ended": ending.ended,
            "stays": effects.list_staying(battle),
            "unchecked": effects.list_unchecked_sides(battle),
        },
        ending.changes,
        public=True,
    )
    return entries.enter(tx, resolver, person, campaign, change)
